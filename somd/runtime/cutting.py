"""The partition of an array by its partitioner, checked and laid out for generated code."""

from __future__ import annotations

from typing import Any

import numpy as np

from somd.language.partitioners import ByKey, distinct, validate_partition

Ranges = np.ndarray[Any, np.dtype[np.int64]]


def cut(partitioner: Any, array: np.ndarray[Any, Any], parts: int, pieces: int = 1) -> tuple[Ranges, Ranges]:
    """What `partitioner` makes of `array` for `parts` method instances.

    With `pieces` above 1 each owner may have about so many ranges where keys allow it (`ByKey`), one after the other.

    Returns:
        ranges: int64, shape (m, 2): start and stop of each range, those of one owner together.
        owners: int64, shape (owners + 1,): owner r has the ranges owners[r] up to owners[r + 1].

    Raises:
        SomdRuntimeError: the ranges are not disjoint, in order or covering.
        ValueError: the partitioner refuses the array; keys of `ByKey` are negative.
    """
    if isinstance(partitioner, ByKey) and array.size and array.min() < 0:
        raise ValueError("ByKey: keys that index an array must not be negative")
    if isinstance(partitioner, ByKey) and pieces > 1:
        finer = _in_pieces(partitioner, array, parts, pieces)
        if finer is not None:
            return finer
    if type(partitioner) is ByKey:  # of many parts, none of them a Python object, and nothing to check
        ends = distinct(np.concatenate([[0], partitioner.cuts(array, parts), [len(array)]])).astype(np.int64)
        ends = ends if len(ends) > 1 else np.zeros(2, np.int64)
        return np.stack([ends[:-1], ends[1:]], axis=1), np.arange(len(ends), dtype=np.int64)
    made = list(partitioner(array, parts))
    validate_partition(made, len(array), "the partitioned array")
    ranges: list[tuple[int, int]] = []
    owners = [0]
    for part in made:
        own = part if isinstance(part, list) and part and isinstance(part[0], tuple | list) else [part]
        ranges.extend((int(start), int(stop)) for start, stop in own)
        owners.append(len(ranges))
    return np.array(ranges, np.int64).reshape(-1, 2), np.array(owners, np.int64)


def hulls(partitioner: Any, keys: np.ndarray[Any, Any], ranges: Ranges, owners: Ranges, ranks: int) -> Ranges:
    """For each of so many ranks, which have even shares of the owners of a `ByKey` partition: its first trip, the one
    behind its last, its least and its greatest key. No rows where keys of one lie between those of another.

    >>> keys = np.array([0, 0, 1, 4, 4])
    >>> hulls(ByKey(), keys, *cut(ByKey(), keys, 2), 2)
    array([[0, 2, 0, 0],
           [2, 5, 1, 4]])
    """
    none = np.zeros((0, 4), np.int64)
    if not isinstance(partitioner, ByKey) or ranks == 1:
        return none
    found = np.zeros((ranks, 4), np.int64)
    share, rest = divmod(len(owners) - 1, ranks)
    first = 0
    for rank in range(ranks):
        last = first + share + (rank < rest)
        if first < last and owners[first] < owners[last]:
            begin, end = ranges[owners[first], 0], ranges[owners[last] - 1, 1]
            part = keys[begin:end]
            found[rank] = (begin, end, part.min(), part.max()) if begin < end else 0
        first = last
    some = found[found[:, 0] < found[:, 1]]
    some = some[np.argsort(some[:, 2])]
    return found if (some[:-1, 3] < some[1:, 2]).all() else none


def _in_pieces(
    partitioner: ByKey, array: np.ndarray[Any, Any], parts: int, pieces: int
) -> tuple[Ranges, Ranges] | None:
    """`parts` owners of about `pieces` ranges each; None where the keys allow no more than one an owner."""
    try:
        made = partitioner(array, parts * pieces)
    except ValueError:
        made = []
    if len(made) <= parts:
        return None
    validate_partition(made, len(array), "the partitioned array")
    return np.array(made, np.int64), np.arange(parts + 1) * len(made) // parts


def evenly(start: int, stop: int, step: int, parts: int) -> tuple[Ranges, Ranges]:
    """Ranges and owners of `range(start, stop, step)` cut into `parts` even parts, fewer where it has fewer values; one
    empty part where it has none. The values of a range are those from its start up to its stop, by `step`."""
    count = len(range(start, stop, step))
    owners = max(1, min(parts, count))
    share, rest = divmod(count, owners)
    cuts = np.arange(owners + 1) * share + np.minimum(np.arange(owners + 1), rest)
    bounds = start + cuts * step
    return np.stack([bounds[:-1], bounds[1:]], axis=1).astype(np.int64), np.arange(owners + 1, dtype=np.int64)


def with_trips(ranges: Ranges, owners: Ranges, start: int, stop: int, step: int) -> tuple[Ranges, Ranges]:
    """The ranges and owners of a partition that have values of `range(start, stop, step)`, for a positive step.

    One owner of an empty range where none has.
    """
    low, high = ranges[:, 0], np.minimum(ranges[:, 1], stop)
    first = start + np.maximum(0, -((start - low) // step)) * step
    kept = first < high
    mine = np.repeat(np.arange(len(owners) - 1), np.diff(owners))[kept]
    counts = np.bincount(mine, minlength=1)
    if not len(mine):
        return np.array([[start, start]], np.int64), np.array([0, 1], np.int64)
    return ranges[kept], np.concatenate([[0], np.cumsum(counts[counts > 0])]).astype(np.int64)
