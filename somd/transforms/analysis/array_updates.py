"""Updates of an array whose copies a fence combines: `h[e] += v`, `h[e] = max(h[e], v)`, `if v > h[e]: h[e] = v`.

In: statements and the name of the array. Out: its updates with their operators, and every other mention of it but for
its shape. Each update has the form that `reductions` recognises for scalars, with one element in the scalar's place.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import libcst as cst

from somd.transforms.analysis.affine import shape_reference
from somd.transforms.analysis.reductions import Accumulator, Form, normalised, update_of
from somd.transforms.stages import Method
from somd.transforms.tree.loops import else_statements, small_statements, statements_of
from somd.transforms.tree.walking import Reader

SHAPES = ("shape", "size", "ndim")


@dataclass(frozen=True)
class Update:
    """One update of an element: its statement and its operator."""

    node: cst.CSTNode
    form: Form
    target: cst.Subscript

    @property
    def op(self) -> str:
        return self.form.op


@dataclass(frozen=True)
class Mention:
    """A use of the array that is no update: the whole access, or the bare name."""

    node: cst.BaseExpression
    write: bool


def updates_of(name: str, statements: Sequence[cst.CSTNode], method: Method) -> tuple[Update, ...]:
    """The updates of elements of `name` in `statements`, in source order."""
    return tuple(_updates(name, statements, method))


def _updates(name: str, statements: Sequence[cst.CSTNode], method: Method) -> Iterator[Update]:
    for node in small_statements(statements):
        target = _target(node)
        if target is not None and isinstance(target.value, cst.Name) and target.value.value == name:
            form = update_of(Accumulator(name, normalised(target)), node, method)
            if form is not None:
                yield Update(node, form, target)
                continue
        if isinstance(node, cst.If):
            yield from _updates(name, statements_of(node.body), method)
            yield from _updates(name, else_statements(node), method)
        elif isinstance(node, cst.For | cst.While | cst.With):
            yield from _updates(name, statements_of(node.body), method)


def _target(node: cst.CSTNode) -> cst.Subscript | None:
    """The element that a statement sets; of an `if`, the one that its only statement sets."""
    target: cst.CSTNode | None = None
    if isinstance(node, cst.AugAssign):
        target = node.target
    elif isinstance(node, cst.Assign) and len(node.targets) == 1:
        target = node.targets[0].target
    elif isinstance(node, cst.If):
        body = list(small_statements(statements_of(node.body)))
        return _target(body[0]) if len(body) == 1 and isinstance(body[0], cst.Assign) else None
    return target if isinstance(target, cst.Subscript) else None


def other_mentions(name: str, statements: Sequence[cst.CSTNode], method: Method) -> tuple[Mention, ...]:
    """Every mention of `name` that is neither part of an update nor about its shape, in source order."""
    own = _Own(name)
    for update in updates_of(name, statements, method):
        own.element = normalised(update.target)
        update.node.visit(own)
    finder = _Others(name, own.names)
    for statement in statements:
        statement.visit(finder)
    return tuple(finder.found)


class _Own(Reader):
    """Collects the names in those mentions of the array that make up an update: the outermost ones of its element."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self.name = name
        self.element = ""
        self.names: list[cst.Name] = []

    def visit_Subscript(self, node: cst.Subscript) -> None:
        if isinstance(node.value, cst.Name) and node.value.value == self.name and normalised(node) == self.element:
            self.names.append(node.value)


class _Others(Reader):
    def __init__(self, name: str, own: Sequence[cst.Name]) -> None:
        super().__init__()
        self.name = name
        self.own = own
        self.writes: list[cst.CSTNode] = []
        self.found: list[Mention] = []

    def visit_AssignTarget(self, node: cst.AssignTarget) -> None:
        self._writes(node.target)

    def visit_AnnAssign(self, node: cst.AnnAssign) -> None:
        self._writes(node.target)

    def visit_AugAssign(self, node: cst.AugAssign) -> None:
        self._writes(node.target)

    def _writes(self, target: cst.BaseExpression) -> None:
        if isinstance(target, cst.Tuple):
            for element in target.elements:
                self._writes(element.value)
        else:
            self.writes.append(target)

    def visit_Attribute(self, node: cst.Attribute) -> bool:
        return node.attr.value not in SHAPES

    def visit_Call(self, node: cst.Call) -> bool:
        return shape_reference(node) is None

    def visit_With(self, node: cst.With) -> bool:
        node.body.visit(self)
        return False

    def visit_Subscript(self, node: cst.Subscript) -> bool:
        if isinstance(node.value, cst.Name) and node.value.value == self.name:
            if not any(node.value is each for each in self.own):
                self.found.append(Mention(node, any(node is each for each in self.writes)))
            for element in node.slice:
                element.visit(self)
            return False
        return True

    def visit_Name(self, node: cst.Name) -> None:
        if node.value == self.name:
            self.found.append(Mention(node, any(node is each for each in self.writes)))
