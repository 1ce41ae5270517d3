"""Relaxed blocks: every target gives what the definition of the plan gives for the same MIs; one MI what Python gives.

On a device each iteration of a relaxed loop is an MI.
"""

from __future__ import annotations

import inspect
import os
import warnings
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import somd
from somd.arguments.signatures import describe
from somd.transforms.loops.interpret import Interpreter
from somd.transforms.loops.program import Region
from somd.transforms.pipeline import compile_for, loop_program
from somd.transforms.signature_text import parse_type
from tests.differential import features, harness
from tests.differential.relaxed_programs import RELAXED, gauss_seidel, with_a_sum
from tests.language.program import numbers
from tests.transforms.loops.building import changed

EACH_ITERATION = 10_000


class Definition:
    """A method by the definition of its plan, for arguments like those of one case; on a device without partitions."""

    def __init__(self, method: Any, case: tuple[Any, ...], target: str) -> None:
        self.method = method
        self.names = list(inspect.signature(method.sequential).parameters)
        given = list(zip(self.names, case, strict=True))
        first = {id(value): name for name, value in reversed(given)}
        arrays = [(name, first[id(value)]) for name, value in given if isinstance(value, np.ndarray)]
        types = {name: parse_type(describe(value)) for name, value in given}
        aliases = {name: other for name, other in arrays if other != name}
        program = loop_program(compile_for(method.sequential, types, aliases))
        self.partitioners = {self.names[k]: p for k, p in method._shown_calling().partitioners.items()}
        if target == "opencl":
            program = changed(program, lambda node: replace(node, partition=None) if isinstance(node, Region) else None)
        self.interpreter = Interpreter(program)

    def run(self, case: tuple[Any, ...], workers: int) -> tuple[Any, tuple[Any, ...]]:
        """The result, and the arguments afterwards; one MI does what Python does."""
        args, plain = harness.duplicate(case), harness.duplicate(case)
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore", RuntimeWarning)
            given = dict(zip(self.names, args, strict=True))
            result = self.interpreter.run(given, workers, self.partitioners, workers)
            if workers == 1:
                with somd.use(target="sequential"):  # for the methods that it calls, too
                    expected = self.method.sequential(*plain)
                harness.assert_same(result, expected, 1e-12, "result of one MI")
                if not self.partitioners:
                    harness.assert_same(args, plain, 0.0, "arguments of one MI")
        return result, args


@pytest.mark.parametrize("target", harness.TARGETS)
@pytest.mark.parametrize(("method", "cases"), RELAXED, ids=[m.__name__ for m, _ in RELAXED])
def test_program(method: Any, cases: Any, target: str) -> None:
    reason = harness.unavailable(target)
    if reason is not None:
        pytest.skip(reason)
    given = harness.chosen(cases())
    few = target == "multicore" and not os.environ.get("SOMD_ALL_CASES")
    if few and features.stood_for(method.__name__, method, given[0], "relaxed"):
        pytest.skip("others stand for all of its features")
    definitions: dict[tuple[object, ...], Definition] = {}
    for case in given:
        alike = (*map(describe, case), *(one is other for one in case for other in case))
        if alike not in definitions:
            definitions[alike] = Definition(method, case, target)
        definition = definitions[alike]
        for workers in (1, 2, 3, 7, 50) if target == "multicore" else (EACH_ITERATION,):
            wanted, arguments = definition.run(case, workers)
            args = harness.duplicate(case)
            with somd.use(target=target, workers=min(workers, 50)), warnings.catch_warnings():
                warnings.simplefilter("error", somd.SomdFallbackWarning)
                found = method(*args)
            where = f"{target}, {workers} workers, {harness.describe(case)}"
            harness.assert_same(found, wanted, 1e-12, f"result ({where})")
            for k, (mine, theirs) in enumerate(zip(args, arguments, strict=True)):
                harness.assert_same(mine, theirs, 0.0, f"argument {k} ({where})")
                harness.assert_same(harness.whole(mine), harness.whole(theirs), 0.0, f"memory around {k} ({where})")


def in_parts(G: np.ndarray, workers: int) -> np.ndarray:
    """One step of Gauss-Seidel, each MI with a copy of its own from which its rows are taken."""
    found = G.copy()
    share, rest = divmod(max(0, G.shape[0] - 2), workers)
    low = 1
    for rank in range(workers):
        high = low + share + (rank < rest)
        own = G.copy()
        for i in range(low, high):
            for j in range(1, G.shape[1] - 1):
                own[i, j] = 0.25 * (own[i - 1, j] + own[i + 1, j] + own[i, j - 1] + own[i, j + 1])
        found[low:high] = own[low:high]
        low = high
    return found


@pytest.mark.parametrize("workers", harness.WORKERS)
@pytest.mark.usual(3)
def test_an_mi_has_a_copy_from_the_beginning(workers: int) -> None:
    """The definition in words, written out."""
    G = numbers(19, 8)
    wanted = G.copy()
    for _ in range(3):
        wanted = in_parts(wanted, workers)
    with somd.use(target="multicore", workers=workers):
        gauss_seidel(G, 3)
    assert np.array_equal(G, wanted)


def test_a_small_phase_has_as_many_parts() -> None:
    """The rule that small phases are run by one MI would be seen in the result."""
    assert "small_work" not in gauss_seidel.source("multicore")
    assert "small_work" not in with_a_sum.source("multicore")


def test_explain_tells_view_and_relaxation() -> None:
    text = gauss_seidel.explain()
    assert "view of G: (1, 1), (0, 0)" in text
    assert "relaxed: G[i - 1, j], G[i + 1, j] of other parts as when the block began" in text
