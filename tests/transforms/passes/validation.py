"""Translation validation: before and after a pass a program gives the same bits, or raises the same.

In: programs with arguments, which are interpreted. What a pass changes is verified, too.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from somd.language.partitioners import Partitioner
from somd.settings.targets import TARGETS
from somd.sources.verifying import _Runs
from somd.transforms.loops.interpret import Interpreter, Order
from somd.transforms.loops.program import Program
from somd.transforms.loops.verify import verify
from somd.transforms.loops.witness import ProgramViolation
from somd.transforms.passes import Pass
from somd.transforms.passes.inlining import inlining
from somd.transforms.schedules import schedule_of
from tests.differential.harness import duplicate

ORDERS: tuple[Order, ...] = ("forwards", "backwards", 1)
#: for a corpus, where there are many programs for each pass: chance chooses the order in all of them
FEW_ORDERS: tuple[Order, ...] = ("forwards", 1)
WORKERS = 3


def schedules() -> list[tuple[Pass, ...]]:
    """The passes of all targets, and what others make use of."""
    return [*(schedule_of(target) for target in TARGETS), (inlining,)]


class Mistranslated(AssertionError):
    """A pass gives a program that does something else."""


@dataclass(frozen=True)
class Run:
    """Arguments for a program, by the names of its parameters."""

    given: Mapping[str, Any]
    partitioners: Mapping[str, Partitioner] = field(default_factory=dict)


@dataclass
class Outcomes:
    """What programs do in runs. Those of one program are kept: what a pass gives is what the next one takes."""

    orders: tuple[Order, ...] = ORDERS
    program: Program | None = None
    known: dict[tuple[int, Order], object] = field(default_factory=dict)

    def of(self, program: Program, runs: list[Run]) -> dict[tuple[int, Order], object]:
        """By the number of the run and the order."""
        if program is not self.program:
            interpreter = Interpreter(program)
            every = [(k, order) for k in range(len(runs)) for order in self.orders]
            self.known = {(k, order): _outcome(interpreter, runs[k], order) for k, order in every}
            self.program = program
        return self.known


def validated(program: Program, step: Pass, runs: Iterable[Run], outcomes: Outcomes | None = None) -> Program:
    """What the pass makes of the program, which is verified, and does the same in each run; `outcomes`, which belongs
    to these runs, makes the next call quick.

    Raises:
        InvalidProgram, ProgramViolation, Mistranslated: it does not.
    """
    made = step(program)
    if made is not program:
        verify(made)
        outcomes, each = outcomes or Outcomes(), list(runs)
        wanted = outcomes.of(program, each)
        for (k, order), found in outcomes.of(made, each).items():
            if wanted[k, order] != found:
                raise Mistranslated(f"{program.name}, {order}: {found} instead of {wanted[k, order]}"[:1000])
    return made


def _outcome(interpreter: Interpreter, run: Run, order: Order) -> object:
    """The bits of result and arguments; of the arguments, and what was raised, where something was."""
    names = list(run.given)
    given = dict(zip(names, duplicate(tuple(run.given.values())), strict=True))
    try:
        result = bits(interpreter.run(given, order, run.partitioners, WORKERS))
    except ProgramViolation:
        raise
    except Exception as error:
        result = type(error), str(error)
    return result, {name: bits(value) for name, value in given.items()}


def bits(value: Any) -> object:
    """A value as what can be compared: equal where types and bits are."""
    if isinstance(value, tuple | list):
        return type(value), tuple(map(bits, value))
    if isinstance(value, np.ndarray | np.generic):
        return value.dtype.str, value.shape, np.ascontiguousarray(value).tobytes()
    return type(value), repr(value)


def runs_of(method: Any, cases: Iterable[tuple[Any, ...]]) -> Iterable[tuple[Program, list[Run]]]:
    """The programs of a method for several calls, each with what it is given in the calls that it is for."""
    makes = _Runs(method, (WORKERS,), None)
    found: dict[int, tuple[Program, list[Run]]] = {}
    for case in cases:
        planned = makes.planned(case)
        run = Run(dict(zip(planned.names, makes.values(case), strict=True)), planned.partitioners)
        found.setdefault(id(planned.program), (planned.program, []))[1].append(run)
    return found.values()
