"""Passes that are left out where they have nothing to do: what they are for is compiled as before."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba.core import compiler, ir, rewrites

from somd.runtime.multicore.compilation import master
from somd.runtime.multicore.numba_internals.lifetimes import _names


@master
def whole(a: Any, x: float) -> Any:
    """A list of numbers, a comprehension, operators and ufuncs of arrays."""
    numbers = np.array([1.0, x, 3.0])
    squares = np.array([k * k for k in range(3)])
    return numbers + squares * a - np.sqrt(a)


def test_lists_and_whole_arrays_are_taken() -> None:
    a = np.array([4.0, 9.0, 2.0])
    np.testing.assert_array_equal(whole(a, 2.5), whole.py_func(a, 2.5))  # type: ignore[attr-defined]


def test_what_the_passes_look_for_is_known() -> None:
    """Their rewriters behind types; another one may look for something else."""
    known = {each.__name__ for each in rewrites.rewrite_registry.rewrites["after-inference"]}
    assert known <= {
        "RewriteArrayExprs",
        "RewriteArrayOfConsts",
        "RewriteStringLiteralGetitems",
        "RewriteStringLiteralSetitems",
    }


def test_variables_of_statements_are_those_of_numba() -> None:
    def several(a: Any, b: Any, *more: Any) -> Any:
        for i in range(len(a)):
            if a[i, 0] > b:
                a[i, i + 1] = max(a[i, 1], b, *more)
        return {"a": a, "b": [b, (b, a)]}

    for block in compiler.run_frontend(several).blocks.values():
        for statement in block.body:
            assert _names(statement, vars(statement)) == statement._rec_list_vars(vars(statement))
            value = statement.value if isinstance(statement, ir.Assign) else None
            if isinstance(value, ir.Expr):
                assert _names(value, value._kws) == value._rec_list_vars(value._kws)
