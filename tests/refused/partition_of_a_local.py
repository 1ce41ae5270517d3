"""A partitioner that looks at the values of a local, one for a local of no known length, and `like` of nothing."""

from typing import Annotated

import numpy as np

from somd import ByKey, Cyclic, dist, partition, somd


@somd
def f(n: int, a: dist[np.ndarray]) -> None:
    key: Annotated[np.ndarray, dist, partition(ByKey)] = np.zeros(len(a), dtype=np.int64)
    wide: Annotated[np.ndarray, dist, partition(Cyclic)] = np.zeros(n + 1)
    for i in range(len(a)):
        key[i] = i
    for i in range(n):
        wide[i] = i
