"""From how much work on a phase is divided: a word that machine code reads, so that it may change between calls.

Operations are counted as `transforms/plan/work.py` does. What is computed does not depend on it.
"""

from __future__ import annotations

import ctypes
from typing import Any

from llvmlite import binding as _binding
from llvmlite import ir as _ir
from numba import types
from numba.extending import intrinsic

from somd.runtime.multicore.numba_internals.lowering import cgutils

binding: Any = _binding
ir: Any = _ir

#: operations under which two workers save less than the region costs, as `python -m benchmarks.small_work` finds them:
#: some microseconds of work. Regions of `workqueue` cost fifty times as much
MEASURED = {"omp": 60_000, "tbb": 60_000, "workqueue": 2_000_000}
_SYMBOL = "somd_small_work"
_word = ctypes.c_int64(0)
binding.add_symbol(_SYMBOL, ctypes.addressof(_word))


def divide_from(operations: int) -> None:
    """Let phases of fewer operations be run by one MI, in this process."""
    _word.value = operations


@intrinsic
def small_work(typing_context: Any) -> Any:
    """The operations under which a phase is run by one MI."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        kind = ir.IntType(64)
        word = builder.module.globals.get(_SYMBOL) or cgutils.add_global_variable(builder.module, kind, _SYMBOL)
        return builder.load(word)

    return types.int64(), generate
