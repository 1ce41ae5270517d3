"""Histogram

`sync(counts, reduce="+")` gives each method instance counts of its own and adds them up at the end.

Prints:

    -4.0
    -3.0 #
    -2.0 #######
    -1.0 #################
     0.0 #################
     1.0 #######
     2.0 #
     3.0
"""

import numpy as np

from somd import dist, shared, somd, sync


@somd
def histogram(data: dist[np.ndarray], low: float, high: float, bins: int) -> np.ndarray:
    counts: shared[np.ndarray] = np.zeros(bins, dtype=np.int64)
    width = (high - low) / bins
    with sync(counts, reduce="+"):
        for x in data:
            if low <= x < high:
                counts[int((x - low) / width)] += 1
    return counts


def main() -> None:
    data = np.random.default_rng(0).normal(size=1_000_000)
    for k, count in enumerate(histogram(data, -4.0, 4.0, 8)):
        print(f"{k - 4:4.1f} {'#' * int(count // 19_000)}".rstrip())


if __name__ == "__main__":
    main()
