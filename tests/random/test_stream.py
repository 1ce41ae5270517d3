"""What a stream gives outside of methods; inside, `tests/language/random_numbers.py` compares all targets with it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import somd
from somd.random import Stream, arrays

RNG = Stream(2026)


def test_numbers_are_a_function_of_seed_index_and_step() -> None:
    drawn = [RNG.normal(i, step) for i in range(5) for step in range(5)]
    assert len(set(drawn)) == 25
    assert drawn == [Stream(2026).normal(i, step) for i in range(5) for step in range(5)]
    assert RNG.normal(3) != Stream(2027).normal(3)
    assert RNG.uniform(3) != RNG.child(0).uniform(3) != RNG.child(1).uniform(3)
    assert RNG.child(7) == Stream(2026).child(7)


def test_indexes_beyond_their_range_wrap() -> None:
    assert RNG.bits(-1, -1) == RNG.bits(2**48 - 1, 2**64 - 1)
    assert RNG.bits(2**47) != RNG.bits(0)


@pytest.mark.parametrize("kind", [np.int8, np.uint16, np.int64, np.uint64, bool])
def test_indexes_may_be_numpy_s_integers(kind: Callable[[int], Any]) -> None:
    assert RNG.integers(kind(1), kind(1), high=100) == RNG.integers(1, 1, high=100)


def test_one_set_of_bits_for_each_distribution() -> None:
    assert RNG.uniform(5) != pytest.approx(1.0 - np.exp(-RNG.exponential(5)))
    assert RNG.bits(5) >> 32 != RNG.integers(5, high=1 << 31)


@pytest.mark.parametrize("size", [0, 1, 7, (2, 3), (0, 4), (2, 1, 3)])
def test_arrays_hold_the_numbers_of_their_indexes(size: int | tuple[int, ...]) -> None:
    drawn: dict[str, tuple[Any, Callable[[int], float]]] = {
        "uniform": (RNG.uniform(size=size, step=4, low=-1.0), lambda i: RNG.uniform(i, 4, low=-1.0)),
        "normal": (RNG.normal(size=size, mean=2.0, std=3.0), lambda i: RNG.normal(i, mean=2.0, std=3.0)),
        "exponential": (RNG.exponential(size=size, scale=2.0), lambda i: RNG.exponential(i, scale=2.0)),
        "integers": (RNG.integers(size=size, low=-5, high=5), lambda i: RNG.integers(i, low=-5, high=5)),
        "poisson": (RNG.poisson(size=size, mean=12.5), lambda i: RNG.poisson(i, mean=12.5)),
    }
    for name, (array, one) in drawn.items():
        assert array.shape == np.empty(size).shape
        assert array.ravel().tolist() == [one(i) for i in range(array.size)], name
        assert array.dtype == (np.int64 if name in ("integers", "poisson") else np.float64)


def test_many_numbers_are_drawn_in_machine_code_where_calls_run_as_written(monkeypatch: pytest.MonkeyPatch) -> None:
    expected = RNG.uniform(size=2000)
    monkeypatch.setattr(arrays._uniform, "sequential", None)
    with somd.use(target="sequential"):
        with pytest.raises(TypeError, match="not callable"):
            RNG.uniform(size=3)
        assert np.array_equal(RNG.uniform(size=2000), expected)


def test_ranges_of_integers() -> None:
    for low, high in ((0, 1), (-3, 2), (-(2**62), 2**62 - 1), (0, 2**63 - 1), (2**62, 2**62 + 3)):
        drawn = [RNG.integers(i, low=low, high=high) for i in range(200)]
        assert all(low <= each < high for each in drawn)
        assert len(set(drawn)) > 1 or high - low == 1


def test_poisson_at_its_ends() -> None:
    assert RNG.poisson(0, mean=0.0) == 0
    drawn = [RNG.poisson(i, mean=2.0**40) for i in range(50)]
    assert abs(np.mean(drawn) - 2**40) < 5 * 2**20 / np.sqrt(50)


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda: Stream(-1), ValueError, "a seed is from 0"),
        (lambda: Stream(1 << 64), ValueError, "a seed is from 0"),
        (lambda: Stream(1.5), TypeError, "unsupported operand"),  # type: ignore[arg-type]
        (lambda: RNG.uniform(1.5), TypeError, "unsupported operand"),  # type: ignore[call-overload]
        (lambda: RNG.uniform(), TypeError, "needs an index, or a size"),  # type: ignore[call-overload]
        (lambda: RNG.integers(1, low=3, high=3), ValueError, "a low end below"),
        (lambda: RNG.integers(size=2, low=3, high=3), ValueError, "a low end below"),
        (lambda: RNG.poisson(1, mean=-1.0), ValueError, "a mean from 0"),
        (lambda: RNG.poisson(1, mean=float("nan")), ValueError, "a mean from 0"),
    ],
)
def test_what_is_refused(call: Callable[[], object], error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        call()


def test_it_is_there_when_it_is_asked_for() -> None:
    assert somd.random.Stream is Stream
    with pytest.raises(AttributeError, match="module 'somd' has no attribute 'randoms'"):
        _ = somd.randoms  # type: ignore[attr-defined]
