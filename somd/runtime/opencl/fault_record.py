"""Faults noted by kernels. A record is five longs: a lock, the lowest failing iteration, its site, index and length."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from somd.runtime.faults import index_error
from somd.runtime.opencl.arrays import Managed
from somd.runtime.opencl.session import Run

_NONE = (0, np.iinfo(np.int64).max, 0, 0, 0)

Site = tuple[str, int, str, int, str]


def new_faults(run: Run) -> Managed:
    """An empty record for the kernels of a call."""
    return Managed.of(run.context, np.array(_NONE, np.int64))


def raise_fault(faults: Managed, sites: Mapping[int, Site]) -> None:
    """Wait for the kernel that may have noted a fault.

    Raises:
        IndexError: it has; the message is that of the lowest failing iteration.
    """
    _, iteration, site, index, _ = (int(value) for value in faults.to_host())
    if iteration != _NONE[1]:
        raise index_error(sites[site], index)


def index_of(index: Any, length: int, site: Site) -> Any:
    """`index` of the master's, if it lies in an axis of `length` elements; negative ones count from the end.

    Raises:
        IndexError: it does not.
    """
    if not -length <= index < length:
        raise index_error(site, int(index))
    return index
