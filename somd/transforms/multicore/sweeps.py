"""A loop with `TimeTiles` -> code that runs several sweeps over its regions from fence to fence.

Every MI goes through the sweeps of some turns of the loop in its own rows; at the ends that it shares with neighbours
the rows that it may touch shrink by the radius from sweep to sweep, and in the next stage MIs fill the wedges that are
left there. Rows are taken in blocks that stay in the cache, each sweep a radius behind the one before. With radius 0
there are no wedges, and one region runs the whole loop.

    for stage in range(stages):
        for rank in prange(parts):
            heat_sweeps_1(stage, rank, parts, depth, width, end, a, b)

Where all phases reach arrays with one stride, these are taken apart by columns first (`packed`), so that the innermost
loops run over neighbouring elements, and put together again in the last stage.

In: the loop, its phases' slaves, and the loop as one MI runs it, where a check would fail. Out: functions, and the
statements that take the loop's place in the master.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import libcst as cst

from somd.transforms.emit.python import Statements
from somd.transforms.loops.program import Loop, Region, Statement, TimeTiles
from somd.transforms.loops.ranges import farthest
from somd.transforms.loops.scopes import assigned, named, read, read_beside, read_first
from somd.transforms.loops.time_tiles import regions_in
from somd.transforms.multicore.exact_tests import ExactTests, far_text
from somd.transforms.multicore.names import Fresh
from somd.transforms.multicore.packed_slaves import PackedSlaveBuilder, packed_name
from somd.transforms.multicore.printing import Printing, parsed_lines
from somd.transforms.multicore.slaves import Slave, SlaveBuilder
from somd.transforms.stages import Phase, Plan, Sweeps, Uniform, nested_steps

Slaves = Mapping[int, tuple[SlaveBuilder, Slave]]
#: the limits of a stage
STAGE = ("stage", "rank", "parts", "depth", "width", "end")
#: sweeps from which taking arrays apart and putting them together pays: that costs about two
PACKED_TURNS = 8
#: how far from 0 limits of rows may be, so that what is reckoned with them stays in 64 bits
FARTHEST = 1 << 60


class SweepsBuilder:
    """Builds the code of one loop; `step` is what it was in the plan."""

    def __init__(
        self,
        loop: Loop,
        step: Uniform,
        plan: Plan,
        slaves: Slaves,
        fresh: Fresh,
        printing: Printing,
        exact: ExactTests,
    ) -> None:
        assert loop.time_tiles is not None and loop.reach is not None and step.sweeps is not None
        self.loop, self.plan, self.fresh, self.printing, self.exact = loop, plan, fresh, printing, exact
        self.tiles: TimeTiles = loop.time_tiles
        self.printed = Statements(printing.scope())
        self.radius = loop.reach
        self.packing: Sweeps = step.sweeps
        numbers = [region.number for region in regions_in(loop.body)]
        phases = {each.number: each for each in nested_steps(step.body) if isinstance(each, Phase)}
        self.plain = {number: slaves[number] for number in numbers}
        self.slaves = {n: self.packed(phases[n]) if self.packing.packed else slaves[n] for n in numbers}
        self.phases = list(self.slaves.values())
        self.name = fresh.name(f"{plan.method.name}_sweeps_{numbers[0]}")
        self.start, self.stop = self.printing.value(loop.start), self.printing.value(loop.stop)
        changed = {*assigned(loop.body), loop.variable.name}
        self.begin = fresh.name("begin") if read(loop.start) & changed else None
        self.first = self.begin or self.start
        self.turn = self.printing.value(loop.step)
        self.a_turn = self.tiles.sweeps

    def packed(self, phase: Phase) -> tuple[SlaveBuilder, Slave]:
        name = self.fresh.name(f"{self.plan.method.name}_packed_{phase.number}")
        faults = self.plain[phase.number][0].faults
        builder = PackedSlaveBuilder(self.plan, phase, self.printing, faults, self.fresh, name, self.packing)
        return builder, builder.build()

    def names(self, *wanted: str) -> list[str]:
        return [self.fresh.name(name) for name in wanted]

    # --- the functions ------------------------------------------------------------------------------------------------

    def functions(self) -> list[cst.FunctionDef]:
        """The slaves of packed arrays, the sweeps through a block of rows, and what an MI does in a stage."""
        made = [slave.function for _, slave in self.phases] if self.packing.packed else []
        made.append(self.block())
        return [*made, self.stage()] if self.radius else made

    def function(self, name: str, parameters: Sequence[str], comment: str, body: Sequence[str]) -> cst.FunctionDef:
        text = "\n".join(["@slave", f"def {name}({', '.join(parameters)}):", *indented_lines(body), ""])
        lines = [cst.EmptyLine(), cst.EmptyLine(), cst.EmptyLine(comment=cst.Comment(f"# {comment}"))]
        return cst.ensure_type(cst.parse_statement(text), cst.FunctionDef).with_changes(leading_lines=lines)

    def block(self) -> cst.FunctionDef:
        """`block(left, right, lo, hi, below, above, first, upto, ...)`: rows left to right between lo and hi."""
        limits = self.names("left", "right", "lo", "hi", "below", "above", "first", "upto")
        left, right, lo, hi, _, _, first, upto = limits
        numbers = ", ".join(map(str, self.slaves))
        comment = f"phase {numbers}, sweep after sweep, in the rows {left} to {right} between {lo} and {hi}"
        head = f"for {self.variable(self.loop)} in {self.turns(first, upto)}:"
        lines = [head, *indented_lines(self.turned(self.loop.body))]
        return self.function(self.block_name(), (*limits, *self.arguments()), comment, lines)

    def block_name(self) -> str:
        return self.fresh.name(f"{self.name}_block") if self.radius else self.name

    def variable(self, loop: Loop) -> str:
        return self.printing.scope().name(loop.variable.name)

    def stage(self) -> cst.FunctionDef:
        """`sweeps(stage, rank, parts, depth, width, end, ...)`."""
        limits = self.names(*STAGE)
        stage, rank, slaves, width = self.names("stage", "rank", "parts", "width")
        lo, hi, below, above, first, upto, left, count = self.names(
            "lo", "hi", "below", "above", "first", "upto", "left", "count"
        )
        r = self.radius
        block = f"{left}, {left} + {width}, {lo}, {hi}, {below}, {above}, {first}, {upto}"
        texts = [
            f"{first}, {upto} = {self.turns_of_stage(stage)}",
            f"{count} = {'' if self.a_turn == 1 else f'{self.a_turn} * '}{self.trips(first, upto)} - 1",
            f"{lo}, {hi} = slave_range({', '.join(self.rows())}, 1, {rank}, {slaves})",
            f"{below} = {r} if {rank} > 0 else 0",
            f"{above} = {-r} if {rank} < {slaves} - 1 else 0",
            f"if {stage} % 2 == 1:",
            f"    {hi}, {below}, {above} = {lo}, {-r}, ({r} if {rank} > 0 else {-r})",
            f"for {left} in range({lo}, {hi} + ({above} + {r}) * {count}, {width}):",
            f"    {self.block_name()}({', '.join((block, *self.arguments()))})",
        ]
        if self.packing.packed:
            texts = [*self.repacking(), *texts]
        comment = "a thread's part of a stage: rows of its own in even ones, the wedge below them in odd ones"
        return self.function(self.name, (*limits, *self.arguments()), comment, texts)

    def repacking(self) -> list[str]:
        """The statements of a stage that takes arrays apart (the first) or puts them together (the last)."""
        stage, rank, slaves = self.names("stage", "rank", "parts")
        last = f"{stage} == 2 * {self.tiles_of_time()}"
        written = {name for builder, _ in self.phases for name in builder.nest.arrays_written}
        pairs = [(name, packed_name(name, self.fresh)) for name in self.packing.packed]
        pack = [f"repack({name}, {apart}, False, {rank}, {slaves})" for name, apart in pairs]
        unpack = [f"repack({name}, {apart}, True, {rank}, {slaves})" for name, apart in pairs if name in written]
        lines = [f"if {stage} == -1:", *indented_lines([*pack, "return"])]
        return [*lines, f"if {last}:", *indented_lines([*unpack, "return"])]

    def tiles_of_time(self) -> str:
        depth, end = self.names("depth", "end")
        return f"(({self.trips(self.first, end)} + {depth} - 1) // {depth})"

    def turns_of_stage(self, stage: str) -> str:
        """The first turn of a stage, and the one behind its last."""
        depth, end = self.names("depth", "end")
        step = depth if self.turn == "1" else f"{depth} * {self.turn}"
        first = f"{'' if self.first == '0' else f'{self.first} + '}{stage} // 2 * {step}"
        return f"{first}, min({first} + {step}, {end})"

    def turns(self, first: str, upto: str) -> str:
        """The range of some turns of the loop."""
        return f"range({first}, {upto})" if self.turn == "1" else f"range({first}, {upto}, {self.turn})"

    def trips(self, first: str, upto: str) -> str:
        return f"trips({first}, {upto}, {self.turn})"

    def arguments(self) -> list[str]:
        """The names that the functions take besides limits: what slaves and statements between them need."""
        variable, body = self.loop.variable.name, self.loop.body
        before = read_first(body, frozenset((variable,)))
        inside = {variable, *assigned(body), *self.tiles.alike} - before
        needed = {name for _, slave in (*self.phases, *self.plain.values()) for name in slave.arguments}
        needed |= self.texts(before | named(self.loop.start))
        return sorted(needed - self.texts(inside) | ({self.begin} if self.begin else set()))

    def texts(self, names: Iterable[str]) -> set[str]:
        scope = self.printing.scope()
        return {scope.name(name) for name in names}

    def turned(self, body: Sequence[Statement]) -> list[str]:
        """Statements of a turn, the parts of phases in the rows at hand among them."""
        made: list[str] = []
        for node in body:
            if isinstance(node, Region):
                made += self.sweep(*self.slaves[node.number])
            elif isinstance(node, Loop):
                made += [*node.origin.comments, f"for {self.variable(node)} in {self.printed.range(node)}:"]
                made += indented_lines(self.turned(node.body) or ["pass"])
            else:
                made += self.printed.commented(node)
        return made

    def sweep(self, builder: SlaveBuilder, slave: Slave) -> list[str]:
        """The part of a phase in the rows at hand, and the rows of the next sweep."""
        left, right, lo, hi, below, above = self.names("left", "right", "lo", "hi", "below", "above")
        dim = builder.nest.dims[0]
        start, stop = builder.text(dim.start), builder.text(dim.stop)
        low = f"max({left}, {lo}, {start})" if dim.step == 1 else f"first_from(max({left}, {lo}), {start}, {dim.step})"
        ends = (low, f"min({right}, {hi}, {stop})")
        call = [f"{slave.name}({', '.join((*ends, *slave.arguments))})"]
        if self.packing.packed:
            plain = self.plain[builder.number][1]
            other = f"{plain.name}({', '.join((*ends, *plain.arguments))})"
            call = [f"if {self.is_apart()}:", *indented_lines(call), "else:", *indented_lines([other])]
        r = self.radius
        moved = [f"{lo}, {hi} = {lo} + {below}, {hi} + {above}", f"{left}, {right} = {left} - {r}, {right} - {r}"]
        return [*call, *(moved if r else ())]

    # --- the statements of the master ---------------------------------------------------------------------------------

    def statements(self, in_order: cst.BaseStatement) -> list[cst.BaseStatement]:
        """What stands for the loop; `in_order` is the loop as it is, checks before each sweep; by one MI
        where only a failing check leads there."""
        depth, width, parts, slaves, end = self.names("depth", "width", "parts", "n_slaves", "end")
        lines = [f"{self.begin} = {self.start}"] if self.begin else []
        lines += [f"{end} = {self.stop}", f"{depth}, {width}, {parts} = sweeps_at_a_time({self.limits(slaves)})"]
        built = parsed_lines([*lines, *(self.stages() if self.radius else self.one_region())])
        comment = cst.EmptyLine(comment=cst.Comment("# as many sweeps from fence to fence as pays"))
        above = [line for line in getattr(in_order, "leading_lines", ()) if line.comment is None]
        fails = self.fails()
        if not fails:
            return [built[0].with_changes(leading_lines=[*above, comment]), *built[1:]]
        built[0] = built[0].with_changes(leading_lines=[comment])
        choice = cst.ensure_type(cst.parse_statement(f"if {fails}:\n    pass\nelse:\n    pass\n"), cst.If)
        otherwise = cst.Else(cst.IndentedBlock(built))
        body = cst.IndentedBlock([in_order])
        return [choice.with_changes(body=body, orelse=otherwise, leading_lines=above)]

    def limits(self, slaves: str) -> str:
        """What it depends on how many sweeps pay, for so many MIs."""
        arrays = sorted({name for builder, _ in self.phases for name in builder.nest.arrays})
        memory = " + ".join(f"{name}.nbytes" for name in arrays)
        turns = self.trips(self.first, self.fresh.name("end"))
        return f"{turns}, {self.a_turn}, {self.radius}, {self.trips_of_rows()}, {slaves}, {memory}, small_work()"

    def fails(self) -> str:
        """The condition under which the loop runs as it is: a check before some sweep fails, so that one MI runs it and
        raises, or the rows are too many."""
        nests = [builder.nest for builder, _ in self.phases]
        conditions = [f"({self.exact.text(check.condition)})" for nest in nests for check in nest.checks]
        conditions += [far_text(nest.near_scalars) for nest in nests if nest.near_scalars]
        first, *others = map(self.printing.scope().name, self.tiles.alike or ("",))
        conditions += [f"{first}.shape != {name}.shape" for name in others]
        near = {name for nest in nests for name in nest.near_scalars}
        if any(farthest(limit, near) > FARTHEST for limit in self.tiles.rows):  # blocks go on beyond the rows
            conditions.append(far_text(self.rows()))
        if self.tiles.sparse is not None:
            conditions.append(self.printing.value(self.tiles.sparse))
        return " or ".join(dict.fromkeys(conditions))

    def rows(self) -> tuple[str, str]:
        """A range that holds the rows of all phases."""
        first, last = map(self.printing.value, self.tiles.rows)
        return first, last

    def trips_of_rows(self) -> str:
        return f"trips({', '.join(self.rows())}, 1)"

    def one_region(self) -> list[str]:
        """`depth` turns in one region: no MI depends on another."""
        rank, slaves, lo, hi, left, width, end = self.names("rank", "parts", "lo", "hi", "left", "width", "end")
        first, upto, depth = self.names("first", "upto", "depth")
        root = self.phases[0][0].nest.partition
        if root is None:
            block = f"{left}, {left} + {width}, {lo}, {hi}, 0, 0, {first}, {upto}"
            region = [
                f"for {rank} in prange({slaves}):",
                f"    {lo}, {hi} = slave_range({', '.join(self.rows())}, 1, {rank}, {slaves})",
                f"    for {left} in range({lo}, {hi}, {width}):",
                f"        {self.name}({', '.join((block, *self.arguments()))})",
            ]
        else:
            parts, owners, part = self.names(f"{root}_parts", f"{root}_owners", "part")
            region = [
                f"for {rank} in prange(len({owners}) - 1):",
                f"    for {part} in range({owners}[{rank}], {owners}[{rank} + 1]):",
                f"        {lo}, {hi} = {parts}[{part}, 0], {parts}[{part}, 1]",
                f"        {self.name}({', '.join((lo, hi, lo, hi, '0', '0', first, upto, *self.arguments()))})",
            ]
        tested = any(slave.faults for _, slave in self.phases)
        after = [f"if failed({self.fresh.name('faults')}):", "    raise IndexError(-1)"] if tested else []
        step = depth if self.turn == "1" else f"{depth} * {self.turn}"
        begun = ["answer_signals()", f"{first}, {upto} = {upto}, min({upto} + {step}, {end})"]
        body = [*begun, *region, *after, *self.caught_up(first, upto)]
        return [f"{upto} = {self.first}", f"while {upto} < {end}:", *indented_lines(body)]

    def stages(self) -> list[str]:
        """`depth` turns at a time, in two stages; packed arrays are made before and taken back behind."""
        limits = self.names(*STAGE)
        stage, rank, parts, depth = self.names("stage", "rank", "parts", "depth")
        before, stages = self.stage_numbers()
        call = f"{self.name}({', '.join((*limits, *self.arguments()))})"
        wedges = f"{parts} > 1" if self.a_turn > 1 else f"{parts} > 1 and {depth} > 1"
        body = [
            f"if {stage} % 2 == 0:",
            "    answer_signals()",
            f"if {stage} % 2 == 0 or {stage} < 0 or ({wedges}):",
            f"    for {rank} in prange({parts}):",
            f"        {call}",
            *self.turned_names(),
        ]
        return [*before, f"for {stage} in {stages}:", *indented_lines(body)]

    def stage_numbers(self) -> tuple[list[str], str]:
        """The statements that make packed arrays, and the range of stages, with one before and one behind for these."""
        before: list[str] = []
        count = f"2 * {self.tiles_of_time()}"
        if not self.packing.packed:
            return before, f"range({count})"
        apart = self.fresh.name("apart")
        least = -(-PACKED_TURNS // self.a_turn)
        before.append(f"{apart} = {self.trips(self.first, self.fresh.name('end'))} >= {least}")
        for name in self.packing.packed:
            shape = f"packed_shape({name}.shape[0], {name}.shape[1], {self.packing.stride}, {apart})"
            before.append(f"{packed_name(name, self.fresh)} = {self.new_packed(name, shape)}")
        return before, f"range(-1 if {apart} else 0, {count} + (1 if {apart} else 0))"

    def new_packed(self, name: str, shape: str) -> str:
        """What makes an array like one, of that shape."""
        return f"room({shape}, {name}.dtype)"

    def turned_names(self) -> list[str]:
        """What follows a tile: its turns' work on the master's own names."""
        stage, first, upto = self.names("stage", "first", "upto")
        turned = self.caught_up(first, upto)
        if not turned:
            return []
        moved = f"{first}, {upto} = {self.turns_of_stage(stage)}"
        return [f"if {stage} % 2 == 1 and {stage} > 0:", *indented_lines([moved, *turned])]

    def is_apart(self) -> str:
        """Whether the packed arrays hold the data."""
        return f"{packed_name(self.packing.packed[0], self.fresh)}.shape[0] > 0"

    def caught_up(self, first: str, upto: str) -> list[str]:
        """What the turns from `first` to `upto` do to the master's own names."""
        between, variable = self.tiles.between, self.loop.variable.name
        if not between and variable not in read_beside(self.printing.program.body, self.loop):
            return []
        head = f"for {self.variable(self.loop)} in {self.turns(first, upto)}:"
        return [head, *indented_lines(self.printed.block(between))]


def indented_lines(lines: Iterable[str]) -> list[str]:
    return [f"    {line}" for line in lines]
