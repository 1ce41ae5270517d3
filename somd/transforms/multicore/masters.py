"""`Plan` -> master: the function that is called; it runs serial code, checks bounds, and runs phases.

def vector_add(a, b, n_slaves):
    c = np.empty_like(a)
    if a.shape[0] >= b.shape[0] + 1:
        raise IndexError(1)
    for rank in prange(n_slaves):
        lo, hi = slave_range(0, len(a), 1, rank, n_slaves)
        vector_add_slave_1(lo, hi, a, b, c)
    return c
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import libcst as cst

from somd.language.operators import OPERATORS
from somd.transforms.emit.python_expressions import Faults
from somd.transforms.emit.python_text import numpy_name
from somd.transforms.library import library_numbers
from somd.transforms.multicore import shared_panels
from somd.transforms.multicore.combining import blocks_text, combining_texts, parts_text, rows_texts, takes_text
from somd.transforms.multicore.exact_tests import ExactTests, far_text
from somd.transforms.multicore.names import LANES, Fresh
from somd.transforms.multicore.nodes import indented
from somd.transforms.multicore.packed_shares import sloped_share
from somd.transforms.multicore.panels import PanelsBuilder
from somd.transforms.multicore.partials import copies_phase, joined, listed, result_function, results
from somd.transforms.multicore.printing import Printing, docstring
from somd.transforms.multicore.relaxed_loops import halo_text
from somd.transforms.multicore.scans import ScanPhase
from somd.transforms.multicore.slaves import Slave, SlaveBuilder
from somd.transforms.multicore.sweeps import SweepsBuilder
from somd.transforms.plan.row_pointers import row_pointers
from somd.transforms.plan.unevenness import uneven
from somd.transforms.plan.work import updates_text, work_text
from somd.transforms.reserved import apart
from somd.transforms.stages import (
    FIRST,
    Dim,
    Joined,
    Nest,
    Phase,
    Plan,
    Reduction,
    Scan,
    Serial,
    Snapshot,
    Step,
    Uniform,
    joined_names,
    nested_steps,
    partial_results,
    partition_roots,
)
from somd.transforms.tree.verbatim import verbatim
from somd.transforms.types.scalars import ScalarType
from somd.transforms.types.typing_table import Types

#: the rows of packed products that a part should have: filling a panel takes as long as the tiles of 24 rows
PACKED_ROWS = 96


class MasterBuilder:
    """Builds the master of a plan; slaves are collected on the way."""

    #: whether MIs may share out the columns of a product, too
    by_columns = True

    def __init__(self, plan: Plan, types: Types, constants: dict[str, object], fresh: Fresh) -> None:
        self.plan = plan
        self.types = types
        #: the master's
        self.name = apart(plan.method.name)
        self.fresh = fresh
        self.printing = Printing(plan, types, constants, fresh)
        self.slaves: list[Slave] = []
        #: the slaves with their builders, by number of the phase
        self.built: dict[int, tuple[SlaveBuilder, Slave]] = {}
        #: whether one MI is to run the phases at hand, those of a loop that has another form for several MIs
        self.in_order = False
        #: loops with a phase that waits, by its number
        self.panels: dict[int, PanelsBuilder] = {}
        #: further functions that the master calls
        self.functions: list[cst.FunctionDef] = []
        self.exact = ExactTests(fresh)
        #: whether a phase has more MIs than workers
        self.uneven = False

    def build(self) -> cst.FunctionDef:
        parameters = [*self.plan.method.param_names, self.fresh.name("n_slaves")]
        if has_faults(self.plan):
            parameters.append(self.fresh.name("faults"))
        for root in partition_roots(self.plan):
            parameters += self.of_partition(root)
        if joined_names(self.plan) or library_numbers(self.plan):
            parameters.append(self.fresh.name("functions"))
        parameters += self.of_ranks()
        body = [*docstring(self.plan.method.function), *(self.steps(self.plan.body) or verbatim("pass"))]
        header = f"@master\ndef {self.name}({', '.join(parameters)}):\n    pass\n"
        function = cst.ensure_type(cst.parse_statement(header), cst.FunctionDef)
        return function.with_changes(body=cst.IndentedBlock(body), leading_lines=[cst.EmptyLine(), cst.EmptyLine()])

    # --- what a master for ranks does besides (`ranks`) -------------------------------------------------------------

    def of_ranks(self) -> list[str]:
        """Further parameters."""
        return []

    def of_partition(self, root: str) -> list[str]:
        """Parameters that tell of the parts of a distributed value."""
        return [self.fresh.name(f"{root}_parts"), self.fresh.name(f"{root}_owners")]

    def shared(self, builder: SlaveBuilder) -> str:
        """The range of the outermost loop that MIs divide, as arguments of `range`."""
        return self.limits(builder, builder.nest.dims[0])

    def shared_blocks(self, blocks: str) -> tuple[str, str]:
        """The logical blocks that MIs divide: from one up to another."""
        return "0", blocks

    def before(self, builder: SlaveBuilder, divided: bool) -> str:
        """Lines before a phase that MIs divide, or that one runs."""
        return ""

    def behind(self, builder: SlaveBuilder) -> str:
        """Lines behind a phase that MIs divide."""
        return ""

    # --- steps ------------------------------------------------------------------------------------------------------

    def steps(self, steps: Sequence[Step]) -> list[cst.BaseStatement]:
        built: list[cst.BaseStatement] = []
        for step in steps:
            if isinstance(step, Serial):
                built.extend(self.serial(step))
            elif isinstance(step, Uniform):
                built.extend(self.uniform(step))
            elif isinstance(step, Snapshot):
                built.extend(self.snapshot(step.copies))
            elif isinstance(step, Phase):
                built.extend(self.phase(step))
            elif isinstance(step, Scan):
                built.extend(self.scan(step))
            elif isinstance(step, Joined):
                built.extend(joined(step, self.plan, self.fresh))
            else:
                self.functions.append(result_function(step, self.plan, self.printing, self.fresh))
                built.extend(results(step, self.plan, self.types, self.fresh))
        return built

    def serial(self, step: Serial) -> list[cst.BaseStatement]:
        built = self.printing.serial(step)
        return [listed(s, self.types) for s in built] if partial_results(self.plan) is not None else built

    def uniform(self, step: Uniform) -> list[cst.BaseStatement]:
        loop = None if self.in_order else self.printing.loops.get(id(step.node))
        if loop is not None and loop.panels is not None:
            waiting = PanelsBuilder(loop, step, self.plan, self.fresh, self.printing.value)
            if waiting.possible():
                return self.in_panels(step, waiting)
        if loop is None or loop.time_tiles is None:
            return [self.fenced(step)]
        self.in_order = loop.time_tiles.sparse is None
        by_columns, self.by_columns = self.by_columns, False
        in_order = self.fenced(step)
        self.in_order, self.by_columns = False, by_columns
        builder = SweepsBuilder(loop, step, self.plan, self.built, self.fresh, self.printing, self.exact)
        self.functions.extend(builder.functions())
        return builder.statements(in_order)

    def in_panels(self, step: Uniform, builder: PanelsBuilder) -> list[cst.BaseStatement]:
        """A uniform loop several of whose turns are done at a time."""
        self.panels[builder.number] = builder
        by_columns, self.by_columns = self.by_columns, False
        body = self.steps(step.body)
        self.by_columns = by_columns
        of_phase, slave = self.built[builder.number]
        function, passed = builder.waiting(slave)
        self.functions.append(function)
        return builder.loop(body, passed, self.dealt(of_phase, f"{builder.top} - {builder.border}", builder.least))

    def text(self, node: cst.BaseExpression) -> str:
        """An expression of the method that cannot fail, as the master writes it."""
        return self.printing.text(node)

    def fenced(self, step: Uniform) -> cst.BaseStatement:
        """A uniform loop or branch, a fence behind each phase in it."""
        header, variable, firsts = self.printing.header(step)
        steps, node = [*firsts, *self.steps(step.body)], step.node
        if not isinstance(node, cst.If) and any(isinstance(s, Phase) for s in nested_steps(step.body)):
            steps = [*verbatim("answer_signals()"), *steps]
        body = cst.IndentedBlock(steps or verbatim("pass"))
        if isinstance(node, cst.For):
            return node.with_changes(target=cst.Name(variable), iter=cst.parse_expression(header), body=body)
        test = cst.parse_expression(header)
        if isinstance(node, cst.While):
            return node.with_changes(test=test, body=body)
        orelse = self.steps(step.orelse)
        return node.with_changes(test=test, body=body, orelse=cst.Else(cst.IndentedBlock(orelse)) if orelse else None)

    def snapshot(self, copies: Mapping[str, str]) -> list[cst.BaseStatement]:
        """Copies of whole arrays, made by all MIs."""
        rank, parts = self.fresh.name("rank"), self.fresh.name("n_slaves")
        pairs = [(array, self.fresh.name(name)) for array, name in copies.items()]
        kept = "".join(f"    keep({array}, {name}, {rank}, {parts})\n" for array, name in pairs)
        return verbatim(
            *(f"{name} = np.empty_like({array})" for array, name in pairs), f"for {rank} in prange({parts}):\n{kept}"
        )

    # --- phases --------------------------------------------------------------------------------------------------

    def phase(self, phase: Phase) -> list[cst.BaseStatement]:
        nest = phase.nest
        builder, slave = self.slave(phase)
        built = self.checks(nest)
        if nest.combined:
            built += self.combining_phase(builder, slave)
        elif nest.reductions:
            built += [*self.reduction_phase(builder, slave, nest.reductions), *self.failing(slave)]
        elif nest.copies:
            built += [*copies_phase(builder, slave, self.plan, self.types, self.exact), *self.failing(slave)]
        elif phase.number in self.panels:
            built += self.panels[phase.number].noted(builder, slave)
        else:
            built += [*self.plain_phase(builder, slave), *self.failing(slave)]
        return self.introduced(built, f"phase {phase.number}: {builder.place()}", nest)

    def introduced(self, built: list[cst.BaseStatement], what: str, nest: Nest) -> list[cst.BaseStatement]:
        """The statements of a phase, with a comment that tells which it is."""
        comment = cst.EmptyLine(comment=cst.Comment(f"# {what}"))
        return [built[0].with_changes(leading_lines=[*_lines_before(nest.dims[0].node), comment]), *built[1:]]

    def slave(self, phase: Phase) -> tuple[SlaveBuilder, Slave]:
        """The slave of a phase, with its builder."""
        faults = Faults(self.fresh.name("faults"), self.fresh.name("rank"), place_text(phase.nest.dims))
        name = self.fresh.name(f"{self.name}_slave_{phase.number}")
        builder = SlaveBuilder(self.plan, phase, self.printing, faults, self.fresh, name)
        builder.columns = self.by_columns
        slave = builder.build()
        self.slaves.append(slave)
        self.built[phase.number] = (builder, slave)
        return builder, slave

    def scan(self, step: Scan) -> list[cst.BaseStatement]:
        """A phase whose blocks begin with what those before them make of scalars."""
        nest, totals, main = step.phase.nest, self.slave(step.totals), self.slave(step.phase)
        written = ScanPhase(step, totals, main, self.plan, self.types)
        built = [*self.checks(nest), *written.statements(self.exact), *self.failing(main[1])]
        return self.introduced(
            built, f"phases {step.totals.number} and {step.phase.number}, a scan: {nest.place}", nest
        )

    def checks(self, nest: Nest) -> list[cst.BaseStatement]:
        """What is tested once, before the phase."""
        first, last = ([(far_text(n.scalars), n.site)] if n is not None else [] for n in nest.near)
        tests = [*first, *((self.exact.text(check.condition), check.site) for check in nest.checks), *last]
        return verbatim(*(f"if {condition}:\n    raise IndexError({site.number})\n" for condition, site in tests))

    def failing(self, slave: Slave) -> list[cst.BaseStatement]:
        return verbatim(f"if failed({self.fresh.name('faults')}):\n    raise IndexError(-1)\n") if slave.faults else []

    def plain_phase(self, builder: SlaveBuilder, slave: Slave) -> list[cst.BaseStatement]:
        rank, parts, lo, hi = map(self.fresh.name, ("rank", "n_slaves", "lo", "hi"))
        dims, before = builder.nest.dims, ""
        ranges = ", ".join(builder.ranges())
        arguments = ", ".join((ranges, *slave.arguments))
        if builder.nest.partition is not None:
            return self.partitioned_phase(builder, slave, builder.nest.partition)
        if builder.nest.relaxed is not None:
            return self.relaxed_phase(builder, slave)
        if builder.grid_dims() == 1:
            start, stop, _ = self.limits(builder, dims[0]).rsplit(", ", 2)
            shared = self.shared(builder)
            sloped = sloped_share(builder.region, builder.scope(), shared, f"{rank}, {parts}", folded=builder.folded)
            if sloped is None:
                before, parts = self.dealt(builder, f"trips({shared})", shared_panels.least_rows(builder.shared))
            share = sloped or shared_panels.share_of_rows(builder.shared, shared, f"{rank}, {parts}")
            if before and (pointers := row_pointers(builder.nest)) is not None:
                ends = self.fresh.name("ends")
                before += f"{ends} = parts_of_rows({pointers}, {shared.rsplit(', ', 1)[0]}, {parts})\n"
                share = f"{ends}[{rank}], {ends}[{rank} + 1]"
            return self.worthwhile(
                builder,
                f"{slave.name}({', '.join((start, stop, *slave.arguments))})",
                f"{before}for {rank} in prange({parts}):\n    {lo}, {hi} = {share}\n    {slave.name}({arguments})\n",
            )
        rows, columns, lo_1, hi_1 = map(self.fresh.name, ("rows", "columns", "lo_1", "hi_1"))
        outer, inner = self.limits(builder, dims[0]), self.limits(builder, dims[1])
        whole = ", ".join(text.rsplit(", ", 1)[0] for text in (outer, inner))
        outer = self.shared(builder)
        sizes = f"{parts}, trips({outer}), trips({inner})"
        shape = f"grid_shape({sizes})"
        if builder.in_columns and builder.region.packed is not None:
            shape = f"columns_shape({sizes}, {PACKED_ROWS}, {builder.region.packed.columns})"
        return self.worthwhile(
            builder,
            f"{slave.name}({', '.join((whole, *slave.arguments))})",
            f"{rows}, {columns} = {shape}\n"
            f"for {rank} in prange({rows} * {columns}):\n"
            f"    {lo}, {hi} = slave_range({outer}, {rank} // {columns}, {rows})\n"
            f"    {lo_1}, {hi_1} = slave_range({inner}, {rank} % {columns}, {columns})\n"
            f"    {slave.name}({arguments})\n",
        )

    def partitioned_phase(self, builder: SlaveBuilder, slave: Slave, root: str) -> list[cst.BaseStatement]:
        """Every MI runs the parts that the partitioner of `root` gave it: `root_parts[root_owners[rank]:...]`."""
        rank, part = self.fresh.name("rank"), self.fresh.name("part")
        parts, owners = self.fresh.name(f"{root}_parts"), self.fresh.name(f"{root}_owners")
        lo, hi = self.fresh.name("lo"), self.fresh.name("hi")
        dim = builder.nest.dims[0]
        start, stop = builder.text(dim.start), builder.text(dim.stop)
        begin, end, _ = self.shared(builder).rsplit(", ", 2)
        low = f"first_from({parts}[{part}, 0], {begin}, {dim.step})"
        arguments = ", ".join((lo, hi, *slave.arguments))
        loop = (
            f"for {rank} in prange(len({owners}) - 1):\n"
            f"    for {part} in range({owners}[{rank}], {owners}[{rank} + 1]):\n"
            f"        {lo}, {hi} = {low}, min({end}, {parts}[{part}, 1])\n"
            f"        {slave.name}({arguments})\n"
        )
        alone = f"{slave.name}({', '.join((start, stop, *slave.arguments))})"
        if builder.nest.relaxed is not None:
            return [*self.relaxed_parts(builder)[0], *verbatim(loop)]
        return self.worthwhile(builder, alone, loop)

    def relaxed_phase(self, builder: SlaveBuilder, slave: Slave) -> list[cst.BaseStatement]:
        """Every MI runs one part; before that, all of them copy what they read of their neighbours'.

        However small the phase is: its parts are seen in its results.
        """
        rank, lo, hi = map(self.fresh.name, ("rank", "lo", "hi"))
        built, parts = self.relaxed_parts(builder)
        limits = self.limits(builder, builder.nest.dims[0])
        arguments = ", ".join((lo, hi, *slave.arguments))
        loop = (
            f"for {rank} in prange({parts}):\n"
            f"    {lo}, {hi} = slave_range({limits}, {rank}, {parts})\n"
            f"    {slave.name}({arguments})\n"
        )
        return [*built, *verbatim(loop)]

    def relaxed_parts(self, builder: SlaveBuilder) -> tuple[list[cst.BaseStatement], str]:
        """The statements before a relaxed phase, and the number of its parts: one where it must run in order."""
        nest, parts = builder.nest, self.fresh.name("n_slaves")
        built: list[cst.BaseStatement] = []
        if nest.in_order_if:
            tests = " or ".join(f"({self.exact.text(text)})" for text in nest.in_order_if)
            parts = self.fresh.name("parts")
            built += verbatim(f"{parts} = 1 if {tests} else {self.fresh.name('n_slaves')}")
        assert nest.relaxed is not None
        if not nest.relaxed.fresh:
            return built, parts
        rank, lo, hi = map(self.fresh.name, ("rank", "lo", "hi"))
        name = self.fresh.name(f"{self.name}_before_{builder.number}")
        halo = halo_text(nest, name, lo, hi, self.fresh)
        if halo is None:
            return [*built, *self.snapshot(nest.relaxed.snapshots)], parts
        comment = cst.EmptyLine(comment=cst.Comment(f"# what phase {builder.number} reads of neighbours' parts"))
        function = cst.ensure_type(cst.parse_statement(halo), cst.FunctionDef)
        self.functions.append(function.with_changes(leading_lines=[cst.EmptyLine(), cst.EmptyLine(), comment]))
        snapshots = {array: self.fresh.name(copy) for array, copy in nest.relaxed.snapshots.items()}
        built += verbatim(*(f"{copy} = np.empty_like({array})" for array, copy in snapshots.items()))
        built += verbatim(
            f"for {rank} in prange({parts}):\n"
            f"    {lo}, {hi} = slave_range({self.limits(builder, nest.dims[0])}, {rank}, {parts})\n"
            f"    {name}({', '.join((lo, hi, *snapshots, *snapshots.values()))})\n"
        )
        return built, parts

    def limits(self, builder: SlaveBuilder, dim: Dim) -> str:
        if dim.invariant:
            return f"{builder.text(dim.start)}, {builder.text(dim.stop)}, {dim.step}"
        return f"{dim.low}, {dim.high} + 1, 1"

    def reduction_phase(
        self, builder: SlaveBuilder, slave: Slave, reductions: Sequence[Reduction]
    ) -> list[cst.BaseStatement]:
        rank, parts, blocks = map(self.fresh.name, ("rank", "n_slaves", "blocks"))
        first, last, length = map(self.fresh.name, ("first", "last", "length"))
        dim = builder.nest.dims[0]
        quantum = LANES if len(builder.nest.dims) == 1 else "1"
        texts = [f"{blocks}, {length} = logical_blocks(trips({self.limits(builder, dim)}), {quantum})"]
        built: list[cst.BaseStatement] = []
        if builder.nest.relaxed is not None:
            built, blocks = self.relaxed_parts(builder)
            texts = []
        texts += self.partials(builder, blocks)
        after = [self.combined(builder, reduction, blocks) for reduction in reductions]
        if builder.nest.relaxed is not None:
            arguments = ", ".join((rank, f"{rank} + 1", blocks, *slave.arguments))
            loop = f"for {rank} in prange({blocks}):\n    {slave.name}({arguments})\n"
            return [*built, *verbatim(*texts, loop, *after)]
        arguments = ", ".join((first, last, length, *slave.arguments))
        begin, end = self.shared_blocks(blocks)
        before, parts = self.dealt(builder, end if begin == "0" else f"{end} - {begin}")
        loop = (
            f"{before}for {rank} in prange({parts}):\n"
            f"    {first}, {last} = slave_range({begin}, {end}, 1, {rank}, {parts})\n"
            f"    {slave.name}({arguments})\n"
        )
        alone = f"{slave.name}({', '.join(('0', blocks, length, *slave.arguments))})"
        return [*verbatim(*texts), *self.worthwhile(builder, alone, loop), *verbatim(*after)]

    def partials(self, builder: SlaveBuilder, blocks: str) -> list[str]:
        """The statements that make room for the partial results of scalars."""
        partials = builder.partials_of_reductions().items()
        return [f"{name} = partials_room({blocks}, np.{numpy_name(dtype)})" for name, dtype in partials]

    def combining_phase(self, builder: SlaveBuilder, slave: Slave) -> list[cst.BaseStatement]:
        """A phase that updates arrays in private copies, which are combined unless an MI failed."""
        rank, parts, shares, blocks = map(self.fresh.name, ("rank", "n_slaves", "shares", "blocks"))
        first, last, length = map(self.fresh.name, ("first", "last", "length"))
        nest, method = builder.nest, self.plan.method
        count = f"trips({self.limits(builder, nest.dims[0])})"
        updates = updates_text(nest, method, builder.text)
        texts = [
            f"{blocks}, {length} = {blocks_text(nest, self.types, count, updates)}",
            f"{shares} = {parts_text(nest, self.types, parts, updates)}",
            f"if {blocks} <= 1 or {self.small(builder)}:\n    {shares} = 1\n",
            *rows_texts(nest, self.types, blocks, shares, self.fresh),
            *self.partials(builder, blocks),
            f"if {shares} == 1:\n"
            f"    {rank} = 0\n"
            f"    {slave.name}({', '.join(('0', blocks, length, *slave.arguments))})\n"
            f"else:\n"
            f"    for {rank} in prange({shares}):\n"
            f"        {first}, {last} = slave_range(0, {blocks}, 1, {rank}, {shares})\n"
            f"        {slave.name}({', '.join((first, last, length, *slave.arguments))})\n",
        ]
        after = combining_texts(nest, self.types, self.fresh)
        after += [self.combined(builder, reduction, blocks) for reduction in nest.reductions]
        return [*verbatim(*texts), *self.failing(slave), *verbatim(*after)]

    def small(self, builder: SlaveBuilder) -> str:
        """The condition under which one MI runs a phase."""
        work = work_text(builder.nest, self.plan.method, builder.text)
        in_order = [f"({self.exact.text(text)})" for text in builder.nest.in_order_if]
        return " or ".join([*in_order, f"{work} < small_work()"])

    def dealt(self, builder: SlaveBuilder, count: str, least: int = 0) -> tuple[str, str]:
        """A statement, and the name of how many MIs run `count` trips: more than workers where costs differ, and where
        `least` are given, so few of which an MI may have."""
        workers, parts = self.fresh.name("n_slaves"), self.fresh.name("parts")
        if not uneven(builder.nest, self.plan.method, self.types):
            self.uneven |= least > 0
            return shared_panels.spare_parts(builder.shared, count, workers, least, parts)
        self.uneven = True
        if builder.region.packed is not None:  # each part has panels of its own to fill
            count = f"min({count}, max(({count}) // {PACKED_ROWS}, 4 * {workers}))"
        return f"{parts} = uneven_parts({count}, {workers})\n", parts

    def worthwhile(self, builder: SlaveBuilder, alone: str, loop: str) -> list[cst.BaseStatement]:
        """A phase that is too small to gain from a parallel region is run by one MI."""
        rank = f"{self.fresh.name('rank')} = 0\n" if builder.nest.tests else ""
        limits = [self.limits(builder, dim) for dim in builder.nest.dims if dim.invariant]
        alone = f"{self.before(builder, False)}{shared_panels.panels_alone(builder.shared, limits)}{rank}{alone}\n"
        if self.in_order:
            return verbatim(*alone.splitlines())
        loop = f"{self.before(builder, True)}{shared_panels.panels_divided(builder.shared, limits, self.fresh)}{loop}"
        loop += self.behind(builder)
        return verbatim(f"if {self.small(builder)}:\n{indented(alone)}else:\n{indented(loop)}")

    def combined(self, builder: SlaveBuilder, reduction: Reduction, blocks: str) -> str:
        name, partials = reduction.name, builder.partials(reduction.name)
        scalar = self.types.names[name]
        assert isinstance(scalar, ScalarType)
        if reduction.companions or reduction.taking(scalar.kind) != FIRST:
            block = self.fresh.name("block")
            takes = takes_text(reduction, scalar.kind, f"{partials}[{block}]", f"{builder.flags(reduction)}[{block}]")
            pairs = [(n, builder.partials(n)) for n in (name, *reduction.companions)]
            sets = "".join(f"        {n} = {p}[{block}]\n" for n, p in pairs)
            return f"for {block} in range({blocks}):\n    if {takes}:\n{sets}"
        operator = OPERATORS[reduction.op].of_kind(scalar.kind)
        if not operator.ordered:
            return f"{name} = reduce_{operator.short}({name}, {partials})"
        value = operator.of(name, f"reduce_{operator.short}({partials})")
        if scalar.kind in "iu" and scalar.dtype != "int64":
            value = f"np.{scalar.dtype}({value})"
        return f"if {blocks} > 0:\n    {name} = {value}\n"


def has_faults(plan: Plan) -> bool:
    """Whether the master takes a fault table: an iteration is tested, or something raises."""
    return bool(plan.raises) or any(phase.nest.tests for phase in plan.phases())


def place_text(dims: Sequence[Dim]) -> str:
    """Three integers that order the iterations of a nest: its variables, those that run backward negated."""
    parts = [dim.variable if dim.step > 0 else f"-{dim.variable}" for dim in dims[:3]]
    return f"({', '.join(parts + ['0'] * (3 - len(parts)))})"


def _lines_before(node: cst.For) -> list[cst.EmptyLine]:
    return [line for line in node.leading_lines if line.comment is None]
