"""Some trips at once: which regions have tiles, that they do what each trip does, and bugs in the pass."""

from __future__ import annotations

import functools
from dataclasses import replace
from functools import partial

import numpy as np
import pytest

import somd
from somd import dist
from somd.transforms.loops.program import Program, Region, Tile
from somd.transforms.loops.varying import limits
from somd.transforms.loops.verify import InvalidProgram, verify
from somd.transforms.passes import Pass
from somd.transforms.passes import register_tiling as module
from somd.transforms.passes.register_tiling import _Rows, register_tiling
from somd.transforms.passes.strip_mining import strip_mining
from somd.transforms.schedules import schedule_of
from tests.differential import harness
from tests.transforms.passes.mutation import Bug, Case, case, is_caught, validate
from tests.transforms.passes.validation import Run, validated

strips = partial(strip_mining, room=1 << 14, lanes=(64, 1024))
tiles = partial(register_tiling, rows=4, most=40, room=1 << 14)
MATRIX = (np.arange(77.0).reshape(7, 11) % 13 - 6) / 7
SQUARE = (np.arange(121.0).reshape(11, 11) % 17 - 8) / 3
VECTOR = np.linspace(-1.0, 2.0, 11)

ROWS = """
def rows(a: A, x: np.ndarray, y: A):
    for i in range(a.shape[0]):
        s = 0.0
        for j in range(a.shape[1]):
            s += a[i, j] * x[j]
        y[i] = s
"""
BOTH = """
def both(a: A, x: np.ndarray, y: A, n: int):
    for i in range(1, a.shape[0] - 1):
        s = y[i]
        t = 0.5
        scale = 0.25
        if n > 2:
            scale = x[0]
            for j in range(n):
                s = s * scale - a[i - 1, j]
        for j in range(a.shape[1]):
            scale = scale + x[j]
            u = a[i, j] * scale
            s += u
            t = t * 0.5 + u * i
        if t > s:
            t = -t
        y[i] = s - t * scale
"""
PRODUCT = """
def product(alpha: float, a: A, b: np.ndarray, c: A):
    for i in range(c.shape[0]):
        for j in range(1, c.shape[1]):
            s = c[i, j] * i
            for k in range(b.shape[0]):
                s += alpha * a[i, k] * b[k, j]
            c[i, j] = s
"""
GUARDED = """
def guarded(a: A, b: np.ndarray, c: A):
    for i in range(c.shape[0]):
        for j in range(c.shape[1]):
            s = 0.0
            f = a[i, 0] * 0.5
            for k in range(b.shape[0]):
                t = b[k, j]
                if t > 0.1:
                    s += f * t
            c[i, j] = s
"""
FACTORS = """
def factors(a: A, b: np.ndarray, c: A):
    for i in range(c.shape[0]):
        for j in range(c.shape[1]):
            s = 0.0
            for k in range(b.shape[0]):
                f = a[i, k] * 0.5
                s = s * f + b[k, j]
            c[i, j] = s
"""
POWERS = """
def powers(a: A, b: np.ndarray, c: A):
    for i in range(c.shape[0]):
        for j in range(c.shape[1]):
            s = c[i, j]
            e = 1.0
            for k in range(b.shape[0]):
                s += a[i, k] * e
                e = e * 0.5 + b[k, j]
            c[i, j] = s + e
"""
SOMETIMES = """
def sometimes(a: A, x: np.ndarray, y: A, n: int):
    for i in range(a.shape[0]):
        s = 0.0
        e = 1.0
        if n > 2:
            e = e + x[0]
            s += a[i, 0] * e
            e = e * 2.0
        for j in range(a.shape[1]):
            s += a[i, j] * e
        y[i] = s
"""
TRIANGLE = """
def triangle(a: A, out: A):
    for i in range(len(out)):
        s = 0.0
        for j in range(i):
            s += a[i, j]
        out[i] = s
"""
UPPER = """
def upper(a: A, c: A):
    for i in range(c.shape[0]):
        for j in range(i, c.shape[1]):
            s = 0.0
            for k in range(a.shape[0]):
                s += a[k, i] * a[k, j]
            c[i, j] = s
"""
LOWER = UPPER.replace("range(i, c.shape[1])", "range(2, 1 + i)")
BAND = UPPER.replace("range(i, c.shape[1])", "range(max(i - 3, 0), min(i + 4, c.shape[1]))")
ANTI = UPPER.replace("range(i, c.shape[1])", "range(0, c.shape[1] - i)")
SPARSE = UPPER.replace("range(i, c.shape[1])", "range(i, c.shape[1], 2)")
TOTAL = """
def total(a: A, out: np.ndarray):
    t = 0.0
    for i in range(a.shape[0]):
        s = 0.0
        for j in range(a.shape[1]):
            s += a[i, j]
        t += s
    return t
"""
DIVIDED = """
def divided(a: A, y: A):
    for i in range(a.shape[0]):
        s = 1.0
        for j in range(a.shape[1]):
            s = a[i, j] / s + 1.0
        y[i] = s
"""
LOCAL = """
def local(a: A, y: A):
    for i in range(a.shape[0]):
        last = np.zeros(2)
        s = 1.0
        for j in range(a.shape[1]):
            s += a[i, j] * last[1]
            last[1] = a[i, j]
        y[i] = s
"""

