"""Two free loops whose sums stay in registers (`passes/packing`) -> the text of a slave's loops.

for j0 in range(0, m, 32):            for so many columns at once
    B_packed[k, lane] = B[k, j]       what each trip of the loop reads by column, one row behind the other
    for tile in range(lo, hi, 6):     for so many rows at once
        sums[row, lane] = C[i, j]     what each trip does before
        sum_in_registers(...)         the loop, for all of them
        C[i, j] = sums[row, lane]     and behind

Where the trips of the loop begin or end with the row, the loop is for those that all rows of a tile have; each row does
the others by itself, those before it first.

Where sums below the diagonal are those above it (`loops/symmetric_sums`), the columns of a row begin with it, and what
is behind is done for both places.

A tile at the edge has its full size in registers: the rows and columns that are none of the region's are computed from
elements of others, and nothing is done with them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import replace

import libcst as cst

from somd.transforms.emit.python import Statements
from somd.transforms.emit.python_expressions import Expressions, Scope
from somd.transforms.emit.python_text import INDENT, indented, numpy_name
from somd.transforms.loops.program import Element, Expression, Loop, Operation, Packed, Region, Statement, Variable
from somd.transforms.loops.rows import one_moves_along, stays
from somd.transforms.loops.scopes import assigned, named, read
from somd.transforms.loops.walking import inside
from somd.transforms.multicore.names import FAR
from somd.transforms.multicore.shared_panels import SharedPanels
from somd.transforms.stages import Nest

#: the trips for which each row's numbers are copied together where they lie across memory: a line of it
FEW = 8
#: the rows whose numbers are copied at once: so that the copies stay small beside the arrays
COPIED_ROWS = 1536
Limits = tuple[str, str]


class PackedLoops:
    """Writes both loops: the inner one between `columns`, as the names of a scope tell them; `folded`: from the
    diagonal on."""

    def __init__(
        self, packed: Packed, region: Region, scope: Scope, columns: Callable[[Scope], Limits], *, folded: bool
    ) -> None:
        self.packed = packed
        self.region = region
        self.scope = scope
        self.columns = columns
        self.outer, self.inner = region.loops[-2:]
        self.row, self.column = (scope.name(each.variable.name) for each in (self.outer, self.inner))
        self.loops = packed.loops
        self.trips = [scope.name(each.variable.name) for each in self.loops]
        self.sum = packed.sum.target
        names = ("base", "count", "tile", "row", "at", "lane", "first_row", "end_row", "last_row")
        made = map(scope.fresh, names)
        self.base, self.count, self.tile, self.place, self.at, self.lane, self.first, self.end, self.last = made
        self.sums = scope.fresh(f"{scope.name(self.sum.name)}_tile")
        #: whether the loop has trips of its own for each row
        self.ragged = one_moves_along(self.loops, self.outer.variable.name)
        self.limits: list[Limits] = []
        self.folded = folded
        self.moves = folded or self.outer.variable.name in read(self.inner.start, self.inner.stop)
        self.copies = self.packed_values()
        self.of_row = self.copied_of_rows()
        self.first_copied, self.first_trip = scope.fresh("first_copied"), scope.fresh("first_trip")
        #: names for what is the same for all trips, and the text of what the sum becomes
        self.factors: dict[Expression, str] = {}
        self.term = ""
        #: the panels that all parts read
        self.shared: SharedPanels | None = None

    def text(self, node: Expression, scope: Scope | None = None) -> str:
        return Expressions(scope or self.scope).value(node).text

    # --- both loops ----------------------------------------------------------------------------------------------

    def lines(self, rows: Limits) -> list[str]:
        """The lines of both loops, the outer one between `rows`."""
        self.term = self.text_of_sum()
        dtype, size = numpy_name(self.sum.type.dtype), self.packed.rows * self.packed.columns
        made = [f"{self.sums} = lane_array({size}, np.{dtype})"]
        made += [f"for {self.lane} in range({size}):", f"{INDENT}{self.sums}[{self.lane}] = np.{dtype}(0)"]
        made += [f"{text} = {self.text(node)}" for node, text in self.factors.items() if text != self.text(node)]
        first, last = (f"({each})" for each in rows)
        self.limits = self.trips_of(first, f"{last} - 1")
        count = " * ".join(f"max({each}, 0)" for each in self.counts())
        for number, (node, name) in enumerate(self.copies.items()):
            shape, given = f"({count}, {self.packed.columns})", name
            if self.shared is not None:  # room for one panel where none are given
                shape = f"(0 if len({self.shared.arrays[number][0]}) > 0 else 1, {count}, {self.packed.columns})"
                given = self.own_panel(name)
            made.append(f"{given} = room({shape}, np.{numpy_name(node.type.dtype)})")
        if not self.of_row:
            return [*made, *self.panels(rows, self.columns_between(first, last))]
        for node, name in self.of_row.items():
            shape = f"(min(max({last} - {first}, 0), {COPIED_ROWS}), {count})"
            made.append(f"{name} = room({shape}, np.{numpy_name(node.type.dtype)})")
        some = (self.first_copied, f"min({self.first_copied} + {COPIED_ROWS}, {last})")
        columns = self.columns_between(*some)
        through = f"for {self.first_copied} in range({first}, {last}, {COPIED_ROWS}):"
        return [*made, through, *indented(self.panels(some, columns))]

    def columns_of(self, row: str, which: int) -> str:
        """Where the columns of a row begin (0) or end (1)."""
        names = {**self.scope.renamed, self.outer.variable.name: f"({row})"}
        return self.columns(replace(self.scope, renamed=names))[which]

    def columns_between(self, first: str, end: str) -> Limits:
        """The columns of the rows from `first` to `end`, whose own ones only move one way."""
        return self.columns_of(first, 0), self.columns_of(f"{end} - 1", 1)

    def trips_of(self, first: str, last: str) -> list[Limits]:
        """Where the loops begin for one row, and where they end for another."""
        scopes = [
            replace(self.scope, renamed={**self.scope.renamed, self.outer.variable.name: f"({row})"})
            for row in (first, last)
        ]
        return [(self.text(each.start, scopes[0]), self.text(each.stop, scopes[1])) for each in self.loops]

    def panels(self, rows: Limits, columns: Limits) -> list[str]:
        wide, tall = self.packed.columns, self.packed.rows
        before = [f"{self.first}, {self.end} = {rows[0]}, {rows[1]}"]
        if self.moves:  # rows that have columns here are those between
            ends = ((self.first, f"{self.first} += 1", self.first), (self.end, f"{self.end} -= 1", f"{self.end} - 1"))
            for _, step, row in ends:
                low, high = self.columns_of(row, 0), self.columns_of(row, 1)
                none = f"max({self.base}, {low}) >= min({self.base} + {wide}, {high})"
                before += [f"while {self.first} < {self.end} and {none}:", f"{INDENT}{step}"]
        behind, guarded = self.behind(), [*self.call()]
        if self.ragged:
            guarded = self.ragged_rows(guarded)
        tile = [*self.of_rows(self.packed.before), *self.under_guard(guarded), *behind]
        body = [
            f"{self.count} = min({wide}, {columns[1]} - {self.base})",
            *(self.under_guard(self.packing()) if self.shared is None else self.panel_at(self.shared)),
            *before,
            f"for {self.tile} in range({self.first}, {self.end}, {tall}):",
            *indented(tile),
        ]
        whole = [
            *(self.row_copies(rows) if self.of_row else []),
            *self.inner.origin.comments,
            f"for {self.base} in range({columns[0]}, {columns[1]}, {wide}):",
            *indented(body),
        ]
        return [*self.outer.origin.comments, f"if ({rows[0]}) < ({rows[1]}):", *indented(whole)]

    def under_guard(self, lines: list[str]) -> list[str]:
        guard = self.packed.guard
        return lines if guard is None else [f"if {Expressions(self.scope).test(guard).text}:", *indented(lines)]

    def assumed(self, loop: Loop, body: Sequence[Statement] = ()) -> list[str]:
        return Statements(self.scope, frozenset(), FAR).assumed(replace(loop, body=tuple(body) or loop.body))

    # --- parts of them -------------------------------------------------------------------------------------------

    def of_rows(self, body: tuple[Statement, ...]) -> list[str]:
        """What each trip of a tile does before the loop, or behind it; nothing for nothing."""
        return self.each_row(body, []) if body else []

    def behind(self) -> list[str]:
        """What each trip of a tile does behind the loop, and the trips that are its mirror images."""
        body = self.packed.behind
        if not self.folded or not body:
            return self.of_rows(body)
        # both have the sum, whatever is made of it
        value = self.scope.fresh(f"{self.scope.name(self.sum.name)}_shared")
        taken = f"{value} = {self.sums}[{self.at} + {self.lane}]"
        swapped = {self.outer.variable.name: self.column, self.inner.variable.name: self.row}
        names = {**self.scope.renamed, self.sum.name: value}
        own, mirrored = (
            Statements(replace(self.scope, renamed=each), frozenset(), FAR).block(body)
            for each in (names, {**names, **swapped})
        )
        place = f"assume(0 <= {self.at} + {self.lane}, {self.at} + {self.lane} < {FAR})"
        column = [f"{self.column} = {self.base} + {self.lane}", *self.assumed(self.inner, body)]
        row = [f"{self.row} = {self.tile} + {self.place}", *self.assumed(self.outer, body)]
        row += [f"{self.at} = {self.place} * {self.packed.columns}"]
        start, stop = self.columns(self.scope)
        end = f"min({self.base} + {self.packed.columns}, {stop}) - {self.base}"
        count = f"min({self.packed.rows}, {self.end} - {self.tile})"
        lanes = f"for {self.lane} in range(max({self.base}, {start}) - {self.base}, {end}):"
        # along a column, as its elements are neighbours
        above = f"for {self.place} in range(min({count}, {self.column} - {self.tile})):"
        return [
            f"for {self.place} in range({count}):",
            *indented([*row, lanes, *indented([place, *column, taken, *own])]),
            f"for {self.lane} in range(max({self.base}, {self.tile}) - {self.base}, {end}):",
            *indented([*column, above, *indented([*row, place, taken, *mirrored])]),
        ]

    def ragged_rows(self, call: list[str]) -> list[str]:
        """The loop for the trips that all rows of a tile have, and for each row those that it has besides."""
        [loop], [trip], [(_, end)] = self.loops, self.trips, self.limits
        [(start, stop)], [(common, limit)] = self.trips_of(self.row, self.row), self.trips_of(self.last, self.tile)
        begins = self.outer.variable.name in read(loop.start)
        limits = f"{start}, min({common}, {end})" if begins else f"max({start}, {limit}), {stop}"
        through = [f"for {trip} in range({limits}):", *indented(self.assumed(loop, loop.body))]
        rest = self.each_row(loop.body, through)
        shared = [f"{self.last} = min({self.tile} + {self.packed.rows}, {self.end}) - 1"]
        return [*shared, *rest, *call] if begins else [*shared, *call, *rest]

    def each_row(self, body: tuple[Statement, ...], around: list[str]) -> list[str]:
        """What each trip of a tile does, in a loop around those of a row if there is one."""
        wide = self.packed.columns
        names = {**self.scope.renamed, self.sum.name: f"{self.sums}[{self.at} + {self.lane}]"}
        start, stop = self.columns(self.scope)
        printer = Statements(replace(self.scope, renamed=names), frozenset(), FAR)
        trip = [
            f"assume(0 <= {self.at} + {self.lane}, {self.at} + {self.lane} < {FAR})",
            f"{self.column} = {self.base} + {self.lane}",
        ]
        trip += [*self.assumed(self.inner, body), *printer.block(body)]
        limits = f"max({self.base}, {start}) - {self.base}, min({self.base} + {wide}, {stop}) - {self.base}"
        trips = [f"for {self.lane} in range({limits}):", *indented(trip)]
        row = [f"{self.row} = {self.tile} + {self.place}", *self.assumed(self.outer, body)]
        row = [*row, f"{self.at} = {self.place} * {wide}", *around, *(indented(trips) if around else trips)]
        return [f"for {self.place} in range(min({self.packed.rows}, {self.end} - {self.tile})):", *indented(row)]

    def packing(self) -> list[str]:
        """The copies of what the loop reads by column."""
        made: list[str] = []
        column = [f"{self.column} = {self.base} + {self.lane}", *self.assumed(self.inner, self.packed.loop.body)]
        lanes = f"for {self.lane} in range({self.count}):"
        for node, name in self.copies.items():
            copy = f"{name}[{self.number()}, {self.lane}] = {self.text(node)}"
            if _along(node, self.inner.variable.name):
                made += self.through([lanes, *indented([*column, copy])])
            else:
                made += [lanes, *indented([*column, *self.through([copy])])]
            zero = [f"assume(0 <= {self.lane}, {self.lane} < {FAR})", f"{name}[{self.place}, {self.lane}] = 0"]
            beside = [f"for {self.lane} in range({self.count}, {self.packed.columns}):", *indented(zero)]
            made += [f"if {self.count} < {self.packed.columns}:"]
            made += indented([f"for {self.place} in range({name}.shape[0]):", *indented(beside)])
        return made

    # --- panels that all parts read ------------------------------------------------------------------------------

    def can_share(self, nest: Nest, level: int, changed: Collection[str]) -> bool:
        """Whether all parts of a phase, and all iterations of loops around the rows, have the same panels: what these
        hold, and the limits, rest on nothing but arrays and scalars of the phase, which sets none of them.

        `level`: of the loop over rows among those of the nest; `changed`: scalars that the phase sets.
        """
        if level >= len(nest.dims) or not all(dim.invariant for dim in nest.dims[: level + 1]):
            return False
        split = nest.partition is not None or nest.relaxed is not None or nest.cut_twice or self.folded
        if split or nest.reductions or nest.combined or nest.copies:
            return False
        limits = [limit for loop in (self.inner, *self.loops) for limit in (loop.start, loop.stop)]
        nodes = [*self.copies, *limits, *(() if self.packed.guard is None else (self.packed.guard,))]
        own = {loop.variable.name for loop in (self.inner, *self.loops)}
        given = {*nest.arrays, *self.region.scalars} - set(changed)
        arrays = {each.array for node in nodes for each in inside(node) if isinstance(each, Element)}
        return named(*nodes) - own <= given and arrays.isdisjoint(nest.arrays_written)

    def share(self, slave: str, arguments: Sequence[str], before: int, level: int, *, chunked: bool) -> SharedPanels:
        """Have the loops read panels that are filled before them, or fill each by the same function when they come to
        it.

        The function is named after the slave, and may be given `arguments`; `before`: how many loops of the slave have
        such panels already; `chunked`: the rows are those of a chunk.
        """
        lo, hi, at, panel = map(self.scope.fresh, ("lo", "hi", "first_panel", "panel"))
        suffix = f"_{before + 1}" if before else ""
        name = f"{slave}_panels{suffix}"
        self.limits = [(self.text(each.start), self.text(each.stop)) for each in self.loops]
        first, stop = self.columns(self.scope)
        arrays = [(self.scope.fresh(f"{each}_panels{suffix}"), node.type.dtype) for node, each in self.copies.items()]
        pairs = zip(self.copies.values(), arrays, strict=True)
        body = [
            f"{self.base} = {'' if first == '0' else f'{first} + '}{panel} * {self.packed.columns}",
            f"{self.count} = min({self.packed.columns}, {stop} - {self.base})",
            *(f"{each} = {array}[{panel} - {at}]" for each, (array, _) in pairs),
            *self.under_guard(self.packing()),
        ]
        words = set(re.findall(r"\w+", "\n".join(body)))
        used = tuple(each for each in arguments if each in words)
        header = f"def {name}({', '.join((lo, hi, at, *used, *(each for each, _ in arrays)))}):"
        lines = ["@slave", header, f"{INDENT}for {panel} in range({lo}, {hi}):", *indented(indented(body))]
        function = cst.ensure_type(cst.parse_statement("\n".join(lines) + "\n"), cst.FunctionDef)
        comment = cst.EmptyLine(comment=cst.Comment(f"# panels {lo} to {hi} of those that all parts of {slave} read"))
        function = function.with_changes(leading_lines=[cst.EmptyLine(), cst.EmptyLine(), comment])
        trips = " * ".join(f"max({each}, 0)" for each in self.counts())
        sizes = first, stop, trips, self.packed.columns, self.packed.rows
        self.shared = SharedPanels(tuple(arrays), name, used, function, *sizes, level, chunked or level > 0)
        return self.shared

    def own_panel(self, name: str) -> str:
        """The name of a panel that a part fills for itself."""
        return self.scope.fresh(f"own_{name}")

    def panel_at(self, shared: SharedPanels) -> list[str]:
        """The panel of the columns at hand."""
        names, (first, *_) = list(self.copies.values()), (array for array, _ in shared.arrays)
        panel = self.scope.fresh("panel")
        own = [self.own_panel(name) for name in names]
        pairs = zip(names, own, shared.arrays, strict=True)
        found = [(f"{name} = {mine}[0]", f"{name} = {given}[{panel}]") for name, mine, (given, _) in pairs]
        return [
            f"{panel} = {self.base if shared.first == '0' else f'({self.base} - ({shared.first}))'} // {shared.wide}",
            f"if len({first}) == 0:",
            *indented([shared.filled(panel, f"{panel} + 1", panel, own), *(mine for mine, _ in found)]),
            "else:",
            *indented([given for _, given in found]),
        ]

    def row_copies(self, rows: Limits) -> list[str]:
        """The copies of what each row has for the trips of the loop."""
        [loop], [trip], [(start, stop)] = self.loops, self.trips, self.limits
        [(own_start, own_stop)] = self.trips_of(self.row, self.row) if self.ragged else self.limits
        low, high = self.columns_of(self.first, 0), self.columns_of(self.first, 1)
        last_low, last_high = self.columns_of(f"{self.end} - 1", 0), self.columns_of(f"{self.end} - 1", 1)
        made = [
            f"{self.first_trip} = {start}",
            f"{self.first}, {self.end} = {rows[0]}, {rows[1]}",
            # what rows without columns would read may be outside the arrays
            f"while {self.first} < {self.end} and {low} >= {high}:",
            f"{INDENT}{self.first} += 1",
            f"while {self.first} < {self.end} and {last_low} >= {last_high}:",
            f"{INDENT}{self.end} -= 1",
        ]
        through_rows = f"for {self.row} in range({self.first}, {self.end}):"
        places = f"{self.row} - {self.first_copied}", f"{trip} - {self.first_trip}"
        inside = ", ".join(f"0 <= {place}, {place} < {FAR}" for place in places)
        assumed = [*self.assumed(self.outer, loop.body), *self.assumed(loop, loop.body), f"assume({inside})"]
        for node, name in self.of_row.items():
            copy = [*assumed, f"{name}[{self.copied_place()}] = {self.text(node)}"]
            if _along(node, loop.variable.name):
                copies = [through_rows, *indented([f"for {trip} in range({own_start}, {own_stop}):", *indented(copy)])]
            else:
                begin = f"max({self.at}, {own_start})" if own_start != start else self.at
                few = f"for {trip} in range({begin}, min({self.at} + {FEW}, {own_stop})):"
                through = [through_rows, *indented([few, *indented(copy)])]
                copies = [f"for {self.at} in range({start}, {stop}, {FEW}):", *indented(through)]
            made += self.under_guard(copies)
        return made

    def copied_place(self) -> str:
        """Where the copy of what a row has for a trip stands."""
        return f"{self.row} - {self.first_copied}, {self.trips[0]} - {self.first_trip}"

    def through(self, body: list[str]) -> list[str]:
        """The loops around a body."""
        for loop, trip, (start, stop) in reversed(list(zip(self.loops, self.trips, self.limits, strict=True))):
            body = [f"for {trip} in range({start}, {stop}):", *indented([*self.assumed(loop, loop.body), *body])]
        return body

    def counts(self) -> list[str]:
        """How many trips each loop has."""
        return [stop if start == "0" else f"({stop}) - ({start})" for start, stop in self.limits]

    def number(self) -> str:
        """The number of a trip."""
        made = ""
        for trip, (start, _), count in zip(self.trips, self.limits, self.counts(), strict=True):
            own = trip if start == "0" else f"({trip} - ({start}))"
            made = f"({made}) * ({count}) + {own}" if made else own
        return made

    def call(self) -> list[str]:
        """The loop, for all trips of a tile."""
        places = " ".join((self.scope.name(self.sum.name), self.row, *self.trips))
        copies, limits = tuple(self.copies.values()), self.limits
        panels = copies
        if self.ragged:
            limits = self.trips_of(self.last, self.tile)
            [(first, _)], [(start, _)] = self.limits, limits
            panels = copies if first == start else tuple(f"{name}[{start} - ({first}) :]" for name in copies)
        named = ((copies, panels), (self.names_read(), self.names_read()))
        given = [f'"{" ".join(names)}", ({", ".join(values)},)' for names, values in named]
        starts, stops = (f"({', '.join(each)},)" for each in zip(*limits, strict=True))
        sizes = f"{self.packed.rows}, {self.packed.columns}, {self.sums}, {self.count}, {self.tile}, {self.end} - 1"
        lines = [f'"{self.term}",', f'"{places}",', f"{sizes},", f"{starts}, {stops},", *(f"{each}," for each in given)]
        comments = [each for loop in self.loops for each in loop.origin.comments]
        return [*comments, "sum_in_registers(", *indented(lines), ")"]

    # --- what is added -------------------------------------------------------------------------------------------

    def packed_values(self) -> dict[Expression, str]:
        """What is computed for each column and trip, elements or of elements, and the names of the arrays that it is
        copied to."""
        found: dict[Expression, str] = {}
        column, others = self.inner.variable.name, {self.outer.variable.name, self.sum.name}

        def visit(node: Expression) -> None:
            if column in read(node) and not read(node) & others:
                of_column = (
                    each for each in inside(node) if isinstance(each, Element) and column in read(*each.indices)
                )
                array = next(of_column).array
                number = sum(name.startswith(f"{self.scope.name(array)}_packed") for name in found.values())
                wanted = f"{self.scope.name(array)}_packed" + (f"_{number}" if number else "")
                if node not in found:
                    found[node] = self.scope.fresh(wanted)
            elif isinstance(node, Operation):
                for each in node.operands:
                    visit(each)

        visit(self.packed.sum.value)
        return found

    def copied_of_rows(self) -> dict[Expression, str]:
        """What is computed for each row and trip, or is not read along memory, and the names of arrays for it: it is
        computed once for all columns."""
        found: dict[Expression, str] = {}
        if len(self.loops) > 1:
            return found
        row, column, trip = (each.variable.name for each in (self.outer, self.inner, *self.loops))

        def visit(node: Expression) -> None:
            names = read(node)
            own = {row, trip} <= names and not names & {column, self.sum.name}
            own = own and node.type.dtype == self.sum.type.dtype
            if own and not (isinstance(node, Element) and _along(node, trip)):
                found.setdefault(node, self.scope.fresh(f"row_factor_{len(found) + 1}"))
            elif isinstance(node, Operation):
                for each in node.operands:
                    visit(each)

        visit(self.packed.sum.value)
        return found

    def names_read(self) -> tuple[str, ...]:
        """The scalars and arrays that are the same for all trips, but for those that are packed."""
        own = {self.outer.variable.name, self.sum.name, *(each.variable.name for each in self.loops)}
        names: dict[str, None] = dict.fromkeys((*self.factors.values(), *self.of_row.values()))
        if self.of_row:
            names |= dict.fromkeys((self.first_copied, self.first_trip))
        for each in self.elements(self.packed.sum.value):
            names[self.scope.name(each.array)] = None
            names.update({self.scope.name(name): None for index in each.indices for name in sorted(read(index) - own)})
        return tuple(names)

    def elements(self, node: Expression) -> Iterator[Element]:
        """Those that are read where they are."""
        if isinstance(node, Element):
            yield from () if node in self.copies or node in self.of_row else (node,)
        elif isinstance(node, Operation) and node not in self.copies and node not in self.of_row:
            for each in node.operands:
                yield from self.elements(each)

    def text_of_sum(self) -> str:
        """What the sum becomes, with names for what stays."""
        changed = {each.variable.name for each in (self.outer, self.inner, *self.loops)}
        changed |= assigned(self.packed.body)

        def named(node: Expression) -> Expression:
            if node in self.copies:
                return Variable(f"{self.copies[node]}[{self.trips[-1]}, {self.column}]", node.type)
            if node in self.of_row:
                return Variable(f"{self.of_row[node]}[{self.copied_place()}]", node.type)
            if isinstance(node, Element) or (isinstance(node, Variable) and node.name in changed):
                return node
            if stays(node, changed):
                own = self.text(node)
                plain = own if own.isidentifier() else self.scope.fresh(f"factor_{len(self.factors) + 1}")
                name = self.factors.setdefault(node, plain)
                return Variable(name, node.type)
            assert isinstance(node, Operation)
            return replace(node, operands=tuple(map(named, node.operands)))

        return self.text(named(self.packed.sum.value), replace(self.scope, plain=True))


def _along(node: Expression, name: str) -> bool:
    """Whether an element is read along memory as a variable goes on."""
    return any(isinstance(each, Element) and name in read(each.indices[-1]) for each in inside(node))
