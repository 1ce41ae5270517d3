"""Loops whose iterations make an element of the one that the last one stored: `out[i] = out[i - 1] + a[i]`.

In: a loop that may not be distributed for the sake of elements. Out: the store, and the reads that give what the last
iteration stored. It is required that one statement, which every iteration comes to, is all that stores to that memory,
and that it stores a step further each time. All else is asked of the loop that hands the element on in a scalar.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import libcst as cst

from somd.transforms.access import Access
from somd.transforms.analysis.accesses import accesses_of, index_expressions
from somd.transforms.frontend.handed_elements import HANDED, Handed
from somd.transforms.plan.candidates import is_candidate
from somd.transforms.plan.context import Context
from somd.transforms.tree.loops import exits_of, integer_constant, range_of, small_statements, statements_of
from somd.transforms.tree.names import assigned_names, assigned_place, names_read
from somd.transforms.tree.rewriting import code_of
from somd.transforms.tree.walking import children_of, nodes_in


def handed_element(loop: cst.For, context: Context) -> Handed | None:
    """The element that `loop` hands on; None where it has none, or more than one."""
    method, header = context.method, range_of(loop)
    if header is None or method.has_form(HANDED, loop) or not is_candidate(loop, context) or exits_of(loop):
        return None
    step = integer_constant(header.step, method)
    changed = assigned_names(loop.body)
    asked = method.combine is not None or context.combining or context.relaxed is not None
    if asked or not step or header.variable in changed or names_read(header.start) & (changed | {header.variable}):
        return None
    accesses = accesses_of((loop,), context.scope.with_known(dict.fromkeys(changed)))
    body = list(small_statements(statements_of(loop.body)))
    for k, node in enumerate(body):
        target = _stored(node)
        if target is None:
            continue
        place = _Place(target, header.variable, changed, context)
        if not place.known or not _alone(target, accesses, context):
            continue
        reads = [read for each in body[: k + 1] for read in place.reads_of(each, step)]
        if reads:
            surely = any(read is each for node in body[: k + 1] for each in _always(node) for read in reads)
            before = place.at(header.start, step)
            return Handed(node, tuple(reads), before, surely)  # type: ignore[arg-type]
    return None


def _stored(node: cst.CSTNode) -> cst.Subscript | None:
    target = assigned_place(node)
    return target if isinstance(target, cst.Subscript) and isinstance(target.value, cst.Name) else None


def _alone(target: cst.Subscript, accesses: Sequence[Access], context: Context) -> bool:
    """Whether nothing else in the loop stores to the array, by any name."""
    array = cst.ensure_type(target.value, cst.Name).value
    stores = [access for access in accesses if access.write and context.aliases.may_be_one(access.array, array)]
    return len(stores) == 1 and stores[0].array == array


class _Place:
    """The element that is stored: the loop's variable and a constant along one axis, and elsewhere what stays."""

    def __init__(self, target: cst.Subscript, variable: str, changed: set[str], context: Context) -> None:
        self.target, self.variable, self.context = target, variable, context
        self.array = cst.ensure_type(target.value, cst.Name).value
        indexes = index_expressions(target)
        offsets = [self.offset(index) for index in indexes]
        self.axes = [axis for axis, offset in enumerate(offsets) if offset is not None]
        self.offsets = offsets
        others = [index for axis, index in enumerate(indexes) if axis not in self.axes]
        steady = not any(names_read(index) & (changed | {variable}) or _computed(index) for index in others)
        self.known = len(self.axes) == 1 and steady and self.array not in changed

    def offset(self, index: cst.BaseExpression) -> int | None:
        """`i + 2` is 2 from the variable."""
        if isinstance(index, cst.Name):
            return 0 if index.value == self.variable else None
        if isinstance(index, cst.BinaryOperation) and isinstance(index.operator, cst.Add | cst.Subtract):
            sign = 1 if isinstance(index.operator, cst.Add) else -1
            left, right = index.left, index.right
            if sign == 1 and isinstance(right, cst.Name) and right.value == self.variable:
                left, right = right, left
            constant = integer_constant(right, self.context.method)
            if isinstance(left, cst.Name) and left.value == self.variable and constant is not None:
                return sign * constant
        return None

    def reads_of(self, node: cst.CSTNode, step: int) -> Iterator[cst.Subscript]:
        """The reads in a statement of the element that is a step behind."""
        [axis] = self.axes
        for each in nodes_in(node):
            if each is self.target or not isinstance(each, cst.Subscript) or not isinstance(each.value, cst.Name):
                continue
            indexes = index_expressions(each)
            if each.value.value != self.array or len(indexes) != len(self.offsets):
                continue
            mine, offset = self.offsets[axis], self.offset(indexes[axis])
            others = [k for k in range(len(indexes)) if k != axis]
            alike = all(code_of(indexes[k]) == code_of(index_expressions(self.target)[k]) for k in others)
            if alike and mine is not None and offset == mine - step:
                yield each

    def at(self, start: cst.BaseExpression, step: int) -> cst.Subscript:
        """The element that the first iteration reads."""
        [axis] = self.axes
        indexes = [code_of(index) for index in index_expressions(self.target)]
        away, first = (self.offsets[axis] or 0) - step, integer_constant(start, self.context.method)
        if first is not None:
            indexes[axis] = str(first + away)
        else:
            indexes[axis] = f"({code_of(start)}) + {away}" if away >= 0 else f"({code_of(start)}) - {-away}"
        return cst.ensure_type(cst.parse_expression(f"{self.array}[{', '.join(indexes)}]"), cst.Subscript)


def _computed(node: cst.CSTNode) -> bool:
    return isinstance(node, cst.Call | cst.Subscript) or any(map(_computed, children_of(node)))


def _always(node: cst.CSTNode) -> Iterator[cst.CSTNode]:
    """The nodes of a statement that are evaluated whenever it is."""
    if isinstance(node, cst.If | cst.For | cst.While | cst.With | cst.IfExp | cst.BooleanOperation | cst.Comparison):
        return
    yield node
    for each in children_of(node):
        yield from _always(each)
