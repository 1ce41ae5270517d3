"""Crews: masters with regions in loops give what they give alone, however fast or slow their threads come."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

import numpy as np
import pytest
from llvmlite import ir
from numba import prange, types
from numba.extending import intrinsic

from somd.runtime.multicore import crews, master, slave
from somd.runtime.multicore.numba_internals import layer
from somd.runtime.multicore.numba_internals.lowering import cgutils

TURNS = 40
SIZE = 1 << 13

pytestmark = pytest.mark.skipif(not crews.SUPPORTED, reason="threads cannot wait for words of memory here")


@slave
def step(lo: int, hi: int, values: np.ndarray, old: np.ndarray) -> None:
    for i in range(lo, hi):
        values[i] = old[i] + old[(i + 7) % len(old)]


@slave
def idle(rounds: int, seed: float) -> float:
    for _ in range(rounds):
        seed = seed * 0.999 + 1.0
    return seed


@master
def stepped(values: np.ndarray, other: np.ndarray, turns: int, ranks: int, rounds: int, bad: int) -> tuple[int, float]:
    seed = 1.0
    done = 0
    n = len(values)
    for turn in range(turns):
        seed = idle(rounds, seed)
        if turn == bad:
            raise IndexError(turn)
        for rank in prange(ranks):
            step(n * rank // ranks, n * (rank + 1) // ranks, other, values)
        for rank in prange(ranks):
            step(n * rank // ranks, n * (rank + 1) // ranks, values, other)
        done += 1
    return done, seed


@master
def doubled(values: np.ndarray, turns: int) -> np.ndarray:
    made = np.empty(2)
    for _ in range(turns):
        for rank in prange(2):
            values[rank] *= 2
    made[0] = values[0]
    made[1] = values[1]
    return made


@intrinsic
def thread_ident(typing_context: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        word = ir.IntType(64)
        function = cgutils.get_or_insert_function(
            builder.module, ir.FunctionType(word, []), "PyThread_get_thread_ident"
        )
        return builder.call(function, [])

    return types.int64(), generate


@master
def identified(idents: np.ndarray) -> None:
    for turn in range(len(idents)):
        for rank in prange(2):
            idents[turn, rank] = thread_ident()


identified._cache.disable()  # type: ignore[attr-defined]
stepped._cache.disable()  # type: ignore[attr-defined]
doubled._cache.disable()  # type: ignore[attr-defined]


@contextmanager
def threads_of(count: int) -> Iterator[None]:
    taken = layer.layer().enter(count)
    try:
        yield
    finally:
        layer.layer().leave(taken)


def expected(turns: int) -> np.ndarray:
    values = np.arange(SIZE) % 3
    for _ in range(2 * turns):
        values = values + np.roll(values, -7)
    return values


def run(threads: int, ranks: int, turns: int = TURNS, rounds: int = 0) -> None:
    values = np.arange(SIZE) % 3
    with threads_of(threads):
        assert stepped(values, np.zeros_like(values), turns, ranks, rounds, -1)[0] == turns
    assert (values == expected(turns)).all()


@pytest.mark.parametrize("threads", [1, 2, 3])
@pytest.mark.parametrize("ranks", [1, 2, 3, 7, 70])
def test_the_same_for_all_threads_and_ranks(threads: int, ranks: int) -> None:
    for _ in range(5):
        run(threads, ranks)


def test_ranks_keep_their_threads() -> None:
    """The thread of the call works, and one other, the same for all phases."""
    if layer.layer().name == "workqueue":
        pytest.skip("the thread of the call has no part in its regions")
    idents = np.zeros((200, SIZE), np.int64)
    with threads_of(2):
        identified(idents)
    known = np.unique(idents[:, :2])
    assert threading.get_ident() in known
    assert len(known) <= 2


def test_threads_that_sleep_are_woken() -> None:
    """The master works for longer than threads have the patience to spin."""
    run(2, 2, turns=6, rounds=4_000_000)


def test_beside_threads_that_take_the_cores() -> None:
    ended = threading.Event()

    def compute() -> None:
        while not ended.is_set():
            time.sleep(0)

    beside = [threading.Thread(target=compute) for _ in range(3)]
    with ExitStack() as stack:
        stack.callback(lambda: [thread.join() for thread in beside])
        stack.callback(ended.set)
        for thread in beside:
            thread.start()
        for _ in range(20):
            run(2, 2)


def test_calls_at_once() -> None:
    failed = []

    def call() -> None:
        try:
            for _ in range(30):
                run(2, 3)
        except BaseException as error:
            failed.append(error)

    callers = [threading.Thread(target=call) for _ in range(3)]
    for caller in callers:
        caller.start()
    for caller in callers:
        caller.join()
    assert not failed


@pytest.mark.parametrize("bad", [0, 1, 17])
def test_what_the_master_raises(bad: int) -> None:
    values = np.arange(SIZE) % 3
    with threads_of(2), pytest.raises(IndexError) as caught:
        stepped(values, np.zeros_like(values), TURNS, 2, 0, bad)
    assert caught.value.args == (bad,)
    assert (values == expected(bad)).all()


def test_an_array_is_returned() -> None:
    for _ in range(100):
        values = np.ones(SIZE)
        with threads_of(2):
            made = doubled(values, 5)
        assert made.tolist() == [32.0, 32.0] and values.sum() == SIZE + 62


def test_systems_without_futexes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(crews, "SUPPORTED", False)
    monkeypatch.setattr(crews, "_FUTEX", {})

    @master
    def halved(values: np.ndarray, turns: int) -> None:
        for _ in range(turns):
            for rank in prange(3):
                values[rank] /= 2

    halved._cache.disable()  # type: ignore[attr-defined]
    values = np.full(SIZE, 8.0)
    with threads_of(2):
        halved(values, 2)
    assert values[:4].tolist() == [2.0, 2.0, 2.0, 8.0]
