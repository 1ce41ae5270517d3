"""What is printed for Numba: types of the program where Numba's would be others, tests of accesses, the user's form."""

from __future__ import annotations

import ast

import numpy as np
import pytest

from somd import dist, somd
from somd.transforms.emit.python_text import Py, as_type, infix, literal
from tests.differential.features import text_of

A = dist[np.ndarray]
STEP, SIZE = 0.5, 3


@somd
def kinds(a: A, b: A, at: np.ndarray, n: int) -> None:
    for i in range(min(len(a), len(b))):
        # a tuple with a name
        pair = (a[i], a[i] + STEP)
        x, y = pair[1], pair[0]  # at once
        if x > n:  # an int that becomes a float
            b[i] = y * SIZE
        elif y < 0 or (x < 1 and a[at[i]] > 0):
            b[i] += x / (i % 7 - 3.5)
        else:
            for k in range(n, 0, -1):
                b[i] = x - (y - k)


BODY = """\
        # a tuple with a name
        pair_0, pair_1 = a[i], a[i] + STEP
        x, y = pair_1, pair_0  # at once
        if x > n:  # an int that becomes a float
            b[i] = y * SIZE
        elif y < 0.0 or (x < 1.0 and load(a, (load(at, (i,), 1, faults, rank, (i, 0, 0)),), 2, faults, rank, \
(i, 0, 0)) > 0.0):
            b[i] += x / (i % 7 - 3.5)
        else:
            for k in range(n, 0, -1):
                assume(1 <= k, k < FAR)
                b[i] = x - (y - k)
"""


def spaced(text: str) -> str:
    return text.replace("  #", " #")


def test_statements() -> None:
    text = text_of(kinds, (np.ones(3), np.ones(3), np.arange(3), 2), "multicore")
    assert spaced(BODY) in spaced(text), text
    assert "SIZE = 3.0" in text and "STEP = 0.5" in text


@somd
def narrow(a: A, b: A, out: A) -> None:
    for i in range(len(out)):
        out[i] = (a[i] + b[i]) // 3 - (-a[i])


def test_types_of_numpy_where_numba_has_others() -> None:
    ones = np.ones(3, np.int8)
    text = text_of(narrow, (ones, ones, ones), "multicore")
    assert "out[i] = np.int8(np.int8(np.int8(a[i] + b[i]) // np.int8(3)) - np.int8(-a[i]))" in text, text
    wide = np.ones(3, np.int64)
    text = text_of(narrow, (wide, wide, wide), "multicore")
    assert "out[i] = (a[i] + b[i]) // 3 - -a[i]" in text, text


@somd
def updated(y: A, row: np.ndarray, x: np.ndarray) -> None:
    for k in range(len(y)):
        y[k] += x[row[k]]


@somd
def folded(a: A) -> None:
    for i in range(len(a)):
        a[i] = i + (9223372036854775000 * 31 & 255) + (-(-9223372036854775807 - 1)) // 3 + 10**30 + ((1 << 63) - 1 - 5)


def test_what_python_would_fold_beyond_64_bits_is_written_as_it_wraps() -> None:
    text = text_of(folded, (np.arange(3),), "multicore")
    operands = [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Constant | ast.BinOp | ast.UnaryOp)]
    texts = [ast.unparse(node) for node in operands]
    numbers = [eval(each) for each in texts if not any(character.isalpha() for character in each.strip("()"))]
    assert max(map(abs, numbers)) <= 1 << 63 and max(numbers) < 1 << 63, text
    assert "9223372036854775000 * 31" not in text and str((10**30 + (1 << 63)) % (1 << 64) - (1 << 63)) in text


def test_tests_stand_before_the_statement() -> None:
    text = text_of(updated, (np.ones(3), np.arange(3), np.ones(3)), "multicore")
    assert "        at_2 = wrapped(row[k], x.shape[0])\n        if at_2 < 0:\n" in text, text
    assert "        y[k] += x[at_2]\n" in text, text


NEGATIVE = complex(-0.0, 0.0)


@somd
def filled(a: A) -> np.ndarray:
    c = np.full(3, NEGATIVE)
    d = np.full(3, -0.0)
    e = np.full(3, 0.0)
    f = np.full(3, 1.0)
    for i in range(len(a)):
        a[i] = c[i].real + d[i] + e[i] + f[i]
    return c


