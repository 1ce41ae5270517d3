"""Calls that are to be written out, lifted out of expressions before which their statements could not stand.

    return norm(scale(a, 3))             ->   scale__value = scale(a, 3)
                                              return norm(scale__value)
    y = a[0] + bump(a)                   ->   before = a[0]                    (`bump` changes `a`)
                                              bump__value = bump(a)
                                              y = before + bump__value
    if x > 0 and norm(a) > 1: ...        ->   test = not not (x > 0)
                                              if test:
                                                  test = not not (norm(a) > 1)
                                              if test: ...

Python's order of evaluation is kept: what stands before a call that changes arrays or raises, and reads one, is
evaluated before it; the arms of `and`, `or`, `if ... else` and of chained comparisons are reached when Python reaches
them. Statements without need stay as they are. In: a `Method`, and what tells which calls are written out.
"""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import replace
from typing import cast

import libcst as cst

from somd.transforms.analysis.accesses import index_expressions
from somd.transforms.frontend.lifted_expressions import Asked, Lifted, Lifter
from somd.transforms.frontend.nested import Nested
from somd.transforms.frontend.positional import called_function
from somd.transforms.stages import Method
from somd.transforms.tree.loops import statements_of
from somd.transforms.tree.names import assigned_place, names_read
from somd.transforms.tree.rewriting import code_of, parsed, rewritten
from somd.transforms.types.scalars import AUGMENTED


def with_lifted_calls(method: Method, written_out: Asked, changes: Asked, ordered: Asked | None = None) -> Method:
    """`method` with calls that are written out on lines of their own, where they have to be."""
    lifter = _Statements(method, written_out, changes, ordered or changes)
    body = lifter.block(statements_of(method.function.body))
    if not lifter.taken - method.local_names and not lifter.split:
        return method
    function = method.function.with_changes(body=cst.IndentedBlock(body))
    lifter.positions[function] = method.position(method.function)
    made = rewritten(method, function, lifter.positions)
    return replace(made, spelled={**method.spelled, **lifter.spelled})


