"""Typed access to what libcst's transformations give back, and transformers that keep the places of nodes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TypeVar, cast

import libcst as cst

from somd.diagnostics.model import Position
from somd.transforms.stages import Method
from somd.transforms.tree.names import assigned_names, new_name
from somd.transforms.tree.walking import Node, Transformer, children_of, nodes_in


def transformed_statement(node: cst.BaseStatement, transformer: cst.CSTTransformer) -> cst.BaseStatement:
    """`node` after `transformer`, which must keep it a statement."""
    return cast(cst.BaseStatement, node.visit(transformer))


def transformed_expression(node: cst.BaseExpression, transformer: cst.CSTTransformer) -> cst.BaseExpression:
    """`node` after `transformer`, which must keep it an expression."""
    return cast(cst.BaseExpression, node.visit(transformer))


def parsed(*texts: str) -> list[cst.BaseStatement]:
    """One statement from each text."""
    return [cast(cst.BaseStatement, cst.parse_statement(text)) for text in texts]


def list_of_one(value: cst.BaseExpression) -> cst.List:
    """`[value]`, a tuple in its parentheses."""
    if isinstance(value, cst.Tuple):
        value = value.with_changes(lpar=[cst.LeftParen()], rpar=[cst.RightParen()])
    return cst.List([cst.Element(value)])


def code_of(node: cst.CSTNode) -> str:
    """The text of a node, in one line."""
    return " ".join(cst.Module([]).code_for_node(node).split())


def rewritten(method: Method, function: cst.FunctionDef, positions: Mapping[cst.CSTNode, Position]) -> Method:
    """`method` with another function, whose locals are looked up anew."""
    names = frozenset(assigned_names(function.body) | set(method.param_names))
    return replace(method, function=function, positions=positions, local_names=names)


Labelled = TypeVar("Labelled", cst.Attribute, cst.Arg)


def with_own_label(original: Labelled, updated: Labelled) -> Labelled:
    """`updated` with the label that `original` has: the name of an attribute or a keyword, which is no variable."""
    label = "attr" if isinstance(original, cst.Attribute) else "keyword"
    before = getattr(original, label)
    return updated if getattr(updated, label) is before else updated.with_changes(**{label: before})


class Tracked(Transformer):
    """A transformer that enters the nodes it makes in `positions`, at the places of the original ones.

    What stays as it is keeps its nodes: the tree it makes takes the place of the one it is given.
    """

    _anew = False

    def __init__(self, positions: dict[cst.CSTNode, Position]) -> None:
        super().__init__()
        self.positions = positions

    def on_leave(self, original_node: cst.CSTNode, updated_node: cst.CSTNode) -> cst.CSTNode:  # type: ignore[override]
        made = super().on_leave(original_node, updated_node)
        if made is not original_node and isinstance(made, cst.CSTNode) and original_node in self.positions:
            self.positions[made] = self.positions[original_node]
        return made  # type: ignore[return-value]

    def place(self, made: cst.CSTNode, place: Position) -> None:
        """Let `made` and all that is new in it stand at `place`."""
        for node in nodes_in(made):
            self.positions.setdefault(node, place)

    def remade(self, node: Node, **changes: object) -> Node:
        """`node` with other attributes, at its place; itself where they are what it has."""
        if all(getattr(node, name) is value for name, value in changes.items()):
            return node
        made = node.with_changes(**changes)
        if node in self.positions:
            self.positions[made] = self.positions[node]
        return made

    def enclosed(self, node: cst.BaseExpression) -> cst.BaseExpression:
        """An expression as an operand of another one."""
        if node.lpar or isinstance(node, cst.Name | cst.BaseNumber | cst.Subscript | cst.Call | cst.Attribute):
            return node
        return self.remade(node, lpar=[cst.LeftParen()], rpar=[cst.RightParen()])


class MethodRewriter(Tracked):
    """A transformer that gives a method another function; `spelled`: what the user wrote where it makes names."""

    def __init__(self, method: Method) -> None:
        super().__init__(dict(method.positions))
        self.method = method
        self.taken = set(method.local_names)
        self.spelled: dict[str, str] = {}

    def new(self, wanted: str, spelled: str) -> str:
        """A name that nothing else has; `spelled` is what the user wrote."""
        name = new_name(wanted, self.taken)
        self.spelled[name] = spelled
        return name

    def loop_over(self, loop: cst.For, over: cst.BaseExpression, body: Sequence[cst.BaseStatement]) -> cst.For:
        """A copy of a loop over `over`, with another body."""
        target = loop.target.deep_clone()
        made = loop.with_changes(target=target, iter=over, body=cst.IndentedBlock(body), leading_lines=())
        self.positions[target] = self.positions[loop.target]
        self.positions[made] = self.positions[loop]
        return made

    def rewritten(self) -> Method:
        """The method as this transformer makes it; itself where it changes nothing."""
        function = cast(cst.FunctionDef, self.method.function.visit(self))
        if function is self.method.function:
            return self.method
        made = rewritten(self.method, function, self.positions)
        return replace(made, spelled={**self.method.spelled, **self.spelled})


def inside(node: cst.CSTNode, outer: Sequence[cst.CSTNode]) -> bool:
    """Whether `node` is one of `outer` or stands in one."""
    return any(node is each or inside(node, children_of(each)) for each in outer)
