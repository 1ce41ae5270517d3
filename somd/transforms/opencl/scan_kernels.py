"""A scan -> three kernels of work-groups, in which no work-item waits for another group's.

    k = 0                        1  each work-item runs its stretch of TRIPS trips from the points of the operator, and
    for i in range(n):              what the stretches of a group make of them is composed: k_made[group]
        if a[i] > 0:             2  what stands before each group, and behind the last one: k_before[group], k_last[0]
            out[k] = a[i]        3  the stretches once more, composed up to each work-item; then the iterations, each
            k += 1                  stretch from the value before it

Loads and stores of elements that trips go along are striped, as in `striped_kernels`. All sets of functions of scans
are exact, so they may be composed in any order.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, replace

import numpy as np

from somd.language.scanning import SCANS
from somd.syntax import expression_of
from somd.transforms.emit.c import IN_ORDER, Statements
from somd.transforms.emit.c_declarations import declarations
from somd.transforms.emit.c_types import CTYPES, literal
from somd.transforms.emit.c_unit import Unit
from somd.transforms.emit.declared import Declared, assigned
from somd.transforms.loops.making import cast, choice, comparison, constant, operation, truth
from somd.transforms.loops.program import CarriedScalar, Expression, Loop, Region, Scan, Statement, Variable, While
from somd.transforms.loops.walking import statements_in, tests_accesses
from somd.transforms.loops.work import operations
from somd.transforms.opencl.arguments import Argument, Kernel, of_scope
from somd.transforms.opencl.compacted import Compacted, Keeping, staged_in
from somd.transforms.opencl.kernels import in_order, kernel_text, own_variables, scope_of, with_bounds
from somd.transforms.opencl.ranges import range_in_c
from somd.transforms.opencl.striped import (
    BARRIER,
    Key,
    Striped,
    Tiles,
    in_tiles_of_others,
    padded,
    stepped,
    striped_in,
)
from somd.transforms.opencl.striped_kernels import fetch_stretches, fitting
from somd.transforms.stages import Nest
from somd.transforms.types.scalars import ScalarType

#: trips of a work-item, work-items of a group without tiles, and those of the one that goes along the groups
TRIPS, LANES, CARRIERS = 16, 128, 256
#: the groups that a work-item of that one goes along at a time, for an operator of one point
AT_A_TIME = 8
#: operations of an iteration up to which the trips of a whole stretch are written out
SHORT = 16


@dataclass(frozen=True)
class ScanKernels:
    """The three kernels; `carries` by the scalars that are handed on. A group of `totals` and `iterations` runs `rows`
    iterations, that of `carries` runs alone."""

    totals: Kernel
    carries: dict[str, Kernel]
    iterations: Kernel

    @property
    def all(self) -> tuple[Kernel, ...]:
        return (self.totals, *self.carries.values(), self.iterations)


def scan_kernels_of(
    scan: Scan, nests: tuple[Nest, Nest], names: Callable[[str], str], unit: Unit
) -> ScanKernels | None:
    """The kernels of a scan, of whose totals and iterations the nests are; None where they have no such form. `names`
    gives the C name of a kind of kernel."""
    regions = scan.totals, scan.region
    plain = all(_is_plain(region, nest) for region, nest in zip(regions, nests, strict=True))
    if not plain or nests[0].tests or nests[1].raises or any(each.by is None for each in scan.carries):
        return None
    fitted = [fitted_of(region, extra_of(scan)) for region in regions]
    lanes = min(count for _, _, count in fitted)
    writers = [
        _Writer(scan, region, nest, arrays, within, lanes, unit)
        for region, nest, (arrays, within, _) in zip(regions, nests, fitted, strict=True)
    ]
    totals = writers[0].totals(names("totals"))
    carries = {
        each.variable.name: carries_kernel(each, names(f"carries_{number}"), nests[1], unit)
        for number, each in enumerate(scan.carries)
    }
    return ScanKernels(totals, carries, writers[1].iterations(names("striped")))


def points_of(carried: CarriedScalar) -> int:
    return len(SCANS[carried.by or ""].points)


def _is_plain(region: Region, nest: Nest) -> bool:
    made = region.reductions or region.combined or region.local_arrays or region.relaxed or region.partition
    return not made and not region.aliased and nest.dims[0].invariant and region.loop.hull is None


def extra_of(scan: Scan) -> int:
    """The bytes of local memory that a work-item has besides its tiles."""
    return sum(points_of(each) * np.dtype(each.variable.type.dtype).itemsize for each in scan.carries) + 8


def fitted_of(region: Region, extra: int) -> tuple[list[Striped], dict[Key, Key], int]:
    """The arrays whose elements the iterations go along, one each, as far as there is room for tiles; those that are
    stored in tiles of others; and the work-items of a group."""
    body = in_order(region, 1)
    if region.loop.variable.name in assigned(body):
        return [], {}, LANES
    loop = replace(region.loop, body=body)
    found = striped_in((loop,), region, body)
    within = in_tiles_of_others((loop,), (loop,), found)
    kept, lanes = fitting([each for each in found if each.key not in within], TRIPS, extra)
    within = {key: other for key, other in within.items() if any(each.key == other for each in kept)}
    return kept + [each for each in found if each.key in within], within, lanes or LANES


def declared_in_both(one: Declared, other: Declared) -> Declared:
    """The variables of two bodies that stand in one function."""
    private = {**one.private, **other.private}
    return Declared((one.scoped | other.scoped) - set(private), private)


class _Writer:
    """Writes a kernel that runs the iterations of a region by stretches."""

    def __init__(
        self,
        scan: Scan,
        region: Region,
        nest: Nest,
        arrays: Sequence[Striped],
        within: Mapping[Key, Key],
        lanes: int,
        unit: Unit,
    ) -> None:
        self.scan, self.region, self.lanes = scan, region, lanes
        self.scope = scope_of(nest, unit)
        self.declared = declared_in_both(own_variables(region, 1), own_variables(scan.totals, 1))
        self.write = Keeping(self.scope, unit, self.declared, next_iteration="continue;")
        self.arrays, self.within_others = arrays, within
        self.variable = self.scope.text_of(region.loop.variable.name)
        self.tiles = Tiles(arrays, lanes, TRIPS, lanes, self.variable, self.write, within)
        fresh = self.scope.names.fresh
        self.base, self.start, self.count, self.whole = (
            fresh(n) for n in (f"{self.variable}_base", f"{self.variable}_first", "count", "whole")
        )
        self.group, self.ends, self.by = (fresh(n) for n in ("group", "ends", "by"))
        self.bounds: list[Argument] = []
        self.composition = [Composition(each, self.write, lanes) for each in scan.carries]

    def totals(self, name: str) -> Kernel:
        write, lane, by = self.write, self.tiles.lane, self.by
        self.opened()
        self.stretch_totals(self.region.body)
        with write.braces(f"for (int {by} = 1; {by} < {self.lanes}; {by} *= 2)"):
            write.line(BARRIER)
            with write.braces(f"if (({lane} & (2 * {by} - 1)) == 0)"):
                for each in self.composition:
                    each.compose(lane, f"{lane} + {by}")
        with write.braces(f"if ({lane} == 0)"):
            made = [Argument("made", self.scope.names.fresh(f"{each.text}_made_{k}"), each.name, k, each.dtype)
                    for each in self.composition for k in range(each.points)]  # fmt: skip
            slots = [slot for each in self.composition for slot in each.slots]
            for argument, slot in zip(made, slots, strict=True):
                write.line(f"{argument.text}[{self.group}] = {slot}[0];")
        return self.finished(name, made)

    def iterations(self, name: str) -> Kernel:
        write, lane = self.write, self.tiles.lane
        self.opened()
        self.stretch_totals(self.scan.totals.body)
        up_to_each(self.composition, lane, self.by)
        texts = [self.scope.names.fresh(f"{each.text}_before") for each in self.composition]
        pairs = zip(self.composition, texts, strict=True)
        before = [Argument("before", text, each.name, dtype=each.dtype, constant=True) for each, text in pairs]
        for each, argument in zip(self.composition, before, strict=True):
            write.line(f"{each.text} = {argument.text}[{self.group}];")
            write.line(f"if ({lane} > 0)")
            write.line(f"    {each.text} = {each.after(each.text, f'{lane} - 1')};")
        self.iterated(
            {
                each.name: f"{argument.text}[{self.group}]"
                for each, argument in zip(self.composition, before, strict=True)
            }
        )
        if self.tiles.stored:
            write.local.append(f"    __local int {self.ends}[{self.lanes}];")
            write.line(f"{self.ends}[{lane}] = {self.count};")
            write.line(BARRIER)
            at, tiles = stepped(self.base, self.step, self.tiles.slot), self.tiles
            tiles.store(at, f"{tiles.place} < {self.ends}[{tiles.row}]")
        return self.finished(name, before)

    def iterated(self, before: Mapping[str, str]) -> None:
        """The iterations, from the values `before` the group; what they store at counters' places together."""
        write, tiles = self.write, self.tiles
        carried = {each.name: each for each in self.composition}
        others = self.within_others
        free = [each for each in self.arrays if each.key not in {*others, *others.values()}]
        extra = extra_of(self.scan) + sum(each.bytes_of(TRIPS) for each in self.arrays if each.key in others.values())
        kinds, staged = staged_in(self.region, list(carried), free, TRIPS, self.lanes, extra)
        if not staged:
            self.along(self.region.body, numbered=True)
            return
        names = {each: tiles.tiles[each.key] for each in self.arrays}
        compacted = Compacted(kinds, staged, write, names, TRIPS, self.lanes)
        ends = [carried[each.counter.name].after(before[each.counter.name], f"{self.lanes} - 1") for each in kinds]
        with compacted.ranges([(before[each.counter.name], end) for each, end in zip(kinds, ends, strict=True)]):
            write.keeps = compacted.keeping(tiles.column)
            self.columns(self.region.body, str(TRIPS), "#pragma unroll", False, f"if ({tiles.column} < {self.count})")
            write.keeps = {}
            compacted.stored(tiles.lane)
        with write.otherwise():
            self.along(self.region.body, numbered=True)

    @property
    def step(self) -> int:
        return self.within.step

    def opened(self) -> None:
        """What a group has to do with, and its tiles."""
        write, tiles, lanes = self.write, self.tiles, self.lanes
        self.within = within = range_in_c(0, self.region.loop, write.expressions, self.bounds)
        write.line(f"const int {tiles.lane} = get_local_id(0);")
        write.line(f"const long {self.group} = get_group_id(0);")
        first = within.start.text if within.start.level > 12 else f"({within.start.text})"
        write.line(f"const long {self.base} = {stepped(first, self.step, f'{self.group} * {lanes * TRIPS}')};")
        write.line(f"const long {self.start} = {stepped(self.base, self.step, f'{tiles.lane} * {TRIPS}')};")
        length = f"({within.stop.text}) - {self.start}" if self.step > 0 else f"{self.start} - ({within.stop.text})"
        left = length if abs(self.step) == 1 else f"({length} + {abs(self.step) - 1}) / {abs(self.step)}"
        write.line(f"const int {self.count} = (int)clamp((long)({left}), 0L, {TRIPS}L);")
        own = {each.name: each.dtype for each in self.composition}
        for line in declarations({**self.declared.private, **own}, self.scope):
            write.line(line)
        fetch_stretches(tiles, self.base, self.step, lanes * TRIPS, self.whole)
        write.guards_end()

    def stretch_totals(self, body: tuple[Statement, ...]) -> None:
        """What the stretch of each work-item makes of the points, into local memory."""
        for place in range(max(each.points for each in self.composition)):
            for each in self.composition:
                self.write.line(f"{each.text} = {each.point(place)};")
            self.along(body)
            for each in self.composition:
                if place < each.points:
                    self.write.line(f"{each.slots[place]}[{self.tiles.lane}] = {each.text};")

    def along(self, body: tuple[Statement, ...], numbered: bool = False) -> None:
        """The trips of a stretch; those of a whole one are unrolled where they are short."""
        short = operations(body, self.write.unit.by_name) <= SHORT and not tests_accesses(body)
        if not short or any(isinstance(node, Loop | While) for node in statements_in(body)):
            self.columns(body, self.count, IN_ORDER, numbered)
            return
        with self.write.braces(f"if ({self.count} == {TRIPS})"):
            self.columns(body, str(TRIPS), "#pragma unroll", numbered)
        with self.write.otherwise():
            self.columns(body, self.count, IN_ORDER, numbered)

    def columns(self, body: tuple[Statement, ...], count: str, pragma: str, numbered: bool, only: str = "") -> None:
        write, column, name = self.write, self.tiles.column, self.region.loop.variable.name
        write.lines.append(pragma)
        with write.braces(f"for (int {column} = 0; {column} < {count}; {column}++)"):
            write.line(f"const long {self.variable} = {stepped(self.start, self.step, column)};")
            if numbered:
                write.number(self.within.trip().text)
            self.scope.staged.update(self.tiles.staged(name, body))
            with write.braces(only) if only else nullcontext():
                write.block(body)
            self.scope.staged.clear()

    def finished(self, name: str, own: Sequence[Argument]) -> Kernel:
        arguments = with_bounds(of_scope(self.scope, frozenset(self.region.written)), self.bounds)
        arguments += own
        lines, local = self.write.finished(), self.write.local
        text = kernel_text(name, arguments, lines, self.scope, group=str(self.lanes), local=local)
        return Kernel(name, text, tuple(arguments), rows=self.lanes * TRIPS, lanes=self.lanes)


