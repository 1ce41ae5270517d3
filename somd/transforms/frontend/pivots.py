"""Loops in place whose turns read a row and a column that they change: those of a pivot.

    for k in range(n):                            row, column, row_next, column_next = ...
        for i in range(n):                        for at in range(n): row[at] = d[0, at]
            for j in range(n):                    for at in range(n): column[at] = d[at, 0]
                d[i, j] = f(                      for k in range(n):
                    d[i, j], d[i, k], d[k, j]         for i in range(n):
                )                                         for j in range(n):
                                                              d_ik = column[i]
                                                  ->          if k < j:
                                                                  d_ik = f(d_ik, d_ik, ...)
                                                              d_kj = row[j]
                                                              if k < i:
                                                                  d_kj = f(d_kj, ..., d_kj)
                                                              d[i, j] = f(d[i, j], d_ik, d_kj)
                                                              if i == k + 1: row_next[j] = d[i, j]
                                                              if j == k + 1: column_next[i] = d[i, j]
                                                      row, row_next = row_next, row
                                                      column, column_next = column_next, column

An iteration touches one element of the array alone, its own. What it reads of the row and the column is as it was
before the turn, or what an earlier iteration of the turn has made of it: then this one makes it again for itself, from
what was kept beside, in which it may need an element that was made earlier still. So iterations are independent,
whatever the numbers are, and a turn is one phase. In pieces (`index_set_splitting.py`) it has five, of less work.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import cast

import libcst as cst
import numpy as np

from somd.transforms.analysis.accesses import index_expressions
from somd.transforms.analysis.affine import shape_reference
from somd.transforms.analysis.assignment import read_from_before
from somd.transforms.stages import Method
from somd.transforms.tree.loops import Range, integer_constant, opened_statements, range_of, statements_of
from somd.transforms.tree.names import assigned_names, called, name_for, names_read, new_name
from somd.transforms.tree.renaming import Renamed
from somd.transforms.tree.rewriting import Tracked, parsed, rewritten
from somd.transforms.tree.walking import nodes_of

#: an iteration, or the element that it makes
Pair = tuple[str, str]
#: functions of numbers that may be called twice for once
_PURE = (abs, min, max, bool, int, float)


@dataclass(frozen=True)
class Pivot:
    """A loop over pivots with its two inner loops, which have its range; `elements` are the array's in the body."""

    loops: tuple[cst.For, cst.For, cst.For]
    range: Range
    array: str
    elements: Mapping[cst.Subscript, Pair]

    @property
    def names(self) -> tuple[str, str, str]:
        """The variables of the loops."""
        k, i, j = (cst.ensure_type(loop.target, cst.Name).value for loop in self.loops)
        return k, i, j

    @property
    def body(self) -> list[cst.BaseStatement]:
        """The statements of an iteration."""
        return [cast(cst.BaseStatement, node) for node in statements_of(self.loops[2].body)]


def pivots_in(method: Method, points: Mapping[cst.For, cst.BaseExpression]) -> dict[cst.For, Pivot]:
    """The loops over pivots of a method, of whose loops the planner knows the iteration that all others meet."""
    if method.combine is not None:
        return {}
    outermost = [node for node in statements_of(method.function.body) if isinstance(node, cst.For)]
    found = {node: _pivot(node, method, points) for node in outermost}
    return {node: pivot for node, pivot in found.items() if pivot is not None}


