"""Numba's threading layer: how it waits, how many of its threads a call may use, and what becomes of it in a fork.

The layer is loaded once in a process. All calls share one budget of threads, `NUMBA_NUM_THREADS`: a call that finds
others running takes what they leave, and at least the thread that it was made on. What a method computes does not
depend on that, since the number of MIs does not.
"""

from __future__ import annotations

import ctypes
import importlib
import os
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any
from weakref import ref

import numba as _numba
from llvmlite import binding as _binding
from numba.np.ufunc import parallel as _parallel

from somd.runtime.multicore.small_work import MEASURED, divide_from

binding: Any = _binding
numba: Any = _numba
parallel: Any = _parallel

#: how often a thread of GNU OpenMP looks for work before it sleeps: for about as long as waking it takes. Left to
#: itself it looks for milliseconds, and keeps threads that have work from their cores
SPINS = "1000"
#: the symbol of the word that tells machine code whether threads may be kept in a region (see `crews`)
CREWS = "somd_crews"
_crews = ctypes.c_int64(0)
binding.add_symbol(CREWS, ctypes.addressof(_crews))
#: seconds for which a process that forks waits for calls of other threads
REST = 0.25
_POOLS = {"omp": "omppool", "tbb": "tbbpool", "workqueue": "workqueue"}
_SOFT = 1
_ident = threading.get_ident


class Taken:
    """What a call has: so many threads, where `before` could be used. It goes with the call, however that ends."""

    __slots__ = ("__weakref__", "before", "threads")

    def __init__(self, before: int) -> None:
        self.before, self.threads = before, 1