class _Statements(Lifter):
    """The lifter of a whole body."""

    def block(self, statements: Sequence[cst.CSTNode]) -> list[cst.BaseStatement]:
        return [made for s in statements for made in self.statement(cast(cst.BaseStatement, s))]

    def statement(self, node: cst.BaseStatement) -> list[cst.BaseStatement]:
        if not self.inside(node):
            return [node]
        if isinstance(node, cst.SimpleStatementLine):
            return self.line(node)
        if isinstance(node, cst.If):
            return self.branches(node)
        if isinstance(node, cst.While):
            return [self.repeated(node)]
        if isinstance(node, cst.For | cst.With):
            body = self.suite(node.body)
            if isinstance(node, cst.With) or not self.needed(node.iter):
                return [self.remade(node, body=body)]
            header = self.lifted(node.iter)
            return [*header.before, self.remade(node, iter=header.value, body=body)]
        return [node]

    def suite(self, body: cst.BaseSuite) -> cst.BaseSuite:
        return cst.IndentedBlock(self.block(statements_of(body))) if self.inside(body) else body

    def branches(self, node: cst.If) -> list[cst.BaseStatement]:
        test = self.condition(node.test) if self.needed(node.test) else Lifted(node.test)
        other = node.orelse
        if isinstance(other, cst.If) and self.inside(other):
            nested = self.branches(other)
            whole = len(nested) == 1 and isinstance(nested[0], cst.If)
            other = cast(cst.If, nested[0]) if whole else cst.Else(cst.IndentedBlock(nested))
        elif isinstance(other, cst.Else):
            other = other.with_changes(body=self.suite(other.body))
        return [*test.before, self.remade(node, test=test.value, body=self.suite(node.body), orelse=other)]

    def repeated(self, node: cst.While) -> cst.BaseStatement:
        """A test of which something is lifted is taken in the loop."""
        body = self.suite(node.body)
        if not self.needed(node.test):
            return self.remade(node, body=body)
        test = self.condition(node.test)
        [leave] = parsed(f"if not {code_of(test.value)}:\n    break\n")
        self.place(leave, self.at(node.test))
        inner = [*test.before, leave, *cast(Sequence[cst.BaseStatement], statements_of(body))]
        made = self.remade(node, test=cst.Name("True"), body=cst.IndentedBlock(inner))
        self.place(made, self.at(node.test))
        return made

    def line(self, node: cst.SimpleStatementLine) -> list[cst.BaseStatement]:
        small = node.body[0]
        if isinstance(small, cst.Assign) and len(alone := self.one_by_one(small)) > 1:
            self.split = True
            alone[0] = alone[0].with_changes(leading_lines=node.leading_lines)
            for each in alone:
                self.place(each, self.at(small))
            return self.block(alone)
        if isinstance(small, cst.Assert | cst.Raise):
            return self.asserted(node, small)
        value = getattr(small, "value", None)
        if not isinstance(value, cst.BaseExpression):
            return [node]
        element = _element(small)
        inside = element is not None and self.inside(element)
        if isinstance(small, cst.AugAssign) and element is not None and (inside or self.changing(value)):
            return self.updated_element(node, small, element)
        if not (inside or self.needed(value, whole=True)):
            return [node]
        found = self.lifted(value, whole=element is None)
        if element is None or not inside:
            return [*found.before, self.remade(node, body=[self.remade(small, value=found.value)])]
        first, *indexes = self.operands([found.value, *index_expressions(element)], [found])
        targets = [cst.AssignTarget(self.indexed(element, indexes))]
        return [*first.before, self.remade(node, body=[self.remade(small, value=first.value, targets=targets)])]

    def one_by_one(self, small: cst.Assign) -> list[cst.SimpleStatementLine]:
        """`x, y = f(a), g(a)` as two assignments, where the names that are given are not read in it."""
        target, value = small.targets[0].target, small.value
        if len(small.targets) != 1 or not isinstance(target, cst.Tuple) or not isinstance(value, cst.Tuple):
            return []
        names = [each.value for each in target.elements if isinstance(each.value, cst.Name)]
        given = {each.value for each in names}
        if not len(given) == len(target.elements) == len(value.elements) or given & names_read(value):
            return []
        calls = [each.value for each in value.elements if isinstance(each.value, cst.Call)]
        if len(calls) < len(names) or not all(map(self.written_out, calls)) or self.reading(calls, given):
            return []
        pairs = zip(names, calls, strict=True)
        return [cst.SimpleStatementLine([cst.Assign([cst.AssignTarget(n)], call)]) for n, call in pairs]

    def reading(self, calls: Sequence[cst.Call], names: Set[str]) -> bool:
        """Whether a function that the method defines may read variables of these names."""
        found = (called_function(each, self.method) for each in calls)
        return any(isinstance(each, Nested) and each.around & names for each in found)

    def asserted(self, node: cst.SimpleStatementLine, small: cst.Assert | cst.Raise) -> list[cst.BaseStatement]:
        """What an `assert` tests, or a `raise` raises."""
        if isinstance(small, cst.Assert) and self.inside(small.test):
            found = self.condition(small.test)
            return [*found.before, self.remade(node, body=[self.remade(small, test=found.value)])]
        if isinstance(small, cst.Raise) and small.exc is not None and small.cause is None:
            found = self.lifted(small.exc)
            return [*found.before, self.remade(node, body=[self.remade(small, exc=found.value)])]
        return [node]

    def updated_element(
        self, node: cst.SimpleStatementLine, small: cst.AugAssign, target: cst.Subscript
    ) -> list[cst.BaseStatement]:
        """`b[e] += v` reads the element before `v` is evaluated, and writes it afterwards."""
        indexes = self.operands(index_expressions(target))
        kept = [self.kept(each.value, always=True) for each in indexes]
        before = [*indexes[0].before, *(line for lines, _ in kept for line in lines)]
        element = self.indexed(target, [Lifted(name) for _, name in kept])
        read, old = self.kept(element, always=True)
        value = self.lifted(small.value)
        sum_ = cst.BinaryOperation(old, AUGMENTED[type(small.operator)](), self.enclosed(value.value))
        made = cst.Assign([cst.AssignTarget(element.deep_clone())], sum_)
        line = self.remade(node, body=[made])
        self.place(line, self.at(small))
        return [*before, *read, *value.before, line]


def _element(small: cst.BaseSmallStatement) -> cst.Subscript | None:
    """The element that a statement assigns."""
    target = assigned_place(small)
    whole = isinstance(target, cst.Subscript) and any(not isinstance(e.slice, cst.Index) for e in target.slice)
    return target if isinstance(target, cst.Subscript) and not whole else None
