"""What a method mentions may change between calls and between processes: no call runs what was compiled for another
meaning."""

from __future__ import annotations

import collections
import enum
import os
import subprocess
import sys
import types
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import pytest

import somd
from somd import ByKey, Cyclic, dist, partition, reduce
from somd.capture.describing import Descriptions
from tests.differential import harness
from tests.trials import with_trials
from tests.usual import ALL


class Tuned(float):
    """A subclass that says something else of itself than it is."""

    def __repr__(self) -> str:
        return "1.0"


#: the names that methods below mention
HM: Any = types.SimpleNamespace(rnd=round)
MODULE: Any = types.ModuleType("user_module")
MODULE.f = np.sin
MODULE.inner = types.ModuleType("user_module.inner")
MODULE.inner.k = 2.0
G: Any = np.sqrt
K: Any = 2.0
POINT: Any = collections.namedtuple("POINT", "x y")(2.0, 3.0)
T: Any = np.dtype("float64")
A: Any = Annotated[np.ndarray, dist]
R: Any = Annotated[float, reduce("+")]
L: Any = somd.shared[float]
NAMES: dict[str, Any] = globals()


class Kind:
    f: Any = np.sin

    def __init__(self) -> None:
        self.g: Any = np.floor

    @somd.somd
    def both(self, a: dist[np.ndarray]) -> None:
        for i in range(len(a)):
            a[i] = self.g(a[i]) + self.f(a[i])


def helper(x: Any, by: Any = 2.0, *, more: Any = 1.0) -> Any:
    return x * by + more


@somd.somd
def through_an_object(a: dist[np.ndarray]) -> None:
    for i in range(len(a)):
        a[i] = HM.rnd(a[i])


@somd.somd
def through_a_class(a: dist[np.ndarray]) -> None:
    for i in range(len(a)):
        a[i] = Kind.f(a[i])


@somd.somd
def through_modules(a: dist[np.ndarray]) -> None:
    for i in range(len(a)):
        a[i] = MODULE.f(a[i]) * MODULE.inner.k


@somd.somd
def by_name(a: dist[np.ndarray]) -> None:
    for i in range(len(a)):
        a[i] = G(a[i]) * K


@somd.somd
def by_field(a: dist[np.ndarray]) -> None:
    for i in range(len(a)):
        a[i] = a[i] * POINT.x


@somd.somd
def python_s_own(a: dist[np.ndarray]) -> None:
    for i in range(len(a)):
        a[i] = abs(a[i]) - 3.0


@somd.somd
def with_helper(a: dist[np.ndarray]) -> None:
    for i in range(len(a)):
        a[i] = helper(a[i])


@somd.somd
def allocating(a: dist[np.ndarray]) -> np.ndarray:
    b = np.zeros(len(a), T)
    for i in range(len(a)):
        b[i] = a[i]
    return b


@pytest.fixture(params=harness.TARGETS)
def target(request: pytest.FixtureRequest) -> Iterator[str]:
    reason = harness.unavailable(request.param)
    if reason is not None:
        pytest.skip(reason)
    with somd.use(target=request.param, workers=3):
        yield request.param


def same(method: Any, *owner: Any) -> None:
    ours, plain = np.linspace(0.3, 7.6, 9), np.linspace(0.3, 7.6, 9)
    found = method(*owner, ours)
    wanted = method.sequential(*owner, plain)
    assert np.allclose(ours, plain, rtol=1e-14) and (found is None) == (wanted is None)
    if found is not None:
        assert found.dtype == wanted.dtype and found.tolist() == wanted.tolist()


def refused(method: Any, *owner: Any) -> None:
    with pytest.raises(somd.SomdCompileError):
        method(*owner, np.linspace(0.3, 7.6, 9))


