"""What generated OpenCL masters import; nothing else of somd is needed to run them.

The list below is the contract with the code generator, with `reduce_...` for each operator of reductions, and the
methods of `Run` and `Managed`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from somd.language.library import LibraryCall
from somd.language.operators import empty_product
from somd.runtime.blocks import BLOCKS, LANES, copy_blocks, logical_blocks
from somd.runtime.faults import index_error
from somd.runtime.opencl import reductions
from somd.runtime.opencl.arrays import Managed
from somd.runtime.opencl.combining import combine_copies, copies_of, shares_of
from somd.runtime.opencl.cutting import cut, ends_of, evenly, everything, runs_of, with_trips
from somd.runtime.opencl.fault_record import ignored_faults, index_of, new_faults
from somd.runtime.opencl.reductions import (
    first_greatest,
    first_least,
    last_greatest,
    last_least,
    trips,
    trips_between,
    unordered_greatest,
    unordered_least,
)
from somd.runtime.opencl.rows import rows, work_items
from somd.runtime.opencl.scanning import behind, scanned
from somd.runtime.opencl.session import Run
from somd.runtime.opencl.workgroups import folded, tiles

__all__ = [
    "BLOCKS",
    "LANES",
    "behind",
    "called",
    "combine_copies",
    "copied",
    "copies_of",
    "copy_blocks",
    "cut",
    "empty_product",
    "ends_of",
    "evenly",
    "everything",
    "first_greatest",
    "first_least",
    "folded",
    "ignored_faults",
    "index_error",
    "index_of",
    "joined",
    "last_greatest",
    "last_least",
    "logical_blocks",
    "new_faults",
    "raised",
    "rows",
    "runs_of",
    "scanned",
    "shares_of",
    "snapshot",
    "tiles",
    "trips",
    "trips_between",
    "unordered_greatest",
    "unordered_least",
    "with_trips",
    "work_items",
]


def __getattr__(name: str) -> Any:
    return getattr(reductions, name)


def called(run: Run, number: int, *values: Any) -> Any:
    """What a library call gives: of whole arrays, which come to the host for it, and of numbers."""
    call = run.joins[number]
    assert isinstance(call, LibraryCall)
    found = call(*(value.to_host() if isinstance(value, Managed) else value for value in values))
    made = [run.from_host(each) if isinstance(each, np.ndarray) else each for each in found]
    return tuple(made) if call.row[3] else made[0]


def joined(run: Run, number: int, partials: Managed) -> Any:
    """What the function of a fence makes of the copies of a scalar."""
    return run.joins[number](partials.to_host())


def raised(run: Run, site: int, *values: Any) -> BaseException:
    """What the `raise` of a site raises, for its values."""
    numbers = [part for value in values for part in (value if isinstance(value, tuple) else (value,))]
    return run.raises.exception(site, numbers)


def copied(run: Run, array: Managed) -> Managed:
    """A copy of an array, made where its content is."""
    return array.duplicate()


def snapshot(run: Run, array: Managed) -> Managed:
    """A copy of an array, made on the device."""
    if not array.device_valid:
        array.to_device()
    return array.duplicate()
