"""Several trips at once: which loops are taken so, that sums keep their bits, and bugs in the pass."""

from __future__ import annotations

import functools
from collections import Counter
from functools import partial

import numpy as np
import pytest

from somd.transforms.loops import apart
from somd.transforms.loops.program import Lanes, Loop
from somd.transforms.loops.walking import statements_in
from somd.transforms.passes import unroll_and_jam as module
from somd.transforms.passes.strip_mining import strip_mining
from somd.transforms.passes.unroll_and_jam import _Jamming, unroll_and_jam
from tests.transforms.passes.mutation import Bug, Case, case, is_caught, validate

run = partial(unroll_and_jam, trips=4, streams=4, most=40, shared=8)
NUMBERS = np.linspace(-3.0, 7.0, 12)
MATRIX = (np.arange(77.0).reshape(7, 11) % 13 - 6) / 7
SQUARE = (np.arange(49.0).reshape(7, 7) % 11 - 5) / 3

UPDATES = """
def updates(alpha: float, a: A, b: np.ndarray, c: A):
    for i in range(c.shape[0]):
        for k in range(b.shape[0]):
            for j in range(c.shape[1]):
                c[i, j] += alpha * a[i, k] * b[k, j]
"""
FACTOR = """
def factor(a: A, b: np.ndarray, c: A, last: int):
    for i in range(c.shape[0]):
        for k in range(2, last):
            f = a[i, k] * k
            g = f - 1
            for j in range(1, c.shape[1] - 1):
                c[i, j + 1] = c[i, j + 1] * g + b[k, j]
"""
COLUMNS = """
def columns(a: A, out: A):
    for j in range(a.shape[1]):
        s = 0.0
        last = 0.5
        for i in range(1, a.shape[0]):
            t = a[i, j] * last
            s += t * i
            if t > s:
                last = a[i - 1, j]
        out[j] = s
"""
SCALES = """
def scales(a: A, c: np.ndarray, out: A):
    for j in range(a.shape[1]):
        s = 0.0
        for i in range(len(c)):
            f = c[i] * 0.5
            s = s * f + a[i, j]
        out[j] = s
"""
TWICE = """
def twice(a: A, c: A):
    for i in range(c.shape[0]):
        for k in range(2, a.shape[0]):
            for j in range(c.shape[1]):
                c[i, j] = c[i, j] * 0.5 + a[k, j]
        for k in range(a.shape[0] - 3):
            for j in range(c.shape[1]):
                c[i, j] = c[i, j] * 0.5 - a[k, j]
"""
NEIGHBOURS = """
def neighbours(a: A, c: A):
    for i in range(c.shape[0]):
        for k in range(a.shape[0]):
            for j in range(1, c.shape[1]):
                c[i, j] = c[i, j] + c[i, j - 1] * a[k, j]
"""
TRIANGLE = """
def triangle(a: A, c: A):
    for i in range(c.shape[0]):
        for k in range(a.shape[0]):
            for j in range(k, c.shape[1]):
                c[i, j] = c[i, j] * 0.5 + a[k, j]
"""
CARRIED = """
def carried(a: A, c: A):
    for i in range(c.shape[0]):
        f = 1.0
        for k in range(a.shape[0]):
            f = f * 0.5 + a[k, 0]
            for j in range(c.shape[1]):
                c[i, j] = c[i, j] * f + a[k, j]
"""
KEPT = """
def kept(a: A, c: A, out: A):
    for i in range(c.shape[0]):
        f = 1.0
        t = 1.0
        for k in range(a.shape[0]):
            f = a[k, 0]
            for j in range(c.shape[1]):
                c[i, j] = c[i, j] * f + a[k, j]
        out[i] = f
"""
READ_BEHIND = """
def read_behind(a: A, c: A):
    for i in range(c.shape[0]):
        k = 0
        for k in range(a.shape[0]):
            for j in range(c.shape[1]):
                c[i, j] = c[i, j] * 0.5 + a[k, j]
        c[i, 0] += k
"""
MODULO = """
def modulo(a: A, c: A):
    for i in range(c.shape[0]):
        for k in range(a.shape[0]):
            for j in range(c.shape[1]):
                c[i, j % 3] = c[i, j % 3] * 0.5 + a[k, j]
"""
OTHERS = """
def others(a: A, c: A):
    for i in range(c.shape[0]):
        for k in range(a.shape[0]):
            for j in range(c.shape[2]):
                c[i, 0, j] = c[i, 0, j] * 0.5 + c[i, k % 2, j]
"""


