"""Every marker as a user writes it; `test_typing.py` has type checkers read this file, and it also runs.

A comment at a line's end, "is: TYPE", says what the checkers must reveal for the line.
"""

from typing import TYPE_CHECKING, Annotated

import numpy as np

from somd import (
    Block,
    BlockBlock,
    ByKey,
    Chunked,
    Cyclic,
    Weighted,
    dim,
    dist,
    like,
    partition,
    polyview,
    reduce,
    shared,
    single,
    sync,
    view,
)

if TYPE_CHECKING:
    from typing import reveal_type
else:

    def reveal_type(value):
        return value


def thirds(array: np.ndarray, parts: int) -> list[tuple[int, int]]:
    return [(0, len(array) // 3), (len(array) // 3, len(array))]


def largest(partials: list[float], scale: float) -> float:
    return max(partials) * scale


def arrays(
    a: dist[np.ndarray],
    b: Annotated[np.ndarray, dist, dim(0), partition(Cyclic)],
    c: Annotated[dist[np.ndarray], dim(0, 1), partition(BlockBlock), view((1, 1), (0, 2))],
    d: Annotated[np.ndarray, dist, partition(Chunked(64)), polyview((1, 1), (1, 1))],
    e: Annotated[np.ndarray, dist, partition(ByKey()), like("a")],
    f: Annotated[np.ndarray, dist, partition(thirds)],
    g: Annotated[np.ndarray, dist, partition(Weighted([1.0, 2.0]))],
    h: Annotated[np.ndarray, dist, partition(Block)],
) -> Annotated[float, reduce(largest, 2.0)]:
    reveal_type(a)  # is: ndarray
    reveal_type(b)  # is: ndarray
    reveal_type(c)  # is: ndarray
    reveal_type(h)  # is: ndarray
    local: dist[np.ndarray] = np.zeros(3)
    reveal_type(local.shape)  # is: tuple
    return float(a[0] + b[0] + c[0, 0] + d[0, 0] + e[0] + f[0] + g[0] + h[0] + local[0])


def scalars(values: dist[list[float]], start: float) -> Annotated[float, reduce("+")]:
    norm: shared[float] = start
    reveal_type(norm)  # is: float
    with sync(norm, reduce="+", relaxed=True):
        for value in values:
            norm += value
    with sync(norm, reduce=max):
        norm += 1.0
    with sync:
        norm += 1.0
    with single:
        return norm


def itself(values: dist[list[float]]) -> Annotated[float, reduce("self")]:
    return sum(values)


def never_swallows() -> int:
    with sync, single:
        return 1


reveal_type(scalars([1.0], 0.0))  # is: float
reveal_type(never_swallows())  # is: int
