"""Passes of Numba's that have nothing to do for generated code: left out where what they look for is not there.

Each finds what is live where, and puts a statement behind the last use of each name, before it looks for closures and
lists, or for expressions of whole arrays: a tenth of Numba's time for a master.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from numba.core import compiler_machinery as _compiler_machinery
from numba.core import ir as _ir
from numba.core import typed_passes as _typed_passes
from numba.core import types as _types
from numba.core import untyped_passes as _untyped_passes
from numba.np.ufunc import array_exprs as _array_exprs

array_exprs: Any = _array_exprs
compiler_machinery: Any = _compiler_machinery
ir: Any = _ir
typed_passes: Any = _typed_passes
types: Any = _types
untyped_passes: Any = _untyped_passes

#: what closures, comprehensions and lists begin with
_LISTS = ("make_function", "build_list")
_OPERATORS = ("binop", "inplace_binop", "unary")


@compiler_machinery.register_pass(mutates_CFG=True, analysis_only=False)
class Closures(untyped_passes.InlineClosureLikes):  # type: ignore[misc]
    """Numba's pass that writes closures and comprehensions into their callers; stencils and `reduce`, which it knows,
    too, are not in what is generated."""

    _name = "somd_closures"

    def run_pass(self, state: Any) -> bool:
        one_scope = len({block.scope for block in state.func_ir.blocks.values()}) == 1
        if one_scope and not any(value.op in _LISTS for _, value in _computed(state)):
            return False
        return bool(super().run_pass(state))


@compiler_machinery.register_pass(mutates_CFG=True, analysis_only=False)
class WholeArrays(typed_passes.NopythonRewrites):  # type: ignore[misc]
    """Numba's pass that makes loops of expressions of whole arrays, and of arrays of numbers in the text; entries by
    name, which it knows, too, are not in what is generated."""

    _name = "somd_whole_arrays"

    def run_pass(self, state: Any) -> bool:
        if any(_whole(state.typemap, target, value) for target, value in _computed(state)):
            return bool(super().run_pass(state))
        return False


def _computed(state: Any) -> Iterator[tuple[str, Any]]:
    """The expressions that a function assigns, each with the name that it goes to."""
    for block in state.func_ir.blocks.values():
        for statement in block.find_insts(ir.Assign):
            if isinstance(statement.value, ir.Expr):
                yield statement.target.name, statement.value


def _whole(kinds: Any, target: str, value: Any) -> bool:
    """Whether an expression may be one of whole arrays, or a list."""
    if value.op in _OPERATORS:
        return isinstance(kinds.get(target), types.Array)
    if value.op == "call":
        function = kinds.get(value.func.name)
        known = isinstance(function, types.Function) and array_exprs._is_ufunc(function.typing_key)
        return bool(known) and isinstance(kinds.get(target), types.Array)
    return value.op in _LISTS