def _pivot(loop: cst.For, method: Method, points: Mapping[cst.For, cst.BaseExpression]) -> Pivot | None:
    loops = [loop]
    while len(loops) < 3:
        inner = statements_of(loops[-1].body)
        if len(inner) != 1 or not isinstance(inner[0], cst.For):
            return None
        loops.append(inner[0])
    headers = [range_of(each) for each in loops]
    first = headers[0]
    if first is None or loops[1] not in points or any(each.orelse is not None for each in loops):
        return None
    start = integer_constant(first.start, method)
    if start is None or start < 0 or not _is_steady(first.stop, loop):
        return None
    for each in headers:
        if each is None or integer_constant(each.step, method) != 1 or _limits(each) != _limits(first):
            return None
    body = [cast(cst.BaseStatement, node) for node in statements_of(loops[2].body)]
    array = _stored(body)
    if array is None:
        return None
    k, i, j = (each.variable for each in headers if each is not None)
    elements: dict[cst.Subscript, Pair] = {}
    for node in (each for statement in body for each in nodes_of(statement, cst.Subscript)):
        if isinstance(node.value, cst.Name) and node.value.value == array:
            pair = tuple(each.value if isinstance(each, cst.Name) else "" for each in index_expressions(node))
            if len(pair) != 2 or pair[0] not in (i, k) or pair[1] not in (j, k):
                return None
            elements[node] = pair
    pivot = Pivot((loops[0], loops[1], loops[2]), first, array, elements)
    return pivot if len({k, i, j}) == 3 and _is_repeatable(pivot, method) else None


def _is_steady(node: cst.BaseExpression, loop: cst.For) -> bool:
    """Whether an expression of numbers and shapes stays as it is while the loop runs."""
    plain = all(shape_reference(each) is not None for each in nodes_of(node, cst.Subscript, cst.Call))
    return plain and not names_read(node) & assigned_names(loop)


def _limits(header: Range) -> tuple[str, str]:
    return _code(header.start), _code(header.stop)


def _stored(body: Sequence[cst.CSTNode]) -> str | None:
    """The array that the statements store to, if it is one."""
    found = {node.value.value for node in _targets(body) if isinstance(node, cst.Subscript)
             and isinstance(node.value, cst.Name)}  # fmt: skip
    return found.pop() if len(found) == 1 else None


def _targets(body: Sequence[cst.CSTNode]) -> Iterator[cst.BaseExpression]:
    for node in opened_statements(body):
        yield from _targets_of(node)


def _targets_of(node: cst.CSTNode) -> list[cst.BaseExpression]:
    if isinstance(node, cst.Assign):
        return [each.target for each in node.targets]
    return [node.target] if isinstance(node, cst.AugAssign) else []


def _is_repeatable(pivot: Pivot, method: Method) -> bool:
    """Whether the body computes its own element, from numbers that it does not change, and leaves nothing else."""
    k, i, j = pivot.names
    body, loop = pivot.body, pivot.loops[0]
    scalars: set[str] = set()
    stored = False
    for node in opened_statements(body):
        if not isinstance(node, cst.Assign | cst.AugAssign | cst.If | cst.Pass):
            return False
        if not isinstance(node, cst.Pass):
            read = nodes_of(node.test if isinstance(node, cst.If) else node.value, cst.Subscript)
            # in the iteration of the pivot these are its own element, which it may have stored
            if stored and any(pivot.elements.get(each, (i, j)) != (i, j) for each in read):
                return False
        for target in _targets_of(node):
            if isinstance(target, cst.Name):
                scalars.add(target.value)
            elif not isinstance(target, cst.Subscript) or pivot.elements.get(target) != (i, j):
                return False
            else:
                stored = True
    mentioned = [node for statement in body for node in nodes_of(statement, cst.Name) if node.value == pivot.array]
    calls = [call for statement in body for call in nodes_of(statement, cst.Call)]
    functions = [called(call, method.namespace, method.local_names) for call in calls]
    pure = all(isinstance(each, np.ufunc) or any(each is known for known in _PURE) for each in functions)
    alone = len(mentioned) == len(pivot.elements) and not {k, i, j, pivot.array} & scalars
    before = read_from_before(body, method) & scalars
    outside = [name for name in nodes_of(method.function, cst.Name) if name.value in scalars]
    inside = [name for name in nodes_of(loop, cst.Name) if name.value in scalars]
    return stored and pure and alone and not before and len(outside) == len(inside)