class Layer:
    """The threads of the loaded threading layer, and which of them are taken."""

    def __init__(self, name: str) -> None:
        self.name = name
        self._pool: Any = importlib.import_module(f"numba.np.ufunc.{_POOLS[name]}")
        # called with Python's lock held, which is quicker, for they return at once
        self._mask: Any = ctypes.PYFUNCTYPE(ctypes.c_int)(self._pool.get_num_threads)
        self._set_mask: Any = ctypes.PYFUNCTYPE(None, ctypes.c_int)(self._pool.set_num_threads)
        #: for machine code (see `native_call`): the threads that a call made there has; the limit of all; what the
        #: last call asked for as the bound on small work, -1 for what was measured
        self._words: Any = (ctypes.c_int64 * 3)(0, numba.config.NUMBA_NUM_THREADS, -1)
        #: the calls that run, by identity: each with its thread, and how many that had to use before
        self._taken: dict[int, tuple[ref[Taken], int, int]] = {}
        self._lock = threading.RLock()
        self._known: Any = threading._active  # type: ignore[attr-defined]  # the threads that Python started, by ident
        self._libgomp = _libgomp() if name == "omp" else None
        # the thread of a call works in its regions, too; with `workqueue` it waits for others
        _crews.value = name != "workqueue"
        divide_from(MEASURED[name])
        self._loader = threading.get_ident()
        #: whether a child that is being forked may use threads
        self._forks_well = True
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(
                before=self._before_fork, after_in_parent=self._in_parent, after_in_child=self._in_child
            )

    def enter(self, workers: int) -> Taken:
        """Take threads for a call with so many workers; to be handed to `leave`, whatever becomes of the call.

        One thread, that of the call itself, where others have taken the rest, and in a thread of another library, which
        has threads of its own at work. `workqueue` has room for one call with several.
        """
        found: int = self._mask()
        made = Taken(found)
        ident, taken = _ident(), self._taken
        with self._lock:
            taken[id(made)] = ref(made), ident, found  # before it looks, so that no call in machine code begins after
            native, threads, _ = self._words
            if native or len(taken) > 1:
                others = self._others(made, ident)
                if native:
                    others.append(native)
                if others:
                    threads = 1 if self.name == "workqueue" and max(others) > 1 else threads - sum(others)
                taken[id(made)] = ref(made), ident, made.before
            if workers < threads:
                threads = workers
            if threads < 1 or ident not in self._known:
                threads = 1
            made.threads = threads
        if found != threads:
            self._set_mask(threads)
        return made

    def _others(self, made: Taken, ident: int) -> list[int]:
        """The threads that calls have. Calls that a signal's handler ended on their way out are forgotten; what they
        should have restored in this thread, `made` will."""
        found: list[int] = []
        lost: list[int] = []
        for key, (call, thread, before) in list(self._taken.items()):
            other = call()
            if other is made:
                continue
            if other is not None:
                found.append(other.threads)
                continue
            self._taken.pop(key, None)  # unless its thread has just handed them back
            lost += [before] if thread == ident else []
        made.before = (*lost, made.before)[0]
        return found

    def divide(self, small_work: int | None) -> None:
        """Let phases of fewer operations than this be run by one MI; for None as measured. It holds for the process:
        calls of other threads may be divided by it, too, and compute the same."""
        asked = -1 if small_work is None else small_work
        if asked != self._words[2]:
            divide_from(MEASURED[self.name] if small_work is None else small_work)
            self._words[2] = asked

    def addresses(self) -> tuple[int, ...]:
        """What a call in machine code needs: its words, the calls that have threads, the threads that Python knows, and
        the functions that get and set how many may be used."""
        functions = self._pool.get_num_threads, self._pool.set_num_threads
        return ctypes.addressof(self._words), id(self._taken), id(self._known), *functions

    def leave(self, entered: Taken) -> None:
        """Hand back what `enter` took."""
        if entered.before != entered.threads:
            self._set_mask(entered.before)
        self._taken.pop(id(entered), None)

    # --- fork ----------------------------------------------------------------------------------------------------

    def _before_fork(self) -> None:
        """End the layer's threads, which a child would wait for: GNU OpenMP's are ended here, those of this thread;
        TBB ends its own, if they are at rest and the thread that loaded it forks; `workqueue` makes new ones.

        TBB takes locks where a region begins and ends, and one that is held while a process forks is held in the child
        for ever. So calls of other threads are waited for, as long as that is not for long, and none begins meanwhile.
        """
        if self._libgomp is not None:
            self._forks_well = self._libgomp.omp_pause_resource_all(_SOFT) == 0
        elif self.name == "tbb":
            self._lock.acquire()
            self._forks_well = not self._taken and threading.get_ident() == self._loader
            until = time.monotonic() + REST
            while self._taken and time.monotonic() < until:
                time.sleep(REST / 500)
        else:
            self._forks_well = self.name != "omp"

    def _in_parent(self) -> None:
        if self.name == "tbb":
            self._lock.release()

    def _in_child(self) -> None:
        self._lock = threading.RLock()
        self._taken.clear()
        self._words[0] = 0
        self._loader = threading.get_ident()
        ctypes.CFUNCTYPE(None, ctypes.c_int)(self._pool.launch_threads)(numba.config.NUMBA_NUM_THREADS)
        if not self._forks_well:
            self._words[1] = 1


_layer: Layer | None = None
_launching = threading.RLock()


def layer() -> Layer:
    """The threading layer of this process, loaded now if it was not."""
    global _layer
    if _layer is None:
        with _launching:
            if _layer is None:
                with _waiting_briefly():
                    parallel._launch_threads()
                _layer = Layer(parallel.threading_layer())
    return _layer


@contextmanager
def _waiting_briefly() -> Iterator[None]:
    """A block in which the environment tells GNU OpenMP how long to wait, where nothing was said; it looks when it is
    loaded, and never again."""
    if "OMP_WAIT_POLICY" in os.environ or "GOMP_SPINCOUNT" in os.environ:
        yield
        return
    os.environ["GOMP_SPINCOUNT"] = SPINS
    try:
        yield
    finally:
        with suppress(KeyError):
            del os.environ["GOMP_SPINCOUNT"]


def _libgomp() -> Any:
    """GNU OpenMP, if it is what the layer uses, and can end its threads."""
    try:
        library = ctypes.CDLL("libgomp.so.1", mode=os.RTLD_NOLOAD)
        return library if library.omp_pause_resource_all else None
    except (OSError, AttributeError):
        return None
