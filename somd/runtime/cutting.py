"""The partition of an array by its partitioner, checked and laid out for generated code."""

from __future__ import annotations

from typing import Any

import numpy as np

from somd.partitioners import ByKey, validate_partition

Ranges = np.ndarray[Any, np.dtype[np.int64]]


def cut(partitioner: Any, array: np.ndarray[Any, Any], parts: int) -> tuple[Ranges, Ranges]:
    """What `partitioner` makes of `array` for `parts` method instances.

    Returns:
        ranges: int64, shape (m, 2): start and stop of each range, those of one owner together.
        owners: int64, shape (owners + 1,): owner r has the ranges owners[r] up to owners[r + 1].

    Raises:
        SomdRuntimeError: the ranges are not disjoint, in order or covering.
        ValueError: the partitioner refuses the array; keys of `ByKey` are negative.
    """
    if isinstance(partitioner, ByKey) and array.size and array.min() < 0:
        raise ValueError("ByKey: keys that index an array must not be negative")
    made = list(partitioner(array, parts))
    validate_partition(made, len(array), "the partitioned array")
    ranges: list[tuple[int, int]] = []
    owners = [0]
    for part in made:
        own = part if isinstance(part, list) and part and isinstance(part[0], tuple | list) else [part]
        ranges.extend((int(start), int(stop)) for start, stop in own)
        owners.append(len(ranges))
    return np.array(ranges, np.int64).reshape(-1, 2), np.array(owners, np.int64)
