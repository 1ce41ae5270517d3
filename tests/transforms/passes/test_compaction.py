"""Filters without branches keep what filters keep, and touch no other place."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import pytest

import somd
from somd.transforms.loops.making import whole_number
from somd.transforms.loops.program import Scan
from somd.transforms.loops.walking import statements_in
from somd.transforms.passes import compaction as module
from somd.transforms.passes.compaction import compaction
from tests.golden.positive.input import positive
from tests.transforms.passes.mutation import Bug, Case, case, is_caught, validate
from tests.transforms.passes.shown import program_of_text

STEP = partial(compaction, lanes=8)
TYPES = {"a": "float64[:]", "b": "int64[:]", "out": "float64[:]", "at": "int64[:]", "m": "int64"}
TAKEN = (
    "if a[i] > 0.0:\n    out[k] = a[i]\n    k += 1",
    "if b[i] % 3 == 0 and b[i] < 6:\n    at[k] = i\n    k += 1",
    "x = a[i] * 2.0 + b[i]\nif x > 0.0:\n    out[k] = x - 1.0\n    at[k] = b[i]\n    k += 1",
    "if a[i] > 0.0:\n    out[k] = a[i]\n    k += 1\nelse:\n    at[j] = i\n    j += 1",
    "if a[i] > 0.0:\n    k += 1\nelse:\n    out[j] = a[i]\n    j += 1",
    "if i < m and a[i + 1] > 0.0:\n    at[k] = i\n    k += 1",
)
LEFT = (
    "if b[i] > 0:\n    out[k] = a[i]\n    k += 1",  # a[i] is not read by the others
    "if i < m and a[i + 1] > 0.0:\n    out[k] = a[i + 1]\n    k += 1",
    "if a[i] > 0.0:\n    out[k] += a[i]\n    k += 1",
    "if a[i] > 0.0:\n    out[k] = a[i]\n    out[k + 1] = a[i]\n    k += 2",
    "if a[i] > 0.0:\n    out[k] = np.exp(a[i])\n    k += 1",
    "if a[i] > 0.0:\n    out[k] = k\n    k += 1",
    "if a[i] > 0.0:\n    out[k] = a[i]\n    k += 1\nat[i] = k",
    "x = a[i]\nif x > 0.0:\n    out[k] = x\n    k += 1\n    j = i",
)


def text_of(inner: str) -> str:
    lines = "".join(f"        {line}\n" for line in inner.splitlines())
    return (
        "def f(a: A, b: A, out: A, at: A, m: int):\n    k = 1\n    j = 0\n    for i in range(len(b)):\n"
        f"{lines}    return k, j\n"
    )


@pytest.mark.parametrize("inner", [*TAKEN, *LEFT])
def test_what_is_taken(inner: str) -> None:
    program = STEP(program_of_text(text_of(inner), **TYPES))
    [scan] = [node for node in statements_in(program.body) if isinstance(node, Scan)]
    assert (scan.region.strips is not None) == (inner in TAKEN)


def cases() -> list[Case]:
    generator = np.random.default_rng(5)
    found = []
    for inner in TAKEN:
        for n, room in ((0, 1), (7, 9), (30, 40), (30, 5)):
            given: dict[str, Any] = {
                "a": generator.integers(-3, 4, n + 1) / 2, "b": generator.integers(-9, 9, n),
                "out": np.full(room, 77.0), "at": np.full(room, 88), "m": n,
            }  # fmt: skip
            found.append(case(text_of(inner), **given))
    return found


def test_filters_without_branches_give_what_filters_give() -> None:
    assert validate(STEP, cases()) > 12


BUGS = (
    Bug("any place is inside", module, "length", lambda array, axis: whole_number(1 << 40)),
    Bug("one place more is filled", module, "_compared", partial(lambda of, _, *x: of("<=", *x), module._compared)),
    Bug("both branches go by the condition", module, "operation",
        partial(lambda of, name, *x: x[0] if name == "not" else of(name, *x), module.operation)),
)  # fmt: skip


@pytest.mark.parametrize("bug", BUGS, ids=str)
def test_bugs_are_caught(bug: Bug) -> None:
    assert is_caught(bug, STEP, cases)


def test_what_stands_behind_is_not_touched() -> None:
    a = np.random.default_rng(6).uniform(-1, 1, 5000)
    kept = a[a > 0]
    for workers in (1, 3):
        out = np.full(len(kept) + 4, 7.0)
        with somd.use(target="multicore", workers=workers):
            assert positive(a, out) == len(kept)
            assert out[: len(kept)].tolist() == kept.tolist() and (out[len(kept) :] == 7.0).all()
            with pytest.raises(IndexError):
                positive(a, out[: len(kept) - 1])