class Composition:
    """What stretches make of a scalar: values in local memory, for each point of its operator an array of `lanes`."""

    def __init__(self, carried: CarriedScalar, write: Statements, lanes: int) -> None:
        self.name, self.type, self.by, self.write = (
            carried.variable.name,
            carried.variable.type,
            carried.by or "",
            write,
        )
        self.dtype, self.points = self.type.dtype, points_of(carried)
        names = write.scope.names
        self.text, self.lanes = names.of(self.name), lanes
        self.slots = [names.fresh(f"{self.text}_of_{k}") for k in range(self.points)]
        self.taken = [names.fresh(f"{self.text}_taken_{k}") for k in range(self.points)]
        write.local += [f"    __local {CTYPES[self.dtype]} {slot}[{lanes}];" for slot in self.slots]

    def point(self, place: int) -> str:
        """What a stretch is started from."""
        return point_text(self.by, self.dtype, place)

    def after(self, value: str, lane: str) -> str:
        """The value behind what a slot stands for."""
        return after_text(self.by, self.type, self.write, value, [f"{slot}[{lane}]" for slot in self.slots])

    def compose(self, first: str, second: str) -> None:
        """The first of two slots becomes what both make, one after the other."""
        for slot in self.slots:
            self.write.line(f"{slot}[{first}] = {self.after(f'{slot}[{first}]', second)};")

    def take(self, lane: str) -> None:
        """A slot into registers."""
        for taken, slot in zip(self.taken, self.slots, strict=True):
            self.write.line(f"const {CTYPES[self.dtype]} {taken} = {slot}[{lane}];")

    def compose_taken(self, lane: str) -> None:
        """A slot becomes what the registers and it make, one after the other."""
        made = [self.after(taken, lane) for taken in self.taken]
        texts = [self.write.scope.names.fresh(f"{self.text}_both_{k}") for k in range(self.points)]
        for text, value in zip(texts, made, strict=True):
            self.write.line(f"const {CTYPES[self.dtype]} {text} = {value};")
        for slot, text in zip(self.slots, texts, strict=True):
            self.write.line(f"{slot}[{lane}] = {text};")


