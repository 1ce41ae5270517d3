"""Affine expressions and conditions mean in isl what they mean in Python."""

import pytest
from hypothesis import given, settings

from somd.transforms.access import Affine
from somd.transforms.analysis.affine import affine, condition, negation
from somd.transforms.analysis.sets import Sets
from tests.transforms.analysis.formulas import CONDITIONS, EXPRESSIONS, VALUES, parsed, scope
from tests.usual import ALL


def fixed(values: dict[str, int]) -> list[Affine]:
    return [Affine(f"v_{name} = {value}", frozenset({f"v_{name}"})) for name, value in values.items()]


@settings(max_examples=300 if ALL else 100, deadline=None)
@given(EXPRESSIONS, VALUES)
def test_expression_has_the_value_of_python(text: str, values: dict[str, int]) -> None:
    found = affine(parsed(text), scope())
    assert found is not None
    point = Sets().sample(["r"], [Affine(f"r = {found.text}", found.names | {"r"}), *fixed(values)])
    assert point is not None
    assert point["r"] == eval(text, dict(values))


@settings(max_examples=300 if ALL else 100, deadline=None)
@given(CONDITIONS, VALUES)
def test_condition_holds_where_it_holds_in_python(text: str, values: dict[str, int]) -> None:
    found = condition(parsed(text), scope())
    assert found is not None
    holds = eval(text, dict(values))
    assert Sets().empty([], [found, *fixed(values)]) is not holds
    assert Sets().empty([], [negation(found), *fixed(values)]) is holds


@pytest.mark.parametrize(
    "text", ["i * n", "i // 0", "i % -2", "i / 2", "i // k", "x", "a[i]", "i ** 2", "1.5", "a", "abs(i)", "True"]
)
def test_anything_else_is_unknown(text: str) -> None:
    assert affine(parsed(text), scope()) is None


@pytest.mark.parametrize(("text", "name"), [("len(a)", "s_a_0"), ("a.shape[0]", "s_a_0"), ("a.shape[1]", "s_a_1")])
def test_shapes(text: str, name: str) -> None:
    assert affine(parsed(text), scope()) == Affine(name, frozenset({name}))


def test_a_scalar_that_is_no_integer_is_unknown() -> None:
    from dataclasses import replace

    narrow = replace(scope(), inexact=frozenset({"k"}))
    assert affine(parsed("i + k"), narrow) is None
    assert condition(parsed("i < k"), narrow) is None
