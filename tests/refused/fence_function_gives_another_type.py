"""The function gives a fraction where the loop counts."""

from collections.abc import Sequence

import numpy as np

from somd import dist, somd, sync


def mean(copies: Sequence[int]) -> float:
    return 0.5 + len(copies) * 0


@somd
def f(a: dist[np.ndarray]) -> int:
    count = 0
    with sync(count, reduce=mean):
        for i in range(len(a)):
            count = count + 1 if a[i] > 0 else count
    return count


f(np.ones(9))