CHANGES: list[tuple[Any, Callable[[pytest.MonkeyPatch], None]]] = [
    (through_an_object, lambda patch: patch.setattr(HM, "rnd", abs)),
    (through_an_object, lambda patch: patch.setattr(HM, "rnd", np.floor)),
    (through_an_object, lambda patch: patch.setattr(HM, "rnd", np.ceil)),
    (through_an_object, lambda patch: patch.setitem(NAMES, "HM", types.SimpleNamespace(rnd=np.sqrt))),
    (through_a_class, lambda patch: patch.setattr(Kind, "f", np.cos)),
    (through_a_class, lambda patch: patch.setattr(Kind, "f", abs)),
    (through_modules, lambda patch: patch.setattr(MODULE, "f", np.cos)),
    (through_modules, lambda patch: patch.setattr(MODULE, "f", helper)),
    (through_modules, lambda patch: patch.setattr(MODULE.inner, "k", 3)),
    (through_modules, lambda patch: patch.setattr(MODULE, "inner", types.SimpleNamespace(k=5.0))),
    (by_name, lambda patch: patch.setitem(NAMES, "G", np.floor)),
    (by_name, lambda patch: patch.setitem(NAMES, "G", np.exp)),
    (by_name, lambda patch: patch.setitem(NAMES, "K", np.float32(0.1))),
    (by_name, lambda patch: patch.setitem(NAMES, "K", -2.0)),
    (by_field, lambda patch: patch.setitem(NAMES, "POINT", collections.namedtuple("POINT", "y x")(2.0, 3.0))),
    (by_field, lambda patch: patch.setitem(NAMES, "POINT", POINT._replace(x=5))),
    (python_s_own, lambda patch: patch.setitem(NAMES, "abs", np.sqrt)),
    (python_s_own, lambda patch: patch.setitem(NAMES, "abs", lambda_like)),
    (with_helper, lambda patch: patch.setattr(helper, "__defaults__", (3.0,))),
    (with_helper, lambda patch: patch.setattr(helper, "__defaults__", (Tuned(3.0),))),
    (with_helper, lambda patch: patch.setattr(helper, "__kwdefaults__", {"more": 4.0})),
    (with_helper, lambda patch: patch.setitem(helper.__kwdefaults__, "more", 5.0)),
    (with_helper, lambda patch: patch.setattr(helper, "__code__", lambda_like.__code__)),
    (allocating, lambda patch: patch.setitem(NAMES, "T", np.dtype("int32"))),
    (allocating, lambda patch: patch.setitem(NAMES, "T", np.float32)),
]


def lambda_like(x: Any, by: Any = 1.0, *, more: Any = 0.0) -> Any:
    return x - by - more


@pytest.mark.parametrize("number", range(len(CHANGES)))
def test_a_change_between_calls(target: str, number: int, monkeypatch: pytest.MonkeyPatch) -> None:
    method, change = CHANGES[number]
    if target == "multicore" and number != [each for each, _ in CHANGES].index(method):
        pytest.skip("what is compared is the same for all targets: one change of each method does")
    same(method)
    change(monkeypatch)
    same(method)
    monkeypatch.undo()
    same(method)


@pytest.mark.usual(2)
def test_attributes_of_an_object_that_are_functions(target: str, monkeypatch: pytest.MonkeyPatch) -> None:
    one, other = Kind(), Kind()
    other.g = np.ceil
    for _ in range(2):
        same(Kind.both, one)
        same(Kind.both, other)
        monkeypatch.setattr(Kind, "f", np.cos)
    one.g = round
    same(Kind.both, one)
    one.g = int  # type: ignore[assignment]
    same(Kind.both, one)


