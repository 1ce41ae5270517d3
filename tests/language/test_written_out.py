"""What messages offer in place of NumPy's functions that are not taken, or by one thread: it is taken, and means the
same."""

from __future__ import annotations

import linecache
import re
from typing import Any

import numpy as np
import pytest

from somd import SomdCompileError, somd
from somd.language.written_out import EXPRESSIONS, LOOPS, instead_of_function

A, B, M, K = (
    np.array([1.5, -2.0, 0.5, 3.0]),
    np.array([0.5, 4.0, 2.0, 1.0]),
    np.arange(6.0).reshape(2, 3),
    np.array([2, 0]),
)
HOLES = np.array([1.5, np.nan, 0.5, 3.0])
#: what the function is called with, where that is not `a` and `b`
CALLS: dict[str, tuple[str, dict[str, Any]]] = {
    "average": ("a, weights=b", {}),
    "ediff1d": ("a", {}),
    "expand_dims": ("a, 1", {}),
    "nan_to_num": ("a", {"a": HOLES}),
    "nanmax": ("a", {"a": HOLES}),
    "nanmean": ("a", {"a": HOLES}),
    "nanmin": ("a", {"a": HOLES}),
    "nansum": ("a", {"a": HOLES}),
    "select": ("[a > 1.0, a > 0.0], [a, b], 0.0", {}),
    "take": ("a, k", {}),
    "transpose": ("m", {}),
    "trapezoid": ("a", {}),
}


def method(text: str) -> Any:
    """A method that computes an expression."""
    source = f"def f(a: np.ndarray, b: np.ndarray, m: np.ndarray, k: np.ndarray):\n    a = a + 0.0\n    return 1.0 * ({text})\n"
    name = f"<written out: {text}>"
    linecache.cache[name] = (len(source), None, source.splitlines(keepends=True), name)
    namespace: dict[str, Any] = {"np": np}
    exec(compile(source, name, "exec"), namespace)
    return somd(signatures=["float64[:], float64[:], float64[:, :], int64[:]"])(namespace["f"])


@pytest.mark.parametrize("name", EXPRESSIONS)
def test_an_expression_means_the_function_and_is_taken(name: str) -> None:
    if not hasattr(np, name):
        pytest.skip("this NumPy has no such function")
    arguments, others = CALLS.get(name, ("a, b", {}))
    given = {"a": A, "b": B, "m": M, "k": K} | others
    expected = eval(f"np.{name}({arguments})", {"np": np}, given)
    made = method(EXPRESSIONS[name])
    np.testing.assert_allclose(made.sequential(**given), expected, rtol=1e-12)
    assert "def f(" in made.source("multicore")
    try:
        text = method(f"np.{name}({arguments})").source("multicore")
    except SomdCompileError as error:
        assert f"help: write `{EXPRESSIONS[name]}`" in re.sub(r"\s+", " ", str(error))
    else:
        assert "call_library(" in text  # by one thread: the expression is what threads share


def test_each_loop_is_of_a_function_that_is_not_taken() -> None:
    for name in LOOPS:
        if hasattr(np, name):
            assert instead_of_function(getattr(np, name)) == (f"write {LOOPS[name]}",)
    assert instead_of_function([]) == () == instead_of_function(np.sort)
