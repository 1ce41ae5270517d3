"""What the pass that lifts calls out of expressions writes."""

from __future__ import annotations

import ast
import inspect
import textwrap

import libcst as cst
import numpy as np

from somd.transforms.frontend.array_helpers import Seen, array_names, changes_arrays, written_out
from somd.transforms.frontend.lifted_calls import with_lifted_calls
from somd.transforms.frontend.source_to_method import method_of
from somd.transforms.tree.loops import statements_of


def total(a):
    s = 0
    for i in range(len(a)):
        s += a[i]
    return s


def raised(a, k):
    for i in range(len(a)):
        a[i] += k
    return k


def lifted(function) -> str:
    method = method_of(function)
    arrays, seen, changing = array_names(method), Seen(), Seen()

    def changes(call: cst.Call) -> bool:
        found = written_out(call, method, arrays, seen)
        return found is not None and changes_arrays(found, changing)

    made = with_lifted_calls(method, lambda call: written_out(call, method, arrays, seen) is not None, changes)
    lines = [cst.Module([]).code_for_node(s) for s in statements_of(made.function.body)]
    return ast.unparse(ast.parse("".join(lines)))


def body_of(function) -> str:
    lines = inspect.getsource(function).splitlines()[1:]
    return ast.unparse(ast.parse(textwrap.dedent("\n".join(lines))))


def test_what_may_stand_before_stays() -> None:
    def before(a: np.ndarray) -> int:
        x = 2 * total(a) + a[0]
        if x > total(a):
            x += raised(a, 1)
        return total(a)

    assert lifted(before) == body_of(before)


def test_what_is_read_before_a_change_is_kept() -> None:
    def given(a: np.ndarray) -> int:
        return a[0] + raised(a, a[1]) * a[2]

    def wanted(a: np.ndarray) -> int:
        before = a[0]
        raised__value = raised(a, a[1])
        return before + raised__value * a[2]

    assert lifted(given) == body_of(wanted)


def test_an_element_on_the_left_is_read_first() -> None:
    def given(a: np.ndarray, i: int) -> None:
        a[i + 1] += raised(a, 1)

    def wanted(a: np.ndarray, i: int) -> None:
        before = i + 1
        before_ = a[before]
        raised__value = raised(a, 1)
        a[before] = before_ + raised__value

    assert lifted(given) == body_of(wanted)


def test_short_circuits() -> None:
    def given(a: np.ndarray, x: int) -> int:
        while x > 0 and total(a) > x:
            x -= 1
        y = x or total(a)
        return total(a) if y else x < total(a) < raised(a, 2)

    def wanted(a: np.ndarray, x: int) -> int:
        while True:
            test = not not x > 0  # noqa: SIM208
            if test:
                total__value = total(a)
                test = not not total__value > x  # noqa: SIM208
            if not test:
                break
            x -= 1
        either = x
        if not either:
            total__value_ = total(a)
            either = total__value_
        y = either
        if y:
            total__value__ = total(a)
            chosen = total__value__
        else:
            total__value___ = total(a)
            holds = not not x < total__value___  # noqa: SIM208
            if holds:
                raised__value = raised(a, 2)
                holds = not not total__value___ < raised__value  # noqa: SIM208
            chosen = holds
        return chosen

    assert lifted(given) == body_of(wanted)
