"""A loop with `TimeTiles` among ranks: each has the parts of its threads, one behind the other.

    for stage in range(stages):
        heat_tiles_rows_1(ranks, n_ranks, shares, stage % 2 * reach, a, b)
        for mi in prange(shares):
            heat_sweeps_1(stage, own_rank * shares + mi, parts, depth, width, end, a, b)

The parts and the stages are those of one process (`sweeps.py`), with `shares` of them on each rank. In even stages a
rank touches and writes the rows of its parts; in odd ones, whose wedges lie around the lower end of each part, those
that lie so much further down (`reach`) as a tile goes. So ranks exchange rows twice for all turns of a tile, instead of
once for each turn. Where parts would be too small the turns are run one by one. What is taken apart by columns is so on
each rank, in the rows of its parts, and these rows are what travels. What is taken apart by columns is so on each rank,
in the rows of its parts, and these rows are what travels.

In: the loop, and how its phases are cut for ranks. Out: functions, and the statements that take the loop's place in the
master. Loops whose phases have different ranges or write at different offsets are left to single turns, and so are
those between whose phases elements are read.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import libcst as cst

from somd.transforms.analysis.touched_rows import Rows
from somd.transforms.loops.program import Element, Loop, Region, Statement
from somd.transforms.loops.walking import expressions, expressions_in, inside
from somd.transforms.multicore.packed_slaves import packed_name
from somd.transforms.multicore.rank_shares import ALL, Cut, cut_of, rows_function
from somd.transforms.multicore.slaves import SlaveBuilder
from somd.transforms.multicore.sweeps import STAGE, SweepsBuilder, indented_lines
from somd.transforms.stages import Sweeps, Uniform
from somd.transforms.tree.rewriting import parsed


def packed_for_ranks(step: Uniform, alike: Sequence[str]) -> Uniform:
    """The loop, with its arrays as they are where some change names."""
    return replace(step, sweeps=Sweeps(step.sweeps.radius)) if step.sweeps is not None and alike else step


class RankSweepsBuilder(SweepsBuilder):
    """Builds the code of one loop for ranks."""

    #: the names of trips in what is said of rows
    LIMITS = ("first_trip", "last_trip")

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        #: the calls of functions that tell of rows, by how their names end
        self.tells: dict[str, str] = {}

    def cut(self) -> Cut | None:
        """The rows of each array that some trips of all phases touch, or None where tiles cannot be cut for ranks."""
        nests = [builder.nest for builder, _ in self.phases]
        ranges = {(*_range(builder), builder.nest.dims[0].step) for builder, _ in self.phases}
        if not self.radius or len(ranges) > 1 or nests[0].dims[0].step != 1 or _reads_elements(self.loop.body):
            return None
        first, last = map(self.fresh.name, self.LIMITS)
        found: dict[str, list[Rows]] = {}
        for nest, (builder, _) in zip(nests, self.phases, strict=True):
            made = cut_of(nest, self.plan, first, last, self.printing.regions[builder.number])
            if made is None or made.hulls or nest.combined or nest.reductions or nest.tests:
                return None
            for array, rows in made.rows.items():
                found.setdefault(self.group(array), []).append(rows)
        merged = {group: _merged(rows) for group, rows in found.items()}
        if any(rows is None for rows in merged.values()):
            return None
        packed = [merged.get(array) or ALL for array in self.packing.packed]
        if any(rows.touched is None or rows.axis for rows in packed):
            return None
        arrays = sorted({array for nest in nests for array in nest.arrays} | set(self.tiles.alike))
        return Cut({array: merged.get(self.group(array)) or ALL for array in arrays}, first, last)

    def group(self, array: str) -> str:
        """One name for all arrays whose names change places."""
        return self.tiles.alike[0] if array in self.tiles.alike else array

    def rank_functions(self, cut: Cut) -> list[cst.FunctionDef]:
        """The functions of tiles, with those that tell of rows."""
        made = [*self.functions(), self.rows_function(cut, "")]
        if self.packing.packed:
            apart = {
                packed_name(array, self.fresh) if array in self.packing.packed else array: rows
                for array, rows in cut.rows.items()
            }
            made.append(self.rows_function(replace(cut, rows=apart), "_packed"))
        return made

    def rows_function(self, cut: Cut, ending: str) -> cst.FunctionDef:
        """One that tells of the rows of a stage; of arrays taken apart these lie along their second axis."""
        apart = {packed_name(array, self.fresh) for array in self.packing.packed}
        rows = {array: replace(each, axis=1) if array in apart else each for array, each in cut.rows.items()}
        builder: SlaveBuilder = self.phases[0][0]
        name = self.fresh.name(f"{self.plan.method.name}_tiles_rows_{builder.number}{ending}")
        limits = f"{', '.join(_range(builder))}, 1"
        further = tuple(self.names("shares", "reach"))
        function, taken = rows_function(
            name, builder.number, replace(cut, rows=rows), limits, "1", (), builder.types, self.fresh, further
        )
        stage, depth, ranks, n_ranks, shares = self.names("stage", "depth", "ranks", "n_ranks", "shares")
        reach_of_turn = self.a_turn * self.radius
        reach = f"{stage} % 2 * {depth}{'' if reach_of_turn == 1 else f' * {reach_of_turn}'}"
        self.tells[ending] = f"{name}({', '.join((ranks, n_ranks, shares, reach, *taken))})"
        return function

    def told(self) -> list[str]:
        """The statements that tell of the rows of a stage."""
        if not self.packing.packed:
            return [self.tells[""]]
        stage, ranks, n_ranks, shares = self.names("stage", "ranks", "n_ranks", "shares")
        written = {name for builder, _ in self.phases for name in builder.nest.arrays_written}
        number = next(iter(self.slaves))

        def repacked(arrays: Sequence[str], back: bool) -> list[str]:
            pairs = [f"{array}, {packed_name(array, self.fresh)}" for array in arrays]
            return [f"tell_repacked({ranks}, {number}, {pair}, {shares}, {n_ranks}, {back})" for pair in pairs] or [
                "pass"
            ]

        return [
            f"if {stage} == -1:",
            *indented_lines(repacked(self.packing.packed, False)),
            f"elif {stage} == 2 * {self.tiles_of_time()}:",
            *indented_lines(repacked([name for name in self.packing.packed if name in written], True)),
            f"elif {self.is_apart()}:",
            *indented_lines([self.tells["_packed"]]),
            "else:",
            *indented_lines([self.tells[""]]),
        ]

    def new_packed(self, name: str, shape: str) -> str:
        return f"new_zeros({self.fresh.name('ranks')}, {shape}, {name}.dtype)"

    def among_ranks(self, in_order: Sequence[cst.BaseStatement]) -> list[cst.BaseStatement]:
        """What stands for the loop; `in_order` runs its turns one by one."""
        depth, width, parts, slaves, end, shares = self.names("depth", "width", "parts", "n_slaves", "end", "shares")
        n_ranks, own_rank, stage, mi = self.names("n_ranks", "own_rank", "stage", "mi")
        limits = self.limits(f"{slaves} * {n_ranks}")
        lines = [f"{self.begin} = {self.start}"] if self.begin else []
        lines += [f"{end} = {self.stop}", f"{depth}, {width}, {parts} = sweeps_at_a_time({limits})"]
        lines += [f"{shares} = {parts} // {n_ranks}"]
        given = {**dict(zip(STAGE, self.names(*STAGE), strict=True)), "rank": f"{own_rank} * {shares} + {mi}"}
        before, stages = self.stage_numbers()
        body = [
            f"if {stage} % 2 == 0:",
            "    answer_signals()",
            *self.told(),
            f"for {mi} in prange({shares}):",
            f"    {self.name}({', '.join((*given.values(), *self.arguments()))})",
            *self.turned_names(),
        ]
        tiled = [f"{parts} = {shares} * {n_ranks}", *before, f"for {stage} in {stages}:", *indented_lines(body)]
        single = [f"{shares} == 0", *([f"{depth} == 1"] if self.a_turn == 1 else []), *filter(None, [self.fails()])]
        text = "\n".join([f"if {' or '.join(single)}:", "    pass", "else:", *indented_lines(tiled)])
        choice = cst.ensure_type(cst.parse_statement(text), cst.If)
        return [*parsed(*lines), choice.with_changes(body=cst.IndentedBlock(in_order))]


def _range(builder: SlaveBuilder) -> tuple[str, str]:
    """Where the outermost loop of a phase begins and ends."""
    dim = builder.nest.dims[0]
    return builder.text(dim.start), builder.text(dim.stop)


def _merged(rows: Sequence[Rows]) -> Rows | None:
    """What phases together touch and write; None where they do not write alike."""
    written = {each.written for each in rows if each.written is not None}
    if len(written) > 1 or len({each.axis for each in rows}) > 1:
        return None
    touched = [each.touched for each in rows]
    known = [each for each in touched if each is not None]
    if len(known) < len(touched):
        both = None
    else:
        firsts, lasts = (list(dict.fromkeys(each[k] for each in known)) for k in (0, 1))
        both = _least("min", firsts), _least("max", lasts)
    if both is None and written:
        return None  # rows that others write meanwhile
    return Rows(both, next(iter(written), None), rows[0].axis)


def _least(function: str, texts: Sequence[str]) -> str:
    return texts[0] if len(texts) == 1 else f"{function}({', '.join(texts)})"


def _reads_elements(body: Sequence[Statement]) -> bool:
    """Whether elements are read beside the regions."""
    for node in body:
        if isinstance(node, Region):
            continue
        read = (inside(top) for top in expressions(node)) if isinstance(node, Loop) else (expressions_in((node,)),)
        if any(isinstance(each, Element) for found in read for each in found):
            return True
        if isinstance(node, Loop) and _reads_elements(node.body):
            return True
    return False
