"""Regions in pieces: which are cut, that each element sees its operands in their order, and bugs in the pass."""

from __future__ import annotations

import functools
from dataclasses import replace

import numpy as np
import pytest

import somd
from somd import dist
from somd.transforms.loops.program import Program, Region
from somd.transforms.loops.verify import InvalidProgram, verify
from somd.transforms.passes import fission as module
from somd.transforms.passes.fission import fission
from somd.transforms.passes.packing import packing
from somd.transforms.passes.unroll_and_jam import _Jamming
from somd.transforms.schedules import schedule_of, scheduled
from tests.differential import harness
from tests.transforms.passes.mutation import Bug, Case, case, is_caught, validate
from tests.transforms.passes.validation import Outcomes, Run, validated

MATRIX = (np.arange(77.0).reshape(7, 11) % 13 - 6) / 7
SQUARE = (np.arange(121.0).reshape(11, 11) % 17 - 8) / 3
VECTOR = np.linspace(-1.0, 2.0, 11)

SCALED = """
def scaled(f: float, c: A, a: np.ndarray, b: np.ndarray):
    for i in range(c.shape[0]):
        for j in range(c.shape[1]):
            c[i, j] *= f
        for k in range(b.shape[0]):
            for j in range(c.shape[1]):
                c[i, j] += f * a[i, k] * b[k, j]
"""
HOISTED = """
def hoisted(c: A, a: np.ndarray, b: np.ndarray, out: A):
    for i in range(c.shape[0]):
        for k in range(b.shape[0] - 1, -1, -1):
            t = a[i, k] * 0.5
            u = t + i
            for j in range(1, i):
                c[i, j] = c[i, j] * 0.5 - u * b[k, j]
        s = 0.0
        for j in range(c.shape[1]):
            s = s * 0.5 + c[i, j]
        out[i] = s
"""
MIRRORED = """
def mirrored(a: A, c: A):
    for i in range(c.shape[0]):
        c[i, i] = 1.0
        for j in range(i + 1, c.shape[1]):
            s = 0.0
            for k in range(a.shape[0]):
                s += a[k, i] * a[k, j]
            c[i, j] = s
            c[j, i] = s
"""
PLANES = """
def planes(c: A, b: np.ndarray):
    for i in range(c.shape[0]):
        for q in range(c.shape[1]):
            c[i, q, 0] = 1.0
            for k in range(b.shape[0]):
                for j in range(c.shape[2]):
                    c[i, q, j] += c[i, q, j] * 0.5 + b[k, j]
"""
FACTOR = """
def factor(c: A, a: np.ndarray, b: np.ndarray):
    for i in range(c.shape[0]):
        f = a[i, 0]
        for k in range(b.shape[0]):
            for j in range(c.shape[1]):
                c[i, j] += f * b[k, j]
"""
LAST = """
def last(c: A, b: np.ndarray, out: A):
    for i in range(c.shape[0]):
        j = -1
        k = -1
        for k in range(b.shape[0]):
            for j in range(c.shape[1]):
                c[i, j] += b[k, j]
        out[i] = j * 10 + k
"""
SEEN = """
def seen(c: A, b: np.ndarray):
    for i in range(c.shape[0]):
        j = 3
        for k in range(b.shape[0]):
            t = 1.0 * j
            for j in range(c.shape[1]):
                c[i, j] += t * b[k, j]
"""
CHAIN = """
def chain(c: A, b: np.ndarray):
    for i in range(c.shape[0]):
        c[i, 0] = 1.0
        for j in range(1, c.shape[1]):
            for k in range(b.shape[0]):
                c[i, j] += c[i, j - 1] * b[k, j]
"""
NEIGHBOURS = """
def neighbours(c: A, b: np.ndarray):
    for i in range(c.shape[0]):
        for k in range(b.shape[0]):
            for j in range(1, c.shape[1]):
                c[i, j] += c[i, j - 1] * b[k, j]
"""
SHIFTED = """
def shifted(c: A, b: np.ndarray):
    for i in range(c.shape[0]):
        c[i, 0] = 1.0
        for j in range(1, c.shape[1]):
            s = 0.0
            for k in range(b.shape[0]):
                s += b[k, j]
            t = j
            c[i, t] = s + c[i, t - 1]
"""
RUNNING = """
def running(c: A, a: np.ndarray, b: np.ndarray):
    for i in range(c.shape[0]):
        t = 1.0
        for k in range(b.shape[0]):
            t = t * 0.5 + a[i, k]
            for j in range(c.shape[1]):
                c[i, j] += t * b[k, j]
"""
BEFORE = """
def before(c: A, b: np.ndarray):
    for i in range(c.shape[0]):
        for k in range(b.shape[0]):
            t = c[i, 1] * 0.5
            for j in range(c.shape[1]):
                c[i, j] += t * b[k, j]
"""
HANDED = """
def handed(c: A, b: np.ndarray):
    for i in range(c.shape[0]):
        s = 0.5
        for k in range(b.shape[0]):
            for j in range(c.shape[1]):
                s = s * 0.5 + b[k, j]
                c[i, j] += s
"""
LIMITS = """
def limits(c: A, b: np.ndarray):
    for i in range(c.shape[0]):
        for k in range(b.shape[0]):
            for j in range(k, c.shape[1]):
                c[i, j] = c[i, j] * 0.5 + b[k, j]
"""
ACROSS = """
def across(c: A, b: np.ndarray):
    for i in range(c.shape[0]):
        for k in range(b.shape[0]):
            for j in range(c.shape[1]):
                c[i, j] += b[j, i]
"""
PAIRS = """
def pairs(c: A, a: np.ndarray, b: np.ndarray):
    for i in range(c.shape[0]):
        for j in range(i + 1):
            c[i, j] *= 0.5
        for k in range(b.shape[1]):
            for j in range(i + 1):
                c[i, j] += a[i, k] * b[j, k] - a[j, k] * b[i, k]
"""
FAILING = """
def failing(c: A, b: np.ndarray, at: np.ndarray):
    for i in range(c.shape[0]):
        for j in range(c.shape[1]):
            c[i, j] *= b[at[j], 0]
        for k in range(b.shape[0]):
            for j in range(c.shape[1]):
                c[i, j] += b[k, j]
"""


