"""The programs. Each asserts what it is about and prints nothing; `python -m tests.stress.programs NAMES` runs them."""

from __future__ import annotations

import multiprocessing
import os
import shutil
import signal
import sys
import threading
import time
import warnings
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np

import somd
from tests.stress.doubling import double
from tests.stress.methods import gather, grow, total

SIZE = 40_000
#: the usual run of the tests repeats less: `python -m tests.stress` is the one that looks for what is rare
ALL = bool(os.environ.get("SOMD_ALL_CASES"))
PROGRAMS: dict[str, Callable[[], None]] = {}


def program(function: Callable[[], None]) -> Callable[[], None]:
    PROGRAMS[function.__name__] = function
    return function


def works(seed: int = 1) -> None:
    """Calls that give what the plain functions give."""
    a = np.random.default_rng(seed).random(SIZE)
    once = total(a)
    assert np.isclose(once, a.sum()), once
    b = a.copy()
    grow(b, 20)
    plain = a.copy()
    for _ in range(20):
        plain = plain[::-1] + 1.0
    assert (b == plain).all()
    assert total(a) == once


def fails() -> None:
    """A call that fails in two iterations: the lower one is told, with the user's line."""
    index = np.arange(SIZE)
    index[[SIZE - 3, SIZE // 3]] = 2 * SIZE
    index[SIZE // 4] = SIZE + 7
    try:
        gather(np.ones(SIZE), index, np.zeros(SIZE))
    except IndexError as error:
        assert f"index {SIZE + 7} of" in str(error), error
        assert "methods.py, line" in str(error), error
    else:
        raise AssertionError("no error")


def together(run: Callable[[int], None], threads: int, times: int) -> None:
    """`run(number)` in several threads at once, so many times in each; what one raises is raised."""
    errors: list[BaseException] = []

    def repeat(number: int) -> None:
        try:
            for _ in range(times):
                run(number)
        except BaseException as error:
            errors.append(error)

    started = [threading.Thread(target=repeat, args=(number,)) for number in range(threads)]
    for thread in started:
        thread.start()
    for thread in started:
        thread.join()
    if errors:
        raise errors[0]


@program
def threads() -> None:
    """Several threads call at once, the first calls, which compile, among them; some fail."""
    together(lambda number: works(number) if number % 3 else fails(), threads=8, times=5 if ALL else 2)
    works()


@program
def pool() -> None:
    """Calls from a pool of threads, within one budget."""
    with ThreadPoolExecutor(4) as executor:
        results = [executor.submit(works, number) for number in range(12)]
        for result in results:
            result.result()
    works()


@program
def beside_prange() -> None:
    """Calls beside Numba's own parallel functions, which the `workqueue` layer does not allow in two threads."""
    import numba

    if os.environ.get("NUMBA_THREADING_LAYER") == "workqueue":
        return

    @numba.njit(parallel=True)  # type: ignore[untyped-decorator,unused-ignore]
    def doubled(a: np.ndarray) -> np.ndarray:
        out = np.empty_like(a)
        for i in numba.prange(len(a)):
            out[i] = 2.0 * a[i]
        return out

    def run(number: int) -> None:
        if number % 2:
            works(number)
        else:
            assert (doubled(np.ones(SIZE)) == 2.0).all()

    together(run, threads=4, times=5 if ALL else 2)


@program
def mask() -> None:
    """A call leaves Numba's number of threads as it was."""
    import numba

    works()
    numba.set_num_threads(1)
    works()
    assert numba.get_num_threads() == 1
    with somd.use(workers=1):
        works()
    assert numba.get_num_threads() == 1


@program
def exceptions() -> None:
    """Failures, one after the other, with calls that work in between."""
    for _ in range(5):
        fails()
        works()


def child(run: Callable[[], None]) -> None:
    """Run in a forked process, which must end well, and soon."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # of forks beside threads
        number = os.fork()
    if number == 0:
        signal.alarm(60)
        status = 1
        try:
            run()
            status = 0
        finally:
            os._exit(status)
    _, status = os.waitpid(number, 0)
    assert status == 0, f"the child ended with status {status}"


@program
def fork() -> None:
    """A process forked after use calls, and one forked from that; the parent goes on."""
    works()
    child(works)
    works()
    child(lambda: child(works))
    works()


@program
def fork_first() -> None:
    """A process forked before the first call."""
    child(works)
    works()


@program
def fork_beside_calls() -> None:
    """Forks while other threads call."""
    ended = threading.Event()

    def run() -> None:
        while not ended.is_set():
            works()

    works()
    others = [threading.Thread(target=run) for _ in range(2)]
    for thread in others:
        thread.start()
    try:
        for _ in range(3):
            child(works)
    finally:
        ended.set()
        for thread in others:
            thread.join()
    works()


@program
def fork_in_thread() -> None:
    """A thread forks that is not the main one."""
    works()
    together(lambda number: child(works), threads=1, times=2)
    works()


@program
def process_pool() -> None:
    """A pool of forked processes."""
    works()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        with multiprocessing.get_context("fork").Pool(3) as processes:
            processes.map(works, range(6))
    works()


def interrupted(run: Callable[[], Any], error: type[BaseException], number: int, after: float) -> float:
    """The seconds between a signal and the exception of its handler."""
    sent: list[float] = []

    def send() -> None:
        sent.append(time.monotonic())
        os.kill(os.getpid(), number)

    timer = threading.Timer(after, send)
    timer.start()
    try:
        run()
    except error:
        return time.monotonic() - sent[0]
    finally:
        timer.join()
    raise AssertionError("not interrupted")


def interrupt_at(size: int) -> None:
    works()
    a = np.zeros(size)
    signal.signal(signal.SIGINT, signal.default_int_handler)  # ignored in what a shell runs in the background
    taken = interrupted(lambda: grow(a, 10**12), KeyboardInterrupt, signal.SIGINT, after=0.4 if ALL else 0.1)
    assert taken < 2.0, taken
    assert (a == a[0]).all(), "not at a fence"
    assert a[0] > 0
    works()


@program
def interrupt() -> None:
    """Ctrl-C ends a long loop at a fence."""
    interrupt_at(SIZE)


@program
def interrupt_small() -> None:
    """Ctrl-C ends a long loop of phases that one MI runs."""
    interrupt_at(10)


@program
def interrupt_beside_threads() -> None:
    """Ctrl-C reaches the main thread while others call."""
    ended = threading.Event()

    def run() -> None:
        while not ended.is_set():
            works()

    other = threading.Thread(target=run)
    works()
    other.start()
    try:
        interrupt_at(SIZE)
    finally:
        ended.set()
        other.join()


class Late(Exception):
    """What a handler of the user's raises."""


def raise_late(number: int, frame: object) -> None:
    raise Late


def signalled_while_compiling(kinds: tuple[type, ...]) -> None:
    """Compile a method for several types while signals come at some time: the one whose handler raises ends the call,
    once, the others change nothing, and the next call gives its result."""
    came: list[int] = []
    random = np.random.default_rng(time.time_ns())
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGUSR1, lambda number, frame: came.append(number))

    def send() -> None:
        time.sleep(random.random() * 0.8)
        for number in (signal.SIGUSR1, signal.SIGINT):
            os.kill(os.getpid(), number)

    for count, kind in enumerate(kinds):
        a = np.arange(SIZE).astype(kind)
        sender = threading.Thread(target=send)
        sender.start()
        try:
            total(a)
            sender.join()
            time.sleep(1)
        except KeyboardInterrupt:
            pass
        else:
            raise AssertionError("the signal is lost")
        sender.join()
        assert np.isclose(total(a), a.sum()), kind
        assert came == [signal.SIGUSR1] * (count + 1)
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


@program
def interrupt_compiling() -> None:
    """Signals at any time of compiling."""
    signalled_while_compiling((np.float64, np.float32, np.int64) if ALL else (np.float64,))
    works()


@program
def interrupt_compilers() -> None:
    """Signals while several threads compile, which they do not disturb."""
    failed: list[BaseException] = []

    def compile_one(kind: type) -> None:
        try:
            a = np.arange(SIZE).astype(kind)
            assert np.isclose(total(a), a.sum()), kind
        except BaseException as error:
            failed.append(error)

    beside = (np.complex64, np.int32, np.uint8) if ALL else (np.int32,)
    others = [threading.Thread(target=compile_one, args=(kind,)) for kind in beside]
    for other in others:
        other.start()
    signalled_while_compiling((np.uint16, np.int64) if ALL else (np.uint16,))
    for other in others:
        other.join()
    assert not failed, failed
    works()


@program
def interrupt_anywhere() -> None:
    """Signals at any time of small calls: nothing that a call has taken stays taken."""
    from somd.runtime.multicore.numba_internals.layer import layer

    a = np.arange(2000.0)
    works()
    before = layer()._mask()
    signal.signal(signal.SIGALRM, raise_late)
    hook = sys.unraisablehook
    # What is raised in the callback of a weak reference, or in a finalizer, Python drops with a word.
    sys.unraisablehook = lambda dropped: None if dropped.exc_type is Late else hook(dropped)
    random, came, until = np.random.default_rng(time.time_ns()), 0, time.monotonic() + (2 if ALL else 0.5)
    while time.monotonic() < until:
        try:
            signal.setitimer(signal.ITIMER_REAL, 1e-5 + random.random() * 2e-3)
            for _ in range(50):
                total(a)
                grow(a.copy(), 2)
            signal.setitimer(signal.ITIMER_REAL, 0)
        except Late:
            came += 1
    sys.unraisablehook = hook
    assert came > 10, came
    works()
    assert not layer()._taken
    assert layer()._mask() == before


@program
def handlers() -> None:
    """Handlers of other signals run at fences: one that returns changes nothing, one that raises ends the call."""
    came = []

    def note(number: int, frame: object) -> None:
        came.append(number)

    works()
    signal.signal(signal.SIGUSR1, note)
    timer = threading.Timer(0.2, lambda: os.kill(os.getpid(), signal.SIGUSR1))
    timer.start()
    a, steps, begun = np.zeros(SIZE), 0, time.monotonic()
    while not came and time.monotonic() - begun < 10:
        grow(a, 2000)
        steps += 2000
    assert came == [signal.SIGUSR1]
    assert (a == steps).all()
    timer.join()
    signal.signal(signal.SIGUSR1, raise_late)
    assert interrupted(lambda: grow(a, 10**12), Late, signal.SIGUSR1, after=0.2) < 2.0
    works()


@program
def call() -> None:
    """One call: what the tests of the cache run."""
    a = np.arange(SIZE, dtype=np.float64)
    double(a)
    assert (a == 2.0 * np.arange(SIZE)).all()


@program
def no_room() -> None:
    """No file can be written: the cache fails, the calls do not."""
    import resource

    from somd.runtime.multicore.numba_internals.layer import layer

    layer()  # Numba's lock between processes is a file
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (16, resource.getrlimit(resource.RLIMIT_FSIZE)[1]))
    call()


@program
def cache_deleted() -> None:
    """The cache is deleted between calls."""
    call()
    shutil.rmtree(Path(os.environ["SOMD_CACHE_DIR"]))
    call()
    single = np.ones(SIZE, np.float32)
    double(single)
    assert (single == 2.0).all()


if __name__ == "__main__":
    for name in sys.argv[1:]:
        PROGRAMS[name]()