def with_pivots(method: Method, pivots: Mapping[cst.For, Pivot]) -> Method:
    """`method`, of whose loops over pivots the turns are one phase each."""
    rewriter = _Rewriter(method, pivots)
    function = cast(cst.FunctionDef, method.function.visit(rewriter))
    return replace(
        rewritten(method, function, rewriter.positions),
        namespace=rewriter.namespace,
        spelled={**method.spelled, **rewriter.spelled},
        held={**method.held, **rewriter.held},
    )


class _Rewriter(Tracked):
    def __init__(self, method: Method, pivots: Mapping[cst.For, Pivot]) -> None:
        super().__init__(dict(method.positions))
        self.method, self.pivots = method, pivots
        self.taken = set(method.local_names)
        self.namespace = dict(method.namespace)
        self.spelled: dict[str, str] = {}
        self.held: dict[str, str] = {}

    def visit_For(self, node: cst.For) -> bool:
        return node not in self.pivots

    def leave_For(
        self, original_node: cst.For, updated_node: cst.For
    ) -> cst.BaseStatement | cst.FlattenSentinel[cst.BaseStatement]:
        pivot = self.pivots.get(original_node)
        if pivot is None:
            return updated_node
        made = _Turns(pivot, self).statements()
        return cst.FlattenSentinel([made[0].with_changes(leading_lines=original_node.leading_lines), *made[1:]])

    def name(self, wanted: str, spelled: str) -> str:
        """A new name, which stands for something that the user wrote."""
        found = new_name(wanted, self.taken)
        self.spelled[found] = spelled
        return found


