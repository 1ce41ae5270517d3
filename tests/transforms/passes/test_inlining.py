"""Calls written out give the bits of the calls; what is not written out; bugs in the pass."""

from __future__ import annotations

import functools

import numpy as np
import pytest

from somd.transforms.loops.program import HelperCall, Program, Unpack
from somd.transforms.loops.walking import expressions_in, statements_in
from somd.transforms.passes import inlining as module
from somd.transforms.passes.inlining import Inliner, inlining
from tests.transforms.passes.mutation import Bug, Case, case, is_caught, validate

NUMBERS = np.linspace(-3.0, 7.0, 9)


def calls(program: Program) -> int:
    """How many calls the regions and the master have left."""
    made = inlining(program).body
    unpacked = sum(isinstance(node, Unpack) for node in statements_in(made))
    return unpacked + sum(isinstance(each, HelperCall) for each in expressions_in(made))


NESTED = """
def scaled(x, by):
    lo = x * by
    return lo + 0.5

def walked(x, steps):
    x = x * 0.5
    total = 0.0
    for k in range(steps):
        total += scaled(x, k) * scaled(total, 0.25)
        if k == 2:
            total += 1.0
    return scaled(total, 2.0) + x

def nested(a: A, b: A, lo: int):
    for i in range(len(a)):
        total = 0.25
        # both are the user's
        b[i] = walked(a[i], lo) + walked(walked(b[i], 3), 2)  # and this is behind
        total = scaled(total, total) + scaled(total, a[i])
        b[i] = b[i] + total
"""
CONSTANT = """
def chosen(x, kind):
    y = x
    if kind == 1:
        y = y + 1.0
    elif kind == 2:
        y = y * 2.0
    return y

def constant(a: A, kind: int):
    for i in range(len(a)):
        a[i] = chosen(a[i], 0) + chosen(a[i], 1) * chosen(a[i], 2) + chosen(a[i], kind)
"""
TUPLES = """
def turned(x, y):
    s = x + 0.25 * y
    return s, y - x

def tuples(a: A, b: A):
    for i in range(len(a)):
        p, q = turned(a[i], b[i])
        q, p = turned(p, q)
        p, q = turned(q, p)
        both = turned(p, q)
        both = turned(both[1], both[0])
        p = p + both[0] - both[1]
        a[i], b[i] = p, q
"""
PARTS = """
def around(x):
    return x - 1.0, x + 1.0

def parts(a: A):
    for i in range(len(a)):
        for k in range(3):
            x, y = around(a[i] + k)
            y, x = around(x * y)
            a[i] = x * 0.5 + y
"""
SWAPPED = """
def both(x, y):
    p, q = y, x
    p, q = q + p, p
    return p * 2.0 - q

def swapped(a: A):
    for i in range(len(a)):
        a[i] = both(a[i], 0.5) + both(both(a[i], a[i]), a[i])
"""
LAZY = """
def early(x):
    if x > 1.0:
        return x
    return x * 0.5

def late(x):
    y = x * x
    return y - 1.0

def lazy(a: A, c: np.ndarray, at: np.ndarray):
    for i in range(len(a)):
        a[i] = early(a[i]) + (late(a[i]) if late(a[i]) > 2.0 else 0.0)
        if a[i] > 1.0 and late(a[i]) > 3.0:
            a[i] = a[i] - 1.0
        a[i] = a[i] + c[at[i]] + late(c[at[i] - 1])
"""


@functools.cache
def written_out() -> tuple[Case, ...]:
    return (
        case(NESTED, a=NUMBERS, b=NUMBERS[::-1].copy(), lo=4),
        case(CONSTANT, a=NUMBERS, kind=2),
        case(TUPLES, a=NUMBERS, b=NUMBERS[::-1].copy()),
        case(PARTS, a=NUMBERS),
        case(SWAPPED, a=NUMBERS.astype(np.float32)),
        case(LAZY, a=NUMBERS, c=NUMBERS[:3].copy(), at=np.array([0, 1, 2, -1, -2, 0, 0, 1, 2])),
        case(LAZY, a=NUMBERS, c=NUMBERS[:3].copy(), at=np.array([0, 1, 2, 9, -2, 0, 7, 1, 2])),
    )


def test_calls_are_written_out() -> None:
    assert validate(inlining, written_out()) == len(written_out())
    assert [calls(each.program) for each in written_out()] == [0, 0, 1, 0, 0, 4, 4]


def test_conditions_on_constants_are_decided() -> None:
    made = inlining(written_out()[1].program)
    tests = [each.test for each in statements_in(made.body) if isinstance(each, module.If)]
    assert len(tests) == 2  # of `kind`, which is no constant


def test_there_is_an_end() -> None:
    text = "def long(x):\n" + "".join(f"    y{k} = x * {k}.5\n" for k in range(25)) + "    return y24\n\n"
    text += "def twice(a: A):\n    for i in range(len(a)):\n        a[i] = long(a[i]) + long(1.0) + long(2.0)\n"
    made = case(text, a=NUMBERS)
    assert calls(made.program) == 1
    validate(inlining, [made])


def test_nothing_to_do() -> None:
    program = case("def plain(a: A):\n    for i in range(len(a)):\n        a[i] = a[i] + 1.0\n", a=NUMBERS).program
    assert inlining(program) is program


def test_comments_go_before_and_behind() -> None:
    made = statements_in(inlining(written_out()[0].program).body)
    comments = [getattr(node, "origin", module.NOWHERE) for node in made]
    assert [each.comments for each in comments if each.comments] == [("# both are the user's",)]
    assert [each.behind for each in comments if each.behind] == ["# and this is behind"]


def always_evaluated(self: Inliner, node, before):  # type: ignore[no-untyped-def]
    changed = module.with_operands(node, lambda each: self.value(each, before))
    function = self.functions.get(changed.function) if isinstance(changed, HelperCall) else None
    return changed if function is None else self.parts(function, changed.operands, before)[changed.part or 0]


def same_names(self: Inliner, name: str) -> str:
    return name


def other_part(self: Inliner, function, operands, before):  # type: ignore[no-untyped-def]
    return tuple(reversed(parts(self, function, operands, before)))


def nothing_before(self: Inliner, function, operands, before):  # type: ignore[no-untyped-def]
    return parts(self, function, operands, [])


def other_branch(test):  # type: ignore[no-untyped-def]
    found = decided(test)
    return found if found is None else not found


parts, decided = Inliner.parts, module._decided
BUGS = [
    Bug("names of helpers stay", Inliner, "new", same_names),
    Bug("parts are taken for others", Inliner, "parts", other_part),
    Bug("statements are lost", Inliner, "parts", nothing_before),
    Bug("the other branch is taken", module, "_decided", other_branch),
    Bug("every helper has one end", module, "_has_one_end", lambda function: True),
    Bug("targets are not read again", module, "read", lambda *nodes: set()),
    Bug("parameters that change are what was given", module, "assigned", lambda body: set()),
    Bug("what fails does so behind what is written out", module, "tests_accesses", lambda body: False),
]


@pytest.mark.parametrize("bug", BUGS, ids=str)
def test_bugs_are_caught(bug: Bug) -> None:
    assert is_caught(bug, inlining, written_out)
