"""Work-items that go along stretches of their own, which their groups load and store: the bits of plain Python."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import somd
from somd import dist, sync
from somd.runtime.opencl import Device, watch_launches, workgroups
from somd.runtime.opencl.devices import NoDevice, select
from tests.devices import has_few
from tests.differential import features, harness
from tests.language import claimed_scans, scans
from tests.language.program import PROGRAMS, Program, reverse, spaced
from tests.trials import CACHE
from tests.usual import ALL

ROOT = Path(__file__).parents[3]
A = dist[np.ndarray]
Arguments = tuple[Any, ...]


def halves(n: int, dtype: type = np.float64) -> np.ndarray:
    """Numbers whose sums are exact."""
    return (np.random.default_rng(n).integers(-9, 9, n) / 2).astype(dtype)


@somd.somd
def positive(a: A) -> tuple[np.ndarray, int]:
    out = np.zeros_like(a)
    k = 0
    for i in range(len(a)):
        if a[i] > 0:
            out[k] = a[i]
            k += 1
    return out, k


@somd.somd
def parted(a: A, b: A, size: int) -> tuple[np.ndarray, np.ndarray, int, int]:
    """A list, and the indexes of what is not in it, from counters that begin anywhere."""
    low = np.zeros(size, np.float32)
    at = np.zeros(len(a), np.int64)
    j, k = 2, 0
    for i in range(len(a)):
        t = a[i] * b[i]
        if t > 0.25:
            low[j] = b[i]
            j += 1
        else:
            at[k] = i
            k += 1
    return low, at, j, k


@somd.somd
def recurrence_of_integers(a: A) -> np.ndarray:
    out = np.empty_like(a)
    x, odd, least = 7, False, 9
    for i in range(len(a) - 1, -1, -1):
        x = a[i] - 3 * x
        odd ^= a[i] % 2 == 0
        least = min(least, int(a[i]))
        out[i] = x + least if odd else x
    return out


@somd.somd
def sums(a: A, s: float) -> tuple[np.ndarray, float]:
    out = np.empty_like(a)
    with sync(s, scan="+"):
        for i in range(len(a)):
            s += a[i]
            out[i] = s
    return out, s


@somd.somd
def backwards_in_place(a: A, b: A) -> np.float32:
    s = np.float32(2)
    with sync(s, scan="+"):
        for i in range(len(a) - 1, 0, -3):
            before = s
            if b[i] > 0:
                s += b[i]
            s -= a[i]
            a[i] = before
    return s


@somd.somd
def row_of_two(a: A) -> float:
    s = 0.5
    with sync(s, scan="+"):
        for i in range(1, a.shape[1]):
            s += a[1, i]
            a[1, i] = s
    return s


@somd.somd
def recurrence(a: A, b: A) -> tuple[np.ndarray, float]:
    out = np.zeros_like(a)
    s = 1.0
    with sync(s, scan="affine"):
        for i in range(len(a)):
            s = s * a[i] + b[i]
            if b[i] > 0:
                out[i] = s
    return out, s


@somd.somd
def parts_of_seven(a: A, out: A, n: int) -> None:
    for w in range(n):
        s = np.int32(0)
        for i in range(7 * w + 1, 7 * w + 8):
            s += a[i]
            out[i] = s
        for i in range(7 * w, 7 * w + 7):
            s += a[i] * np.int32(w)
        out[7 * w + 1] = s


@somd.somd
def parts_with_two_ends(a: A, out: A, n: int) -> None:
    for w in range(len(out) // 7):
        s = 0.0
        for i in range(7 * w, 7 * w + 7):
            s += a[i]
            out[i] = s
        for i in range(7 * w, min(7 * w + 7, n)):
            out[i] = out[i] - s


@somd.somd
def long_parts(a: A, total: A) -> None:
    for w in range(len(total)):
        s = 0.0
        for i in range(50 * w, min(50 * w + 50, len(a))):
            t = a[i]
            a[i] = s
            s += t
        total[w] = s


@somd.somd
def long_parts_backwards(a: A, b: A, total: A) -> None:
    for w in range(len(total)):
        s = 0.0
        for i in range(len(a) - 1 - 90 * w, max(len(a) - 91 - 90 * w, -1), -2):
            s += a[i]
            if i > 3:
                s += b[i - 1]
            b[i] = s
        total[w] = s


@somd.somd
def rows_behind_tests(a: A, y: A, z: A, far: int, near: int) -> None:
    for i in range(len(y)):
        if far <= a.shape[1]:
            s = 0.0
            for j in range(far):
                s += a[i, j]
            y[i] = s
    for i in range(len(z)):
        if near <= a.shape[1]:
            s = 0.0
            for j in range(near):
                s += a[i, j]
            z[i] = s


@somd.somd
def of_two_lengths(a: A, out: A, total: A, n: int) -> None:
    """What only the shorter one of two loops stores stays behind its end."""
    for w in range(n):
        s = 0.0
        for i in range(7 * w, min(7 * w + 7, 3 * n)):
            out[i] = s + a[i]
            s += 1.0
        for i in range(7 * w, 7 * w + 7):
            s += a[i]
        total[w] = s


@somd.somd
def shares(x: A, out: A) -> None:
    """Three loops along a row: of what is read, of what is stored, and of both."""
    for r in range(x.shape[0]):
        largest = x[r, 0]
        for k in range(x.shape[1]):
            largest = max(largest, x[r, k])
        whole = 0.0
        for k in range(x.shape[1]):
            out[r, k] = 0.25 + (x[r, k] - largest) * x[r, k]
            whole += out[r, k]
        for k in range(x.shape[1]):
            out[r, k] /= whole


@somd.somd
def normalised(a: A, b: A, ends: A) -> None:
    """Rows in place, backwards and not to their ends, from the second one on; those of `b` may end before."""
    for i in range(1, a.shape[0]):
        s = 0.5
        for k in range(a.shape[1] - 1, -1, -2):
            t = a[i, k]
            a[i, k] = s
            s = s * 0.5 - t
        ends[i] = s
        for j in range(3, b.shape[1]):
            s = s * 0.25 + b[i, j]
            b[i, j] = s * b[i, j]
        for k in range(a.shape[1]):
            if k > 2:
                s -= a[i, k]
            a[i, k] = s


@dataclass(frozen=True)
class Case:
    method: Any
    arguments: Callable[[int], Arguments]
    kinds: frozenset[str]
    exact: bool = True


def factors(n: int) -> np.ndarray:
    """Of a recurrence whose values are exact in any order; with all cases of one for which multicore is compiled."""
    generator = np.random.default_rng(n)
    return generator.uniform(-1, 1, n) if ALL else generator.integers(-1, 2, n).astype(float)


def rows(n: int, columns: int = 33) -> np.ndarray:
    return halves((n // 33 + 1) * columns).reshape(-1, columns)


CASES = (
    Case(positive, lambda n: (halves(n),), frozenset({"totals", "0", "striped"})),
    Case(
        parted,
        lambda n: (halves(n), halves(n, np.float32), n + 2 if n % 2 else n // 3),
        frozenset({"totals", "0", "1", "striped"}),
    ),
    Case(
        recurrence_of_integers,
        lambda n: (np.random.default_rng(n).integers(-9, 9, n),),
        frozenset({"totals", "0", "1", "2", "striped"}),
    ),
    Case(sums, lambda n: (halves(n), 0.5), frozenset({"striped", "walked"})),
    Case(sums, lambda n: (spaced(halves(n)), 0.5), frozenset({"striped", "walked"})),
    Case(
        backwards_in_place,
        lambda n: (halves(n, np.float32), reverse(halves(n, np.float32))),
        frozenset({"striped", "walked"}),
    ),
    Case(row_of_two, lambda n: (halves(2 * n + 2).reshape(2, -1),), frozenset({"striped", "walked"})),
    Case(
        recurrence,
        lambda n: (factors(n), halves(n)),
        frozenset({"striped", "walked"}),
        exact=not ALL,
    ),
    Case(
        parts_of_seven,
        lambda n: (halves(7 * n + 8).astype(np.int32), np.zeros(7 * n + 8, np.int32), n),
        frozenset({"striped"}),
    ),
    Case(parts_with_two_ends, lambda n: (halves(7 * n), np.ones(7 * n), 4 * n), frozenset({"striped"})),
    Case(
        rows_behind_tests,
        lambda n: (halves(20 * n).reshape(20, n), np.ones(20), np.ones(20), 10**8, n - n % 2),
        frozenset({"tiled"}),
    ),
    Case(of_two_lengths, lambda n: (halves(7 * n), np.ones(7 * n), np.ones(n), n), frozenset({"striped"})),
    Case(shares, lambda n: (rows(n), np.ones((n // 33 + 1, 33))), frozenset({"staged"})),
    Case(
        normalised,
        lambda n: (rows(n, 70), rows(n, 90), np.zeros(n // 33 + 1)),
        frozenset({"walked"}),
    ),
    Case(long_parts, lambda n: (halves(n), np.zeros(-(-n // 50))), frozenset({"walked"})),
    Case(long_parts_backwards, lambda n: (halves(n), halves(n + 1), np.zeros(-(-n // 90))), frozenset({"walked"})),
)


@pytest.fixture
def with_tiles(quick_device: Device, monkeypatch: pytest.MonkeyPatch) -> Device:
    """A device whose groups bring in tiles."""
    monkeypatch.setattr(workgroups, "KINDS_WITH_TILES", ("gpu", "cpu"))
    return quick_device


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.method.__name__)
def test_the_bits_are_those_of_plain_python(with_tiles: Device, case: Case) -> None:
    if has_few(with_tiles) and case.method not in (positive, parts_of_seven, long_parts):
        pytest.skip("the kernels are those of another device, where they run")
    with somd.use(device=f"{with_tiles.info.platform}:{with_tiles.index}"), watch_launches() as seen:
        for n in (4200,) if has_few(with_tiles) else (0, 17, 4200):
            check(case, case.arguments(n))
    found = {name.removeprefix(f"{case.method.__name__}_").partition("_")[2] for name, _ in seen}
    assert {name.removeprefix("carries_") for name in found} - {""} == case.kinds


def check(case: Case, given: Arguments) -> None:
    if case.exact:
        harness.check(case.method, given, "opencl", workers=(1,))
        return
    found = []
    for target in ("multicore", "opencl"):
        own = harness.duplicate(given)
        with somd.use(target=target, workers=2):
            found.append(case.method(*own)[0])
    harness.assert_same(found[1], found[0], 0.0, "result")


@pytest.mark.usual(2)
def test_what_a_group_filters_is_stored_together(with_tiles: Device) -> None:
    """All, none, some, of more groups than one piece has; a list that is too short fails where plain Python does."""
    with somd.use(target="opencl", device=f"{with_tiles.info.platform}:{with_tiles.index}"):
        some, many = np.where(np.arange(4100) % 2048 == 2047, 1.0, -1.0), np.resize([1.0, -1.0, 2.0], 2049 * 2048 + 3)
        for a in (np.ones(4100), -np.ones(4100), some, many):
            out, k = positive(a)
            assert k == (a > 0).sum() and np.array_equal(out[:k], a[a > 0]) and not out[k:].any()
        if not has_few(with_tiles):
            harness.check(parted, (np.ones(5000), np.ones(5000, np.float32), 3000), "opencl", workers=(1,))


def test_what_may_be_left_out_keeps_its_own_memory(with_tiles: Device) -> None:
    """Elements that only some trips store have no tile, and what no trip comes to stays."""
    if has_few(with_tiles):
        pytest.skip("the kernels are those of another device, where they run")
    a, b = np.full(40, 0.5), np.concatenate([np.ones(20), -np.ones(20)])
    with somd.use(target="opencl", device=f"{with_tiles.info.platform}:{with_tiles.index}"):
        out, last = recurrence(a, b)
    assert (out[:20] != 0).all() and (out[20:] == 0).all() and last != 0


#: the usual run takes those that stand for a feature of kernels
STANDING = {name for names in features.known("opencl").values() for name in names}
OF_CORPUS = [
    program
    for program in PROGRAMS
    if program.method.__module__ in (scans.__name__, claimed_scans.__name__) and (ALL or program.name in STANDING)
]


@pytest.mark.parametrize("program", [pytest.param(program, id=program.name) for program in OF_CORPUS])
@pytest.mark.usual(2)
def test_scans_of_the_corpus_by_groups(program: Program, monkeypatch: pytest.MonkeyPatch) -> None:
    """On one device, each with a case of two groups, where it has a kernel of stretches."""
    try:
        select("intel")
    except NoDevice as error:
        pytest.skip(str(error).splitlines()[0])
    monkeypatch.setattr(workgroups, "KINDS_WITH_TILES", ("cpu",))
    cases = sorted(program.cases(), key=size)
    chosen = cases if ALL else cases[-1:]
    with somd.use(device="intel"):
        for args in chosen:
            harness.check(program.method, args, "opencl", rtol=program.rtol, workers=(1,))


def size(args: Arguments) -> int:
    return sum(each.size for each in args if isinstance(each, np.ndarray))


def test_the_simulator_finds_no_race(tmp_path: Path) -> None:
    try:
        select("oclgrind")
    except NoDevice as error:
        pytest.skip(str(error).splitlines()[0])
    code = """
import somd
from tests.transforms.opencl.test_striped import CASES, check
for case in {case.kinds: case for case in CASES}.values():
    with somd.use(device="oclgrind"):
        check(case, case.arguments(601))
"""
    log = tmp_path / "log"
    names = {"OCLGRIND_DATA_RACES": "1", "OCLGRIND_LOG": str(log), "SOMD_CACHE_DIR": str(CACHE)}
    environment = {**os.environ, **names, "PYTHONPATH": str(ROOT)}
    subprocess.run([sys.executable, "-c", code], env=environment, check=True, timeout=400)
    assert log.read_text() == ""
