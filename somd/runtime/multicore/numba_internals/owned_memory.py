"""Memory of Python's objects that native code takes over: Numba's records of who owns the elements of an array."""

from __future__ import annotations

from typing import Any

from numba.core.runtime import _nrt_python as _runtime  # type: ignore[attr-defined,unused-ignore]

_record: Any = _runtime.meminfo_new


def owned_by(owner: object, address: int) -> int:
    """The address of a new record that keeps `owner`, whose memory is at `address`, until the array of native code that
    gets the record is gone."""
    made: int = _record(address, owner)
    return made
