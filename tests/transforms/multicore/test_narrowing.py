"""Intervals hold every value, and narrowed arithmetic gives the bits of the wide one: random expressions, evaluated."""

from __future__ import annotations

import itertools
import random
import re
import warnings

import libcst as cst
import numba
import numpy as np
import pytest

from somd.runtime.multicore.arithmetic import fermat_remainder
from somd.runtime.multicore.words import fermat_product, high_product
from somd.transforms.multicore.intervals import INT64, NOTHING, WORD, Interval, Intervals
from somd.transforms.multicore.narrowing import Narrowing, word_bits

RANGES = {"bit": (0, 1), "byte": (0, 255), "short": (0, 65535), "word": (0, 2**32 - 1), "signed": (-300, 300)}
BINARY = ("+", "-", "*", "&", "|", "^", "%", "//", "<<", ">>")
TYPES: dict[int, type[np.unsignedinteger]] = {16: np.uint16, 32: np.uint32}
CONSTANTS = (0, 1, 3, 8, 255, 256, 257, 65535, 65537, 1 << 40, -1, -7)


def expression(chance: random.Random, depth: int) -> str:
    """A random expression over the names of `RANGES`; no divisor is 0, and shifts are by less than 64."""
    if depth == 0:
        constant = chance.choice(CONSTANTS)
        return chance.choice((*RANGES, f"({constant})" if constant < 0 else str(constant)))
    operator = chance.choice(BINARY)
    left = expression(chance, depth - 1)
    if operator in ("%", "//"):
        return f"({left} {operator} {chance.choice((3, 256, 257, 65537))})"
    if operator in ("<<", ">>"):
        return f"({left} {operator} {chance.choice((0, 1, 8, 16, 31, 40))})"
    if chance.random() < 0.1:
        return f"({left} if {expression(chance, 1)} < byte else {expression(chance, depth - 1)})"
    return f"({left} {operator} {expression(chance, depth - 1)})"


def intervals() -> Intervals:
    made = Intervals(dict.fromkeys(RANGES, "int64"), {}, {}, {})
    made.names = {name: Interval(low, high) for name, (low, high) in RANGES.items()}
    return made


def wide_value(node: cst.BaseExpression, values: dict[str, int]) -> int:
    """What 64-bit arithmetic gives."""
    text = re.sub(r"\d+", r"np.int64(\g<0>)", cst.Module([]).code_for_node(node))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return int(eval(text, {"np": np}, {name: np.int64(value) for name, value in values.items()}))


@pytest.mark.parametrize("seed", range(5))
def test_random_expressions(seed: int) -> None:
    chance = random.Random(seed)
    known = intervals()
    words = {name: word_bits(value) for name, value in known.names.items() if value.within(WORD)}
    assert words == {"bit": 16, "byte": 16, "short": 16, "word": 32}
    narrowing = Narrowing(known, words, {})
    for _ in range(80):
        node = cst.parse_expression(expression(chance, 3))
        found = known.of(node)
        assert found is not None
        narrow = {
            bits: compile(cst.Module([]).code_for_node(narrowing.word(node, bits)), "narrow", "eval")
            for bits in (16, 32)
        }
        for _ in range(12):
            ends = chance.random() < 0.5
            values = {n: chance.choice(limits) if ends else chance.randint(*limits) for n, limits in RANGES.items()}
            expected = wide_value(node, values)
            assert found.low <= expected <= found.high or found == INT64, cst.Module([]).code_for_node(node)
            for bits, code in narrow.items():
                text = cst.Module([]).code_for_node(node)
                assert run(code, values, words) == TYPES[bits](expected & (1 << bits) - 1), (text, bits)


def run(code: object, values: dict[str, int], words: dict[str, int]) -> object:
    """The value of narrowed text, its words being of so many bits; an overflow wraps, as it does compiled."""
    typed = {name: TYPES[words[name]](value) if name in words else np.int64(value) for name, value in values.items()}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = eval(code, FUNCTIONS, typed)  # type: ignore[arg-type]
    assert type(found) in TYPES.values()
    return found


class _Wrapping:
    """NumPy's integer types as Numba converts to them: the low bits are kept."""

    @staticmethod
    def uint16(value: int) -> np.uint16:
        return np.uint16(int(value) & 0xFFFF)

    @staticmethod
    def uint32(value: int) -> np.uint32:
        return np.uint32(int(value) & WORD.high)

    @staticmethod
    def int64(value: int) -> np.int64:
        return np.int64(value)


def fermat_product_of(left: np.uint16, right: np.uint16) -> np.uint16:
    assert type(left) is type(right) is np.uint16
    return np.uint16(int(left) * int(right) % 65537 & 0xFFFF)


def high_product_of(left: np.uint16, right: np.uint16) -> np.uint16:
    assert type(left) is type(right) is np.uint16
    return np.uint16(int(left) * int(right) >> 16)


FUNCTIONS = {
    "np": _Wrapping,
    "fermat_remainder": fermat_remainder.py_func,
    "fermat_product": fermat_product_of,
    "high_product": high_product_of,
}


def test_a_loop_that_grows_is_anything() -> None:
    tree = cst.parse_module("x = 0\nfor k in range(9):\n    x = x + k\n    y = k * 2 & 255\n")
    known = Intervals({"x": "int64", "y": "int64", "k": "int64"}, {}, {}, {})
    known.learn(tree.body, set())
    assert known.names == {"x": INT64, "y": Interval(0, 16), "k": Interval(0, 8)}
    assert NOTHING not in known.names.values()


SHORTS = (0, 1, 2, 3, 255, 256, 257, 32767, 32768, 65534, 65535)


def test_products_of_short_words() -> None:
    chosen = random.Random(0).sample(range(1 << 16), 300)
    left, right = (
        np.array(part, np.uint16) for part in zip(*itertools.product(SHORTS, [*SHORTS, *chosen]), strict=True)
    )
    halves, remainders = _products(left, right)
    assert np.array_equal(halves, (left.astype(np.int64) * right >> 16).astype(np.uint16))
    assert np.array_equal(remainders, (left.astype(np.int64) * right % 65537).astype(np.uint16))


@numba.njit
def _products(left: np.ndarray, right: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    halves, remainders = np.empty_like(left), np.empty_like(left)
    for i in range(len(left)):
        halves[i] = high_product(left[i], right[i])
        remainders[i] = fermat_product(left[i], right[i])
    return halves, remainders


def test_a_mask_of_a_word_is_left_out() -> None:
    known = intervals()
    narrowing = Narrowing(known, {"short": 16}, {})
    texts = ("(short + short & 0xFFFF) * short & 0xFFFF", "short * short % 65537 & 0xFFFF", "short * byte >> 16")
    made = [cst.Module([]).code_for_node(narrowing.word(cst.parse_expression(text), 16)) for text in texts]
    assert made == [
        "np.uint16((short + short) * short)",
        "fermat_product(short, short)",
        "high_product(short, np.uint16(byte))",
    ]


def test_remainder_by_a_power_and_one() -> None:
    for value in (0, 1, 65535, 65536, 65537, 65538, 2**32 - 1, 65537 * 65535, 65537 * 65535 - 1):
        assert fermat_remainder(np.uint32(value), 16) == value % 65537
    assert [fermat_remainder(np.uint32(v), 4) for v in range(256)] == [v % 17 for v in range(256)]
