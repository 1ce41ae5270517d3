"""Which passes a target has, in their order, for which machine: a module a target, and the only place where the two
meet."""

from collections.abc import Sequence

from somd.transforms.loops.program import Program
from somd.transforms.passes import Pass


def scheduled(program: Program, schedule: Sequence[Pass]) -> Program:
    """The program that the passes of a schedule make, one after the other."""
    for each in schedule:
        program = each(program)
    return program
