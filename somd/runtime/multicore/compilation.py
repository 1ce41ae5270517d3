"""The decorators of generated functions: how Numba compiles masters, slaves and helpers.

Division follows NumPy (`error_model`), nothing is reassociated or contracted (no `fastmath`), and only what the
compiler cut into phases runs in parallel (see `outlining`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numba

from somd.compiling.bugs import library_bugs
from somd.compiling.one_at_a_time import many_calls, one_at_a_time
from somd.runtime.multicore.numba_internals.locations import survive_without_working_folder
from somd.runtime.multicore.numba_internals.machine_code import MachineCode
from somd.runtime.multicore.numba_internals.native import native
from somd.runtime.multicore.numba_internals.outlining import MasterCompiler
from somd.runtime.recording import making

survive_without_working_folder()

njit: Any = numba.njit

Function = Callable[..., Any]


def master(function: Function) -> Function:
    """Compile a master: phases are its `prange` loops; what is compiled is kept on disk (see `machine_code`)."""
    made = njit(error_model="numpy", nogil=True, no_cfunc_wrapper=True, pipeline_class=MasterCompiler)(function)
    made._cache = MachineCode(function)
    made.compile = _whole(made.compile, function)
    made._compile_for_args = _whole(made._compile_for_args, function)
    compiled: Function = made
    return compiled


def _whole(compiling: Function, function: Function) -> Function:
    """What compiles a master, by itself, without a signal in the middle, and with errors of our own; Numba calls itself
    for each block of a chain of them, and each access that is tested ends one."""

    def compile_whole(*given: Any) -> Any:
        with (
            making("compiling"),
            one_at_a_time(),
            many_calls(),
            library_bugs("Numba", function.__name__, function.__code__.co_filename),
        ):
            return compiling(*given)

    return compile_whole


def slave(function: Function) -> Function:
    """Compile a slave: the sequential code of one MI in one phase. Only compiled code can call it.

    A master calls it in a parallel region, and by itself where there is little work: LLVM keeps one copy for both.
    """
    compiled: Function = native(function, stays=True)
    return compiled


def helper(function: Function) -> Function:
    """Compile a function that slaves and masters call in the midst of their work."""
    compiled: Function = native(function)
    return compiled