class _Turns:
    """What a loop over pivots becomes."""

    def __init__(self, pivot: Pivot, rewriter: _Rewriter) -> None:
        self.pivot, self.rewriter = pivot, rewriter
        self.k, self.i, self.j = pivot.names
        self.array = array = pivot.array
        self.kept = {side: rewriter.name(f"{array}__{side}", array) for side in ("row", "column")}
        self.next = {side: rewriter.name(f"{array}__{side}_next", array) for side in self.kept}
        self.place = rewriter.positions[next(iter(pivot.elements))]

    def statements(self) -> list[cst.BaseStatement]:
        """The arrays beside, what is in them for the first pivot, and the loop."""
        empty = name_for(np.empty, "np_empty", self.rewriter.namespace, self.rewriter.taken)
        start, stop = _limits(self.pivot.range)
        made: list[cst.BaseStatement] = []
        for side, axis in (("row", 1), ("column", 0)):
            at, kept = self.rewriter.name(f"{self.array}__at", self.j if axis else self.i), self.kept[side]
            first = f"{start}, {at}" if axis else f"{at}, {start}"
            made += self.lines(
                f"{kept} = {empty}({self.array}.shape[{axis}], {self.array}.dtype)",
                f"{self.next[side]} = {empty}({self.array}.shape[{axis}], {self.array}.dtype)",
                f"for {at} in range({start}, {stop}):\n    {kept}[{at}] = {self.array}[{first}]",
            )
        own = self.scalar((self.i, self.j))
        body = self.lines(f"{own} = {self.before((self.i, self.j))}")
        body += self.made((self.i, self.j), own)
        body += self.lines(
            f"{self.array}[{self.i}, {self.j}] = {own}",
            f"if {self.i} == {self.k} + 1:\n    {self.next['row']}[{self.j}] = {own}",
            f"if {self.j} == {self.k} + 1:\n    {self.next['column']}[{self.i}] = {own}",
        )
        over_pivots, *inner = self.pivot.loops
        for loop in reversed(inner):
            body = [self.loop(loop, body)]
        exchanged = self.lines(*(f"{a}, {b} = {b}, {a}" for a, b in ((self.kept[s], self.next[s]) for s in self.kept)))
        return [*made, self.loop(over_pivots, [*body, *exchanged])]

    def made(self, at: Pair, own: str) -> list[cst.BaseStatement]:
        """What iteration `at` does: it makes its element of what the scalar `own` has, which is the element before."""
        found: list[cst.BaseStatement] = []
        reads = {at: own}
        for element in dict.fromkeys(self.moved(pair, at) for pair in self.pivot.elements.values()):
            if element not in reads:
                reads[element] = self.scalar(element)
                found += self.read(element, reads[element], at)
        elements = {node: reads[self.moved(pair, at)] for node, pair in self.pivot.elements.items()}
        names = {self.i: cst.Name(at[0]), self.j: cst.Name(at[1])}
        scalars = {target.value for target in _targets(self.pivot.body) if isinstance(target, cst.Name)}
        names |= {name: cst.Name(self.rewriter.name(f"{name}__{self.array}", name)) for name in sorted(scalars)}
        copied = _Copied(self.rewriter, names, elements)
        return [*found, *(cast(cst.BaseStatement, node.visit(copied)) for node in self.pivot.body)]

    def read(self, element: Pair, value: str, at: Pair) -> list[cst.BaseStatement]:
        """What iteration `at` reads of an element: what the iteration that makes it has made, where that is earlier."""
        before, earlier = self.lines(f"{value} = {self.before(element)}", f"if {_earlier(element, at)}:\n    pass")
        made = cst.IndentedBlock(self.made(element, value))
        earlier = cst.ensure_type(earlier, cst.If).with_changes(body=made)
        self.rewriter.positions[earlier] = self.place
        return [before, earlier]

    def moved(self, pair: Pair, at: Pair) -> Pair:
        """What an element of the body is in iteration `at`."""
        row, column = ({self.i: at[0], self.j: at[1]}.get(name, name) for name in pair)
        return row, column

    def before(self, element: Pair) -> str:
        """An element as it was before the turn."""
        if element == (self.i, self.j):
            return f"{self.array}[{self.i}, {self.j}]"
        return f"{self.kept['row']}[{element[1]}]" if element[0] == self.k else f"{self.kept['column']}[{element[0]}]"

    def scalar(self, element: Pair) -> str:
        text = f"{self.array}[{', '.join(element)}]"
        name = self.rewriter.name(f"{self.array}__{'_'.join(element)}", text)
        self.rewriter.held[name] = self.array
        return name

    def lines(self, *texts: str) -> list[cst.BaseStatement]:
        """New statements, where the array's first element in the body stands."""
        made = parsed(*(f"{text}\n" for text in texts))
        for each in made:
            self.rewriter.place(each, self.place)
        return made

    def loop(self, loop: cst.For, body: Sequence[cst.BaseStatement]) -> cst.For:
        """A loop with another body."""
        made = loop.with_changes(body=cst.IndentedBlock(body), leading_lines=())
        self.rewriter.positions[made] = self.rewriter.positions[loop]
        return made


class _Copied(Renamed):
    """Puts scalars in place of elements, too."""

    def __init__(
        self, rewriter: _Rewriter, names: Mapping[str, cst.BaseExpression], elements: Mapping[cst.Subscript, str]
    ) -> None:
        super().__init__(rewriter.method, names, rewriter.positions)
        self.elements = elements

    def leave_Subscript(self, original_node: cst.Subscript, updated_node: cst.Subscript) -> cst.BaseExpression:
        name = self.elements.get(original_node)
        return updated_node if name is None else cst.Name(name)


def _earlier(one: Pair, other: Pair) -> str:
    """The test that an iteration comes before another one, in the order of rows."""
    if one[0] == other[0]:
        return f"{one[1]} < {other[1]}"
    if one[1] == other[1]:
        return f"{one[0]} < {other[0]}"
    return f"{one[0]} < {other[0]} or ({one[0]} == {other[0]} and {one[1]} < {other[1]})"


def _code(node: cst.BaseExpression) -> str:
    return " ".join(cst.Module([]).code_for_node(node).split())
