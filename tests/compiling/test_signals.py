"""Signals that wait in a block: all are answered, where they may be, by the handlers of the user's."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from typing import Any

import pytest

from somd.compiling.signals import answer, signals_wait

ONE, TWO = signal.SIGUSR1, signal.SIGUSR2


class Late(Exception):
    """What a handler raises."""


@pytest.fixture
def came() -> Iterator[list[int]]:
    """What the handlers of both signals have seen; that of the second one raises."""
    seen: list[int] = []

    def note(number: int, frame: Any) -> None:
        seen.append(number)

    def fail(number: int, frame: Any) -> None:
        seen.append(number)
        raise Late

    before = signal.signal(ONE, note), signal.signal(TWO, fail)
    yield seen
    for number, handler in zip((ONE, TWO), before, strict=True):
        signal.signal(number, handler)


def send(*numbers: int) -> None:
    for number in numbers:
        os.kill(os.getpid(), number)


def test_they_are_answered_at_the_end(came: list[int]) -> None:
    with signals_wait(), signals_wait():
        send(ONE, ONE)
        assert not came
    assert came == [ONE]
    send(ONE)
    assert came == [ONE] * 2


def test_what_a_handler_raises_comes_at_the_end_and_the_others_run(came: list[int]) -> None:
    reached = False
    with pytest.raises(Late), signals_wait():
        send(TWO, ONE)
        reached = True
    assert reached
    assert came == [TWO, ONE]
    with pytest.raises(Late):
        send(TWO)


def test_they_are_answered_where_a_compiler_can_be_left(came: list[int]) -> None:
    reached = []
    with pytest.raises(Late) as caught, signals_wait():
        send(ONE)
        answer()
        reached.append(list(came))
        send(TWO)
        try:
            answer()
        except Exception:  # as a library might
            reached.append([])
        reached.append([])
    assert reached == [[ONE]]
    assert caught.value.__cause__ is None and caught.value.__suppress_context__
    answer()


def test_an_error_of_the_block_is_its_context(came: list[int]) -> None:
    with pytest.raises(Late) as caught, signals_wait():
        send(TWO)
        raise ValueError
    assert type(caught.value.__context__) is ValueError


def test_a_handler_that_is_set_meanwhile_stays(came: list[int]) -> None:
    def again(number: int, frame: Any) -> None:
        came.append(0)

    signal.signal(ONE, lambda number, frame: signal.signal(ONE, again))
    with signals_wait():
        send(ONE)
    assert signal.getsignal(ONE) is again
