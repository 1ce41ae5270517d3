"""Which passes a target has, in their order, for which machine: a module a target, and the only place where the two
meet."""

from collections.abc import Sequence
from importlib import import_module
from importlib.util import find_spec

from somd.transforms.loops.program import Program
from somd.transforms.passes import Pass


def schedule_of(target: str) -> tuple[Pass, ...]:
    """The passes of a target, in their order; none where no module here has its name."""
    module = f"{__name__}.{target}"
    found: tuple[Pass, ...] = () if find_spec(module) is None else import_module(module).SCHEDULE
    return found


def scheduled(program: Program, schedule: Sequence[Pass]) -> Program:
    """The program that the passes of a schedule make, one after the other."""
    for each in schedule:
        program = each(program)
    return program