@functools.cache
def cut() -> tuple[Case, ...]:
    return (
        case(SCALED, f=1.5, c=MATRIX.copy(), a=SQUARE[:7].copy(), b=SQUARE),
        case(SCALED, f=0.5, c=MATRIX.copy(), a=SQUARE[:7].copy(), b=SQUARE[:0].copy()),
        case(HOISTED, c=SQUARE.astype(np.float32), a=SQUARE, b=MATRIX, out=VECTOR.copy()),
        case(MIRRORED, a=MATRIX, c=SQUARE.copy()),
        case(PAIRS, c=SQUARE.copy(), a=SQUARE, b=np.resize(MATRIX, (11, 7))),
        case(PLANES, c=np.resize(SQUARE, (3, 4, 9)), b=MATRIX),
    )


@functools.cache
def left() -> tuple[Case, ...]:
    texts = (FACTOR, SEEN, CHAIN, NEIGHBOURS, SHIFTED, RUNNING, BEFORE, HANDED, LIMITS, ACROSS)
    given = {"c": MATRIX.copy(), "a": SQUARE, "b": SQUARE}
    plain = [case(each, **{n: v for n, v in given.items() if f"{n}: " in each.split("\n")[1]}) for each in texts]
    return (
        *plain,
        case(LAST, c=MATRIX[:, :0].copy(), b=SQUARE, out=VECTOR.copy()),
        case(FAILING, c=MATRIX.copy(), b=SQUARE, at=np.array([*range(10), 99])),
    )


def region_of(program: Program) -> Region:
    [region] = [node for node in program.body if isinstance(node, Region)]
    return region


def test_regions_are_cut() -> None:
    for each in cut():
        assert validate(fission, [each]) == 1


