"""What must hold of every loop program, whatever made it.

Types of operands against results by the table of operators, intervals against those of the operands, names that have a
value where they are read, accesses that are tested or may be inside, and loops in any order that hand nothing on.
"""

from __future__ import annotations

from collections.abc import Iterable

from somd.language.operators import OPERATORS as ASSOCIATIVE
from somd.transforms.loops import panels, time_tiles
from somd.transforms.loops.apart import reads_of, stored_in
from somd.transforms.loops.making import BOOL8, INT64
from somd.transforms.loops.program import (
    Allocate,
    AllocateLike,
    Assign,
    Break,
    Check,
    Chunk,
    Constant,
    Continue,
    Copy,
    Element,
    Evaluate,
    Function,
    If,
    Join,
    Lanes,
    LibraryCall,
    Loop,
    Packed,
    Partials,
    Program,
    Rebind,
    Region,
    Return,
    Scan,
    Snapshot,
    Statement,
    Store,
    Strips,
    Table,
    Tested,
    Tile,
    Unpack,
    Variable,
    While,
    Whole,
)
from somd.transforms.loops.ranges import inside
from somd.transforms.loops.rows import is_steady, may_be_cut, one_moves_along
from somd.transforms.loops.scan_claims import problems_of
from somd.transforms.loops.scopes import assigned, assigned_ranges, by_trips_before, given_to, own_scalars, read, set_by
from somd.transforms.loops.verify_expressions import ExpressionVerifier
from somd.transforms.loops.walking import expressions, expressions_in, statements_in
from somd.transforms.loops.walking import inside as within
from somd.transforms.types.scalars import ArrayType, ScalarType, TupleType

FILLING = (Assign, Unpack, Store, If, Loop, Return)  # the statements that fill tables


class InvalidProgram(AssertionError):
    """A program that means nothing, or something else than it says."""


def verify(program: Program) -> None:
    """Raise `InvalidProgram`, with all that is wrong, if a program is not as programs are."""
    found = _Verifier(program).problems()
    if found:
        raise InvalidProgram("\n".join(found))


