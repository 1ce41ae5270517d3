"""A product and a sum that are rounded once, for methods with `fastmath`."""

from __future__ import annotations

from typing import Any

from llvmlite import ir as _ir
from numba import types

from somd.runtime.multicore.intrinsics import intrinsic

ir: Any = _ir


def fused(builder: Any, *values: Any) -> Any:
    """The LLVM value of a product and a sum, rounded once: of three floats, or of three vectors of them."""
    kind = values[0].type
    one = f"v{kind.count}{kind.element.intrinsic_name}" if isinstance(kind, ir.VectorType) else kind.intrinsic_name
    declared = builder.module.declare_intrinsic(f"llvm.fma.{one}", fnty=ir.FunctionType(kind, [kind] * 3))
    return builder.call(declared, values)


@intrinsic  # type: ignore[untyped-decorator,unused-ignore]
def fma(typing_context: Any, a: Any, b: Any, c: Any) -> Any:
    """`a * b + c` of floats of one type."""
    if not isinstance(a, types.Float) or not a == b == c:
        return None

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return fused(builder, *arguments)

    return a(a, b, c), generate
