"""Which names have a value where they are read: definite assignment, forwards over structured code.

In: statements, and the names that have a value before them. Out: the reads of names that may have none, each with the
statement that it stands in. A loop over a range of constants that has turns is known to have them; of any other loop
nothing is known. A name that is read only where it was assigned counts as assigned on this way, too: where it had no
value the way has ended.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass

import libcst as cst

from somd.transforms.frontend.loops import (
    else_statements,
    integer_constant,
    range_of,
    small_statements,
    statements_of,
)
from somd.transforms.frontend.names import assigned_names, names_read
from somd.transforms.stages import Method

#: the names that have a value; None where no way leads
Names = frozenset[str] | None


@dataclass(frozen=True)
class Unset:
    """A statement that reads names which may have no value, in its header if it is a compound one."""

    statement: cst.CSTNode
    names: tuple[str, ...]


def unset_reads(
    statements: Sequence[cst.CSTNode], method: Method, known: Collection[str], tracked: Collection[str]
) -> tuple[Unset, ...]:
    """The reads of `tracked` names that may have no value; `known` have one before."""
    found: list[Unset] = []
    walker = _Walker(method, frozenset(tracked), found.append)
    walker.block(statements, frozenset(known))
    return tuple({each.statement: each for each in found}.values())


def read_from_before(statements: Sequence[cst.CSTNode], method: Method) -> frozenset[str]:
    """The names whose value from before `statements` may be read in them."""
    names = frozenset().union(*(assigned_names(each) for each in statements))
    reads = unset_reads(statements, method, (), names)
    others = frozenset().union(*(names_read(each) for each in statements)) - names
    return others | {name for each in reads for name in each.names}


@dataclass
class _Loop:
    """Where the ways meet that leave a turn, and those that leave the loop."""

    turned: list[Names]
    left: list[Names]


class _Walker:
    def __init__(self, method: Method, tracked: frozenset[str], report: Callable[[Unset], None]) -> None:
        self.method, self.tracked, self.report = method, tracked, report
        self.loops: list[_Loop] = []

    def block(self, statements: Sequence[cst.CSTNode], known: Names) -> Names:
        """The names that have a value behind `statements`."""
        for node in small_statements(statements):
            if known is None:
                break
            known = self.statement(node, known)
        return known

    def statement(self, node: cst.CSTNode, known: frozenset[str]) -> Names:
        if isinstance(node, cst.If):
            known = self.read(node, [node.test], known)
            taken = self.block(statements_of(node.body), known)
            return _meet([taken, self.block(else_statements(node), known)])
        if isinstance(node, cst.For):
            return self.over(node, self.read(node, [node.iter], known))
        if isinstance(node, cst.While):
            return self.repeated(node, self.read(node, [node.test], known))
        if isinstance(node, cst.With):
            known = self.read(node, [item.item for item in node.items], known)
            return self.block(statements_of(node.body), known)
        if isinstance(node, cst.Break | cst.Continue):
            loop = self.loops[-1]
            (loop.left if isinstance(node, cst.Break) else loop.turned).append(known)
            return None
        known = self.read(node, _values(node), known)
        ends = isinstance(node, cst.Return | cst.Raise)
        return None if ends else known | assigned_names(node)

    def read(self, node: cst.CSTNode, values: Sequence[cst.CSTNode], known: frozenset[str]) -> frozenset[str]:
        read = frozenset().union(*(names_read(value) for value in values)) & self.tracked
        if not read <= known:
            self.report(Unset(node, tuple(sorted(read - known))))
        return known | read

    def over(self, node: cst.For, known: frozenset[str]) -> Names:
        self.loops.append(_Loop([], []))
        end = self.block(statements_of(node.body), known | names_read(node.target))
        loop = self.loops.pop()
        turned = _meet([end, *loop.turned])
        return _meet([turned if self.turns(node) else known, *loop.left])

    def repeated(self, node: cst.While, known: frozenset[str]) -> Names:
        self.loops.append(_Loop([], []))
        self.block(statements_of(node.body), known)
        always = isinstance(node.test, cst.Name) and node.test.value == "True"
        return _meet([None if always else known, *self.loops.pop().left])

    def turns(self, node: cst.For) -> bool:
        """Whether a loop is known to have turns."""
        header = range_of(node)
        limits = () if header is None else (header.start, header.stop, header.step)
        values = [integer_constant(limit, self.method) for limit in limits]
        return bool(values) and None not in values and values[2] != 0 and len(range(*values)) > 0  # type: ignore[arg-type]


def _meet(ways: Sequence[Names]) -> Names:
    open_ways = [names for names in ways if names is not None]
    return open_ways[0].intersection(*open_ways) if open_ways else None


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
