"""Tiles of a region whose sums stay in registers: a part of the loop program, whose grammar `program` has."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from somd.transforms.loops.expressions import Expression

if TYPE_CHECKING:
    from somd.transforms.loops.program import Assign, Loop, Statement


@dataclass(frozen=True)
class Packed:
    """Trips of the two innermost loops of a region, `rows` of the outer and `columns` of the inner one, at once: each
    does what is `before`, all go through the loop side by side, and each does what is `behind`. The loop, which runs
    where the guard holds, has one statement, which adds to a sum. What it reads by the variable of the inner loop is
    copied for these columns before (*packed*), so that it reads nothing that the region writes: of the arrays that are
    `apart` other elements. In place of the statement there may be another such loop."""

    rows: int
    columns: int
    before: tuple[Statement, ...]
    guard: Expression | None
    loop: Loop
    behind: tuple[Statement, ...]
    apart: frozenset[str] = frozenset()

    @property
    def body(self) -> tuple[Statement, ...]:
        """What one trip does."""
        from somd.transforms.loops.program import If

        loop: Statement = self.loop if self.guard is None else If(self.guard, (self.loop,))
        return (*self.before, loop, *self.behind)

    @property
    def loops(self) -> tuple[Loop, ...]:
        """The loop, and those that are all that it does, outermost first."""
        found: list[Any] = [self.loop]
        while hasattr(found[-1].body[0], "body"):
            found.append(found[-1].body[0])
        return tuple(found)

    @property
    def sum(self) -> Assign:
        """What a trip of the innermost loop does."""
        made: Any = self.loops[-1].body[0]
        added: Assign = made
        return added
