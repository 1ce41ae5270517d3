"""Calls in machine code: what a call depends on changes between two of them, and each gives what plain Python gives."""

from __future__ import annotations

import ctypes
import gc
import os
import sys
import threading
import warnings
import weakref
from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any

import numpy as np
import pytest

import somd
from somd import dist
from somd.calls.fast_path import NativeCall
from somd.calls.method import SomdMethod
from somd.errors import SomdCompileError, SomdConfigError, SomdError, SomdRuntimeError
from somd.runtime.multicore.numba_internals.layer import layer
from somd.settings.config import reload_config

A = dist[np.ndarray]
FACTOR = 2.0


def added(x: float) -> float:
    return x + FACTOR


@somd.somd
def shift(a: A, b: A, factor: float) -> None:
    for i in range(len(b)):
        b[i] = added(a[i]) * factor


@somd.somd
def total(a: A) -> np.float64:
    found = 0.0
    for i in range(len(a)):
        found += a[i]
    return found  # type: ignore[return-value]


@somd.somd
def taken(a: A, index: A, b: A) -> None:
    for i in range(len(index)):
        if index[i] == 77:
            raise ValueError(f"77 at {i}")
        b[i] = a[index[i]]


@somd.somd
def scaled(a: A, b: A) -> None:
    for i in range(a.shape[0]):
        for j in range(a.shape[1]):
            b[i, j] = 3 * a[i, j]


@somd.somd
def beside_sorted(a: Any, k: int) -> Any:
    b = np.sort(a)
    u, n = np.unique(a, return_counts=True)
    return a - b, u * np.take(b, k), n + 1


def warmed(method: SomdMethod[..., Any], *args: Any) -> NativeCall:
    """Call a method until it is called in machine code."""
    if method._native is not None and method._native.call(*args) is not NotImplemented:
        return method._native
    for _ in range(100_000):
        before = method._native
        method(*args)
        if method._native is not None and method._native is not before:
            break
    made = method._native
    assert made is not None and made.call(*args) is not NotImplemented
    return made


pytestmark = pytest.mark.skipif(layer().name == "tbb", reason="there are none")