WINDOWS = """
def windows(a: A, out: A):
    for i in range(1, a.shape[0] - 1):
        for j in range(1, a.shape[1] - 1):
            s = 0.0
            for y in range(3):
                for x in range(3):
                    s += a[i + y - 1, j + x - 1] * (y - x)
            out[i, j] = s
"""
#: elements of neighbouring trips lie apart
APART = WINDOWS.replace("a[i + y - 1, j + x - 1]", "a[j + x - 1, i + y - 1]")


@functools.cache
def tiled() -> tuple[Case, ...]:
    return (
        case(ROWS, a=MATRIX, x=VECTOR, y=np.zeros(7)),
        case(ROWS, a=SQUARE.astype(np.complex128), x=VECTOR.astype(np.float32), y=np.zeros(11, np.complex128)),
        case(ROWS, a=SQUARE[:, :0].copy(), x=VECTOR[:0].copy(), y=np.zeros(11)),
        case(BOTH, a=SQUARE, x=VECTOR, y=VECTOR.copy(), n=3),
        case(BOTH, a=SQUARE, x=VECTOR, y=VECTOR.copy(), n=-1),
        case(APART, a=SQUARE, out=np.zeros((11, 11))),
        case(SOMETIMES, a=SQUARE, x=VECTOR, y=VECTOR.copy(), n=3),
    )


@functools.cache
def in_strips() -> tuple[Case, ...]:
    given = (
        case(PRODUCT, alpha=1.5, a=MATRIX, b=SQUARE, c=SQUARE[:7].copy()),
        case(PRODUCT, alpha=0.3, a=SQUARE, b=SQUARE, c=SQUARE[:3].copy()),
        case(GUARDED, a=SQUARE, b=SQUARE, c=SQUARE.copy()),
        case(POWERS, a=SQUARE, b=SQUARE, c=SQUARE.copy()),
        case(UPPER, a=SQUARE, c=np.zeros((11, 11))),
        case(UPPER, a=SQUARE[:, :9].copy(), c=np.zeros((9, 3))),
        case(LOWER, a=SQUARE, c=np.zeros((10, 11))),
    )
    return tuple(Case(strips(each.program), each.given) for each in given)


@functools.cache
def left() -> tuple[Case, ...]:
    moved = [case(text, a=SQUARE, c=np.zeros((11, 11))) for text in (BAND, ANTI, SPARSE)]
    return (
        case(TRIANGLE, a=SQUARE, out=np.zeros(11)),
        *(Case(strips(each.program), each.given) for each in moved),
        case(TOTAL, a=SQUARE, out=VECTOR),
        case(DIVIDED, a=SQUARE, y=np.zeros(11)),
        case(WINDOWS, a=SQUARE, out=np.zeros((11, 11))),
        case(LOCAL, a=SQUARE, y=np.zeros(11)),
    )


def tile_of(program: Program, step: Pass = tiles) -> Tile | None:
    [region] = [node for node in step(program).body if isinstance(node, Region)]
    return region.tile


def test_regions_have_tiles() -> None:
    for each in (*tiled(), *in_strips()):
        assert validate(tiles, [each]) == 1


@pytest.mark.parametrize("each", range(len(left())))
def test_others_have_none(each: int) -> None:
    assert tiles(left()[each].program) is left()[each].program


def test_names_of_one_pass_are_not_those_of_the_next() -> None:
    """Trips of the loop in strips get names for what is set before the lanes, and then each row of a tile does."""
    given = {"a": np.resize(SQUARE, (11, 9)), "b": SQUARE[:9].copy(), "c": np.zeros((11, 11))}
    program = case(FACTORS, **given).program
    for step in schedule_of("multicore"):
        program = validated(program, step, [Run(given)])
    assert tile_of(program, lambda same: same) is not None


def test_tiles_have_bounds() -> None:
    program = in_strips()[0].program
    found = [tile_of(program, partial(register_tiling, rows=4, most=most, room=1 << 13)) for most in (8, 4, 3)]
    assert [(each.count, each.length) if each else None for each in found] == [(4, 256), (2, 512), None]


