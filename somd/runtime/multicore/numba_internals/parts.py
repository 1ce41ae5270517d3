"""Functions that stay functions become machine code beside Numba, which writes the next ones meanwhile.

Such a function, with all that is written into it, is a *part* of a master: a module with a context and a machine of its
own, so that LLVM may work at several at once. llvmlite leaves Python's global lock in each call, and holds a lock of
its own for all of LLVM: the two calls that take long are made without that one. Numba's thread prepares a part and
takes the result, so that a worker need not wait for Python's lock more than twice.

Threads are those that the process may use anyway (`NUMBA_NUM_THREADS`), less Numba's own, which makes what no other one
has begun when it needs it. None outlives the compilation of a master.
"""

from __future__ import annotations

import copy
import ctypes
import itertools
import os
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from typing import Any
from weakref import WeakSet

import numba as _numba
from llvmlite import binding as _binding

binding: Any = _binding
numba: Any = _numba

#: bytes of stack that a worker has, whatever threads of the user's have
_STACK = 1 << 24
#: what llvmlite runs passes by, and makes machine code
_RUN, _EMIT = "LLVMPY_RunNewModulePassManager", "LLVMPY_TargetMachineEmitToMemory"
#: how functions are linked that stay in a module, and are in no other one in another form
_KEPT = "weak_odr"
_numbers = itertools.count()
_current: Workers | None = None
_unmade: WeakSet[Part] = WeakSet()


class Part:
    """Functions that become machine code by themselves; `kept` are those that others call. Parts are numbered, so that
    what one calls has a lower number; `variables` are the names of its module's, once it is loaded."""

    def __init__(self, codegen: Any, module: Any, kept: Iterable[str]) -> None:
        for name in kept:
            module.get_function(name).linkage = _KEPT
        self.number = next(_numbers)
        self.variables: list[str] = []
        self._codegen, self._bitcode = codegen, module.as_bitcode()
        #: bytes of LLVM's code, which tell how long it takes
        self.length = len(self._bitcode)
        self._code: bytes | None = None
        self._loaded = False
        self.begin()
        self._prepare()
        _unmade.add(self)

    def begin(self) -> None:
        """Nothing is made yet, and no thread is at it."""
        self._lock = threading.Lock()
        self._module: Any = None
        self._buffer: Any = None

    def _prepare(self) -> None:
        self._module = binding.parse_bitcode(self._bitcode, binding.create_context())
        own = copy.copy(self._codegen)
        own._tm = self._machine = _machine(own)
        cheap = {"loop_vectorize": own._loopvect, "slp_vectorize": False, "opt": own._opt_level, "cost": "cheap"}
        self._passes = [own._module_pass_manager(**cheap), own._module_pass_manager()]
        self._run, self._emit = _unlocked(_RUN), _unlocked(_EMIT)

    def make(self) -> None:
        """Optimise and emit, unless that is done; or wait until another thread has done it."""
        with self._lock:
            if self._buffer is not None:
                return
            if self._module is None:
                self._prepare()
            for manager, builder in self._passes:
                self._run(manager, self._module, builder)
            self._passes = []
            said = ctypes.c_char_p(None)
            self._buffer = self._emit(self._machine, self._module, 1, ctypes.byref(said)) or None
            if self._buffer is None:
                raise RuntimeError((said.value or b"no machine code").decode())

    def is_begun(self) -> bool:
        """Whether a thread is at it."""
        return self._lock.locked()

    def code(self) -> bytes:
        """The machine code, as the file that a compiler writes."""
        if self._code is None:
            self.make()
            library, buffer = binding.ffi.lib, self._buffer
            self._code = ctypes.string_at(library.LLVMPY_GetBufferStart(buffer), library.LLVMPY_GetBufferSize(buffer))
            library.LLVMPY_DisposeMemoryBuffer(buffer)
            self.variables = [variable.name for variable in self._module.global_variables]
            self._module = self._machine = None
            self._bitcode = b""
            _unmade.discard(self)
        return self._code

    def load(self) -> None:
        """Have the functions where machine code finds them."""
        if not self._loaded:
            load(self._codegen, self.code())
            self._loaded = True


