"""Tuples, lists and None in calls: what they hold is that of the moment of the call; what cannot be held is refused."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import pytest

import somd
from somd import dist
from somd.capture.sequences import numbers_of
from somd.transforms import pipeline
from tests.differential import harness

A = dist[np.ndarray]
W: Any = (0.25, 0.5)
L: Any = [1.0, 2.0]
NAMES: dict[str, Any] = globals()
#: equal ones are equal as keys of a dict, and are not the same numbers for a method
TWINS = ((1, 1), (1.0, 1.0), (True, True), (0.0, 0.0), (-0.0, -0.0), (float("nan"), 2.0))


class Pair(NamedTuple):
    first: Any
    second: Any


class Third(Pair):
    def __getitem__(self, index: Any) -> Any:
        return 3.0


class Holder:
    shared: Any = (1.0, 2.0)

    def __init__(self) -> None:
        self.own: Any = (3.0, 4.0)

    @somd.somd
    def run(self, a: A) -> None:
        for i in range(len(a)):
            a[i] = a[i] * self.own[0] + self.shared[i % 2] - self.own[i % 2]


@somd.somd
def captured(a: A) -> Any:
    for i in range(len(a)):
        a[i] = a[i] * W[1] + L[i % 2] * W[i % 2]
    return W[0]


@somd.somd
def passed(a: A, w: Any, k: int) -> Any:
    for i in range(len(a)):
        a[i] = a[i] / w[1] + w[k]
    return w[0], len(w)


@somd.somd
def either(a: A, w: float | None = None, out: A | None = None) -> np.ndarray:
    if out is None:
        out = np.empty_like(a)
    for i in range(len(a)):
        out[i] = a[i] + (1 if w is None else w)
    return out


@pytest.fixture(params=harness.TARGETS)
def target(request: pytest.FixtureRequest) -> Iterator[str]:
    reason = harness.unavailable(request.param)
    if reason is not None:
        pytest.skip(reason)
    with somd.use(target=request.param, workers=3, small_work=0):
        yield request.param


def agree(method: Any, *rest: Any) -> None:
    """The method does what the function does, to results, arrays and types of results."""
    ours, plain = np.linspace(0.3, 7.6, 9, dtype=np.float32), np.linspace(0.3, 7.6, 9, dtype=np.float32)
    found, wanted = method(ours, *rest), method.sequential(plain, *rest)
    assert np.array_equal(ours, plain, equal_nan=True)
    if isinstance(wanted, np.ndarray):
        found, wanted = (found.dtype, *found), (wanted.dtype, *wanted)
    assert repr(found) == repr(wanted)


@pytest.mark.usual(2)
def test_contents_are_those_of_the_call(target: str, monkeypatch: pytest.MonkeyPatch) -> None:
    # types that are told apart are so for all targets: the one that compiles longer is given few
    few = target == "multicore" and harness.unavailable("opencl") is None
    for w in (*TWINS[:2], *TWINS[:2]) if few else (*TWINS, *TWINS[:2]):
        monkeypatch.setitem(NAMES, "W", w)
        agree(captured)
        agree(passed, w, -1)
    agree(passed, Pair(1.0, 2.0), 0)
    for change in (lambda: L.append(5.0), lambda: L.__setitem__(0, 9.0), L.reverse, L.pop):
        change()
        agree(captured)
    for value in (
        ((1, 2), [1.0, 2.0]) if few else ((1, 2), [1, 2], np.ones(2), [np.float32(1), np.float32(3)], [1.0, 2.0])
    ):
        monkeypatch.setitem(NAMES, "L", value)
        agree(captured)
    holder = Holder()
    for _ in range(2):
        forms = (((3, 4), (1.0, 2.0)), ([3.0, 4.0], [1, 2]), (Pair(1.0, 2.0), (True, False)))
        for own, shared in forms[:1] if few else forms:
            holder.own = own
            monkeypatch.setattr(Holder, "shared", shared)
            ours, plain = np.ones(5), np.ones(5)
            holder.run(ours)
            Holder.run.sequential(holder, plain)
            assert np.array_equal(ours, plain)
    for given in ((), (None,), (2.5,), (None, np.zeros(9)), (True,), (None,)):
        agree(either, *given)


@pytest.mark.usual(2)
def test_lists_that_change_are_not_compiled_for_again(target: str, monkeypatch: pytest.MonkeyPatch) -> None:
    agree(passed, [1.0, 2.0], 0)
    agree(captured)
    compiled: list[object] = []
    whole = pipeline.compile_for
    monkeypatch.setattr(pipeline, "compile_for", lambda *given: compiled.append(given) or whole(*given))
    for k in range(5):
        L[1] = float(k)
        L.append(0.5)
        agree(captured)
        agree(passed, [*L], k)
    assert not compiled


@pytest.mark.usual(2)
def test_indexes_are_those_of_python(target: str) -> None:
    for w in ((), (1.0,), (1.0, 2.0), [1.0, 2.0, 3.0], tuple(map(float, range(3000)))):
        for k in (0, 1, -1, -2, 2, -3, 2999, -3000, 3000, 1 << 40):
            a = np.ones(4)
            try:
                passed.sequential(a.copy(), w, k)
            except IndexError:
                with pytest.raises(IndexError):
                    passed(a, w, k)
            else:
                agree(passed, w, k)


@pytest.mark.parametrize(
    "value",
    [(1, 2.0), (1.0, "two"), (2**70, 1), ((1.0,), 2.0), ((1.0,), (1.0, 2.0)), (np.float16(1),) * 2, Third(1, 2)],
)
def test_what_no_array_can_hold(value: Any) -> None:
    with pytest.raises(somd.SomdCompileError):
        passed(np.ones(3), value, 1)


def test_long_tuples_are_made_arrays_once() -> None:
    long, short = tuple(range(1000)), (1, 2)
    assert numbers_of(long).array is numbers_of(long).array
    assert numbers_of(long).kind is int and numbers_of(short).array.dtype == np.int64
    assert numbers_of(((), ())).array.shape == (2, 0)
