"""The part of an iteration that some scalars follow from: a backward slice.

    if a[i] > 0:                    if a[i] > 0:
        out[k] = a[i]        ->         k += 1              of k
        k += 1

In: statements and names of scalars. Out: the statements that may change what these hold, with the conditions around
them and what they read; small statements stay the nodes that they are.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import libcst as cst

from somd.transforms.tree.loops import else_statements, is_fitting_test, opened_statements, statements_of
from somd.transforms.tree.names import assigned_names, names_read
from somd.transforms.tree.walking import children_of


@dataclass(frozen=True)
class Slice:
    """The statements that the scalars `carried` follow from, every name that they mention, and what statements with
    blocks became, by what they were."""

    carried: frozenset[str]
    statements: tuple[cst.BaseStatement, ...]
    names: frozenset[str]
    made: dict[cst.CSTNode, cst.CSTNode] = field(default_factory=dict)
    #: whether iterations may raise, which the slice leaves there
    raises: bool = False

    def small(self) -> Iterator[cst.CSTNode]:
        """Its statements, those inside others too; of those with blocks, the header counts."""
        yield from opened_statements(self.statements)


class NotSliced(Exception):
    """A statement does more than to set scalars, or has a form that is not looked into."""


def slice_of(statements: Sequence[cst.CSTNode], names: frozenset[str]) -> Slice:
    """The slice of `statements` for `names`.

    Raises:
        NotSliced: what it would hold stores elements, or a loop in the iteration raises.
    """
    needed = set(names)
    while True:
        known = frozenset(needed)
        slicer = _Slicer(needed)
        kept = slicer.block(statements)
        if needed == known:
            return Slice(names, tuple(kept), frozenset(needed), slicer.made, slicer.raises)


class _Slicer:
    def __init__(self, needed: set[str]) -> None:
        self.needed = needed
        self.made: dict[cst.CSTNode, cst.CSTNode] = {}
        self.raises = False

    def block(self, statements: Sequence[cst.CSTNode], inner: bool = False) -> list[cst.BaseStatement]:
        """What is kept of a block of the iteration, or of a loop in it."""
        found: list[cst.BaseStatement] = []
        for statement in statements:
            if isinstance(statement, cst.SimpleStatementLine):
                small = [self.raised(e, inner) if isinstance(e, cst.Raise) else e for e in statement.body]
                small = [each for each in small if self.keeps(each)]
                if small:
                    found.append(statement.with_changes(body=small, leading_lines=()))
            else:
                kept = self.compound(statement, inner)
                found += [] if kept is None else [kept]
        return found

    def raised(self, node: cst.Raise, inner: bool) -> cst.Continue:
        """What stands for a `raise`: nothing behind it is done, and no later iteration counts."""
        if inner:
            raise NotSliced
        self.raises = True
        return cst.Continue()

    def keeps(self, node: cst.CSTNode) -> bool:
        """Whether a small statement is kept; what it needs is then needed, too."""
        if isinstance(node, cst.Break | cst.Continue):
            return True
        if isinstance(node, cst.Return):
            raise NotSliced
        if not isinstance(node, cst.Assign | cst.AnnAssign | cst.AugAssign) or not assigned_names(node) & self.needed:
            return False
        targets = [t.target for t in node.targets] if isinstance(node, cst.Assign) else [node.target]
        if not all(isinstance(target, cst.Name) for target in targets):
            raise NotSliced
        self.needed |= names_read(node)
        return True

    def compound(self, node: cst.CSTNode, inner: bool) -> cst.BaseStatement | None:
        if is_fitting_test(node):
            return None
        if isinstance(node, cst.If):
            return self.branches(node, inner)
        if not isinstance(node, cst.For | cst.While) or node.orelse is not None:
            raise NotSliced
        if not assigned_names(node) & self.needed:
            if _raises(node):
                raise NotSliced
            return None
        body = self.block(statements_of(node.body), inner=True)
        header = (node.iter, node.target) if isinstance(node, cst.For) else (node.test,)
        self.needed.update(*map(names_read, header))
        return self.with_body(node, body)

    def branches(self, node: cst.If, inner: bool) -> cst.BaseStatement | None:
        body = self.block(statements_of(node.body), inner)
        orelse = self.block(else_statements(node), inner)
        if not body and not orelse:
            return None
        self.needed |= names_read(node.test)
        made = cst.ensure_type(self.with_body(node, body), cst.If)
        other = None if not orelse else cst.Else(cst.IndentedBlock(orelse))
        self.made[node] = made = made.with_changes(orelse=other)
        return made

    def with_body(self, node: cst.If | cst.For | cst.While, body: list[cst.BaseStatement]) -> cst.BaseStatement:
        kept = body or [cst.SimpleStatementLine([cst.Pass()])]
        made = node.with_changes(body=cst.IndentedBlock(kept), leading_lines=())
        self.made[node] = made
        return made


def _raises(node: cst.CSTNode) -> bool:
    if is_fitting_test(node):
        return False
    return isinstance(node, cst.Raise) or any(map(_raises, children_of(node)))
