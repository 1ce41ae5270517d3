"""`Plan` -> master for one of several ranks: every rank runs it, and its share of the phases that can be cut.

    c = new_zeros_like(ranks, a, np.float64)
    # phase 1
    if ... < small_work():
        vector_add_rows_1(ranks, 1, a, b, c)                      every rank runs all of a small phase
        vector_add_slave_1(0, len(a), a, b, c)
    else:
        vector_add_rows_1(ranks, n_ranks, a, b, c)
        first, last = slave_range(0, len(a), 1, own_rank, n_ranks)
        for rank in prange(n_slaves):
            lo, hi = slave_range(first, last, 1, rank, n_slaves)
            vector_add_slave_1(lo, hi, a, b, c)

Before a phase the master tells which rows the shares of all ranks touch and write, from which it follows what travels
(`runtime.mpi`). Partial results are cut at logical blocks and gathered, then combined on every rank in the order of one
process. What cannot be cut every rank runs as a whole, on arrays that are fetched first; so it does with all that
stands between phases. Slaves are those of one process.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cached_property

import libcst as cst

from somd.settings.targets import TargetLacks
from somd.transforms.emit.python import groups
from somd.transforms.emit.python_expressions import Expressions
from somd.transforms.loops.program import (
    Allocate,
    AllocateLike,
    Assign,
    Copy,
    Element,
    Expression,
    HelperCall,
    LibraryCall,
    Loop,
    Rebind,
    Statement,
    Unpack,
    Variable,
)
from somd.transforms.loops.walking import expressions, expressions_in, inside, statements_in
from somd.transforms.multicore.combining import blocks_text, combining_texts, ordered, parts_text, rows_name, rows_texts
from somd.transforms.multicore.masters import MasterBuilder
from somd.transforms.multicore.nodes import indented
from somd.transforms.multicore.partials import listed
from somd.transforms.multicore.rank_shares import Cut, cut_of, rows_function
from somd.transforms.multicore.rank_sweeps import RankSweepsBuilder, packed_for_ranks
from somd.transforms.multicore.slaves import Slave, SlaveBuilder
from somd.transforms.plan.work import updates_text
from somd.transforms.stages import PartialResults, Phase, Scan, Serial, Snapshot, Step, Uniform, partial_results
from somd.transforms.tree.rewriting import parsed


class RankMasterBuilder(MasterBuilder):
    """Builds the master of a plan for ranks."""

    by_columns = False
    #: how the phase at hand is cut; the function that tells what its shares touch, and what that takes
    cut: Cut | None = None
    tells: tuple[str, tuple[str, ...]] | None = None

    def of_ranks(self) -> list[str]:
        return [self.ranks, self.own_rank, self.n_ranks]

    def of_partition(self, root: str) -> list[str]:
        return [*super().of_partition(root), self.hulls(root)]

    def hulls(self, root: str) -> str:
        """The parameter that has the trips and keys of each rank."""
        return self.fresh.name(f"{root}_hulls")

    @property
    def ranks(self) -> str:
        """The parameter by which the master tells things."""
        return self.fresh.name("ranks")

    @property
    def own_rank(self) -> str:
        return self.fresh.name("own_rank")

    @property
    def n_ranks(self) -> str:
        return self.fresh.name("n_ranks")

    # --- between phases ----------------------------------------------------------------------------------------------

    def steps(self, steps: Sequence[Step]) -> list[cst.BaseStatement]:
        built: list[cst.BaseStatement] = []
        for step in steps:
            built += parsed(*self.fetches(step))
            built += super().steps([step])
        return built

    def serial(self, step: Serial) -> list[cst.BaseStatement]:
        """The statements one by one, behind what brings what each reads."""
        self.printing.ranks = self.ranks
        built: list[cst.BaseStatement] = []
        for group in groups(self.printing.block(step)):
            built += parsed(*dict.fromkeys(self.fetched(tuple(group))))
            built += self.printing.statements(group)
        self.printing.ranks = ""
        return [listed(s, self.types) for s in built] if partial_results(self.plan) is not None else built

    def uniform(self, step: Uniform) -> list[cst.BaseStatement]:
        built = self.fenced(step)
        fetches = self.all_of(self.read_in_header(step))
        tiled = self.in_tiles(step, built)
        if tiled is not None:
            return [*parsed(*fetches), *tiled]
        if not fetches or not isinstance(built, cst.While):
            return [*parsed(*fetches), built]
        test = cst.Module([]).code_for_node(built.test)
        inner = cst.ensure_type(built.body, cst.IndentedBlock).body
        body = [*parsed(*fetches, f"if not ({test}):\n    break\n"), *inner]
        return [built.with_changes(test=cst.Name("True"), body=cst.IndentedBlock(body))]

    def in_tiles(self, step: Uniform, turns: cst.BaseStatement) -> list[cst.BaseStatement] | None:
        """A uniform loop several of whose turns are done at a time, where ranks can do that."""
        loop = self.printing.loops.get(id(step.node))
        if loop is None or loop.time_tiles is None or step.sweeps is None:
            return None
        taken = packed_for_ranks(step, loop.time_tiles.alike)
        builder = RankSweepsBuilder(loop, taken, self.plan, self.built, self.fresh, self.printing, self.exact)
        cut = builder.cut()
        if cut is None:
            return None
        self.functions.extend(builder.rank_functions(cut))
        return builder.among_ranks([turns])

    def read_in_header(self, step: Uniform) -> set[str]:
        """The arrays that a loop's bounds, or the test of a loop or branch, read."""
        [node] = self.printing.block(step)
        return {each.array for top in expressions(node) for each in inside(top) if isinstance(each, Element)}

    def fetches(self, step: Step) -> list[str]:
        """The statements that bring to all ranks what a step reads that has no statements of its own."""
        if isinstance(step, Snapshot):
            return self.all_of(set(step.copies))
        return self.all_of(set(step.inputs) & set(self.plan.arrays)) if isinstance(step, PartialResults) else []

    def all_of(self, arrays: set[str]) -> list[str]:
        return [f"fetch({self.ranks}, {array})" for array in sorted(arrays)]

    def fetched(self, block: tuple[Statement, ...]) -> Iterator[str]:
        """What statements read: single rows where these are known before."""
        bound = {name for node in statements_in(block) for name in _bound(node)}
        for each in expressions_in(block):
            if not isinstance(each, Element):
                continue
            if each.array in bound:
                yield from self.all_of(self.copied_from(each.array, block, bound))
            elif self.is_known(each.indices[0], bound):
                row = Expressions(self.printing.scope()).value(each.indices[0]).text
                yield f"fetch_row({self.ranks}, {each.array}, {row})"
            else:
                yield f"fetch({self.ranks}, {each.array})"

    def copied_from(self, array: str, block: tuple[Statement, ...], bound: set[str]) -> set[str]:
        """The arrays whose elements one has that statements make and read."""
        makers = [node for node in statements_in(block) if array in _bound(node)]
        sources = {node.source for node in makers if isinstance(node, Copy)}
        elsewhere = array in self.plan.method.param_names or self.makers[array] > len(makers)
        if elsewhere or sources & bound or any(isinstance(node, Rebind) for node in makers):
            raise TargetLacks("a name gets another array where elements are read between phases")
        return sources

    @cached_property
    def makers(self) -> Counter[str]:
        """How many statements bind each array."""
        return Counter(name for node in statements_in(self.printing.built.program.body) for name in _bound(node))

    def is_known(self, index: Expression, bound: set[str]) -> bool:
        """Whether an index is what it was before the statements that bind names."""
        unknown = {*bound, *self.plan.method.tested}
        return not any(
            isinstance(each, Element | HelperCall) or (isinstance(each, Variable) and each.name in unknown)
            for each in inside(index)
        )

    # --- phases ------------------------------------------------------------------------------------------------------

    def phase(self, phase: Phase) -> list[cst.BaseStatement]:
        nest, region = phase.nest, self.printing.region(phase)
        first, last = map(self.fresh.name, ("first_trip", "last_trip"))
        self.cut = cut_of(nest, self.plan, first, last, region, self.hulls(nest.partition or ""))
        self.tells = None
        if self.cut is None:
            return [*parsed(*self.all_of(set(nest.arrays_read))), *super().phase(phase)]
        built = super().phase(phase)
        self.cut = None
        return built

    def scan(self, step: Scan) -> list[cst.BaseStatement]:
        """Every rank runs all of it."""
        read = {*step.totals.nest.arrays_read, *step.phase.nest.arrays_read}
        return [*parsed(*self.all_of(read)), *super().scan(step)]

    def tell(self, builder: SlaveBuilder, parts: str) -> str:
        """The line that tells what the shares of a phase touch, of so many."""
        if self.tells is None:
            assert self.cut is not None
            name = self.fresh.name(f"{self.name}_rows_{builder.number}")
            limits = self.limits(builder, builder.nest.dims[0])
            length = self.fresh.name("length") if builder.blockwise() else "1"
            written = builder.nest.arrays_written
            function, taken = rows_function(
                name, builder.number, self.cut, limits, length, written, self.types, self.fresh
            )
            self.functions.append(function)
            self.tells = name, taken
        name, taken = self.tells
        return f"{name}({', '.join((self.ranks, parts, *taken))})\n"

    def ends(self) -> tuple[str, str]:
        """The names of the first trip or block of this rank, and of that behind its last one."""
        return self.fresh.name("own_first"), self.fresh.name("own_last")

    def shared(self, builder: SlaveBuilder) -> str:
        limits = super().shared(builder)
        return limits if self.cut is None else f"{', '.join(self.ends())}, {limits.rsplit(', ', 1)[1]}"

    def shared_blocks(self, blocks: str) -> tuple[str, str]:
        return super().shared_blocks(blocks) if self.cut is None else self.ends()

    def before(self, builder: SlaveBuilder, divided: bool) -> str:
        if self.cut is None or self.cut.hulls:
            return ""
        if not divided:
            return self.tell(builder, "1")
        first, last = self.ends()
        limits = self.limits(builder, builder.nest.dims[0])
        if builder.blockwise():
            limits = f"0, {self.fresh.name('blocks')}, 1"
        own = f"{first}, {last} = slave_range({limits}, {self.own_rank}, {self.n_ranks})\n"
        return self.tell(builder, self.n_ranks) + own

    def behind(self, builder: SlaveBuilder) -> str:
        if self.cut is None or self.cut.hulls:
            return ""
        return "".join(f"{line}\n" for line in (*self.agreed(builder), *self.gathered(builder)))

    def agreed(self, builder: SlaveBuilder) -> list[str]:
        """The statement by which all ranks know of faults."""
        return [f"agree({self.ranks}, {builder.number}, {self.fresh.name('faults')})"] if builder.nest.tests else []

    def gathered(self, builder: SlaveBuilder) -> list[str]:
        """The statements by which all ranks have all partial results of scalars."""
        blocks = self.fresh.name("blocks")
        names = builder.partials_of_reductions()
        return [f"gather_rows({self.ranks}, {builder.number}, {name}, {blocks})" for name in names]

    def partitioned_phase(self, builder: SlaveBuilder, slave: Slave, root: str) -> list[cst.BaseStatement]:
        """Ranks have owners of their own, if their keys do not mix."""
        if self.cut is None or not self.cut.hulls:
            return super().partitioned_phase(builder, slave, root)
        rank, piece, part, parts = map(self.fresh.name, ("rank", "piece", "part", "parts"))
        ranges, owners = self.fresh.name(f"{root}_parts"), self.fresh.name(f"{root}_owners")
        lo, hi = self.fresh.name("lo"), self.fresh.name("hi")
        first, last = self.ends()
        stop = builder.text(builder.nest.dims[0].stop)
        agreed = "".join(f"{line}\n" for line in self.agreed(builder))
        loop = (
            f"{part}, {parts} = {self.own_rank}, {self.n_ranks}\n"
            f"if len({self.cut.hulls}) == 0:\n    {part}, {parts} = 0, 1\n"
            f"{self.tell(builder, parts)}"
            f"{first}, {last} = slave_range(0, len({owners}) - 1, 1, {part}, {parts})\n"
            f"for {rank} in prange({last} - {first}):\n"
            f"    for {piece} in range({owners}[{first} + {rank}], {owners}[{first} + {rank} + 1]):\n"
            f"        {lo}, {hi} = {ranges}[{piece}, 0], min({stop}, {ranges}[{piece}, 1])\n"
            f"        {slave.name}({', '.join((lo, hi, *slave.arguments))})\n"
            f"{agreed}"
        )
        alone = f"{self.tell(builder, '1')}{slave.name}({', '.join(('0', stop, *slave.arguments))})"
        return self.worthwhile(builder, alone, loop)

    def combining_phase(self, builder: SlaveBuilder, slave: Slave) -> list[cst.BaseStatement]:
        """As in one process, with copies for the method instances, or the blocks, of all ranks."""
        if self.cut is None:
            return super().combining_phase(builder, slave)
        rank, slaves, shares, blocks = map(self.fresh.name, ("rank", "n_slaves", "shares", "blocks"))
        part, parts, mine = map(self.fresh.name, ("part", "parts", "mi"))
        first, last, length = map(self.fresh.name, ("first", "last", "length"))
        own_first, own_last = self.ends()
        nest, method = builder.nest, self.plan.method
        count = f"trips({self.limits(builder, nest.dims[0])})"
        updates = updates_text(nest, method, builder.text)
        arguments = ", ".join((length, *slave.arguments))
        texts = [
            f"{blocks}, {length} = {blocks_text(nest, self.types, count, updates)}",
            f"{shares} = {parts_text(nest, self.types, f'{slaves} * {self.n_ranks}', updates)} // {self.n_ranks}",
            f"{part}, {parts} = {self.own_rank}, {self.n_ranks}",
            f"if {blocks} <= 1 or {shares} < 1 or {self.small(builder)}:\n"
            f"    {shares} = 1\n    {part} = 0\n    {parts} = 1\n",
            self.tell(builder, parts),
            *rows_texts(nest, self.types, blocks, f"{shares} * {parts}", self.fresh),
            *self.partials(builder, blocks),
            f"{own_first}, {own_last} = slave_range(0, {blocks}, 1, {part}, {parts})",
            f"if {shares} == 1:\n"
            f"    {rank} = {part}\n"
            f"    {slave.name}({own_first}, {own_last}, {arguments})\n"
            f"else:\n"
            f"    for {mine} in prange({shares}):\n"
            f"        {rank} = {part} * {shares} + {mine}\n"
            f"        {first}, {last} = slave_range({own_first}, {own_last}, 1, {mine}, {shares})\n"
            f"        {slave.name}({first}, {last}, {arguments})\n",
        ]
        copies = [
            (rows_name(each.array, self.fresh), blocks if ordered(each, self.types) else f"{shares} * {parts}")
            for each in nest.combined
        ]
        gathers = [f"gather_rows({self.ranks}, {builder.number}, {name}, {rows})" for name, rows in copies]
        lines = (*self.agreed(builder), *self.gathered(builder), *gathers)
        texts.append(f"if {parts} > 1:\n{indented(chr(10).join(lines))}")
        after = combining_texts(nest, self.types, self.fresh)
        after += [self.combined(builder, reduction, blocks) for reduction in nest.reductions]
        return [*parsed(*texts), *self.failing(slave), *parsed(*after)]


def _bound(node: Statement) -> tuple[str, ...]:
    """The names that a statement itself binds."""
    if isinstance(node, Assign):
        return (node.target.name,)
    if isinstance(node, Unpack):
        return tuple(each.name for each in node.targets)
    if isinstance(node, Loop):
        return (node.variable.name,)
    if isinstance(node, Allocate | AllocateLike | Copy):
        return (node.array,)
    if isinstance(node, LibraryCall):
        raise TargetLacks("a function of a library is called, which takes whole arrays")
    return node.targets if isinstance(node, Rebind) else ()
