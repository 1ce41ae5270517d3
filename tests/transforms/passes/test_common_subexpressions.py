"""Values taken from the first assignment have the bits of the second; what is computed again; bugs in the pass."""

from __future__ import annotations

import functools
from collections.abc import Sequence

import numpy as np
import pytest

from somd.transforms.loops.program import Program
from somd.transforms.passes.common_subexpressions import _Numbering, common_subexpressions
from tests.transforms.passes.mutation import Bug, Case, case, is_caught, validate

NUMBERS = np.linspace(-3.0, 7.0, 11)

SIGNS = """
def tail(x):
    k = 1.0 / (1.0 + 0.25 * abs(x))
    found = k * np.exp(-0.5 * x * x) * (0.75 + k)
    return 1.0 - found if x > 0.0 else found

def signs(a: A, b: A):
    for i in range(len(a)):
        x = a[i] - 2.0
        b[i] = tail(x) - a[i] * tail(-x)
"""
NEGATED = """
def negated(a: A, b: A):
    for i in range(len(a)):
        x = a[i]
        y = np.exp(x) * x
        z = np.exp(x) * -x
        u = -z / y
        b[i] = y + 2.0 * z + u
"""
SET_AGAIN = """
def set_again(a: A, b: A, n: int):
    for i in range(len(a)):
        x = a[i]
        y = np.exp(x + 1.0)
        x = x * 0.5
        z = np.exp(x + 1.0)
        if n > 2:
            x = 0.25
        u = np.exp(x + 1.0)
        v = np.exp(x + 1.0)
        y = y + 1.0
        w = np.exp(x + 1.0)
        b[i] = y + z * u + v * w
"""
ELEMENTS = """
def elements(a: A, b: A):
    for i in range(len(a)):
        y = np.exp(a[i])
        a[i] = b[i]
        z = np.exp(a[i])
        b[i] = y - z
"""
SUMS = """
def sums(a: A, b: A):
    for i in range(len(a)):
        x = a[i]
        y = np.exp(x + 1.0)
        z = np.exp(-x + 1.0)
        u = np.exp(x - 1.0)
        b[i] = y - z * u
"""


@functools.cache
def changed() -> Sequence[Case]:
    return [
        case(SIGNS, a=NUMBERS, b=NUMBERS * 0),
        case(NEGATED, a=NUMBERS, b=NUMBERS * 0),
        case(NEGATED, a=NUMBERS.astype(np.float32), b=np.zeros(11, np.float32)),
        case(SET_AGAIN, a=NUMBERS, b=NUMBERS * 0, n=1),
        case(SET_AGAIN, a=NUMBERS, b=NUMBERS * 0, n=3),
    ]


@functools.cache
def left() -> Sequence[Case]:
    return [case(ELEMENTS, a=NUMBERS, b=NUMBERS[::-1].copy()), case(SUMS, a=NUMBERS, b=NUMBERS * 0)]


def test_the_bits_stay() -> None:
    assert validate(common_subexpressions, changed()) == len(changed())


def test_what_is_computed_again() -> None:
    assert validate(common_subexpressions, left()) == 0


def test_a_signed_pair_has_one_exponential() -> None:
    from somd.transforms.loops.printer import block_text
    from somd.transforms.loops.program import Region

    made: Program = common_subexpressions(changed()[0].program)
    regions = [node for node in made.body if isinstance(node, Region)]
    assert block_text(regions[0].body).count("exp(") == 1


def same_name(self: _Numbering, name: str):  # type: ignore[no-untyped-def]
    return "name", name, 0


def no_sign(self: _Numbering, node):  # type: ignore[no-untyped-def]
    return False, value(self, node)[1]


def no_constants(self: _Numbering, node, parts):  # type: ignore[no-untyped-def]
    return type(node).__name__, node.type.dtype, *parts


value = _Numbering.value
BUGS = [
    Bug("names that are set again are the same", _Numbering, "name", same_name),
    Bug("signs are forgotten", _Numbering, "value", no_sign),
    Bug("operators are forgotten", _Numbering, "key", no_constants),
]


@pytest.mark.parametrize("bug", BUGS, ids=str)
def test_bugs_are_caught(bug: Bug) -> None:
    assert is_caught(bug, common_subexpressions, lambda: (*changed(), *left()))
