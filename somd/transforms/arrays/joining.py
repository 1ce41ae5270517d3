"""Loops of array statements that follow each other become one (*loop fusion*), where nobody can tell.

    a[1:-1] += b[2:]      ->   for at in range(1, a.shape[0] - 1): a[at] += b[at + 1]; c[at] -= b[at - 1]
    c[1:-1] -= b[:-2]

They go over the same indexes, and isl finds no element that one iteration of both writes and another one reaches.
Neither can fail: nothing is written too early or too late for an exception. Between them stand only new arrays and
lengths, which then come before both. With one array for two parameters nothing is joined.

In: the statements that a block has become so far, and those of the next one. Out: all of them.
"""

from __future__ import annotations

from collections.abc import Sequence

import libcst as cst
import numpy as np

from somd.transforms.arrays.contraction import Contraction
from somd.transforms.arrays.element_reads import TOTAL
from somd.transforms.arrays.nests import Nest, Nests
from somd.transforms.tree.names import assigned_names, names_read
from somd.transforms.tree.renaming import Replaced
from somd.transforms.tree.rewriting import code_of
from somd.transforms.tree.walking import nodes_in, nodes_of

#: functions that do not fail where lengths are not negative
HARMLESS = (np.empty, max, min)
#: the most statements in loops that were joined: more would need more registers than there are
MOST = 8


class Joining:
    """Joins the nests of a method; `nests` makes them."""

    def __init__(self, nests: Nests, contraction: Contraction) -> None:
        self.nests, self.contraction = nests, contraction

    def extend(self, made: list[cst.BaseStatement], new: Sequence[cst.BaseStatement]) -> None:
        """Put statements behind those of a block; a nest among them joins the one before it."""
        for node in new:
            at = self._before(made, node)
            joined = None if at is None else self._joined(made[at], node)
            if at is None or joined is None:
                made.append(node)
            else:
                made[at:] = [*made[at + 1 :], joined]

    def _before(self, made: Sequence[cst.BaseStatement], node: cst.BaseStatement) -> int | None:
        """Where the nest before one stands, if what stands between them may stand before both."""
        between: set[str] = set()
        for at in range(len(made) - 1 if node in self.nests.made else -1, -1, -1):
            if made[at] in self.nests.made:
                return None if between & (names_read(made[at]) | assigned_names(made[at])) else at
            if not self.may_come_before(made[at]):
                return None
            between |= assigned_names(made[at])
        return None

    def may_come_before(self, line: cst.CSTNode) -> bool:
        """Whether a line binds a name to a new array or to a number, and can neither fail nor read an element."""
        if not isinstance(line, cst.SimpleStatementLine) or not all(isinstance(each, cst.Assign) for each in line.body):
            return False
        known = self.nests.names.namespace
        guarded = {each.body for each in nodes_of(line, cst.IfExp) if _is_remainder(each)}
        for node in nodes_in(line):
            if isinstance(node, cst.Call):
                function = known.get(node.func.value) if isinstance(node.func, cst.Name) else None
                if not any(function is each for each in HARMLESS):
                    return False
            if isinstance(node, cst.BinaryOperation) and not isinstance(node.operator, TOTAL) and node not in guarded:
                return False
            if isinstance(node, cst.Subscript):
                shape = node.value
                if not isinstance(shape, cst.Attribute) or shape.attr.value != "shape":
                    return False
        return True

    def _joined(self, first: cst.BaseStatement, second: cst.BaseStatement) -> cst.BaseStatement | None:
        one, two = self.nests.made[first], self.nests.made[second]
        if len(one.body) + len(two.body) > MOST or self.nests.aliases or not self.are_alike(one, two):
            return None
        if not all(self.contraction.cannot_fail(each.statement) for each in (one, two)):
            return None
        names = self.nests.names
        renamed = {other: own for (own, _, _), (other, _, _) in zip(one.loops, two.loops, strict=True)}
        body = list(one.body)
        for each in two.body:
            found = [n for n in nodes_of(each, cst.Name) if n.value in renamed]
            replaced: dict[cst.CSTNode, cst.BaseExpression] = {n: names.expression(renamed[n.value], n) for n in found}
            moved = each.visit(Replaced(replaced, names.positions))
            assert isinstance(moved, cst.BaseStatement)
            body.append(moved)
        made = self.nests.around(one.loops, body, one.statement)
        if not self.nests.goes_in_place([made], two.statement):
            return None
        self.nests.made[made] = Nest(one.statement, one.loops, body)
        return made

    def are_alike(self, one: Nest, two: Nest) -> bool:
        """Whether two nests go over the same indexes."""
        shapes = self.nests.expressions.shapes
        return len(one.loops) == len(two.loops) and all(
            start == begin and shapes.are_equal(stop - start, end - begin)
            for (_, start, stop), (_, begin, end) in zip(one.loops, two.loops, strict=True)
        )


def _is_remainder(node: cst.IfExp) -> bool:
    """Whether an expression is `k % n if n > 0 else ...`."""
    test, body = node.test, node.body
    if not isinstance(test, cst.Comparison) or len(test.comparisons) > 1 or not isinstance(body, cst.BinaryOperation):
        return False
    positive = isinstance(test.comparisons[0].operator, cst.GreaterThan) and test.left.deep_equals(body.right)
    return positive and isinstance(body.operator, cst.Modulo) and code_of(test.comparisons[0].comparator) == "0"
