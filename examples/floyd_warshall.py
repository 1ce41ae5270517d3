"""Floyd-Warshall

Shortest paths between all pairs of places, in place. Step k reads row k in all iterations and writes it in iteration k
alone: the loop over rows is taken in three pieces, those before row k side by side, row k, and those behind it.

Prints:

    from 0 to 3: 10
"""

import numpy as np

from somd import dist, somd


@somd
def shortest_paths(length: dist[np.ndarray]) -> None:
    n = len(length)
    for k in range(n):
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
