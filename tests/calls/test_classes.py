"""Methods of classes as objects, and what a call reads anew: attributes, captured values, methods of the class."""

from __future__ import annotations

import inspect
import pickle
import subprocess
import sys
import types
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import somd
from somd import dist
from tests.differential import harness

SCALE = 2.0
TABLE = np.arange(8.0)
UNITS = types.SimpleNamespace(k=3.0)


class Base:
    gain = 1.0

    def __init__(self, factor: Any = 2.0) -> None:
        self.factor = factor
        self.rows = np.ones(8)

    def of(self, x):
        return self.factor * x

    @property
    def first(self):
        return self.rows[0]

    @somd.somd
    def apply(self, a: dist[np.ndarray], shift: float = 0.0) -> None:
        """Scale and shift."""
        for i in range(len(a)):
            a[i] = self.of(a[i]) + shift * self.gain

    @somd.somd
    def add_to_rows(self, a: dist[np.ndarray]) -> float:
        for i in range(len(a)):
            self.rows[i] = self.rows[i] + a[i]
        return self.first


class Derived(Base):
    def of(self, x):
        return x - self.factor


@somd.somd
def captured(a: dist[np.ndarray]) -> None:
    for i in range(len(a)):
        a[i] = a[i] * SCALE + TABLE[i] * UNITS.k + Base.gain


def applied(method: Any, *more: Any) -> list[float]:
    a = np.arange(1.0, 4.0)
    method(a, *more)
    return list(a)


@pytest.fixture(params=harness.TARGETS)
def target(request: pytest.FixtureRequest) -> Any:
    reason = harness.unavailable(request.param)
    if reason is not None:
        pytest.skip(reason)
    with somd.use(target=request.param, workers=3):
        yield request.param


@pytest.mark.usual(2)
def test_two_objects_in_turn_with_other_values_and_types(target: str) -> None:
    objects = [Base(2.0), Base(3), Base(np.float32(0.5)), Derived(1.0), Base(True), Base(7.0)]
    for _ in range(2):
        for each in objects:
            assert applied(each.apply, 1.0) == applied(each.apply.sequential, 1.0)


def test_attributes_are_read_at_each_call(target: str) -> None:
    each = Base()
    assert applied(each.apply) == [2.0, 4.0, 6.0]
    each.factor = 5.0
    assert applied(each.apply) == [5.0, 10.0, 15.0]
    each.of = lambda x: -x  # type: ignore[method-assign]
    with pytest.raises(somd.SomdCompileError):
        applied(each.apply)
    del each.factor, each.of
    with pytest.raises(AttributeError, match="factor"):
        applied(each.apply)


def test_class_attributes_and_methods_are_those_of_the_class_now(target: str, monkeypatch: pytest.MonkeyPatch) -> None:
    each = Base()
    assert applied(each.apply, 1.0) == [3.0, 5.0, 7.0]
    monkeypatch.setattr(Base, "gain", 10.0)
    assert applied(each.apply, 1.0) == [12.0, 14.0, 16.0]
    monkeypatch.setattr(Base, "of", Derived.of)
    assert applied(each.apply, 1.0) == [9.0, 10.0, 11.0]


def test_a_property_sees_what_the_method_wrote(target: str) -> None:
    each = Base()
    assert each.add_to_rows(np.ones(8)) == 2.0
    assert each.rows.tolist() == [2.0] * 8


@pytest.mark.usual(2)
def test_an_attribute_that_is_the_argument(target: str) -> None:
    each = Base()
    assert each.add_to_rows(each.rows) == 2.0
    with pytest.raises(somd.SomdRuntimeError, match=r"`a` and `self\.rows` overlap"):
        each.add_to_rows(each.rows[1:])
    each.rows.flags.writeable = False
    with pytest.raises(ValueError, match=r"self\.rows"):
        each.add_to_rows(np.ones(8))


