"""SOMD methods with every marker; `test_typing.py` has type checkers read this file, and it also runs.

A comment at a line's end, "is: TYPE", says what the checkers must reveal for the line.
"""

from typing import TYPE_CHECKING, Annotated

import numpy as np

from somd import (
    Block,
    ByKey,
    Chunked,
    Cyclic,
    SomdMethod,
    Weighted,
    dim,
    dist,
    like,
    partition,
    polyview,
    reduce,
    shared,
    single,
    somd,
    sync,
    targets,
    use,
    view,
)

if TYPE_CHECKING:
    from typing import reveal_type
else:

    def reveal_type(value):
        return value


def halves(array: np.ndarray, parts: int) -> list[tuple[int, int]]:
    middle = len(array) // 2
    return [(0, middle), (middle, len(array))]


def largest(partials: list[float], scale: float) -> float:
    return max(partials) * scale


@somd
def smooth(u: Annotated[np.ndarray, dist, dim(0), view((1, 1))], v: Annotated[np.ndarray, dist, like("u")]) -> None:
    for i in range(1, len(u) - 1):
        v[i] = u[i - 1] + u[i + 1]


@somd(target="sequential", workers=2)
def cross(u: Annotated[np.ndarray, dist, dim(0, 1), polyview((1, 1), (0, 0))], out: dist[np.ndarray]) -> np.ndarray:
    for i in range(1, u.shape[0] - 1):
        for j in range(u.shape[1]):
            out[i, j] = u[i - 1, j] + u[i + 1, j]
    return out


@somd(signatures=["float64[:]"])
def dot(a: Annotated[np.ndarray, dist, partition(Cyclic(2))]) -> Annotated[float, reduce("+")]:
    total = 0.0
    for i in range(len(a)):
        total += a[i] * a[i]
    return total


@somd
def norm(a: Annotated[np.ndarray, dist, partition(Chunked)]) -> tuple[Annotated[float, reduce("max")], int]:
    most = 0.0
    count: shared[int] = 0
    with sync(count, reduce="+"):
        for i in range(len(a)):
            most = max(most, a[i])
            count += 1
    return most, count


@somd
def peak(a: Annotated[np.ndarray, dist, partition(Block)]) -> Annotated[float, reduce(largest, 2.0)]:
    most = 0.0
    for i in range(len(a)):
        most = max(most, abs(a[i]))
    return most


@somd
def total(a: Annotated[np.ndarray, dist, partition(Weighted)]) -> Annotated[float, reduce("self")]:
    found = 0.0
    for i in range(len(a)):
        found += a[i]
    return found


@somd
def count(key: Annotated[np.ndarray, dist, partition(ByKey)], bins: shared[np.ndarray]) -> None:
    reveal_type(bins)  # is: ndarray
    with sync(bins, reduce="+"):
        for i in range(len(key)):
            bins[key[i]] += 1


@somd
def sweep(a: Annotated[np.ndarray, dist, partition(halves)], steps: int) -> None:
    for _ in range(steps):
        with sync:
            for i in range(len(a)):
                a[i] *= 0.5
        with single:
            a[0] = 1.0


ones = np.ones(8)
keys = np.arange(8)
reveal_type(smooth)  # is: SomdMethod
smooth(ones, np.ones(8))
reveal_type(cross(np.ones((3, 3)), out=np.ones((3, 3))))  # is: ndarray
reveal_type(dot(ones))  # is: float
reveal_type(norm(ones)[1])  # is: int
reveal_type(peak.sequential(ones))  # is: float
reveal_type(total(a=ones))  # is: float
reveal_type(dot.explain())  # is: Explanation
reveal_type(dot.source("multicore"))  # is: str
with use(target="sequential", workers=2):
    count(keys, np.zeros(8, int))
    sweep(ones, 2)
methods: list[SomdMethod[..., None]] = [smooth, count]
reveal_type(targets()["opencl"])  # is: (str \| None|Union\[.*str, None\])
reveal_type(somd.targets()["opencl"])  # is: (str \| None|Union\[.*str, None\])
with somd.use(workers=2):
    reveal_type(somd(dot.sequential)(ones))  # is: float