def test_a_tile_is_of_a_loop_that_may_be_tiled() -> None:
    made = tiles(in_strips()[0].program)
    for change in ({"count": 1}, {"variable": replace(tile_of(made, lambda p: p).variable, name="j")}):  # type: ignore[union-attr]
        [region] = [node for node in made.body if isinstance(node, Region)]
        with pytest.raises(InvalidProgram):
            verify(replace(made, body=(replace(region, tile=replace(region.tile, **change)),)))


def matrix_vector(a: dist[np.ndarray], x: np.ndarray, y: dist[np.ndarray]) -> None:
    for i in range(a.shape[0]):
        for j in range(a.shape[1]):
            y[i] += a[i, j] * x[j]


def product(a: dist[np.ndarray], b: np.ndarray, c: dist[np.ndarray]) -> None:
    for i in range(c.shape[0]):
        for j in range(c.shape[1]):
            c[i, j] = c[i, j] * 0.5
            for k in range(a.shape[1]):
                c[i, j] += a[i, k] * b[k, j]


def pairs(a: dist[np.ndarray], c: dist[np.ndarray]) -> None:
    for i in range(a.shape[0]):
        for j in range(i + 1, a.shape[0]):
            s = 0.0
            for k in range(a.shape[1]):
                s += a[i, k] * a[j, k]
            c[i, j] = s


def upper(a: dist[np.ndarray], c: dist[np.ndarray]) -> None:
    for i in range(c.shape[0]):
        for j in range(i + 1, c.shape[1]):
            for k in range(a.shape[0]):
                c[i, j] += a[k, i] * a[k, j]
            c[j, i] = c[i, j]


def lower(a: dist[np.ndarray], c: dist[np.ndarray], least: int) -> None:
    for i in range(1, c.shape[0]):
        for j in range(least, i):
            for k in range(a.shape[0]):
                c[i, j] += a[k, i] * a[k, j]


@pytest.mark.parametrize("size", [1, 8, 9, 37])
def test_triangles(size: int) -> None:
    """Rows of a tile share a part of their trips, and have others besides."""
    a, c = np.resize(SQUARE, (5, size)), np.ones((size, size))
    harness.check(somd.somd(upper), (a, c), "multicore", workers=(1, 2, 3, 7))
    harness.check(somd.somd(lower), (a, c, 3), "multicore", workers=(1, 3))


def test_rows_that_begin_anywhere() -> None:
    """The tiled loop is the inner one of a grid, and begins where the outer one is."""
    given = (np.resize(SQUARE, (23, 5)), np.ones((23, 23)))
    harness.check(somd.somd(pairs), given, "multicore", workers=(1, 3))


@pytest.mark.parametrize("rows", [0, 1, 9, 23])
def test_on_cores(rows: int) -> None:
    """Whole tiles and what is left over, for parts of all lengths."""
    a = np.resize(SQUARE, (rows, 13))
    harness.check(
        somd.somd(matrix_vector), (a, np.linspace(-1, 2, 13), np.ones(rows)), "multicore", workers=(1, 2, 3, 7)
    )
    b = np.resize(SQUARE, (13, 70))
    harness.check(somd.somd(product), (a, b, np.resize(SQUARE, (rows, 70))), "multicore", workers=(1, 3))


def one_name(self, place, varying, names, count):  # type: ignore[no-untyped-def]
    rows_init(self, place, varying, names, count)
    self.own = [{} for _ in range(count)]


def all_of(self, body):  # type: ignore[no-untyped-def]
    return body


def one_trip(name, left, right):  # type: ignore[no-untyped-def]
    return left


rows_init = _Rows.__init__
BUGS = [
    Bug("scalars of all trips have one name", _Rows, "__init__", one_name),
    Bug("what is the same for all is done for each", _Rows, "differing", all_of),
    Bug("each trip is the first", module, "operation", one_trip),
    Bug("only the first trip is done", _Rows, "differing", lambda self, body: ()),
    Bug("any loop runs alike", module, "limits", lambda loop: ()),
    Bug("limits inside do not count", module, "read", lambda *nodes: set()),
    Bug("all rows begin with the first", module, "_shared", lambda loop, place, count: limits(loop)[:2]),
    Bug("any region may be tiled", module, "may_take_turns", lambda region: True),
]


@pytest.mark.parametrize("bug", BUGS, ids=str)
def test_bugs_are_caught(bug: Bug) -> None:
    assert is_caught(bug, tiles, lambda: (*tiled(), *in_strips(), *left()))
