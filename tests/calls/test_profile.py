"""What `somd.profile` records: parts that add up, counts that are right, results that are the same."""

from __future__ import annotations

import json
import threading
import time
from xml.etree import ElementTree

import numpy as np
import pytest

import somd
from somd import dist
from somd.calls import profile_page
from somd.calls.machine_limits import Limits, limits
from somd.calls.method import SomdMethod
from somd.calls.profile_views import Row
from somd.runtime.recording import current

N = 300_000


@somd.somd
def axpy(a: float, x: dist[np.ndarray], y: dist[np.ndarray]) -> None:
    for i in range(len(x)):
        y[i] += a * x[i]


@somd.somd
def smooth(u: dist[np.ndarray], v: dist[np.ndarray], steps: int) -> None:
    for _ in range(steps):
        for i in range(1, len(u) - 1):
            v[i] = (u[i - 1] + u[i] + u[i + 1]) / 3.0
        u, v = v, u


@somd.somd
def picked(x: dist[np.ndarray], index: np.ndarray, y: dist[np.ndarray]) -> float:
    total = 0.0
    for i in range(len(y)):
        y[i] = x[index[i]]
        total += y[i]
    return total


def cubed(x: float) -> float:
    result = 1.0
    for _ in range(3):
        result *= x
    return result


@somd.somd
def cubes(x: dist[np.ndarray], y: dist[np.ndarray]) -> None:
    for i in range(len(x)):
        y[i] = cubed(x[i]) + 1.0


def test_loops_of_known_length_in_helpers_count() -> None:
    with somd.use(target="multicore", workers=2), somd.profile() as found:
        cubes(np.ones(N), np.ones(N))
    (part,) = found.methods[0].parts.values()
    assert part.operations == 4 * N


def test_counts_and_parts() -> None:
    x, y = np.ones(N), np.ones(N)
    with somd.use(target="multicore", workers=3):
        axpy(2.0, x, y)
        with somd.profile() as found:
            for _ in range(4):
                axpy(2.0, x, y)
    assert (y == 11.0).all()
    (method,) = found.methods
    assert (method.name, method.calls, method.target) == ("axpy", 4, "multicore")
    (part,) = method.parts.values()
    assert (part.runs, part.operations, part.bytes) == (4, 4 * 2 * N, 4 * 24 * N)
    assert 0 < part.busy <= part.time * part.workers and part.workers == 3
    assert all(begun <= ended for call in method.timeline for _, begun, ended in call.runs)
    whole = part.time + method.between + method.call + sum(method.making.values())
    assert whole == method.time <= found.wall * 1e9
    assert min(method.between, method.call) >= 0 and "compiling" in method.making


@somd.somd
def mixed(key: dist[np.ndarray], out: dist[np.ndarray], steps: int) -> None:
    for i in range(len(key)):
        x = key[i]
        for k in range(steps):
            x = (x * 3 + k) & 0xFFFF
        out[i] = x ^ key[(i + 1) % 1]


def test_operations_of_integers_count() -> None:
    key = np.arange(N)
    with somd.use(target="multicore", workers=2), somd.profile() as found:
        mixed(key, np.zeros_like(key), 4)
    (part,) = found.methods[0].parts.values()
    assert (part.operations, part.integers) == (0, N * (4 * 3 + 1))  # what indexes is left out
    told = json.loads(found.json())
    (phase,) = [each for each in told["methods"][0]["parts"] if each["kind"] == "phase"]
    assert phase["gintops"] > 0 and phase["gflops"] is None and told["limits"]["gintops"] > 0
    assert phase["bound"] in ("integers", "memory", "neither") and "Gintop/s of additions" in found.table()
    page = found.html()
    assert page.count("stroke-dasharray") == 1 and page.count("<circle") == 1


