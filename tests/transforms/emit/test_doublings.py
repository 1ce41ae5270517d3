"""Chains that LLVM's vectoriser would follow without an end are kept from it, and others are not."""

from __future__ import annotations

from collections.abc import Sequence

from somd.transforms.emit.doublings import FEW, is_doubling
from somd.transforms.loops.making import INT64, operation, variable, whole_number
from somd.transforms.loops.program import PROVED, Assign, Element, Loop, Statement, Store

S, ROW, J = (variable(name, INT64) for name in "sij")
LINK = Assign(S, operation("^", S, operation("<<", S, whole_number(13))))


def element(array: str, *indices: object) -> Element:
    return Element(array, indices, PROVED, INT64)  # type: ignore[arg-type]


def looped(trips: int, *body: Statement, variable_: str = "r") -> Loop:
    return Loop(variable(variable_, INT64), whole_number(0), whole_number(trips), whole_number(1), body)


def loop(first: Element, links: Sequence[Statement]) -> Loop:
    last = element("h", ROW, J)
    return looped(100, Assign(S, first), *links, Store(last, operation("*", last, S)), variable_="j")


def test_long_chains_of_what_the_variable_does_not_change() -> None:
    links = [LINK] * (FEW + 1)
    assert is_doubling(loop(element("y", ROW), links))
    assert is_doubling(loop(element("y", ROW), [looped(FEW + 2, LINK)]))
    assert not is_doubling(loop(element("y", J), links))
    assert not is_doubling(loop(element("y", ROW), links[:FEW]))
    assert not is_doubling(loop(element("y", ROW), [Assign(S, operation("+", S, whole_number(3)))] * 40))


def test_a_use_in_each_trip_is_no_link_of_the_next() -> None:
    step, used = Assign(S, operation("+", S, whole_number(3))), Assign(variable("t", INT64), operation("*", S, S))
    assert not is_doubling(loop(element("y", ROW), [looped(40, step, used)]))
    back = Assign(S, operation("+", variable("t", INT64), whole_number(3)))
    assert is_doubling(loop(element("y", ROW), [looped(40, used, back)]))
