"""The supplied partitioners: which indexes of a distributed array go to which method instance.

In: the array, cut along its first axis (for another axis, hand in ``np.moveaxis(array, axis, 0)``), and the number of
parts wanted. Out: one entry a part, in rank order. Not here: aligning ranges with a loop's steps (the runtime).

A partitioner is any callable ``(array, parts) -> sequence of (start, stop)``. The supplied ones return no empty part,
so there may be fewer parts than asked for, and one part ``(0, 0)`` for an empty array. Two return more than
ranges: `Cyclic` a *list* of ranges for each part, `BlockBlock` a (rows, columns) pair of ranges for each part.
"""

import math
import operator
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise, product
from typing import TypeAlias

import numpy as np

__all__ = ["Block", "BlockBlock", "ByKey", "Chunked", "Cyclic", "Weighted"]

Range: TypeAlias = tuple[int, int]
Part: TypeAlias = Range | list[Range] | tuple[Range, Range]
Partitioner: TypeAlias = Callable[[np.ndarray, int], Sequence[Part]]


@dataclass(frozen=True)
class Block:
    """Contiguous parts, equal to within one index: what a distributed array gets where nothing else is said.

    >>> Block()(np.zeros(7), 3)
    [(0, 3), (3, 5), (5, 7)]
    """

    def __call__(self, array: np.ndarray, parts: int) -> list[Range]:
        return _blocks(len(array), _parts(parts))