def up_to_each(made: Sequence[Composition], lane: str, by: str) -> None:
    """The slot of each work-item becomes what those up to it make, one after the other."""
    write = made[0].write
    with write.braces(f"for (int {by} = 1; {by} < {made[0].lanes}; {by} *= 2)"):
        write.line(BARRIER)
        for each in made:
            each.take(f"{lane} >= {by} ? {lane} - {by} : {lane}")
        write.line(BARRIER)
        with write.braces(f"if ({lane} >= {by})"):
            for each in made:
                each.compose_taken(lane)
    write.line(BARRIER)


def carries_kernel(carried: CarriedScalar, name: str, nest: Nest, unit: Unit) -> Kernel:
    """The kernel of one group that finds the values before the groups, piece by piece: each work-item composes some of
    them, then all are composed, then each goes along its own. Neighbours load and store neighbouring ones."""
    scope = scope_of(nest, unit)
    write = Statements(scope, unit, Declared(frozenset(), {}))
    each = Composition(carried, write, CARRIERS)
    fresh, kind, count = scope.names.fresh, CTYPES[each.dtype], AT_A_TIME // each.points
    made = [
        Argument("made", fresh(f"{each.text}_made_{k}"), each.name, k, each.dtype, True) for k in range(each.points)
    ]
    before = Argument("before", fresh(f"{each.text}_before"), each.name, dtype=each.dtype)
    last = Argument("last", fresh(f"{each.text}_last"), each.name, dtype=each.dtype)
    value = Argument("carried", fresh(f"{each.text}_first"), each.name, dtype=each.dtype)
    groups = Argument("groups", fresh("groups"))
    lane, piece, by, at, slot, column = (fresh(n) for n in ("lane", "piece", "by", "at", "slot", "column"))
    total = fresh(f"{each.text}_total")
    tiles, following, run, own = (
        [fresh(f"{each.text}_{word}_{k}") for k in range(each.points)] for word in ("tile", "next", "run", "own")
    )
    write.local += [f"    __local {kind} {tile}[{CARRIERS}][{padded(count)}];" for tile in tiles]

    @contextmanager
    def slots(start: str) -> Iterator[None]:
        write.lines.append("#pragma unroll")
        with write.braces(f"for (int load = 0; load < {count}; load++)"):
            write.line(f"const int {slot} = {lane} + load * {CARRIERS};")
            write.line(f"const long {at} = {start} + {slot};")
            yield

    def fetch(start: str) -> None:
        with slots(start):
            for k, (taken, argument) in enumerate(zip(following, made, strict=True)):
                write.line(f"{taken}[load] = {at} < {groups.text} ? {argument.text}[{at}] : {each.point(k)};")

    @contextmanager
    def columns() -> Iterator[None]:
        write.lines.append("#pragma unroll")
        with write.braces(f"for (int {column} = 0; {column} < {count}; {column}++)"):
            yield

    place = f"[{slot} / {count}][{slot} % {count}]"
    here = [f"{tile}[{lane}][{column}]" for tile in tiles]
    write.line(f"const int {lane} = get_local_id(0);")
    write.line(f"{kind} {total} = {value.text};")
    for taken in following:
        write.line(f"{kind} {taken}[{count}];")
    fetch("0L")
    with write.braces(f"for (long {piece} = 0; {piece} < {groups.text}; {piece} += {CARRIERS * count})"):
        write.line(BARRIER)
        with slots(piece):
            for tile, taken in zip(tiles, following, strict=True):
                write.line(f"{tile}{place} = {taken}[load];")
        write.line(BARRIER)
        fetch(f"{piece} + {CARRIERS * count}")
        for k, text in enumerate(run):
            write.line(f"{kind} {text} = {each.point(k)};")
        with columns():
            for text in run:
                write.line(f"{text} = {after_text(each.by, each.type, write, text, here)};")
        for of_lane, text in zip(each.slots, run, strict=True):
            write.line(f"{of_lane}[{lane}] = {text};")
        up_to_each([each], lane, by)
        write.line(f"{kind} {each.text} = {total};")
        write.line(f"if ({lane} > 0)")
        write.line(f"    {each.text} = {each.after(each.text, f'{lane} - 1')};")
        write.line(f"{total} = {each.after(total, str(CARRIERS - 1))};")
        with columns():
            for text, element in zip(own, here, strict=True):
                write.line(f"const {kind} {text} = {element};")
            write.line(f"{here[0]} = {each.text};")
            write.line(f"{each.text} = {after_text(each.by, each.type, write, each.text, own)};")
        write.line(BARRIER)
        with slots(piece):
            write.line(f"if ({at} < {groups.text})")
            write.line(f"    {before.text}[{at}] = {tiles[0]}{place};")
    write.line(f"if ({lane} == 0)")
    write.line(f"    {last.text}[0] = {total};")
    arguments = (*made, before, last, value, groups)
    text = kernel_text(name, list(arguments), write.finished(), scope, group=str(CARRIERS), local=write.local)
    return Kernel(name, text, arguments, lanes=CARRIERS)


