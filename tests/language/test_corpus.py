"""Every program of the corpus does on every target, for any number of workers, what it does as plain Python; and so
does its plan, as a loop program in the interpreter, in orders that chance chooses.

Compilers take seconds on multicore and tenths of one on OpenCL. Therefore those programs are run that stand for a feature
of the generated code (see `features`), with the cases of one signature, which is that whose features they have; all with
SOMD_ALL_CASES=1. Kernels of the others are given to Oclgrind's compiler, which is quick. What stands for no feature
and takes long (`long.txt`), a tenth of the programs that took half of the time, is run with SOMD_ALL_CASES=1 alone.
"""

from __future__ import annotations

import ast
import importlib
import os
import sys
import warnings
from itertools import chain
from pathlib import Path

import numpy as np
import pytest

from somd.sources.expected import expected_of
from somd.sources.verifying import NOT_RUN, verify
from tests.differential import compiled_once, features, harness
from tests.language.program import PROGRAMS, Program
from tests.transforms.passes.validation import FEW_ORDERS, ORDERS, Outcomes, runs_of, schedules, validated
from tests.usual import ALL

HERE = Path(__file__).parent
MODULES = sorted(f.stem for f in HERE.glob("*.py") if not f.stem.startswith("test_") and f.stem != "program")
# the processes of a run begin at both ends: what one has checked already, the cache tells the others
for name in reversed(MODULES) if os.environ.get("PYTEST_XDIST_WORKER", "gw0")[-1] in "13579" else MODULES:
    importlib.import_module(f"tests.language.{name}")
PROGRAMS.sort(key=lambda program: program.method.__module__)
#: programs that stand for no feature, and of which plans, passes and texts take more than 0.8 s on a slow machine
LONG = frozenset((HERE / "long.txt").read_text().split())
#: elements, and trips that an argument counts, of cases for the interpreter, which watches each access
FEW = 1000


#: the ways to run a program, one after the other, so that what they compile alike is compiled once
WAYS = (*harness.TARGETS, "plan", "passes")


def marked(program: Program, way: str) -> object:
    reason = program.xfail.get(way)
    marks = [pytest.mark.xfail(reason=reason)] if reason else []
    if program.name in LONG:
        marks.append(pytest.mark.usual(0))
    if program.unavailable:
        marks.append(pytest.mark.skip(reason=program.unavailable))
    return pytest.param(program, way, id=f"{program.name}-{way}", marks=marks)


