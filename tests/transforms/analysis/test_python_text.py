"""Conditions and values printed as Python hold where the isl sets hold."""

from itertools import product

import islpy as isl
from hypothesis import given, settings
from hypothesis import strategies as st

from somd.transforms.access import Affine
from somd.transforms.analysis.affine import affine, condition
from somd.transforms.analysis.python_text import condition_text, value_text
from somd.transforms.analysis.sets import Sets
from tests.transforms.analysis.formulas import CONDITIONS, EXPRESSIONS, parsed, scope
from tests.usual import ALL

RANGE = range(-4, 6)


def bounded(low: str, high: str) -> Affine:
    return Affine(f"{low} <= v_i < {high}", frozenset({"v_i"}) | {n for n in (low, high) if n.startswith("v_")})


@settings(max_examples=150 if ALL else 60, deadline=None)
@given(CONDITIONS)
def test_some_iteration_satisfies_a_condition(text: str) -> None:
    formula = condition(parsed(text), scope())
    assert formula is not None
    found = Sets().make(["v_i"], [formula, bounded("0", "v_n")]).params().coalesce()
    printed = condition_text(found)
    for n, k in product(RANGE, repeat=2):
        holds = any(eval(text, {"i": i, "n": n, "k": k}) for i in range(n))
        assert bool(eval(printed, {"n": n, "k": k})) is holds, (printed, n, k)


@settings(max_examples=150 if ALL else 60, deadline=None)
@given(EXPRESSIONS, st.sampled_from(("min", "max")))
def test_extreme_values_of_an_expression(text: str, which: str) -> None:
    formula = affine(parsed(text), scope())
    assert formula is not None
    value = Affine(f"v_r = {formula.text}", formula.names | {"v_r"})
    found = Sets().make(["v_i", "v_r"], [value, bounded("0", "v_n")]).project_out(isl.dim_type.set, 0, 1)
    printed = value_text(found.dim_min(0) if which == "min" else found.dim_max(0), found)
    for n, k in product(range(1, 6), RANGE):
        wanted = (min if which == "min" else max)(eval(text, {"i": i, "n": n, "k": k}) for i in range(n))
        assert eval(printed, {"n": n, "k": k}) == wanted, (printed, n, k)
