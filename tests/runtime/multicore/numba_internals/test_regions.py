"""Regions: every rank is run once, for any number of threads, and the error of the lowest rank reaches the caller."""

from __future__ import annotations

import numpy as np
import pytest
from numba import prange

from somd.runtime.multicore import master, slave
from somd.runtime.multicore.numba_internals.layer import layer

RANKS = 23


@slave
def work(rank: int, counts: np.ndarray, scale: float, bad: np.ndarray) -> None:
    if bad[rank]:
        raise IndexError(rank)
    counts[rank] += scale


@master
def once_each(counts: np.ndarray, bad: np.ndarray, ranks: int, turns: int) -> int:
    scale = 0.5
    done = 0
    for turn in range(turns):
        if turn % 2 == 0:
            for rank in prange(ranks):
                twice = 2 * scale
                work(rank, counts, twice, bad)
        else:
            for rank in prange(ranks - 1):
                work(rank + 1, counts, 1.0, bad)
        done += 1
    return done


once_each._cache.disable()  # type: ignore[attr-defined]


@pytest.fixture(params=[1, 2, 3])
def threads(request: pytest.FixtureRequest) -> object:
    taken = layer().enter(request.param)
    yield request.param
    layer().leave(taken)


@pytest.fixture(params=[RANKS, 5000], ids=["few elements", "elements for a crew"])
def size(request: pytest.FixtureRequest) -> object:
    return request.param


@pytest.mark.parametrize("ranks", [0, 1, 2, 3, RANKS])
def test_every_rank_once(threads: int, ranks: int, size: int) -> None:
    counts, bad = np.zeros(size), np.zeros(RANKS, np.bool_)
    assert once_each(counts, bad, ranks, 4) == 4
    expected = np.where(np.arange(size) < ranks, 4.0, 0.0)
    expected[0] = 2.0 * (ranks > 0)
    assert (counts == expected).all()


@pytest.mark.parametrize("failing", [[7], [22, 7, 15], [0, 1, 2], [1, 22]])
def test_the_error_of_the_lowest_rank(threads: int, failing: list[int], size: int) -> None:
    for _ in range(20):
        counts, bad = np.zeros(size), np.zeros(RANKS, np.bool_)
        bad[failing] = True
        with pytest.raises(IndexError) as caught:
            once_each(counts, bad, RANKS, 4)
        assert caught.value.args == (min(failing),)
        assert (counts[: min(failing)] == 1.0).all()
        assert counts[failing].sum() == 0.0
    assert once_each(np.zeros(RANKS), np.zeros(RANKS, np.bool_), RANKS, 2) == 2


def test_names_that_are_assigned_again(threads: int) -> None:
    @master
    def stepped(counts: np.ndarray, bad: np.ndarray) -> float:
        scale = 1.0
        for rank in prange(RANKS):
            first, last = rank, rank + 1
            for place in range(first, last):
                work(place, counts, scale, bad)
        scale += 1.0
        first, last = 3, 5
        for rank in range(first, last):
            counts[rank] += scale
        for rank in prange(last):
            first = rank
            work(first, counts, scale, bad)
        scale = scale + last
        return scale

    stepped._cache.disable()  # type: ignore[attr-defined]
    counts = np.zeros(RANKS)
    assert stepped(counts, np.zeros(RANKS, np.bool_)) == 7.0
    assert counts.tolist() == [3.0, 3.0, 3.0, 5.0, 5.0] + [1.0] * (RANKS - 5)


def test_a_name_that_is_read_behind_the_loop_keeps_it_in_order() -> None:
    @master
    def last_of(values: np.ndarray) -> float:
        last = 0.0
        for rank in prange(len(values)):
            last = values[rank]
        return last

    last_of._cache.disable()  # type: ignore[attr-defined]
    assert last_of(np.arange(5.0)) == 4.0


def test_a_body_with_the_types_of_its_master() -> None:
    @master
    def scaled(first: int, values: np.ndarray, last: int) -> None:
        for rank in prange(first):
            values[rank] += last

    scaled._cache.disable()  # type: ignore[attr-defined]
    values = np.zeros(4)
    scaled(3, values, 2)
    assert values.tolist() == [2.0, 2.0, 2.0, 0.0]


def test_lengths_and_dimensions_of_what_a_region_reads(threads: int, size: int) -> None:
    @master
    def measured(first: float, grid: np.ndarray, second: int, values: np.ndarray, turns: int) -> None:
        for _turn in range(turns):
            for rank in prange(3):
                values[rank] += len(values) + values.ndim + values.shape[0] + second
        for rank in prange(4):
            values[rank] += len(grid) * grid.ndim

    measured._cache.disable()  # type: ignore[attr-defined]
    values = np.zeros(size)
    measured(0.5, np.zeros((2, 3)), 7, values, 2)
    each = 2.0 * (2 * size + 8)
    assert values[:5].tolist() == [each + 4, each + 4, each + 4, 4.0, 0.0]
