"""Loops over a few arrays or expressions that are written out, without the loop.

    for u, d in ((p, 0.5), (q, 2.0)): u[...] *= d      ->   p[...] *= 0.5
                                                            q[...] *= 2.0
    for k, w in ((i - 1, x), (i, 1 - x)): s += a[k] * w  ->   k__of = i - 1; w__of = 1 - x; s += a[k__of] * x; ...

In: a `Method`. Out: the `Method` with such loops written out. What a tuple holds is computed before the first turn, as
Python does; a name that the body gives other values is assigned in each copy. Loops over numbers stay: see `desugar`.
"""

from __future__ import annotations

import builtins
from collections.abc import Iterator, Mapping, Sequence
from typing import cast

import libcst as cst

from somd.diagnostics.model import Position
from somd.transforms.stages import Method
from somd.transforms.tree.loops import statements_of
from somd.transforms.tree.names import assigned_names, evaluate, names_read, target_names
from somd.transforms.tree.rewriting import MethodRewriter, Tracked, code_of, parsed, with_own_label
from somd.transforms.tree.walking import children_of, nodes_in, nodes_of

#: rows that are written out at most, and statements that all of them may become
MOST_ROWS = 16
MOST_STATEMENTS = 128

Row = list[cst.BaseExpression]


def unrolled_loops(method: Method) -> Method:
    """`method` with loops over a few arrays or expressions written out."""
    return _Unrolled(method).rewritten()


class _Unrolled(MethodRewriter):
    def leave_For(
        self, original_node: cst.For, updated_node: cst.For
    ) -> cst.For | cst.FlattenSentinel[cst.BaseStatement]:
        rows = None if updated_node.orelse is not None else self._rows(updated_node)
        names = _targets(updated_node.target)
        if rows is None or names is None or any(len(row) != len(names) for row in rows):
            return updated_node
        body = cast(Sequence[cst.BaseStatement], statements_of(updated_node.body))
        size = sum(isinstance(each, cst.BaseSmallStatement) for each in nodes_in(updated_node.body)) * len(rows)
        leaving = any(True for _ in nodes_of(updated_node.body, cst.Break, cst.Continue))
        if leaving or size > MOST_STATEMENTS or all(self._is_number(each) for row in rows for each in row):
            return updated_node
        changed = assigned_names(updated_node.body) | set(names)
        made: list[cst.BaseStatement] = []
        place = self.positions[original_node.target]
        for row in rows:
            for k, each in enumerate(row):
                if isinstance(each, cst.BaseNumber) or (isinstance(each, cst.Name) and each.value not in changed):
                    continue
                own = self.new(f"{names[k]}__of", code_of(each))
                line = cst.SimpleStatementLine([cst.Assign([cst.AssignTarget(cst.Name(own))], each)])
                self.place(line, place)
                made.append(line)
                row[k] = cst.Name(own)
        kept = assigned_names(updated_node.body) & set(names)
        for row in rows:
            given = dict(zip(names, row, strict=True))
            made += self._lines({name: given[name] for name in names if name in kept}, place)
            values = {name: value for name, value in given.items() if name not in kept}
            made += [self._copied(statement, values) for statement in body]
        behind = {name for name in names if name not in kept and _is_read(self.method.function, name)}
        made += self._lines({name: value for name, value in given.items() if name in behind}, place)
        return cst.FlattenSentinel(made)

    def _rows(self, node: cst.For) -> list[Row] | None:
        """The values of the names of a loop, turn by turn."""
        several, iterated = isinstance(node.target, cst.Tuple), node.iter
        counted = isinstance(iterated, cst.Call) and isinstance(iterated.func, cst.Name)
        if counted and isinstance(iterated, cst.Call) and _is(iterated.func, "enumerate", self.method):
            entries = _entries(iterated.args[0].value) if len(iterated.args) == 1 else None
            return None if entries is None else [[cst.Integer(str(k)), each] for k, each in enumerate(entries)]
        if counted and isinstance(iterated, cst.Call) and _is(iterated.func, "zip", self.method):
            given = [each for each in iterated.args if each.keyword is None or each.keyword.value != "strict"]
            columns = [_entries(each.value) for each in given if each.keyword is None and not each.star]
            found = [each for each in columns if each is not None]
            even = len(given) == len(iterated.args) or len({len(each) for each in found}) == 1
            if not found or len(found) < len(given) or not several or not even:
                return None
            return [list(row) for row in zip(*found, strict=False)]
        entries = _entries(iterated)
        if entries is None or not several:
            return None if entries is None else [[each] for each in entries]
        rows = [_entries(each) for each in entries]
        return None if any(row is None for row in rows) else [row for row in rows if row is not None]

    def _is_number(self, node: cst.BaseExpression) -> bool:
        """Whether an expression is made of numbers that are written out or come from outside of the method."""
        names = [each for each in nodes_in(node) if isinstance(each, cst.Name)]
        known = (evaluate(each, self.method.namespace, self.method.local_names) for each in names)
        plain = not any(True for _ in nodes_of(node, cst.Call, cst.Subscript, cst.Attribute, cst.Tuple, cst.List))
        return plain and all(type(each) in (bool, int, float) for each in known)

    def _lines(self, given: Mapping[str, cst.BaseExpression], place: Position) -> list[cst.BaseStatement]:
        made = parsed(*(f"{name} = {code_of(value)}" for name, value in given.items()))
        for line in made:
            self.place(line, place)
        return made

    def _copied(self, node: cst.BaseStatement, values: Mapping[str, cst.BaseExpression]) -> cst.BaseStatement:
        copy = node.deep_clone()
        for old, new in zip(nodes_in(node), nodes_in(copy), strict=True):
            if old in self.positions:
                self.positions[new] = self.positions[old]
        return cast(cst.BaseStatement, copy.visit(_Values(self.positions, values)))


