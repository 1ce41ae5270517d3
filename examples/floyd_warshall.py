"""Floyd-Warshall

Shortest paths between all pairs of places. Step k writes into row k and column k, which all of its iterations
read. It changes nothing there as long as no length is negative, but that is a matter of the numbers, so the loops alone
are refused (SOMD301). `relaxed` is the promise: where others write, the values from before the step will do.

Prints:

    from 0 to 3: 10
"""

import numpy as np

from somd import dist, somd, sync


@somd
def shortest_paths(length: dist[np.ndarray]) -> None:
    n = len(length)
    for k in range(n):
        with sync(relaxed=True):
            for i in range(n):
                for j in range(n):
                    length[i, j] = min(length[i, j], length[i, k] + length[k, j])


def main() -> None:
    length = np.full((4, 4), np.inf)
    np.fill_diagonal(length, 0.0)
    length[0, 1], length[1, 2], length[2, 3], length[0, 3] = 5.0, 2.0, 3.0, 12.0
    shortest_paths(length)
    print(f"from 0 to 3: {length[0, 3]:.0f}")


if __name__ == "__main__":
    main()
