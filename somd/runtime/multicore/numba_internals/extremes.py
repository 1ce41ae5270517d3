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
from numba.extending import lower_builtin as _lower_builtin

from somd.runtime.multicore.numba_internals.ranges import bounded_range

compiler_machinery: Any = _compiler_machinery
ir: Any = _ir
types: Any = _types
templates: Any = _templates
untyped_passes: Any = _untyped_passes
lower_builtin: Any = _lower_builtin
unliteral: Any = _types.unliteral


def least(*values: Any) -> Any:
    """What `min` is taken for."""
    return min(*values)


def greatest(*values: Any) -> Any:
    """What `max` is taken for."""
    return max(*values)


_OURS: dict[Any, Any] = {builtins.min: least, builtins.max: greatest, builtins.range: bounded_range}
_REPLACED = tuple(_OURS)
_SIGNS = {least: "<", greatest: ">"}


def _simple(args: Any) -> Any:
    """The one type of all arguments, if it is one of ours; else None."""
    kinds = set(map(unliteral, args))
    return kinds.pop() if len(args) > 1 and kinds in ({types.int64}, {types.boolean}) else None


def _teach(function: Callable[..., Any], numbas: Callable[..., Any]) -> None:
    """Tell Numba of one of the two."""

    class Template(templates.AbstractTemplate):  # type: ignore[misc]
        key = function

        def generic(self, args: Any, kws: Any) -> Any:
            kind = _simple(args)
            if kind is not None and not kws:
                return templates.signature(kind, *[kind] * len(args))
            return self.context.resolve_function_type(self.context.resolve_value_type(numbas), args, kws)

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        kind = _simple(signature.args)
        if kind is not None:
            compared = builder.icmp_signed if kind == types.int64 else builder.icmp_unsigned
            made = arguments[0]
            for value in arguments[1:]:
                made = builder.select(compared(_SIGNS[function], value, made), value, made)
            return made
        known = context.typing_context.resolve_value_type(numbas)
        implementation = context.get_function(known, signature)
        context.add_linking_libs(getattr(implementation, "libs", ()))
        return implementation(builder, arguments)

    templates.infer_global(function, types.Function(Template))
    lower_builtin(function, types.VarArg(types.Any))(generate)


_teach(least, builtins.min)
_teach(greatest, builtins.max)


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
