"""Knows whether OpenCL was in use when this process was forked.

Drivers have threads of their own, which a forked child lacks: it would wait for them for ever. So a child gets an
error, and what the parent held is never released there, for that, too, would enter the driver.
"""

from __future__ import annotations

import ctypes
import os

from somd.runtime.opencl.failures import forked

_used = False
_inherited = False
_kept: list[object] = []


def mark_used() -> None:
    """Notes that this process has woken the drivers."""
    global _used
    _used = True


def keep_in_child(value: object) -> None:
    """A driver object that lives as long as the process, and must not be released by a forked child."""
    _kept.append(value)


def check() -> None:
    """Raises a SomdRuntimeError in a process forked after OpenCL was first used."""
    if _inherited:
        raise forked()


def _after_fork() -> None:
    global _inherited
    if _used:
        _inherited = True
        for value in _kept:
            ctypes.pythonapi.Py_IncRef(ctypes.py_object(value))


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
