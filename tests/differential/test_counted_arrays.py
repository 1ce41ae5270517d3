"""Integer arrays that kernels update atomically: in local memory, in slices of it, and in place; on all devices."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import somd
from somd import dist, shared, sync
from tests.devices import has_few
from tests.differential import harness

pytest.importorskip("pyopencl")

from somd.runtime.opencl import combining, watch_launches
from somd.runtime.opencl.devices import select
from somd.runtime.opencl.failures import NoDevice

A = dist[np.ndarray]


@somd.somd
def count(key: A, h: shared[np.ndarray]) -> None:
    with sync(h, reduce="+"):
        for i in range(len(key)):
            h[key[i]] += 1  # line of count


@somd.somd
def weighted(key: A, w: A, h: shared[np.ndarray], g: shared[np.ndarray]) -> None:
    with sync(h, g, reduce="+"):
        for i in range(len(key) - 1, -1, -2):
            if w[i] == 3:
                continue
            h[key[i]] -= w[i]
            g[key[i], 1] += w[i] * w[i]


@somd.somd
def image(picture: A, h: shared[np.ndarray], turns: int) -> None:
    for _ in range(turns):
        with sync(h, reduce="+"):
            for i in range(1, picture.shape[0]):
                for j in range(i % 2, picture.shape[1], 2):
                    h[picture[i, j], j % 3] += 2


@somd.somd
def bits(key: A, w: A, h: shared[np.ndarray], g: shared[np.ndarray]) -> None:
    with sync(h, reduce="|"):  # noqa: SIM117
        with sync(g, reduce="^"):
            for i in range(0, len(key), 2):
                h[key[i]] |= w[i]
                g[key[i]] ^= w[i] * 3


@somd.somd
def masked(key: A, w: A, h: shared[np.ndarray]) -> None:
    with sync(h, reduce="&"):
        for i in range(len(key)):
            for k in range(3):
                h[key[i] - k] &= w[i] | k


@somd.somd
def extremes(key: A, w: A, h: shared[np.ndarray], g: shared[np.ndarray]) -> None:
    with sync(h, reduce="min"):  # noqa: SIM117
        with sync(g, reduce="max"):
            for i in range(len(key)):
                h[key[i]] = min(h[key[i]], w[i])
                g[key[i]] = max(g[key[i]], w[i])


#: the kernel that is launched, by the words of local memory that slices may take
ROOMS = {"local": None, "slices": 60, "shared": 1}
DTYPES = (np.int32, np.uint32, np.int64, np.uint64)


@pytest.fixture(params=["intel", "pocl", "oclgrind"])
def device(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    try:
        select(request.param)
    except NoDevice as error:
        pytest.skip(str(error))
    monkeypatch.setitem(combining.ATOMIC, "cpu", (3, 64))
    return str(request.param)


@pytest.fixture(params=ROOMS)
def room(request: pytest.FixtureRequest, device: str, monkeypatch: pytest.MonkeyPatch) -> str:
    """Local memory for all elements, for slices of them, or for too few."""
    words = ROOMS[request.param]
    if words is not None:
        monkeypatch.setattr(combining, "KEPT_BACK", select(device).info.local_memory - 4 * words)
    return str(request.param)


def checked(method: Callable[..., None], args: tuple[object, ...], device: str) -> list[str]:
    with somd.use(device=device), watch_launches() as seen:
        harness.check(method, args, "opencl", workers=(1,))
    return [name for name, _ in seen]


def dtypes(device: str) -> tuple[type, ...]:
    return (np.int32, np.uint64) if has_few(select(device)) else DTYPES


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.usual(2)
def test_all_forms_have_the_bits_of_plain_python(device: str, room: str, dtype: type) -> None:
    if np.dtype(dtype).kind == "u" and (room != "local" or device == "oclgrind"):
        pytest.skip("signed ones do for slices")
    if dtype is not np.int32 and has_few(select(device)):
        pytest.skip("another device has all types; `test_few_updates_and_few_elements` has longer ones on this")
    random = np.random.default_rng(1)
    trips, bins = (150, 20) if device == "oclgrind" else (2001, 50)
    key, w = random.integers(-bins, bins, trips), random.integers(0, 1 << 20, trips).astype(dtype)
    w[::7] = 3
    high = np.iinfo(dtype).max // 2
    h, g = np.full(bins, high, dtype), np.full((bins, 2), 1, dtype)
    suffix = "shared" if room == "shared" else "local"
    if np.dtype(dtype).kind == "i":
        assert checked(weighted, (key, w, h, g), device) == [f"weighted_1_{suffix}"]
    names = checked(extremes, (key, w, np.full(bins, 1 << 19, dtype), np.zeros(bins, dtype)), device)
    assert names[0] == ("extremes_1" if np.dtype(dtype).itemsize == 8 else f"extremes_1_{suffix}")
    if np.dtype(dtype).kind == "u":  # extremes tell the sign, the others have words only
        return
    assert checked(count, (key, h), device) == [f"count_1_{suffix}"]
    if has_few(select(device)) and not os.environ.get("SOMD_ALL_CASES"):
        return  # other devices have the same kernels; this one takes a second for each
    picture = random.integers(-bins, bins, (trips // 20, 20)).astype(np.int32)
    assert checked(image, (picture, np.ones((bins, 3), dtype), 2), device) == [f"image_1_{suffix}"] * 2
    assert checked(bits, (key, w, h, np.zeros(bins, dtype)), device) == [f"bits_1_{suffix}"]
    masks = np.full(bins + 3, high | 7, dtype)
    assert checked(masked, (abs(key), w, masks), device) == [f"masked_1_{suffix}"]


@pytest.mark.parametrize(("trips", "bins"), [(0, 3), (1, 1), (7, 300), (400, 1)])
@pytest.mark.usual(3)
def test_few_updates_and_few_elements(device: str, trips: int, bins: int) -> None:
    key = np.random.default_rng(2).integers(0, bins, trips)
    for dtype in dtypes(device):
        checked(count, (key, np.zeros(bins, dtype)), device)
        checked(image, (key.reshape(-1, 1), np.zeros((bins, 3), dtype), 1), device)


@pytest.mark.parametrize("h", [np.zeros(7, np.int8), np.zeros(7, np.int16), np.zeros(7)])
@pytest.mark.usual(3)
def test_other_elements_are_combined_in_copies(device: str, h: np.ndarray) -> None:
    key = np.random.default_rng(3).integers(0, 7, 100)
    assert checked(count, (key, h), device)[0] == "count_1"


@pytest.mark.parametrize("index", [50, -51])
def test_an_index_outside_names_the_line_and_changes_nothing(device: str, room: str, index: int) -> None:
    key, h = np.random.default_rng(4).integers(0, 50, 300), np.arange(50)
    key[[100, 200]] = index, 90
    with open(__file__, encoding="utf-8") as file:
        line = next(k for k, text in enumerate(file, 1) if text.rstrip().endswith("# line of count"))
    outside = pytest.raises(IndexError, match=re.escape(f"index {index} of `h[key[i]]`"))
    with somd.use(target="opencl", device=device), outside as caught:
        count(key, h)
    assert f"line {line}" in str(caught.value)
    assert np.array_equal(h, np.arange(50))


def test_oclgrind_finds_no_race(tmp_path: Path) -> None:
    try:
        select("oclgrind")
    except NoDevice as error:
        pytest.skip(str(error))
    log = tmp_path / "log"
    code = """
import numpy as np, somd
from somd.runtime.opencl import combining
from tests.differential.test_counted_arrays import bits, count, weighted
key, w = np.arange(150) % 20, np.arange(150)
for words in (4000, 32, 1):
    combining.KEPT_BACK = somd.runtime.opencl.select("oclgrind").info.local_memory - 4 * words
    for dtype in (np.int32, np.int64):
        with somd.use(target="opencl", device="oclgrind"):
            count(key, np.zeros(20, dtype))
            bits(key, w.astype(dtype), np.zeros(20, dtype), np.zeros(20, dtype))
            weighted(key, w.astype(dtype), np.zeros(20, dtype), np.zeros((20, 2), dtype))
"""
    environment = {**os.environ, "OCLGRIND_DATA_RACES": "1", "OCLGRIND_LOG": str(log), "PYTHONPATH": os.getcwd()}
    subprocess.run([sys.executable, "-c", code], check=True, env=environment)
    assert not log.exists() or log.read_text() == ""
