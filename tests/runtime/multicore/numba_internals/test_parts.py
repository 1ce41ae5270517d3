"""Slaves, bodies of regions and crews become machine code beside Numba, whoever makes it."""

import threading
from collections.abc import Callable
from typing import Any, cast

import numba
import numpy as np
import pytest
from numba import prange, types
from numba.core.registry import cpu_target

from somd.runtime.multicore import compilation, slave_range
from somd.runtime.multicore.numba_internals import libraries, parts
from somd.runtime.multicore.numba_internals.regions import load_layer

GIVEN: Any = (types.float64[::1], types.int64, types.int64)
#: Numba 0.61 makes machine code by itself alone
with_parts = pytest.mark.skipif(
    numba.config.NUMBA_NUM_THREADS < 2 or not parts._possible(cpu_target.target_context.codegen()),
    reason="no thread beside Numba's, or a Numba whose code is not taken apart",
)


def master_of_turns() -> Any:
    """A master with a crew, of which nothing is compiled yet."""

    @compilation.slave
    def raised(lo: int, hi: int, a: Any) -> None:
        for i in range(lo, hi):
            if a[i] > 40.0:
                raise IndexError(7)
            a[i] += i

    @compilation.master
    def turns(a: Any, n: int, n_slaves: int) -> None:
        for _turn in range(n):
            for rank in prange(n_slaves):
                lo, hi = slave_range(0, len(a), 1, rank, n_slaves)
                raised(lo, hi, a)

    made: Any = turns
    made._cache.disable()
    return made


def code_of(master: Any) -> list[bytes]:
    found: list[bytes] = master.overloads[GIVEN].library.code_of_parts()
    return found


def nobody(*given: object) -> None:
    raise RuntimeError("can't start new thread")


def as_it_comes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is changed."""


def without_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parts, "_start", nobody)


def in_a_child(monkeypatch: pytest.MonkeyPatch) -> None:
    """A process is forked when a worker is at each part, which then is nobody's in the child."""

    def part_of(*given: Any) -> Any:
        current = parts._current
        part = parts.part_of(*given)
        assert part is not None
        part._lock.acquire()
        parts._in_child()
        parts._current = current
        return part

    monkeypatch.setattr(parts.Workers, "take", lambda *_: None)
    monkeypatch.setattr(libraries, "part_of", part_of)


@with_parts
@pytest.mark.parametrize("way", [as_it_comes, without_threads, in_a_child])
def test_parts_are_made_by_whoever_can(
    monkeypatch: pytest.MonkeyPatch, way: Callable[[pytest.MonkeyPatch], None]
) -> None:
    way(monkeypatch)
    load_layer()
    master = master_of_turns()
    master.compile(GIVEN)
    assert len(code_of(master)) >= 3  # the slave, the region, the master behind it, and the crew if it is not kept
    a = np.zeros(5000)
    master(a[:9], 3, 2)
    assert a[:10].tolist() == [0, 3, 6, 9, 12, 15, 18, 21, 24, 0]
    with pytest.raises(IndexError) as raised:
        master(a, 5, 2)
    assert raised.value.args == (7,)
    assert not any(thread.name == "somd-llvm" for thread in threading.enumerate())


def test_the_longest_part_is_made_first_and_one_that_fails_stops_no_other() -> None:
    begun: list[int] = []

    class OfLength:
        def __init__(self, length: int) -> None:
            self.length = length

        def make(self) -> None:
            begun.append(self.length)
            if self.length == 7:
                raise MemoryError

    made = parts.Workers(0)
    for length in (3, 7, 5):
        made.take(cast(Any, OfLength(length)))
    made.work()
    made.work()
    assert begun == [7, 5, 3]


def test_with_one_thread_there_are_no_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(numba.config, "NUMBA_NUM_THREADS", 1)
    load_layer()
    master = master_of_turns()
    master.compile(GIVEN)
    assert len(code_of(master)) <= 1  # the crew, if it is kept from before
    a = np.zeros(9)
    master(a, 3, 1)
    assert a.tolist() == [0, 3, 6, 9, 12, 15, 18, 21, 24]


@with_parts
def test_a_part_that_a_worker_could_not_make_is_made_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    real, failed = parts._unlocked, []

    def fails_once(name: str) -> Any:
        def run(*given: Any) -> Any:
            if threading.current_thread().name == "somd-llvm":
                failed.append(name)
                raise MemoryError
            return real(name)(*given)

        return run

    monkeypatch.setattr(parts, "_unlocked", fails_once)
    load_layer()
    master = master_of_turns()
    master.compile(GIVEN)
    a = np.zeros(9)
    master(a, 3, 2)
    assert a.tolist() == [0, 3, 6, 9, 12, 15, 18, 21, 24]
    assert failed


@with_parts
def test_what_parts_know_of_python_is_kept_with_their_code() -> None:
    """Else exceptions with arguments come out of code from the cache as another one."""
    load_layer()
    master = master_of_turns()
    master.compile(GIVEN)
    library = master.overloads[GIVEN].library
    own = {variable.name for variable in library._final_module.global_variables}
    of_parts = {name for part in library._parts for name in part.variables}
    assert any(environment.env_name in of_parts - own for environment in library.environments())
