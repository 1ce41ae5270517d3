"""Sums that a loop keeps in a scalar, in the element that they begin with and end in.

    for j in range(i):                         for j in range(i):
        w = a[i, j]                                for k in range(j):
        for k in range(j):                             a[i, j] -= a[i, k] * a[k, j]
            w -= a[i, k] * a[k, j]       ->        a[i, j] = a[i, j] / a[j, j]
        a[i, j] = w / a[j, j]

So forms of loops that go by elements (`row_panels`) are found. The last statement stays where it stores nothing new: it
may be the only one that reaches an element that is not there. Only the planner knows where nothing else reads the
element meanwhile, and where the scalar has the type of the elements: it names the sums.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import libcst as cst

from somd.transforms.stages import Method
from somd.transforms.tree.loops import range_of, statements_of
from somd.transforms.tree.names import names_read
from somd.transforms.tree.rewriting import MethodRewriter, code_of
from somd.transforms.tree.walking import nodes_of


@dataclass(frozen=True)
class Sum:
    """A scalar, the element that it stands for, and the statements that set it, add to it in a loop, and store it."""

    scalar: str
    element: cst.Subscript
    first: cst.CSTNode
    terms: cst.For
    last: cst.CSTNode


Sums = Sequence[Sum]


def sums_in(loop: cst.For) -> Sums:
    """The sums in scalars in a loop that mentions these nowhere else; none where it has others as well."""
    found = tuple(_sums_of(loop))
    mine = [name for each in found for node in (each.first, each.terms, each.last) for name in _mentions(node, each)]
    every = [name for scalar in {each.scalar for each in found} for name in _named(loop, scalar)]
    return found if len(mine) == len(every) else ()


def _sums_of(loop: cst.For) -> Iterator[Sum]:
    statements = statements_of(loop.body)
    for k, node in enumerate(statements):
        if isinstance(node, cst.For):
            yield from _sums_of(node)
        elif k + 2 < len(statements) and (found := _sum(*statements[k : k + 3])) is not None:
            yield found


def _sum(first: cst.CSTNode, terms: cst.CSTNode, last: cst.CSTNode) -> Sum | None:
    set_, stored, header = _assigned(first), _assigned(last), range_of(terms) if isinstance(terms, cst.For) else None
    if set_ is None or stored is None or header is None:
        return None
    (scalar, element), (target, _) = set_, stored
    known = isinstance(scalar, cst.Name) and isinstance(element, cst.Subscript) and isinstance(target, cst.Subscript)
    if not known or code_of(target) != code_of(element) or header.variable in names_read(element):
        return None
    return Sum(
        cst.ensure_type(scalar, cst.Name).value,
        cst.ensure_type(target, cst.Subscript),
        first,
        cst.ensure_type(terms, cst.For),
        last,
    )


def _assigned(node: cst.CSTNode) -> tuple[cst.BaseExpression, cst.BaseExpression] | None:
    """Target and value of a plain assignment."""
    if isinstance(node, cst.SimpleStatementLine) and len(node.body) == 1 and isinstance(node.body[0], cst.Assign):
        statement = node.body[0]
        if len(statement.targets) == 1:
            return statement.targets[0].target, statement.value
    return None


def _mentions(node: cst.CSTNode, each: Sum) -> list[cst.Name]:
    return _named(node, each.scalar)


def _named(node: cst.CSTNode, scalar: str) -> list[cst.Name]:
    return [name for name in nodes_of(node, cst.Name) if name.value == scalar]


def with_sums_in_place(method: Method, loops: dict[cst.For, Sums]) -> Method:
    """`method` with the sums of each of the loops in elements."""
    return _Rewriter(method, [each for sums in loops.values() for each in sums]).rewritten()


def loop_in_place(loop: cst.For, sums: Sums, method: Method) -> cst.For:
    """A copy of the loop with its sums in elements, to look at."""
    return cst.ensure_type(loop.visit(_Rewriter(method, sums)), cst.For)


class _Rewriter(MethodRewriter):
    def __init__(self, method: Method, sums: Sums) -> None:
        super().__init__(method)
        self.gone = {each.first for each in sums}
        self.sums = {node: each for each in sums for node in (each.terms, each.last)}
        self.around: list[Sum] = []

    def visit_For(self, node: cst.For) -> None:
        self.enter(node)

    def visit_SimpleStatementLine(self, node: cst.SimpleStatementLine) -> None:
        self.enter(node)

    def enter(self, node: cst.CSTNode) -> None:
        if node in self.sums:
            self.around.append(self.sums[node])

    def leave_For(self, original_node: cst.For, updated_node: cst.For) -> cst.For:
        if original_node in self.sums:
            self.around.pop()
        return updated_node

    def leave_SimpleStatementLine(
        self, original_node: cst.SimpleStatementLine, updated_node: cst.SimpleStatementLine
    ) -> cst.SimpleStatementLine | cst.RemovalSentinel:
        if original_node in self.sums:
            self.around.pop()
        return cst.RemoveFromParent() if original_node in self.gone else updated_node

    def leave_Name(self, original_node: cst.Name, updated_node: cst.Name) -> cst.BaseExpression:
        if not self.around or original_node.value != self.around[-1].scalar:
            return updated_node
        made = cst.ensure_type(self.around[-1].element.deep_clone(), cst.Subscript)
        if original_node in self.positions:
            self.place(made, self.positions[original_node])
        return made
