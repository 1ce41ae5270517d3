"""The decorators of generated functions: how Numba compiles masters, slaves and helpers.

Division follows NumPy (`error_model`), nothing is reassociated or contracted (no `fastmath`), and only what the
compiler cut into phases runs in parallel (see `outlining`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numba

from somd.runtime.multicore.numba_internals.locations import survive_without_working_folder
from somd.runtime.multicore.numba_internals.machine_code import MachineCode
from somd.runtime.multicore.numba_internals.native import native
from somd.runtime.multicore.numba_internals.outlining import MasterCompiler

survive_without_working_folder()

njit: Any = numba.njit

Function = Callable[..., Any]


def master(function: Function) -> Function:
    """Compile a master: phases are its `prange` loops; what is compiled is kept on disk (see `machine_code`)."""
    made = njit(error_model="numpy", nogil=True, no_cfunc_wrapper=True, pipeline_class=MasterCompiler)(function)
    made._cache = MachineCode(function)
    compiled: Function = made
    return compiled


def slave(function: Function) -> Function:
    """Compile a slave: the sequential code of one MI in one phase. Only compiled code can call it."""
    compiled: Function = native(function)
    return compiled


helper = slave
