"""Which passes a target has, in their order, for which machine: a module a target, and the only place where the two
meet."""

from collections.abc import Sequence
from importlib import import_module
from importlib.util import find_spec

from somd.transforms.loops.program import Program
from somd.transforms.passes import Pass


def schedule_of(target: str, fastmath: bool = False) -> tuple[Pass, ...]:
    """The passes of a target, in their order, behind those that change bits if a method has `fastmath`; none where no
    module here has its name."""
    name = f"{__name__}.{target}"
    if find_spec(name) is None:
        return ()
    module = import_module(name)
    first: tuple[Pass, ...] = getattr(module, "FASTMATH", ()) if fastmath else ()
    return (*first, *module.SCHEDULE)


def scheduled(program: Program, schedule: Sequence[Pass]) -> Program:
    """The program that the passes of a schedule make, one after the other."""
    for each in schedule:
        program = each(program)
    return program
