"""Loops over pivots: what is written for them does what they do, as plain Python, and which are left as they are."""

from __future__ import annotations

import libcst as cst
import numpy as np
import pytest

from somd import dist
from somd.transforms import pipeline
from somd.transforms.frontend.pivots import pivots_in, with_pivots
from somd.transforms.plan.method_to_plan import method_to_plan
from somd.transforms.stages import Method
from tests.transforms.opencl.running import method_from

LOOPS = """\
def method(a: dist[np.ndarray], w: np.ndarray):
    n = len(a)
    t = 0.0
    for k in range({0}, n):
        for i in range({0}, {1}):
            for j in range({0}, n):
                {2}
    {3}
"""

#: bodies of loops from 0 or 1 on
TAKEN = {
    "shortest paths": (0, "a[i, j] = min(a[i, j], a[i, k] + a[k, j])"),
    "under a condition": (0, "if a[i, k] + a[k, j] < a[i, j]: a[i, j] = a[i, k] + a[k, j]"),
    "by a scalar": (1, "s = a[k, j] + a[i, k]; s += a[k, k]; a[i, j] -= 0.25 * s; a[i, j] += s"),
    "other arrays and the indexes": (1, "a[i, j] = a[i, j] * w[j, i] - 0.25 * a[i, k] * a[k, j] * w[i, k] + i - j"),
    "the row alone": (0, "a[i, j] -= 0.5 * a[k, j]"),
    "the pivot, under a condition": (0, "if a[k, k] < a[i, j]: a[i, j] = 0.5 * (a[k, k] - a[i, k])"),
}
LEFT = {
    "an element that was stored before": "a[i, j] += 1.0; a[i, j] -= a[i, k] * a[k, j]",
    "another row": "a[i, j] += 0.5 * a[k, j] + a[0, k]",
    "a scalar that is asked for behind": "t = a[i, k]; a[i, j] += t * a[k, j]",
    "a function that may do anything": "a[i, j] += a[i, k] * a[k, j] + print(1)",
    "two arrays": "a[i, j] += a[i, k] * a[k, j]; w[i, j] = 0.0",
    "an inner loop": "for m in range(2): a[i, j] += a[i, k] * a[k, j]",
}


def found(text: str) -> tuple[Method, Method | None]:
    """The method, and what it becomes."""
    method = pipeline.front(method_from(text, dist=dist))
    points = method_to_plan(method).anew.points
    if not points:  # where it is not the planner that leaves a loop
        loops = [node for node in method.positions if isinstance(node, cst.For)]
        points = dict.fromkeys(loops, cst.Name("k"))
    pivots = pivots_in(method, points)
    return method, with_pivots(method, pivots) if pivots else None


@pytest.mark.parametrize("name", TAKEN)
def test_what_is_written_does_the_same(name: str) -> None:
    start, body = TAKEN[name]
    text = LOOPS.format(start, "n", body, "return t")
    _, made = found(text)
    assert made is not None
    plain = method_from(text, dist=dist)
    names = {"np": np, "dist": dist, **made.namespace}
    exec(cst.Module([]).code_for_node(made.function), names)
    rng = np.random.default_rng(1)
    for n in (0, 1, 2, 5, 9, 17):
        for kind in ("numbers", "below zero", "not a number"):
            a, w = rng.random((n, n)) - 0.5 * (kind != "numbers"), rng.random((n, n))
            if kind == "not a number":
                a[rng.random((n, n)) < 0.2] = np.inf
                a[rng.random((n, n)) < 0.1] = np.nan
            wanted, made_of = a.copy(), a.copy()
            with np.errstate(all="ignore"):
                plain(wanted, w)
                names["method"](made_of, w)
            assert wanted.tobytes() == made_of.tobytes()


@pytest.mark.parametrize("name", LEFT)
def test_others_are_left(name: str) -> None:
    assert found(LOOPS.format(0, "n", LEFT[name], "return t"))[1] is None


def test_the_pivot_is_not_asked_for_behind() -> None:
    text = LOOPS.format(0, "n", TAKEN["shortest paths"][1], "{}")
    assert found(text.format("return k"))[1] is None
    assert found(text.format("for k in range(n): t += k"))[1] is not None


@pytest.mark.parametrize("stop", ["n - 1", "len(w)", "int(a[0, 0])"])
def test_ranges_are_the_same(stop: str) -> None:
    assert found(LOOPS.format(0, stop, TAKEN["shortest paths"][1], "return t"))[1] is None
