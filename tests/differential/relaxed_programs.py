"""Methods with relaxed blocks, each with its arguments. What they give depends on the number of MIs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Annotated, Any

import numpy as np

from somd import Chunked, Cyclic, Weighted, dim, dist, partition, reduce, single, somd, sync, view
from tests.language.program import SHAPES, SIZES, fortran, numbers, reverse, spaced

Case = tuple[Any, ...]
RELAXED: list[tuple[Any, Callable[[], Sequence[Case]]]] = []


def relaxed(cases: Callable[[], Sequence[Case]]) -> Callable[[Any], Any]:
    def enter(method: Any) -> Any:
        RELAXED.append((method, cases))
        return method

    return enter


def lines() -> list[Case]:
    return [(numbers(n),) for n in SIZES]


def layouts() -> list[Case]:
    return [(numbers(40, dtype=np.float32),), (spaced(numbers(41)),), (reverse(numbers(42)),)]


def planes() -> list[Case]:
    return [*((numbers(*shape), 3) for shape in SHAPES), (fortran(numbers(9, 8)), 2)]


def whole_numbers() -> list[Case]:
    return [(numbers(n, dtype=t),) for n in (2, 29) for t in (np.int8, np.uint64)]


def indexed() -> list[Case]:
    return [(numbers(n), numbers(n, dtype=np.int64, low=-n, high=n - 1)) for n in SIZES if n]


@relaxed(planes)
@somd
def gauss_seidel(G: dist[np.ndarray], steps: int) -> None:
    for _ in range(steps):
        with sync(relaxed=True):
            for i in range(1, G.shape[0] - 1):
                for j in range(1, G.shape[1] - 1):
                    G[i, j] = 0.25 * (G[i - 1, j] + G[i + 1, j] + G[i, j - 1] + G[i, j + 1])


@relaxed(lambda: [(numbers(*shape, dtype=t), 2) for t in (float, np.int64) for shape in ((3, 4), (17, 9))])
@somd
def listing_11(
    G: Annotated[np.ndarray, dist, view((1, 1), (1, 1))], num_iterations: int
) -> Annotated[float, reduce("+")]:
    """The paper's, which is refused as printed."""
    a_constant = 0.5
    total = 0.0
    for _p in range(num_iterations):
        with sync(relaxed=True):
            for i in range(1, G.shape[0] - 1):
                for j in range(1, G.shape[1] - 1):
                    G[i, j] = G[i - 1, j] + G[i + 1, j] + G[i, j - 1] + G[i, j + 1] + a_constant * G[i, j]
    for i in range(1, G.shape[0] - 1):
        for j in range(1, G.shape[1] - 1):
            total += G[i, j]
    return total


@relaxed(lambda: [*lines(), *layouts()])
@somd
def both_sides(a: dist[np.ndarray]) -> None:
    with sync(relaxed=True):
        for i in range(1, len(a) - 1):
            a[i] = (a[i - 1] + a[i + 1]) * 0.5


@relaxed(lines)
@somd
def far_and_near(a: dist[np.ndarray]) -> None:
    with sync(relaxed=True):
        for i in range(5, len(a) - 2):
            a[i] = a[i - 5] - a[i - 1] + a[i + 2]


@relaxed(lines)
@somd
def backwards(a: dist[np.ndarray]) -> None:
    with sync(relaxed=True):
        for i in range(len(a) - 3, 0, -1):
            a[i] = a[i + 2] + a[i - 1] * 0.25


@relaxed(lines)
@somd
def in_pairs(a: dist[np.ndarray]) -> None:
    with sync(relaxed=True):
        for i in range(2, len(a) - 1, 2):
            a[i] = a[i - 1] * 0.5 + a[i - 2]
            a[i + 1] = a[i] - a[i - 1]


@relaxed(lines)
@somd
def in_threes_backwards(a: dist[np.ndarray]) -> None:
    with sync(relaxed=True):
        for i in range(len(a) - 2, 3, -3):
            a[i + 1] = a[i - 3] * 0.5 + a[i]
            a[i - 1] = a[i - 2] - a[i - 4]


