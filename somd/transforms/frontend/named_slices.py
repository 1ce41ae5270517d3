"""Names for slices, written out where they index.

    here, west = slice(1, -1), np.s_[:-2]          ->   u[1:-1] = u[1:-1] - u[:-2]
    u[here] = u[here] - u[west]

In: the tree of a function, functions in it included. Out: the tree without slices under names: those that are bound
once, at the level of the body, to slices of constants, to indexes beside such, or to tuples of them; and those of the
module. All else stays.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import cast

import libcst as cst
import numpy as np

from somd.diagnostics.model import Position
from somd.transforms.frontend.nested import BINDING, bound_names
from somd.transforms.tree.names import evaluate
from somd.transforms.tree.rewriting import Tracked
from somd.transforms.tree.walking import nodes_in, nodes_of

Items = tuple[cst.BaseSlice, ...]


def without_named_slices(
    tree: cst.FunctionDef, namespace: Mapping[str, object], positions: dict[cst.CSTNode, Position]
) -> cst.FunctionDef:
    """The tree with slices in place of their names."""
    rewriter = _Slices(tree, namespace, positions)
    made = cast(cst.FunctionDef, tree.visit(rewriter))
    return made if rewriter.changed else tree


class _Slices(Tracked):
    def __init__(
        self, tree: cst.FunctionDef, namespace: Mapping[str, object], positions: dict[cst.CSTNode, Position]
    ) -> None:
        super().__init__(positions)
        self.namespace = namespace
        self.bound = Counter(name for node in nodes_of(tree, *BINDING) for name in bound_names(node))
        self.named: dict[str, Items] = {}
        self.changed = False
        body = tree.body.body if isinstance(tree.body, cst.IndentedBlock) else ()
        self.lines = [line for line in body if isinstance(line, cst.SimpleStatementLine) and self.binds(line)]
        used_otherwise = self.used_otherwise(tree)
        self.named = {name: items for name, items in self.named.items() if name not in used_otherwise}

    def binds(self, line: cst.SimpleStatementLine) -> bool:
        """Whether a line gives names to slices; they are noted."""
        found: dict[str, Items] = {}
        for small in line.body:
            if not isinstance(small, cst.Assign) or len(small.targets) != 1:
                return False
            target, value = small.targets[0].target, small.value
            pairs = [(target, value)]
            if isinstance(target, cst.Tuple) and isinstance(value, cst.Tuple):
                if len(target.elements) != len(value.elements):
                    return False
                pairs = [(t.value, v.value) for t, v in zip(target.elements, value.elements, strict=True)]  # type: ignore[misc]
            for name, each in pairs:
                items = self.items(each)
                if items is None or not isinstance(name, cst.Name) or self.bound[name.value] != 1:
                    return False
                found[name.value] = items
        if not any(isinstance(item, cst.Slice) for items in found.values() for item in items):
            return False
        self.named |= found
        return True

    def items(self, node: cst.BaseExpression) -> Items | None:
        """What stands between brackets for a value; None where it is no slice, nor made of such."""
        if isinstance(node, cst.Tuple):
            parts = [self.items(each.value) for each in node.elements]
            if any(part is None or len(part) != 1 for part in parts):
                return None
            return tuple(item for part in parts for item in (part or ()))
        if isinstance(node, cst.Name) and node.value in self.named:
            return self.named[node.value]
        if isinstance(node, cst.Subscript) and self.known(node.value) is np.s_:
            constant = all(_constant(limit) for each in node.slice for limit in nodes_in(each))
            return tuple(each.slice for each in node.slice) if constant else None
        if isinstance(node, cst.Call) and self.known(node.func) is slice and 1 <= len(node.args) <= 3:
            if any(each.keyword or each.star or _limit(each.value) is None for each in node.args):
                return None
            limits = [None if _is_none(each.value) else each.value for each in node.args]
            lower, upper, step = ([None, *limits] if len(limits) == 1 else limits) + [None] * (3 - max(2, len(limits)))
            return (_slice(lower, upper, step),)
        if _limit(node) is not None or isinstance(node, cst.Ellipsis) or _is_none(node):
            return (cst.Index(node),)
        return None

    def known(self, node: cst.BaseExpression) -> object:
        return evaluate(node, self.namespace, self.bound)

    def used_otherwise(self, tree: cst.FunctionDef) -> set[str]:
        """The names that stand somewhere else than between brackets, or where they are bound."""
        inside = {item for node in nodes_of(tree, cst.Subscript) for item in _named_items(node)}
        lines = {node for line in self.lines for node in nodes_in(line)}
        others = set(nodes_of(tree, cst.Name)) - inside - lines
        return {node.value for node in others}

    def leave_SimpleStatementLine(
        self, original_node: cst.SimpleStatementLine, updated_node: cst.SimpleStatementLine
    ) -> cst.SimpleStatementLine | cst.RemovalSentinel:
        bound = {name for small in original_node.body for name in bound_names(small)}
        if original_node in self.lines and bound <= set(self.named):
            self.changed = True
            return cst.RemovalSentinel.REMOVE
        return updated_node

    def leave_Subscript(self, original_node: cst.Subscript, updated_node: cst.Subscript) -> cst.Subscript:
        elements: list[cst.SubscriptElement] = []
        for element in updated_node.slice:
            items = self.between(element, len(updated_node.slice))
            elements += [element] if items is None else [cst.SubscriptElement(item.deep_clone()) for item in items]
        if elements == list(updated_node.slice):
            return updated_node
        self.changed = True
        made = updated_node.with_changes(slice=elements)
        self.place(made, self.positions[original_node])
        return made

    def between(self, element: cst.SubscriptElement, count: int) -> Items | None:
        """What a name between brackets stands for."""
        if not isinstance(element.slice, cst.Index) or not isinstance(element.slice.value, cst.Name):
            return None
        name = element.slice.value
        items = self.named.get(name.value)
        if items is None and name.value not in self.bound:
            items = _items_of_value(evaluate(name, self.namespace))
        return items if items is None or count == 1 or len(items) == 1 else None


def _named_items(node: cst.Subscript) -> list[cst.CSTNode]:
    """The names that stand alone between brackets; a name for a tuple is the only one."""
    return [each.slice.value for each in node.slice if isinstance(each.slice, cst.Index)]


def _items_of_value(value: object) -> Items | None:
    """What stands between brackets for a slice of the module, or a tuple of slices and integers."""
    values: Sequence[object] = value if isinstance(value, tuple) else (value,)
    if not values or not isinstance(value, tuple | slice):
        return None
    made: list[cst.BaseSlice] = []
    for each in values:
        limits = (each.start, each.stop, each.step) if isinstance(each, slice) else (each,)
        if not all(limit is None or type(limit) is int for limit in limits):
            return None
        nodes = [None if limit is None else cst.parse_expression(str(limit)) for limit in limits]
        made.append(_slice(*nodes) if isinstance(each, slice) else cst.Index(nodes[0] or cst.Name("None")))
    return tuple(made)


def _slice(
    lower: cst.BaseExpression | None, upper: cst.BaseExpression | None, step: cst.BaseExpression | None
) -> cst.Slice:
    return cst.Slice(lower, upper, step)


def _limit(node: cst.BaseExpression) -> cst.BaseExpression | None:
    """A limit of a slice that is the same wherever it stands."""
    inner = node.expression if isinstance(node, cst.UnaryOperation) else node
    return node if isinstance(inner, cst.Integer) or _is_none(node) else None


def _is_none(node: cst.BaseExpression) -> bool:
    return isinstance(node, cst.Name) and node.value == "None"


def _constant(node: cst.CSTNode) -> bool:
    """Whether a node has the same value wherever it stands."""
    return not isinstance(node, cst.Call | cst.Name | cst.Attribute) or _is_none(cast(cst.BaseExpression, node))
