"""Arithmetic in words gives the bits of the wide one, over random methods; bugs in the pass are seen."""

from __future__ import annotations

import functools
import random
from collections.abc import Sequence
from dataclasses import replace
from functools import partial

import numpy as np
import pytest

from somd.transforms.loops.making import cast, constant, operation
from somd.transforms.loops.program import Cast, Interval, Operation
from somd.transforms.loops.walking import expressions_in
from somd.transforms.passes import bit_widths as module
from somd.transforms.passes import value_ranges as value_ranges_module
from somd.transforms.passes.bit_widths import _Narrowing, bit_widths, unsigned
from somd.transforms.passes.value_ranges import value_ranges
from tests.transforms.passes.mutation import Bug, Case, case, is_caught, validate

BINARY = ("+", "-", "*", "&", "|", "^", "%", "//", "<<", ">>")
CONSTANTS = (0, 1, 3, 8, 255, 256, 257, 65535, 65537, 1 << 31, (1 << 32) - 1, 1 << 40, -1, -7)
#: what elements are, by the name of the array
ARRAYS = {"bytes_": np.uint8, "shorts": np.uint16, "words": np.uint32, "ints": np.int32, "longs": np.int64}
FILLS = (0, 1, -1, 255, 256, 65535, 65536, (1 << 31) - 1, -(1 << 31), (1 << 32) - 1, 12345678901, -98765432109)


def run(program):  # type: ignore[no-untyped-def]
    return bit_widths(value_ranges(program), 32)


def filled(dtype: type, seed: int) -> np.ndarray:
    """Elements near the limits of a type, and others."""
    limits, chance = np.iinfo(dtype), random.Random(seed)
    values = [value for value in FILLS if limits.min <= value <= limits.max]
    return np.array([*values, *(chance.randint(limits.min, limits.max) for _ in range(24 - len(values)))], dtype)


def expression(chance: random.Random, depth: int, names: Sequence[str]) -> str:
    """A random expression of integers; divisors are mostly constants."""
    if depth == 0:
        constant = chance.choice(CONSTANTS)
        array = f"np.int64({chance.choice(tuple(ARRAYS))}[i])"
        return chance.choice((*names, array, array, f"({constant})"))
    operator, left = chance.choice(BINARY), expression(chance, depth - 1, names)
    if chance.random() < 0.3:
        return f"({left} & {chance.choice((1, 255, 65535, 0xFFFFF, (1 << 32) - 1))})"
    if operator in ("%", "//"):
        divisor = expression(chance, 0, names) if chance.random() < 0.2 else chance.choice((3, 256, 257, 65537, 1000))
        return f"({left} {operator} {divisor})"
    if operator in ("<<", ">>"):
        return f"({left} {operator} {chance.choice((0, 1, 8, 16, 31, 32, 40))})"
    right = expression(chance, depth - 1, names)
    if chance.random() < 0.1:
        return f"({left} if {expression(chance, 1, names)} < {right} else {right})"
    return (
        f"{chance.choice(('min', 'max'))}({left}, {right})" if chance.random() < 0.1 else f"({left} {operator} {right})"
    )


def random_method(seed: int) -> Case:
    """A method of random assignments, in a loop among others."""
    chance = random.Random(seed)
    lines, names = [], ["i"]
    for name in ("x", "y", "z"):
        lines.append(f"{name} = {expression(chance, 3, names)}")
        names.append(name)
    lines.append("for k in range(3):")
    lines += [f"    {name} = {expression(chance, 3, [*names, 'k'])}" for name in ("x", "y")]
    lines += [f"out[i] = {expression(chance, 2, names)}", f"small[i] = {expression(chance, 3, names)} & 65535"]
    lines.append(f"real[i] = {expression(chance, 2, names)} if x < {expression(chance, 2, names)} else y")
    parameters = ", ".join(f"{name}: A" for name in (*ARRAYS, "out", "small", "real"))
    text = "\n        ".join([f"def random_{seed}({parameters}):\n    for i in range(len(out)):", *lines])
    given = {name: filled(dtype, seed) for name, dtype in ARRAYS.items()}
    return case(text, **given, out=np.zeros(24, np.int64), small=np.zeros(24, np.uint16), real=np.zeros(24))


@pytest.mark.parametrize("seed", range(12))
def test_random_methods(seed: int) -> None:
    with np.errstate(all="ignore"):
        assert validate(run, [random_method(seed)])


