"""Arrays that iterations fill one after the other, at a place that a counter tells.

    if a[i] > 0:                the elements from k as the iteration finds it up to k as it leaves it are its own:
        out[k] = a[i]           the counter never goes back, so no other iteration has them
        k += 1

In: a loop and the scalars that its iterations hand on. Out: the arrays of which each iteration reaches such elements
alone, with their counters. It is required that constants above 0 are all that a counter grows by, and of each access
that the steps around it in its own statement list enclose its index.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

import libcst as cst

from somd.transforms.access import Access
from somd.transforms.analysis.accesses import index_expressions
from somd.transforms.plan.context import Context
from somd.transforms.stages import NEAR, Method
from somd.transforms.tree.loops import (
    else_statements,
    integer_constant,
    is_fitting_test,
    small_statements,
    statements_of,
)
from somd.transforms.tree.names import assigned_names
from somd.transforms.tree.walking import children_of, nodes_in

#: what a counter grows by at once, at most: it stays within 64 bits
MOST = 1 << 16


def filled_arrays(
    loop: cst.For, carried: Collection[str], accesses: Sequence[Access], context: Context
) -> dict[str, str]:
    """The arrays that `loop` fills, each with its counter."""
    body = statements_of(loop.body)
    written = sorted({access.array for access in accesses if access.write})
    found: dict[str, str] = {}
    for counter in sorted(carried):
        if not _only_grows(counter, body, context.method) or not _is_counter(counter, context):
            continue
        places = _Places(counter, context.method)
        places.block(body, 0, 0)
        for array in written:
            mine = [access for access in accesses if access.array == array]
            alone = not any(context.aliases.may_be_one(array, a.array) for a in accesses if a.array != array)
            if alone and any(all(places.holds(a.node, axis) for a in mine) for axis in range(len(mine[0].indices))):
                found.setdefault(array, counter)
    return found


def far_counter(counter: str) -> str:
    """The condition under which a counter may come to negative indexes, which count from the end of the array."""
    return f"{counter} < 0 or {counter} > {NEAR}"


def _is_counter(name: str, context: Context) -> bool:
    dtypes = context.kinds.dtypes
    return dtypes is None or dtypes.get(name) == "int64"


def _only_grows(name: str, statements: Sequence[cst.CSTNode], method: Method) -> bool:
    """Whether all that sets `name` are steps of a constant above 0."""
    setting = list(_setting(name, statements))
    return bool(setting) and all(_step(node, name, method) for node in setting)


def _setting(name: str, statements: Sequence[cst.CSTNode]) -> Iterator[cst.CSTNode]:
    """The statements that set `name` themselves."""
    for node in small_statements(statements):
        if isinstance(node, cst.If | cst.For | cst.While | cst.With):
            if isinstance(node, cst.For) and name in assigned_names(cst.AssignTarget(node.target)):
                yield node
            yield from _setting(name, statements_of(node.body))
            yield from _setting(name, else_statements(node) if isinstance(node, cst.If) else ())
        elif name in assigned_names(node):
            yield node


def _step(node: cst.CSTNode, name: str, method: Method) -> int:
    """By how much a statement makes `name` grow; 0 where it does something else."""
    value: cst.BaseExpression | None = None
    if isinstance(node, cst.AugAssign) and isinstance(node.operator, cst.AddAssign):
        value = node.value
    elif isinstance(node, cst.Assign) and len(node.targets) == 1 and isinstance(node.value, cst.BinaryOperation):
        sum_, target = node.value, node.targets[0].target
        if isinstance(sum_.operator, cst.Add) and isinstance(target, cst.Name):
            sides = [side for side in (sum_.left, sum_.right) if not _is(side, name)]
            value = sides[0] if len(sides) == 1 else None
    step = None if value is None else integer_constant(value, method)
    return step if step is not None and 0 < step <= MOST else 0


def _is(node: cst.BaseExpression, name: str) -> bool:
    return isinstance(node, cst.Name) and node.value == name


@dataclass(frozen=True)
class _Around:
    """By how much the counter has grown, at least, since the iteration began, and will before it ends."""

    before: int
    behind: int


class _Places:
    """For each element in a body: how far the counter is from where the iteration found it and will leave it."""

    def __init__(self, counter: str, method: Method) -> None:
        self.counter, self.method = counter, method
        self.found: dict[cst.CSTNode, _Around] = {}

    def block(self, statements: Sequence[cst.CSTNode], before: int, behind: int) -> None:
        nodes = list(small_statements(statements))
        if any(_leaves(node) for node in nodes):
            behind = 0
        for k, node in enumerate(nodes):
            after = self.steps(nodes[k + 1 :]) + behind
            if isinstance(node, cst.If | cst.For | cst.While):
                header = node.iter if isinstance(node, cst.For) else node.test
                self.note(header, _Around(before, after))
                for block in (statements_of(node.body), else_statements(node) if isinstance(node, cst.If) else ()):
                    self.block(block, before, after)
            else:
                self.note(node, _Around(before, after))
            before += _step(node, self.counter, self.method) if self.counter in assigned_names(node) else 0

    def steps(self, nodes: Sequence[cst.CSTNode]) -> int:
        """What the counter grows by in the statements that are surely reached."""
        total = 0
        for node in nodes:
            if _leaves(node):
                break
            total += _step(node, self.counter, self.method) if self.counter in assigned_names(node) else 0
        return total

    def note(self, node: cst.CSTNode, around: _Around) -> None:
        for each in nodes_in(node):
            if isinstance(each, cst.Subscript):
                self.found[each] = around

    def holds(self, node: cst.Subscript, axis: int) -> bool:
        """Whether the index along an axis lies between what the counter is before and behind the iteration."""
        around, offset = self.found.get(node), self.offset(index_expressions(node)[axis])
        return around is not None and offset is not None and -around.before <= offset < around.behind

    def offset(self, index: cst.BaseExpression) -> int | None:
        """How much an index is more than the counter."""
        if _is(index, self.counter):
            return 0
        if not isinstance(index, cst.BinaryOperation) or not isinstance(index.operator, cst.Add | cst.Subtract):
            return None
        adds = isinstance(index.operator, cst.Add)
        if _is(index.left, self.counter):
            found = integer_constant(index.right, self.method)
            return found if found is None or adds else -found
        return integer_constant(index.left, self.method) if adds and _is(index.right, self.counter) else None


def _leaves(node: cst.CSTNode) -> bool:
    """Whether a statement may end the iteration, or the loop around it."""
    if is_fitting_test(node):
        return False  # nothing behind it counts then
    own = isinstance(node, cst.Continue | cst.Break | cst.Return | cst.Raise)
    return own or (not isinstance(node, cst.BaseExpression) and any(map(_leaves, children_of(node))))
