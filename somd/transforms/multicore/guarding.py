"""The rewriter of slave bodies: facts about loop variables, and indexes tested before the statement that uses them.

    y[row[k]] += x[k]     ->     at_1 = wrapped(row[k], y.shape[0])
                                 if at_1 < 0:
                                     note(faults, rank, 3, row[k], (k, 0, 0))
                                     return
                                 y[at_1] += x[k]

An access that the statement may not reach (behind `and`, in one arm of a conditional expression, in a `while` test)
keeps its place: `load` and `store` test it there.
"""

from __future__ import annotations

from typing import cast

import libcst as cst

from somd.transforms.analysis.accesses import index_expressions
from somd.transforms.multicore.casts import Rewriter, Rewriting
from somd.transforms.multicore.doublings import is_doubling
from somd.transforms.multicore.names import FAR, Fresh
from somd.transforms.multicore.refills import negative_lengths, refill
from somd.transforms.multicore.relaxed_loops import Edges
from somd.transforms.stages import Nest, Site
from somd.transforms.taken import Flagged, flagged_branch, flagged_line
from somd.transforms.tree.loops import range_of, statements_of
from somd.transforms.tree.rewriting import inside, parsed


class SlaveRewriter(Rewriter):
    """Rewrites one statement of a nest's body."""

    def __init__(
        self, rewriting: Rewriting, nest: Nest, fresh: Fresh, edges: Edges | None = None, flagged: Flagged | None = None
    ) -> None:
        super().__init__(rewriting)
        self.flagged = flagged or {}
        self.nest = nest
        self.fresh = fresh
        self.edges = edges
        self.pending: list[list[cst.BaseStatement]] = []
        self.before: dict[cst.CSTNode, list[cst.BaseStatement]] = {}
        self.conditional = 0
        self.elifs: set[cst.CSTNode] = set()
        self.tested: set[cst.Subscript] = set()
        self.lengths_tested: list[cst.BaseStatement] = []
        self.locals = {call: local for local in nest.local_arrays for call in local.allocations}

    # --- where a test may be put ---------------------------------------------------------------------------------

    def visit_SimpleStatementLine(self, node: cst.SimpleStatementLine) -> None:
        self._open(len(node.body) == 1)

    def leave_SimpleStatementLine(
        self, original_node: cst.SimpleStatementLine, updated_node: cst.SimpleStatementLine
    ) -> cst.BaseStatement | cst.FlattenSentinel[cst.BaseStatement] | cst.RemovalSentinel:
        before, self.lengths_tested = [*self._close(), *self.lengths_tested], []
        nothing_left = all(isinstance(small, cst.Pass) for small in updated_node.body)
        if nothing_left and not any(isinstance(small, cst.Pass) for small in original_node.body):
            return cst.FlattenSentinel(before) if before else cst.RemoveFromParent()
        return _with(before, updated_node)

    # --- arrays of an iteration ----------------------------------------------------------------------------------

    def leave_Assign(  # type: ignore[override]
        self, original_node: cst.Assign, updated_node: cst.Assign
    ) -> cst.BaseSmallStatement | cst.FlattenSentinel[cst.BaseSmallStatement]:
        refilled = self._refilled(original_node.value, updated_node.value)
        made = refilled or super().leave_Assign(original_node, updated_node)
        return flagged_line(original_node, made, self.flagged)

    def leave_AnnAssign(self, original_node: cst.AnnAssign, updated_node: cst.AnnAssign) -> cst.BaseSmallStatement:
        refilled = self._refilled(original_node.value, updated_node.value)
        return refilled or super().leave_AnnAssign(original_node, updated_node)

    def _refilled(
        self, node: cst.BaseExpression | None, made: cst.BaseExpression | None
    ) -> cst.BaseSmallStatement | None:
        """What stands in place of an allocation: the filling of an array that is there already."""
        if not isinstance(node, cst.Call) or node not in self.locals:
            return None
        assert isinstance(made, cst.Call) and self.how.slave is not None
        local = self.locals[node]
        self.lengths_tested += negative_lengths(local, made, self.how.slave)
        return refill(local, node, made, self.types) or cst.Pass()

    def visit_If(self, node: cst.If) -> None:
        if isinstance(node.orelse, cst.If):
            self.elifs.add(node.orelse)

    def visit_If_test(self, node: cst.If) -> None:
        self._open(node not in self.elifs)

    def leave_If_test(self, node: cst.If) -> None:
        self.before[node] = self._close()

    def leave_If(
        self, original_node: cst.If, updated_node: cst.If
    ) -> cst.BaseStatement | cst.FlattenSentinel[cst.BaseStatement]:
        flagged = flagged_branch(original_node, updated_node, self.flagged)
        return _with(self.before.pop(original_node, []), flagged)

    def visit_For_iter(self, node: cst.For) -> None:
        self._open(True)

    def leave_For_iter(self, node: cst.For) -> None:
        self.before[node] = self._close()

    def leave_For(
        self, original_node: cst.For, updated_node: cst.For
    ) -> cst.BaseStatement | cst.FlattenSentinel[cst.BaseStatement]:
        lowest = self.nest.lowest.get(original_node)
        header = range_of(original_node)
        told = lowest is not None and not is_doubling(original_node)
        if told and header is not None and isinstance(updated_node.body, cst.IndentedBlock):
            body = [*assumption(header.variable, lowest), *updated_node.body.body]
            updated_node = updated_node.with_changes(body=updated_node.body.with_changes(body=body))
        return _with(self.before.pop(original_node, []), updated_node)

    def visit_While_test(self, node: cst.While) -> None:
        self._open(False)

    def leave_While_test(self, node: cst.While) -> None:
        self._close()

    def leave_While(self, original_node: cst.While, updated_node: cst.While) -> cst.While:
        """A loop in which an access is tested in its place ends with the fault: its test may never become false."""
        if self.how.slave is None or not any(inside(node, (original_node,)) for node in self.how.guarded):
            return updated_node
        faults, rank, _ = self.how.slave
        body = [*parsed(f"if {faults}[{rank}, 0] != 0:\n    return\n"), *statements_of(updated_node.body)]
        return updated_node.with_changes(body=cst.IndentedBlock(cast(list[cst.BaseStatement], body)))

    def _open(self, allowed: bool) -> None:
        self.pending.append([])
        self.conditional += 0 if allowed else 1
        self.pending[-1] += [] if allowed else [cst.SimpleStatementLine([cst.Pass()])]

    def _close(self) -> list[cst.BaseStatement]:
        made = self.pending.pop()
        if made and isinstance(made[0], cst.SimpleStatementLine) and isinstance(made[0].body[0], cst.Pass):
            self.conditional -= 1
            return []
        return made

    # --- what a statement may not reach --------------------------------------------------------------------------

    def visit_BooleanOperation_right(self, node: cst.BooleanOperation) -> None:
        self.conditional += 1

    def leave_BooleanOperation_right(self, node: cst.BooleanOperation) -> None:
        self.conditional -= 1

    def visit_IfExp_body(self, node: cst.IfExp) -> None:
        self.conditional += 1

    def leave_IfExp_body(self, node: cst.IfExp) -> None:
        self.conditional -= 1

    def visit_IfExp_orelse(self, node: cst.IfExp) -> None:
        self.conditional += 1

    def leave_IfExp_orelse(self, node: cst.IfExp) -> None:
        self.conditional -= 1

    def visit_Comparison_comparisons(self, node: cst.Comparison) -> None:
        self.conditional += len(node.comparisons) > 1

    def leave_Comparison_comparisons(self, node: cst.Comparison) -> None:
        self.conditional -= len(node.comparisons) > 1

    # --- accesses ------------------------------------------------------------------------------------------------

    def leave_Subscript(self, original_node: cst.Subscript, updated_node: cst.Subscript) -> cst.BaseExpression:
        sites = self.how.guarded.get(original_node)
        if sites is None or self.conditional or not self.pending:
            made = super().leave_Subscript(original_node, updated_node)
        else:
            self.tested.add(original_node)
            made = updated_node = self._tested(updated_node, sites)
        return (
            made
            if self.edges is None
            else self.edges.read(original_node, made, updated_node, original_node in self.tested)
        )

    def _tested(self, node: cst.Subscript, sites: tuple[Site, ...]) -> cst.Subscript:
        code = cst.Module([]).code_for_node
        assert self.how.slave is not None
        faults, rank, order = self.how.slave
        places = []
        for axis, index in enumerate(index_expressions(node)):
            place = self.fresh.name(f"at_{sites[axis].number}")
            noted = (faults, rank, str(sites[axis].number), code(index), order)
            self.pending[-1] += parsed(
                f"{place} = wrapped({code(index)}, {code(node.value)}.shape[{axis}])",
                f"if {place} < 0:\n    note({', '.join(noted)})\n    return\n",
            )
            places.append(cst.SubscriptElement(cst.Index(cst.Name(place))))
        return node.with_changes(slice=places)

    def is_guarded(self, target: cst.BaseExpression) -> bool:
        return target in self.how.guarded and target not in self.tested


def assumption(variable: str, lowest: int | None) -> list[cst.BaseStatement]:
    """The statement that tells LLVM what is proved of a loop variable."""
    return [] if lowest is None else parsed(f"assume({lowest} <= {variable} < {FAR})")


def _with(
    before: list[cst.BaseStatement], statement: cst.BaseStatement
) -> cst.BaseStatement | cst.FlattenSentinel[cst.BaseStatement]:
    if not before:
        return statement
    leading = cast(cst.SimpleStatementLine, statement).leading_lines
    first = cast(cst.SimpleStatementLine, before[0]).with_changes(leading_lines=leading)
    rest = cast(cst.SimpleStatementLine, statement).with_changes(leading_lines=[])
    return cst.FlattenSentinel([first, *before[1:], rest])
