"""Which names have a value where they are read: definite assignment, forwards over structured code.

In: statements, and the names that have a value before them. Out: the reads of names that may have none, each with the
statement that it stands in. A loop over a range of constants that has turns is known to have them; of any other loop
nothing is known. A name that is read only where it was assigned counts as assigned on this way, too: where it had no
value the way has ended.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass

import libcst as cst

from somd.transforms.stages import Method
from somd.transforms.tree.loops import (
    else_statements,
    integer_constant,
    range_of,
    small_statements,
    statements_of,
)
from somd.transforms.tree.names import assigned_names, names_read
from somd.transforms.tree.walking import children_of


@dataclass(frozen=True)
class Unset:
    """A statement that reads names which may have no value, in its header if it is a compound one.

    They stand in the order in which Python evaluates them. `always` are those of them that have none whenever the
    statement is reached, `perhaps` those that are read only where an expression comes to them.
    """

    statement: cst.CSTNode
    names: tuple[str, ...]
    always: frozenset[str] = frozenset()
    perhaps: frozenset[str] = frozenset()


@dataclass(frozen=True)
class _Values:
    """The names that have a value, and those that may have one."""

    sure: frozenset[str]
    possible: frozenset[str]

    def plus(self, names: Collection[str]) -> _Values:
        return _Values(self.sure.union(names), self.possible.union(names))


#: None where no way leads
Way = _Values | None


def unset_reads(
    statements: Sequence[cst.CSTNode], method: Method, known: Collection[str], tracked: Collection[str]
) -> tuple[Unset, ...]:
    """The reads of `tracked` names that may have no value; `known` have one before."""
    found: list[Unset] = []
    walker = _Walker(method, frozenset(tracked), found.append)
    walker.block(statements, _Values(frozenset(known), frozenset(known)))
    return tuple(found)


def read_from_before(statements: Sequence[cst.CSTNode], method: Method) -> frozenset[str]:
    """The names whose value from before `statements` may be read in them."""
    names = frozenset[str]().union(*(assigned_names(each) for each in statements))
    reads = unset_reads(statements, method, (), names)
    others = frozenset[str]().union(*(names_read(each) for each in statements)) - names
    return others | {name for each in reads for name in each.names}


@dataclass
class _Loop:
    """Where the ways meet that end a turn, and those that leave the loop."""

    turned: list[Way]
    left: list[Way]


class _Walker:
    def __init__(self, method: Method, tracked: frozenset[str], report: Callable[[Unset], None]) -> None:
        self.method, self.tracked, self.report = method, tracked, report
        #: the loops around, outermost that of which the statements are the body
        self.loops = [_Loop([], [])]

    def block(self, statements: Sequence[cst.CSTNode], way: Way) -> Way:
        """The values behind `statements`."""
        for node in small_statements(statements):
            if way is None:
                break
            way = self.statement(node, way)
        return way

    def statement(self, node: cst.CSTNode, way: _Values) -> Way:
        if isinstance(node, cst.If):
            way = self.read(node, [node.test], way)
            taken = self.block(statements_of(node.body), way)
            return _meet([taken, self.block(else_statements(node), way)])
        if isinstance(node, cst.For):
            return self.over(node, self.read(node, [node.iter], way))
        if isinstance(node, cst.While):
            return self.repeated(node, self.read(node, [node.test], way))
        if isinstance(node, cst.With):
            way = self.read(node, [item.item for item in node.items], way)
            return self.block(statements_of(node.body), way)
        if isinstance(node, cst.Break | cst.Continue):
            loop = self.loops[-1]
            (loop.left if isinstance(node, cst.Break) else loop.turned).append(way)
            return None
        way = self.read(node, _values(node), way)
        return None if isinstance(node, cst.Return | cst.Raise) else way.plus(assigned_names(node))

    def read(self, node: cst.CSTNode, values: Sequence[cst.CSTNode], way: _Values) -> _Values:
        read = frozenset[str]().union(*(names_read(value) for value in values)) & self.tracked
        unset = read - way.sure
        if not unset:
            return way
        always = unset - way.possible
        perhaps = unset - frozenset[str]().union(*(_read_first(value) for value in values))
        ordered = dict.fromkeys(name for value in values for name in _evaluated(value) if name in unset)
        self.report(Unset(node, tuple(ordered), always, perhaps))
        return way.plus(unset - perhaps)

    def over(self, node: cst.For, way: _Values) -> Way:
        self.loops.append(_Loop([], []))
        target = names_read(node.target)
        inside = _Values(way.sure, way.possible | assigned_names(node.body)).plus(target)
        end = self.block(statements_of(node.body), inside)
        loop = self.loops.pop()
        turned = _meet([end, *loop.turned])
        none = None if self.turns(node) else way
        return _meet([turned if none is None else _less(turned, none), *loop.left])

    def repeated(self, node: cst.While, way: _Values) -> Way:
        self.loops.append(_Loop([], []))
        end = self.block(statements_of(node.body), _Values(way.sure, way.possible | assigned_names(node.body)))
        loop = self.loops.pop()
        always = isinstance(node.test, cst.Name) and node.test.value == "True"
        turned = _meet([end, *loop.turned])
        return _meet([None if always else _less(turned, way), *loop.left])

    def turns(self, node: cst.For) -> bool:
        """Whether a loop is known to have turns."""
        header = range_of(node)
        limits = () if header is None else (header.start, header.stop, header.step)
        values = [integer_constant(limit, self.method) for limit in limits]
        return bool(values) and None not in values and values[2] != 0 and len(range(*values)) > 0  # type: ignore[arg-type]


def _less(turned: Way, none: _Values) -> _Values:
    """Behind a loop that may have no turn."""
    found = _meet([turned, none])
    assert found is not None
    return found


def _meet(ways: Sequence[Way]) -> Way:
    taken = [way for way in ways if way is not None]
    if not taken:
        return None
    sure = taken[0].sure.intersection(*(way.sure for way in taken))
    return _Values(sure, taken[0].possible.union(*(way.possible for way in taken)))


def _values(node: cst.CSTNode) -> list[cst.CSTNode]:
    """What a small statement reads: everything but the names that it assigns."""
    if isinstance(node, cst.Assign):
        return [node.value, *(part for each in node.targets for part in _elements(each.target))]
    if isinstance(node, cst.AnnAssign):
        return [] if node.value is None else [node.value, *_elements(node.target)]
    return [node]


def _elements(target: cst.BaseExpression) -> list[cst.CSTNode]:
    if isinstance(target, cst.Tuple):
        return [part for each in target.elements for part in _elements(each.value)]
    return [] if isinstance(target, cst.Name) else [target]


def _evaluated(node: cst.CSTNode) -> Iterator[str]:
    """The names that `node` mentions, in the order in which Python comes to them."""
    if isinstance(node, cst.Name):
        yield node.value
        return
    for part in _parts(node):
        yield from _evaluated(part)


def _parts(node: cst.CSTNode) -> Sequence[cst.CSTNode]:
    """What is in `node`, in the order in which Python evaluates it."""
    if isinstance(node, cst.Attribute | cst.Arg):
        return (node.value,)
    if isinstance(node, cst.IfExp):
        return (node.test, node.body, node.orelse)
    return children_of(node)


def evaluated_before(node: cst.CSTNode, name: str) -> list[cst.BaseExpression]:
    """What a small statement, or an expression, has evaluated when it first reads `name`, which it surely does: the
    expressions that may raise."""
    found: list[cst.BaseExpression] = []
    parts: Sequence[cst.CSTNode] = _values(node)
    while parts:
        first = next((k for k, part in enumerate(parts) if name in _evaluated(part)), len(parts))
        found += [each for part in parts[:first] for each in _that_may_raise(part)]
        parts = _parts(parts[first]) if first < len(parts) else ()
    return found


def _that_may_raise(node: cst.CSTNode) -> Iterator[cst.BaseExpression]:
    if isinstance(node, cst.Subscript | cst.Call | cst.BinaryOperation | cst.BooleanOperation | cst.IfExp):
        yield node
        return
    for part in _parts(node):
        yield from _that_may_raise(part)


def _read_first(node: cst.CSTNode) -> frozenset[str]:
    """The names that evaluating `node` reads in any case."""
    if isinstance(node, cst.BooleanOperation):
        return _read_first(node.left)
    if isinstance(node, cst.IfExp):
        return _read_first(node.test) | (_read_first(node.body) & _read_first(node.orelse))
    if isinstance(node, cst.Comparison) and len(node.comparisons) > 1:
        return _read_first(node.left) | _read_first(node.comparisons[0])
    if isinstance(node, cst.Arg | cst.Attribute):
        return _read_first(node.value)
    if isinstance(node, cst.Name):
        return frozenset((node.value,))
    return frozenset[str]().union(*(_read_first(child) for child in children_of(node)))
