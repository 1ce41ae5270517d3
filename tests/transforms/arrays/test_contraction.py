"""Arrays that are not made: which, what becomes of their statements, and that a wrong answer would be noticed."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from somd.transforms.arrays.contraction import Contraction
from somd.transforms.arrays.leaf_lines import CHUNK
from somd.transforms.loops.printer import program_text
from tests.property.array_chains import ChainWriter
from tests.property.array_statements import HEADER, method_of, program, told
from tests.transforms.passes.shown import before_and_after, program_of_text
from tests.usual import ALL

VECTORS = {"a": "float64[:]", "b": "float64[:]", "out": "float64[:]", "k": "int64"}


def regions(body: str, **types: str) -> int:
    """How many loops `def f(a, b, out, k): body` has."""
    lines = "".join(f"    {line}\n" for line in body.split("; "))
    found = program_of_text(f"def f(a, b, out, k: int):\n{lines}", **{**VECTORS, **types})
    return program_text(found).count("region ")


def test_a_chain_is_one_loop(capsys: pytest.CaptureFixture[str]) -> None:
    text = """
        def f(a, b, out):
            t = a[1:] - a[:-1]
            t[t > 0.0] = 0.0
            u = t * b
            out[:] = u + t
    """
    before_and_after(lambda each: each, text, a="float64[:]", b="float64[:]", out="float64[:]")
    assert capsys.readouterr().out.partition("->")[0].splitlines() == [
        "t__element: float64 = a[at__0 + 1] - a[at__0]",
        "t__element_: float64 = 0.0 if (t__element > 0.0) else t__element",
        "u__element: float64 = t__element_ * b[at__0]",
        "out[at__0] = u__element + t__element_",
    ]


@pytest.mark.parametrize(
    ("body", "count"),
    [
        ("t = a * 2.0; out[:] = t + 1.0", 1),
        ("t = a * 2.0; t += b; t *= 0.5; out[1:] = t[1:] - t[:-1]", 1),
        ("t = a + b; return t * t", 1),
        ("t = a * b; u = t + a; v = u * t; w = v - u; return w * t", 1),
        ("t = a * 2.0; out[:] = t; b[:] = t * 3.0", 2),  # cheap enough to be computed twice
        ("t = a * 2.0; a += t", 1),
        ("t = a * 2.0; t = t + b; t = np.where(t > 0.0, t, -t); out[:] = t", 1),
        ("t, u = a.copy(), np.zeros(a.shape); u += t; out[:] = u", 2),
        ("t, u = a * 2.0, b + 1.0; out[:] = t * u", 1),
        ("t = a * 2.0; a[:], b[:] = b + 1.0, t", 3),  # read before `a` is written
        ("t = a + b + out; a[:] = t; b[:] = t", 1),  # made, as three arrays would be read twice, but in one loop
        ("t = a * 2.0; out[t > 0.0] = 1.0", 1),
        ("t = a * 2.0; out += t; t = a * 3.0; b += t", 2),
        ("t = a * 2.0; a[0] = 1.0; out[:] = t", 2),  # what it is made of changes
        ("t = a * k; k = k + 1; out[:] = t", 2),
        ("t = a * 2.0; u = t + b; a[1:] += 1.0; out[:] = u", 3),
        ("q = a[1:]; t = a * 2.0; q[...] = 1.0; out[:] = t", 3),
        ("t = a * 2.0; a, b = b, a; out[:] = t", 2),
        ("t = a * 2.0; return t", 1),  # it is asked for
        ("t = a * 2.0; return t[1:]* 1.0, t", 2),
        ("t = a * 2.0; t[1:] = t[:-1]; out[:] = t", 4),
        ("t = a * 2.0; t[0] = 1.0; out[:] = t", 2),
        ("t = np.exp(a); out[1:-1] = t[2:] + t[:-2]", 2),  # dear
        ("t = a * 2.0; return t[:, None] * b", 2),  # each would be computed for every b
        ("t = a * 2.0; out[0] = t.sum()", 1 if CHUNK is None else 2),
        ("t = a * b; out[:] = t / t.sum()", 2 if CHUNK is None else 3),
        ("t = np.exp(a); return t.sum()", 2 if CHUNK is None else 3),  # dear
        ("t = a * b; s = t - t.min(); return (s * s).max()", 2),
        ("t = a * 2.0; a[0] = 1.0; return t.sum()", 2 if CHUNK is None else 3),  # what it is made of changes
        ("t = np.roll(a, 1) - a; out[:] = t * np.roll(b, k)", 1),
        ("t = a * 2.0; out[:] = np.roll(t, 1)", 2),  # one of two elements
        ("t = a * 2.0; for i in range(k): out += t", 2),
    ],
)
def test_what_is_not_made(body: str, count: int) -> None:
    if "for " in body:
        body = body.replace(" out += t", "\n        out += t")
    assert regions(body) == count


def test_elements_have_the_type_of_the_array() -> None:
    text = "def f(a, out):\n    t = np.where(a > 0, 1.0, 0.5)\n    t *= 0.1\n    out[:] = t * a\n"
    found = program_text(program_of_text(text, a="float32[:]", out="float64[:]"))
    assert "float64(a[at__0])" in found


@pytest.mark.parametrize("wrong", [False, True])
def test_a_wrong_answer_is_noticed(wrong: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if wrong:
        monkeypatch.setattr(Contraction, "_stays", lambda *_: True)
    text = f"{HEADER}@somd\ndef f(a, b):\n    t = a * 2.0\n    a[1:] = b[:-1]\n    b[:] = t\n"
    method = method_of(text, f"chain_{wrong}", tmp_path)
    assert bool(told(method, [(np.arange(5.0), np.arange(5.0))], "plan")) == wrong


def test_random_chains_on_the_plan(tmp_path: Path) -> None:
    for number in range(12 if ALL else 5):
        text, found = program(number, 3, tmp_path, "plan", ChainWriter)
        assert not found or found.startswith("refused"), f"{text}\n{found}"
