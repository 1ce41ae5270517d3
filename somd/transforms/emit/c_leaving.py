"""How an iteration leaves its loops when something in it has failed: a `raise`, or an access that is tested.

for (long k = p[i], k_stop = p[i + 1]; noted.site == 0 && k < k_stop; k++)
    s += load_later(a, k, a_0, &noted, iteration, 1);

An access that failed gives 0, with which a `while` loop could go on for ever; and a range whose limits data gives may
have 2**62 trips of which plain Python runs the first. So a loop that may have many trips ends with the first fault of
its iteration, in functions that an iteration calls, too. Loops up to lengths of arrays have no
test (decision 105).
"""

from __future__ import annotations

from collections.abc import Sequence

from somd.language.raising import slots
from somd.transforms.emit.c_expressions import Expressions
from somd.transforms.emit.c_lines import Lines
from somd.transforms.emit.c_unit import Unit
from somd.transforms.loops.program import Loop, Raise, While
from somd.transforms.loops.trips import few_trips
from somd.transforms.loops.walking import statements_in, tests_accesses
from somd.transforms.raise_rows import kind_of


class Leaving(Lines):
    """Writes what ends loops before their time."""

    unit: Unit
    expressions: Expressions
    next_iteration: str
    loops: int
    leaving: tuple[str, ...]

    # --- raise ---------------------------------------------------------------------------------------------------

    def noted_raise(self, values: Sequence[str]) -> None:
        function = self.unit.fault_raise(len(values) - 1)
        self.line(f"{function}(faults, {self.scope.iteration()}, turn, {', '.join(values)});")
        self.line(self.next_iteration)

    def left_by_raise(self, loop: Loop | While) -> None:
        """Declare, before an outermost loop, what tells which `raise` in it has ended the iteration, and its values."""
        found = [] if self.loops else [each for each in statements_in(loop.body) if isinstance(each, Raise)]
        if found:
            counts = [slots(map(kind_of, each.kinds)) for each in found]
            fresh = self.scope.names.fresh
            self.leaving = (fresh("raised"), *(fresh(f"raised_{k}") for k in range(max(counts))))
            self.line(f"long {', '.join(f'{name} = 0' for name in self.leaving)};")

    def leave_on(self, loop: Loop | While) -> None:
        """Behind a loop: go on only if nothing was raised in it."""
        if not any(isinstance(each, Raise) for each in statements_in(loop.body)):
            return
        with self.braces(f"if ({self.leaving[0]})"):
            if self.loops:
                self.line("break;")
            else:
                self.noted_raise(self.leaving)

    # --- tested accesses -----------------------------------------------------------------------------------------

    def while_well(self, loop: Loop | While, test: str) -> str:
        """The test of a loop, and that no access of the iteration has failed, where one in the loop or before it may
        have, and the loop may have many trips."""
        within = tests_accesses((loop,))
        if not (within or self.scope.failing()) or self.expressions.speculation is not None:
            return test
        if isinstance(loop, Loop) and few_trips(loop, self.scope.counted):
            return test
        self.scope.tests_accesses = True
        well = self.unit.well(self.scope.noted, self.scope.iteration())
        return f"{well} && ({test})"