@pytest.mark.parametrize("name", ["range", "len"])
def test_names_that_the_compiler_takes_for_pythons_own(target: str, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    same(by_name)
    monkeypatch.setitem(NAMES, name, lambda *given: [0] if name == "range" else 1)
    refused(by_name)
    monkeypatch.undo()
    same(by_name)


def test_byte_order_of_a_dtype(target: str, monkeypatch: pytest.MonkeyPatch) -> None:
    same(allocating)
    monkeypatch.setitem(NAMES, "T", np.dtype(">f8"))
    refused(allocating)
    monkeypatch.undo()
    same(allocating)


@pytest.mark.usual(2)
def test_annotations_that_are_texts(target: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(NAMES, "A", Annotated[np.ndarray, dist, partition(ByKey)])

    @somd.somd
    def summed(key: A, x: dist[np.ndarray], y: np.ndarray) -> None:
        for i in range(len(key)):
            y[key[i]] += x[i]

    keys, ones = np.repeat(np.arange(50), 4), np.ones(200)
    for partitioner, good in ((ByKey, True), (Cyclic, False), (ByKey, True)):
        monkeypatch.setitem(NAMES, "A", Annotated[np.ndarray, dist, partition(partitioner)])
        if good:
            found = np.zeros(50)
            summed(keys, ones, found)
            assert found.tolist() == [4.0] * 50
        else:
            with pytest.raises(somd.SomdCompileError):
                summed(keys, ones, np.zeros(50))


def test_a_partitioner_that_only_has_the_name_promises_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    def ByKey(array: np.ndarray, parts: int) -> list[tuple[int, int]]:
        return [(len(array) * k // parts, len(array) * (k + 1) // parts) for k in range(parts)]

    monkeypatch.setitem(NAMES, "A", Annotated[np.ndarray, dist, partition(ByKey)])
    with pytest.raises(somd.SomdCompileError, match="SOMD303"):

        @somd.somd
        def summed(key: A, x: dist[np.ndarray], y: np.ndarray) -> None:
            for i in range(len(key)):
                y[key[i]] += x[i]


def biggest(partials: list[float]) -> float:
    return max(partials)


@pytest.mark.usual(2)
def test_a_result_that_another_function_reduces(target: str, monkeypatch: pytest.MonkeyPatch) -> None:
    @somd.somd
    def reduced(a: dist[np.ndarray]) -> R:
        s = 0.0
        for i in range(len(a)):
            s += a[i]
        return s

    a = np.ones(4000)
    assert reduced(a) == 4000.0
    monkeypatch.setitem(NAMES, "R", Annotated[float, reduce(biggest)])
    assert reduced(a) < 4000.0
    monkeypatch.setitem(NAMES, "R", Annotated[float, reduce(sum)])
    assert reduced(a) == 4000.0


# --- between processes ---------------------------------------------------------------------------------------------

PROGRAM = """
from __future__ import annotations
import sys
import types
from typing import Annotated
import numpy as np
import somd.transforms.pipeline as pipeline
from somd import ByKey, Cyclic, dist, partition, reduce, shared, somd, sync

compiled = []
whole = pipeline.compile_for
pipeline.compile_for = lambda *given: compiled.append(1) or whole(*given)
{head}

{method}

ours, plain = np.linspace(0.3, 7.6, 9), np.linspace(0.3, 7.6, 9)
f(ours)
f.sequential(plain)
assert np.allclose(ours, plain, rtol=1e-14), (ours, plain)
print(len(compiled), ours.tolist())
"""
METHOD = """
@somd
def f(a: {annotation}) -> None:
    for i in range(len(a)):
        a[i] = {expression}
"""
FLOAT = "class F(float):\n    def __repr__(self): return '1.0'\n"
PAIRS: dict[str, tuple[str, str, str, str]] = {
    "object": ("hm = types.SimpleNamespace(rnd=round)", "hm = types.SimpleNamespace(rnd=abs)", "", "hm.rnd(a[i])"),
    "class": ("class C: f = np.sin", "class C: f = np.cos", "", "C.f(a[i])"),
    "ufunc": ("g = np.floor", "g = np.ceil", "", "g(a[i])"),
    "module": ("import math as m", "import cmath; m = types.ModuleType('math'); m.sin = np.cos", "", "m.sin(a[i])"),
    "builtin": ("", "abs = np.sqrt", "", "abs(a[i]) - 2.0"),
    "default": (
        "def h(x, k=1.0): return x * k",
        "def h(x, k=1.0): return x * k\nh.__defaults__ = (2.0,)",
        "",
        "h(a[i])",
    ),
    "keyword": (
        "def h(x, *, k=1.0): return x * k",
        "def h(x, *, k=1.0): return x * k\nh.__kwdefaults__['k'] = 2.0",
        "",
        "h(a[i])",
    ),
    "field": (
        "import collections; P = collections.namedtuple('P', 'x y')(2.0, 3.0)",
        "import collections; P = collections.namedtuple('P', 'y x')(2.0, 3.0)",
        "",
        "P.x * a[i]",
    ),
    "type": ("t = np.float64", "t = np.float32", "", "t(0.1) * a[i]"),
    "number": ("k = np.float64(0.1)", "k = np.float32(0.1)", "", "k * a[i]"),
    "entry": ("w = (2.0, 3.0)", "w = (2.0, 4.0)", "", "w[1] * a[i]"),
    "sign": ("w = (0.0, 1.0)", "w = (-0.0, 1.0)", "", "np.copysign(a[i], w[0])"),
    "none": ("w = None", "w = (2.0,)", "", "a[i] if w is None else a[i] * w[0]"),
    "alias": ("most = max", "most = min", "", "most(a[i], 3.0)"),
    "list": ("w = [2.0, 3.0]", "w = [4.0, 5.0, 6.0]", "", "a[i] * w[i % 2] + w[0]"),
    "list's type": ("w = [2.0, 3.0]", "w = [4, 5]", "", "a[i] * w[i % 2] + w[0]"),
    "view": ("V = Annotated[np.ndarray, dist]", "V = np.ndarray", "V", "2.0 * a[i]"),
}
#: a partitioner by an alias: what `ByKey` promises about the array, `Cyclic` does not
PARTITIONED = """
from __future__ import annotations
from typing import Annotated
import numpy as np
import somd.transforms.pipeline as pipeline
from somd import ByKey, Cyclic, dist, partition, somd, use

compiled = []
whole = pipeline.compile_for
pipeline.compile_for = lambda *given: compiled.append(1) or whole(*given)
A = Annotated[np.ndarray, dist, partition({})]


@somd
def summed(key: A, x: dist[np.ndarray], y: np.ndarray) -> None:
    for i in range(len(key)):
        y[key[i]] += x[i]

y = np.zeros(50)
with use(target="multicore", workers=3):
    summed(np.repeat(np.arange(50), 4), np.ones(200), y)
assert y.tolist() == [4.0] * 50
print(len(compiled), y.sum())
"""


def run(folder: Path, *programs: Path, target: str = "multicore") -> list[tuple[int, str]]:
    """How many methods each program compiled, and the values that it printed, all in one process; -1 and the error."""
    environment = {
        **os.environ,
        "SOMD_CACHE_DIR": str(with_trials(folder / "cache")),
        "SOMD_TARGET": target,
        "PYTHONPATH": str(Path(somd.__file__).parents[1]),
    }
    command = [sys.executable, "-c", EACH, *map(str, programs)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    found = [line.partition(" ") for line in done.stdout.splitlines()]
    assert len(found) == len(programs), done.stdout
    return [(int(count), values) for count, _, values in found]


EACH = """
import runpy
import sys

for program in sys.argv[1:]:
    try:
        runpy.run_path(program)
    except Exception as error:
        print(-1, type(error).__name__)
"""


@pytest.mark.usual(0)
def test_changes_between_processes(tmp_path: Path) -> None:
    texts: dict[str, list[str]] = {}
    for name, (first, second, annotation, expression) in PAIRS.items():
        method = METHOD.format(annotation=annotation or "dist[np.ndarray]", expression=expression)
        texts[name] = [
            PROGRAM.format(head=f"{head}\n", method="\n" * (10 - head.count("\n")) + method) for head in (first, second)
        ]
    texts["partitioner"] = [PARTITIONED.format(each) for each in ("ByKey", "Cyclic")]
    target = "multicore" if harness.unavailable("opencl") else "opencl"  # the one that compiles faster
    rounds = []
    for turn in (0, 1, 0, 1) if ALL else (0, 1, 0):
        for name in texts:
            (tmp_path / f"{name}.py").write_text(texts[name][turn], encoding="utf-8")
        found_here = run(tmp_path, *(tmp_path / f"{name}.py" for name in texts), target=target)
        rounds.append(dict(zip(texts, found_here, strict=True)))
    for name in texts:
        found = [each[name] for each in rounds]
        assert found[0][0] == 1, (name, found)
        assert found[2] == (0, found[0][1]), (name, found)
        if name in ("view", "partitioner"):
            assert found[1] == (-1, "SomdCompileError"), found
        else:
            # values of lists are passed to what another process compiled for their type
            assert found[1][0] == (name != "list") and found[3:] == [(0, found[1][1])] * ALL, (name, found)
            assert found[0][1] != found[1][1], (name, found)


class Computing(float):
    def __mul__(self, other: object) -> float:
        return 100.0

    __rmul__ = __mul__


class Wide(np.float64):
    def __rmul__(self, other: object) -> float:
        return 100.0


class Colour(enum.IntEnum):
    RED = 3


class Flag(enum.IntFlag):
    ONE = 4


class Constant(float, enum.Enum):
    HALF = 0.5


@pytest.mark.parametrize("number", [Tuned(2.5), Colour.RED, Constant.HALF, True, -(2**63)])
@pytest.mark.usual(3)
def test_numbers_of_subclasses(target: str, number: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """What computes as a number does is that number, whatever it says of itself."""
    monkeypatch.setitem(NAMES, "K", number)
    same(by_name)


@pytest.mark.parametrize("number", [Computing(2.5), Wide(2.5), Flag.ONE, 2**63, 10**30, np.longdouble(2)])
def test_numbers_that_compute_otherwise_are_refused(target: str, number: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(NAMES, "K", number)
    refused(by_name)


def test_descriptions_tell_values_apart() -> None:
    values: list[Any] = [
        0.0,
        -0.0,
        0,
        False,
        np.float64(0.0),
        np.float32(0.0),
        Tuned(0.0),
        Tuned(1.0),
        1.0,
        "1.0",
        None,
    ]
    values += [
        np.dtype("<f8"),
        np.dtype(">f8"),
        np.dtype("f4"),
        np.float64,
        float,
        round,
        abs,
        np.sin,
        np.cos,
        np.where,
    ]
    values += [(1, 2.0), (1, 2), [1, 2], {"a": 1}, np.arange(3), np.arange(3.0), np.arange(1, 4), helper, lambda_like]
    values += [dist, somd.shared, Annotated[np.ndarray, dist], Annotated[np.ndarray, somd.dim(0)], partition(ByKey)]
    values += [partition(Cyclic), reduce("+"), reduce(biggest), reduce(sum), object(), HM, os, sys, int, bool, np.bool_]
    values += [float("nan"), float("inf"), 1j, -1j, complex(0.0, -1.0), somd.Chunked(8), somd.Chunked(16), Kind.both]
    words = Descriptions()
    texts = [words.of(value) for value in values]
    assert len(set(texts)) == len(values)
    again = Descriptions()
    assert [again.of(value) for value in values] == texts
