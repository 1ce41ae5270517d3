"""Arrays that a fence combines: the same bits for any number of workers and on both targets, errors, and memory."""

from __future__ import annotations

import re

import numpy as np
import pytest

import somd
from somd import dist, shared, sync
from somd.runtime.blocks import COPY_ELEMENTS, copy_blocks
from tests.differential import harness

A = dist[np.ndarray]
WORKERS = (1, 2, 3, 7, 16)


@somd.somd
def weighted(key: A, weight: A, h: shared[np.ndarray]) -> float:
    total = 0.0
    count: shared[np.ndarray] = np.zeros(len(h), dtype=np.int64)
    with sync(h, count, total, reduce="+"):
        for i in range(len(key)):
            h[key[i]] += weight[i]  # line of weighted
            count[key[i]] += 1
            total += weight[i]
    return total + count[0]


@somd.somd
def product(key: A, weight: A, h: shared[np.ndarray]) -> None:
    with sync(h, reduce="*"):
        for i in range(len(key)):
            h[key[i]] *= weight[i]


@pytest.fixture(params=harness.TARGETS)
def target(request: pytest.FixtureRequest) -> str:
    reason = harness.unavailable(request.param)
    if reason is not None:
        pytest.skip(reason)
    return str(request.param)


def arguments(dtype: type, trips: int, elements: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    random = np.random.default_rng(trips)
    key = random.integers(0, elements, trips)
    return key, (0.5 + random.random(trips)).astype(dtype), random.random(elements).astype(dtype)


@pytest.mark.parametrize(("trips", "elements"), [(0, 3), (300, 7), (20_000, 7), (20_000, 900)])
def test_the_bits_depend_on_neither_workers_nor_target(trips: int, elements: int) -> None:
    found: set[bytes] = set()
    for target in harness.TARGETS:
        if harness.unavailable(target) is not None:
            continue
        for workers in WORKERS:
            key, weight, h = arguments(np.float64, trips, elements)
            with somd.use(target=target, workers=workers):
                total = weighted(key, weight, h)
                product(key, weight, h)
            found.add(h.tobytes() + np.float64(total).tobytes())
    assert len(found) == 1


def test_few_updates_of_a_large_array_happen_in_place(target: str) -> None:
    key, weight, h = arguments(np.float64, 300, 1000)
    wanted = h.copy()
    product.sequential(key, weight, wanted)
    with somd.use(target=target, workers=3):
        product(key, weight, h)
    assert h.tobytes() == wanted.tobytes()


@pytest.mark.parametrize("index", [7, -8])
def test_an_index_outside_names_the_line_and_changes_nothing(target: str, index: int) -> None:
    key, weight, h = arguments(np.float64, 2000, 7)
    before = h.copy()
    key[[700, 1900]] = index, 9
    with open(__file__, encoding="utf-8") as file:
        line = next(k for k, text in enumerate(file, 1) if text.rstrip().endswith("# line of weighted"))
    for workers in WORKERS:
        with somd.use(target=target, workers=workers):
            with pytest.raises(IndexError, match=re.escape(f"index {index} of `h[key[i]]`")) as caught:
                weighted(key, weight, h)
            assert f"line {line}" in str(caught.value)
        assert np.array_equal(h, before)


@pytest.mark.parametrize("count", [0, 1, 5, 1000, 1_000_000])
@pytest.mark.parametrize("updates", [0, 1, 100, 10_000, 10**9])
@pytest.mark.parametrize("elements", [0, 1, 64, 5000, 10**7])
def test_copies_are_bounded_and_cover_the_trips(count: int, updates: int, elements: int) -> None:
    blocks, length = copy_blocks(count, updates, elements)
    assert (blocks - 1) * length < count <= blocks * length or blocks == count == 0
    assert blocks <= 1 or (blocks * elements <= COPY_ELEMENTS and blocks * elements * 2 <= updates)
