"""The function gives a fraction where the method counts."""

from typing import Annotated

import numpy as np

from somd import dist, reduce, somd


def mean(partials: list[int]) -> float:
    return 0.5 + len(partials) * 0


@somd
def f(a: dist[np.ndarray]) -> Annotated[int, reduce(mean)]:
    count = 0
    for i in range(len(a)):
        if a[i] > 0:
            count += 1
    return count


f(np.ones(9))
