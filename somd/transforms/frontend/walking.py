"""Walks through trees that change nothing.

In: a node of libcst. Out: its children, all nodes in it, or calls of a reader's hooks, in source order. Layout (white
space, comments, empty lines) is left out. libcst's own visitors and `children` make every node on their way anew, which
was half of the time of a compilation; nothing is made here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, ClassVar, final

import libcst as cst

#: parts of the names of attributes that hold layout alone
_LAYOUT_NAMES = ("whitespace", "lines", "header", "footer")
#: the attributes of a class of nodes that may hold children, in source order
_attributes: dict[type[cst.CSTNode], tuple[str, ...]] = {}


class _Order(cst.CSTVisitor):
    """Notes the attributes of one node in the order in which libcst looks at them."""

    def __init__(self) -> None:
        super().__init__()
        self.names: list[str] = []

    def on_visit(self, node: cst.CSTNode) -> bool:
        return False

    def on_visit_attribute(self, node: cst.CSTNode, attribute: str) -> None:
        self.names.append(attribute)


def _attributes_of(node: cst.CSTNode) -> tuple[str, ...]:
    order = _Order()
    node._visit_and_replace_children(order)
    names = tuple(name for name in order.names if not any(part in name for part in _LAYOUT_NAMES))
    # an attribute that is None and was not looked at may hold a child in another node of this class
    if all(name in order.names or value is not None for name, value in _values(node)):
        _attributes[type(node)] = names
    return names


def _values(node: cst.CSTNode) -> list[tuple[str, object]]:
    return [(name, getattr(node, name)) for name in type(node).__dataclass_fields__]


def children_of(node: cst.CSTNode) -> list[cst.CSTNode]:
    """The nodes directly in `node`, layout left out."""
    found: list[cst.CSTNode] = []
    names = _attributes.get(type(node))
    for name in _attributes_of(node) if names is None else names:
        value = getattr(node, name)
        if isinstance(value, tuple | list):
            found += value
        elif value is not None and value is not cst.MaybeSentinel.DEFAULT:
            found.append(value)
    return found


def nodes_in(node: cst.CSTNode) -> Iterator[cst.CSTNode]:
    """`node` and everything in it, in source order, layout left out."""
    waiting = [node]
    while waiting:
        node = waiting.pop()
        yield node
        waiting += reversed(children_of(node))


class Reader(cst.CSTVisitor):
    """A visitor with hooks `visit_For`, `leave_For` and so on, as libcst has them; `node.visit(reader)` starts it.

    It has no hooks for layout, nor for attributes (`visit_For_iter`).
    """

    _visits: ClassVar[dict[str, Callable[[Any, Any], bool | None]]]
    _leaves: ClassVar[dict[str, Callable[[Any, Any], None]]]

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        own = {name for kind in cls.__mro__ if issubclass(kind, Reader) for name in vars(kind)}
        cls._visits = {name[6:]: getattr(cls, name) for name in own if name.startswith("visit_")}
        cls._leaves = {name[6:]: getattr(cls, name) for name in own if name.startswith("leave_")}

    @final
    def on_visit(self, node: cst.CSTNode) -> bool:
        """Walk through `node`, and let libcst, which calls this for the first node, not walk through it as well."""
        visit = self._visits.get(type(node).__name__)
        if visit is None or visit(self, node) is not False:
            leaves = self._leaves
            for child in children_of(node):
                self.on_visit(child)
                leave = leaves.get(type(child).__name__) if leaves else None
                if leave is not None:
                    leave(self, child)
        return False
