"""Optimisations: functions from loop program to loop program, a file each, in no order of their own.

A pass has no flags; what it must know of a machine it takes as plain numbers. What it gives is as `verify` wants it,
and does what the program before did: the same bits, the same exceptions, in any order of free loops. A program in which
it finds nothing to do it gives back as it is. `schedules` say which passes a target has, and in which order.
"""

from collections.abc import Callable
from functools import partial

from somd.transforms.loops.program import Program

Pass = Callable[[Program], Program]


def name_of(step: Pass) -> str:
    """What a pass is called, whatever numbers of a machine it has been given."""
    function = step.func if isinstance(step, partial) else step
    return str(getattr(function, "__name__", type(function).__name__))
