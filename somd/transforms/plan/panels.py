"""Loops whose iterations end with an update of all that is behind them, which may wait for some of them: panels.

    for k in range(n):
        ...                                        iteration k finishes column k
        for i in range(k + 1, n):
            for j in range(k + 1, n):
                a[i, j] -= a[i, k] * a[k, j]       and takes it away from all columns behind

In: a loop. Out: how it may go in panels (`frontend/panels`): the columns of a panel as before, then, for each row and
column behind it, all iterations of the panel. That is another order of the updates: one of columns behind the panel
comes after what later iterations of the panel do in it; one of rows behind it, too, after those of rows in it; and for
one element all iterations come before those for the next. isl is asked whether any two of these that change places
reach one element, one of them storing. Each element sees its updates in their order, so that the bits stay.
"""

from __future__ import annotations

from collections.abc import Sequence

import libcst as cst

from somd.transforms.access import Access, Affine
from somd.transforms.analysis.accesses import accesses_of
from somd.transforms.analysis.affine import variable
from somd.transforms.analysis.dependences import OTHER, domain_formulas
from somd.transforms.analysis.sets import Sets, TooComplex
from somd.transforms.frontend.distribution import leaves_of
from somd.transforms.frontend.panels import IN_PANELS, Update
from somd.transforms.plan.context import Context
from somd.transforms.plan.distribution import MOST_ACCESSES, MOST_STATEMENTS, is_odd, is_plain, may_meet, variable_of
from somd.transforms.tree.loops import integer_constant, range_of, statements_of
from somd.transforms.tree.names import assigned_names, names_read
from somd.transforms.tree.rewriting import code_of, inside

#: what stands for the first row and column behind a panel
END = "v_behind__panel"


def update_of(loop: cst.For, around: Sequence[Affine], context: Context) -> Update | None:
    """The update at the end of each iteration of `loop`, if it may wait for a panel of them."""
    leaves = leaves_of(loop)
    found = _last_nest(loop)
    if found is None or not 2 <= len(leaves) <= MOST_STATEMENTS or context.method.has_form(IN_PANELS, loop):
        return None
    rows, columns, leaf = found
    if not _has_form(loop, rows, columns, leaf, context) or not is_plain(loop, leaves, context):
        return None
    context.stand_before(loop)
    changed = assigned_names(loop)
    if changed & (context.liveness.after.get(loop, frozenset()) | names_read(loop.iter)):
        return None
    accesses = accesses_of((loop,), context.scope.with_known(dict.fromkeys(changed)))
    if len(accesses) > MOST_ACCESSES or any(map(is_odd, accesses)):
        return None
    sets = Sets((*context.facts, *around))
    try:
        question = _Question(loop, found, accesses, sets, context)
        return question.update() if question.may_wait() else None
    except TooComplex:
        return None


def _last_nest(loop: cst.For) -> tuple[cst.For, cst.For, cst.BaseStatement] | None:
    """Two loops at the end of a loop's body, and the statement that is all that they do."""
    rows = statements_of(loop.body)[-1]
    columns = statements_of(rows.body) if isinstance(rows, cst.For) else ()
    leaf = statements_of(columns[0].body) if len(columns) == 1 and isinstance(columns[0], cst.For) else ()
    if len(leaf) != 1 or not isinstance(leaf[0], cst.SimpleStatementLine):
        return None
    assert isinstance(rows, cst.For) and isinstance(columns[0], cst.For)
    return rows, columns[0], leaf[0]


