"""Loops whose turns make arrays anew out of themselves: which get two buffers, and that nobody can tell."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from somd.transforms.loops.printer import program_text
from tests.property.array_statements import HEADER, method_of, told
from tests.transforms.arrays.test_contraction import VECTORS
from tests.transforms.passes.shown import program_of_text

BODIES = [
    ("a += np.roll(a, 1) - a", True),
    ("t = np.roll(a, 1) * b; s = np.roll(b, -1) - a; a += t; b -= s", True),
    ("a[:] = a[::-1] * 0.5", True),
    ("t = a[::-1] + b; s = b[::-1] - a; a[:] = t * a; b += s * a", True),  # the new elements are read
    ("t = a[::-1] * 0.5; a += t; b[:] = a[::-1]", False),
    ("a[1:] += a[:-1]", False),  # the first element stays
    ("a += a[::-1]; b[k - 1] = 1.0", False),
    ("a += a[::-1] * b[k]", False),  # there may be no such element
    ("a += a[::-1] * (b[_] + a[_])", False),  # a number, which is read before the nests
    ("a += np.roll(a, _)", True),
    ("a += a[::-1] * np.max(a)", False),
]


@pytest.mark.parametrize(("body", "buffered"), BODIES)
def test_nobody_can_tell(body: str, buffered: bool, tmp_path: Path) -> None:
    lines = "".join(f"        {each}\n" for each in body.split("; "))
    function = f"def f(a, b, k: int):\n    for _ in range(k):\n{lines}    return a * 1.0\n"
    text = program_text(program_of_text(function, **{n: t for n, t in VECTORS.items() if n != "out"}))
    assert ("a, a__next = a__next, a" in text) == buffered, text
    method = method_of(f"{HEADER}@somd\n{function}", f"buffers_{[each for each, _ in BODIES].index(body)}", tmp_path)
    given = np.linspace(0.5, 2.0, 11)
    calls = [(given.copy(), given[::-1].copy(), turns) for turns in (0, 1, 2, 3)]
    assert not told(method, [*calls, (given.copy(), given[1:].copy(), 2), (given.copy(), given.copy(), -1)], "plan")


PATHS = """
@somd
def f(path, w):
    for k in range(len(path)):
        path[:] = np.minimum(path, path[:, k, None] + path[k] + w[k])
"""


def test_arrays_that_the_turn_indexes(tmp_path: Path) -> None:
    types = {"path": "float64[:, :]", "w": "float64[:, :]"}
    text = program_text(program_of_text(PATHS.replace("@somd\n", ""), **types))
    assert "path, path__next = path__next, path" in text and text.count("region ") == 4, text
    given = np.random.default_rng(0).random((7, 7))
    calls = [(given[:m, :n].copy(), given[:k].copy()) for m, n, k in ((7, 7, 7), (6, 7, 6), (7, 5, 7), (6, 7, 5))]
    assert not told(method_of(f"{HEADER}{PATHS}", "paths", tmp_path), calls, "plan")
