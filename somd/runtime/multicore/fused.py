"""A product and a sum that are rounded once, for methods with `fastmath`."""

from __future__ import annotations

from typing import Any

from llvmlite import ir as _ir
from numba import types

from somd.runtime.multicore.intrinsics import intrinsic

ir: Any = _ir


@intrinsic  # type: ignore[untyped-decorator,unused-ignore]
def fma(typing_context: Any, a: Any, b: Any, c: Any) -> Any:
    """`a * b + c` of floats of one type."""
    if not isinstance(a, types.Float) or not a == b == c:
        return None

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        kind = arguments[0].type
        name = f"llvm.fma.{kind.intrinsic_name}"
        fused = builder.module.declare_intrinsic(name, fnty=ir.FunctionType(kind, [kind] * 3))
        return builder.call(fused, arguments)

    return a(a, b, c), generate