def _has_form(loop: cst.For, rows: cst.For, columns: cst.For, leaf: cst.BaseStatement, context: Context) -> bool:
    """Whether a statement adds to, or subtracts from, the element of its row and column, which are behind the loop's
    iteration; and only the variables of the loops change in what it reads otherwise."""
    turn, row, column = (range_of(each) for each in (loop, rows, columns))
    [update] = cst.ensure_type(leaf, cst.SimpleStatementLine).body
    if turn is None or row is None or column is None or not isinstance(update, cst.AugAssign):
        return False
    target = code_of(update.target)
    names = (turn.variable, row.variable, column.variable)
    steps = all(integer_constant(each.step, context.method) == 1 for each in (turn, row, column))
    starts = all(code_of(each.start) == f"{turn.variable} + 1" for each in (row, column))
    stay = not names_read(row.stop) & {*names} and not names_read(column.stop) & {turn.variable, column.variable}
    others = assigned_names(loop.body) - {*names}
    return (
        steps
        and starts
        and stay
        and len({*names}) == 3
        and isinstance(update.operator, cst.AddAssign | cst.SubtractAssign)
        and isinstance(update.target, cst.Subscript)
        and target.endswith(f"[{row.variable}, {column.variable}]")
        and not (names_read(update) | names_read(row.stop) | names_read(column.stop)) & others
    )


class _Question:
    """Whether what changes places in panels may meet."""

    def __init__(
        self,
        loop: cst.For,
        nest: tuple[cst.For, cst.For, cst.BaseStatement],
        accesses: Sequence[Access],
        sets: Sets,
        context: Context,
    ) -> None:
        self.loop, self.nest, self.sets, self.context = loop, nest, sets, context
        self.turn, self.row, self.column = (variable(variable_of(each)) for each in (loop, *nest[:2]))
        self.update_accesses = [each for each in accesses if inside(each.node, (nest[2],))]
        self.others = [each for each in accesses if not inside(each.node, (nest[2],))]

    def may_wait(self) -> bool:
        """Whether none of it does."""
        mine, others = self.update_accesses, self.others
        later = self.holds(
            f"{self.turn} < {self.turn}{OTHER} and {self.turn}{OTHER} < {END} and {self.column} >= {END}"
        )
        below = self.holds(f"{later.text} and {self.row} >= {END}")
        theirs = f"{self.column}{OTHER}"
        before = self.holds(f"{later.text} and {theirs} < {END}")
        above = self.holds(f"{below.text} and {self.row}{OTHER} < {END} and {theirs} >= {END}")
        differ = f"({self.row} != {self.row}{OTHER} or {self.column} != {theirs})"
        # what updates two elements in one iteration, or in two of a panel behind it
        at_once = self.holds(f"{self.turn} = {self.turn}{OTHER} and {differ}")
        behind = " and ".join(
            f"{name}{suffix} >= {END} and {self.turn}{suffix} < {END}"
            for name in (self.row, self.column)
            for suffix in ("", OTHER)
        )
        return not (
            self.meet(mine, others, later)
            or self.meet(mine, mine, before)
            or self.meet(mine, mine, above)
            or self.meet(mine, mine, at_once)
            or self.meet(mine, mine, self.holds(f"{behind} and {differ}"))
        )

    def update(self) -> Update:
        """How the loop goes in panels."""
        store = next(each for each in self.update_accesses if each.write)
        variables = [domain.variable for domain in store.loops]
        known = domain_formulas(store)
        within = f"{self.turn} < {END} and {self.column} >= {END}"
        above = not self.sets.empty(variables, [*known, self.holds(f"{within} and {self.row} < {END}")])
        header = range_of(self.loop)
        rows = range_of(self.nest[0])
        assert header is not None and rows is not None
        whole = code_of(header.stop) in (code_of(rows.stop), f"{code_of(rows.stop)} - 1")
        return Update(self.nest[0], self.nest[1], above, whole)

    def holds(self, text: str) -> Affine:
        names = [self.turn, self.row, self.column]
        return Affine(text, frozenset((*names, *(name + OTHER for name in names), END)))

    def meet(self, mine: Sequence[Access], others: Sequence[Access], when: Affine) -> bool:
        """Whether two accesses may reach one element, one of them storing, where that holds."""
        return may_meet(mine, others, when, self.sets, self.context)
