"""Loops of array statements that follow each other: which become one, and that a wrong answer would be noticed."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from somd.transforms.arrays.nests import Nests
from somd.transforms.loops.printer import program_text
from tests.property.array_statements import HEADER, method_of, told
from tests.transforms.passes.shown import program_of_text

VECTORS = {"a": "float64[:]", "b": "float64[:]", "c": "float64[:]", "i": "int64[:]"}


@pytest.mark.parametrize(
    ("body", "count"),
    [
        ("a[1:-1] += 1.0; a[1:-1] *= 2.0", 1),
        ("a[:] = b; a[...] += b; a[:] *= b", 1),  # lengths are tested once, before
        ("a[:] = b; b += 1.0", 1),
        ("a[:] = b; t = a * b; b += 1.0; return t", 1),  # a new array comes before both
        ("a[:] = b; a[1:] = 0.0", 2),  # other indexes
        ("a[:] = b; b[:] = a[::-1]", 2),  # iterations meet
        ("a[:] = b; k = a[0]; b += k", 2),
        ("a[:] = b; k = 1 // len(c); b += k", 2),  # it may fail
        ("a[:] = b; b += c", 2),  # lengths may differ, which raises when `a` has been written
        ("a[:] = b; b[:] = a[i]", 2),  # an index may be outside
        ("b[:] = a[i]; a[:] = b", 2),
        ("b[:] = a; return a + b, a * b", 1),
    ],
)
def test_what_becomes_one_loop(body: str, count: int) -> None:
    lines = "".join(f"    {line}\n" for line in body.split("; "))
    found = program_text(program_of_text(f"def f(a, b, c, i):\n{lines}", **VECTORS))
    assert found.count("region ") == count


@pytest.mark.parametrize("wrong", [False, True])
def test_a_wrong_answer_is_noticed(wrong: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if wrong:
        monkeypatch.setattr(Nests, "goes_in_place", lambda *_: True)
    text = f"{HEADER}@somd\ndef f(a, b):\n    a[:] = b + 1.0\n    b[:] = a[::-1]\n"
    method = method_of(text, f"joined_{wrong}", tmp_path)
    assert bool(told(method, [(np.arange(5.0), np.arange(5.0))], "plan")) == wrong
