"""Sums of floats in the order of their terms, to the bit, without waiting for each addition.

Between two powers of two p and 2p all floats are multiples of one unit u. There a sum `s + e` is `s` plus the multiple
of u that is nearest to `e`, whatever `s` is, unless two are as near. So what a block of terms adds is a sum of ints,
which may be added in any order, in vectors. It is found by adding each term to 1.5 p: the last digits of that are the
multiple; it is unequal for the odd number behind 1.5 p where two are as near. If no partial sum of the block leaves the
numbers between p and 2p, the block's sum is exact (decision 93 has the proof). What it is not exact for is added as
written: the first terms, those at a power of two, sums that walk around 0, what is not finite.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir as _ir
from numba import types as _types

from somd.runtime.multicore.intrinsics import assume, intrinsic
from somd.runtime.multicore.numba_internals.native import native

ir: Any = _ir
types: Any = _types

#: the fewest and the most terms of a block
LEAST, MOST = 32, 512
#: how many blocks more may fail than hold, until so many terms are added as written, before one is tried again
FAILURES, REST = 4, 2048
#: by the bits of a float: those behind its point
DIGITS = {32: 23, 64: 52}


@intrinsic  # type: ignore[untyped-decorator,unused-ignore]
def _digits(typing_context: Any, number: Any) -> Any:
    """How many bits a float has behind its point."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return ir.Constant(ir.IntType(64), DIGITS[number.bitwidth])

    return types.int64(number), generate


@intrinsic  # type: ignore[untyped-decorator,unused-ignore]
def _word_of(typing_context: Any, number: Any) -> Any:
    """The bits of a float as an integer, whose sign is the float's."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        word = builder.bitcast(arguments[0], ir.IntType(number.bitwidth))
        return word if number.bitwidth == 64 else builder.sext(word, ir.IntType(64))

    return types.int64(number), generate


@intrinsic  # type: ignore[untyped-decorator,unused-ignore]
def _float_of(typing_context: Any, word: Any, like: Any) -> Any:
    """The float that has these bits, of the type of another one."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        word = arguments[0] if like.bitwidth == 64 else builder.trunc(arguments[0], ir.IntType(like.bitwidth))
        return builder.bitcast(word, context.get_value_type(like))

    return like(types.int64, like), generate


@native
def added_in_order(total: Any, terms: Any, first: int, last: int) -> Any:
    """`total` with the terms from place `first` to `last`, which is not taken any more, added one after the other; all
    are floats of one type."""
    digits = _digits(total)
    half, whole = 1 << (digits - 1), 1 << digits
    fields = 2047 if digits == 52 else 255
    at, block, failed = first, LEAST, 0
    top = middle = 0
    center = odd = total
    while at < last:
        stop = at + min(block, last - at)
        if stop - at >= LEAST and failed < FAILURES:
            word = _word_of(total)
            if word >> digits != top:  # a branch: no block waits for the one before
                top = word >> digits
                middle = (top << digits) + half
                center, odd = _float_of(middle, total), _float_of(middle + 1, total)
            moved = ways = every = ties = 0
            for k in range(at, stop):
                assume(k >= 0)
                near = _word_of(terms[k] + center)
                multiple = near - middle
                sign = multiple >> 63
                size = (multiple ^ sign) - sign
                moved += multiple
                ways += size
                every |= size
                ties |= (_word_of(terms[k] + odd) - near) ^ 1
            up, place, field = (ways + moved) >> 1, word & (whole - 1), top & fields
            exact = 0 < field < fields and 0 <= every < half and ties == 0
            if exact and place - up + moved > 0 and place + up < whole:
                total = _float_of(word + moved, total)
                at, block, failed = stop, min(2 * block, MOST), max(failed - 1, 0)
                continue
            if block > LEAST:
                block = LEAST
                continue
            failed += 1
        elif failed >= FAILURES:
            stop, failed = at + min(REST, last - at), FAILURES - 1
        for k in range(at, stop):
            assume(k >= 0)
            total += terms[k]
        at = stop
    return total