@pytest.mark.parametrize("most", [1.0, 12.0, 15.0, 18.0, 20.0, 30.0, 300.0])
def test_no_line_of_the_roofline_goes_through_its_words(most: float, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(profile_page, "integer_limit", lambda: most)
    drawn = profile_page._roofline([Row(1, "phase", "f", 3, 1, 1.0, gbytes=1.0, gintops=0.5)], Limits(13.0, 15.0))
    picture = ElementTree.fromstring(drawn)
    roof = float(picture.findall("polyline")[0].attrib["points"].rpartition(",")[2])
    dashed = float(picture.findall("line")[0].attrib["y1"])
    for words in picture.findall("text"):
        if any(limit in (words.text or "") for limit in ("GB/s", "dashed")):
            line = float(words.attrib["y"])
            assert not any(line - 11 < height < line + 3 for height in (roof, dashed)), words.text


@pytest.mark.parametrize("workers", [1, 2, 7])
@pytest.mark.usual(3)
def test_results_are_the_same(workers: int) -> None:
    rng = np.random.default_rng(workers)
    u, index = rng.random(N), rng.integers(0, N, N)
    expected = [u.copy(), np.zeros(N)]
    with somd.use(target="multicore", workers=workers, small_work=0):
        smooth(*expected, 5)
        plain = picked(u, index, y := np.zeros(N))
        with somd.profile() as found:
            given = [u.copy(), np.zeros(N)]
            smooth(*given, 5)
            assert picked(u, index, mine := np.zeros(N)) == plain
    assert (mine == y).all() and all((a == b).all() for a, b in zip(given, expected, strict=True))
    phases = {m.name: next(iter(m.parts.values())) for m in found.methods}
    assert phases["smooth"].runs == 5 and phases["smooth"].operations == 5 * 3 * (N - 2)
    assert phases["picked"].bytes == 4 * 8 * N


def test_exceptions_and_threads() -> None:
    x = np.ones(4)
    with somd.use(target="multicore"), somd.profile() as found, pytest.raises(IndexError):
        picked(x, np.array([0, 9, 1, 1]), np.zeros(4))
    assert found.methods[0].calls == 1
    with somd.profile() as found:
        threads = [threading.Thread(target=axpy, args=(1.0, x, np.ones(4))) for _ in range(3)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert found.methods[0].calls == 3


def test_off_leaves_the_code_as_it_was() -> None:
    x = np.ones(8)
    with somd.use(target="multicore"):
        with somd.profile():
            axpy(1.0, x, x.copy())
        axpy(1.0, x, x.copy())
        assert "worked(" not in axpy.source("multicore")


def test_table_json_and_page() -> None:
    x = np.ones(N)
    with somd.use(target="multicore"), somd.profile() as found:
        axpy(1.0, x, x.copy())
    line = axpy.sequential.__code__.co_firstlineno + 2
    assert f"line {line}, phase 1: for i in range(len(x))" in found.table() and "outside of methods" in found.table()
    told = json.loads(found.json())
    (phase,) = [part for part in told["methods"][0]["parts"] if part["kind"] == "phase"]
    assert phase["gbytes"] == pytest.approx(12 * phase["gflops"]) and phase["bound"] in ("memory", "neither")
    assert told["limits"]["gbytes"] == limits().gbytes > 0
    named = [part for told_of in (*told["methods"], told["outside"]) for part in told_of["parts"]]
    assert sum(part["seconds"] for part in named) == pytest.approx(told["wall"], rel=0.01)
    page = found.html()
    assert "<script" not in page and page.count("<svg") == 2
    for part in page.split("<svg")[1:]:
        ElementTree.fromstring("<svg" + part.split("</svg>")[0] + "</svg>")


def test_kernels_and_transfers() -> None:
    if somd.targets()["opencl"] is not None:
        pytest.skip("no OpenCL device")
    x = np.ones(N)
    with somd.use(target="opencl"), somd.profile() as found:
        axpy(2.0, x, y := np.ones(N))
    assert (y == 3.0).all()
    parts = {(part.kind, part.name): part for part in found.methods[0].parts.values()}
    assert parts["transfer", "to the device"].bytes == 16 * N and parts["transfer", "to the host"].bytes == 8 * N
    assert parts["kernel", "axpy_1"].runs == 1 and parts["kernel", "axpy_1"].time > 0


def test_a_definition_is_part_of_what_is_outside() -> None:
    with somd.use(target="multicore"), somd.profile() as found:
        axpy.twin()(1.0, np.ones(3), np.ones(3))
        time.sleep(0.05)
    assert found.outside.making["looking up names"] > 0 and found.outside.between > 5e7
    assert {"loading", "looking up names"} <= set(found.methods[0].making)
    assert found.outside.time + found.methods[0].time == pytest.approx(found.wall * 1e9)


def test_profiles_that_overlap() -> None:
    first, second = somd.profile(), somd.profile()
    with somd.use(target="multicore"):
        first.__enter__()
        second.__enter__()
        axpy(1.0, np.ones(3), np.ones(3))
        first.__exit__(None, None, None)
        assert current() is not None
        axpy(1.0, np.ones(3), np.ones(3))
        second.__exit__(None, None, None)
        assert current() is None
        with first, first:  # again
            axpy(1.0, np.ones(3), np.ones(3))
    assert current() is None
    assert [each.methods[0].calls for each in (first, second)] == [2, 2]


def test_no_method_is_recorded_as_another() -> None:
    again: SomdMethod[..., None] = axpy.twin()
    with somd.use(target="sequential"), somd.profile() as found:
        again(1.0, np.ones(3), np.ones(3))
    assert found.methods == ()