@pytest.mark.parametrize(("program", "way"), [marked(p, way) for p in PROGRAMS for way in WAYS])
def test_program(program: Program, way: str, notes: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    compiled_once.patch(monkeypatch)
    if way == "plan":
        on_plan(program)
    elif way == "passes":
        on_passes(program)
    else:
        on_target(program, way, notes)


@pytest.fixture(scope="session")
def notes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder that the processes of a run have together."""
    own = tmp_path_factory.getbasetemp()
    return own.parent if "PYTEST_XDIST_WORKER" in os.environ else own


def on_target(program: Program, target: str, notes: Path) -> None:
    reason = harness.unavailable(target)
    if reason is not None:
        pytest.skip(reason)
    cases = harness.chosen(program.cases())
    if not os.environ.get("SOMD_ALL_CASES"):
        module = features.stood_for(program.name, program.method, cases[0], target)
        if module is not None and target == "opencl" and kernels_compile(module):
            return
        if module is not None:
            pytest.skip("others stand for all of its features")
        features.note_unknown(program.name, program.method, cases[0], target, notes)
    for args in cases:
        harness.check(program.method, args, target, rtol=program.rtol)


def kernels_compile(module: str) -> bool:
    """Whether the simulator's compiler takes the kernels of a module; False where there is no simulator."""
    from somd.runtime.opencl import select
    from somd.runtime.opencl.context import context_for
    from somd.runtime.opencl.failures import NoDevice
    from somd.runtime.opencl.programs import options_for, text_for

    try:
        context = context_for(select("oclgrind"))
    except NoDevice:
        return False
    text = text_for(context, features.kernels_of(ast.parse(module)), False)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", context.cl.CompilerWarning)
        context.cl.Program(context.handle, text).build(list(options_for(context, False)), cache_dir=False)
    return True


def size(args: tuple[object, ...]) -> int:
    """How many elements the arrays of a case have, or the largest of its integers that may well count trips."""
    elements = sum(each.size for each in args if isinstance(each, np.ndarray))
    return max([elements, *(each for each in args if type(each) is int and FEW < each < 1 << 20)])


def small_cases(program: Program) -> list[tuple[object, ...]]:
    """The smallest and the largest case that the interpreter is given."""
    cases = [args for args in harness.chosen(program.cases()) if size(args) <= FEW]
    if not cases:
        pytest.skip("too large for the interpreter")
    all_cases = os.environ.get("SOMD_ALL_CASES")
    return cases if all_cases else [min(cases, key=size), max(cases, key=size)]


def on_passes(program: Program) -> None:
    """Each pass of each schedule leaves the bits as they are."""
    made = [features.unbound(program.method, args) for args in small_cases(program)]
    for each, runs in runs_of(made[0][0], [args for _, args in made]):
        outcomes = Outcomes(ORDERS if os.environ.get("SOMD_ALL_CASES") else FEW_ORDERS)
        for schedule in schedules():
            for step in schedule:
                each = validated(each, step, runs, outcomes)


def on_plan(program: Program) -> None:
    cases = small_cases(program)
    made = [features.unbound(program.method, args) for args in cases]
    method = made[0][0]
    expected = [expected_of(method, method.arguments(args, {})) for _, args in made]
    for finding in verify(method, expected, ["plan"], (2, 7), 2):
        assert not finding.agrees.startswith(NOT_RUN), f"programs express less than they did: {finding.agrees}"
        assert finding.doubtful or not finding.differs, f"{finding.where}: {finding.differs}"


@pytest.mark.parametrize("kind", features.OF_CORPUS)
def test_who_stands_for_a_feature_has_it(kind: str) -> None:
    programs, golden = {program.name: program for program in PROGRAMS}, features.golden(kind)
    some = np.random.default_rng(0).permutation(sorted(features.known(kind)))[: 8 if ALL else 2]
    for feature in map(str, some):
        for name in features.known(kind)[feature]:
            if name in golden:
                assert feature in features.features_of(golden[name], kind), f"{name} has no `{feature}`: choose anew"
                continue
            assert name in programs, f"{name} is gone: choose anew"
            if programs[name].unavailable:
                continue
            args = next(iter(programs[name].cases()))
            found = features.features(programs[name].method, args, kind)
            assert feature in found, f"{name} has no `{feature}`: choose anew"


def test_features_that_no_program_stands_for_do_not_pile_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = next(each for each in PROGRAMS if each.name == "types.widths_mixed")
    args = next(iter(program.cases()))
    features.note_unknown(program.name, program.method, args, "multicore", tmp_path)
    assert not any(tmp_path.iterdir())
    monkeypatch.setattr(features, "known", lambda kind: {"Add": ("another",)})
    monkeypatch.setattr(features, "CHOSEN_WITH", sys.version_info[:2])
    for k in range(features.MOST_UNKNOWN):
        features.note_unknown(f"another.{k}", program.method, args, "multicore", tmp_path)
    with pytest.raises(AssertionError, match=r"choose anew(.|\n)*another\.0:\n  \.shape"):
        features.note_unknown("one.more", program.method, args, "multicore", tmp_path)


def test_names_are_different() -> None:
    names = [program.name for program in PROGRAMS]
    assert len(set(names)) == len(names)


def test_no_program_that_is_left_out_stands_for_a_feature() -> None:
    assert {program.name for program in PROGRAMS} >= LONG
    for kind in features.OF_CORPUS:
        assert not LONG & set(chain(*features.known(kind).values())), "take it from long.txt"
