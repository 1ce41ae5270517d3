"""What surrounds the compiling of a master."""

from __future__ import annotations

import sys
from typing import Any

import pytest
from numba import types

from somd.compiling.one_at_a_time import CALLS
from somd.runtime.multicore import compilation


def test_numba_may_call_itself_for_each_block_of_a_long_chain() -> None:
    """Its search for what a number was set to last goes up through all the blocks that accesses end; `many_terms` of
    the random programs has such chains."""
    before = sys.getrecursionlimit()
    assert compilation._whole(sys.getrecursionlimit, compilation.master)() >= CALLS
    assert sys.getrecursionlimit() == before


@compilation.helper
def twice(x: int) -> int:
    return 2 * x


@compilation.slave
def doubled(lo: int, hi: int, a: Any) -> None:
    for i in range(lo, hi):
        a[i] = twice(a[i])


@compilation.master
def doubles(a: Any, n_slaves: int) -> None:
    doubled(0, len(a), a)
    doubled(n_slaves, len(a), a)


def test_a_slave_is_one_function_of_machine_code_and_a_helper_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    given: Any = (types.int64[::1], types.int64)
    master: Any = doubles
    monkeypatch.setattr(master._cache, "load_overload", lambda *_: None)  # cached code has no text
    master.compile(given)
    library = master.overloads[given].library
    text = library.get_llvm_str().splitlines()
    assert sum(" call " in line and "doubled" in line for line in text) == 2
    defined = [line for line in text if line.startswith("define")]
    if not library.code_of_parts():  # one thread: all is one module
        assert sum("doubled" in line for line in defined) == 1
    assert not any("twice" in line for line in defined)
