"""The interpreter: what a loop program means, in NumPy's scalars.

It is slow and is used to judge: builder and passes, and the plans that users' methods get. Iterations of a region run
in an order that is chosen, and everything that the program claims is tested: iterations share nothing but reductions,
accesses that carry no test stay inside their arrays, variables lie in their intervals, names have values.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np

from somd.compiling.one_at_a_time import many_calls
from somd.language.partitioners import Block, Partitioner
from somd.transforms.loops.logical_blocks import neighbours
from somd.transforms.loops.meaning import Carried, Code, Meaning, Names, Returned, as_kind
from somd.transforms.loops.operators import number
from somd.transforms.loops.out_of_step import Panel, in_panels, in_time_tiles
from somd.transforms.loops.prepared import Prepared, prepared
from somd.transforms.loops.program import Element, Lanes, Loop, Partials, Program, Region, Scan
from somd.transforms.loops.reducing import combine_copy, combined, fresh_copy, start
from somd.transforms.loops.scan import Blocks, Points, Starts, run_scan
from somd.transforms.loops.tile_turns import chunks_of, cut_in_tiles, first_row, parts_of, shared_trips
from somd.transforms.loops.time_tiles import Tile, regions_in
from somd.transforms.loops.walking import statements_in, tests_accesses
from somd.transforms.loops.witness import ProgramViolation, Witness, Write, claim, holds
from somd.transforms.types.scalars import ScalarType, TupleType

#: in which order iterations run: as written, the last one first, or as chance chooses for a seed
Order = Literal["forwards", "backwards"] | int
#: entries of a table, at most
ENTRIES = 64
#: what fills tables, among iterations
FILLING = -2
#: parts of a region, at most
PARTS = 4


@dataclass
class _Run:
    """What holds while a program runs."""

    order: Order
    #: what chooses how regions are cut, and what chooses which trip is next
    chance: random.Random
    turns: random.Random
    partitioners: Mapping[str, Partitioner]
    workers: int | None
    #: choose lengths of tables, and sizes and order of tiles of time: nothing else, so that sums stay as they are
    room: random.Random
    tiling: random.Random
    #: the tile of time in which regions run, or the panel in which one waits
    tile: Tile | None = None
    panel: Panel | None = None
    #: by the number of a region: the scalars that its parts handed on, in rank order
    partials: dict[int, list[Names]] = field(default_factory=dict)
    #: the last write of each element, by its address
    writes: dict[int, Write] | None = None


class Interpreter:
    """A program made ready to be run several times."""

    def __init__(self, program: Program) -> None:
        self.program = program
        chance = random.Random(0)
        self.current = _Run("forwards", chance, chance, {}, None, chance, chance)
        self.runner: _Runner | None = None
        with many_calls():
            self._prepare()

    def _prepare(self) -> None:
        program = self.program
        self.meaning = Meaning(self, program.name)
        for function in program.functions:
            self.meaning.function(function)
        regions = [node for node in statements_in(program.body) if isinstance(node, Region)]
        self.regions = {region.number: prepared(region, self.meaning) for region in regions}
        last = program.body[-1] if program.body else None
        self.rest = self.meaning.partial_results(last) if isinstance(last, Partials) else None
        loops = [node for node in statements_in(program.body) if isinstance(node, Loop)]
        tiled = [(id(node), node.time_tiles) for node in loops if node.time_tiles is not None]
        #: by the identity of loops in tiles of time: their rows, and whether these are too many
        self.rows = {loop: [*map(self.meaning.value, tiles.rows)] for loop, tiles in tiled}
        self.sparse = {loop: self.meaning.value(tiles.sparse) for loop, tiles in tiled if tiles.sparse is not None}
        self.body = self.meaning.block(program.body[: -1 if self.rest is not None else None])

    def run(
        self,
        arguments: Mapping[str, object],
        order: Order = "forwards",
        partitioners: Mapping[str, Partitioner] | None = None,
        workers: int | None = None,
        writes: dict[int, Write] | None = None,
    ) -> Any:
        """The result for `arguments`, whose arrays are changed as the program says.

        `partitioners` are those of the parameters that have one of their own; `workers` the number of parts of regions
        whose parts show in the result, which chance chooses otherwise. `writes` takes the last write of each element.

        Raises:
            IndexError: an access leaves its array, found before a region or in it.
            BaseException: what the method raises.
            ProgramViolation: a claim of the program does not hold.
        """
        seed = order if isinstance(order, int) else 0
        chance, turns, room, tiling = (random.Random(seed) for _ in range(4))
        self.current = _Run(order, chance, turns, partitioners or {}, workers, room, tiling, writes=writes)
        self.runner = None
        names: Names = {}
        for parameter in self.program.parameters:
            given: Any = arguments[parameter.name]
            scalar = isinstance(parameter.type, ScalarType)
            names[parameter.name] = number(given, parameter.type.dtype) if scalar else given  # type: ignore[union-attr]
        carried: list[BaseException] = []
        with many_calls(), np.errstate(all="ignore"):
            try:
                return self._result(names, [arguments[parameter.name] for parameter in self.program.parameters])
            except Carried as raised:
                carried.append(raised.error)
        for error in carried:  # not inside `except`: it has the context that it has in Python
            raise error

    def _result(self, names: Names, given: list[Any]) -> Any:
        found, combine = self.body(names), self.program.combine
        if isinstance(found, Returned):
            results = [found]  # before the region that makes partial results: the same for all parts
        elif self.rest is not None:
            results = self.rest(names)
        else:
            return None
        values = [self._typed(each.values) for each in results]
        return values[0] if combine is None else combine(values, given)

    def _typed(self, values: tuple[Any, ...]) -> Any:
        """A result as plain Python has it."""
        result = self.program.result
        if isinstance(result, TupleType):
            return tuple([as_kind(value, kind) for value, kind in zip(values, result.elements, strict=True)])
        return None if result is None or not values else as_kind(values[0], result)

    # --- what running code asks ------------------------------------------------------------------------------------

    def reads(self, element: Element, array: Any, where: tuple[int, ...]) -> None:
        assert self.runner is not None
        self.runner.witness.reads(element, array, where)

    def writes(self, element: Element, array: Any, where: tuple[int, ...]) -> None:
        assert self.runner is not None
        self.runner.writes(element, array, where)

    def relaxed(self, element: Element, names: Names, where: tuple[int, ...]) -> bool:
        """Whether the element that a relaxed read sees is that of the snapshot: another part may write it."""
        assert self.runner is not None and element.relaxed is not None
        mine = self.runner.witness.iteration
        return any(self.runner.owner.get(where[element.relaxed.axis] - c, mine) != mine for c in element.relaxed.writes)

    def trips(self, values: range) -> Sequence[int]:
        """The trips of a free loop, in an order of this run."""
        found = list(values)
        if self.current.order == "backwards":
            found.reverse()
        elif self.current.order != "forwards":
            self.current.turns.shuffle(found)
        return found

    def region(self, region: Region, names: Names) -> None:
        tile, panel, rows = self.current.tile, self.current.panel, None
        code = self.regions[region.number]
        if tile is not None:
            rows = tile.next_rows()
        elif panel is not None and region.number == panel.region:
            low, high = (int(limit(names)) for limit in code.limits[0][:2])
            rows = panel.noted(low, high, names)
        self._run(code, names, rows)

    def _run(
        self, code: Prepared, names: Names, rows: tuple[int, int] | None = None, other_limits: bool = False
    ) -> None:
        """Run a region, or its pieces: each part of the outermost loop goes through them all."""
        if not code.pieces:
            self.runner = _Runner(code, self.current, rows, other_limits)
            self.runner.run(names)
            return
        if code.chunk is not None:
            self._in_chunks(code, names, rows, other_limits)
            return
        code.checks(names)
        trips = range(*rows) if rows and other_limits else range(*(int(limit(names)) for limit in code.limits[0]))
        for part in parts_of([each for each in trips if rows is None or each in range(*rows)], self.current.tiling):
            for piece in code.pieces:
                self._run(piece, names, part, other_limits)

    def _in_chunks(self, code: Prepared, names: Names, rows: tuple[int, int] | None, other_limits: bool) -> None:
        """Run the pieces of a region for some neighbours of its innermost loop after others."""
        chunk = code.region.chunk
        assert chunk is not None and code.chunk is not None
        points, _ = _Runner(code, self.current, rows, other_limits).begun(names)
        for some in chunks_of(points, self.current.tiling):
            own: Names = {chunk.first.name: np.int64(some[0][-1]), chunk.count.name: np.int64(len(some))}
            code.chunk(given := {**names, **own})
            for piece in code.pieces:
                self.runner = _Runner(piece, self.current, rows, other_limits)
                self.runner.only = frozenset(some)
                self.runner.given = (*own, *(each.array for each in chunk.arrays))
                self.runner.run(given)

    def in_time_tiles(self, node: Loop, trips: range, body: Code, between: Code, names: Names) -> bool:
        regions = [self.regions[region.number] for region in regions_in(node.body)]
        failing = any(failed(names) for region in regions for failed in region.failed)
        if failing or tests_accesses(node.body) or any(each.region.partition for each in regions):
            return False
        sparse = self.sparse.get(id(node))
        if sparse is not None and sparse(names):
            return False
        first, last = (int(limit(names)) for limit in self.rows[id(node)])
        return in_time_tiles(node, (first, last), trips, body, between, names, self.current)

    def in_panels(self, node: Loop, trips: range, body: Code, names: Names) -> None:
        assert node.panels is not None
        late = self.regions[node.panels.region]

        def run(row: int, own: Names) -> None:
            self._run(late, own, (row, row + 1), other_limits=True)

        in_panels(node, trips, body, run, names, self.current)

    def scan(self, scan: Scan, names: Names) -> None:
        run_scan(scan, names, self._begun)

    def _begun(self, region: Region) -> _Runner:
        self.runner = _Runner(self.regions[region.number], self.current)
        return self.runner

    def partials(self, number: int) -> list[Names]:
        return self.current.partials[number]

    def lanes(self, node: Lanes, body: Code, names: Names) -> None:
        assert self.runner is not None
        self.runner.lanes(node, body, names)


class _Runner:
    """Runs a region once."""

    def __init__(
        self, code: Prepared, current: _Run, rows: tuple[int, int] | None = None, other_limits: bool = False
    ) -> None:
        self.code = code
        #: the iterations of a chunk, if not all, and the names that it has for them
        self.only: frozenset[tuple[int, ...]] = frozenset()
        self.given: Sequence[str] = ()
        #: what the outermost loop is cut to, and whether its own limits no longer hold
        self.rows = rows
        self.other_limits = other_limits
        self.region = code.region
        self.current = current
        self.witness = Witness()
        #: the iteration that runs now, and where its outermost variable stands among the values of that
        self.point: tuple[int, ...] = ()
        self.trips: dict[int, int] = {}
        #: the part that each value of the outermost variable belongs to
        self.owner: dict[int, int] = {}
        #: whether the innermost loop runs in strips
        self.in_strips = False
        #: whether an iteration failed
        self.failed = False
        #: where tiles begin, by the trips that come first in them
        self.tiled: set[int] = set()
        #: the trips of the strip at hand, with the scalars that are kept for each
        self.strip: list[tuple[int, tuple[int, ...], Names]] = []

    def writes(self, element: Element, array: Any, where: tuple[int, ...]) -> None:
        self.witness.writes(element, array, where)
        if self.current.writes is not None:
            position, outermost = element.origin.position, self.point[0]
            self.current.writes[self.witness.address_of(array, where)] = Write(
                self.region.number,
                self.point,
                None if position is None else position.line,
                (self.trips[outermost], len(self.trips)),
                self.owner.get(outermost, 0),
            )

    def begun(self, names: Names) -> tuple[Sequence[tuple[int, ...]], Names]:
        """The iterations, and what all of them read, once nothing is found wrong."""
        region = self.region
        self.code.checks(names)
        points = list(self._points(names, ()))
        if self.rows is not None:
            points = [point for point in points if self.rows[0] <= point[0] < self.rows[1]]
        if self.only:
            points = [point for point in points if point[: len(min(self.only))] in self.only]
        self._hulls(names, points)
        common = {name: names[name] for name in (*region.scalars, *region.arrays, *self.given) if name in names}
        for array, copy in region.snapshots:
            common[copy] = names[array].copy() if region.fresh else names[copy]
        return points, common

    def run(self, names: Names) -> None:
        region = self.region
        points, common = self.begun(names)
        blocks = self.cut(names, points)
        first = tuple(value for each in region.reductions for value in start(each, names))
        first += tuple(names[variable.name] for variable in region.handed_on)
        partials = self.blocks(names, common, points, blocks, [first] * len(blocks))
        if region.handed_on:
            carried = [variable.name for variable in region.carried]
            self.current.partials[region.number] = [dict(zip(carried, each, strict=True)) for each in partials]
        place = 0
        for reduction in region.reductions:
            width = len(reduction.variables)
            values = tuple(names.get(variable.name) for variable in reduction.variables)
            for each in partials:
                values = combined(reduction, values, each[place : place + width])
            kept = zip((reduction.variable, *reduction.companions), values, strict=False)
            names.update({variable.name: value for variable, value in kept if value is not None})
            place += width

    def _points(self, names: Names, outer: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
        """The iterations in the order of the loops as written."""
        depth = len(outer)
        if depth == self.region.depth:
            yield outer
            return
        variables = [loop.variable for loop in self.region.loops]
        known = {**names, **{v.name: np.int64(at) for v, at in zip(variables, outer, strict=False)}}
        first, last, step = (int(limit(known)) for limit in self.code.limits[depth])
        if depth == 0 and self.rows is not None and self.other_limits:
            first, last = self.rows
        values = variables[depth].range
        for value in range(first, last, step):
            if values is not None and not values.low <= value <= values.high:
                raise ProgramViolation(f"`{variables[depth].name}` lies in {values}, is {value}")
            yield from self._points(names, (*outer, value))

    def _hulls(self, names: Names, points: Sequence[tuple[int, ...]]) -> None:
        for k, hull in enumerate(self.code.hulls):
            if hull is not None and points:
                low, high = int(hull[0](names)), int(hull[1](names))
                holds = all(low <= point[k] <= high for point in points)
                claim(holds, f"`{self.region.loops[k].variable.name}` lies from {low} to {high}")

    def cut(self, names: Names, points: Sequence[tuple[int, ...]]) -> list[Sequence[int]]:
        """The blocks of iterations that each run in order."""
        handed_on = bool(self.region.handed_on)
        alone = self.alone(names) and (handed_on or self.region.partition is not None)
        blocks = [] if alone else [block for block in self._cut(names, points) if len(block)]
        return blocks or [range(len(points))] * (alone or handed_on)

    def alone(self, names: Names) -> bool:
        """Whether all iterations run in order."""
        return any(condition(names) for condition in self.code.ordered_if)

    def blocks(
        self, names: Names, common: Names, points: Points, blocks: Blocks, starts: Starts, fails: bool = True
    ) -> list[tuple[Any, ...]]:
        """The partial results of the blocks, which begin with `starts`: each runs its iterations in order, the order of
        the run decides which comes next. What fails in them does not count unless `fails`."""
        region, alone = self.region, self.alone(names)
        partials = [*starts]
        self.owner = {points[at][0]: 0 if alone else k for k, block in enumerate(blocks) for at in block}
        self.trips = {value: k for k, value in enumerate(dict.fromkeys(point[0] for point in points))}
        copies = [{each.array: fresh_copy(each.op, names[each.array]) for each in region.combined} for _ in blocks]
        copies = [{**copy, **self._tables(common)} for copy in copies]
        carried = [variable.name for variable in region.carried]
        variables = [loop.variable.name for loop in region.loops]
        in_parts = region.partition is not None or region.relaxed
        turns = self._strips(blocks, points, names)
        waiting = [iter(block) for block in turns]
        failures: dict[int, Exception] = {}
        #: blocks whose next iteration has no value to begin with
        ended: set[int] = set()
        for block in self._turns(turns, alone):
            trips = next(waiting[block])
            at = trips[0]
            if block in ended:
                continue
            self.point = points[at]
            self.witness.iteration = 0 if alone else block if in_parts else at
            own = {**common, **copies[block], **dict(zip(carried, partials[block], strict=True))}
            own.update(zip(variables, map(np.int64, self.point), strict=True))
            own = {name: value for name, value in own.items() if value is not None}
            try:
                if self.in_strips:
                    del own[variables[-1]]
                    self.strip = [(trip, points[trip], {}) for trip in trips]
                self._iteration(own, at in self.tiled)
                partials[block] = tuple([own.get(name) for name in carried])
            except (IndexError, ValueError, Carried) as error:
                failures[at] = error
                ended |= {block} if region.handed_on else set()
        self.failed = bool(failures)
        if failures and fails:
            raise failures[min(failures)]
        for shared in region.combined:
            for copy in copies:
                combine_copy(shared.op, names[shared.array], copy[shared.array])
        return partials

    def _tables(self, names: Names) -> Names:
        """The tables of a part, of any length: where it has iterations, accesses are as proved for these."""
        made: Names = {}
        self.witness.iteration = FILLING
        for table, (count, fill) in zip(self.region.tables, self.code.tables, strict=True):
            most = min(max(int(count(names)), 0), ENTRIES)
            length = self.current.room.choice((0, most, self.current.room.randint(0, most)))
            array = np.full(length, 77, table.type.dtype)
            returned = fill({**names, table.array: array})
            claim(isinstance(returned, Returned) and returned.values[0] is array, f"`{table.array}` is returned")
            made[table.array] = array
        return made

    def _strips(
        self, blocks: Sequence[Sequence[int]], points: Sequence[tuple[int, ...]], names: Names
    ) -> list[list[Sequence[int]]]:
        """The iterations of each block that run at once: one, or a strip of neighbours of the innermost loop."""
        strips, most = self.region.strips, 1
        self.in_strips = strips is not None and all(holds(names[array], low) for array, low in strips.assumed)
        self.in_strips = self.in_strips and all(condition(names) for condition in self.code.where)
        # each lane has an accumulator of its own where the order of additions shows
        if strips is not None and self.in_strips and all(each.type.kind in "biu" for each in self.region.carried):
            most = strips.length if self.current.order == "forwards" else self.current.turns.randint(1, 4)
        found: list[list[Sequence[int]]] = []
        for block in blocks:
            turns: list[Sequence[int]] = []
            tiled = bool(block) and block[0] in self.tiled
            for trip in first_row(block, points, self.region.tiled) if tiled else block:
                last = turns[-1] if turns else ()
                if last and len(last) < most and points[last[0]][:-1] == points[trip][:-1]:
                    turns[-1] = [*last, trip]
                else:
                    turns.append([trip])
            self.tiled |= {turn[0] for turn in turns} if tiled else set()
            found.append(turns)
        return found

    def lanes(self, node: Lanes, body: Code, names: Names) -> None:
        """Run what each trip of the strip does for itself."""
        variable, carried = self.region.loops[-1].variable.name, [each.name for each in self.region.carried]
        for trip, point, kept in self.strip:
            self.point = point
            if not self.region.handed_on:  # what is handed on from trip to trip makes them one iteration
                self.witness.iteration = trip
            own = {**names, variable: np.int64(self.point[-1])}
            own.update({each.name: kept[each.name] for each in node.loaded if each.name in kept})
            signal = body(own)
            claim(signal is None, "a lane is left early")
            for each in node.stored:  # what has no value leaves none, whatever was there
                kept.pop(each.name, None)
                kept.update({each.name: own[each.name]} if each.name in own else {})
            names.update({name: own[name] for name in carried if name in own})

    def _iteration(self, names: Names, tiled: bool) -> None:
        code = self.code.tile if tiled else self.code.strips if self.in_strips else self.code.packed or self.code.body
        assert code is not None
        signal = code(names)
        claim(not isinstance(signal, Returned), f"region {self.region.number} is left early")

    def _turns(self, blocks: Sequence[Sequence[object]], alone: bool) -> list[int]:
        """Which block's next iteration runs, turn by turn."""
        turns = [k for k, block in enumerate(blocks) for _ in block]
        if not alone and self.current.order == "backwards":
            turns.reverse()
        elif not alone and self.current.order != "forwards":
            self.current.turns.shuffle(turns)
        return turns

    def _cut(self, names: Names, points: Sequence[tuple[int, ...]]) -> Iterator[Sequence[int]]:
        """The iterations, by number, that run in order: a partition's parts, or else blocks of neighbours."""
        region, chance = self.region, self.current.chance
        if region.partition is not None:
            yield from self._parts(names[region.partition], points)
        elif region.relaxed:
            values = sorted({point[0] for point in points}, reverse=int(self.code.limits[0][2](names)) < 0)
            for low, high in Block()(np.array(values), self.current.workers or chance.randint(1, PARTS)):
                mine = set(values[low:high])
                yield [k for k, point in enumerate(points) if point[0] in mine]
        elif region.tile is not None:
            takes = lambda: self.current.order == "forwards" or chance.random() < 0.75  # noqa: E731
            for block, tiled in cut_in_tiles(points, region, takes, shared_trips(region, self.code.inner, names)):
                self.tiled |= {block[0]} if tiled else set()
                yield block
        else:
            yield from neighbours(region, len(points), chance, self.current.order == "forwards")

    def _parts(self, array: Any, points: Sequence[tuple[int, ...]]) -> Iterator[Sequence[int]]:
        by, chance = str(self.region.partition), self.current.chance
        partitioner = self.current.partitioners.get(by) or Block()
        left = set(range(len(points)))
        for part in partitioner(array, self.current.workers or chance.randint(1, PARTS)):
            ranges = [each for each in (part if isinstance(part, list) else [part]) if isinstance(each[0], int)]
            mine = [k for k in sorted(left) if any(low <= points[k][0] < high for low, high in ranges)]
            left -= set(mine)
            yield mine
        claim(not left, f"the partition of `{by}` covers the loop")
