"""Loops in place whose turns read a row and a column that they change: those of a pivot.

    for k in range(n):                            for first in range(0, n, 8):
        for i in range(n):                            for at in range(n):  # its elements of eight rows and columns
            for j in range(n):                            for turn in range(8):
                d[i, j] = f(                                  k = first + turn
                    d[i, j], d[i, k], d[k, j]                 column_before[turn, at] = own_row[turn]
                )                                             row_before[turn, at] = own_column[turn]
                                                              ...
                                                  ->          column_after[turn, at] = ...
                                                              row_after[turn, at] = ...
                                                      for i in range(n):
                                                          for j in range(n):
                                                              d_ij = d[i, j]
                                                              for turn in range(8):
                                                                  k = first + turn
                                                                  d_ik = column_before[turn, i]
                                                                  if k < j:
                                                                      d_ik = column_after[turn, i]
                                                                  d_kj = row_before[turn, j]
                                                                  if k < i:
                                                                      d_kj = row_after[turn, j]
                                                                  d_ij = f(d_ij, d_ik, d_kj)
                                                              d[i, j] = d_ij

An iteration touches one element of the array alone, its own. What it reads of the row and the column is as it was
before the turn, or what an earlier iteration of the turn has made of it; the order of rows says which. So whoever has
both, for some turns, can take an element through all of them, whatever the numbers are. In these turns, rows and
columns of pivots need nothing but each other: an iteration `at` takes the square in which they meet through the turns,
in arrays of its own, and beside it its own elements of the columns and of the rows. So some turns are two phases. In
pieces (`index_set_splitting.py`) each turn has five.
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
#: an element before the turn, and after it
Values = tuple[str, str]
#: how many turns two phases take
TURNS = 8
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
    return {
        node: pivot
        for node, pivot in found.items()
        if pivot is not None and not _is_asked_behind(pivot.names[0], node, method)
    }


def _is_asked_behind(name: str, loop: cst.For, method: Method) -> bool:
    """Whether the statements behind a loop ask for what it has left in a variable."""
    statements = [cast(cst.BaseStatement, node) for node in statements_of(method.function.body)]
    behind = statements[next(k for k, node in enumerate(statements) if node is loop) + 1 :]
    return name in read_from_before(behind, method)


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
        self.pivot, self.rewriter, self.array = pivot, rewriter, pivot.array
        _, self.i, self.j = pivot.names
        self.place = rewriter.positions[next(iter(pivot.elements))]
        self.start, self.stop = _limits(pivot.range)
        self.empty = name_for(np.empty, "np_empty", rewriter.namespace, rewriter.taken)
        self.smaller = name_for(min, "smaller", rewriter.namespace, rewriter.taken)
        self.k = self.index(0)
        self.first, self.turn = self.name("first"), rewriter.name(f"{self.array}__turn", pivot.names[0])
        #: what the phases hand on, by turn: elements of the row and of the column before and after it
        self.row, self.column = (self.both(each) for each in ("row", "column"))

    def statements(self) -> list[cst.BaseStatement]:
        """The arrays beside, and the loop over some turns at a time."""
        made = [*self.made_arrays(self.row, 1), *self.made_arrays(self.column, 0)]
        blocks = f"for {self.first} in range({self.start}, {self.stop}, {TURNS})"
        return [*made, self.under(blocks, [self.rows_and_columns(), self.others()])]

    def made_arrays(self, names: Values, axis: int) -> list[cst.BaseStatement]:
        lengths = f"({TURNS}, {self.array}.shape[{axis}])"
        return self.lines(*(f"{name} = {self.empty}({lengths}, {self.array}.dtype)" for name in names))

    def others(self) -> cst.For:
        """The phase in which each element goes through the turns, by what is known of its row and column."""
        i, j, k, turn = self.i, self.j, self.k, self.turn
        known = {
            (k, j): _at(self.row, f"{turn}, {j}"),
            (i, k): _at(self.column, f"{turn}, {i}"),
            (k, k): _at(self.row, f"{turn}, {k}"),
        }
        own = self.scalar((i, j))
        body: list[cst.BaseStatement] = self.lines(f"{own} = {self.array}[{i}, {j}]")
        body.append(self.over_turns(self.made((i, j), own, known)))
        body += self.lines(f"{self.array}[{i}, {j}] = {own}")
        for loop in reversed(self.pivot.loops[1:]):
            made = loop.with_changes(body=cst.IndentedBlock(body), leading_lines=())
            self.rewriter.positions[made] = self.rewriter.positions[loop]
            body = [made]
        return cst.ensure_type(body[0], cst.For)

    def rows_and_columns(self) -> cst.BaseStatement:
        """The phase that finds what is known of rows and columns: each iteration an element of each of them."""
        k, first, turn, stop, array = self.k, self.first, self.turn, self.stop, self.array
        at, x, y = (self.index(each) for each in (1, 1, 2))
        across, down = (self.name(each) for each in ("across", "down"))
        square, own_row, own_column = (self.name(each) for each in ("square", "own_row", "own_column"))
        row, column = self.both("square_row"), self.both("square_column")
        pivot, mine, other = (self.scalars(each) for each in ((k, k), (at, k), (k, at)))
        known = {
            (k, k): pivot,
            (k, y): _at(row, across),
            (x, k): _at(column, down),
            (y, k): _at(column, across),
            (at, k): mine,
            (k, at): other,
        }

        def made(element: Pair, where: str, to: str = "") -> list[cst.BaseStatement]:
            own = self.scalar(element)
            return [
                *self.lines(f"{own} = {where}"),
                *self.made(element, own, known),
                *self.lines(f"{to or where} = {own}"),
            ]

        def along(name: str, index: str, body: list[cst.BaseStatement]) -> cst.BaseStatement:
            # beyond the end that of the last one, for nothing: a test would cost more
            number = self.lines(f"{index} = {self.smaller}({first} + {name}, {stop} - 1)")
            return self.under(f"for {name} in range({TURNS})", [*number, *body])

        loaded = along(
            down,
            x,
            [
                along(across, y, self.lines(f"{square}[{down}, {across}] = {array}[{x}, {y}]")),
                *self.lines(f"{own_row}[{down}] = {array}[{at}, {x}]", f"{own_column}[{down}] = {array}[{x}, {at}]"),
            ],
        )
        lines = [
            f"{row[0]}[{across}] = {square}[{turn}, {across}]",
            f"{column[0]}[{across}] = {square}[{across}, {turn}]",
        ]
        body = [
            self.under(f"for {across} in range({TURNS})", self.lines(*lines)),
            *self.lines(f"{pivot[0]} = {square}[{turn}, {turn}]"),
            *made((k, k), pivot[0], pivot[1]),
            along(
                across,
                y,
                [*made((k, y), _at(row, across)[0], _at(row, across)[1]), *made((y, k), *_at(column, across))],
            ),
            along(down, x, [along(across, y, made((x, y), f"{square}[{down}, {across}]"))]),
            *self.lines(f"{mine[0]} = {own_row}[{turn}]", f"{other[0]} = {own_column}[{turn}]"),
            *made((at, k), *mine),
            *made((k, at), *other),
            along(across, y, [*made((at, y), f"{own_row}[{across}]"), *made((y, at), f"{own_column}[{across}]")]),
        ]
        for when in (0, 1):
            body += self.lines(
                f"{self.column[when]}[{turn}, {at}] = {mine[when]}", f"{self.row[when]}[{turn}, {at}] = {other[when]}"
            )
        arrays = [(square, f"({TURNS}, {TURNS})"), *((name, TURNS) for name in (own_row, own_column, *row, *column))]
        allocated = self.lines(*(f"{name} = {self.empty}({lengths}, {array}.dtype)" for name, lengths in arrays))
        return self.under(f"for {at} in range({self.start}, {stop})", [*allocated, loaded, self.over_turns(body)])

    def over_turns(self, body: Sequence[cst.BaseStatement]) -> cst.BaseStatement:
        """A loop over the turns that two phases take, which may be fewer at the end."""
        inside = self.under(f"if {self.k} < {self.stop}", body)
        pivot = self.lines(f"{self.k} = {self.first} + {self.turn}")
        return self.under(f"for {self.turn} in range({TURNS})", [*pivot, inside])

    def made(self, at: Pair, own: str, known: Mapping[Pair, Values]) -> list[cst.BaseStatement]:
        """What iteration `at` does: it makes its element of what the scalar `own` has, which is the element before."""
        found: list[cst.BaseStatement] = []
        reads = {at: own}
        for element in dict.fromkeys(self.moved(pair, at) for pair in self.pivot.elements.values()):
            if element not in reads:
                before, after = known[element]
                value = reads[element] = self.scalar(element)
                choice = f"if {_earlier(element, at)}:\n    {value} = {after}\nelse:\n    {value} = {before}"
                found += self.lines(choice)
        elements = {node: reads[self.moved(pair, at)] for node, pair in self.pivot.elements.items()}
        names = dict(zip(self.pivot.names, map(cst.Name, (self.k, *at)), strict=True))
        scalars = {target.value for target in _targets(self.pivot.body) if isinstance(target, cst.Name)}
        names |= {name: cst.Name(self.rewriter.name(f"{name}__{self.array}", name)) for name in sorted(scalars)}
        copied = _Copied(self.rewriter, names, elements)
        return [*found, *(cast(cst.BaseStatement, node.visit(copied)) for node in self.pivot.body)]

    def moved(self, pair: Pair, at: Pair) -> Pair:
        """What an element of the body is in iteration `at`."""
        names = dict(zip(self.pivot.names, (self.k, *at), strict=True))
        return names[pair[0]], names[pair[1]]

    def name(self, wanted: str) -> str:
        return self.rewriter.name(f"{self.array}__{wanted}", self.array)

    def index(self, number: int) -> str:
        """A name for what a variable of one of the loops is."""
        variable = self.pivot.names[number]
        return self.rewriter.name(f"{self.array}__{variable}", variable)

    def both(self, wanted: str) -> Values:
        """Names for what is so before a turn and after it."""
        return self.name(f"{wanted}_before"), self.name(f"{wanted}_after")

    def scalars(self, element: Pair) -> Values:
        return self.scalar(element), self.scalar(element)

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

    def under(self, header: str, body: Sequence[cst.BaseStatement]) -> cst.BaseStatement:
        """A new compound statement."""
        (made,) = self.lines(f"{header}:\n    pass")
        made = made.with_changes(body=cst.IndentedBlock(body))
        self.rewriter.positions[made] = self.place
        return made


def _at(names: Values, index: str) -> Values:
    return f"{names[0]}[{index}]", f"{names[1]}[{index}]"


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