@pytest.fixture(autouse=True)
def known(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    for name in ("SOMD_TARGET", "SOMD_WORKERS", "SOMD_SMALL_WORK", "SOMD_CONFIG"):
        monkeypatch.delenv(name, raising=False)
    yield
    assert not layer()._taken and layer()._words[0] == 0


def arrays() -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    return np.arange(5.0), np.zeros(5)


def test_results_and_their_types() -> None:
    a, b = arrays()
    warmed(shift, a, b, 3.0)
    for values in (a, a + 1, np.empty(0), np.arange(1000.0), np.arange(200_000.0)):
        got, want = np.zeros_like(values), np.zeros_like(values)
        assert shift(values, got, 0.5) is None
        shift.sequential(values, want, 0.5)
        assert got.tobytes() == want.tobytes()
    warmed(total, a)
    assert type(total(a)) is np.float64 and total(a) == 10.0
    assert total(a=a) == 10.0


OTHERS: dict[str, Callable[[], tuple[Any, ...]]] = {
    "int for a float": lambda: (*arrays(), 3),
    "bool": lambda: (*arrays(), True),
    "scalar of NumPy": lambda: (*arrays(), np.float32(0.1)),
    "float32": lambda: (arrays()[0].astype("f4"), arrays()[1].astype("f4"), 0.1),
    "dtypes unlike": lambda: (np.arange(5), np.zeros(5), 0.1),
    "strides": lambda: (np.arange(10.0)[::2], np.zeros(15)[::3], 0.1),
    "backwards": lambda: (np.arange(5.0)[::-1], np.zeros(5)[::-1], 0.1),
    "read-only source": lambda: (read_only(np.arange(5.0)), np.zeros(5), 0.1),
    "unaligned": lambda: (np.frombuffer(bytes(41), np.uint8)[1:].view(np.float64), np.zeros(5), 0.1),
    "one array": lambda: (lambda a: (a, a, 0.1))(np.arange(5.0)),
    "the same memory": lambda: (lambda a: (a, a[:], 0.1))(np.arange(5.0)),
    "file": lambda: (np.arange(5.0), np.memmap(TemporaryFile(), np.float64, shape=(5,)), 0.1),  # noqa: SIM115
    "of a dtype with a note": lambda: (
        np.arange(5.0).astype(np.dtype(np.float64, metadata={"unit": "m"})),  # type: ignore[call-overload]
        np.zeros(5),
        0.1,
    ),
}


def read_only(a: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    a.flags.writeable = False
    return a


@pytest.mark.parametrize("name", OTHERS)
def test_other_arguments(name: str) -> None:
    warmed(shift, *arrays(), 3.0)
    ours, plain = OTHERS[name](), OTHERS[name]()
    shift(*ours)
    shift.sequential(*plain)
    assert [np.asarray(each).tobytes() for each in ours] == [np.asarray(each).tobytes() for each in plain]


class Own(np.ndarray[Any, Any]):
    pass


def overlapping() -> tuple[Any, ...]:
    memory = np.arange(8.0)
    return memory[:5], memory[3:], 1.0


REFUSED: dict[str, tuple[Callable[[], tuple[Any, ...]], type[Exception]]] = {
    "read-only": (lambda: (np.arange(5.0), read_only(np.zeros(5)), 0.1), ValueError),
    "subclass": (lambda: (np.arange(5.0).view(Own), np.zeros(5), 0.1), SomdCompileError),
    "list": (lambda: ([1.0], np.zeros(1), 0.1), SomdCompileError),
    "integer of many digits": (lambda: (*arrays(), 1 << 70), SomdCompileError),
    "None": (lambda: (None, np.zeros(5), 0.1), SomdCompileError),
    "overlap": (overlapping, SomdRuntimeError),
    "one element many times": (
        lambda: (np.arange(5.0), np.lib.stride_tricks.as_strided(np.zeros(1), (5,), (0,)), 1.0),
        SomdRuntimeError,
    ),
    "of 2**45 elements": (lambda: (np.broadcast_to(np.ones(1), 1 << 45), np.zeros(5), 1.0), SomdCompileError),
    "too short": (lambda: (np.zeros(4), np.zeros(5), 1.0), IndexError),
    "two dimensions": (lambda: (np.zeros((5, 1)), np.zeros(5), 1.0), SomdCompileError),
    "too few": (lambda: arrays(), TypeError),
    "too many": (lambda: (*arrays(), 1.0, 2.0), TypeError),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refused_arguments(name: str) -> None:
    warmed(shift, *arrays(), 3.0)
    make, kind = REFUSED[name]
    with pytest.raises(kind):
        shift(*make())
    a, b = arrays()
    shift(a, b, 1.0)
    assert b.tolist() == (a + FACTOR).tolist()


def test_layouts_of_arrays() -> None:
    a = np.arange(12.0).reshape(3, 4)
    warmed(scaled, a, np.zeros((3, 4)))
    for source in (a, np.asfortranarray(a), a[:, ::2], a.T, a[:0], a[1:2]):
        for target in (np.zeros(source.shape), np.zeros(source.shape, order="F"), np.zeros(source.shape[::-1]).T):
            scaled(source, target)
            assert (target == 3 * source).all()
    b = np.zeros((4, 4))
    scaled(b[:2], b[2:])
    with pytest.raises(SomdRuntimeError):
        scaled(b[:3], b[1:])


def test_an_array_may_change_its_form() -> None:
    a, b = np.arange(12.0), np.zeros(12)
    warmed(shift, a, b, 1.0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        a.shape = b.shape = (3, 4)
        shift(a, b, 1.0)
        assert (b == a + FACTOR).all()
        a.shape = b.shape = (12,)
    a.dtype = np.dtype(np.int64)
    shift(a, b, 1.0)
    assert (b == a.astype(float) + 2).all()


# --- names -----------------------------------------------------------------------------------------------------------


def three(x: float) -> float:
    return x + 3.0


def test_names_that_stand_for_other_things(monkeypatch: pytest.MonkeyPatch) -> None:
    a, b = arrays()
    module = sys.modules[__name__]
    for change, step in (
        (lambda: monkeypatch.setattr(module, "FACTOR", 5.0), 5.0),
        (lambda: monkeypatch.setattr(module, "added", three), 3.0),
        (lambda: monkeypatch.setattr(three, "__code__", (lambda x: x + 4.0).__code__), None),
    ):
        warmed(shift, a, b, 1.0)
        change()
        if step is None:
            with pytest.raises(SomdCompileError):  # a lambda has no text of a function
                shift(a, b, 1.0)
        else:
            shift(a, b, 1.0)
            assert b.tolist() == (a + step).tolist()
    monkeypatch.undo()
    warmed(shift, a, b, 1.0)
    module.__dict__["range"] = lambda n: iter(())
    try:
        with pytest.raises(SomdError):
            shift(a, b, 1.0)
    finally:
        del module.__dict__["range"]


def test_cells_and_defaults() -> None:
    step = 1.0

    def moved(x: float, by: float = 10.0) -> float:
        return x + by + step

    @somd.somd
    def move(a: A) -> None:
        for i in range(len(a)):
            a[i] = moved(a[i])

    def check(by: float) -> None:
        a = np.arange(4.0)
        move(a)
        assert a.tolist() == (np.arange(4.0) + by).tolist()

    warmed(move, np.arange(4.0))
    check(11.0)
    step = 2.0
    check(12.0)
    warmed(move, np.arange(4.0))
    moved.__defaults__ = (20.0,)
    check(22.0)
    del step
    with pytest.raises((SomdError, NameError)):
        move(np.arange(4.0))
    step = 3.0
    check(23.0)


# --- settings --------------------------------------------------------------------------------------------------------


def test_environment_block_and_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    args = (*arrays(), 1.0)
    warmed(shift, *args)
    monkeypatch.setenv("SOMD_TARGET", "nowhere")
    with pytest.raises(SomdConfigError):
        shift(*args)
    monkeypatch.delenv("SOMD_TARGET")
    native = warmed(shift, *args)
    with somd.use(target="sequential"):
        assert native.call(*args) is NotImplemented
    with somd.use(small_work=0):
        shift(*args)
        assert layer()._words[2] == 0
    shift(*args)
    assert layer()._words[2] == -1
    assert native.call(*args) is None
    (tmp_path / "somd.toml").write_text("default = 'nowhere'\n")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SomdConfigError):
        shift(*args)
    (tmp_path / "somd.toml").write_text("workers = 3\n")
    reload_config()
    assert native.call(*args) is NotImplemented
    shift(*args)


def test_folders_are_noticed_when_calls_ask_for_them_no_more(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    args = (*arrays(), 1.0)
    native = warmed(shift, *args)
    for _ in range(3000):
        assert native.call(*args) is None
    (tmp_path / "somd.toml").write_text("default = 'nowhere'\n")
    here = os.getcwd()
    monkeypatch.chdir(tmp_path)
    assert native.call(*args) is NotImplemented
    with pytest.raises(SomdConfigError):
        shift(*args)
    os.chdir(here)
    assert native.call(*args) is None
    place = os.open(tmp_path, os.O_RDONLY)
    os.fchdir(place)
    os.close(place)
    assert native.call(*args) is NotImplemented
    os.chdir(here)


def test_other_threads_have_blocks_of_their_own() -> None:
    args = (*arrays(), 1.0)
    native = warmed(shift, *args)
    found: list[object] = []
    with somd.use(workers=2):
        assert native.call(*args) is NotImplemented
        thread = threading.Thread(target=lambda: found.append(native.call(*args)))
        thread.start()
        thread.join()
    assert found == [None]


def test_blocks_that_say_the_same_share_a_call() -> None:
    args = (*arrays(), 1.0)
    with somd.use(workers=2):
        native = warmed(shift, *args)
    with somd.use(workers=2), somd.use():
        assert native.call(*args) is None
    with somd.use(workers=3):
        assert native.call(*args) is NotImplemented


def test_profiled_calls_are_counted() -> None:
    args = (*arrays(), 1.0)
    warmed(shift, *args)
    with somd.profile() as profile:
        shift(*args)
    assert [method.calls for method in profile.methods] == [1]
    shift(*args)


# --- errors and threads ----------------------------------------------------------------------------------------------


def failures(method: Callable[..., Any]) -> list[tuple[type, str, object]]:
    found = []
    for place, value in ((2, 9), (1, 77), (0, -6)):
        index = np.arange(5)
        index[place] = value
        for context in (None, KeyError("before")):
            try:
                if context is None:
                    method(np.arange(5.0), index, np.zeros(5))
                else:
                    try:
                        raise context
                    except KeyError:
                        method(np.arange(5.0), index, np.zeros(5))
            except (IndexError, ValueError) as error:
                assert error.__context__ is context
                found.append((type(error), str(error) if value == 77 else "", error.__context__ is None))
    return found


def test_faults_and_what_follows() -> None:
    good = np.arange(5.0), np.arange(5), np.zeros(5)
    warmed(taken, *good)
    assert failures(taken) == failures(taken.sequential)
    assert taken._native is not None and taken._native.call(*good) is None
    with pytest.raises(IndexError, match=r"index 9 .* of `a` with size 5"):
        taken(good[0], np.array([1, 9]), good[2])


def test_calls_of_libraries() -> None:
    """What NumPy gives and raises, also where other threads fail at the same time."""
    a = np.array([3.0, 1.0, 3.0, 2.0])
    warmed(beside_sorted, a, 1)
    for given in (a, np.zeros(1), np.arange(300.0) % 7):
        ours, plain = beside_sorted(given, 0), beside_sorted.sequential(given, 0)
        for got, wanted in zip(ours, plain, strict=True):
            np.testing.assert_array_equal(got, wanted, strict=True)
    bad: list[object] = []

    def work(number: int) -> None:
        for turn in range(300):
            k = (turn + number) % 6
            try:
                if beside_sorted(a, k)[1].tolist() != [x * sorted(a)[k] for x in (1, 2, 3)]:
                    bad.append((number, turn))
            except IndexError as error:
                if k < 4 or f"index {k} is out of bounds" not in str(error):
                    bad.append(error)

    threads = [threading.Thread(target=work, args=(k,)) for k in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not bad
    assert beside_sorted._native is not None
    assert beside_sorted._native.call(a, 1) is not NotImplemented


def test_a_failure_keeps_no_arrays() -> None:
    a, index, b = np.arange(5.0), np.arange(5), np.zeros(5)
    warmed(taken, a, index, b)
    index[1] = 9
    gc.collect()
    gc.disable()
    try:
        with pytest.raises(IndexError) as caught:
            taken(a, index, b)
        kept = weakref.ref(b)
        del caught, a, index, b
        assert kept() is None
    finally:
        gc.enable()


def test_nothing_is_lost_or_kept() -> None:
    a, b = arrays()
    watched = a, b, NotImplemented, None, total
    warmed(shift, a, b, 1.5)
    warmed(total, a)
    native = shift._native
    assert native is not None

    def many() -> None:
        for _ in range(2000):
            shift(a, b, 1.5)
            total(a)
            native.call(a, b, 1)

    many()
    gc.collect()
    before = [sys.getrefcount(each) for each in watched], len(gc.get_objects())
    many()
    gc.collect()
    after = [sys.getrefcount(each) for each in watched], len(gc.get_objects())
    assert max(abs(x - y) for x, y in zip(before[0], after[0], strict=True)) < 50
    assert abs(before[1] - after[1]) < 50


def test_many_threads_with_faults() -> None:
    good = np.arange(5.0), np.arange(5), np.zeros(5)
    warmed(taken, *good)
    bad: list[object] = []

    def work(number: int) -> None:
        index, b = np.arange(5), np.zeros(5)
        for turn in range(400):
            index[2] = 77 if (turn + number) % 3 == 0 else 2
            try:
                taken(good[0], index, b)
                if index[2] == 77 or b.tolist() != [0, 1, 2, 3, 4]:
                    bad.append((number, turn))
            except ValueError as error:
                if index[2] != 77 or str(error) != "77 at 2":
                    bad.append(error)

    threads = [threading.Thread(target=work, args=(k,)) for k in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not bad


def test_threads_of_others_have_none_of_ours() -> None:
    """A thread that Python did not start takes the long way, and gives the same."""
    a, b = arrays()
    native = warmed(shift, a, b, 1.0)
    found: list[object] = []

    def run() -> None:
        found.append(native.call(a, b, 1.0))
        shift(a, b, 2.0)

    _in_thread_of_c(run)
    assert found == [NotImplemented] and b.tolist() == ((a + FACTOR) * 2).tolist()


def _in_thread_of_c(function: Callable[[], None]) -> None:
    kind = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p)
    called = kind(lambda _: function())
    library, thread = ctypes.CDLL(None), ctypes.c_ulong()
    assert library.pthread_create(ctypes.byref(thread), None, called, None) == 0
    library.pthread_join(thread, None)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork")
def test_in_a_child() -> None:
    a, b = arrays()
    warmed(shift, a, b, 1.0)
    child = os.fork()
    if child == 0:
        b[:] = 0
        shift(a, b, 3.0)
        os._exit(0 if b.tolist() == ((a + FACTOR) * 3).tolist() else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
