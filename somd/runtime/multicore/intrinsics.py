"""`assume`: tells LLVM what the analysis proved.

Numba tests every index for being negative. Where the compiler proved that a loop variable is not, it says so in the
loop, and LLVM drops the test; only then do most loops vectorise.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types as _types
from numba.extending import intrinsic as _intrinsic

from somd.runtime.multicore.numba_internals.lowering import cgutils

intrinsic: Any = _intrinsic
types: Any = _types

#: above every index, and low enough that adding an offset does not overflow
FAR = 1 << 62
#: what the absolute values of scalars in the bounds and conditions of loops do not exceed (see `plan/near.py`)
NEAR = 1 << 44


@intrinsic  # type: ignore[untyped-decorator,unused-ignore]
def assume(typing_context: Any, *conditions: Any) -> Any:
    """Promise LLVM that all `conditions` hold; undefined behaviour if one does not.

    `0 <= i < n` is two of them, `0 <= i, i < n`: of a chain Numba makes three blocks, which LLVM has to join again.
    """

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        bit = ir.IntType(1)
        function_type = ir.FunctionType(ir.VoidType(), [bit])
        function = builder.module.declare_intrinsic("llvm.assume", fnty=function_type)
        for value in cgutils.unpack_tuple(builder, arguments[0]):
            builder.call(function, [value if value.type.width == 1 else builder.trunc(value, bit)])
        return context.get_dummy_value()

    return types.void(types.StarArgTuple([types.boolean] * len(conditions))), generate
