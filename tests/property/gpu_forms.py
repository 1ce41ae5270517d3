"""The forms that kernels have on GPUs, on CPUs: groups that bring in tiles of local memory, update atomically and make
terms together, rows of global memory element by element, and loads ahead of what is added.

Intel's compiler for CPUs adds up floats of a loop that is unrolled for loads ahead in another association, whatever
the loop's pragmas say: a difference in the last digits of a sum counts where PoCL shows it, or where AHEAD is not set.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from unittest.mock import patch

#: groups for each compute unit that update atomically, and work-items in one; bytes of loads ahead
GROUPS, AHEAD = (3, 64), 64
#: bytes of a unit by which what is fetched early lies ahead
PREFETCHED = 64


@contextmanager
def gpu_forms() -> Iterator[None]:
    """A block in which kernels have these forms on every device."""
    from somd.runtime.opencl import combining, cutting, programs, rows, workgroups

    kinds = ("gpu", "cpu", "simulator")
    with ExitStack() as stack:
        stack.enter_context(patch.object(workgroups, "KINDS_WITH_TILES", kinds))
        stack.enter_context(patch.object(cutting, "KINDS_WITH_RUNS", kinds))
        stack.enter_context(patch.object(rows, "INTERLEAVED", kinds))
        stack.enter_context(patch.dict(combining.ATOMIC, cpu=GROUPS))
        stack.enter_context(patch.dict(programs.AHEAD, cpu=AHEAD))
        stack.enter_context(patch.dict(programs.PREFETCHED, cpu=PREFETCHED))
        yield
