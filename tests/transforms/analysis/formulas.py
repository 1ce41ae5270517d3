"""Random affine expressions and conditions as source text, and a scope in which they mean something."""

from __future__ import annotations

import libcst as cst
from hypothesis import strategies as st

from somd.transforms.analysis.affine import Scope
from somd.transforms.frontend.source_to_method import method_of

NAMES = ("i", "n", "k")


def _sample(a, i, n, k):  # type: ignore[no-untyped-def]
    i = i + 0


def scope() -> Scope:
    """A scope with integers i, n, k and an array a."""
    return Scope(method_of(_sample), frozenset({"a"}))


def parsed(text: str) -> cst.BaseExpression:
    return cst.parse_expression(text)


def _grown(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    constant = st.integers(-4, 4).map(lambda c: f"({c})")
    divisor = st.integers(1, 4).map(str)
    return st.one_of(
        st.tuples(inner, st.sampled_from("+-"), inner).map(lambda t: f"({t[0]} {t[1]} {t[2]})"),
        st.tuples(constant, inner).map(lambda t: f"{t[0]} * ({t[1]})"),
        st.tuples(inner, constant).map(lambda t: f"({t[0]}) * {t[1]}"),
        st.tuples(inner, divisor).map(lambda t: f"({t[0]}) // {t[1]}"),
        st.tuples(inner, divisor).map(lambda t: f"({t[0]}) % {t[1]}"),
        inner.map(lambda t: f"-({t})"),
    )


EXPRESSIONS = st.recursive(
    st.one_of(st.sampled_from(NAMES), st.integers(-6, 6).map(lambda c: f"({c})")), _grown, max_leaves=5
)
COMPARISONS = st.tuples(EXPRESSIONS, st.sampled_from(("<", "<=", ">", ">=", "==", "!=")), EXPRESSIONS).map(" ".join)
CHAINS = st.tuples(EXPRESSIONS, st.just("<"), EXPRESSIONS, st.just("<="), EXPRESSIONS).map(" ".join)
CONDITIONS = st.recursive(
    st.one_of(COMPARISONS, COMPARISONS, CHAINS),
    lambda inner: st.one_of(
        st.tuples(inner, st.sampled_from(("and", "or")), inner).map(lambda t: f"({t[0]}) {t[1]} ({t[2]})"),
        inner.map(lambda t: f"not ({t})"),
    ),
    max_leaves=3,
)
VALUES = st.fixed_dictionaries({name: st.integers(-9, 9) for name in NAMES})
