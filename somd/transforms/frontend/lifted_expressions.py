"""Expressions in which calls are to be written out: names in place of the calls, and the statements before.

In: an expression, and what tells which calls are written out. Out: `Lifted`. Operands are evaluated in Python's order,
as `lifted_calls` says, which does the statements.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeVar, cast

import libcst as cst

from somd.diagnostics.model import Position
from somd.transforms.frontend.array_helpers import calls_in
from somd.transforms.stages import Method
from somd.transforms.tree.names import unused
from somd.transforms.tree.rewriting import Tracked, code_of, parsed
from somd.transforms.tree.walking import children_of, holds, nodes_in

Node = TypeVar("Node", bound=cst.CSTNode)
#: whether a call is to be written out, and whether what it calls changes arrays
Asked = Callable[[cst.Call], bool]


@dataclass
class Lifted:
    """An expression without calls to be written out, behind `before`; `changes` tells that arrays change in these, or
    that something may be raised."""

    value: cst.BaseExpression
    before: list[cst.BaseStatement] = field(default_factory=list)
    changes: bool = False


class Lifter(Tracked):
    """Lifts calls out of expressions; `spelled` says what each name that it makes stands for."""

    def __init__(self, method: Method, written_out: Asked, changes: Asked, ordered: Asked) -> None:
        super().__init__(dict(method.positions))
        self.method = method
        self.written_out = written_out
        self.changes = changes
        #: whether reads of arrays that stand before a call must be made before it
        self.ordered = ordered
        self.taken = set(method.local_names)
        self.spelled: dict[str, str] = {}
        self.split = False

    def lifted(self, node: cst.BaseExpression, whole: bool = False) -> Lifted:
        """`node` with names in place of its calls; with `whole`, it may stay a call itself."""
        if not self.inside(node):
            return Lifted(node)
        if isinstance(node, cst.BooleanOperation):
            return self.short_circuit(node)
        if isinstance(node, cst.IfExp):
            return self.choice(node)
        if isinstance(node, cst.Comparison) and any(self.inside(c) for c in node.comparisons[1:]):
            return self.chain(node)
        parts = _operands(node)
        operands = self.operands(parts)
        values = {part: each.value for part, each in zip(parts, operands, strict=True)}
        before = [line for each in operands for line in each.before]
        made = _with_operands(node, {part: self.enclosed(v) for part, v in values.items()}, self)
        changes = any(each.changes for each in operands)
        if not isinstance(node, cst.Call) or not self.written_out(node):
            return Lifted(made, before, changes)
        changes = changes or self.ordered(node)
        if whole:
            return Lifted(made, before, changes)
        name = self.name(f"{code_of(node.func).rpartition('.')[2]}__value", node)
        return Lifted(self.named(name, node), [*before, self.assigned(name, made, node)], changes)

    def operands(self, nodes: Sequence[cst.BaseExpression], first: Sequence[Lifted] = ()) -> list[Lifted]:
        """Each of `nodes` lifted, in order; what reads arrays is kept before a later one changes some. `first` are the
        first of them, lifted already."""
        found = [*first, *(self.lifted(node) for node in nodes[len(first) :])]
        made: list[Lifted] = []
        for each in found:
            if each.changes:
                kept = [self.kept(earlier.value) for earlier in made]
                made = [replace(earlier, value=value) for earlier, (_, value) in zip(made, kept, strict=True)]
                each = replace(each, before=[*(line for lines, _ in kept for line in lines), *each.before])
            made.append(each)
        # all that is lifted stands before the first of them
        lines = [line for each in made for line in each.before]
        return [replace(each, before=lines if k == 0 else []) for k, each in enumerate(made)]

    def kept(
        self, node: cst.BaseExpression, always: bool = False
    ) -> tuple[list[cst.BaseStatement], cst.BaseExpression]:
        """A name for the value of `node` as it is now, if arrays are read there, or `always` but for constants."""
        computed = not isinstance(node, cst.Name | cst.BaseNumber | cst.Attribute)
        reads = computed and holds(node, cst.Subscript, cst.Name)
        if not reads and (not always or isinstance(node, cst.Integer | cst.Name)):
            return [], node
        name = self.name("before", node)
        return [self.assigned(name, node, node)], self.named(name, node)

    def short_circuit(self, node: cst.BooleanOperation) -> Lifted:
        left = self.lifted(node.left)
        name = self.name("either" if isinstance(node.operator, cst.Or) else "both", node)
        right = self.lifted(node.right)
        test = f"not {name}" if isinstance(node.operator, cst.Or) else name
        more = self.branch(test, [*right.before, self.assigned(name, right.value, node)], node)
        before = [*left.before, self.assigned(name, left.value, node), more]
        return Lifted(self.named(name, node), before, left.changes or right.changes)

    def condition(self, node: cst.BaseExpression) -> Lifted:
        """`node` where only its truth counts: a short circuit becomes a bool."""
        if isinstance(node, cst.UnaryOperation) and isinstance(node.operator, cst.Not):
            inner = self.condition(node.expression)
            return replace(inner, value=self.remade(node, expression=self.enclosed(inner.value)))
        if not isinstance(node, cst.BooleanOperation) or not self.needed(node):
            return self.lifted(node)
        left, right = self.condition(node.left), self.condition(node.right)
        name = self.name("test", node)
        test = f"not {name}" if isinstance(node.operator, cst.Or) else name
        more = self.branch(test, [*right.before, self.assigned(name, _truth(right.value), node)], node)
        before = [*left.before, self.assigned(name, _truth(left.value), node), more]
        return Lifted(self.named(name, node), before, left.changes or right.changes)

    def choice(self, node: cst.IfExp) -> Lifted:
        test, taken, other = self.condition(node.test), self.lifted(node.body), self.lifted(node.orelse)
        name = self.name("chosen", node)
        made = self.branch(
            code_of(test.value),
            [*taken.before, self.assigned(name, taken.value, node.body)],
            node,
            [*other.before, self.assigned(name, other.value, node.orelse)],
        )
        changes = test.changes or taken.changes or other.changes
        return Lifted(self.named(name, node), [*test.before, made], changes)

    def chain(self, node: cst.Comparison) -> Lifted:
        """`x < f(a) < g(a)`: `g` is called if the first comparison holds."""
        first, *rest = node.comparisons
        left, middle = self.operands([node.left, first.comparator])
        lines, value = self.kept(middle.value, always=True)
        before, name = [*left.before, *lines], self.name("holds", node)
        text = f"({code_of(left.value)}) {code_of(first.operator)} ({code_of(value)})"
        before.append(self.assigned(name, _truth(cst.parse_expression(text)), node))
        inner = cst.Comparison(value, rest, lpar=[cst.LeftParen()], rpar=[cst.RightParen()])
        self.positions[inner] = self.at(node)
        more = self.lifted(inner)
        before.append(self.branch(name, [*more.before, self.assigned(name, _truth(more.value), node)], node))
        return Lifted(self.named(name, node), before, left.changes or middle.changes or more.changes)

    # --- what is asked -------------------------------------------------------------------------------------------

    def inside(self, node: cst.CSTNode) -> bool:
        return any(self.written_out(call) for call in calls_in(node))

    def changing(self, node: cst.CSTNode) -> bool:
        return any(self.written_out(call) and self.changes(call) for call in calls_in(node))

    def needed(self, node: cst.BaseExpression, whole: bool = False) -> bool:
        """Whether calls in `node` cannot just stand before it: conditional, changing arrays, or in one another."""
        for call in calls_in(node):
            if self.written_out(call):
                if any(self.inside(arg) for arg in call.args):
                    return True
                if not (whole and call is node) and self.ordered(call):
                    return True
        return any(self.inside(arm) for each in nodes_in(node) for arm in _arms(each))

    def at(self, node: cst.CSTNode) -> Position:
        return self.positions.get(node) or self.method.position(self.method.function.name)

    # --- nodes ---------------------------------------------------------------------------------------------------

    def indexed(self, target: cst.BaseExpression, indexes: Sequence[Lifted]) -> cst.Subscript:
        target = cst.ensure_type(target, cst.Subscript)
        elements = [cst.SubscriptElement(cst.Index(each.value)) for each in indexes]
        return self.remade(target, slice=elements)

    def branch(
        self,
        test: str,
        body: Sequence[cst.BaseStatement],
        node: cst.CSTNode,
        orelse: Sequence[cst.BaseStatement] | None = None,
    ) -> cst.BaseStatement:
        [made] = parsed(f"if {test}:\n    pass\n")
        other = None if orelse is None else cst.Else(cst.IndentedBlock(orelse))
        made = made.with_changes(body=cst.IndentedBlock(body), orelse=other)
        self.place(made, self.at(node))
        return made

    def assigned(self, name: str, value: cst.BaseExpression, node: cst.CSTNode) -> cst.BaseStatement:
        line = cst.SimpleStatementLine([cst.Assign([cst.AssignTarget(cst.Name(name))], value)])
        self.place(line, self.at(node))
        return line

    def named(self, name: str, node: cst.CSTNode) -> cst.Name:
        made = cst.Name(name)
        self.place(made, self.at(node))
        return made

    def name(self, stem: str, node: cst.CSTNode) -> str:
        name = unused(stem, self.taken, self.method.namespace)
        self.taken.add(name)
        self.spelled[name] = code_of(node)
        return name


def _arms(node: cst.CSTNode) -> Sequence[cst.CSTNode]:
    """The parts of an expression that Python may not come to."""
    if isinstance(node, cst.BooleanOperation):
        return (node.right,)
    if isinstance(node, cst.IfExp):
        return (node.body, node.orelse)
    return node.comparisons[1:] if isinstance(node, cst.Comparison) else ()


def _operands(node: cst.CSTNode) -> list[cst.BaseExpression]:
    """The expressions directly in `node`, in the order in which Python evaluates them."""
    found: list[cst.BaseExpression] = []
    for child in children_of(node):
        if isinstance(child, cst.BaseExpression):
            found.append(child)
        elif isinstance(child, cst.Arg):
            found.append(child.value)
        elif isinstance(child, cst.ComparisonTarget | cst.Element | cst.SubscriptElement | cst.Index):
            found += _operands(child)
    return found


def _with_operands(
    node: cst.BaseExpression, values: dict[cst.BaseExpression, cst.BaseExpression], lifter: Lifter
) -> cst.BaseExpression:
    """`node` with other operands."""
    if all(part is value for part, value in values.items()):
        return node
    replacer = _Operands(values, lifter.positions)
    return cast(cst.BaseExpression, node.visit(replacer))


class _Operands(Tracked):
    """Puts values in place of operands, and leaves alone what is in them."""

    def __init__(self, values: dict[cst.BaseExpression, cst.BaseExpression], positions: dict) -> None:  # type: ignore[type-arg]
        super().__init__(positions)
        self.values = values

    def on_visit(self, node: cst.CSTNode) -> bool:
        return node not in self.values

    def on_leave(self, original_node: cst.CSTNode, updated_node: cst.CSTNode) -> cst.CSTNode:  # type: ignore[override]
        if original_node in self.values:
            return self.values[cast(cst.BaseExpression, original_node)]
        return super().on_leave(original_node, updated_node)


def _truth(node: cst.BaseExpression) -> cst.BaseExpression:
    """The truth of an expression as a Python bool, however `bool` is bound."""
    inner = node if node.lpar else node.with_changes(lpar=[cst.LeftParen()], rpar=[cst.RightParen()])
    return cst.UnaryOperation(cst.Not(), cst.UnaryOperation(cst.Not(), inner))