class _Values(Tracked):
    """Puts values in place of names."""

    def __init__(self, positions: dict[cst.CSTNode, Position], values: Mapping[str, cst.BaseExpression]) -> None:
        super().__init__(positions)
        self.values = values

    def leave_Name(self, original_node: cst.Name, updated_node: cst.Name) -> cst.BaseExpression:
        given = self.values.get(original_node.value)
        return updated_node if given is None else given.deep_clone()

    def leave_Attribute(self, original_node: cst.Attribute, updated_node: cst.Attribute) -> cst.Attribute:
        made, value = with_own_label(original_node, updated_node), updated_node.value
        if isinstance(value, cst.BaseNumber):  # `2.real` would be no Python
            made = self.remade(made, value=value.with_changes(lpar=[cst.LeftParen()], rpar=[cst.RightParen()]))
        return made

    def leave_Arg(self, original_node: cst.Arg, updated_node: cst.Arg) -> cst.Arg:
        return with_own_label(original_node, updated_node)


def _entries(node: cst.BaseExpression) -> Row | None:
    """The values of a tuple or list that is written out."""
    if not isinstance(node, cst.Tuple | cst.List) or not 0 < len(node.elements) <= MOST_ROWS:
        return None
    starred = any(isinstance(each, cst.StarredElement) for each in node.elements)
    return None if starred else [each.value for each in node.elements]


def _targets(node: cst.BaseExpression) -> list[str] | None:
    """The names of a target that is a name or a tuple of different names."""
    parts = [each.value for each in node.elements] if isinstance(node, cst.Tuple) else [node]
    names = [each.value for each in parts if isinstance(each, cst.Name)]
    return names if len(names) == len(parts) == len(set(names)) else None


def _is(node: cst.BaseExpression, name: str, method: Method) -> bool:
    """Whether an expression is one of Python's functions."""
    known = isinstance(node, cst.Name) and node.value == name and name not in method.local_names
    return known and method.namespace.get(name, vars(builtins)[name]) is vars(builtins)[name]


def _is_read(node: cst.CSTNode, name: str) -> bool:
    """Whether a name is read, other than in loops that give it values."""
    return name in {each for part in _outside(node, name) for each in names_read(part)}


def _outside(node: cst.CSTNode, name: str) -> Iterator[cst.CSTNode]:
    """The parts of a tree without loops that give a name values."""
    if isinstance(node, cst.For) and name in target_names(node.target):
        return
    if isinstance(node, cst.BaseSmallStatement | cst.BaseExpression):
        yield node
        return
    for child in children_of(node):
        yield from _outside(child, name)
