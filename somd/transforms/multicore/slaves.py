"""`Nest` -> slave: the function that runs one MI's share of a nest.

Without reductions a slave walks its part of the outermost loop:

    def vector_add_slave_1(lo, hi, a, b, c):
        for i in range(lo, hi):
            assume(0 <= i, i < FAR)
            c[i] = a[i] + b[i]

With reductions it walks logical blocks, each giving one partial result, so that the association does not depend on how
many MIs there are; floating-point sums and products use LANES interleaved accumulators in a block.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import libcst as cst

from somd.language.operators import OPERATORS
from somd.transforms.emit.python import Statements
from somd.transforms.emit.python_expressions import Faults, Scope, Strip
from somd.transforms.emit.python_text import as_operand, numpy_name
from somd.transforms.emit.repeated_lanes import repeated_lanes
from somd.transforms.loops.program import Expression, Packed, Region, Strips, Tile
from somd.transforms.loops.scopes import read
from somd.transforms.multicore.chunk_loops import assumed_places, chunk_rooms, ends_of, in_chunks, with_chunk
from somd.transforms.multicore.combining import ordered, own_copy_text, own_name, rows_name
from somd.transforms.multicore.free_loops import free_dim, lane_arrays
from somd.transforms.multicore.identities import identity
from somd.transforms.multicore.lane_loops import lane_loops, lanes_made, of_lanes
from somd.transforms.multicore.names import LANES, Fresh
from somd.transforms.multicore.packed_loops import PackedLoops
from somd.transforms.multicore.packed_shares import is_folded
from somd.transforms.multicore.printing import Printing, loop_at_once, parsed_lines
from somd.transforms.multicore.relaxed_loops import elsewhere_text, relaxed_loops
from somd.transforms.multicore.shared_panels import SharedPanels, changed_by
from somd.transforms.multicore.table_functions import tables_made, with_tables
from somd.transforms.multicore.vector_blocks import lanes_are_vectors, vector_blocks
from somd.transforms.plan.unevenness import uneven
from somd.transforms.stages import Dim, Nest, Phase, Plan, Reduction
from somd.transforms.tree.verbatim import verbatim
from somd.transforms.types.scalars import ScalarType
from somd.transforms.types.typing_table import Types


@dataclass(frozen=True)
class Slave:
    """A slave function and how the master calls it: `arguments` follow the ranges."""

    function: cst.FunctionDef
    name: str
    arguments: tuple[str, ...]
    faults: bool
    lanes: bool
    #: functions that it calls
    others: tuple[cst.FunctionDef, ...] = ()


class SlaveBuilder:
    """Builds the slave of one phase."""

    #: whether MIs may share out the columns of a product, too
    columns = False

    def __init__(self, plan: Plan, phase: Phase, printing: Printing, faults: Faults, fresh: Fresh, name: str) -> None:
        self.plan = plan
        self.types: Types = printing.types
        self.printing = printing
        self.region = printing.region(phase)
        self.faults = faults
        self.nest: Nest = phase.nest
        self.number = phase.number
        self.fresh = fresh
        self.name = name
        #: accumulators and arrays that have another text in the slave
        self.renamed: dict[str, str] = {}
        #: what tells whose element a relaxed read takes, in the piece that is being written
        self.elsewhere = ""
        #: the innermost loop in strips, where it is written so
        self.strips: Strips | None = self.region.strips
        #: the distributed loops, and what runs in place of the region
        self.dims: tuple[Dim, ...] = self.nest.dims
        self.pieces: tuple[Region, ...] = self.region.pieces
        self.chunk = self.region.chunk
        #: whether packed sums below the diagonal are left out
        self.folded = False
        #: the panels of packed sums that all parts read
        self.shared: list[SharedPanels] = []

    def build(self) -> Slave:
        self.folded = self.columns and is_folded(self.nest, self.region)
        lanes = any(self.laned(r) for r in self.nest.reductions)
        faults = self.nest.tests
        arguments = (*self.nest.arrays, *self.snapshots(), *self.scalars())
        rows = tuple(rows_name(c.array, self.fresh) for c in self.nest.combined)
        partials = (*self.partials_of_reductions(), *map(self.partials, self.nest.copies))
        ranked = faults or bool(self.nest.copies) or any(not ordered(c, self.types) for c in self.nest.combined)
        own = [self.fresh.name(name) for name, wanted in (("faults", faults), ("rank", ranked)) if wanted]
        extra = (*partials, *rows, *own)
        if self.nest.relaxed is not None and self.nest.partition is not None:
            parts = map(self.fresh.name, (f"{self.nest.partition}_parts", f"{self.nest.partition}_owners", "rank"))
            extra = tuple(dict.fromkeys((*extra, *parts)))
        ranges = self.range_names()
        if self.blockwise():
            body = self.blocks()
        else:
            body = self.whole((ranges[0], ranges[1]))
            if self.nest.copies:
                body = self.with_slots(body)
        others = tuple(each.function for each in self.shared)
        extra = (*extra, *(name for each in self.shared for name, _ in each.arrays))
        parameters = (*ranges, *arguments, *extra)
        strips = self.strips
        kept = [each for each in (strips, *(piece.strips for piece in self.pieces)) if each is not None]
        tiles = [each.tile for each in (self.region, *self.pieces) if each.tile is not None]
        length = self.strip_length(max(kept, key=lambda each: each.length)) if kept else ""
        functions, calls = tables_made(self.region, self.scope(), self.name, self.iterations())
        body = [*calls, *(lane_arrays((*kept, *tiles), length, self.scope()) if kept else ()), *body]
        if strips is not None and not strips.always:
            name = self.fresh.name(f"{self.name}_strips")
            held = " and ".join(f"{array} holds {of.low} to {of.high}" for array, of in strips.assumed)
            held = held or "all accesses are inside"
            others = (*others, self.function(name, parameters, body, f", if {held}"))
            body = self.either(strips, name, parameters, calls)
        others = (*functions, *others)
        body = [*self.local_arrays(), *body]
        return Slave(self.function(self.name, parameters, body), self.name, (*arguments, *extra), faults, lanes, others)

    def blockwise(self) -> bool:
        """Whether the slave walks logical blocks."""
        return bool(self.nest.reductions or self.nest.combined)

    def range_names(self) -> tuple[str, ...]:
        """The parameters that tell an MI its share."""
        return tuple(map(self.fresh.name, ("first", "last", self.length()))) if self.blockwise() else self.ranges()

    def function(
        self, name: str, parameters: Sequence[str], body: Sequence[cst.BaseStatement], note: str = ""
    ) -> cst.FunctionDef:
        header = f"@slave\ndef {name}({', '.join(parameters)}):\n    pass\n"
        comment = cst.EmptyLine(comment=cst.Comment(f"# phase {self.number}: {self.place()}{note}"))
        return cst.ensure_type(cst.parse_statement(header), cst.FunctionDef).with_changes(
            body=cst.IndentedBlock(body), leading_lines=[cst.EmptyLine(), cst.EmptyLine(), comment]
        )

    def either(
        self, strips: Strips, name: str, parameters: Sequence[str], tables: Sequence[cst.BaseStatement]
    ) -> list[cst.BaseStatement]:
        """The strips, in a function of their own, where arrays hold what they assume; or else the loop as it is, with
        the calls that make its tables."""
        self.strips = None
        lo, hi = parameters[:2]
        count = f"trips({lo}, {hi}, {self.nest.dims[0].step})"
        tests = [Statements(self.scope()).expressions.test(each).text for each in strips.where]
        tests += [
            f"{count} >= {array}.size and elements_within({array}, {of.low}, {of.high})" for array, of in strips.assumed
        ]
        call = f"if {' and '.join(tests)}:\n    {name}({', '.join(parameters)})\nelse:\n    pass\n"
        branch = cst.ensure_type(cst.parse_statement(call), cst.If)
        return [branch.with_changes(orelse=cst.Else(cst.IndentedBlock([*tables, *self.whole((lo, hi))])))]

    def place(self) -> str:
        return self.nest.place

    def snapshots(self) -> tuple[str, ...]:
        """The snapshots that the slave reads."""
        relaxed = self.nest.relaxed
        return () if relaxed is None else tuple(self.fresh.name(name) for name in relaxed.snapshots.values())

    def scalars(self) -> tuple[str, ...]:
        """The scalars that the slave reads."""
        return tuple(self.scope().name(name) for name in self.region.scalars)

    def scope(self) -> Scope:
        """What names stand for where statements are written."""
        relaxed = self.nest.relaxed
        snapshots = {} if relaxed is None else {name: self.fresh.name(name) for name in relaxed.snapshots.values()}
        pairs = zip(self.region.reductions, self.nest.reductions, strict=True)
        flags = {made.flag.name: self.flag(reduction) for made, reduction in pairs if made.flag is not None}
        scope = self.printing.scope({**snapshots, **flags, **self.renamed}, self.faults, self.elsewhere)
        return with_chunk(with_tables(scope, self.region.tables), self.chunk)

    # --- ranges --------------------------------------------------------------------------------------------------

    def ranges(self) -> tuple[str, ...]:
        names = [self.fresh.name("lo"), self.fresh.name("hi")]
        for k in range(1, self.grid_dims()):
            names += [self.fresh.name(f"lo_{k}"), self.fresh.name(f"hi_{k}")]
        return tuple(names)

    def grid_dims(self) -> int:
        """How many dimensions are cut."""
        return 2 if self.nest.cut_twice or self.in_columns else 1

    @property
    def in_columns(self) -> bool:
        """Whether sums of a product are cut by columns, too: for few rows it does not pay to fill all panels."""
        nest = self.nest
        whole = (
            nest.reductions or nest.combined or nest.copies or nest.partition is not None or nest.relaxed is not None
        )
        packed = self.printing.regions[self.number].packed
        alone = self.columns and packed is not None and len(nest.dims) == 2 and not (whole or self.folded)
        return alone and nest.dims[1].invariant and not uneven(nest, self.plan.method, self.types)

    # --- loops ---------------------------------------------------------------------------------------------------

    def whole(self, ends: tuple[str, str]) -> list[cst.BaseStatement]:
        """All loops, the outermost from one of `ends` to the other."""
        if self.nest.relaxed is None:
            return self.loops(0, ends)
        elsewhere = elsewhere_text(self.nest, self.bounds(), ends, self.fresh)

        def loops(piece: tuple[str, str], edge: bool) -> list[cst.BaseStatement]:
            self.elsewhere = elsewhere if edge else ""
            return self.loops(0, piece)

        return relaxed_loops(self.nest, ends, self.fresh, loops)

    def bounds(self) -> str:
        """The arguments of the outermost `range`."""
        dim = self.nest.dims[0]
        return f"{self.text(dim.start)}, {self.text(dim.stop)}, {dim.step}"

    def loops(self, level: int, outer: tuple[str, str] | None = None) -> list[cst.BaseStatement]:
        """The loop of dimension `level` with all inside it; `outer` replaces the outermost range."""
        if self.pieces and level == (0 if self.chunk is None else len(self.dims) - 1):
            return self.in_pieces(level, outer)
        if level == len(self.dims):
            return self.body()
        dim = self.dims[level]
        start, stop = self.limits(dim, level, outer)
        if level == len(self.dims) - 2 and self.region.packed is not None:
            return self.packed(self.region.packed, level, (start, stop))
        if level == self.region.tiled and self.tile is not None:
            return self.in_tiles(self.tile, dim, (start, stop))
        return self.one_by_one(level, outer, start, stop)

    def in_pieces(self, level: int, outer: tuple[str, str] | None) -> list[cst.BaseStatement]:
        """The pieces of the region, one after the other, from the loop of dimension `level` on."""
        whole = self.region, self.strips, self.dims, self.pieces
        limits = self.limits(self.dims[level], level, outer)
        made: list[cst.BaseStatement] = []
        for piece in self.pieces:
            inner = (free_dim(each, self.scope()) for each in piece.loops[len(self.nest.dims) :])
            strips = piece.strips if piece.strips is not None and piece.strips.always else None
            self.region, self.strips, self.dims, self.pieces = piece, strips, (*self.nest.dims, *inner), ()
            made += self.loops(level, ends_of(self.chunk, limits, self.scope()))
            self.region, self.strips, self.dims, self.pieces = whole
        return in_chunks(self.chunk, limits, made, self.scope())

    def one_by_one(self, level: int, outer: tuple[str, str] | None, start: str, stop: str) -> list[cst.BaseStatement]:
        """The loop of dimension `level` from `start` to `stop`."""
        dim = self.dims[level]
        if level == len(self.dims) - 1:
            if self.strips is not None:
                return self.in_strips(self.strips, dim, (start, stop))
            quick = loop_at_once(self.region, level, self.scope(), (start, stop))
            if quick is not None:
                return [*self.lowest(), *quick]
            if any(self.laned(r) for r in self.nest.reductions):
                body = [*self.assumed(level), *self.body()]
                return lane_loops(dim, self.limits(dim, level, outer), body, self.region, self.fresh)
        body = [*self.assumed(level), *self.loops(level + 1)]
        if self.region.loops[level].aligned and level >= self.grid_dims():
            begin, ranges = Statements(self.scope()).cut(self.region.loops[level])
            return [*verbatim(*begin), *(self.loop(dim, each, body) for each in ranges)]
        step = "" if dim.step == 1 else f", {dim.step}"
        return [self.loop(dim, f"range({start}, {stop}{step})", body)]

    def packed(self, packed: Packed, level: int, rows: tuple[str, str]) -> list[cst.BaseStatement]:
        """The two innermost loops in tiles whose sums stay in registers."""

        def columns(scope: Scope) -> tuple[str, str]:
            start, stop = self.clipped(self.dims[level + 1], level + 1, None, scope)
            return scope.name(self.region.loops[level].variable.name) if self.folded else start, stop

        loops = PackedLoops(packed, self.region, self.scope(), columns, folded=self.folded)
        whole = self.printing.regions[self.number]
        if self.columns and self.grid_dims() == 1 and loops.can_share(self.nest, level, changed_by(whole)):
            given = (*self.nest.arrays, *self.scalars())
            self.shared.append(loops.share(self.name, given, len(self.shared), level, chunked=self.chunk is not None))
        return [*self.lowest(), *parsed_lines(loops.lines(rows))]

    @property
    def tile(self) -> Tile | None:
        """The tile of the region, where its strips, if it has some, are those that are written."""
        return self.region.tile if self.strips is self.region.strips else None

    def in_tiles(self, tile: Tile, dim: Dim, limits: tuple[str, str]) -> list[cst.BaseStatement]:
        """Some trips of a loop at once, and then those that are left."""
        (start, stop), level = limits, self.region.tiled
        tiled = replace(self.region.loops[level], variable=tile.variable)
        if self.strips is None:
            body = [*self.lowest(), *self.printing.statements(tile.body, self.scope())]
        else:
            inner = self.clipped(self.dims[level + 1], level + 1, tile.inner)
            body = self.in_strips(Strips(tile.body, tile.length), self.dims[level + 1], inner)
        begin, end = map(as_operand, limits)
        whole = f"range({start}, {end} - {tile.count - 1}, {tile.count})"
        rest = f"{begin} + max({end} - {begin}, 0) // {tile.count} * {tile.count}"
        if tile.inner is None:
            left = self.one_by_one(level, (rest, stop), rest, stop)
        else:
            left = self.beside_tiles(tile, level, (start, stop), (begin, end))
        return [self.loop(dim, whole, [*self.printing.assumed(tiled), *body]), *left]

    def beside_tiles(
        self, tile: Tile, level: int, limits: tuple[str, str], ends: tuple[str, str]
    ) -> list[cst.BaseStatement]:
        """All trips of a loop, each with the trips of the loop inside that its tile leaves, if it is in one."""
        (begin, end), dim, within = ends, self.dims[level], self.dims[level + 1]
        assert self.strips is not None and tile.inner is not None
        loop = self.region.loops[-1]
        first, edge = self.fresh.name("tile"), self.fresh.name("edge")
        start, stop = self.limits(within, level + 1, None)
        scope = self.scope()
        scope = replace(scope, renamed={**scope.renamed, tile.variable.name: first})
        inner = self.clipped(within, level + 1, tile.inner, scope)
        rises = tile.variable.name in read(loop.start)
        full, cut = (stop, f"min({stop}, {inner[0]})") if rises else (start, f"max({start}, {inner[1]})")
        lines = verbatim(
            f"{first} = {begin} + ({dim.variable} - {begin}) // {tile.count} * {tile.count}",
            f"{edge} = {cut} if {first} + {tile.count} <= {end} else {full}",
        )
        strips = self.in_strips(self.strips, within, (start, edge) if rises else (edge, stop))
        return [self.loop(dim, f"range({', '.join(limits)})", [*self.assumed(level), *lines, *strips])]

    def in_strips(self, strips: Strips, dim: Dim, limits: tuple[str, str]) -> list[cst.BaseStatement]:
        """The innermost loop in strips."""
        (start, stop), step = limits, dim.step
        base, count, lane, whole = map(self.fresh.name, ("base", "count", "lane", "whole"))
        length, (multiple, repeated) = self.strip_length(strips), repeated_lanes(strips, self.region)
        stride = length if step == 1 else f"{length} * {step}"
        lines = [f"for {base} in range({start}, {stop}, {stride}):"]
        lines += [f"    {count} = min({length}, trips({base}, {stop}, {step}))"]
        lines += [f"    {whole} = ({count} + {multiple - 1}) & -{multiple}"] if repeated else []
        loop = cst.ensure_type(cst.parse_statement("\n".join([*lines, ""])), cst.For)
        block = cst.ensure_type(loop.body, cst.IndentedBlock)
        scope = replace(self.scope(), strip=Strip(self.region.loops[-1], base, count, lane, whole, repeated))
        body = [*block.body, *self.lowest(), *self.printing.statements(strips.body, scope)]
        return [loop.with_changes(body=block.with_changes(body=body), leading_lines=dim.node.leading_lines)]

    def strip_length(self, strips: Strips) -> str:
        """How many lanes a strip has."""
        return LANES if any(self.laned(r) for r in self.nest.reductions) else str(strips.length)

    def limits(self, dim: Dim, level: int, outer: tuple[str, str] | None) -> tuple[str, str]:
        own = (self.fresh.name("lo"), self.fresh.name("hi")) if level == 0 else self.clipped(dim, level)
        return outer or own

    def clipped(
        self, dim: Dim, level: int, inner: tuple[Expression, Expression] | None = None, scope: Scope | None = None
    ) -> tuple[str, str]:
        """The limits of an inner loop, or others, in the part of an MI."""
        loop = self.region.loops[level]
        limits = (loop.start, loop.stop) if inner is None else inner
        start, stop = (Statements(scope or self.scope()).expressions.value(each).text for each in limits)
        if level < self.grid_dims():
            lo, hi = self.fresh.name(f"lo_{level}"), self.fresh.name(f"hi_{level}")
            return (lo, hi) if dim.invariant else (f"first_from({lo}, {start}, {dim.step})", f"min({hi}, {stop})")
        return start, stop

    def loop(self, dim: Dim, iterated: str, body: list[cst.BaseStatement]) -> cst.For:
        return dim.node.with_changes(
            iter=cst.parse_expression(iterated),
            body=dim.node.body.with_changes(body=body)
            if isinstance(dim.node.body, cst.IndentedBlock)
            else cst.IndentedBlock(body),
        )

    def assumed(self, level: int) -> list[cst.BaseStatement]:
        """What is proved of a loop's variable."""
        loop, chunk = self.region.loops[level], self.chunk if level == len(self.nest.dims) - 1 else None
        return [*self.printing.assumed(loop), *assumed_places(chunk, loop, self.scope())]

    def body(self) -> list[cst.BaseStatement]:
        own = frozenset(self.region.local_arrays)
        return [*self.lowest(), *self.printing.statements(self.region.body, self.scope(), own)]

    def lowest(self) -> list[cst.BaseStatement]:
        """What is proved of the scalars that are read."""
        known = self.nest.lowest_scalars.items()
        facts = ", ".join(f"{name} >= {lowest}" for name, lowest in known if name in self.nest.scalars)
        return verbatim(f"assume({facts})") if facts else []

    def iterations(self) -> str:
        """How many iterations of the outermost loop an MI has, as text."""
        first, second, *rest = self.range_names()
        if self.blockwise():
            return f"({second} - {first}) * {rest[0]}"
        return f"trips({first}, {second}, {self.nest.dims[0].step})"

    def local_arrays(self) -> list[cst.BaseStatement]:
        """The arrays of an iteration, which an MI makes once."""
        return chunk_rooms(self.chunk, self.scope()) or self.printing.rooms(self.region, self.scope())

    def text(self, node: cst.BaseExpression) -> str:
        return self.printing.text(node)

    # --- reductions ----------------------------------------------------------------------------------------------

    def with_slots(self, body: list[cst.BaseStatement]) -> list[cst.BaseStatement]:
        """`body` between taking the copies of this MI from its slots and leaving them there."""
        rank = self.fresh.name("rank")
        pairs = [(name, f"{self.partials(name)}[{rank}]") for name in self.nest.copies]
        taken = verbatim(*(f"{name} = {slot}" for name, slot in pairs))
        return [*taken, *body, *verbatim(*(f"{slot} = {name}" for name, slot in pairs))]

    def laned(self, reduction: Reduction) -> bool:
        if self.nest.combined:
            return False
        found = self.types.names.get(reduction.name)
        if self.nest.relaxed is not None:
            return False  # an MI of a relaxed phase has one partial result, made in order
        return OPERATORS[reduction.op].ordered and isinstance(found, ScalarType) and found.kind in "fc"

    def partials(self, name: str) -> str:
        return self.fresh.name(f"{name}_partials")

    def partials_of_reductions(self) -> dict[str, str]:
        """The names of the arrays of partial results, each with its dtype."""
        found = {}
        for reduction in self.nest.reductions:
            for name in (reduction.name, *reduction.companions):
                scalar = self.types.names[name]
                assert isinstance(scalar, ScalarType)
                found[self.partials(name)] = scalar.dtype
            if reduction.flagged(self.kind(reduction)):
                found[self.flags(reduction)] = "bool"
        return found

    def kind(self, reduction: Reduction) -> str:
        """NumPy's kind of an accumulator."""
        scalar = self.types.names[reduction.name]
        assert isinstance(scalar, ScalarType)
        return scalar.kind

    def flag(self, reduction: Reduction) -> str:
        """What tells, in a block, what an accumulator took."""
        return self.fresh.name(f"{reduction.name}_taken")

    def flags(self, reduction: Reduction) -> str:
        """The flags of all blocks."""
        return self.fresh.name(f"{reduction.name}_taken_partials")

    def lane_names(self, reduction: Reduction) -> str:
        return self.fresh.name(f"{reduction.name}_lanes")

    def length(self) -> str:
        """What tells a slave with reductions how the range is cut: the trips in a block, or the number of parts."""
        return "length" if self.nest.relaxed is None else "parts"

    def blocks(self) -> list[cst.BaseStatement]:
        """The loop over logical blocks with its accumulators."""
        first, last, length, block, lo, hi = map(self.fresh.name, ("first", "last", self.length(), "block", "lo", "hi"))
        limits = self.bounds()
        cut = "block_range" if self.nest.relaxed is None else "slave_range"
        before = [f"{lo}, {hi} = {cut}({limits}, {block}, {length})"]
        after = []
        once: list[str] = []
        renamed: dict[str, str] = {}
        for combined in self.nest.combined:
            own, row = own_name(combined.array, self.fresh), block
            if not ordered(combined, self.types):
                row = self.fresh.name("rank")
            (before if row == block else once).append(own_copy_text(combined, own, row, self.types, self.fresh))
            renamed[combined.array] = own
        for reduction in self.nest.reductions:
            scalar = self.types.names[reduction.name]
            assert isinstance(scalar, ScalarType)
            dtype = numpy_name(scalar.dtype)
            if self.laned(reduction):
                lanes, lane = self.lane_names(reduction), self.fresh.name("lane")
                before += lanes_made(reduction, scalar, lanes, lane)
                renamed[reduction.name] = f"{lanes}[{lane}]"
                after.append(f"{self.partials(reduction.name)}[{block}] = {of_lanes(reduction, scalar, lanes)}")
            else:
                unordered = reduction.taking(scalar.kind).unordered
                start = f"np.{dtype}(np.nan)" if unordered else identity(reduction.op, scalar)
                before.append(f"{reduction.name} = {start}")
                after.append(f"{self.partials(reduction.name)}[{block}] = {reduction.name}")
            if reduction.flagged(scalar.kind):
                before.append(f"{self.flag(reduction)} = False")
                after.append(f"{self.flags(reduction)}[{block}] = {self.flag(reduction)}")
            for companion in reduction.companions:
                kind = self.types.names[companion]
                assert isinstance(kind, ScalarType)
                before.append(f"{companion} = np.{numpy_name(kind.dtype)}(0)")
                after.append(f"{self.partials(companion)}[{block}] = {companion}")
        self.renamed = renamed
        if lanes_are_vectors(self):
            return vector_blocks(self)
        loop = cst.ensure_type(cst.parse_statement(f"for {block} in range({first}, {last}):\n    pass\n"), cst.For)
        body = [*verbatim(*before), *self.whole((lo, hi)), *verbatim(*after)]
        return [*verbatim(*once), loop.with_changes(body=cst.IndentedBlock(body))]