@pytest.mark.parametrize("each", range(len(left())))
def test_others_are_left(each: int) -> None:
    assert fission(left()[each].program) is left()[each].program


@pytest.mark.parametrize("each", range(len(cut())))
def test_what_later_passes_make_of_pieces(each: int) -> None:
    program, outcomes = cut()[each].program, Outcomes()
    for step in schedule_of("multicore"):
        program = validated(program, step, [Run(cut()[each].given)], outcomes)
    *_, last = [piece for piece in region_of(program).pieces if piece.depth > region_of(program).depth]
    assert last.packed is not None or (last.strips is not None and last.tile is not None)


def test_a_piece_has_the_trips_of_the_region() -> None:
    made = fission(cut()[0].program)
    region = region_of(made)
    other = replace(region.pieces[0], loop=replace(region.loop, start=region.loop.stop))
    with pytest.raises(InvalidProgram):
        verify(replace(made, body=(replace(region, pieces=(other, *region.pieces[1:])),)))


def scaled(f: float, c: dist[np.ndarray], a: np.ndarray, b: np.ndarray) -> None:
    # rows
    for i in range(c.shape[0]):
        # scaled first
        for j in range(c.shape[1]):
            c[i, j] *= f
        # and then
        for k in range(b.shape[0]):
            # added to
            for j in range(c.shape[1]):
                c[i, j] += f * a[i, k] * b[k, j]


def mirrored(a: dist[np.ndarray], c: dist[np.ndarray]) -> None:
    for i in range(c.shape[0]):
        c[i, i] = 1.0
        for j in range(i + 1, c.shape[1]):
            for k in range(a.shape[0]):
                c[i, j] += a[k, i] * a[k, j]
            c[j, i] = c[i, j]


@pytest.mark.parametrize("rows", [0, 1, 9, 23])
def test_on_cores(rows: int) -> None:
    a, b = np.resize(SQUARE, (rows, 13)), np.resize(SQUARE, (13, 70))
    method = somd.somd(scaled)
    harness.check(method, (0.3, np.resize(SQUARE, (rows, 70)), a, b), "multicore", workers=(1, 2, 3, 7))
    assert all(f"# {each}" in method.source("multicore") for each in ("rows", "scaled first", "and then", "added to"))
    square = np.resize(SQUARE, (rows, rows))
    harness.check(somd.somd(mirrored), (np.resize(MATRIX, (5, rows)), square), "multicore", workers=(1, 3))


def test_one_array_by_two_names() -> None:
    """A method for such arguments is not cut: the product would read what it has written."""
    square = np.resize(SQUARE, (9, 9))
    harness.check(somd.somd(scaled), (0.3, square, square, np.resize(MATRIX, (9, 9))), "multicore", workers=(1, 3))


def yes(*given: object) -> bool:
    return True


class Zeros(dict):  # type: ignore[type-arg]
    """Counts nothing."""

    def __missing__(self, key: str) -> int:
        return 0


BUGS = [
    Bug("neighbours do not count", module, "have_their_own", yes),
    Bug("trips are independent", module, "apart", yes),
    Bug("limits that move count as steady", module, "is_steady", yes),
    Bug("what is read behind does not count", module, "reads_of", lambda body: Zeros()),
    Bug("failures do not count", module, "tests_accesses", lambda body: False),
]


def whole(program: Program) -> Program:
    """What all passes make of it but one, which leaves strips nothing of such products."""
    steps = [step for step in schedule_of("multicore") if getattr(step, "func", step) is not packing]
    return scheduled(program, tuple(steps))


def test_loads_of_several_trips_have_names_of_their_own() -> None:
    bug = Bug("loads of all trips have one name", _Jamming, "own_names", lambda self, before: {})
    assert is_caught(bug, whole, lambda: cut()[4:5])


@pytest.mark.parametrize("bug", BUGS, ids=str)
def test_bugs_are_caught(bug: Bug) -> None:
    assert is_caught(bug, fission, lambda: (*cut(), *left()))
