"""The best element of a row and its first place: what a loop finds, whatever the length, the type and the layout."""

from __future__ import annotations

import numpy as np
import pytest
from numba import njit

from somd.runtime.multicore.extreme_rows import place_of_largest, place_of_smallest, quick_largest, quick_smallest

LENGTHS = (0, 1, 7, 8, 16, 17, 31, 64, 100, 141)


@njit
def places(a, first, last, best, at):
    return (
        place_of_largest(True, best, at, first, last, a, 1),
        place_of_smallest(True, best, at, first, last, a, 1),
        place_of_largest(False, best, at, first, last, a, 1),
        place_of_smallest(False, best, at, first, last, a, 1),
    )


@njit
def extremes(a, first, last, best):
    return quick_largest(best, False, first, last, a, 1), quick_smallest(best, False, first, last, a, 1)


def one_by_one(row, first, last, best, at, largest, odd):
    for j in range(first, last):
        better = row[j] > best if largest else row[j] < best
        if better or (odd and row[j] != row[j] and best == best):
            best, at = row[j], j
    return best, at


def rows(dtype: str) -> list[np.ndarray]:
    chance, kind = np.random.default_rng(3), np.dtype(dtype).kind
    if kind == "f":
        signed = chance.choice([0.0, -0.0, -1.0], (3, 300)).astype(dtype)
        nans = np.where(chance.random((3, 300)) < 0.01, np.nan, chance.normal(size=(3, 300))).astype(dtype)
        return [chance.normal(size=(3, 300)).astype(dtype), signed, nans, np.full((3, 300), -np.inf, dtype)]
    limits = np.iinfo(dtype)
    many = chance.integers(limits.min, limits.max, (3, 300), dtype, endpoint=True)
    return [many, chance.choice(np.array([limits.min, limits.max], dtype), (3, 300)), np.zeros((3, 300), dtype)]


@pytest.mark.parametrize("dtype", ["float64", "float32", "int64", "uint32"])
def test_places_are_those_of_a_loop(dtype: str) -> None:
    for given in rows(dtype):
        for a in (given, given[:, ::2], given[:, ::-1]):
            for length in LENGTHS:
                for first, best in ((0, a[1, 0]), (3, a[1, 5])):
                    found = places(a, first, first + length, best, -5)
                    ways = [(True, True), (False, True), (True, False), (False, False)]
                    wanted = [one_by_one(a[1], first, first + length, best, -5, *way) for way in ways]
                    for (number, at), (other, place) in zip(found, wanted, strict=True):
                        assert at == place, (a.strides, length)
                        assert np.array(number, dtype).tobytes() == np.array(other, dtype).tobytes()


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_extremes_are_numbers_or_odd(dtype: str) -> None:
    for given in rows(dtype):
        for a in (given, given[:, ::2]):
            for length in LENGTHS[1:]:
                (high, odd), (low, also) = extremes(a, 2, 2 + length, a[1, 2])
                part = a[1, 2 : 2 + length]
                assert odd == also == bool(np.isnan(part).any())
                assert odd or (high, low) == (part.max(), part.min())
