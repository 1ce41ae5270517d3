"""Iterations that go several times along rows of their own (`staged_rows`) -> a kernel whose groups keep these rows.

for r in range(n):                            for (k = own; k < m; k += team) x_row[k] = x[r * m + k];
    largest = x[r, 0]                         barrier
    for k in range(m):                        largest = of the trips of each work-item, of all
        largest = max(largest, x[r, k])  ->   for (k = own; k < m; k += team) x_row[k] = exp(x_row[k] - largest);
    whole = 0.0                               barrier
    for k in range(m):                        if (lane < rows)                    its row is the lane's here
        out[r, k] = exp(x[r, k] - largest)        for (k = 0; k < m; k++) whole = whole + x_row[k];
        whole += out[r, k]                    barrier
    ...

A group has some rows, and a *team* of work-items for each of them, which share out the trips of a loop. What has an
order is done by the first work-items of the group, one a row, so that the rows of a group wait for an addition once and
not one by one. They load 64 bytes at a time, those of the next trips while they add. The host says how many rows a
group has, by how long they are: as many as there is local memory for.

All work-items of a team have the scalars of their row. Where a group has no row left for a team, it goes along the
group's first one, and stores nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import libcst as cst
import numpy as np

from somd.transforms.emit.c import IN_ORDER
from somd.transforms.emit.c_declarations import declarations
from somd.transforms.emit.c_tree import C
from somd.transforms.emit.c_types import CTYPES
from somd.transforms.emit.c_unit import Unit
from somd.transforms.emit.declared import assigned, read_in, scalars_set
from somd.transforms.loops.program import Assign, Constant, Element, Expression, Region, Store, Variable
from somd.transforms.loops.walking import expressions, expressions_in, inside, statements_in
from somd.transforms.loops.work import operations
from somd.transforms.opencl.arguments import Argument, Kernel, of_scope
from somd.transforms.opencl.cut_loops import Block
from somd.transforms.opencl.kernels import kernel_text, with_bounds
from somd.transforms.opencl.shared_extremes import Looked, better, shared_extreme_lines
from somd.transforms.opencl.shared_sweeps import SharedSweeps
from somd.transforms.opencl.staged_rows import StagedRows, Sweep, always_read, staged_rows_of
from somd.transforms.opencl.striped import Key, key_of
from somd.transforms.opencl.unrolling import unroll_lines
from somd.transforms.opencl.words import WORD, Words
from somd.transforms.stages import Nest

#: work-items of a group, and rows, at most
LANES, ROWS = 128, 32
#: bytes that are loaded at a time along a row
PIECE = 64
#: bytes that are fetched into a cache at a time
LINE = 128
#: loads of a work-item that are under way when rows are brought in
AT_ONCE = 8
#: from how many trips on an order takes so long that rows are fetched while most work-items wait for it
LONG = 512
BARRIER = "barrier(CLK_LOCAL_MEM_FENCE);"
FENCE = "barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);"


def staged_row_kernel_of(nest: Nest, region: Region, name: str, unit: Unit) -> Kernel | None:
    """The kernel of a nest whose iterations go along rows of their own several times."""
    found = staged_rows_of(nest, region, unit.types, unit.by_name)
    return None if found is None else _Writer(found, nest, region, unit).kernel(name)


class _Writer(SharedSweeps):
    def __init__(self, found: StagedRows, nest: Nest, region: Region, unit: Unit) -> None:
        super().__init__(found, ROWS, nest, region, unit)
        fresh = self.scope.names.fresh
        self.lane, self.mine = fresh("lane"), fresh("mine")
        self.rows, self.pool = fresh("rows"), fresh("pool")
        #: by type: places for what each work-item has found
        self.extremes: dict[str, str] = {}
        #: for each place where it begins, and how many words a row of it takes
        self.places = [(fresh("place"), fresh("words")) for _ in found.places]
        #: rows that are brought in
        self.loaded = [(key, row.element) for key, row in found.rows.items() if row.loaded and row.element is not None]
        #: of the row that is looked at while it is brought in
        self.looked: Looked | None = None
        #: where scalars of each row are that one work-item has set, or needs
        self.of_row: dict[str, str] = {}
        self.dtypes = dict(scalars_set(region.body))
        written = {each.array for each in expressions_in(region.body) if isinstance(each, Element)}
        read = {
            each.array
            for node in statements_in(region.body)
            for top in expressions(node)
            for each in inside(top)
            if isinstance(each, Element)
        }
        loose = written & read & {*region.written} - {key[0] for key in found.rows}
        # an element of an array that is brought in and stored, or stored by two loops, is touched by several work-items
        times = [sum(key == stored for _, stored in found.last) + row.loaded for key, row in found.rows.items()]
        again = any(n > 1 and key[0] in region.written for n, key in zip(times, found.rows, strict=True))
        self.fence = FENCE if loose or again else BARRIER

    def kernel(self, name: str) -> Kernel:
        write = self.write
        write.barrier_follows = True
        self.begin_teams()
        self.begin_rows()
        waits, sweeps = bool(self.loaded), [part for part in self.found.parts if isinstance(part, Sweep)]
        for number, part in enumerate(self.found.parts):
            given = self.given(part) if isinstance(part, Sweep) and part.in_order else []
            new = [name for name in given if name not in self.of_row]
            if waits and new == given:
                self.publish(given)
            touches = isinstance(part, Sweep) or any(isinstance(each, Element) for each in expressions_in(part))
            if waits and touches:
                write.line(self.fence)
            if given and not (waits and new == given):
                self.publish(given)
                write.line(BARRIER)
            waits = waits or touches
            if not isinstance(part, Sweep):
                self.between(part)
            elif part.in_order:
                if self.loaded and not any(each.in_order for each in sweeps[: sweeps.index(part)]):
                    self.prefetch()
                self.in_order(number, part)
            elif part.extreme is not None:
                self.extreme(part)
            else:
                self.shared(number, part)
        arguments = with_bounds(of_scope(self.scope, frozenset(self.region.written)), self.bounds)
        arguments += [Argument("tile", self.rows), Argument("pool", self.pool)]
        text = kernel_text(name, arguments, write.finished(), self.scope, group=str(LANES), local=write.local)
        nodes = (loop.origin.node for loop in self.loops)
        along = tuple(node for node in nodes if isinstance(node, cst.For))
        staged = tuple((place.size, tuple(place.axes)) for place in self.found.places)
        return Kernel(name, text, tuple(arguments), along, rows=ROWS, lanes=LANES, staged=staged)

    # --- groups, teams, rows ----------------------------------------------------------------------------------------

    def begin_teams(self) -> None:
        """Which row a work-item has, and whether there is one."""
        write, trip, within = self.write, C(self.trip, "int64"), self.trips.ranges[0]
        write.line(f"const int {self.lane} = get_local_id(0);")
        write.line(f"const int {self.team} = {LANES} / (int){self.rows};")
        write.line(f"const int {self.mine} = {self.lane} / {self.team};")
        write.line(f"const int {self.own} = {self.lane} % {self.team};")
        write.line(f"const long {self.first} = (long)get_group_id(0) * {self.rows};")
        write.line(f"int {self.active};")
        with write.braces():
            self.row_of(self.mine)
            write.line(f"{self.active} = !({self.trips.beyond(trip)});")
        write.line(f"const long {self.trip} = {self.first} + ({self.active} ? {self.mine} : 0);")
        write.line(f"const long {within.variable} = {within.value(trip)};")
        for line in declarations(self.declared.private, self.scope):
            write.line(line)

    def row_of(self, number: str) -> None:
        """Declares the variables of a row of the group."""
        within = self.trips.ranges[0]
        self.write.line(f"const long {self.trip} = {self.first} + {number};")
        self.write.line(f"const long {within.variable} = {within.value(C(self.trip, 'int64'))};")

    def begin_rows(self) -> None:
        """The rows of a work-item's team, and what is in them at first."""
        write, before = self.write, "0"
        for place, (begin, words) in zip(self.found.places, self.places, strict=True):
            lengths = [self.scope.length(array, axis).text for array, axis in place.axes]
            longest = lengths[0]
            for length in lengths[1:]:
                longest = f"max({longest}, {length})"
            write.line(f"const int {words} = (int)(({longest} * {place.size} + {WORD - 1}) / {WORD}) | 1;")
            write.line(f"const int {begin} = {before};")
            before = f"{begin} + {self.rows} * {words}"
        self.pointers(self.mine)
        for key, element in self.loaded:
            looked = None
            if key == self.early_key():
                kept = next(part.extreme for part in self.found.parts if isinstance(part, Sweep))
                assert kept is not None
                looked = self.looked = Looked(kept, self.scope.names.fresh("best"), self.scope.names.fresh("some"))
                write.line(f"{CTYPES[kept.variable.type.dtype]} {looked.best} = 0;")
                write.line(f"int {looked.some} = 0;")
            with write.braces(self.where_it_is(element)):
                self.bring_in(self.texts[key], element, looked)

    def early_key(self) -> Key | None:
        """The row whose extreme is found while it is brought in: that of all its elements, before all other loops."""
        number, sweep = next((n, part) for n, part in enumerate(self.found.parts) if isinstance(part, Sweep))
        kept, loop = sweep.extreme, sweep.loop
        element = None if kept is None else kept.element
        if kept is None or not isinstance(element, Element) or not self.has(element):
            return None
        length = self.scope.length(element.array, len(element.indices) - 1)
        along = element.indices[-1] == loop.variable and self.write.value(loop.stop).text == length.text
        if not along or element.array in self.region.written:
            return None
        start, name = self.write.value(loop.start).value, kept.variable.name
        before = [node for part in self.found.parts[:number] if not isinstance(part, Sweep) for node in part]
        sets = [node for node in before if name in assigned((node,))]
        first = sets[-1].value if sets and isinstance(sets[-1], Assign) else None
        # the loop may leave out the first element where the variable is that to begin with
        known = isinstance(first, Element) and key_of(first) == key_of(element) and _is_zero(first.indices[-1])
        return key_of(element) if start == 0 or (start == 1 and known) else None

    def where_it_is(self, element: Element) -> str:
        """The test whether an iteration has such a row."""
        tests = [
            f"(ulong)({self.write.value(index).text}) < (ulong){self.scope.length(element.array, axis).text}"
            for axis, index in enumerate(element.indices[:-1])
        ]
        return f"if ({' && '.join(tests)})"

    def prefetch(self) -> None:
        """Rows of groups that are to begin soon, while most work-items wait for those that go along rows."""
        write, fresh = self.write, self.scope.names.fresh
        ahead, begin, at = fresh("ahead"), fresh("begin"), fresh("at")
        sizes = {
            key: f"{self.scope.length(e.array, len(e.indices) - 1).text} * {np.dtype(e.type.dtype).itemsize}"
            for key, e in self.loaded
        }
        write.lines += ["#ifdef PREFETCHED", "#ifndef PREFETCH", f"#define PREFETCH(p) prefetch(p, {LINE})", "#endif"]
        _, along = self.loaded[0]
        long = f"{self.scope.length(along.array, len(along.indices) - 1).text} >= {LONG}"
        with write.braces(f"if ({long})"):
            write.line(f"const int {ahead} = PREFETCHED / max(1, (int)({' + '.join(sizes.values())}));")
            self.row_of(f"{self.mine} + max(1, {ahead})")
            with write.braces(f"if (!({self.trips.beyond(C(self.trip, 'int64'))}))"):
                for key, element in self.loaded:
                    with write.braces(self.where_it_is(element)):
                        self.begin_of(element, "const char", begin)
                        first, by = f"{self.own} * {LINE}", f"{self.team} * {LINE}"
                        write.line(f"for (int {at} = {first}; {at} < (int)({sizes[key]}); {at} += {by})")
                        write.line(f"    PREFETCH({begin} + {at});")
        write.lines.append("#endif")

    def bring_in(self, row: str, element: Element, looked: Looked | None) -> None:
        """A row as it is in its array, word by word where it begins at one."""
        write, fresh, variable = self.write, self.scope.names.fresh, self.scope.text_of(_inner(element))
        words, length = Words(row, element.type.dtype), self.scope.length(element.array, len(element.indices) - 1)
        begin, many, word, new = fresh("begin"), fresh("words"), fresh("word"), fresh("new")

        def look(text: str) -> None:
            if looked is not None:
                with write.braces():
                    better(write, looked.kept, looked.best, new, text)

        self.begin_of(element, f"const {words.kind}", begin)
        if looked is not None:
            with write.braces(f"if ({length.text} > 0)"):
                write.line(f"{looked.best} = *(__global const {CTYPES[element.type.dtype]} *){begin};")
                write.line(f"{looked.some} = 1;")
        write.line(f"const long {many} = ((ulong){begin} & {WORD - 1}) == 0 ? {length.text} / {words.columns} : 0;")
        write.lines.append(f"#pragma unroll {AT_ONCE}")
        with write.braces(f"for (long {word} = {self.own}; {word} < {many}; {word} += {self.team})"):
            here = fresh("here")
            write.line(f"const {words.kind} {here} = {begin}[{word}];")
            write.line(f"{words.at(word)} = {here};")
            for k in range(words.columns):
                look(f"{here}.s{k}")
        first = f"{many} * {words.columns} + {self.own}"
        with write.braces(f"for (long {variable} = {first}; {variable} < {length.text}; {variable} += {self.team})"):
            write.line(f"{row}[{variable}] = {write.value(element).loose};")
            look(f"{row}[{variable}]")

    def pointers(self, number: str) -> None:
        """Declares where the rows of the group's row of this number lie."""
        rows = [(self.texts[key], row) for key, row in self.found.rows.items()]
        rows += [(self.terms[name], row) for name, row in self.found.terms.items()]
        for text, row in rows:
            begin, words = self.places[row.place]
            kind = CTYPES[row.dtype]
            place = f"{self.pool} + {begin} + {number} * {words}"
            self.write.line(f"__local {kind} *const {text} = (__local {kind} *)({place});")

    # --- parts ------------------------------------------------------------------------------------------------------

    def between(self, part: Block) -> None:
        """What an iteration does between loops: all work-items of its team, or the first one, if it stores."""
        write, scope = self.write, self.scope
        scope.staged.update(self.lies(part))
        if any(isinstance(node, Store) for node in statements_in(part)):
            with write.braces(f"if ({self.active} && {self.own} == 0)"):
                write.block(part)
        else:
            write.block(part)
        scope.staged.clear()

    def extreme(self, sweep: Sweep) -> None:
        """The extreme of a row."""
        scope, kept = self.scope, sweep.extreme
        assert kept is not None
        scope.staged.update(self.lies(sweep.body))
        dtype = kept.variable.type.dtype
        if dtype not in self.extremes:
            self.extremes[dtype] = scope.names.fresh("found")
            self.write.local.append(f"    __local {CTYPES[dtype]} {self.extremes[dtype]}[{LANES}];")
        element = kept.element
        row: Words | Looked | None = None
        if self.looked is not None and self.looked.kept is kept:
            row = self.looked
        elif isinstance(element, Element) and self.has(element) and element.indices[-1] == sweep.loop.variable:
            row = Words(self.texts[key_of(element)], element.type.dtype)
        shared_extreme_lines(sweep.loop, kept, self.write, self.extremes[dtype], self.lane, self.own, self.team, row)
        scope.staged.clear()

    def sets(self, sweep: Sweep) -> set[str]:
        """The scalars of a row that it sets."""
        return {name for name, _ in scalars_set(sweep.body)} & self.declared.private.keys()

    def given(self, sweep: Sweep) -> list[str]:
        """The scalars of a row that it reads or sets."""
        nodes = (sweep.loop, *statements_in(sweep.body))
        reads = {name for node in nodes for each in expressions(node) for name in read_in(each)}
        known = {name for name in self.dtypes if name in self.declared.private or name in self.scope.held}
        return sorted((reads | self.sets(sweep)) & known)

    def publish(self, given: Sequence[str]) -> None:
        """Scalars of each row, for the work-item that goes along it."""
        write, scope = self.write, self.scope
        for name in given:
            if name not in self.of_row:
                self.of_row[name] = scope.names.fresh(f"{scope.text_of(name)}_of_row")
                write.local.append(f"    __local {CTYPES[self.dtypes[name]]} {self.of_row[name]}[{ROWS}];")
        if given:
            with write.braces(f"if ({self.own} == 0)"):
                for name in given:
                    write.line(f"{self.of_row[name]}[{self.mine}] = {scope.text_of(name)};")

    def in_order(self, number: int, sweep: Sweep) -> None:
        """A way along the rows that has an order: the first work-items of the group have one each."""
        write, scope = self.write, self.scope
        given, sets = self.given(sweep), self.sets(sweep)
        trip = C(self.trip, "int64")
        with write.braces(f"if ({self.lane} < {self.rows})"):
            self.row_of(self.lane)
            with write.braces(f"if (!({self.trips.beyond(trip)}))"):
                self.pointers(self.lane)
                for name in given:
                    text, kind = scope.text_of(name), CTYPES[self.dtypes[name]]
                    write.line(f"{'' if name in sets else 'const '}{kind} {text} = {self.of_row[name]}[{self.lane}];")
                self.along(sweep)
                for name in given:
                    if name in sets:
                        write.line(f"{self.of_row[name]}[{self.lane}] = {scope.text_of(name)};")
        stored = [
            node for node in sweep.body if isinstance(node, Store) and (number, key_of(node.element)) in self.found.last
        ]
        if not stored and not sets:
            return
        write.line(BARRIER)
        for name in given:
            if name in sets:
                write.line(f"{scope.text_of(name)} = {self.of_row[name]}[{self.mine}];")
        if stored:
            scope.staged.update(self.lies(stored))
            with write.braces(f"if ({self.active})"):
                variable = scope.text_of(sweep.loop.variable.name)
                start, stop = write.value(sweep.loop.start), write.value(sweep.loop.stop)
                first, limit = f"({start.text}) + {self.own}", f"({stop.text})"
                with write.braces(f"for (long {variable} = {first}; {variable} < {limit}; {variable} += {self.team})"):
                    self.store(number, sweep)
            scope.staged.clear()

    def along(self, sweep: Sweep) -> None:
        """The trips of one row in order: pieces of it, and what is left."""
        write, fresh, body = self.write, self.scope.names.fresh, sweep.body
        variable = self.scope.text_of(sweep.loop.variable.name)
        start, stop = write.value(sweep.loop.start), write.value(sweep.loop.stop)
        stored = {node.element.array for node in statements_in(body) if isinstance(node, Store)}
        always = {key_of(e) for e in always_read(body) if e.indices[-1] == sweep.loop.variable}
        mine = [e for e in self.lies(body) if e.indices[-1] == sweep.loop.variable and key_of(e) in always]
        ahead = [e for e in mine if e.array not in stored]
        terms = sorted({e.name for e in expressions_in(body) if isinstance(e, Variable)} & self.terms.keys())
        loaded: list[tuple[Element | str, str, str]] = [(e, self.texts[key_of(e)], e.type.dtype) for e in ahead]
        loaded += [(name, self.terms[name], self.found.terms[name].dtype) for name in terms]
        columns = PIECE // max((np.dtype(dtype).itemsize for _, _, dtype in loaded), default=PIECE)
        copies = unroll_lines(columns, operations(body, self.unit.by_name))
        if not loaded or copies != [f"#pragma unroll {columns}"]:
            self.one_by_one(sweep, start.loose, stop.text, terms)
            return
        first, whole, at, column = (fresh(n) for n in ("first", "whole", f"{variable}_piece", "column"))
        if start.value == 0:
            write.line(f"const long {first} = 0;")
        else:
            write.line(f"const long {first} = ({start.text} + {columns - 1}) / {columns} * {columns};")
            self.one_by_one(sweep, start.loose, f"min({first}, (long)({stop.text}))", terms)
        write.line(
            f"const long {whole} = {first} + max(0L, (long)({stop.text}) - {first}) / {2 * columns} * {2 * columns};"
        )
        names = [(fresh("one"), fresh("other")) for _ in loaded]
        ones, others = ([each[which] for each in names] for which in (0, 1))
        for (_, _, dtype), (one, other) in zip(loaded, names, strict=True):
            write.line(f"{CTYPES[dtype]} {one}[{columns}], {other}[{columns}];")

        def trips(registers: Sequence[str], begin: str) -> None:
            write.lines += copies
            with write.braces(f"for (int {column} = 0; {column} < {columns}; {column}++)"):
                write.line(f"const long {variable} = {begin} + {column};")
                places = [f"{register}[{column}]" for register in registers]
                self.trip_of(body, {what: place for (what, _, _), place in zip(loaded, places, strict=True)})

        with write.braces(f"if ({first} < {whole})"):
            self.fetch(loaded, ones, first, columns)
        write.lines.append(IN_ORDER)
        with write.braces(f"for (long {at} = {first}; {at} < {whole}; {at} += {2 * columns})"):
            self.fetch(loaded, others, f"{at} + {columns}", columns)
            trips(ones, at)
            with write.braces(f"if ({at} + {2 * columns} < {whole})"):
                self.fetch(loaded, ones, f"{at} + {2 * columns}", columns)
            trips(others, f"{at} + {columns}")
        self.one_by_one(sweep, whole, stop.text, terms)

    def one_by_one(self, sweep: Sweep, start: str, stop: str, terms: Sequence[str]) -> None:
        """Trips in order that read what lies in local memory there."""
        variable = self.scope.text_of(sweep.loop.variable.name)
        self.write.lines.append(IN_ORDER)
        with self.write.braces(f"for (long {variable} = {start}; {variable} < {stop}; {variable}++)"):
            self.trip_of(sweep.body, {name: f"{self.terms[name]}[{variable}]" for name in terms})

    def trip_of(self, body: Block, places: Mapping[Element | str, str]) -> None:
        """A trip, for which elements and terms have these places."""
        write, scope = self.write, self.scope
        scope.staged.update(self.lies(body))
        scope.held.update({what: text for what, text in places.items() if isinstance(what, str)})
        scope.staged.update({what: text for what, text in places.items() if not isinstance(what, str)})
        write.loops += 1
        write.block(body)
        write.loops -= 1
        scope.staged.clear()

    def fetch(
        self, loaded: Sequence[tuple[Element | str, str, str]], into: Sequence[str], at: str, columns: int
    ) -> None:
        """A piece of each row into registers, word by word."""
        for (_, row, dtype), register in zip(loaded, into, strict=True):
            Words(f"({row} + {at})", dtype).load(self.write, register, "", columns)


def _is_zero(index: Expression) -> bool:
    return isinstance(index, Constant) and index.value == 0


def _inner(element: Element) -> str:
    inner = element.indices[-1]
    assert isinstance(inner, Variable)
    return inner.name
