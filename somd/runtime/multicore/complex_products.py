"""Products of complex numbers that are accumulated: the mark for a product of none, and two products as one.

No complex number is neutral: 1 times infinity has parts that are nan, and 1 times `3-0j` is `3+0j`. So accumulators
start from a mark, `NO_PRODUCT` of `somd.language.operators`, whose bits no arithmetic gives.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import overload

from somd.language.operators import NO_PRODUCT
from somd.language.operators import empty_product as empty_product
from somd.language.operators import join_products as join_products
from somd.runtime.multicore.complex_numbers import complex_multiply
from somd.runtime.multicore.intrinsics import intrinsic
from somd.runtime.multicore.numba_internals.lowering import parse_dtype

PARTS: dict[Any, Any] = {types.complex64: types.float32, types.complex128: types.float64}


@intrinsic  # type: ignore[untyped-decorator,unused-ignore]
def has_bits(typing_context: Any, part: Any, bits: Any) -> Any:
    """Whether a float has these bits."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        word = ir.IntType(part.bitwidth)
        value, wanted = arguments
        return builder.icmp_unsigned("==", builder.bitcast(value, word), builder.trunc(wanted, word))

    return types.boolean(part, types.uint64), generate


@intrinsic(prefer_literal=True)  # type: ignore[untyped-decorator,unused-ignore]
def _marked(typing_context: Any, dtype: Any) -> Any:
    kind = parse_dtype(dtype)
    if kind not in PARTS:
        return None

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        made = context.make_complex(builder, kind)
        part = PARTS[kind]
        word, real = ir.IntType(part.bitwidth), context.get_value_type(part)
        made.real, made.imag = (builder.bitcast(ir.Constant(word, bits), real) for bits in NO_PRODUCT[str(kind)])
        return made._getvalue()

    return kind(dtype), generate


@overload(empty_product)
def _empty_product(dtype: Any) -> Any:
    def made(dtype: Any) -> Any:
        return _marked(dtype)

    return made


@overload(join_products, inline="always")
def _join_products(left: Any, right: Any) -> Any:
    if left != right or left not in PARTS:
        return None
    first, second = NO_PRODUCT[str(left)]

    def join(left: Any, right: Any) -> Any:
        if has_bits(left.real, first) and has_bits(left.imag, second):
            return right
        if has_bits(right.real, first) and has_bits(right.imag, second):
            return left
        return complex_multiply(left, right)

    return join
