"""Every operator and function that methods may use, on the hard numbers of every type, does what plain Python does.

The usual run takes each of them once, on one of the targets, with types that go around, and on all targets what brings
integers of 64 bits together in a type that does not hold them; SOMD_ALL_CASES=1 takes all types and pairs of types on
all targets, which is more than an hour of work.
"""

from __future__ import annotations

import itertools
import os
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

from somd.elementary.functions import elementary
from somd.transforms.types.scalars import ScalarType
from tests.differential import harness
from tests.operations.cases import Case, typed
from tests.operations.compare import differences
from tests.operations.hard_numbers import KINDS, Kind
from tests.operations.methods import computed
from tests.operations.table import Template, templates, with_literals

pytestmark = pytest.mark.usefixtures("one_at_a_time")
ALL = bool(os.environ.get("SOMD_ALL_CASES"))
#: statements of a method, by target: compilers take more than twice the time for twice as many
TOGETHER = {"multicore": 20, "opencl": 8}
#: of operators with literals, the usual run takes one of so many
ONE_OF = 60
#: the types in the order in which templates take them, each operand's in steps of its own; most bugs are of floats
AROUND = (*KINDS, ScalarType("float64"), ScalarType("float32"))
STEPS = (1, 6, 4)
#: whose numbers no one type of NumPy's, nor Python's ints here, hold
LONG = tuple((*map(ScalarType, names),) for names in (("uint64",), ("int64", "uint64"), ("uint64", "uint64")))
TUPLES = [kinds for count in (1, 2) for kinds in itertools.product(KINDS, repeat=count)] + [(k,) * 3 for k in KINDS]


def check(cases: Iterable[Case], target: str, folder: Path) -> None:
    if reason := harness.unavailable(target):
        pytest.skip(reason)
    found: list[str] = []
    in_order = sorted(cases, key=lambda case: [kind.dtype for kind in case.kinds])  # few arrays in each
    for part in batched(in_order, TOGETHER[target]):
        for case, numbers in zip(part, computed(part, target, folder), strict=True):
            found += differences(case, numbers)
    assert not found, "\n".join(found)


def batched(cases: list[Case], count: int) -> Iterator[list[Case]]:
    for first in range(0, len(cases), count):
        yield cases[first : first + count]


def some_cases(chosen: list[Template]) -> list[Case]:
    """Each template with the first types, from a place on that is its own, that the compiler takes."""
    found: list[Case] = []
    waiting = list(enumerate(chosen))
    for turn in range(2 * len(AROUND)):
        groups: dict[tuple[Kind, ...], list[tuple[int, Template]]] = {}
        for k, template in waiting:
            steps = (
                STEPS if turn < len(AROUND) else STEPS[:1] * len(STEPS)
            )  # what needs operands of one type comes last
            places = [(k * step + turn) % len(AROUND) for step in steps[: template.count]]
            groups.setdefault(tuple(AROUND[place] for place in places), []).append((k, template))
        waiting = []
        for kinds, group in groups.items():
            taken, refused = typed([template for _, template in group], kinds)
            found += taken
            left = {each.template for each in refused}
            waiting += [(k, template) for k, template in group if template in left]
    return found


@pytest.mark.parametrize("target", harness.TARGETS)
def test_each_on_some_types(target: str, tmp_path: Path) -> None:
    offset = harness.TARGETS.index(target)
    names = list(dict.fromkeys(template.name for template in templates()))
    # one text of the elementary functions is compiled for all targets, and their bits are compared elsewhere
    common = [name for name in names if elementary(name.rpartition(".")[2])]
    others = [name for name in names if name not in common]
    here = {*others[offset :: len(harness.TARGETS)], *(common if target == "opencl" else [])}
    chosen = [template for template in templates() if template.name in here]
    cases = some_cases([*chosen, *with_literals()[offset * 7 :: ONE_OF]])
    assert here <= {case.template.name for case in cases}
    check(cases, target, tmp_path)


@pytest.mark.parametrize("target", harness.TARGETS)
def test_long_integers(target: str, tmp_path: Path) -> None:
    cases = [case for kinds in LONG for case in typed(templates(), kinds)[0]]
    cases = [case for case in cases if case.result.kind in "bi" and (case.result.weak or len(case.kinds) == 2)]
    assert {"math.gcd", "math.isqrt", "int", "<", "=="} <= {case.template.name for case in cases}
    check(cases, target, tmp_path)


@pytest.mark.parametrize("target", harness.TARGETS)
@pytest.mark.parametrize("kinds", TUPLES, ids=lambda kinds: "-".join(f"{'python_' * k.weak}{k.dtype}" for k in kinds))
@pytest.mark.usual(0)
def test_all(kinds: tuple[Kind, ...], target: str, tmp_path: Path) -> None:
    taken, _ = typed([*templates(), *(with_literals() if len(kinds) == 1 else [])], kinds)
    check(taken, target, tmp_path)