@relaxed(lines)
@somd
def around_the_end(a: dist[np.ndarray]) -> None:
    with sync(relaxed=True):
        for i in range(len(a)):
            a[i] = a[i] * 0.5 + a[i - 1]


@relaxed(lines)
@somd
def mirrored(a: dist[np.ndarray]) -> None:
    with sync(relaxed=True):
        for i in range(len(a)):
            a[i] = a[i] + a[len(a) - 1 - i]


@relaxed(indexed)
@somd
def through_an_index(a: dist[np.ndarray], at: np.ndarray) -> None:
    with sync(relaxed=True):
        for i in range(len(a)):
            a[i] = a[at[i]] * 0.5 + (a[at[at[i]]] if a[i] > 0 else 1.0)


@relaxed(indexed)
@somd
def under_conditions(a: dist[np.ndarray], at: np.ndarray) -> None:
    with sync(relaxed=True):
        for i in range(1, len(a)):
            if a[i - 1] > 0 and a[at[i]] > 0:
                continue
            k = 0
            while k < 3 and a[i - 1] < 5:
                a[i] += a[i - 1] + 1
                k += 1


@relaxed(whole_numbers)
@somd
def integers(a: dist[np.ndarray]) -> None:
    with sync(relaxed=True):
        for i in range(1, len(a)):
            a[i] += a[i - 1]


@relaxed(lambda: [(numbers(n), numbers(n, seed=1), 2) for n in SIZES])
@somd
def two_loops(a: dist[np.ndarray], b: dist[np.ndarray], steps: int) -> None:
    with sync(relaxed=True):
        for p in range(steps):
            for i in range(1, len(a)):
                a[i] = a[i - 1] * 0.5 + b[i]
            for i in range(2 + p, len(b)):
                b[i] = b[i - 1] - a[i - 2]


@relaxed(lambda: [(numbers(n), 3) for n in SIZES if n])
@somd
def boundary_in_the_block(a: dist[np.ndarray], steps: int) -> None:
    for p in range(steps):
        with sync(relaxed=True):
            a[0] = p + 0.5
            for i in range(1, len(a)):
                a[i] = a[i - 1] * 0.5


@relaxed(lambda: [(numbers(n), numbers(n, seed=1), 3) for n in SIZES])
@somd
def exchanged_between_blocks(a: dist[np.ndarray], b: dist[np.ndarray], steps: int) -> np.ndarray:
    for _ in range(steps):
        with sync(relaxed=True):
            for i in range(1, len(a)):
                b[i] = b[i - 1] * 0.5 + a[i]
        a, b = b, a
    return a


@relaxed(lambda: [(numbers(n), k) for n in SIZES for k in (0, 1, 4)])
@somd
def first_iteration_given(a: dist[np.ndarray], first: int) -> None:
    with sync(relaxed=True):
        for i in range(first, len(a) - 1):
            a[i] = a[i - 1] + a[i + 1]


@relaxed(lambda: [(numbers(n), k) for n in SIZES if n > 2 for k in (0, 1, 2)])
@somd
def written_before_the_first(a: dist[np.ndarray], first: int) -> None:
    with sync(relaxed=True):
        for i in range(first, len(a)):
            a[i - 1] = a[i] * 0.5 + a[i - 2]


@relaxed(lambda: [(numbers(*shape),) for shape in SHAPES])
@somd
def along_columns(G: Annotated[np.ndarray, dist, dim(1)]) -> None:
    with sync(relaxed=True):
        for j in range(1, G.shape[1]):
            for i in range(G.shape[0]):
                G[i, j] = G[i, j - 1] * 0.5 + G[i, j]


@relaxed(lambda: [(numbers(*shape),) for shape in SHAPES])
@somd
def grid_wanted(G: Annotated[np.ndarray, dist, dim(0, 1)]) -> None:
    with sync(relaxed=True):
        for i in range(1, G.shape[0]):
            for j in range(G.shape[1]):
                G[i, j] = G[i - 1, j] * 0.5