def point_text(by: str, dtype: str, place: int) -> str:
    """A point of an operator, or the last one."""
    points = SCANS[by].points
    return literal(points[min(place, len(points) - 1)](np.dtype(dtype)), dtype).text


def after_text(by: str, type_: ScalarType, write: Statements, value: str, made: Sequence[str]) -> str:
    """The value behind a block that makes `made` of the points, as text of C; `value` is that before it."""
    texts = dict(zip(("value'", "first'", "second'"), (value, *made), strict=False))
    write.scope.held.update(texts)
    tree = expression_of(SCANS[by].of(*(f"{each[:-1]}" for each in texts)))
    found = write.value(cast(_typed(tree.body, ScalarType(type_.dtype)), type_)).loose
    for name in texts:
        del write.scope.held[name]
    return found


def _typed(node: ast.expr, type_: ScalarType) -> Expression:
    """An expression of the table of scans with numbers of a type."""

    def typed(*nodes: ast.expr) -> list[Expression]:
        return [_typed(each, type_) for each in nodes]

    match node:
        case ast.Name(name):
            return Variable(f"{name}'", type_)
        case ast.Constant(int(number)):
            return constant(number, type_)
        case ast.BinOp(left, op, right):
            return operation(_SYMBOLS[type(op)], *typed(left, right))
        case ast.UnaryOp(ast.Invert(), operand):
            return operation("~", *typed(operand))
        case ast.IfExp(test, body, orelse):
            return choice(truth(_typed(test, type_)), *typed(body, orelse))
        case ast.BoolOp(op, [left, right]):
            return operation("and" if isinstance(op, ast.And) else "or", *map(truth, typed(left, right)))
        case ast.Compare(left, [op], [right]):
            one, other = typed(left, right)
            return comparison(_SYMBOLS[type(op)], one, other, (one.type, other.type))
        case ast.Call(ast.Name(name), [left, right]):
            return operation(name, *typed(left, right))
    raise AssertionError(ast.dump(node))


_SYMBOLS: dict[type[ast.AST], str] = {
    ast.Add: "+",
    ast.Sub: "-",
    ast.Mult: "*",
    ast.BitAnd: "&",
    ast.BitOr: "|",
    ast.BitXor: "^",
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
    ast.Eq: "==",
}