@functools.cache
def taken() -> tuple[Case, ...]:
    return (
        case(UPDATES, alpha=1.5, a=SQUARE, b=MATRIX, c=np.ones((5, 11), np.float32)),
        case(UPDATES, alpha=0.3, a=np.ones((3, 0)), b=np.ones((0, 2)), c=np.ones((3, 2))),
        case(FACTOR, a=SQUARE, b=SQUARE, c=SQUARE.copy(), last=7),
        case(FACTOR, a=SQUARE, b=SQUARE, c=SQUARE.copy(), last=-4),
        case(TWICE, a=MATRIX, c=MATRIX[:3].copy()),
    )


@functools.cache
def in_strips() -> tuple[Case, ...]:
    strips = partial(strip_mining, room=1 << 14, lanes=(64, 1024))
    given = (
        case(COLUMNS, a=MATRIX, out=np.zeros(11)),
        case(SCALES, a=MATRIX, c=NUMBERS[:7].copy(), out=np.zeros(11)),
        case(SCALES, a=MATRIX.astype(np.float32), c=NUMBERS[:6].copy(), out=np.zeros(11, np.float32)),
    )
    return tuple(Case(strips(each.program), each.given) for each in given)


@functools.cache
def left() -> tuple[Case, ...]:
    return (
        case(NEIGHBOURS, a=MATRIX, c=MATRIX.copy()),
        case(TRIANGLE, a=SQUARE, c=SQUARE.copy()),
        case(CARRIED, a=MATRIX, c=MATRIX.copy()),
        case(KEPT, a=MATRIX, c=MATRIX.copy(), out=np.zeros(7)),
        case(READ_BEHIND, a=MATRIX[:4].copy(), c=MATRIX.copy()),
        case(MODULO, a=MATRIX, c=MATRIX.copy()),
        case(OTHERS, a=MATRIX, c=MATRIX[:6].copy().reshape(3, 2, 11)),
    )


def test_loops_are_taken() -> None:
    for each in (*taken(), *in_strips()):
        assert validate(run, [each]) == 1


@pytest.mark.parametrize("each", range(len(left())))
def test_others_stay(each: int) -> None:
    assert run(left()[each].program) is left()[each].program


def test_an_element_is_stored_once_for_some_trips() -> None:
    [first, rest] = [
        node
        for node in statements_in(run(taken()[0].program).body)
        if isinstance(node, Loop) and node.variable.name == "k"
    ]
    assert [len(loop.body[0].body) for loop in (first, rest)] == [2 + 4, 1]  # type: ignore[union-attr]


def test_operations_are_bounded() -> None:
    few = partial(unroll_and_jam, trips=4, streams=4, most=6, shared=8)
    [loop, *_] = [node for node in statements_in(few(taken()[0].program).body) if isinstance(node, Loop)][1:]
    assert loop.step.value == 2  # type: ignore[union-attr]
    assert partial(unroll_and_jam, trips=4, streams=4, most=5, shared=8)(taken()[0].program) is taken()[0].program


def anything(self, *given):  # type: ignore[no-untyped-def]
    return True


def one_name(self, before):  # type: ignore[no-untyped-def]
    return {}


def without_rest(loop, trips):  # type: ignore[no-untyped-def]
    whole, _ = cut(loop, trips)
    return whole, loop.stop


def all_trips(loop, trips):  # type: ignore[no-untyped-def]
    _, upto = cut(loop, trips)
    return loop.stop, upto


def backwards(body, own, values=None):  # type: ignore[no-untyped-def]
    return renamed(
        body, own, {name: place.operands[0] if hasattr(place, "operands") else place for name, place in values.items()}
    )


cut, renamed = module.cut, module.renamed
BUGS = [
    Bug("trips that are left are not taken", module, "cut", without_rest),
    Bug("the last trips are taken beyond the end", module, "cut", all_trips),
    Bug("each trip is the first", module, "renamed", backwards),
    Bug("factors have one name", _Jamming, "own_names", one_name),
    Bug("neighbours do not count", _Jamming, "are_apart", anything),
    Bug("what is handed on does not count", _Jamming, "are_set_first", anything),
    Bug("what is read behind the loop does not count", module, "reads_of", lambda body: Counter()),
    Bug("any index tells trips apart", apart, "_tells_apart", anything),
    Bug("limits that move count as steady", module, "is_steady", anything),
    Bug(
        "other elements of an array do not count",
        module,
        "updated",
        lambda body, changed: iter([s.element for s in body if hasattr(s, "element")][:1]),
    ),
]


@pytest.mark.parametrize("bug", BUGS, ids=str)
def test_bugs_are_caught(bug: Bug) -> None:
    assert is_caught(bug, run, lambda: (*taken(), *in_strips(), *left()))


def test_lanes_stay_lanes() -> None:
    made = run(in_strips()[0].program)
    assert sum(isinstance(node, Lanes) for region in made.body for node in statements_in(region.strips.body)) == 4  # type: ignore[union-attr]
