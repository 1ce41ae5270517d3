"""Walks through trees that leave out layout: white space, comments, empty lines.

In: a node of libcst. Out: its children, all nodes in it, or calls of a visitor's hooks, in source order. libcst's own
visitors and `children` make every node on their way anew and look for hooks for each piece of white space, which was
half of the time of a compilation. Here nothing is made by what only reads, and what changes trees copies cheaply.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import fields
from functools import cache
from itertools import islice
from operator import is_
from typing import Any, ClassVar, Literal, TypeVar, get_args, get_origin, overload

import libcst as cst

#: parts of the names of attributes that hold layout alone
_LAYOUT_NAMES = ("whitespace", "lines", "header", "footer")
_SEQUENCES = (tuple, list)
Node = TypeVar("Node", bound=cst.CSTNode)
A = TypeVar("A", bound=cst.CSTNode)
B = TypeVar("B", bound=cst.CSTNode)
C = TypeVar("C", bound=cst.CSTNode)
D = TypeVar("D", bound=cst.CSTNode)
_DEFAULT = cst.MaybeSentinel.DEFAULT
#: the attributes of a class of nodes that may hold children, in source order
_attributes: dict[type[cst.CSTNode], tuple[str, ...]] = {}
#: functions that give the children of nodes of a class
_readers: dict[type[cst.CSTNode], Callable[[Any], list[cst.CSTNode]]] = {}


class _Order(cst.CSTVisitor):
    """Notes the attributes of one node in the order in which libcst looks at them."""

    def __init__(self) -> None:
        super().__init__()
        self.names: list[str] = []

    def on_visit(self, node: cst.CSTNode) -> bool:
        return False

    def on_visit_attribute(self, node: cst.CSTNode, attribute: str) -> None:
        self.names.append(attribute)


def _names_of(node: cst.CSTNode) -> tuple[str, ...]:
    """The attributes that may hold children of `node`, in source order."""
    names = _attributes.get(type(node))
    return _noted(node) if names is None else names


def _noted(node: cst.CSTNode) -> tuple[str, ...]:
    order = _Order()
    node._visit_and_replace_children(order)
    names = tuple(name for name in order.names if not any(part in name for part in _LAYOUT_NAMES))
    # an attribute that is None and was not looked at may hold children in another node of this class
    others = [field for field in fields(node) if field.name not in order.names and not _is_text(field.type)]
    if all(getattr(node, field.name) is not None for field in others):
        _attributes[type(node)] = names
    return names


def _is_text(kind: object) -> bool:
    """Whether the type of an attribute is a text or None."""
    return all(part in (str, type(None)) or get_origin(part) is Literal for part in get_args(kind))


def children_of(node: cst.CSTNode) -> list[cst.CSTNode]:
    """The nodes directly in `node`, layout left out."""
    return (_readers.get(type(node)) or _reader(node))(node)


def _reader(node: cst.CSTNode) -> Callable[[Any], list[cst.CSTNode]]:
    """Reads the children of nodes of one class: a list of its attributes as text, which is the quickest Python has."""
    names = _names_of(node)
    kinds = {field.name: field.type for field in fields(node)}
    read: Callable[[Any], list[cst.CSTNode]] = eval(
        f"lambda node: [{', '.join(_read_as(name, kinds[name]) for name in names)}]", {"_any_of": _any_of}
    )
    if type(node) in _attributes:
        _readers[type(node)] = read
    return read


def has_children(kind: type[Node], name: str, reader: Callable[[Node], list[Any]]) -> None:
    """Enter a class of nodes that libcst does not have: the attribute that holds its children, and what reads them."""
    _attributes[kind], _readers[kind] = (name,), reader


def _read_as(name: str, kind: Any) -> str:
    """An attribute in a list, by the type that libcst gives it."""
    if isinstance(kind, type) and issubclass(kind, cst.CSTNode):
        return f"node.{name}"
    return f"*node.{name}" if get_origin(kind) is Sequence else f"*_any_of(node.{name})"


def _any_of(value: Any) -> Sequence[cst.CSTNode]:
    """What an attribute holds that may be a node, several, none, or left to libcst."""
    if not value or value is _DEFAULT:
        return ()
    return value if isinstance(value, _SEQUENCES) else (value,)


def nodes_in(node: cst.CSTNode) -> Iterator[cst.CSTNode]:
    """`node` and everything in it, in source order, layout left out."""
    waiting = [node]
    while waiting:
        node = waiting.pop()
        yield node
        found = (_readers.get(type(node)) or _reader(node))(node)
        if found:
            found.reverse()
            waiting += found


@overload
def nodes_of(node: cst.CSTNode, a: type[A], b: type[B], /) -> Iterator[A | B]: ...
@overload
def nodes_of(node: cst.CSTNode, a: type[A], b: type[B], c: type[C], /) -> Iterator[A | B | C]: ...
@overload
def nodes_of(node: cst.CSTNode, a: type[A], b: type[B], c: type[C], d: type[D], /) -> Iterator[A | B | C | D]: ...
@overload
def nodes_of(node: cst.CSTNode, *kinds: type[Node]) -> Iterator[Node]: ...
def nodes_of(node: cst.CSTNode, *kinds: type[cst.CSTNode]) -> Iterator[cst.CSTNode]:
    """What is of these classes, which have no subclasses, among `nodes_in`.

    Much quicker than asking each node with isinstance, which Python code answers for libcst's classes; and where none
    of them stands in expressions, those are not looked through.
    """
    outside = _stand_outside(kinds)
    readers = _readers
    waiting = [node]
    while waiting:
        each = waiting.pop()
        kind = type(each)
        if kind in kinds:
            yield each
        if not (outside and _is_expression(kind)):
            found = (readers.get(kind) or _reader(each))(each)
            if found:
                found.reverse()
                waiting += found


def holds(node: cst.CSTNode, *kinds: type[cst.CSTNode]) -> bool:
    """Whether a node of one of these classes, which have no subclasses, is `node` or stands in it."""
    return next(nodes_of(node, *kinds), None) is not None


Hooks = dict[type[cst.CSTNode], Callable[..., Any]]


def _hooks(cls: type, base: type, start: str) -> Hooks:
    """The hooks that a class has beyond those of `base`, by their nodes."""
    own = {name for kind in cls.__mro__ if issubclass(kind, base) for name in vars(kind) if name.startswith(start)}
    assert not any("_" in name.removeprefix(start) for name in own), f"{cls.__name__} has hooks that are never called"
    return {getattr(cst, name.removeprefix(start)): getattr(cls, name) for name in own}


@cache
def _is_expression(kind: type[cst.CSTNode]) -> bool:
    return issubclass(kind, cst.BaseExpression)


#: what does not stand in expressions
_OUTSIDE = (cst.BaseStatement, cst.BaseSmallStatement, cst.BaseSuite, cst.Else, cst.AssignTarget)


def _only_outside(*hooks: Hooks) -> bool:
    """Whether no hook is for a node that may stand in an expression: expressions need not be looked at then."""
    return all(issubclass(kind, _OUTSIDE) for kinds in hooks for kind in kinds)


@cache
def _stand_outside(kinds: tuple[type[cst.CSTNode], ...]) -> bool:
    assert not any(kind.__subclasses__() for kind in kinds), f"of {kinds} there are subclasses"
    return all(issubclass(kind, _OUTSIDE) for kind in kinds)


class Reader(cst.CSTVisitor):
    """A visitor with hooks `visit_For`, `leave_For` and so on, as libcst has them; `node.visit(reader)` starts it.

    It has no hooks for layout, nor for attributes (`visit_For_iter`).
    """

    _visits: ClassVar[Hooks]
    _leaves: ClassVar[Hooks]
    _statements_only: ClassVar[bool]

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        cls._visits, cls._leaves = _hooks(cls, Reader, "visit_"), _hooks(cls, Reader, "leave_")
        cls._statements_only = _only_outside(cls._visits, cls._leaves)

    def on_visit(self, node: cst.CSTNode) -> bool:
        """Walk through `node`, and let libcst, which calls this for the first node, not walk through it as well."""
        visit = self._visits.get(type(node))
        if visit is None or visit(self, node) is not False:
            leaves, statements_only = self._leaves, self._statements_only
            for child in children_of(node):
                if statements_only and _is_expression(type(child)):
                    continue
                self.on_visit(child)
                leave = leaves.get(type(child)) if leaves else None
                if leave is not None:
                    leave(self, child)
        return False


class Transformer(cst.CSTTransformer):
    """A transformer with hooks `visit_For`, `leave_For` and so on, as libcst has them; `node.visit(transformer)` starts
    it. Every node is made anew, the unchanged ones too, but for layout, which is shared.

    It has no hooks for layout, nor for attributes (`visit_For_iter`).
    """

    _visits: ClassVar[Hooks]
    _leaves: ClassVar[Hooks]
    _statements_only: ClassVar[bool]
    #: whether a node is made anew where nothing in it is another; where not, `on_leave` is for changes and hooks alone
    _anew: ClassVar[bool] = True
    #: how many nodes came out of a hook as another than they went in
    _changes = 0
    #: the node that libcst calls `on_leave` for next, and what was made of it
    _first: tuple[cst.CSTNode, cst.CSTNode] | None = None

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        cls._visits, cls._leaves = _hooks(cls, Transformer, "visit_"), _hooks(cls, Transformer, "leave_")
        cls._statements_only = not cls._anew and _only_outside(cls._visits, cls._leaves)

    def on_visit(self, node: cst.CSTNode) -> bool:
        """Transform what is in `node`, and let libcst, which calls this for the first node, not do so as well."""
        self._first = (node, self._inside(node))
        return False

    def on_leave(  # type: ignore[override]
        self, original_node: cst.CSTNode, updated_node: cst.CSTNode
    ) -> cst.CSTNode | cst.RemovalSentinel | cst.FlattenSentinel[cst.CSTNode]:
        if self._first is not None and self._first[0] is original_node:
            updated_node, self._first = self._first[1], None
        leave = self._leaves.get(type(original_node))
        return updated_node if leave is None else leave(self, original_node, updated_node)

    def _inside(self, node: cst.CSTNode) -> cst.CSTNode:
        """`node` with its children transformed; itself where its hook does not want them to be."""
        visit = self._visits.get(type(node))
        if visit is not None and visit(self, node) is False:
            return node
        before = self._changes
        children = children_of(node)
        made = self._all_of(children)
        if not self._anew and all(map(is_, made, children)):
            return node
        return _copied(node, made) if self._changes == before else node._visit_and_replace_children(_Given(node, made))

    def _all_of(self, children: Sequence[cst.CSTNode]) -> list[Any]:
        made: list[Any] = []
        for child in children:
            if self._statements_only and _is_expression(type(child)):
                made.append(child)
                continue
            updated = self._inside(child)
            if updated is child and not self._anew and type(child) not in self._leaves:
                made.append(child)
                continue
            left = self.on_leave(child, updated)
            self._changes += left is not updated and not _other_name(left, updated)
            made.append(left)
        return made


def _other_name(made: object, before: cst.CSTNode) -> bool:
    """Whether one name stands for another, which may stand wherever that one does."""
    return type(made) is cst.Name is type(before) and bool(made.lpar) == bool(before.lpar)


def _copied(node: cst.CSTNode, children: Sequence[Any]) -> cst.CSTNode:
    """A copy of `node` with copies of its children. Nothing is validated again: what was valid stays so."""
    given = iter(children)
    made, put = object.__new__(type(node)), object.__setattr__
    names = _names_of(node)
    for name in _others_of(type(node), names):
        put(made, name, getattr(node, name))
    for name in names:
        value = getattr(node, name)
        if not value or value is _DEFAULT:
            put(made, name, value)
        elif isinstance(value, _SEQUENCES):
            put(made, name, tuple(islice(given, len(value))))
        else:
            put(made, name, next(given))
    return made


@cache
def _others_of(kind: type[cst.CSTNode], names: tuple[str, ...]) -> tuple[str, ...]:
    """The attributes beside those that may hold children."""
    return tuple(field.name for field in fields(kind) if field.name not in names)


class _Given(cst.CSTTransformer):
    """Puts what was made of the children of a node in their places, as libcst does it."""

    def __init__(self, node: cst.CSTNode, made: Sequence[Any]) -> None:
        super().__init__()
        self.left = list(zip(children_of(node), made, strict=True))

    def on_visit(self, node: cst.CSTNode) -> bool:
        return False

    def on_leave(self, original_node: cst.CSTNode, updated_node: cst.CSTNode) -> Any:
        if self.left and self.left[0][0] is original_node:
            return self.left.pop(0)[1]
        return updated_node
