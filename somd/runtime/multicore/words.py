"""Products of np.uint16 words in 16 bits, written so that LLVM vectorises them.

It does not know its way from a product of 32 bits, of which the upper half is taken, to the instruction that gives just
that half, once a factor is the same for all lanes; and of a borrow it makes an overflow test, which it leaves scalar.
Fixed-point products and differences that saturate it has instructions for.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir as _ir
from numba import types
from numba.extending import intrinsic

ir: Any = _ir
_SHORT, _COUNT = ir.IntType(16), ir.IntType(32)


@intrinsic
def high_product(typing_context: Any, left: Any, right: Any) -> Any:
    """`left * right >> 16` of two np.uint16, as np.uint16."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return _high(builder, *arguments)

    return types.uint16(types.uint16, types.uint16), generate


@intrinsic
def fermat_product(typing_context: Any, left: Any, right: Any) -> Any:
    """The low 16 bits of `left * right % 65537` for two np.uint16, as np.uint16.

    2**16 is -1 there, so the remainder is the product's lower half less its upper half, and 65537 more if that is
    negative: `low - high` or, modulo 2**16, `1 - (high - low)`.
    """

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        low, high = builder.mul(*arguments), _high(builder, *arguments)
        excess = _saturating(builder, _saturating(builder, high, low), ir.Constant(_SHORT, 1))
        return builder.sub(_saturating(builder, low, high), excess)

    return types.uint16(types.uint16, types.uint16), generate


def _high(builder: Any, left: Any, right: Any) -> Any:
    function_type = ir.FunctionType(_SHORT, [_SHORT, _SHORT, _COUNT])
    function = builder.module.declare_intrinsic("llvm.umul.fix", [_SHORT], function_type)
    return builder.call(function, [left, right, ir.Constant(_COUNT, 16)])


def _saturating(builder: Any, left: Any, right: Any) -> Any:
    """`left - right`, or 0 where that is negative."""
    function_type = ir.FunctionType(_SHORT, [_SHORT, _SHORT])
    function = builder.module.declare_intrinsic("llvm.usub.sat", [_SHORT], function_type)
    return builder.call(function, [left, right])
