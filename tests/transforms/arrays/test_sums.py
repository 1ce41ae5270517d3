"""What is summed once, where, and under which name; the bits are those of NumPy whatever the length."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from somd.transforms.loops.printer import program_text
from tests.property.array_statements import HEADER, method_of, told
from tests.transforms.passes.shown import program_of_text

MATRIX = {"x": "float64[:, :]"}


def shown(body: str) -> str:
    lines = body.replace("; ", "\n    ")
    return program_text(program_of_text(f"def f(x):\n    {lines}\n", **MATRIX))


def test_a_mean_and_a_deviation_have_one_sum() -> None:
    text = "return (x - np.mean(x, axis=0)) / np.std(x, axis=0)"
    assert shown(text).count("region ") == shown("return x / np.std(x, axis=0)").count("region ")


def test_a_sum_is_made_under_the_name_that_it_gets() -> None:
    lines = shown("s = np.sum(x, axis=0); return s").splitlines()
    assert lines[1] == "    s: float64[max(length(x, 1), 0)]" or lines[1] == "    s: float64[length(x, 1)]"
    assert sum("region " in line for line in lines) == 1


def test_short_rows_and_long_ones(tmp_path: Path) -> None:
    text = f"{HEADER}@somd\ndef f(x):\n    s = x.sum(axis=1)\n    t = (x * x).sum(axis=1)\n    s += t\n    return s\n"
    random = np.random.default_rng(0)
    calls = [(random.random((3, columns)) - 0.5,) for columns in (0, 1, 7, 8, 17, 128, 129)]
    assert not told(method_of(text, "rows", tmp_path), calls, "plan")


def test_all_elements_of_several_axes(tmp_path: Path) -> None:
    """They are counted along rows, in memory or not."""
    method = method_of(f"{HEADER}@somd\ndef f(x):\n    return x.sum()\n", "counted", tmp_path)
    random = np.random.default_rng(0)
    for shape in ((1, 1, 1), (2, 7, 19), (3, 1, 130), (5, 6, 40)):
        x = random.random(shape)
        assert method(x) == method(np.asfortranarray(x)) == method.sequential(x)
    assert "counted_vector(8, 3, x, " in method.source("multicore")