@pytest.mark.usual(2)
def test_captured_values_are_read_at_each_call(target: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def same() -> None:
        assert applied(captured) == applied(captured.sequential)

    same()
    monkeypatch.setitem(globals(), "SCALE", np.float32(0.5))
    same()
    monkeypatch.setitem(globals(), "TABLE", np.arange(3, 9, dtype=np.int32))
    same()
    TABLE[1] = 40
    same()
    monkeypatch.setattr(UNITS, "k", 7)
    same()
    monkeypatch.setattr(Base, "gain", 0.25)
    same()


@pytest.mark.usual(2)
def test_closures_keep_their_own_cells(target: str) -> None:
    def made(weights: np.ndarray, k: float) -> Any:
        @somd.somd
        def weighted(a: dist[np.ndarray]) -> None:
            for i in range(len(a)):
                a[i] = a[i] * weights[i] + k

        return weighted

    one, other = made(np.arange(3.0), 1.0), made(np.arange(3), 2.0)
    for _ in range(2):
        assert applied(one) == [1.0, 3.0, 7.0]
        assert applied(other) == [2.0, 4.0, 8.0]


def test_a_bound_method_is_what_python_expects() -> None:
    each = Base()
    assert each.apply == each.apply and each.apply != Base().apply and len({each.apply, each.apply}) == 1
    assert each.apply.__self__ is each and each.apply.__func__ is Base.apply
    assert (each.apply.__name__, each.apply.__doc__) == ("apply", "Scale and shift.")
    assert each.apply.__wrapped__ == each.apply.sequential
    assert list(inspect.signature(each.apply).parameters) == ["a", "shift"]
    assert list(inspect.signature(Base.apply).parameters) == ["self", "a", "shift"]
    assert repr(each.apply).startswith(f"<bound SOMD method {__name__}.Base.apply of <{__name__}.Base")
    assert applied(lambda a: Base.apply(each, a)) == applied(each.apply, *(0.0,))
    assert applied(lambda a: each.apply(shift=1.0, a=a)) == [3.0, 5.0, 7.0]
    assert "self_factor" in each.apply.source("multicore") and "phase 1" in each.apply.explain()


class Rod:
    heat: dist[np.ndarray]

    def __init__(self) -> None:
        self.heat = np.ones(8)

    @somd.somd
    def cool(self, by: float) -> None:
        for i in range(len(self.heat)):
            self.heat[i] *= by


def test_annotations_of_the_class_hold_before_any_call() -> None:
    before = Rod.cool.explain()
    assert "phase 1" in before and "distributed parameters: self.heat" in before
    Rod().cool(0.5)
    assert Rod.cool.explain() == before


def test_methods_can_be_pickled() -> None:
    assert pickle.loads(pickle.dumps(Base.apply)) is Base.apply
    assert pickle.loads(pickle.dumps(captured)) is captured
    each = pickle.loads(pickle.dumps(Base(4.0).apply))
    assert applied(each) == [4.0, 8.0, 12.0]


def test_what_is_refused_when_the_class_is_complete_or_at_the_first_call() -> None:
    with pytest.raises(somd.SomdCompileError, match="SOMD207"):

        class Wrong:
            @somd.somd
            def f(self, a: dist[np.ndarray]) -> None:
                for i in range(len(a)):
                    a[i] = 0.0
                self.done = True

        Wrong().f(np.ones(3))


def test_rules_of_the_configuration(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "somd.toml").write_text('[rules]\n"Base.apply" = "sequential"\n')
    monkeypatch.chdir(tmp_path)
    called: list[int] = []
    each = Base()
    each.of = lambda x: called.append(1) or x  # type: ignore[method-assign]
    applied(each.apply)
    assert called


PROGRAM = """
import sys
import numpy as np
from somd import dist, somd

class C:
    def __init__(self, k): self.k = k
    def of(self, x): return self.k * x
    @somd
    def f(self, a: dist[np.ndarray]):
        for i in range(len(a)):
            a[i] = self.of(a[i]) + K * TABLE[i]

K = {k}
TABLE = np.array({table})
a = np.ones(2)
C({value}).f(a)
print(list(map(float, a)), "libcst" in sys.modules)
"""


EACH = """
import linecache
import pathlib
import runpy
import sys

for text in sys.argv[2:]:
    pathlib.Path(sys.argv[1]).write_text(text)
    linecache.checkcache()
    runpy.run_path(sys.argv[1])
"""


@dataclass
class Run:
    k: str
    table: str
    value: str
    expected: str


def test_a_second_process_reuses_what_is_the_same_and_nothing_else(tmp_path: Path) -> None:
    runs = [
        Run("1", "[1.0, 2.0]", "2.0", "[3.0, 4.0] True"),
        Run("1", "[5.0, 6.0]", "3.0", "[8.0, 9.0] False"),
        Run("1", "[5, 6]", "3", "[8.0, 9.0] True"),
        Run("4", "[1.0, 2.0]", "2.0", "[6.0, 10.0] True"),
    ]
    environment = {"SOMD_CACHE_DIR": str(tmp_path / "cache"), "PYTHONPATH": str(Path(somd.__file__).parents[1])}
    # the paths of earlier programs stay the same: only the values differ; what compiles comes last in its process
    for together in (runs[:1], runs[1:]):
        texts = [PROGRAM.format(k=run.k, table=run.table, value=run.value) for run in together]
        command = [sys.executable, "-c", EACH, tmp_path / "program.py", *texts]
        done = subprocess.run(command, capture_output=True, text=True, env=environment)
        assert done.stdout.splitlines() == [run.expected for run in together], done.stdout + done.stderr


@pytest.mark.parametrize("wrong", [None, 3, 2.5, "text", [], np.ones(4)])
@pytest.mark.parametrize("first", [True, False])
@pytest.mark.usual(3)
def test_a_refused_call_does_not_spoil_the_next(target: str, wrong: Any, first: bool) -> None:
    class Mine(Base):
        @somd.somd
        def scaled(self, a: dist[np.ndarray]) -> None:
            for i in range(len(a)):
                a[i] = a[i] * self.gain

        @somd.somd
        def of_another(self, a: dist[np.ndarray], other: Any) -> None:
            for i in range(len(a)):
                a[i] = a[i] * other.factor

    def right() -> None:
        assert applied(Mine().scaled) == [1.0, 2.0, 3.0]
        assert applied(Mine().of_another, Base(3.0)) == [3.0, 6.0, 9.0]

    if not first:
        right()
    for call in (lambda: applied(lambda a: Mine.scaled(wrong, a)), lambda: applied(Mine().of_another, wrong)):
        with pytest.raises((somd.SomdCompileError, AttributeError)):
            call()
        right()
