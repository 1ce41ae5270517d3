"""A uniform loop with proved `Sweeps` -> code that runs several of them from fence to fence.

Every MI goes through the sweeps of some turns of the loop in its own rows; at the ends that it shares with neighbours
the rows that it may touch shrink by the radius from sweep to sweep, and in the next stage MIs fill the wedges that are
left there. Rows are taken in blocks that stay in the cache, each sweep a radius behind the one before. With radius 0
there are no wedges, and one region runs the whole loop.

    for stage in range(stages):
        for rank in prange(parts):
            heat_sweeps_1(stage, rank, parts, depth, width, end, a, b)

Where all phases reach arrays with one stride, these are taken apart by columns first (`packed`), so that the innermost
loops run over neighbouring elements, and put together again in the last stage.

In: the uniform step, its phases' slaves, and the loop as one MI runs it, where a check would fail. Out: functions, and
the statements that take the loop's place in the master.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import libcst as cst

from somd.transforms.analysis.assignment import read_from_before
from somd.transforms.multicore.exact_tests import ExactTests, far_text
from somd.transforms.multicore.names import Fresh
from somd.transforms.multicore.packed_slaves import PackedSlaveBuilder, packed_name
from somd.transforms.multicore.printing import Printing
from somd.transforms.multicore.slaves import Slave, SlaveBuilder
from somd.transforms.stages import Phase, Plan, Serial, Step, Uniform, nested_steps
from somd.transforms.tree.loops import integer_constant, range_of, statements_of
from somd.transforms.tree.names import assigned_names, names_read
from somd.transforms.tree.rewriting import parsed
from somd.transforms.tree.walking import children_of

Slaves = Mapping[int, tuple[SlaveBuilder, Slave]]


class SweepsBuilder:
    """Builds the code of one loop."""

    def __init__(
        self,
        step: Uniform,
        plan: Plan,
        slaves: Slaves,
        fresh: Fresh,
        printing: Printing,
        exact: ExactTests,
    ) -> None:
        header = range_of(step.node) if isinstance(step.node, cst.For) else None
        assert header is not None and step.sweeps is not None
        self.step, self.plan, self.fresh, self.printing = step, plan, fresh, printing
        self.exact = exact
        self.sweeps = step.sweeps
        self.radius = step.sweeps.radius
        self.header = header
        inner = [s for s in nested_steps(step.body) if not isinstance(s, Serial)]
        phases = [s for s in inner if isinstance(s, Phase)]
        self.plain = {phase.number: slaves[phase.number] for phase in phases}
        self.slaves = {
            phase.number: self.packed(phase) if self.sweeps.packed else slaves[phase.number] for phase in phases
        }
        self.phases = list(self.slaves.values())
        self.name = fresh.name(f"{plan.method.name}_sweeps_{phases[0].number}")
        self.start, self.stop = (self.text(limit) for limit in header.limits)
        self.begin = fresh.name("begin") if names_read(header.start) & assigned_names(step.node) else None
        self.first = self.begin or self.start
        self.turn = integer_constant(header.step, plan.method)
        self.a_turn = _count(step.body, plan)

    def packed(self, phase: Phase) -> tuple[SlaveBuilder, Slave]:
        name = self.fresh.name(f"{self.plan.method.name}_packed_{phase.number}")
        faults = self.plain[phase.number][0].faults
        builder = PackedSlaveBuilder(self.plan, phase, self.printing, faults, self.fresh, name, self.sweeps)
        return builder, builder.build()

    def text(self, node: cst.BaseExpression) -> str:
        return self.printing.text(node)

    def names(self, *wanted: str) -> list[str]:
        return [self.fresh.name(name) for name in wanted]

    # --- the functions ------------------------------------------------------------------------------------------------

    def functions(self) -> list[cst.FunctionDef]:
        """The slaves of packed arrays, the sweeps through a block of rows, and what an MI does in a stage."""
        made = [slave.function for _, slave in self.phases] if self.sweeps.packed else []
        made.append(self.block())
        return [*made, self.stage()] if self.radius else made

    def function(
        self, name: str, parameters: Sequence[str], comment: str, body: Sequence[cst.BaseStatement]
    ) -> cst.FunctionDef:
        header = f"@slave\ndef {name}({', '.join(parameters)}):\n    pass\n"
        function = cst.ensure_type(cst.parse_statement(header), cst.FunctionDef)
        lines = [cst.EmptyLine(), cst.EmptyLine(), cst.EmptyLine(comment=cst.Comment(f"# {comment}"))]
        return function.with_changes(body=cst.IndentedBlock(list(body)), leading_lines=lines)

    def block(self) -> cst.FunctionDef:
        """`block(left, right, lo, hi, below, above, first, upto, ...)`: rows left to right between lo and hi."""
        limits = self.names("left", "right", "lo", "hi", "below", "above", "first", "upto")
        left, right, lo, hi, _, _, first, upto = limits
        loop = f"for {self.header.variable} in {self.turns(first, upto)}:\n    pass\n"
        turns = cst.ensure_type(cst.parse_statement(loop), cst.For)
        turns = turns.with_changes(body=cst.IndentedBlock(self.turned(self.step.body)))
        numbers = ", ".join(map(str, self.slaves))
        comment = f"phase {numbers}, sweep after sweep, in the rows {left} to {right} between {lo} and {hi}"
        return self.function(self.block_name(), (*limits, *self.arguments()), comment, [turns])

    def block_name(self) -> str:
        return self.fresh.name(f"{self.name}_block") if self.radius else self.name

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
            f"if {stage} % 2 == 1:\n    {hi}, {below}, {above} = {lo}, {-r}, ({r} if {rank} > 0 else {-r})\n",
            f"for {left} in range({lo}, {hi} + ({above} + {r}) * {count}, {width}):\n"
            f"    {self.block_name()}({', '.join((block, *self.arguments()))})\n",
        ]
        if self.sweeps.packed:
            texts = [*self.packing(), *texts]
        comment = "an MI's part of a stage: rows of its own in even ones, the wedge below them in odd ones"
        return self.function(self.name, (*limits, *self.arguments()), comment, parsed(*texts))

    def packing(self) -> list[str]:
        """The statements of a stage that takes arrays apart (the first) or puts them together (the last)."""
        stage, rank, slaves = self.names("stage", "rank", "parts")
        last = f"{stage} == 2 * {self.tiles()}"
        written = {name for builder, _ in self.phases for name in builder.nest.arrays_written}
        pairs = [(name, packed_name(name, self.fresh)) for name in self.sweeps.packed]
        pack = "".join(f"    repack({name}, {apart}, False, {rank}, {slaves})\n" for name, apart in pairs)
        unpack = "".join(
            f"    repack({name}, {apart}, True, {rank}, {slaves})\n" for name, apart in pairs if name in written
        )
        return [f"if {stage} == -1:\n{pack}    return\n", f"if {last}:\n{unpack}    return\n"]

    def tiles(self) -> str:
        depth, end = self.names("depth", "end")
        return f"(({self.trips(self.first, end)} + {depth} - 1) // {depth})"

    def turns_of_stage(self, stage: str) -> str:
        """The first turn of a stage, and the one behind its last."""
        depth, end = self.names("depth", "end")
        step = depth if self.turn == 1 else f"{depth} * {self.turn}"
        first = f"{'' if self.first == '0' else f'{self.first} + '}{stage} // 2 * {step}"
        return f"{first}, min({first} + {step}, {end})"

    def turns(self, first: str, upto: str) -> str:
        """The range of some turns of the loop."""
        return f"range({first}, {upto})" if self.turn == 1 else f"range({first}, {upto}, {self.turn})"

    def trips(self, first: str, upto: str) -> str:
        return f"trips({first}, {upto}, {self.turn})"

    def arguments(self) -> list[str]:
        """The names that the functions take besides limits: what slaves and statements between them need."""
        every = [*self.phases, *self.plain.values()]
        needed = {name for _, slave in every for name in slave.arguments}
        own = set(needed)
        for builder, _ in self.phases:
            outer = builder.nest.dims[0]
            needed |= names_read(outer.start) | names_read(outer.stop)
        for statement in self.replicated():
            needed |= names_read(statement) | assigned_names(statement)
        needed |= names_read(self.header.start)
        begin = {self.begin} if self.begin else set()
        return sorted((needed & (set(self.plan.method.local_names) | own)) - self.set_in_turns() | begin)

    def set_in_turns(self) -> set[str]:
        """The names that every turn gives a value before it reads them."""
        body = statements_of(self.step.node.body)
        own = {*assigned_names(self.step.node.body)} - read_from_before(body, self.plan.method)
        return own | {self.header.variable}

    def replicated(self) -> list[cst.BaseStatement]:
        """The statements between phases, which every MI runs for itself."""
        return [s for step in nested_steps(self.step.body) if isinstance(step, Serial) for s in step.statements]

    def turned(self, steps: Sequence[Step], phases: bool = True) -> list[cst.BaseStatement]:
        """One turn of the loop; without `phases`, what it does to scalars and to the names of arrays alone."""
        made: list[cst.BaseStatement] = []
        for step in steps:
            if isinstance(step, Phase):
                made += self.sweep(*self.slaves[step.number]) if phases else []
            elif isinstance(step, Serial):
                made += self.printing.serial(step)
            elif isinstance(step, Uniform) and isinstance(step.node, cst.For):
                header, variable, firsts = self.printing.header(step)
                body = [*firsts, *self.turned(step.body, phases)]
                if body or (not phases and names_read(step.node.target) & self.read_outside(step.node)):
                    loop = step.node.with_changes(target=cst.Name(variable), iter=cst.parse_expression(header))
                    made.append(loop.with_changes(body=cst.IndentedBlock(body or parsed("pass"))))
        return made

    def sweep(self, builder: SlaveBuilder, slave: Slave) -> list[cst.BaseStatement]:
        """The part of a phase in the rows at hand, and the rows of the next sweep."""
        left, right, lo, hi, below, above = self.names("left", "right", "lo", "hi", "below", "above")
        dim = builder.nest.dims[0]
        start, stop = builder.text(dim.start), builder.text(dim.stop)
        low = f"max({left}, {lo}, {start})" if dim.step == 1 else f"first_from(max({left}, {lo}), {start}, {dim.step})"
        ends = (low, f"min({right}, {hi}, {stop})")
        call = f"{slave.name}({', '.join((*ends, *slave.arguments))})"
        if self.sweeps.packed:
            plain = self.plain[builder.number][1]
            other = f"{plain.name}({', '.join((*ends, *plain.arguments))})"
            call = f"if {self.is_apart()}:\n    {call}\nelse:\n    {other}\n"
        r = self.radius
        moved = (f"{lo}, {hi} = {lo} + {below}, {hi} + {above}", f"{left}, {right} = {left} - {r}, {right} - {r}")
        return parsed(call, *(moved if r else ()))

    # --- the statements of the master ---------------------------------------------------------------------------------

    def statements(self, in_order: cst.BaseStatement) -> list[cst.BaseStatement]:
        """What stands for the loop; `in_order` is the loop run by one MI, checks before each sweep."""
        depth, width, parts, slaves, end = self.names("depth", "width", "parts", "n_slaves", "end")
        arrays = sorted({name for builder, _ in self.phases for name in builder.nest.arrays})
        memory = " + ".join(f"{name}.nbytes" for name in arrays)
        turns = self.trips(self.first, end)
        limits = f"{turns}, {self.a_turn}, {self.radius}, {self.trips_of_rows()}, {slaves}, {memory}, small_work()"
        begun = [f"{self.begin} = {self.start}"] if self.begin else []
        built = parsed(*begun, f"{end} = {self.stop}", f"{depth}, {width}, {parts} = sweeps_at_a_time({limits})")
        built += self.stages() if self.radius else self.one_region()
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

    def fails(self) -> str:
        """The condition under which a check fails before some sweep: then one MI runs the loop, and raises."""
        nests = [builder.nest for builder, _ in self.phases]
        conditions = [f"({self.exact.text(check.condition)})" for nest in nests for check in nest.checks]
        conditions += [far_text(nest.near_scalars) for nest in nests if nest.near_scalars]
        exchanged = sorted(assigned_names(self.step.node) & set(self.plan.ranks))
        conditions += [f"{exchanged[0]}.shape != {name}.shape" for name in exchanged[1:]]
        return " or ".join(dict.fromkeys(conditions))

    def rows(self) -> tuple[str, str]:
        """A range that holds the rows of all phases."""
        dims = [(builder, builder.nest.dims[0]) for builder, _ in self.phases]
        starts = list(dict.fromkeys(builder.text(dim.start) for builder, dim in dims))
        stops = list(dict.fromkeys(builder.text(dim.stop) for builder, dim in dims))
        first = starts[0] if len(starts) == 1 else f"min({', '.join(starts)})"
        return first, stops[0] if len(stops) == 1 else f"max({', '.join(stops)})"

    def trips_of_rows(self) -> str:
        return f"trips({', '.join(self.rows())}, 1)"

    def one_region(self) -> list[cst.BaseStatement]:
        """`depth` turns in one region: no MI depends on another."""
        rank, slaves, lo, hi, left, width, end = self.names("rank", "parts", "lo", "hi", "left", "width", "end")
        first, upto, depth = self.names("first", "upto", "depth")
        root = self.phases[0][0].nest.partition
        if root is None:
            block = f"{left}, {left} + {width}, {lo}, {hi}, 0, 0, {first}, {upto}"
            region = (
                f"for {rank} in prange({slaves}):\n"
                f"    {lo}, {hi} = slave_range({', '.join(self.rows())}, 1, {rank}, {slaves})\n"
                f"    for {left} in range({lo}, {hi}, {width}):\n"
                f"        {self.name}({', '.join((block, *self.arguments()))})\n"
            )
        else:
            parts, owners, part = self.names(f"{root}_parts", f"{root}_owners", "part")
            region = (
                f"for {rank} in prange(len({owners}) - 1):\n"
                f"    for {part} in range({owners}[{rank}], {owners}[{rank} + 1]):\n"
                f"        {lo}, {hi} = {parts}[{part}, 0], {parts}[{part}, 1]\n"
                f"        {self.name}({', '.join((lo, hi, lo, hi, '0', '0', first, upto, *self.arguments()))})\n"
            )
        faults = self.fresh.name("faults")
        tested = any(slave.faults for _, slave in self.phases)
        after = parsed(f"if failed({faults}):\n    raise IndexError(-1)\n") if tested else []
        step = depth if self.turn == 1 else f"{depth} * {self.turn}"
        loop = cst.ensure_type(cst.parse_statement(f"while {upto} < {end}:\n    pass\n"), cst.While)
        begun = parsed("answer_signals()", f"{first}, {upto} = {upto}, min({upto} + {step}, {end})")
        body = [*begun, *parsed(region), *after, *self.caught_up(first, upto)]
        return [*parsed(f"{upto} = {self.first}"), loop.with_changes(body=cst.IndentedBlock(body))]

    def stages(self) -> list[cst.BaseStatement]:
        """`depth` turns at a time, in two stages; packed arrays are made before and taken back behind."""
        limits = self.names(*STAGE)
        stage, rank, parts, depth = self.names("stage", "rank", "parts", "depth")
        first, upto = self.names("first", "upto")
        before, count = [], f"2 * {self.tiles()}"
        whole = f"range({count})"
        if self.sweeps.packed:
            apart = self.fresh.name("apart")
            least = -(-PACKED_TURNS // self.a_turn)
            before.append(f"{apart} = {self.trips(self.first, self.fresh.name('end'))} >= {least}")
            for name in self.sweeps.packed:
                shape = f"packed_shape({name}.shape[0], {name}.shape[1], {self.sweeps.stride}, {apart})"
                before.append(f"{packed_name(name, self.fresh)} = room({shape}, {name}.dtype)")
            whole = f"range(-1 if {apart} else 0, {count} + (1 if {apart} else 0))"
        call = f"{self.name}({', '.join((*limits, *self.arguments()))})"
        loop = cst.ensure_type(cst.parse_statement(f"for {stage} in {whole}:\n    pass\n"), cst.For)
        wedges = f"{parts} > 1" if self.a_turn > 1 else f"{parts} > 1 and {depth} > 1"
        body = parsed(
            f"if {stage} % 2 == 0:\n    answer_signals()\n",
            f"if {stage} % 2 == 0 or {stage} < 0 or ({wedges}):\n    for {rank} in prange({parts}):\n        {call}\n",
        )
        turned = self.caught_up(first, upto)
        if turned:
            text = f"if {stage} % 2 == 1 and {stage} > 0:\n    {first}, {upto} = {self.turns_of_stage(stage)}\n"
            test = cst.ensure_type(cst.parse_statement(text), cst.If)
            assert isinstance(test.body, cst.IndentedBlock)
            body.append(test.with_changes(body=cst.IndentedBlock([*test.body.body, *turned])))
        return [*parsed(*before), loop.with_changes(body=cst.IndentedBlock(body))]

    def is_apart(self) -> str:
        """Whether the packed arrays hold the data."""
        return f"{packed_name(self.sweeps.packed[0], self.fresh)}.shape[0] > 0"

    def caught_up(self, first: str, upto: str) -> list[cst.BaseStatement]:
        """What the turns from `first` to `upto` do to the master's own names."""
        body = self.turned(self.step.body, phases=False)
        if not body and self.header.variable not in self.read_outside(self.step.node):
            return []
        text = f"for {self.header.variable} in {self.turns(first, upto)}:\n    pass\n"
        loop = cst.ensure_type(cst.parse_statement(text), cst.For)
        return [loop.with_changes(body=cst.IndentedBlock(body or parsed("pass")))]

    def read_outside(self, node: cst.CSTNode) -> set[str]:
        """The names that the method mentions outside a loop."""
        found = set[str]()
        waiting: list[cst.CSTNode] = [self.plan.method.function.body]
        while waiting:
            each = waiting.pop()
            if isinstance(each, cst.Name):
                found.add(each.value)
            waiting += children_of(each) if each is not node else ()
        return found


#: the limits of a stage
STAGE = ("stage", "rank", "parts", "depth", "width", "end")
#: sweeps from which taking arrays apart and putting them together pays: that costs about two
PACKED_TURNS = 8


def _count(steps: Sequence[Step], plan: Plan) -> int:
    """The phases in one turn, loops of a constant number of turns included."""
    total = 0
    for step in steps:
        if isinstance(step, Phase):
            total += 1
        elif isinstance(step, Uniform) and isinstance(step.node, cst.For):
            header = range_of(step.node)
            assert header is not None
            values = [integer_constant(limit, plan.method) for limit in (*header.limits, header.step)]
            total += len(range(*values)) * _count(step.body, plan)  # type: ignore[arg-type]
    return total
