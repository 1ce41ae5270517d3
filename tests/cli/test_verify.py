"""`somdc verify`."""

from __future__ import annotations

from pathlib import Path

import pytest

import somd
from tests.cli.conftest import ADD, REFUSED, Somdc, Write

PROGRAM = """
from typing import Annotated
import numpy as np
from somd import dist, reduce, somd, sync


@somd
def relaxed(a: dist[np.ndarray]) -> None:
    with sync(relaxed=True):
        for i in range(1, len(a)):
            # the element before
            a[i] = a[i - 1] * 0.5 + a[i]


def mean(parts):
    return sum(parts) / len(parts)


def last(parts):
    return parts[-1]


@somd
def average(a: dist[np.ndarray]) -> Annotated[float, reduce(mean)]:
    s = 0.0
    for x in a:
        s += x
    return s / len(a)


@somd
def final(a: dist[np.ndarray]) -> Annotated[float, reduce(last)]:
    s = 0.0
    for i in range(len(a)):
        s = a[i]
    return s


@somd
def rows(y: dist[np.ndarray], start: np.ndarray, column: np.ndarray, x: np.ndarray) -> None:
    for i in range(len(y)):
        total = 0.0
        for k in range(start[i], start[i + 1]):
            total += x[column[k]]
        y[i] = total


class Scaled:
    def __init__(self, factor):
        self.factor = factor

    @somd
    def scale(self, a: dist[np.ndarray]) -> None:
        for i in range(len(a)):
            a[i] = self.factor * a[i]


def objects():
    return [(Scaled(2.0), np.arange(5.0)), (Scaled(np.float32(0.5)), np.arange(8.0)[::2])]


def wrong():
    raise RuntimeError("no inputs")
"""


def test_agreement(somdc: Somdc, write: Write) -> None:
    write("model.py", ADD)
    done = somdc("verify", "model.py:add", "--workers", "1,3")
    assert done.status == 0, done
    assert done.out.startswith("add(a: float64[:], b: float64[:]): 5 inputs\n")
    assert "  multicore 1, 3 workers: agrees, bit for bit\n" in done.out
    assert "  plan      20 orders: agrees, bit for bit\n" in done.out
    if somd.targets()["opencl"] is None:
        assert "  opencl    1, 3 workers: agrees, bit for bit\n" in done.out


@pytest.mark.parametrize("target", ["plan", "multicore"])
def test_the_first_difference_with_owner_and_line(target: str, somdc: Somdc, write: Write) -> None:
    write("model.py", PROGRAM)
    done = somdc("verify", "model.py:relaxed", "--target", target, "--workers", "2", "--size", "6")
    assert done.status == 1
    assert f"  {target:<9} DIFFERS from the function as written\n" in done.out
    assert "first difference: argument `a`, element [4]: " in done.out and "(2 of 6 elements differ)" in done.out
    assert "written in line 11 by iteration i = 4 of the loop over i at line 9: part 2 of 2\n" in done.out
    assert done.err == f"error: `relaxed` differs on {target}\n"


def test_functions_that_reduce(somdc: Somdc, write: Write) -> None:
    write("model.py", PROGRAM)
    done = somdc("verify", "model.py:average", "--target", "plan")
    assert done.status == 1 and "first difference: result: " in done.out
    done = somdc("verify", "model.py:final", "--target", "plan")
    assert done.status == 0 and "warning: `final` depends on the order of its partial results" in done.err


def test_indexes_are_generated_where_they_are_needed(somdc: Somdc, write: Write) -> None:
    write("model.py", PROGRAM)
    done = somdc("verify", "model.py:rows", "--target", "plan", "--orders", "3")
    assert done.status == 0, done
    assert "rows(y: float64[:], start: int64[:], column: int64[:], x: float64[:]): 5 inputs" in done.out


def test_inputs_keep_what_partitioners_ask_for(somdc: Somdc) -> None:
    examples = Path(__file__).parents[2] / "examples"
    for method in ("by_rows", "by_coordinates"):
        done = somdc("verify", f"{examples / 'sparse_product.py'}:{method}", "--target", "plan", "--orders", "2")
        assert done.status == 0, done
    done = somdc("verify", f"{examples / 'game_of_life.py'}:live", "--target", "plan", "--orders", "2")
    assert done.status == 0 and "board: bool[:, :]" in done.out, done


def test_given_inputs(somdc: Somdc, write: Write) -> None:
    write("model.py", PROGRAM)
    write("inputs.py", "from model import objects\n")
    for inputs in ("objects", "model.py:objects"):
        done = somdc("verify", "model.py:Scaled.scale", "--inputs", inputs, "--target", "plan", "--orders", "3")
        assert done.status == 0, done
        assert done.out == "Scaled.scale: 2 inputs\n  plan      3 orders: agrees, bit for bit\n"


SEVERAL = (
    ADD
    + """

class Scaled:
    alpha = 2.0

    @somd
    def scale(self, a: dist[np.ndarray]) -> None:
        for i in range(len(a)):
            a[i] *= self.alpha


@somd
def offsets(counts: dist[np.ndarray]) -> np.ndarray:
    out = np.zeros(len(counts) + 1, np.int64)
    for i in range(len(counts)):
        out[i + 1] = out[i] + counts[i]
    return out
"""
)


def test_all_methods_of_a_file(somdc: Somdc, write: Write) -> None:
    write("several.py", SEVERAL)
    done = somdc("verify", "several.py", "--target", "plan", "--orders", "2")
    assert done.status == 0, done
    assert done.out.count("agrees, bit for bit") == 2 and "offsets(counts: int64[:])" in done.out
    assert "note: `Scaled.scale` is left aside: " in done.err and "takes an object" in done.err
    write("several.py", SEVERAL + REFUSED)
    done = somdc("verify", "several.py", "--target", "plan", "--orders", "2")
    assert done.status == 1 and "error[SOMD301]" in done.err and done.out.count("agrees") == 2
    assert "note: argument types that the source of `chain` suggests are tried; --signature says others" in done.err


def test_bad_input(somdc: Somdc, write: Write) -> None:
    write("model.py", PROGRAM)
    write("refused.py", REFUSED)
    for args, said in {
        ("missing.py:f",): "missing.py: no such file",
        ("model.py:other",): "model.py: no SOMD method `other`; there are ",
        ("model.py", "--inputs", "objects"): "--inputs is for one method, and model.py has `relaxed`, ",
        ("model.py:relaxed", "--workers", "two"): "--workers takes numbers",
        ("model.py:relaxed", "--workers", "0"): "--workers takes numbers from 1",
        ("model.py:relaxed", "--inputs", "nothing"): "no `nothing` in this file",
        ("model.py:relaxed", "--inputs", "wrong"): "raised RuntimeError: no inputs",
        ("model.py:Scaled.scale",): "takes an object: give its inputs with --inputs",
        ("refused.py:chain",): "error[SOMD301]",
    }.items():
        done = somdc("verify", *args)
        assert done.status in (1, 2) and said in done.err, (args, done)