CIPHER = """
def cipher(words: A, key: np.ndarray, out: A, bits: A):
    for i in range(len(words)):
        x = np.int64(words[i])
        y = x ^ 21845
        for k in range(4):
            x = x * key[k] % 65537 & 0xFFFF
            y = y - key[k] - 70000 & 0xFFFF
            t = x
            x = y
            y = t
        out[i] = x * 65536 + y
        bits[i] = (x << 3) >> 2
"""
COMPARED = """
def compared(a: A, b: A, out: A):
    for i in range(len(a)):
        x = np.int64(a[i])
        y = np.int64(b[i]) - 3
        z = x * 60000
        w = z * x
        out[i] = (z % 1000 < y) + w // 7 + (w >> 33) + (y - x) // 10 + (y - x) % 10
"""
SHIFTED = """
def shifted(a: A, b: A, out: A):
    for i in range(len(a)):
        x = np.int64(a[i])
        n = np.int64(b[i]) & 63
        z = x * 3 % 7
        out[i] = (x << n) % 1000 + (x >> n) + (z << 40) + z
"""
GROWING = """
def growing(a: A, out: A):
    for i in range(len(a)):
        x = np.int64(a[i])
        s = 0
        for k in range(9):
            s = s + x
        if x > 100:
            x = x & 7
        out[i] = s * 5 % 1000 + x * 60000 % 7
"""
LARGEST = """
def largest(a: A, start: int):
    best = start
    for i in range(len(a)):
        x = np.int64(a[i]) * 60000 % 65537
        if x > best:
            best = x
    return best
"""


@functools.cache
def cases() -> tuple[Case, ...]:
    shorts, bytes_ = filled(np.uint16, 1), filled(np.uint8, 2)
    return (
        case(CIPHER, words=shorts, key=filled(np.int32, 3), out=np.zeros(24, np.int64), bits=np.zeros(24, np.uint8)),
        case(COMPARED, a=shorts, b=bytes_, out=np.zeros(24, np.int64)),
        case(SHIFTED, a=shorts, b=bytes_, out=np.zeros(24, np.int64)),
        case(GROWING, a=shorts, out=np.zeros(24, np.int64)),
        case(LARGEST, a=shorts, start=(1 << 40) + 77),
    )


def test_all_are_narrowed() -> None:
    assert validate(run, cases()) == len(cases())


def test_the_cipher_has_no_long_product_left() -> None:
    made = run(cases()[0].program)
    products = [node for node in expressions_in(made.body) if isinstance(node, Operation) and node.operator in "*%"]
    assert {node.type.dtype for node in products} == {"uint32", "int32"}


def test_what_saves_nothing_stays() -> None:
    text = "def sums(a: A, b: A):\n    for i in range(len(a)):\n        b[i] = np.int64(a[i]) + 3 + np.int64(a[i]) * 4"
    made = value_ranges(case(text, a=filled(np.uint8, 1), b=np.zeros(24, np.int64)).program)
    assert bit_widths(made, 32) is made


def without_cast(self: _Narrowing, node):  # type: ignore[no-untyped-def]
    found = plain(self, node)
    return found.operand if isinstance(found, Cast) and found.operand.type.dtype == "uint32" else found


def whole_factor(self: _Narrowing, node, divisor):  # type: ignore[no-untyped-def]
    made = cast(self.word(node, self.longest), unsigned(self.longest))
    return replace(made, range=Interval(0, 65535))


def swapped(self: _Narrowing, node):  # type: ignore[no-untyped-def]
    made = divided(self, node)
    return made if made is None else operation(made.operator, *reversed(made.operands))


def bits_lost(self: _Narrowing, node, bits):  # type: ignore[no-untyped-def]
    made = narrow(self, node, bits)
    return made if made is None else operation("&", made, constant(65535, made.type))


def all_names(body, names, word):  # type: ignore[no-untyped-def]
    return frozenset(name for name in names if name != "out")


plain, divided, narrow = _Narrowing.plain, _Narrowing.divided, _Narrowing.narrow
BUGS = [
    Bug("all operators are modular", module, "MODULAR", (*module.MODULAR, ">>", "//", "%", "min", "max")),
    Bug("all numbers fit", module, "fits", lambda node, bits: True),
    Bug("words are read without a cast", _Narrowing, "plain", without_cast),
    Bug("factors are taken whole", _Narrowing, "factor", whole_factor),
    Bug("dividend and divisor are swapped", _Narrowing, "divided", swapped),
    Bug("bits are lost", _Narrowing, "narrow", bits_lost),
    Bug("each scalar is a word", module, "_fitting", all_names),
    Bug("what trips hand on is their own", value_ranges_module, "given_to", lambda region: frozenset()),
    Bug("intervals are of the last assignment", value_ranges_module, "joined", lambda one, other: other),
    Bug("what grows without end stays", value_ranges_module, "whole", lambda type_: Interval(0, 1000)),
    Bug("shifts are by any number", module, "inside", lambda inner, outer: True),
]


@pytest.mark.parametrize("bug", BUGS, ids=str)
def test_bugs_are_caught(bug: Bug) -> None:
    assert is_caught(bug, run, cases)


def test_words_of_another_width() -> None:
    assert validate(lambda program: partial(bit_widths, word=16)(value_ranges(program)), cases())
