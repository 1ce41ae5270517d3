"""Sums in registers: which regions are packed, that each sum keeps its bits, and bugs in the pass and what runs it."""

from __future__ import annotations

import ast
import functools
import os
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
import pytest

import somd
from somd import dist
from somd.runtime.multicore import register_tiles
from somd.transforms.loops.program import Program, Region, Store
from somd.transforms.loops.verify import InvalidProgram, verify
from somd.transforms.multicore import packed_loops
from somd.transforms.multicore.packed_loops import PackedLoops
from somd.transforms.passes import packing as module
from somd.transforms.passes.packing import _Term, packing
from tests.differential import harness
from tests.transforms.passes.mutation import Bug, Case, case, is_caught, validate
from tests.usual import ALL

packed = partial(packing, rows=6, width=256)


@pytest.fixture(scope="module", autouse=True)
def _few_rows_at_once(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """What rows have is copied for a few of them at a time, in a cache of its own, as the texts are others."""
    cache = {"SOMD_CACHE_DIR": str(tmp_path_factory.mktemp("cache"))}
    with patch.object(packed_loops, "COPIED_ROWS", 7), patch.dict(os.environ, cache):
        yield


SQUARE = (np.arange(121.0).reshape(11, 11) % 17 - 8) / 3

PRODUCT = """
def product(alpha: float, a: A, b: np.ndarray, c: A):
    for i in range(c.shape[0]):
        for j in range(1, c.shape[1]):
            s = c[i, j] * i
            for k in range(b.shape[0]):
                s += alpha * a[i, k] * b[k, j]
            c[i, j] = s
"""
UNDER = """
def under(a: A, b: np.ndarray, c: A, n: int):
    for i in range(c.shape[0]):
        for j in range(c.shape[1]):
            s = 1.0
            if n > 5:
                s = s + c[i, j]
                for k in range(2, n):
                    s -= a[k, i] * (b[j, k] - a[0, k])
                s = s - 1.0
            c[i, j] = s * 0.5
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
WINDOWS = """
def windows(a: A, w: np.ndarray, c: A):
    for i in range(c.shape[0]):
        for j in range(c.shape[1]):
            s = 0.5
            for d in range(1, w.shape[0]):
                for k in range(w.shape[1]):
                    s += a[i + d, k] * w[d, k, j]
            c[i, j] = s
"""
SLOPES = WINDOWS.replace("range(w.shape[1])", "range(d)")
LOWER = UPPER.replace("range(i, c.shape[1])", "range(2, 1 + i)")
BAND = UPPER.replace("range(i, c.shape[1])", "range(max(i - 3, 0), min(i + 4, c.shape[1]))")
ANTI = UPPER.replace("range(i, c.shape[1])", "range(0, c.shape[1] - i)")
SPARSE = UPPER.replace("range(i, c.shape[1])", "range(i, c.shape[1], 2)")
RAGGED = UPPER.replace("range(a.shape[0])", "range(i)")
SHORT = PRODUCT.replace("range(b.shape[0])", "range(i)")
SHORTER = PRODUCT.replace("range(b.shape[0])", "range(i + 1, b.shape[0])")
BESIDE = PRODUCT.replace("range(b.shape[0])", "range(b.shape[0] - i)")
GUARDED = UNDER.replace("range(2, n)", "range(i)").replace("if n > 5", "if i % 2 == 0")
DIVIDED = UPPER.replace("a[k, i] * a[k, j]", "a[k, i] / a[k, j]")
MIXED = UPPER.replace("a[k, i] * a[k, j]", "a[k, i] * a[k, j] * a[i, j]")
ROWS = UPPER.replace("a[k, i] * a[k, j]", "a[k, i] * a[i, k]")
TWO = UPPER.replace("            c[i, j] = s", "            c[i, j] = s * t").replace(
    "s = 0.0", "s = 0.0\n            t = i * 0.5"
)
WRITTEN = UPPER.replace("a[k, i] * a[k, j]", "a[k, i] * c[i, j]")


@functools.cache
def taken() -> tuple[Case, ...]:
    return (
        case(PRODUCT, alpha=1.5, a=SQUARE[:7].copy(), b=SQUARE, c=SQUARE[:7].copy()),
        case(PRODUCT, alpha=0.3, a=SQUARE[:, :0].copy(), b=SQUARE[:0].copy(), c=SQUARE[:3].copy()),
        case(UNDER, a=SQUARE, b=SQUARE, c=SQUARE.copy(), n=9),
        case(UNDER, a=SQUARE, b=SQUARE, c=SQUARE.copy(), n=4),
        case(UPPER, a=SQUARE, c=np.zeros((11, 11))),
        case(WINDOWS, a=SQUARE, w=np.resize(SQUARE, (3, 4, 5)), c=np.zeros((8, 5))),
        case(LOWER, a=SQUARE.astype(np.float32), c=np.zeros((10, 11), np.float32)),
        case(SHORT, alpha=1.5, a=SQUARE, b=SQUARE, c=SQUARE.copy()),
        case(SHORTER, alpha=1.5, a=SQUARE, b=SQUARE, c=SQUARE.copy()),
    )


@functools.cache
def left() -> tuple[Case, ...]:
    texts = (BAND, ANTI, SPARSE, RAGGED, DIVIDED, MIXED, ROWS, TWO, WRITTEN)
    others = [case(text, a=SQUARE, c=np.zeros((11, 11))) for text in texts]
    others.append(case(BESIDE, alpha=1.5, a=SQUARE, b=SQUARE, c=SQUARE.copy()))
    others.append(case(GUARDED, a=SQUARE, b=SQUARE, c=SQUARE.copy(), n=9))
    others.append(case(SLOPES, a=SQUARE, w=np.resize(SQUARE, (3, 4, 5)), c=np.zeros((8, 5))))
    return (*others, case(UPPER, a=SQUARE.astype(np.int64), c=np.zeros((11, 11), np.int64)))


def region_of(program: Program) -> Region:
    [region] = [node for node in program.body if isinstance(node, Region)]
    return region


@pytest.mark.parametrize("each", range(len(taken())))
def test_regions_are_packed(each: int) -> None:
    assert validate(packed, [taken()[each]]) == 1


@pytest.mark.parametrize("each", range(len(left())))
def test_others_are_not(each: int) -> None:
    assert packed(left()[each].program) is left()[each].program


def test_what_is_packed_is_not_written() -> None:
    made = packed(taken()[0].program)
    region = region_of(made)
    assert region.packed is not None
    [store] = [node for node in region.packed.behind if isinstance(node, Store)]
    moved = replace(region.packed.sum, value=store.element)
    for change in ({"loop": replace(region.packed.loop, body=(moved,))}, {"before": ()}):
        with pytest.raises((InvalidProgram, AssertionError)):
            verify(replace(made, body=(replace(region, packed=replace(region.packed, **change)),)))  # type: ignore[arg-type]


def bias(alpha: float, a: dist[np.ndarray], b: np.ndarray, c: dist[np.ndarray]) -> None:
    for i in range(c.shape[0]):
        for j in range(c.shape[1]):
            c[i, j] *= 0.5
            for k in range(a.shape[1]):
                c[i, j] += alpha * a[i, k] * b[k, j]


def pairs(a: dist[np.ndarray], c: dist[np.ndarray]) -> None:
    for i in range(a.shape[0]):
        for j in range(i + 1, a.shape[0]):
            s = np.float32(0.0)
            for k in range(1, a.shape[1]):
                s -= (a[i, k] - a[j, k]) * (a[i, k - 1] - a[j, k - 1])
            c[i, j] = s
            c[j, i] = s


def below(a: dist[np.ndarray], c: dist[np.ndarray], least: int) -> None:
    for i in range(1, c.shape[0]):
        for j in range(least, i):
            for k in range(a.shape[0]):
                c[i, j] += a[k, i - 1] * a[k, j]


def numbers(rows: int, columns: int) -> Any:
    made = np.random.default_rng(rows * 100 + columns).standard_normal((rows, columns))
    made.flat[::37] = -0.0
    return made


SIZES = [(0, 5, 3), (1, 1, 0), (5, 7, 1), (6, 32, 4), (13, 81, 9), (37, 17, 2)]


@pytest.mark.parametrize(("rows", "columns", "trips"), SIZES)
def test_on_cores(rows: int, columns: int, trips: int) -> None:
    """Tiles that are whole and those at the edges, for parts of all lengths."""
    method = somd.somd(bias)
    given = (1.5, numbers(rows, trips), numbers(trips, columns), numbers(rows, columns))
    harness.check(method, given, "multicore", workers=(1, 2, 3, 7))
    assert "sum_in_registers" in method.source("multicore")


@pytest.mark.parametrize("size", [1, 2, 9, 41])
def test_triangles(size: int) -> None:
    """Rows of a tile have columns of their own; elements of narrower types; a factor of both kinds of elements."""
    a = numbers(size, 6).astype(np.float32)
    method = somd.somd(pairs)
    harness.check(method, (a, np.zeros((size, size), np.float32)), "multicore", workers=(1, 3))
    assert "sum_in_registers" in method.source("multicore")
    harness.check(somd.somd(below), (numbers(5, size), np.ones((size, size)), 3), "multicore", workers=(1, 2))


def short(alpha: float, a: dist[np.ndarray], b: np.ndarray, c: dist[np.ndarray]) -> None:
    for i in range(c.shape[0]):
        for j in range(c.shape[1]):
            for k in range(1, i):
                c[i, j] += a[i, k] * b[k, j]
            c[i, j] *= alpha


def shorter(alpha: float, a: dist[np.ndarray], b: np.ndarray, c: dist[np.ndarray]) -> None:
    for i in range(c.shape[0]):
        for j in range(c.shape[1]):
            for k in range(i + 2, a.shape[0]):
                c[i, j] -= a[k, i] * b[k - 2, j]
            c[i, j] *= alpha


@pytest.mark.parametrize("function", [short, shorter])
def test_trips_of_a_row(function: Any) -> None:
    """Rows of a tile have trips of their own, before or behind those of all."""
    method = somd.somd(function)
    for rows, columns in ((1, 4), (5, 33), (41, 70)):
        given = (0.5, numbers(rows, rows), numbers(rows, columns), numbers(rows, columns))
        harness.check(method, given, "multicore", workers=(1, 2, 7))
    assert "sum_in_registers" in method.source("multicore")


def convolution(image: dist[np.ndarray], weights: np.ndarray, out: dist[np.ndarray]) -> None:
    for y in range(out.shape[0]):
        for x in range(out.shape[1]):
            for f in range(out.shape[2]):
                total = 0.25
                for dy in range(1, weights.shape[0]):
                    for dx in range(weights.shape[1]):
                        for c in range(weights.shape[2]):
                            total -= image[y + dy, x + dx, c] * weights[dy, dx, c, f]
                out[y, x, f] = total


def squares(a: dist[np.ndarray], b: np.ndarray, c: dist[np.ndarray], d: dist[np.ndarray]) -> None:
    """The same sum at (i, j) and (j, i), of which more is made at each place."""
    for i in range(1, c.shape[0]):
        for j in range(1, c.shape[0]):
            s = -0.0
            for k in range(a.shape[1]):
                s -= a[j, k] * b[i, k + 1] + b[j, k + 1] * a[i, k]
            s *= 0.5
            c[i, j] += s
            d[i, j] = s * i - b[j, 0]


def rounded(alpha: float, a: dist[np.ndarray], c: dist[np.ndarray]) -> None:
    """No such sum: products with `alpha` are rounded in another order."""
    for i in range(c.shape[0]):
        for j in range(c.shape[0]):
            s = 0.0
            for k in range(a.shape[0]):
                s += alpha * a[k, i] * a[k, j]
            c[i, j] = s


def begun(alpha: float, a: dist[np.ndarray], c: dist[np.ndarray]) -> None:
    """No such sum: each row has trips of its own."""
    for i in range(c.shape[0]):
        for j in range(c.shape[0]):
            s = alpha
            for k in range(i, a.shape[0]):
                s += a[k, i] * a[k, j]
            c[i, j] = s


@pytest.mark.parametrize("size", [1, 2, 33, 70])
def test_half_of_symmetric_sums(size: int) -> None:
    a, b = numbers(size, 5), numbers(size, 6)
    a.flat[3:5], b.flat[2] = (np.nan, np.inf), -np.inf
    method = somd.somd(squares)
    with np.errstate(all="ignore"):
        harness.check(method, (a, b[:, ::-1], a @ a.T, np.zeros((size, size))), "multicore", workers=(1, 2, 3, 7))
    assert "s_shared" in method.source("multicore") and "sloped_range(1, c.shape[0]" in method.source("multicore")


@pytest.mark.parametrize("function", [rounded, begun])
def test_others_are_computed_whole(function: Any) -> None:
    method = somd.somd(function)
    harness.check(method, (0.1, numbers(44, 41), np.zeros((41, 41))), "multicore", workers=(1, 2))
    assert "sum_in_registers" in method.source("multicore") and "s_shared" not in method.source("multicore")


def factors(a: dist[np.ndarray], b: np.ndarray, w: np.ndarray, c: dist[np.ndarray]) -> None:
    for i in range(c.shape[0]):
        for j in range(i + 1):
            for k in range(w.shape[0]):
                c[i, j] += (b[k, j] * w[k] + b[k, j]) * (a[k, i] * w[k]) - w[k] * a[k, 0] * b[k, j]


def test_what_columns_have_is_computed_once() -> None:
    method = somd.somd(factors)
    given = (numbers(9, 40), numbers(9, 40), numbers(9, 1)[:, 0].copy(), numbers(40, 40))
    harness.check(method, given, "multicore", workers=(1, 3))
    text = method.source("multicore")
    assert "b_packed[k, lane] = b[k, j] * w[k] + b[k, j]" in text
    assert "row_factor_1[i - first_copied, k - first_trip] = a[k, i] * w[k]" in text
    assert "b_packed_1[k, lane] = w[k] * a[k, 0] * b[k, j]" in text


@pytest.mark.parametrize("shape", [(3, 2, 1, 5), (2, 3, 4, 40), (1, 2, 2, 3), (3, 0, 2, 3)])
def test_loops_in_loops(shape: tuple[int, ...]) -> None:
    """The sums go through all of them, and some have no trips."""
    image, weights = np.resize(SQUARE, (9, 16, shape[2])), np.resize(SQUARE, shape)
    method = somd.somd(convolution)
    harness.check(method, (image, weights, np.zeros((6, 13, shape[3]))), "multicore", workers=(1, 2, 3))
    assert "sum_in_registers" in method.source("multicore")


def scaled(alpha: float, a: dist[np.ndarray], b: np.ndarray, c: dist[np.ndarray]) -> None:
    for i in range(c.shape[0]):
        for j in range(c.shape[1]):
            c[i, j] *= alpha
        for k in range(1, b.shape[0]):
            for j in range(2, c.shape[1]):
                c[i, j] += alpha * a[i, k] * b[k, j]


@pytest.mark.parametrize(("rows", "columns", "trips"), [(0, 9, 3), (37, 70, 1), (200, 67, 5), (500, 2, 4), (40, 1, 3)])
def test_panels_for_all_parts(rows: int, columns: int, trips: int) -> None:
    """They are filled once, also where rows are more than one part is asked to fill for, or there is no column."""
    method = somd.somd(scaled)
    given = (1.5, numbers(rows, trips), numbers(trips, columns), numbers(rows, columns))
    harness.check(method, given, "multicore", workers=(1, 2, 7))
    text = method.source("multicore")
    assert "scaled_slave_1_panels(lo, hi, 0, b, c, b_packed_panels)" in text
    assert (
        "parts = spare_parts(trips(0, c.shape[0], 1), n_slaves, 30) if len(b_packed_panels) > 0 else n_slaves" in text
    )


def of_matrices(a: dist[np.ndarray], b: np.ndarray, each: np.ndarray, c: dist[np.ndarray], d: dist[np.ndarray]) -> None:
    for g in range(a.shape[0]):
        for i in range(a.shape[1]):
            for j in range(b.shape[1]):
                s = 0.0
                for k in range(a.shape[2]):
                    s += a[g, i, k] * b[k, j]
                c[g, i, j] = s
    for g in range(a.shape[0]):
        for i in range(a.shape[1]):
            for j in range(b.shape[1]):
                s = 0.0
                for k in range(a.shape[2]):
                    s += a[g, i, k] * each[g, k, j]
                d[g, i, j] = s


@pytest.mark.parametrize("shape", [(3, 7, 4, 35), (0, 2, 2, 2), (2, 0, 3, 3), (2, 5, 0, 3)])
def test_panels_for_all_matrices(shape: tuple[int, ...]) -> None:
    """They are filled once for all of a batch, if they hold the same for all."""
    many, rows, trips, columns = shape
    a, b = np.resize(SQUARE, (many, rows, trips)), np.resize(SQUARE, (trips, columns))
    made = np.zeros((many, rows, columns))
    method = somd.somd(of_matrices)
    harness.check(method, (a, b, np.resize(b, (many, trips, columns)), made, made.copy()), "multicore", workers=(1, 3))
    text = method.source("multicore")
    assert "of_matrices_slave_1_panels" in text and "of_matrices_slave_2_panels" not in text


def test_rows_that_no_column_asks_for() -> None:
    """`a[i - 1, k]` where `i` is 0 is none that the loops access."""
    a = numbers(12, 40)
    for least in (0, 5, 11):
        harness.check(somd.somd(below), (a, np.zeros((40, 40)), least), "multicore", workers=(1, 3))


def test_arrays_of_any_layout() -> None:
    wide, nan = numbers(26, 62), numbers(40, 31)
    nan[3, 4], nan[5, 6] = np.nan, np.inf
    given = (0.5, wide[::2, ::2], nan[:31].T[::-1].T, np.asfortranarray(numbers(13, 31)))
    harness.check(somd.somd(bias), given, "multicore", workers=(1, 3))


GIVEN = (numbers(8, 5), numbers(5, 47), numbers(8, 47))


WIDTHS = (register_tiles.NARROW, register_tiles.OF_AVX, register_tiles.WIDE)


@pytest.mark.parametrize("vector", WIDTHS if ALL else (WIDTHS[0], WIDTHS[-1]))
@pytest.mark.usual(2)
def test_vectors_of_all_widths(vector: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The bits are those of plain Python on any processor."""
    asked: list[str] = []
    monkeypatch.setenv("SOMD_CACHE_DIR", str(tmp_path))
    monkeypatch.setattr(register_tiles, "vector_bytes", lambda features: asked.append(features) or vector)
    harness.check(somd.somd(bias), (1.5, *GIVEN), "multicore", workers=(1,))
    assert asked


parts = module.parts_of


def unguarded(body: Any) -> Any:
    found = parts(body)
    return found and (found[0], None, *found[2:])


def of_first_row(self: Any, node: ast.expr) -> Any:
    self.row = 0
    return whole(self, node)


whole = register_tiles._Tile.whole


BUGS = [
    Bug(
        "what is before the loop is lost",
        module,
        "parts_of",
        lambda body: ((), *parts(body)[1:]) if parts(body) else None,
    ),
    Bug("what is behind it is lost", module, "parts_of", lambda body: (*parts(body)[:3], ()) if parts(body) else None),
    Bug("its condition is lost", module, "parts_of", unguarded),
    Bug("what is written is packed", _Term, "is_plain", lambda self, node: True),
]


@pytest.mark.parametrize("bug", BUGS, ids=str)
def test_bugs_in_the_pass(bug: Bug) -> None:
    assert is_caught(bug, packed, lambda: (*taken(), *left()))


OF_CODE = [
    ("trips of a row are lost", PackedLoops, "ragged_rows", lambda self, call: [f"{self.last} = {self.tile}", *call]),
    ("nothing is done with sums", PackedLoops, "of_rows", lambda self, body: []),
    ("sums are differences", register_tiles, "_OF_REALS", {**register_tiles._OF_REALS, ast.Add: "fsub"}),
    ("each row is the first", register_tiles._Tile, "whole", of_first_row),
]


TRIED = OF_CODE if ALL else OF_CODE[:2]


@pytest.mark.parametrize(("name", "owner", "attribute", "value"), TRIED, ids=[each[0] for each in TRIED])
def test_bugs_in_the_code(
    name: str, owner: Any, attribute: str, value: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOMD_CACHE_DIR", str(tmp_path))
    monkeypatch.setattr(owner, attribute, value)
    function, given = (
        (short, (1.5, numbers(8, 8), numbers(8, 47), GIVEN[2])) if "row are" in name else (bias, (1.5, *GIVEN))
    )
    with pytest.raises(AssertionError):
        harness.check(somd.somd(function), given, "multicore", workers=(1,))