@dataclass(frozen=True)
class BlockBlock:
    """Rectangles over the first two axes: each part is a (rows, columns) pair of ranges, row by row of the grid.

    >>> BlockBlock()(np.zeros((4, 6)), 4)
    [((0, 2), (0, 3)), ((0, 2), (3, 6)), ((2, 4), (0, 3)), ((2, 4), (3, 6))]
    """

    def __call__(self, array: np.ndarray, parts: int) -> list[tuple[Range, Range]]:
        if array.ndim < 2:
            raise ValueError(f"BlockBlock cuts two axes, the array has {array.ndim}")
        rows, columns = self.grid((array.shape[0], array.shape[1]), parts)
        return list(product(rows, columns))

    def grid(self, shape: tuple[int, int], parts: int) -> tuple[list[Range], list[Range]]:
        """The ranges of each axis; the grid is as square as `parts` allows, more parts along the rows' axis.

        Columns are the inner axis: cutting them less keeps inner runs long.
        """
        across = next(n for n in range(math.isqrt(_parts(parts)), 0, -1) if parts % n == 0)
        return _blocks(shape[0], parts // across), _blocks(shape[1], across)


@dataclass(frozen=True)
class Cyclic:
    """Runs of `chunk` indexes dealt out in turn; each part is a list of ranges, in order.

    A target that can step its loops need not list them: part `k` starts at ``k * chunk`` and goes on in steps of
    ``parts * chunk``.

    >>> Cyclic()(np.zeros(5), 2)
    [[(0, 1), (2, 3), (4, 5)], [(1, 2), (3, 4)]]
    """

    chunk: int = 1

    def __post_init__(self) -> None:
        _positive(self.chunk, "Cyclic: chunk")

    def __call__(self, array: np.ndarray, parts: int) -> list[list[Range]]:
        runs = _runs(len(array), self.chunk)
        return [runs[rank :: _parts(parts)] for rank in range(min(parts, len(runs)))]


@dataclass(frozen=True)
class Chunked:
    """More parts than asked for, so that workers that finish early take another: for uneven work.

    Give the indexes in a chunk, ``Chunked(64)``, or let it make `per_part` equal chunks for each part asked for.
    """

    size: int | None = None
    per_part: int = 4

    def __post_init__(self) -> None:
        if self.size is not None:
            _positive(self.size, "Chunked: size")
        _positive(self.per_part, "Chunked: per_part")

    def __call__(self, array: np.ndarray, parts: int) -> list[Range]:
        if self.size is None:
            return _blocks(len(array), _parts(parts) * self.per_part)
        return _runs(len(array), self.size)


@dataclass(frozen=True)
class ByKey:
    """The array holds keys; all occurrences of a key fall into one part, so what a key indexes belongs to one part.

    Keys need not be sorted: any place that no key is found on both sides of is a place to cut, so keys that are merely
    grouped by ranges will do. The cuts nearest to equal parts are taken.

    Raises:
        ValueError: the array is not one-dimensional, or several parts are wanted, there are several keys, and no cut
            keeps each to one part; names a key that returns.

    >>> ByKey()(np.array([0, 0, 0, 1, 2, 2]), 2)
    [(0, 3), (3, 6)]
    """

    def __call__(self, array: np.ndarray, parts: int) -> list[Range]:
        return _between(self.cuts(array, parts), len(array))

    def cuts(self, array: np.ndarray, parts: int) -> np.ndarray:
        """The places between parts, in order."""
        keys, nowhere = np.asarray(array), np.empty(0, np.intp)
        if keys.ndim != 1:
            raise ValueError(f"ByKey needs a one-dimensional array of keys, got {keys.ndim} dimensions")
        if _parts(parts) == 1 or len(keys) < 2:
            return nowhere
        if np.all(keys[:-1] <= keys[1:]):
            return _sorted_cuts(keys, parts)
        cuts = _ordered_cuts(keys)
        if len(cuts) < parts - 1:
            cuts = _all_cuts(keys)
        if len(cuts) == 0:
            _refuse_returning_key(keys)
            return nowhere
        nearest: np.ndarray = cuts[_nearest(cuts, _targets(len(keys), parts))]
        return nearest


def _sorted_cuts(keys: np.ndarray, parts: int) -> np.ndarray:
    """The boundaries of runs of equal keys that are nearest to equal parts, for keys in ascending order."""
    starts = np.flatnonzero(keys[1:] != keys[:-1]) + 1
    if len(starts) < parts:
        return starts
    targets = _targets(len(keys), parts).astype(np.int64)
    wanted = keys[np.minimum(targets, len(keys) - 1)]
    low, high = np.searchsorted(keys, wanted, "left"), np.searchsorted(keys, wanted, "right")
    nearest = np.where(targets - low <= high - targets, low, high)
    inside = (low > 0) & (high < len(keys))  # else only the other end of the run is a place to cut
    nearest = np.where(inside, nearest, np.where(low > 0, low, high))
    return distinct(nearest[(nearest > 0) & (nearest < len(keys))])


def distinct(values: np.ndarray) -> np.ndarray:
    """The values in order, each once; quick where they are in order already."""
    values = np.sort(values, kind="stable")
    found: np.ndarray = values[np.concatenate([np.ones(min(1, len(values)), bool), values[1:] != values[:-1]])]
    return found


@dataclass(frozen=True, eq=False)
class Weighted:
    """Contiguous parts of about equal cost. No part costs more than its fair share and the dearest index together.

    `costs` has one non-negative number for each index, such as a row's length, or is a function from the array to such
    numbers; where it is left out the array itself holds the costs.

    Raises:
        ValueError: costs of the wrong length, negative or not finite.

    >>> Weighted([5, 1, 1, 1, 1, 1])(np.zeros(6), 2)
    [(0, 1), (1, 6)]
    """

    costs: Sequence[float] | np.ndarray | Callable[[np.ndarray], np.ndarray] | None = None

    def __call__(self, array: np.ndarray, parts: int) -> list[Range]:
        given = array if self.costs is None else self.costs
        costs = np.asarray(given(array) if callable(given) else given, dtype=np.float64)
        if costs.shape != (len(array),):
            raise ValueError(f"Weighted: {len(array)} indexes, but the costs have shape {costs.shape}")
        if not np.all(np.isfinite(costs)) or np.any(costs < 0):
            raise ValueError("Weighted: costs must be finite and not negative")
        spent = np.concatenate(([0.0], np.cumsum(costs)))
        if not 0 < spent[-1] < math.inf:
            return _blocks(len(array), _parts(parts))
        return _between(_nearest(spent, _targets(float(spent[-1]), _parts(parts))), len(array))


def validate_partition(ranges: Iterable[object], length: int, name: str) -> None:
    """Check that what a partitioner returned for the array `name` is disjoint, in order and covers ``range(length)``.

    A part is a (start, stop), or a list of them in order, as `Cyclic` returns; empty ranges are allowed. The pairs
    of `BlockBlock` are not meant here: check each axis of its `grid`.

    Raises:
        SomdRuntimeError: says what is wrong and where.
    """
    found: list[Range] = []
    dealt = False
    for part in ranges:
        many = isinstance(part, list) and all(isinstance(entry, tuple | list) for entry in part)
        own = [_range(entry, name) for entry in (part if isinstance(part, list) and many else [part])]
        for before, after in pairwise(own):
            if after[0] < before[1]:
                raise _wrong(name, f"{after} comes after {before} in one part, but starts before its end")
        dealt |= many
        found.extend(own)
    position = 0
    for start, stop in sorted(found) if dealt else found:
        if start == stop and 0 <= start <= length:
            continue
        if not 0 <= start < stop <= length:
            raise _wrong(name, f"{(start, stop)} does not lie inside 0..{length}")
        if start > position:
            raise _wrong(name, f"no part has the indexes {position}..{start - 1}")
        if start < position:
            raise _wrong(name, f"{(start, stop)} is out of order or overlaps what comes before it, up to {position}")
        position = stop
    if position < length:
        raise _wrong(name, f"no part has the indexes {position}..{length - 1}")


def _wrong(name: str, what: str) -> Exception:
    from somd.errors import SomdRuntimeError

    return SomdRuntimeError(f"the partitioner of '{name}' is wrong: {what}")


def _range(entry: object, name: str) -> Range:
    try:
        start, stop = entry  # type: ignore[misc]  # asking is the test
        return operator.index(start), operator.index(stop)  # type: ignore[has-type]
    except (TypeError, ValueError):
        raise _wrong(name, f"expected (start, stop) in whole numbers, got {entry!r}") from None


def _positive(value: int, what: str) -> int:
    if isinstance(value, bool) or operator.index(value) < 1:
        raise ValueError(f"{what} must be 1 or more, got {value!r}")
    return value


def _parts(parts: int) -> int:
    return _positive(parts, "the number of parts")


def _blocks(length: int, parts: int) -> list[Range]:
    parts = max(1, min(parts, length))
    size, longer = divmod(length, parts)
    return list(pairwise(rank * size + min(rank, longer) for rank in range(parts + 1)))


def _runs(length: int, size: int) -> list[Range]:
    return [(start, min(start + size, length)) for start in range(0, max(length, 1), size)]


def _targets(total: float, parts: int) -> np.ndarray:
    """Where the cuts would be if any place could be cut."""
    return np.arange(1, parts) * (total / parts)


def _nearest(sorted_values: np.ndarray, targets: np.ndarray) -> np.ndarray:
    """The index of the value nearest to each target; the lower of two equally near."""
    above = np.searchsorted(sorted_values, targets).clip(0, len(sorted_values) - 1)
    below = (above - 1).clip(0)
    nearer_below = targets - sorted_values[below] <= sorted_values[above] - targets
    return np.where(nearer_below, below, above)


def _between(cuts: np.ndarray, length: int) -> list[Range]:
    ends = sorted({0, length, *(int(cut) for cut in cuts)})
    return list(pairwise(ends)) or [(0, 0)]


def _ordered_cuts(keys: np.ndarray) -> np.ndarray:
    """The places with only smaller keys before them: all there are when keys are sorted, and found in one sweep."""
    if keys.dtype.kind not in "biuf":
        return np.empty(0, dtype=np.intp)
    highest_before = np.maximum.accumulate(keys)[:-1]
    lowest_after = np.minimum.accumulate(keys[::-1])[::-1][1:]
    return np.flatnonzero(highest_before < lowest_after) + 1


def _spans(keys: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """For each key, where it first and last occurs."""
    _, first = np.unique(keys, return_index=True)
    _, last = np.unique(keys[::-1], return_index=True)
    return first, len(keys) - 1 - last


def _all_cuts(keys: np.ndarray) -> np.ndarray:
    """All places that no key is found on both sides of."""
    first, last = _spans(keys)
    across = np.zeros(len(keys) + 1, dtype=np.int64)
    np.add.at(across, first + 1, 1)
    np.add.at(across, last + 1, -1)
    return np.flatnonzero(np.cumsum(across)[1:-1] == 0) + 1


def _refuse_returning_key(keys: np.ndarray) -> None:
    returns = np.flatnonzero(keys[1:] != keys[:-1])
    if len(returns) == 0:
        return
    first, last = _spans(keys)
    widest = int(np.argmax(last - first))
    raise ValueError(
        f"ByKey: key {keys[first[widest]]} returns: it is found at index {first[widest]} and again at {last[widest]}, "
        "with other keys between, and no cut keeps every key in one part; sort or group the array by key"
    )