@relaxed(lambda: [(numbers(n, 4, 5),) for n in (1, 2, 9)])
@somd
def solid(G: dist[np.ndarray]) -> None:
    with sync(relaxed=True):
        for i in range(1, G.shape[0] - 1):
            for j in range(1, G.shape[1] - 1):
                for k in range(G.shape[2]):
                    G[i, j, k] = G[i - 1, j, k] + G[i + 1, j - 1, k] * 0.5


@relaxed(lambda: [(numbers(n),) for n in SIZES if n > 2])
@somd
def with_a_sum(a: dist[np.ndarray]) -> float:
    change = 1.0
    with sync(relaxed=True):
        for i in range(1, len(a) - 1):
            new = (a[i - 1] + a[i + 1]) * 0.5
            change += abs(new - a[i])
            a[i] = new
    return change


@relaxed(lambda: [case for case in planes() if min(case[0].shape) > 2])
@somd
def until_it_stands(G: dist[np.ndarray], steps: int) -> float:
    greatest = 0.0
    turn = 0
    go = True
    while go:
        greatest = 0.0
        with sync(greatest, reduce="max", relaxed=True):
            for i in range(1, G.shape[0] - 1):
                for j in range(1, G.shape[1] - 1):
                    new = 0.25 * (G[i - 1, j] + G[i + 1, j] + G[i, j - 1] + G[i, j + 1])
                    greatest = max(greatest, abs(new - G[i, j]))
                    G[i, j] = new
        turn += 1
        go = greatest > 0.5 and turn < steps
    return greatest


@relaxed(lines)
@somd
def inner_block(a: dist[np.ndarray]) -> None:
    with sync(relaxed=True):
        for i in range(1, len(a)):
            a[i] = a[i - 1] * 0.5
        with sync(relaxed=True):
            for i in range(len(a) - 2, -1, -1):
                a[i] = a[i + 1] * 0.5
        with single:
            for i in range(1, len(a)):
                a[i] += a[i - 1]
        for i in range(1, len(a)):
            a[i] = a[i - 1] - a[i]


@somd
def sweep(x: dist[np.ndarray], factor: float) -> None:
    with sync(relaxed=True):
        for i in range(1, len(x)):
            x[i] += x[i - 1] * factor


@relaxed(lambda: [(numbers(n), numbers(n, seed=2)) for n in SIZES])
@somd
def nested(a: dist[np.ndarray], a_before: dist[np.ndarray]) -> None:
    sweep(a, 0.5)
    with sync(relaxed=True):
        sweep(a_before, 0.25)
        for i in range(1, len(a)):
            a[i] += a[i - 1] * a_before[i]


@relaxed(lambda: [(x, x) for x in map(numbers, SIZES)])
@somd
def one_array_twice(a: dist[np.ndarray], b: dist[np.ndarray]) -> None:
    with sync(relaxed=True):
        for i in range(1, min(len(a), len(b))):
            a[i] = b[i - 1] * 0.5 + a[i]


@relaxed(lines)
@somd
def by_cyclic_parts(a: Annotated[np.ndarray, dist, partition(Cyclic(3))]) -> None:
    with sync(relaxed=True):
        for i in range(2, len(a) - 1):
            a[i] = a[i - 1] * 0.5 + a[i + 1] - a[i - 2]


@relaxed(lines)
@somd
def by_chunks(a: Annotated[np.ndarray, dist, partition(Chunked(4))]) -> None:
    with sync(relaxed=True):
        for i in range(0, len(a) - 1, 2):
            a[i] = a[i - 2] * 0.5 + a[i + 1] - a[len(a) - 1 - i]


@relaxed(lambda: [(numbers(n, low=1, high=9), numbers(n)) for n in SIZES])
@somd
def by_weight(cost: Annotated[np.ndarray, dist, partition(Weighted)], a: dist[np.ndarray]) -> None:
    with sync(relaxed=True):
        for i in range(1, len(a)):
            a[i] = a[i - 1] * 0.5 + cost[i]