def test_fills_keep_the_signs_of_zeros() -> None:
    text = text_of(filled, (np.ones(3),), "multicore")
    assert "np.full(3, NEGATIVE, np.complex128)" in text and "np.full(3, -0.0, np.float64)" in text, text
    assert "np.zeros(3, np.float64)" in text and "np.ones(3, np.float64)" in text, text


@somd
def backwards(a: A, b: A, n: int) -> None:
    for i in range(n):
        b[i] = a[n - i - 1] - a[i + n - 1]


@somd
def turned(a: A, b: A, c: A) -> None:
    n = b.shape[0]
    for i in range(c.shape[0]):
        for j in range(c.shape[1]):
            for k in range(n):
                c[i, j] += a[i, n - k - 1] * b[n - k - 1, j]


def test_an_index_with_something_taken_away_is_known_not_to_be_negative() -> None:
    n = 9
    text = text_of(backwards, (np.ones(2 * n), np.ones(n), n), "multicore")
    assert "b[i] = a[np.uint64(n - i - 1)] - a[i + n - 1]" in text, text
    arrays = [np.random.default_rng(k).random((n, n)) for k in range(3)]
    text = text_of(turned, tuple(arrays), "multicore")
    assert "b_packed[k, lane] = b[np.uint64(n - k - 1), j]" in text and "a[i, n - k - 1] * b_packed" in text, text
    expected = [each.copy() for each in arrays]
    turned.__wrapped__(*expected)
    turned(*arrays)
    assert np.array_equal(expected[2], arrays[2])


@somd
def side_by_side(a: np.ndarray, b: A) -> None:
    for j in range(len(b)):
        s = t = u = -0.0
        v = b[j]
        for i in range(0, a.shape[1] - 3, 4):
            s += a[j, i] * 2.5 / 0.75 - b[j]
            t += a[j, i + 1] * 2.5 / 0.75 - b[j]
            u += a[j, i + 2] * 2.5 / 0.75 - b[j]
            v += a[j, i + 3] * 2.5 / 0.75 - b[j]
        b[j] = s + t * u - v


def test_accumulators_in_a_vector() -> None:
    b = np.arange(9.0)
    for a in (np.linspace(-1.0, 3.0, 198).reshape(9, 11, 2)[:, :, 0], np.linspace(-1.0, 3.0, 99).reshape(9, 11)):
        found, expected = b.copy(), b.copy()
        side_by_side(a, found)
        side_by_side.__wrapped__(a, expected)
        assert np.array_equal(found, expected)
    text = text_of(side_by_side, (a, b), "multicore")
    assert "s_vector = vector_of((s, t, u, v))" in text and "s, t, u, v = elements_of(s_vector)" in text, text
    assert "vector_product(vector_at(4, a, j, i), vector_of((2.5, 2.5, 2.5, 2.5)))" in text, text


@pytest.mark.parametrize(
    ("symbols", "text"),
    [("+*", "a + b * c"), ("*+", "a * (b + c)"), ("--", "a - (b - c)"), ("**", "a * (b * c)"), ("&|", "a & (b | c)")],
)
def test_brackets(symbols: str, text: str) -> None:
    a, b, c = (Py(name, "int64") for name in "abc")
    assert infix(symbols[0], a, infix(symbols[1], b, c, "int64"), "int64").text == text


def test_numbers() -> None:
    assert literal(-(1 << 63), "int64").text == "-9223372036854775807 - 1"
    assert literal((1 << 64) - 1, "uint64").text == "np.uint64(18446744073709551615)"
    assert [literal(z, "complex128").text for z in (2j, 1 + 2j, complex(0, -0.0))] == [
        "2j",
        "complex(1.0, 2.0)",
        "complex(0.0, -0.0)",
    ]
    assert as_type(Py("x", "float64"), "uint32").text == "np.uint32(float_to_unsigned(x))"
    for value in (0.1, 1e-45, 3.4e38, float("nan")):
        made = eval(literal(float(np.float32(value)), "float32").text, {"np": np})
        assert made.tobytes() == np.float32(value).tobytes()
