"""Scalars that a loop steps by the same amount each time, written as what they are at each iteration.

    k = 0                                ->   k = 0
    for i in range(0, n):                     for i in range(0, n):
        out[k] = a[i]                             k__now = k + 8 * i
        k += 8                                    out[k__now] = a[i]
                                              k = k + 8 * max(0, n)

Only integers qualify, for which this is exact: `k` must stand in the index of an array in the loop, or be given
integers wherever the method assigns it. It is stepped in the loop's own body, once or more, by constants or by names
that the loop leaves alone, and read there (or else it is a sum like others); and the loop has no `break`, `continue` or
`return` of its own. Inner loops come first, so that what they step is stepped by the outer ones too.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import cast

import libcst as cst

from somd.diagnostics.model import Position
from somd.transforms.analysis.accesses import index_expressions
from somd.transforms.analysis.affine import shape_reference
from somd.transforms.frontend.steps import counts, is_number, is_steady, step_of, sum_of, times
from somd.transforms.stages import Method
from somd.transforms.tree.loops import (
    Range,
    contains_fence,
    exits_of,
    integer_constant,
    range_of,
    small_statements,
    statements_of,
)
from somd.transforms.tree.names import assigned_names, names_read, target_names
from somd.transforms.tree.rewriting import MethodRewriter, Tracked, parsed, with_own_label
from somd.transforms.tree.walking import nodes_in, nodes_of


def without_inductions(method: Method, kept: Collection[cst.For] = ()) -> Method:
    """`method` with its inductions computed from the loop variables, but for those of the loops in `kept`."""
    return _Rewriter(method, kept).rewritten()


@dataclass(frozen=True)
class _Induction:
    """`name` grows by `step` (source text) in each iteration."""

    name: str
    step: str


class _Rewriter(MethodRewriter):
    def __init__(self, method: Method, kept: Collection[cst.For]) -> None:
        super().__init__(method)
        self.kept = kept
        #: names that hold integers for sure, and inductions of inner loops
        self.stepped: set[str] = _integers(method)

    def leave_For(
        self, original_node: cst.For, updated_node: cst.For
    ) -> cst.BaseStatement | cst.FlattenSentinel[cst.BaseStatement]:
        header = range_of(updated_node)
        if header is None or original_node in self.kept or not _steady(updated_node, header, self.method):
            return updated_node
        found = _inductions(updated_node, self.method, self.stepped)
        if not found:
            return updated_node
        loop, behind = updated_node, []
        self.stepped.update(each.name for each in found)
        iteration, trips = counts(header, self.method)
        for induction in found:
            now = self.new(f"{induction.name}__now", induction.name)
            first = f"{now} = {induction.name} + {times(induction.step, iteration)}"
            [line, after] = parsed(first, f"{induction.name} = {induction.name} + {times(induction.step, trips)}")
            loop = _renamed(loop, line, induction.name, now, self.positions)
            behind.append(after)
            place = self.positions.get(original_node.target) or self.method.position(self.method.function.name)
            self.place(line, place)
            self.place(after, place)
        if original_node in self.positions:
            self.positions[loop] = self.positions[original_node]
        return cst.FlattenSentinel([loop, *behind])


def _renamed(
    loop: cst.For, first: cst.BaseStatement, name: str, now: str, positions: dict[cst.CSTNode, Position]
) -> cst.For:
    """`loop` with `now` in place of `name` in its body, which opens with `first`."""
    renamer = _Renamed(name, now, positions)
    body = [cast(cst.BaseStatement, statement.visit(renamer)) for statement in statements_of(loop.body)]
    return loop.with_changes(body=cst.IndentedBlock([first, *_without_last_step(body, now)]))


class _Renamed(Tracked):
    def __init__(self, name: str, now: str, positions: dict[cst.CSTNode, Position]) -> None:
        super().__init__(positions)
        self.name = name
        self.now = now

    def leave_Name(self, original_node: cst.Name, updated_node: cst.Name) -> cst.Name:
        return updated_node.with_changes(value=self.now) if updated_node.value == self.name else updated_node

    def leave_Attribute(self, original_node: cst.Attribute, updated_node: cst.Attribute) -> cst.Attribute:
        return with_own_label(original_node, updated_node)

    def leave_Arg(self, original_node: cst.Arg, updated_node: cst.Arg) -> cst.Arg:
        return with_own_label(original_node, updated_node)


def _steady(loop: cst.For, header: Range, method: Method) -> bool:
    """Whether each iteration of `loop` runs whole, and its range means the same behind it as before it."""
    step = integer_constant(header.step, method)
    if step is None or step == 0 or exits_of(loop) or contains_fence(loop.body, method):
        return False
    limits = (header.start, header.stop)
    return not (set().union(*(names_read(limit) for limit in limits)) & assigned_names(loop)) and all(
        is_steady(limit) for limit in limits
    )


def _inductions(loop: cst.For, method: Method, stepped: set[str]) -> list[_Induction]:
    indexing = _names_in_indexes(loop.body) | stepped
    assigned = assigned_names(loop)
    found = []
    own = list(small_statements(statements_of(loop.body)))
    for name in sorted(indexing & assigned_names(loop.body) - names_read(loop.target)):
        updates = [s for s in own if name in assigned_names(s)]
        steps = [step_of(name, s, method, assigned) for s in updates]
        read = any(name in names_read(s) for s in _without(updates, own))
        if read and None not in steps and _assignments(loop.body, name) == len(updates):
            found.append(_Induction(name, sum_of(cast(list[str], steps))))
    return found


def _without(updates: Sequence[cst.CSTNode], statements: Sequence[cst.CSTNode]) -> Iterator[cst.CSTNode]:
    return (s for s in statements if not any(s is update for update in updates))


def _integers(method: Method) -> set[str]:
    """Locals that are given an integer constant or a length wherever they are assigned, or stepped by a constant."""
    fitting: set[str] = set()
    others = set(method.param_names)
    for node in nodes_of(method.function.body, cst.Assign, cst.AnnAssign, cst.AugAssign, cst.For):
        for target in [each.target for each in node.targets] if isinstance(node, cst.Assign) else [node.target]:
            fits = isinstance(target, cst.Name) and _stays_integer(target.value, node, method)
            (fitting if fits else others).update(target_names(target))
    return fitting - others


def _stays_integer(name: str, node: cst.Assign | cst.AnnAssign | cst.AugAssign | cst.For, method: Method) -> bool:
    if isinstance(node, cst.For) or node.value is None:
        return False
    if isinstance(node, cst.AugAssign):
        sign = isinstance(node.operator, cst.AddAssign | cst.SubtractAssign)
        return sign and integer_constant(node.value, method) is not None
    step = step_of(name, node, method, set()) if isinstance(node, cst.Assign) else None
    return _whole(node.value, method) or is_number(step or "")


def _whole(node: cst.BaseExpression, method: Method) -> bool:
    return integer_constant(node, method) is not None or shape_reference(node) is not None


def _names_in_indexes(node: cst.CSTNode) -> set[str]:
    indexes = (index for each in nodes_of(node, cst.Subscript) for index in index_expressions(each))
    return set().union(*map(names_read, indexes))


def _assignments(node: cst.CSTNode, name: str) -> int:
    """How many statements assign `name`."""
    count = 0
    for each in nodes_in(node):
        if isinstance(each, cst.Assign | cst.AugAssign | cst.AnnAssign):
            count += name in assigned_names(each)
        elif isinstance(each, cst.For):
            count += name in names_read(each.target)
    return count


def _without_last_step(body: Sequence[cst.BaseStatement], now: str) -> Iterator[cst.BaseStatement]:
    """The body without a step at its end, which nothing reads."""
    last = body[-1]
    if isinstance(last, cst.SimpleStatementLine) and len(last.body) == 1 and assigned_names(last) == {now}:
        body = body[:-1]
    yield from body
