"""What surrounds the compiling of a master."""

from __future__ import annotations

import sys

from somd.compiling.one_at_a_time import CALLS
from somd.runtime.multicore import compilation


def test_numba_may_call_itself_for_each_block_of_a_long_chain() -> None:
    """Its search for what a number was set to last goes up through all the blocks that accesses end; `many_terms` of
    the random programs has such chains."""
    before = sys.getrecursionlimit()
    assert compilation._whole(sys.getrecursionlimit, compilation.master)() >= CALLS
    assert sys.getrecursionlimit() == before