class Workers:
    """The threads that make the parts of one master, and the parts that none of them has begun."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._waiting: list[Part] = []
        self._taking = threading.Lock()
        self._threads: list[threading.Thread] = []

    def take(self, part: Part) -> None:
        """Have a part made."""
        self._waiting.append(part)
        self._threads = [thread for thread in self._threads if thread.is_alive()]
        if len(self._threads) < self._most:
            thread = threading.Thread(target=self.work, name="somd-llvm", daemon=False)
            with suppress(RuntimeError):  # the process ends, or may have no more threads: Numba's makes the part
                _start(thread)
                self._threads.append(thread)

    def end(self) -> None:
        """Begin nothing more, and wait for what has begun."""
        self._waiting.clear()
        for thread in self._threads:
            thread.join()

    def work(self) -> None:
        """Make what no thread has begun, the longest first, so that none is left with that at the end."""
        while True:
            with self._taking:
                if not self._waiting:
                    return
                part = max(self._waiting, key=lambda each: each.length)
                self._waiting.remove(part)
            with suppress(Exception):  # Numba's thread gets it, when it asks for the part
                part.make()


@contextmanager
def workers() -> Iterator[None]:
    """A block in which one master is compiled, with threads beside Numba's."""
    global _current
    before, most = _current, numba.config.NUMBA_NUM_THREADS - 1
    _current = made = Workers(most) if most > 0 else None
    try:
        yield
    finally:
        _current = before
        if made is not None:
            made.end()


def part_of(codegen: Any, module: Callable[[], Any], kept: Callable[[], Iterable[str]]) -> Part | None:
    """A part that is being made of a module; None where no other thread could do that."""
    if _current is None or not _possible(codegen):
        return None
    names = list(kept())
    part = Part(codegen, module(), names)
    _current.take(part)
    return part


def make_waiting() -> None:
    """Make the parts that no other thread has begun, where one would wait for those that others are at."""
    if _current is not None:
        _current.work()


def load(codegen: Any, code: bytes) -> None:
    """Have the functions of machine code where other machine code finds them."""
    codegen._engine._ee.add_object_file(binding.ObjectFileRef.from_data(code))


def _possible(codegen: Any) -> bool:
    """Whether Numba and llvmlite are of those that are known here. Numba 0.61 has passes of another kind; and settings
    of Numba's can ask for more than passes do."""
    settings = numba.config
    asked = settings.LLVM_PASS_TIMINGS or settings.DUMP_OPTIMIZED or settings.DUMP_ASSEMBLY or settings.ENABLE_PROFILING
    known = hasattr(binding.ffi.lib, _RUN) and hasattr(codegen, "_pass_builder")
    return known and bool(settings.LLVM_REFPRUNE_PASS) and not asked


def _machine(codegen: Any) -> Any:
    """A machine like Numba's own, which is for one thread, since it notes what it knows of functions."""
    options: dict[str, Any] = {"opt": numba.config.OPT}
    codegen._customize_tm_options(options)
    return binding.Target.from_triple(binding.get_process_triple()).create_target_machine(**options)


def _unlocked(name: str) -> Any:
    """A function of llvmlite's library, without llvmlite's lock around it."""
    function = getattr(binding.ffi.lib, name)
    return getattr(function, "_cfn", function)


def _start(thread: threading.Thread) -> None:
    before = threading.stack_size(_STACK)
    try:
        thread.start()
    finally:
        threading.stack_size(before)


def _in_child() -> None:
    """What workers of the parent had begun is begun anew, when it is asked for."""
    global _current
    _current = None
    for part in list(_unmade):
        part.begin()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_in_child)
