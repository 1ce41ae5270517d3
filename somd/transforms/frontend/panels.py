"""Loops that take a product of two vectors away from all that is behind, some of their iterations at a time: panels.

    for k in range(n):                         for k__panel in range(0, n, 32):
        a[k, k] = np.sqrt(a[k, k])                 for k in range(k__panel, min(k__panel + 32, n)):
        for i in range(k + 1, n):                      a[k, k] = np.sqrt(a[k, k])
            a[i, k] /= a[k, k]                         for i in range(k + 1, n):
        for i in range(k + 1, n):         ->               a[i, k] /= a[k, k]
            for j in range(k + 1, i + 1):              for i in range(k + 1, n):
                a[i, j] -= a[i, k] * a[j, k]               for j in range(k + 1, min(i + 1, k__panel + 32)):
                                                               a[i, j] -= a[i, k] * a[j, k]
                                                   for i in range(k__panel + 32, n):
                                                       for j in range(k__panel + 32, i + 1):
                                                           for k in range(k__panel, min(k__panel + 32, n)):
                                                               a[i, j] -= a[i, k] * a[j, k]

In a panel the loop goes through its columns alone; then all behind it sees the iterations of the panel one after the
other, as a product of matrices. Where rows of the panel have something behind it, they see it first, in a loop of their
own. Only the planner knows where this keeps what depends on what in order: it names the loops.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import cast

import libcst as cst

from somd.transforms.stages import Method
from somd.transforms.tree.loops import range_of, statements_of
from somd.transforms.tree.names import new_name
from somd.transforms.tree.renaming import Renamed
from somd.transforms.tree.rewriting import MethodRewriter, code_of

#: the iterations in a panel
DEPTH = 32
#: the form of loops that go in panels
IN_PANELS = "in panels"


@dataclass(frozen=True)
class Update:
    """The loops at the end of a loop's body, over rows and columns behind its iteration, around one statement; `above`
    says that rows of a panel have columns behind it, `whole` that where such are, the panel is a whole one."""

    rows: cst.For
    columns: cst.For
    above: bool
    whole: bool


#: by loop: what it updates at the end of each iteration
Updates = Mapping[cst.For, Update]


def with_panels(method: Method, updates: Updates) -> Method:
    """`method` with each of the loops in panels."""
    return _Rewriter(method.with_form(IN_PANELS, updates), updates).rewritten()


class PanelRewriter(MethodRewriter):
    """Puts loops in panels in place of some loops."""

    def __init__(self, method: Method, loops: Mapping[cst.For, object]) -> None:
        super().__init__(method)
        self.loops = loops

    def visit_For(self, node: cst.For) -> bool:
        return node not in self.loops

    def leave_For(self, original_node: cst.For, updated_node: cst.For) -> cst.BaseStatement:
        header = range_of(original_node)
        if original_node not in self.loops or header is None:
            return updated_node
        panel = new_name(f"{header.variable}__panel", self.taken)
        start, stop = code_of(header.start), code_of(header.stop)
        turns = f"range({panel}, min({panel} + {DEPTH}, {stop}))"
        body = [*self.in_panels(original_node, panel, turns, stop)]
        made = self.loop(original_node, f"range({start}, {stop}, {DEPTH})", body)
        target = cst.Name(panel)
        self.positions[target] = self.positions[original_node.target]
        return made.with_changes(target=target, leading_lines=updated_node.leading_lines)

    def in_panels(self, loop: cst.For, panel: str, turns: str, stop: str) -> Iterator[cst.BaseStatement]:
        """What is done for the panel of a loop that begins at `panel`: `turns` is the loop's range in it, `stop` where
        the loop ends."""
        raise NotImplementedError

    def loop(self, loop: cst.For, iterated: str, body: Sequence[cst.BaseStatement]) -> cst.For:
        """A copy of a loop over another range, with another body."""
        over = cst.parse_expression(iterated)
        self.place(over, self.positions[loop.iter])
        return self.loop_over(loop, over, body)

    def copied(self, statement: cst.CSTNode) -> cst.BaseStatement:
        return cast(cst.BaseStatement, statement.visit(Renamed(self.method, {}, self.positions)))


class _Rewriter(PanelRewriter):
    def __init__(self, method: Method, updates: Updates) -> None:
        super().__init__(method, updates)
        self.updates = updates

    def in_panels(self, loop: cst.For, panel: str, turns: str, stop: str) -> Iterator[cst.BaseStatement]:
        update, end = self.updates[loop], f"{panel} + {DEPTH}"
        rows, columns = range_of(update.rows), range_of(update.columns)
        assert rows is not None and columns is not None
        first_row, first_column = code_of(rows.start), code_of(columns.start)
        row_stop, column_stop = code_of(rows.stop), code_of(columns.stop)
        behind = f"range({end}, {column_stop})"
        statements = cast(list[cst.BaseStatement], statements_of(loop.body))
        columns_here = f"range({first_column}, min({column_stop}, {end}))"
        here = self.nest(update, f"range({first_row}, {row_stop})", columns_here)
        noted = here.with_changes(leading_lines=update.rows.leading_lines)
        self.positions[noted] = self.positions[here]
        yield self.loop(loop, turns, [*statements[:-1], noted])
        if update.above:
            yield self.loop(loop, turns, [self.nest(update, f"range({first_row}, min({row_stop}, {end}))", behind)])
        within = f"range({panel}, {end})" if update.whole else turns
        yield self.nest(update, f"range({end}, {row_stop})", behind, (loop, within))

    def nest(self, update: Update, rows: str, columns: str, within: tuple[cst.For, str] | None = None) -> cst.For:
        """The loops over rows and columns, between other limits, around their statement, or a loop around that."""
        [leaf] = statements_of(update.columns.body)
        copy = self.copied(leaf)
        body = [copy] if within is None else [self.loop(*within, [copy])]
        return self.loop(update.rows, rows, [self.loop(update.columns, columns, body)])
