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

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import cast

import libcst as cst

from somd.transforms.stages import Method
from somd.transforms.tree.loops import range_of, statements_of
from somd.transforms.tree.names import new_name
from somd.transforms.tree.renaming import Renamed
from somd.transforms.tree.rewriting import Tracked, rewritten

#: the iterations in a panel
DEPTH = 32
#: what `Method.held_at` has for a loop that was to go in panels
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
    rewriter = _Rewriter(method, updates)
    function = cast(cst.FunctionDef, method.function.visit(rewriter))
    return rewritten(with_panel_marks(method, updates), function, rewriter.positions)


def with_panel_marks(method: Method, loops: Iterable[cst.For]) -> Method:
    """`method`, in which it is noted that the loops are not to go in panels once more."""
    return replace(method, held_at=method.held_at | {(method.position(loop), IN_PANELS) for loop in loops})


def was_in_panels(method: Method, loop: cst.For) -> bool:
    """Whether it was tried to have `loop` in panels."""
    return (method.position(loop), IN_PANELS) in method.held_at


class PanelRewriter(Tracked):
    """Puts loops in panels in place of some loops."""

    def __init__(self, method: Method, loops: Mapping[cst.For, object]) -> None:
        super().__init__(dict(method.positions))
        self.method = method
        self.loops = loops
        self.taken = set(method.local_names)

    def visit_For(self, node: cst.For) -> bool:
        return node not in self.loops

    def loop(self, loop: cst.For, iterated: str, body: Sequence[cst.BaseStatement]) -> cst.For:
        """A copy of a loop over another range, with another body."""
        target, over = loop.target.deep_clone(), cst.parse_expression(iterated)
        self.place(over, self.positions[loop.iter])
        made = loop.with_changes(target=target, iter=over, body=cst.IndentedBlock(body), leading_lines=())
        self.positions[target] = self.positions[loop.target]
        self.positions[made] = self.positions[loop]
        return made

    def over_panels(
        self, loop: cst.For, panel: str, body: Sequence[cst.BaseStatement], lines: Sequence[cst.EmptyLine]
    ) -> cst.For:
        """The loop over the panels of a loop, under a name of its own; `lines` are those before it."""
        header = range_of(loop)
        assert header is not None
        made = self.loop(loop, f"range({code_of(header.start)}, {code_of(header.stop)}, {DEPTH})", body)
        target = cst.Name(panel)
        self.positions[target] = self.positions[loop.target]
        made = made.with_changes(target=target, leading_lines=lines)
        self.positions[made] = self.positions[loop]
        return made

    def copied(self, statement: cst.CSTNode) -> cst.BaseStatement:
        return cast(cst.BaseStatement, statement.visit(Renamed(self.method, {}, self.positions)))


class _Rewriter(PanelRewriter):
    def __init__(self, method: Method, updates: Updates) -> None:
        super().__init__(method, updates)
        self.updates = updates

    def leave_For(self, original_node: cst.For, updated_node: cst.For) -> cst.BaseStatement:
        update, header = self.updates.get(original_node), range_of(original_node)
        if update is None or header is None:
            return updated_node
        panel = new_name(f"{header.variable}__panel", self.taken)
        stop, end = code_of(header.stop), f"{panel} + {DEPTH}"
        turns = f"range({panel}, min({end}, {stop}))"
        rows, columns = range_of(update.rows), range_of(update.columns)
        assert rows is not None and columns is not None
        first_row, first_column = code_of(rows.start), code_of(columns.start)
        row_stop, column_stop = code_of(rows.stop), code_of(columns.stop)
        behind = f"range({end}, {column_stop})"
        statements = cast(list[cst.BaseStatement], statements_of(original_node.body))
        columns_here = f"range({first_column}, min({column_stop}, {end}))"
        here = self.nest(update, f"range({first_row}, {row_stop})", columns_here)
        noted = here.with_changes(leading_lines=update.rows.leading_lines)
        self.positions[noted] = self.positions[here]
        body = [self.loop(original_node, turns, [*statements[:-1], noted])]
        if update.above:
            above = self.nest(update, f"range({first_row}, min({row_stop}, {end}))", behind)
            body.append(self.loop(original_node, turns, [above]))
        within = f"range({panel}, {end})" if update.whole else turns
        body.append(self.nest(update, f"range({end}, {row_stop})", behind, (original_node, within)))
        return self.over_panels(original_node, panel, body, updated_node.leading_lines)

    def nest(self, update: Update, rows: str, columns: str, within: tuple[cst.For, str] | None = None) -> cst.For:
        """The loops over rows and columns, between other limits, around their statement, or a loop around that."""
        [leaf] = statements_of(update.columns.body)
        copy = self.copied(leaf)
        body = [copy] if within is None else [self.loop(*within, [copy])]
        return self.loop(update.rows, rows, [self.loop(update.columns, columns, body)])


def code_of(node: cst.BaseExpression) -> str:
    """The text of an expression, in one line."""
    return " ".join(cst.Module([]).code_for_node(node).split())
