"""`min` and `max` in compiled code: of int64 two instructions each, where Numba compiles a function for each; and of
bools, of which Numba 0.61 takes no more than two.

In: Numba's representation of a function. Out: the same with functions of ours for Python's `min` and `max`, which
leave all other types to Numba's; and for `range` (see `ranges`).
"""

from __future__ import annotations

import builtins
from collections.abc import Callable
from typing import Any

from numba.core import compiler_machinery as _compiler_machinery
from numba.core import ir as _ir
from numba.core import types as _types
from numba.core import untyped_passes as _untyped_passes
from numba.core.typing import templates as _templates

from somd.runtime.multicore.numba_internals.ranges import bounded_range
from somd.runtime.multicore.numba_internals.stand_ins import Generate, stands_for

compiler_machinery: Any = _compiler_machinery
ir: Any = _ir
types: Any = _types
templates: Any = _templates
untyped_passes: Any = _untyped_passes
unliteral: Any = _types.unliteral


def _simple(args: Any) -> Any:
    """The one type of all arguments, if it is one of ours; else None."""
    kinds = set(map(unliteral, args))
    return kinds.pop() if len(args) > 1 and kinds in ({types.int64}, {types.boolean}) else None


def _typed(args: Any) -> Any:
    kind = _simple(args)
    return None if kind is None else templates.signature(kind, *[kind] * len(args))


def _selects(sign: str) -> Generate:
    """Comparisons and selections, one after another."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any, own: Callable[[], Any]) -> Any:
        kind = _simple(signature.args)
        if kind is None:
            return own()(builder, arguments)
        compared = builder.icmp_signed if kind == types.int64 else builder.icmp_unsigned
        made = arguments[0]
        for value in arguments[1:]:
            made = builder.select(compared(sign, value, made), value, made)
        return made

    return generate


@stands_for(builtins.min, _selects("<"), _typed)
def least(*values: Any) -> Any:
    """What `min` is taken for."""
    return min(*values)


@stands_for(builtins.max, _selects(">"), _typed)
def greatest(*values: Any) -> Any:
    """What `max` is taken for."""
    return max(*values)


_OURS: dict[Any, Any] = {builtins.min: least, builtins.max: greatest, builtins.range: bounded_range}
_REPLACED = tuple(_OURS)


@compiler_machinery.register_pass(mutates_CFG=False, analysis_only=False)
class Extremes(compiler_machinery.FunctionPass):  # type: ignore[misc]
    """See the head of this file."""

    _name = "somd_extremes"

    def __init__(self) -> None:
        super().__init__()

    def run_pass(self, state: Any) -> bool:
        found = False
        for block in state.func_ir.blocks.values():
            for statement in block.find_insts(ir.Assign):
                value = statement.value
                if isinstance(value, ir.Global) and value.value in _REPLACED:
                    ours = _OURS[value.value]
                    statement.value = ir.Global(ours.__name__, ours, value.loc)
                    state.func_ir._definitions[statement.target.name] = [statement.value]
                    found = True
        return found
