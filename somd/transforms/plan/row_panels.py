"""Loops over rows that sum over the columns before, which may go in panels of columns (`frontend/row_panels`).

In: a loop. Out: how it may go in panels. That is another order: an instance of a statement comes later than those of
panels before its own, and in one panel what is behind its rows and columns comes last. isl is asked whether any two
instances that change places reach one element, one of them storing; the first column behind a panel is a parameter.
Each element sees what is done to it in order, so that the bits stay.
"""

from __future__ import annotations

from collections.abc import Sequence

import libcst as cst

from somd.transforms.access import Affine
from somd.transforms.analysis.affine import variable
from somd.transforms.analysis.dependences import OTHER
from somd.transforms.analysis.sets import TooComplex
from somd.transforms.frontend.distribution import leaves_of
from somd.transforms.frontend.panels import IN_PANELS
from somd.transforms.frontend.row_panels import RowPanels, row_panels_in
from somd.transforms.plan.context import Context
from somd.transforms.plan.distribution import Dependences, dependences_in, variable_of
from somd.transforms.plan.panels import END


def row_panels_of(loop: cst.For, around: Sequence[Affine], context: Context) -> RowPanels | None:
    """How `loop` may go in panels, if it may."""
    rows = None if context.method.has_form(IN_PANELS, loop) else row_panels_in(loop, context.method)
    if rows is None:
        return None
    try:
        found = dependences_in(loop, leaves_of(loop), around, context, _Order)
        return rows if found is not None and found.stays(rows) else None
    except TooComplex:
        return None


class _Order(Dependences):
    """Whether instances that depend on each other stay in order."""

    def stays(self, rows: RowPanels) -> bool:
        """Whether no two that reach one element change places."""
        count = range(len(self.leaves))
        return not any(
            self.meet(self.accesses[one], self.accesses[other], self.turned(one, other, rows))
            for one in count
            for other in count
        )

    def turned(self, one: int, other: int, rows: RowPanels) -> Affine:
        """What holds where an instance of one statement, which ran before one of another, runs after it in panels."""
        earlier, row = self.earlier(one, other), variable(variable_of(self.loop))
        (first, column), (second, their_column) = (
            tuple(map(variable, rows.places[self.leaves[k][0]])) for k in (one, other)
        )
        second, their_column = second + OTHER, their_column + OTHER
        ways = [f"{first} > {second}"]
        if first != column and their_column != row + OTHER:
            ways.append(
                f"({first} < {END} and {second} < {END} and {row} >= {END} and {row}{OTHER} >= {END}"
                f" and {column} >= {END} and {their_column} < {END})"
            )
        names = earlier.names | {first, column, second, their_column, row, row + OTHER, END}
        return Affine(f"({earlier.text}) and ({' or '.join(ways)})", names)
