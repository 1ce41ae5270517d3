"""`assume`: tells LLVM what the analysis proved.

Numba tests every index for being negative. Where the compiler proved that a loop variable is not, it says so in the
loop, and LLVM drops the test; only then do most loops vectorise.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import intrinsic as _intrinsic

intrinsic: Any = _intrinsic

#: above every index, and low enough that adding an offset does not overflow
FAR = 1 << 62
#: what the absolute values of scalars in the bounds and conditions of loops do not exceed (see `plan/near.py`)
NEAR = 1 << 44


@intrinsic  # type: ignore[untyped-decorator,unused-ignore]
def assume(typing_context: Any, condition: Any) -> Any:
    """Promise LLVM that `condition` holds; undefined behaviour if it does not."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        bit = ir.IntType(1)
        function_type = ir.FunctionType(ir.VoidType(), [bit])
        function = builder.module.declare_intrinsic("llvm.assume", fnty=function_type)
        value = arguments[0]
        if value.type.width != 1:
            value = builder.trunc(value, bit)
        builder.call(function, [value])
        return context.get_dummy_value()

    return types.void(types.boolean), generate