class _Verifier(ExpressionVerifier):
    def __init__(self, program: Program) -> None:
        super().__init__(program.functions)
        self.program = program
        #: what a `return` gives here
        self.result: tuple[ScalarType | ArrayType, ...] = ()
        #: arrays that may be written here; None for any
        self.written: frozenset[str] | None = None
        #: the loops around, innermost last
        self.loops: list[str] = []
        #: what a region in this place would stand in
        self.around = ""
        #: the variable of the loop whose strip this is, and what is kept by lanes
        self.variable: Variable | None = None
        self.kept: set[str] = set()
        #: the regions so far
        self.regions: dict[int, Region] = {}

    def problems(self) -> list[str]:
        """All that is wrong."""
        for function in self.program.functions:
            self.function(function)
        self.types, self.known = {}, set()
        for parameter in self.program.parameters:
            if isinstance(parameter.type, ArrayType):
                self.array(parameter.name, parameter.type)
            elif isinstance(parameter.type, ScalarType):
                self.scalar(parameter.name, ScalarType(parameter.type.dtype))
        result = self.program.result
        parts = result.elements if isinstance(result, TupleType) else () if result is None else (result,)
        self.result = tuple(ScalarType(p.dtype) if isinstance(p, ScalarType) else p for p in parts)
        self.block(self.program.body)
        return self.found

    def function(self, function: Function) -> None:
        self.types, self.known, self.around = {}, set(), f"function {function.name}"
        for parameter in function.parameters:
            self.scalar(parameter.name, parameter.type)
        self.result = function.result
        self.block(function.body)
        self.own_ranges(function.body, (parameter.name for parameter in function.parameters))
        self.around = ""

    # --- statements ----------------------------------------------------------------------------------------------

    def block(self, body: tuple[Statement, ...]) -> None:
        for node in body:
            for each in () if isinstance(node, Loop) else expressions(node):  # a loop knows its variable in its hull
                self.expression(each)
            self.statement(node)

    def statement(self, node: Statement) -> None:
        if isinstance(node, Assign):
            self.assign(node.target, node.value.type)
        elif isinstance(node, Unpack):
            self.unpack(node)
        elif isinstance(node, Store):
            self.store(node)
        elif isinstance(node, Loop):
            self.loop(node)
        elif isinstance(node, If | While):
            self.expect(node.test.type == BOOL8, f"a test that is {node.test.type}")
            if isinstance(node, While):
                self.repeated(node.body, "in order")
            else:
                self.block(node.body)
                self.block(node.orelse)
        elif isinstance(node, Break | Continue):
            self.expect(bool(self.loops), "a loop is left where there is none")
            ordered = isinstance(node, Continue) or self.loops[-1:] != ["free"]
            self.expect(ordered, "a loop whose trips run in any order is left early")
        elif isinstance(node, Return):
            self.returned(node)
        elif isinstance(node, Check):
            self.expect(node.condition.type == BOOL8, f"a condition that is {node.condition.type}")
        elif isinstance(node, Region):
            self.region(node)
        elif isinstance(node, Scan):
            self.scan(node)
        elif isinstance(node, Lanes):
            self.lanes(node)
        elif isinstance(node, Join | Partials):
            self.behind(node)
        else:
            self.of_arrays(node)

    def assign(self, target: Variable, type_: ScalarType) -> None:
        self.expect(type_ == target.type, f"`{target.name}`, {target.type}, gets a {type_}")
        self.scalar(target.name, target.type)

    def unpack(self, node: Unpack) -> None:
        self.call(node.function, node.operands)
        function = self.functions.get(node.function)
        parts = () if function is None else function.result
        self.expect(len(parts) == len(node.targets), f"`{node.function}` gives {len(parts)} numbers")
        for target, part in zip(node.targets, parts, strict=False):
            self.assign(target, part)

    def store(self, node: Store) -> None:
        self.expression(node.element)
        element = node.element
        self.expect(node.value.type == element.type, f"an element of `{element.array}` gets a {node.value.type}")
        free = self.written is None or element.array in self.written
        self.expect(free, f"`{element.array}` is written, which the region does not say")
        self.expect(element.relaxed is None, f"`{element.array}` is written in a snapshot")

    def loop(self, node: Loop) -> None:
        over = f"the loop over `{node.variable.name}`"
        for each in expressions(node)[:3]:
            self.expression(each)
            self.expect(each.type == INT64, f"a bound of {over} that is {each.type}")
        self.expect(node.variable.type == INT64, f"{over}, {node.variable.type}")
        self.expect(not (isinstance(node.step, Constant) and node.step.value == 0), f"{over} has no step")
        self.expect(not node.aligned or may_be_cut(node), f"{over} is aligned, and stores to no row that stays")
        self.found += [*time_tiles.problems(node), *panels.problems(node)]
        self.scalar(node.variable.name, node.variable.type)
        for each in node.hull or ():
            self.expression(each)
        changed = assigned(node.body)
        if node.order == "free":
            self.known -= changed - {node.variable.name}
        self.repeated(node.body, node.order)
        if node.order == "free":
            self.known -= changed

    def repeated(self, body: tuple[Statement, ...], order: str) -> None:
        if order == "in order":
            self.known |= by_trips_before(body, self.known)
        self.loops.append(order)
        self.block(body)
        self.loops.pop()

    def returned(self, node: Return) -> None:
        types = tuple(value.type for value in node.values)
        self.expect(not types or types == self.result, f"returns {types}, not {self.result}")
        for value in (each for each in node.values if isinstance(each, Whole)):
            self.array_type(value.array)
        self.expect(not self.around.startswith("region"), f"`return` in {self.around}")
        self.expect("free" not in self.loops, "a loop whose trips run in any order is left early")

    def of_arrays(self, node: Statement) -> None:
        if isinstance(node, Allocate):
            self.expect(len(node.lengths) == node.type.ndim, f"`{node.array}` has {len(node.lengths)} lengths")
            for length in node.lengths:
                self.expect(length.type.kind in "iub", f"a length of `{node.array}` that is {length.type}")
        if isinstance(node, Allocate | AllocateLike):
            filled = node.fill is None or node.fill.type == node.type.element
            self.expect(filled, f"`{node.array}`, {node.type}, is filled with something else")
        if isinstance(node, AllocateLike | Copy):
            source = self.array_type(node.like if isinstance(node, AllocateLike) else node.source)
            self.expect(source is None or source.ndim == node.type.ndim, f"`{node.array}` is of another shape")
        if isinstance(node, Allocate | AllocateLike | Copy):
            self.array(node.array, node.type)
            own = self.written is None or node.array in self.written
            self.expect(own, f"`{node.array}` is made in {self.around}, which does not say so")
        elif isinstance(node, LibraryCall):
            self.library(node)
        elif isinstance(node, Rebind):
            types = [self.array_type(source) for source in node.sources]
            for target, type_ in zip(node.targets, types, strict=True):
                if type_ is not None:
                    self.array(target, type_)
        elif isinstance(node, Snapshot):
            self.copies(node.copies)

    def library(self, node: LibraryCall) -> None:
        self.expect(not self.around.startswith("region"), f"a library call in {self.around}")
        for value in node.values:
            if isinstance(value, Whole):
                self.array_type(value.array)
        for target in node.targets:
            if isinstance(target, Whole):
                self.array(target.array, target.type)
            else:
                self.scalar(target.name, target.type)

    def copies(self, pairs: Iterable[tuple[str, str]]) -> None:
        for array, copy in pairs:
            type_ = self.array_type(array)
            if type_ is not None:
                self.array(copy, type_)

    # --- regions -------------------------------------------------------------------------------------------------

    def region(self, node: Region) -> None:
        self.expect(not self.around, f"region {node.number} in {self.around}")
        self.regions[node.number] = node
        self.block(node.checks)
        self.expect(all(each.type == BOOL8 for each in node.ordered_if), "an order by what is no truth value")
        for name in (*node.arrays, *node.written):
            self.array_type(name)
        self.expect(set(node.written) <= set(node.arrays), f"region {node.number} writes what it does not reach")
        for reduced in node.reductions:
            self.expect(reduced.op in ASSOCIATIVE, f"there is no operator `{reduced.op}` to reduce by")
        for combined in node.combined:
            self.expect(combined.array in node.written, f"`{combined.array}` is combined, and not written")
        self.copies(node.snapshots if node.fresh else ())
        self.iterations(node)
        for reduced in node.reductions:
            for variable in (reduced.variable, *reduced.companions):
                self.scalar(variable.name, variable.type)

    def scan(self, node: Scan) -> None:
        self.found += problems_of(node)
        self.block((node.totals, node.region))
        for each in node.carries:
            self.scalar(each.variable.name, each.variable.type)

    def iterations(self, node: Region, given: Iterable[str] = ()) -> None:
        """The body of a region: what is not the master's, or `given`, is each iteration's own."""
        before = self.known, self.written, self.loops, self.around
        for variable in (*node.carried, *(loop.variable for loop in node.loops)):
            self.scalar(variable.name, variable.type)
        arrays = {*node.arrays, *(copy for _, copy in node.snapshots)}
        inputs = {*node.scalars, *arrays, *(variable.name for variable in node.carried), *given}
        self.known = self.known & inputs
        for table in node.tables:
            self.table(node, table)
        for table in node.tables:
            self.array(table.array, table.type)
        changed = assigned(node.body) - {variable.name for variable in node.carried}
        for name in sorted(changed & set(node.scalars)):
            self.wrong(f"region {node.number} hands on `{name}`, and does not say so")
        self.written = frozenset({*node.written, *node.local_arrays})
        self.around, self.loops = f"region {node.number}", []
        for loop in node.loops:
            self.expect(loop.order == "free", f"a loop of region {node.number} whose trips are in order")
        self.nested(node)
        self.own_ranges(node.body, given_to(node))
        if node.strips is not None:
            self.strips(node, node.strips, inputs)
        if node.tile is not None:
            self.tile(node, node.tile, inputs)
        if node.packed is not None:
            self.packed(node, node.packed, inputs)
        self.known, self.written, self.loops, self.around = before
        for piece in node.pieces:
            self.piece(node, piece)

    def piece(self, node: Region, piece: Region) -> None:
        """A part of what a region does: of the same trips, with the same inputs, and nothing handed on."""
        alike = [(each.number, each.scalars, each.arrays, each.written, each.origin) for each in (node, piece)]
        trips = [
            [(each.variable, each.start, each.stop, each.step) for each in part.loops[: node.depth]]
            for part in (node, piece)
        ]
        holds = alike[0] == alike[1] and trips[0] == trips[1]
        self.expect(holds, f"a piece of region {node.number} has other trips or inputs")
        plain = not any((node.carried, node.combined, node.relaxed, node.ordered_if, node.partition, node.tables))
        self.expect(plain, f"region {node.number} is not one that may be cut in pieces")
        before = set(self.known)
        self.iterations(piece, () if node.chunk is None else self.chunk(node, node.chunk, piece))
        self.known = before

    def chunk(self, node: Region, chunk: Chunk, piece: Region) -> tuple[str, ...]:
        """The names that pieces have from the chunk that they run for."""
        step, names = node.loops[-1].step, {each.array for each in chunk.arrays}
        self.expect(isinstance(step, Constant) and step.value == 1, "a chunk of trips that are no neighbours")
        self.expect(names == {*piece.local_arrays}, "pieces have other arrays than their chunk")
        for each in (chunk.first, chunk.count):
            self.expect(each.type == INT64, f"`{each.name}` is no whole number")
            self.scalar(each.name, each.type)
        self.block(chunk.arrays)
        return (chunk.first.name, chunk.count.name, *names)

    def table(self, node: Region, table: Table) -> None:
        """What a part makes before its iterations: of what the region reads, and of no elements that it writes."""
        before = self.known, self.types, self.written, self.loops, self.around, self.result
        inputs = {*node.scalars, *node.arrays}
        self.known, self.types = self.known & inputs, {n: type_ for n, type_ in self.types.items() if n in inputs}
        self.written, self.result, self.loops = frozenset((table.array,)), (table.type,), []
        self.around = f"table {table.array}"
        self.expression(table.count)
        self.expect(table.count.type == INT64 and table.type.ndim == 1, f"`{table.array}` has other entries")
        self.array(table.array, table.type)
        self.block(table.body)
        self.own_ranges(table.body, node.scalars)
        for name in sorted(assigned(table.body) & inputs):
            self.wrong(f"`{table.array}` is filled by something that changes `{name}`")
        for inner in statements_in(table.body):
            self.expect(isinstance(inner, FILLING), f"`{table.array}` is filled by a {type(inner).__name__}")
        for each in expressions_in((Evaluate(table.count), *table.body)):
            if isinstance(each, Element) and each.array != table.array:
                found = node.depth == 1 and not isinstance(each.access, Tested) and each.array not in node.written
                self.expect(found, f"`{table.array}` is filled from `{each.array}`, which may not be read before")
        self.known, self.types, self.written, self.loops, self.around, self.result = before

    def nested(self, node: Region) -> None:
        """The loops of a region around its body."""
        for loop in node.loops:
            for each in (loop.start, loop.stop, loop.step):
                self.expression(each)
                self.expect(each.type == INT64, f"a bound of the loop over `{loop.variable.name}` that is {each.type}")
            self.scalar(loop.variable.name, loop.variable.type)
        self.loops = ["free"]
        self.block(node.body)

    def strips(self, node: Region, strips: Strips, inputs: set[str]) -> None:
        """The body of a region in strips: its scalars, which may have other types there, are kept by lanes."""
        for each in strips.where:
            self.expression(each)
            known = read(each) <= set(node.scalars) and not any(isinstance(part, Element) for part in within(each))
            self.expect(known and each.type == BOOL8, "strips are for what is not known before a region")
        self.assumed = dict(strips.assumed)
        self.expect(self.assumed.keys().isdisjoint(node.written), "what is written is assumed to stay")
        self.for_lanes(node, strips.body, inputs, len(node.loops) - 1)
        self.assumed = {}

    def for_lanes(self, node: Region, body: tuple[Statement, ...], inputs: set[str], known: int) -> None:
        """Another body of a region, in which the variables of so many of its loops have values."""
        types, before = self.types, self.known
        outer = {loop.variable.name for loop in node.loops[:known]} | {table.array for table in node.tables}
        self.variable = node.loops[-1].variable if known < len(node.loops) else None
        self.types = {n: kind for n, kind in types.items() if n in inputs | outer or isinstance(kind, ArrayType)}
        self.known = before & (inputs | outer)
        lanes = [each for each in statements_in(body) if isinstance(each, Lanes)]
        self.kept = {variable.name for each in lanes for variable in each.stored}
        in_lanes = {id(inner) for each in lanes for inner in statements_in(each.body)}
        stores = [each for each in statements_in(body) if isinstance(each, Store)]
        alone = self.variable is None or all(id(each) in in_lanes for each in stores)
        self.expect(alone, "elements are stored once for a strip")
        self.block(body)
        self.own_ranges(body, given_to(node))
        self.types, self.known, self.variable = types, before, None

    def tile(self, node: Region, tile: Tile, inputs: set[str]) -> None:
        """The body of some trips at once: nothing is handed from one iteration to another."""
        known = len(node.loops) - (node.strips is not None)
        at = node.loops[node.tiled] if node.tiled >= 0 else None
        holds = at is not None and at.variable.name == tile.variable.name and tile.count > 1
        self.expect(holds, f"region {node.number} has no loop over `{tile.variable.name}` to tile")
        single = at is not None and at.by == 1
        self.expect(single and not node.carried and not node.combined, "trips that are not taken at once are tiled")
        inner = [] if node.strips is None else expressions(node.loops[-1])[:3]
        moved = [each for each in inner if tile.variable.name in read(each)]
        self.expect(len(moved) == (tile.inner is not None), "the loop inside a tile depends on what is tiled")
        for each in tile.inner or ():
            own = read(each) <= {*node.scalars, *(loop.variable.name for loop in node.loops[:known])}
            self.expect(own and each.type == INT64, "the trips that a tile shares are limited by something else")
        self.for_lanes(node, tile.body, inputs, known)

    def packed(self, node: Region, packed: Packed, inputs: set[str]) -> None:
        """What trips do of which some go through a loop side by side: that reads what the region does not write, and
        runs alike for them; its sum alone goes from one part to another."""
        places = {loop.variable.name for loop in node.loops[-2:]}
        alone = len(places) == 2 and not node.carried and node.strips is None and node.tile is None
        self.expect(alone and len(packed.loop.body) == 1, f"region {node.number} has no sums for registers")
        changed = places | assigned(packed.body)
        limits = (
            *(each for loop in packed.loops for each in (loop.start, loop.stop)),
            *(() if packed.guard is None else (packed.guard,)),
        )
        row = node.loops[-2].variable.name
        fixed = row not in read(node.loops[-1].start, node.loops[-1].stop)
        others = changed - {row} if fixed and one_moves_along(packed.loops, row) else changed
        self.expect(all(is_steady(each, others) for each in limits), "a loop beside others has trips of its own")
        elements = [each for each in expressions_in((packed.loop,)) if isinstance(each, Element)]
        steady = not any(each.array in stored_in(node.body) - packed.apart for each in elements)
        self.expect(steady, f"region {node.number} writes what it has packed")
        handed = assigned(packed.before) & {*reads_of(packed.behind), *reads_of((packed.loop,))}
        self.expect(handed <= set_by(packed.sum), "more than a sum goes from one part of a trip to another")
        self.for_lanes(node, packed.body, inputs, len(node.loops))

    def lanes(self, node: Lanes) -> None:
        if self.variable is None:
            self.wrong("lanes outside a strip")
            return
        before = set(self.known)
        self.scalar(self.variable.name, self.variable.type)
        for each in node.loaded:
            self.expect(each.name in self.kept, f"`{each.name}` is taken, which no lane leaves")
            self.scalar(each.name, each.type)
        self.block(node.body)
        for each in node.stored:
            self.expect(each.name in self.known, f"`{each.name}` is left, and has no value")
        self.known = before

    def own_ranges(self, body: tuple[Statement, ...], given: Iterable[str]) -> None:
        """What is read of scalars that only a body sets has all values that are assigned there."""
        ranges = assigned_ranges(body, own_scalars(body, given))
        for each in expressions_in(body):
            if isinstance(each, Variable) and each.name in ranges and each.range is not None:
                found = ranges[each.name]
                self.expect(inside(found, each.range), f"`{each.name}`, in {each.range}, is set to {found}")

    def behind(self, node: Join | Partials) -> None:
        region = self.regions.get(node.region)
        handed = set() if region is None else {variable.name for variable in region.handed_on}
        for name in (variable.name for variable in node.names):
            self.expect(name in handed, f"region {node.region} does not hand on `{name}`")
        for variable in node.names:
            self.scalar(variable.name, variable.type)
        if isinstance(node, Partials):
            self.block(node.body)
