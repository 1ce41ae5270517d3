"""`range` in compiled code: with its turns counted right where start and stop are 2**63 or more apart.

Numba takes `stop - start` for the distance, also where that wraps: `range(2**63 - 1, -5)` would have turns. Here stop
is first brought to where it belongs: to start for a range without turns, and no further away than 2**63 - 1.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from llvmlite import ir as _ir

from somd.runtime.multicore.numba_internals.lowering import cgutils
from somd.runtime.multicore.numba_internals.stand_ins import stands_for

ir: Any = _ir


def _generate(context: Any, builder: Any, signature: Any, arguments: Any, own: Callable[[], Any]) -> Any:
    if len(arguments) > 1 and signature.args[0].signed:
        start, stop, *steps = arguments
        step = steps[0] if steps else start.type(1)
        arguments = [start, _within_reach(builder, start, stop, step), step]
        return cgutils.make_anonymous_struct(builder, arguments)
    return own()(builder, arguments)


@stands_for(range, _generate)
def bounded_range(*limits: int) -> range:
    """What `range` is taken for."""
    return range(*limits)


def _within_reach(builder: Any, start: Any, stop: Any, step: Any) -> Any:
    """The stop of a range, where `stop - start` does not wrap and has the sign of `step` or is 0."""
    zero = start.type(0)
    if isinstance(step, ir.Constant) and isinstance(step.constant, int):
        return _ahead(builder, start, stop, "<" if step.constant < 0 else ">")
    forward, backward = (_ahead(builder, start, stop, sign) for sign in (">", "<"))
    return builder.select(builder.icmp_signed(">", step, zero), forward, backward)


def _ahead(builder: Any, start: Any, stop: Any, sign: str) -> Any:
    """Stop where it lies on that side of start, at most as far away as can be told; else start."""
    most = start.type((1 << (start.type.width - 1)) - 1)
    low, high = (start, stop) if sign == ">" else (stop, start)
    wraps = builder.icmp_signed("<", builder.sub(high, low), start.type(0))
    farthest = builder.add(start, most) if sign == ">" else builder.sub(start, most)
    reached = builder.select(wraps, farthest, stop)
    return builder.select(builder.icmp_signed(sign, stop, start), reached, start)
