"""A loop with `Panels` -> code that does several of its turns at a time, the phase that waits behind them.

    for panel in range(0, n - 1, depth):
        for k in range(panel, min(panel + depth, n - 1)):
            ...                                          the turn, its last phase for the rows next to come
        for rank in prange(n_slaves):                    then every other row, all turns one after the other
            lufact_waiting_3(lo, hi, ...)

In: the loop and the slave of the phase. Out: what takes the phase's place in a turn, the loop, and a function.
What the phase reads of scalars that turns set is kept, an element a turn.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import libcst as cst

from somd.transforms.emit.python_text import numpy_name
from somd.transforms.loops.program import Expression, Loop
from somd.transforms.multicore.names import Fresh
from somd.transforms.multicore.slaves import Slave, SlaveBuilder
from somd.transforms.stages import Nest, Phase, Plan, Uniform, nested_steps
from somd.transforms.tree.verbatim import verbatim
from somd.transforms.tree.walking import children_of

#: rows of a part, below which it does not pay to begin with them
LEAST_ROWS = 8


class PanelsBuilder:
    """Builds the code of one loop; `text` writes an expression of the method that cannot fail."""

    def __init__(self, loop: Loop, step: Uniform, plan: Plan, fresh: Fresh, text: Callable[[Expression], str]) -> None:
        assert loop.panels is not None
        self.step, self.margin, self.fresh = step, loop.margin, fresh
        self.variable = loop.variable.name
        self.start, self.stop = text(loop.start), text(loop.stop)
        self.number = number = loop.panels.region
        self.panel, self.upto, self.depth = (fresh.name(f"{n}_{number}") for n in ("panel", "upto", "depth"))
        self.end, self.border, self.top = (fresh.name(f"{n}_{number}") for n in ("panel_end", "border", "top"))
        self.lows, self.highs = fresh.name(f"lows_{number}"), fresh.name(f"highs_{number}")
        self.name = fresh.name(f"{plan.method.name}_waiting_{number}")
        phases = [s for s in nested_steps(step.body) if isinstance(s, Phase) and s.number == number]
        self.nest: Nest = phases[0].nest
        #: the arrays that keep scalars, by scalar, and their types
        self.kept = {each.name: fresh.name(f"{each.name}_{number}") for each in loop.panels.kept}
        self.types = {each.name: each.type.dtype for each in loop.panels.kept}
        #: whether the phase takes many rows at a time, so that they are not to be cut small
        self.whole = False
        self.array = self.nest.arrays_written[0]

    def possible(self) -> bool:
        """Whether all that must be kept can be, and rows are cut one way."""
        return all(name.isidentifier() for name in self.kept) and not self.nest.cut_twice

    @property
    def least(self) -> int:
        """The rows that a part of those that wait may have; 0 where parts are to be as large as can be."""
        return 0 if self.whole else LEAST_ROWS

    @property
    def at(self) -> str:
        """The number of a turn among those that are done together."""
        return f"{self.variable} - {self.panel}"

    def noted(self, builder: SlaveBuilder, slave: Slave) -> list[cst.BaseStatement]:
        """In place of the phase: what it needs is kept, and the rows next to come are updated."""
        self.whole = builder.strips is not None or bool(builder.region.tables or builder.pieces)
        dim = self.nest.dims[0]
        low, high = f"{self.lows}[{self.at}]", f"{self.highs}[{self.at}]"
        keeps = [f"{kept}[{self.at}] = {name}" for name, kept in self.kept.items()]
        limits = f"{low}, min({high}, {self.border})"
        made = verbatim(
            f"{low} = {builder.text(dim.start)}",
            f"{high} = {builder.text(dim.stop)}",
            *keeps,
            f"{slave.name}({', '.join((limits, *slave.arguments))})",
        )
        comment = cst.EmptyLine(comment=cst.Comment(f"# the rows from {self.border} on wait"))
        return [made[0].with_changes(leading_lines=[comment]), *made[1:]]

    def waiting(self, slave: Slave) -> tuple[cst.FunctionDef, list[str]]:
        """`waiting(lo, hi, width, first, count, lows, highs, ...)`: turns `first` and so on for rows from lo to hi; and
        the arguments behind the rows, as the master gives them."""
        names = ("lo", "hi", "width", "first", "count", "left", "right", "at")
        lo, hi, width, first, count, left, right, at = map(self.fresh.name, names)
        tables = [self.lows, self.highs, *self.kept.values()]
        others = [name for name in slave.arguments if name not in self.kept and name != self.variable]
        given = {self.variable: f"{first} + {at}", **{name: f"{kept}[{at}]" for name, kept in self.kept.items()}}
        arguments = ", ".join(given.get(name, name) for name in slave.arguments)
        text = (
            f"@slave\ndef {self.name}({', '.join((lo, hi, width, first, count, *tables, *others))}):\n"
            f"    for {left} in range({lo}, {hi}, {width}):\n"
            f"        {right} = min({left} + {width}, {hi})\n"
            f"        for {at} in range({count}):\n"
            f"            {slave.name}(max({left}, {self.lows}[{at}]), min({right}, {self.highs}[{at}]), {arguments})\n"
        )
        comment = f"# phase {self.number}, turn after turn, in rows that have waited for {count} of them"
        lines = [cst.EmptyLine(), cst.EmptyLine(), cst.EmptyLine(comment=cst.Comment(comment))]
        function = cst.ensure_type(cst.parse_statement(text), cst.FunctionDef)
        return function.with_changes(leading_lines=lines), [*tables, *others]

    def loop(
        self, body: Sequence[cst.BaseStatement], passed: Sequence[str], parts: tuple[str, str]
    ) -> list[cst.BaseStatement]:
        """The loop around `body`, a turn; `parts` are a statement and the name of how many MIs there are, as
        `MasterBuilder.dealt` gives them for the rows from border to top."""
        assert isinstance(self.step.node, cst.For)
        width, rows, slaves = self.fresh.name("width"), f"{self.array}.shape[0]", self.fresh.name("n_slaves")
        before = verbatim(
            f"{self.upto} = {self.stop}",
            f"{self.depth} = turns_at_a_time(trips({self.start}, {self.upto}, 1), {slaves})",
            f"{width} = {rows}" if self.whole else f"{width} = rows_together({self.array}.nbytes, {rows})",
            f"{self.lows}, {self.highs} = room({self.depth}, np.int64), room({self.depth}, np.int64)",
            *(f"{kept} = room({self.depth}, np.{numpy_name(self.types[name])})" for name, kept in self.kept.items()),
        )
        begun = verbatim(
            "answer_signals()",
            f"{self.end} = min({self.panel} + {self.depth}, {self.upto})",
            f"{self.border} = {self.end} + {self.margin}" if self.margin else f"{self.border} = {self.end}",
        )
        place = self.fresh.name("place")
        begun += verbatim(
            f"for {place} in range({self.end} - {self.panel}):\n    {self.lows}[{place}] = {self.highs}[{place}] = 0\n"
        )
        turn = _loop(f"for {self.variable} in range({self.panel}, {self.end}):", body)
        after = self.caught_up(width, passed, parts)
        if _breaks(self.step.node.body):
            # A turn that ends the loop does so when the rows have got the updates of those before it.
            left = self.fresh.name(f"left_{self.number}")
            turn = turn.with_changes(orelse=cst.Else(cst.IndentedBlock(verbatim(f"{left} = False"))))
            begun += verbatim(f"{left} = True")
            after += verbatim(f"if {left}:\n    break\n")
        header = f"for {self.panel} in range({self.start}, {self.upto}, {self.depth}):"
        panels = _loop(header, [*begun, turn, *after])
        text = f"# some turns at a time, then phase {self.number} for the rows that may wait"
        above = [line for line in self.step.node.leading_lines if line.comment is None]
        above.append(cst.EmptyLine(comment=cst.Comment(text)))
        return [before[0].with_changes(leading_lines=above), *before[1:], panels]

    def caught_up(self, width: str, passed: Sequence[str], parts: tuple[str, str]) -> list[cst.BaseStatement]:
        """All rows that have waited get their updates."""
        rank, lo, hi, place = map(self.fresh.name, ("rank", "lo", "hi", "place"))
        count = f"{self.end} - {self.panel}"
        arguments = ", ".join((width, self.panel, count, *passed))
        row = f"({self.array}.size // max({self.array}.shape[0], 1))"
        dealt, slaves = parts
        region = (
            f"{dealt}for {rank} in prange({slaves}):\n"
            f"    {lo}, {hi} = slave_range({self.border}, {self.top}, 1, {rank}, {slaves})\n"
            f"    {self.name}({lo}, {hi}, {arguments})\n"
        )
        indented = "".join(f"    {line}\n" for line in region.splitlines())
        return verbatim(
            f"{self.top} = {self.border}",
            f"for {place} in range({count}):\n    {self.top} = max({self.top}, {self.highs}[{place}])\n",
            f"if ({self.top} - {self.border}) * ({count}) * {row} < small_work():\n"
            f"    {self.name}({self.border}, {self.top}, {arguments})\n"
            f"else:\n{indented}",
        )


def _loop(header: str, body: Sequence[cst.BaseStatement]) -> cst.For:
    loop = cst.ensure_type(cst.parse_statement(f"{header}\n    pass\n"), cst.For)
    return loop.with_changes(body=cst.IndentedBlock(list(body)))


def _breaks(node: cst.CSTNode) -> bool:
    """Whether a `break` of the loop around stands in its body."""
    if isinstance(node, cst.For | cst.While):
        return node.orelse is not None and _breaks(node.orelse)
    return isinstance(node, cst.Break) or any(_breaks(child) for child in children_of(node))
