"""java.util.Random: values drawn by Java itself, and a plain implementation of its definition."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from benchmarks.javagrande.java_random import JavaRandom, as_doubles, as_ints

SEEDS = (0, 42, 10101010, 136506717, -1, 2**62 + 12345)


def plain_states(seed: int) -> Iterator[int]:
    """The generator's states, one step at a time."""
    state = (seed ^ 0x5DEECE66D) % 2**48
    while True:
        state = (state * 0x5DEECE66D + 0xB) % 2**48
        yield state


@pytest.mark.parametrize(
    ("seed", "drawn"),
    [(0, [-1155484576, -723955400]), (42, [-1170105035, 234785527, -1360544799, 205897768])],
)
def test_ints_are_those_that_java_draws(seed: int, drawn: list[int]) -> None:
    assert JavaRandom(seed).ints(len(drawn)).tolist() == drawn


def test_doubles_are_those_that_java_draws() -> None:
    assert JavaRandom(42).doubles(2).tolist() == [0.7275636800328681, 0.6832234717598454]


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("count", [0, 1, 2, 7, 64, 1000])
def test_states_are_those_of_single_steps(seed: int, count: int) -> None:
    steps = plain_states(seed)
    assert JavaRandom(seed).states(count).tolist() == [next(steps) for _ in range(count)]


@pytest.mark.parametrize("seed", SEEDS)
def test_draws_follow_each_other(seed: int) -> None:
    together = JavaRandom(seed).states(10)
    apart = JavaRandom(seed)
    assert np.concatenate([apart.states(3), apart.states(0), apart.states(7)]).tolist() == together.tolist()


@pytest.mark.parametrize("seed", SEEDS)
def test_numbers_are_the_top_bits(seed: int) -> None:
    steps = plain_states(seed)
    states = [next(steps) for _ in range(200)]
    array = np.array(states, np.uint64)
    ints = [top - 2**32 if top >= 2**31 else top for top in (state >> 16 for state in states)]
    doubles = [((states[k] >> 22) * 2**27 + (states[k + 1] >> 21)) / 2**53 for k in range(0, 200, 2)]
    assert as_ints(array).tolist() == ints
    assert as_doubles(array[0::2], array[1::2]).tolist() == doubles
