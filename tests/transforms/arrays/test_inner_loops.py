"""Loops around array statements that go inside: which, and that nobody can tell."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from somd.transforms.loops.printer import program_text
from tests.property.array_statements import HEADER, method_of, told
from tests.transforms.arrays.test_contraction import VECTORS
from tests.transforms.passes.shown import before_and_after, program_of_text


def test_elements_stay_where_they_are(capsys: pytest.CaptureFixture[str]) -> None:
    text = """
        def f(a, b, k: int):
            for _ in range(k):
                t = a * b
                a += t
                b = t
            return a
    """.replace("b = t", "b -= t")
    before_and_after(lambda each: each, text, a="float32[:]", b="float32[:]", k="int64")
    assert capsys.readouterr().out.partition("->")[0].splitlines() == [
        "a__element: float32 = a[at__0]",
        "b__element: float32 = b[at__0]",
        "for _ from 0 to k",
        "    t__element: float32 = a__element * b__element",
        "    a__element: float32 = a__element + t__element",
        "    b__element: float32 = b__element - t__element",
        "a[at__0] = a__element",
        "b[at__0] = b__element",
    ]


BODIES = [
    ("y = np.zeros(a.shape)", "y = y * 0.5 + a", "return y", True),
    ("y, z = a.copy(), a * b", "y, z = z, y", "return y - z", False),
    ("y, z = a.copy(), np.zeros(b.shape)", "y = y * b; z += y", "return z", True),
    ("y, z = a.copy(), b * 1.0", "y = y * b; a += y", "return z + a", True),  # the copy is needed
    ("y, z = a.copy(), b * 1.0; b += y; z += 1.0", "y = y * b; z += y", "return z", True),
    ("y = a * 2.0", "m = y > b; y = np.where(m, y - b, y + b); a += m", "return y", True),
    ("y = a * 2.0", "z = y * y; y = z", "return y", True),
    ("y = a * 2.0", "z = y + b; y = z * b", "return y, z", False),  # z is asked for behind the loop
    ("y = a", "y = y * b", "return y + a", False),  # y is a in the first turn
    ("y = a * 2.0; z = y", "y += b", "return z * 1.0", False),  # two names for one array
    ("", "a = a * b", "return a", False),  # the caller's array stays as it is
    ("", "a[1:] += a[:-1]", "return b", False),
    ("", "a += _", "return a", False),
    ("n = k", "n = n + 1; a += n", "return a", False),
    ("for j in range(2):; y = a * j", "y = y * b", "b += y", True),
]

REFUSED = ("y = a", "y = a * 2.0; z = y")


def text_of(before: str, turn: str, behind: str) -> str:
    if before.startswith("for "):
        lines = ["for j in range(2):", "    y = a * j", "    for _ in range(k):", f"        {turn}", f"    {behind}"]
    else:
        lines = [*before.split("; "), "for _ in range(k):", *(f"    {each}" for each in turn.split("; ")), behind]
    return f"{HEADER}@somd\ndef f(a, b, k: int):\n" + "".join(f"    {line}\n" for line in lines if line)


@pytest.mark.parametrize(("before", "turn", "behind", "goes"), BODIES)
def test_nobody_can_tell(before: str, turn: str, behind: str, goes: bool, tmp_path: Path) -> None:
    number = [each[1] for each in BODIES].index(turn)
    method = method_of(text_of(before, turn, behind), f"turns_{number}", tmp_path)
    given = np.linspace(0.5, 2.0, 11)
    calls = [(given.copy(), given[::-1].copy(), turns) for turns in (3, 0, 1)]
    found = told(method, [*calls, (given.copy(), given[1:].copy(), 0), (given.copy(), given[1:].copy(), 2)], "plan")
    assert not found or (found.startswith("refused: SOMD202") and not goes), found


@pytest.mark.parametrize(("before", "turn", "behind", "goes"), [e for e in BODIES if e[0] not in REFUSED])
def test_which_go_inside(before: str, turn: str, behind: str, goes: bool) -> None:
    text = text_of(before, turn, behind).partition("@somd\n")[2]
    types = {name: kind for name, kind in VECTORS.items() if name != "out"}
    lines = program_text(program_of_text(text, **types)).splitlines()
    assert (depth_of(lines, "for _ from") > depth_of(lines, "region ", -1)) == goes


def depth_of(lines: list[str], start: str, which: int = 0) -> int:
    found = [len(line) - len(line.lstrip()) for line in lines if line.lstrip().startswith(start)]
    return found[which]
