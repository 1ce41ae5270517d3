"""Campaigns of methods with `fastmath`: products that are added are rounded once, inner sums go side by side.

Most floats of generated programs are small multiples of a quarter, sums and products of which are exact in any order:
then such a method has plain Python's results, too. Where it has not, on cores, it has those of the interpreter, which
runs the program behind the passes of `fastmath`, and whatever it is, it is the same for any number of workers.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any
from unittest.mock import patch

import numpy as np

from somd.compiling.one_at_a_time import room_for_nesting
from somd.transforms.loops.interpret import Interpreter
from somd.transforms.pipeline import compile_for, loop_program
from somd.transforms.schedules import scheduled
from somd.transforms.schedules.multicore import FASTMATH
from tests.property.calls import Call
from tests.property.examining import run_call, signature
from tests.property.mixed import Mixed
from tests.property.outcomes import Outcome, difference


@contextmanager
def contracted(exact: bool) -> Iterator[None]:
    """A block in which methods have `fastmath`, and floats of arguments many digits, unless results stay `exact`."""
    from tests.property import calls, examining, mixed

    with ExitStack() as stack:
        stack.enter_context(patch.object(mixed, "MARKER", "@somd(fastmath=True)"))
        stack.enter_context(patch.object(calls, "EXACT", exact))
        stack.enter_context(patch.object(examining, "of_fastmath", Fastmath))
        yield


class Fastmath:
    """What a method with `fastmath` may give: `method`, the text of which is `made`."""

    def __init__(self, made: Mixed, method: Any, target: str) -> None:
        self.made, self.method, self.target = made, method, target
        self.programs: dict[str, Interpreter] = {}
        self.first: tuple[Call, Outcome] | None = None

    def difference(self, given: Call, found: Outcome, differs: str) -> str:
        """How what was found in a call, which differs so from plain Python, is none of it."""
        if differs:
            differs = difference(self.interpreted(given), found, self.tolerance(given), True)
        if self.first is None or self.first[0] is not given:
            self.first = given, found
        elif not differs:
            differs = difference(self.first[1], found, 0.0, False)
            differs = f"depends on the number of workers: {differs}" if differs else ""
        return differs

    def tolerance(self, given: Call) -> float:
        """How far floats may be from the interpreter's: what a region adds up has an order of its own, and for OpenCL
        kernels are contracted as they are printed, their master, which is Python, is not."""
        with room_for_nesting(self.method.__wrapped__):
            plan = compile_for(self.method.__wrapped__, *signature(self.method, given)).plan
        nests = [phase.nest for phase in plan.phases()]
        if self.target == "opencl" or "scan=" in self.made.text or any(n.reductions or n.combined for n in nests):
            return 1e-4 if self.made.narrow else 1e-10
        return self.made.tolerance

    def interpreted(self, given: Call) -> Outcome:
        types, aliases = signature(self.method, given)
        key = f"{types} {aliases}"
        if key not in self.programs:
            function = self.method.__wrapped__
            with room_for_nesting(function):
                program = scheduled(loop_program(compile_for(function, types, aliases)), FASTMATH)
            self.programs[key] = Interpreter(program)
        interpreter = self.programs[key]
        with np.errstate(all="ignore"):
            return run_call(lambda *own: interpreter.run(dict(zip(types, own, strict=True)), "forwards"), given)
