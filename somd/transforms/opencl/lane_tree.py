"""The end of a reduction kernel: the lanes of a work-group combined by pairs of neighbours, in local memory."""

from __future__ import annotations

from dataclasses import dataclass

from somd.language.operators import OPERATORS
from somd.transforms.emit.c import Statements
from somd.transforms.emit.c_reductions import combined
from somd.transforms.emit.c_taking import Taker, replaces
from somd.transforms.emit.c_tree import C
from somd.transforms.stages import FIRST


@dataclass(frozen=True)
class Accumulator:
    """A reduction in a kernel: C names of the lane's value and its place (if kept), their slots, and the partials."""

    name: str
    op: str
    dtype: str
    text: str
    position: str
    slots: str
    position_slots: str
    partials: str
    companions: tuple[Accumulator, ...] = ()
    #: of a minimum or maximum
    taker: Taker | None = None
    #: its flag as an accumulator of its own, where it has one
    flag: Accumulator | None = None

    @property
    def all(self) -> tuple[Accumulator, ...]:
        """The accumulator and what is set together with it."""
        return (self, *self.companions)


def write_tree(accumulators: list[Accumulator], lane: str, write: Statements) -> None:
    """Combine the lanes and let the first one store the block's partial results."""
    width = write.scope.names.fresh("width")
    for a in _with_flags(accumulators):
        for each in a.all:
            write.line(f"{each.slots}[{lane}] = {each.text};")
        if a.position:
            write.line(f"{a.position_slots}[{lane}] = {a.position};")
    write.line("barrier(CLK_LOCAL_MEM_FENCE);")
    with write.braces(f"for (long {width} = 1; {width} < LANES; {width} *= 2)"):
        with write.braces(f"if ({lane} % (2 * {width}) == 0)"):
            for a in _with_flags(accumulators):
                _combine(a, lane, f"{lane} + {width}", write)
        write.line("barrier(CLK_LOCAL_MEM_FENCE);")
    with write.braces(f"if ({lane} == 0)"):
        for a in _with_flags(accumulators):
            for each in a.all:
                write.line(f"{each.partials}[get_group_id(0)] = {each.slots}[0];")


def _with_flags(accumulators: list[Accumulator]) -> list[Accumulator]:
    return [*accumulators, *(a.flag for a in accumulators if a.flag is not None)]


def _combine(a: Accumulator, left: str, right: str, write: Statements) -> None:
    mine, other = f"{a.slots}[{left}]", f"{a.slots}[{right}]"
    if not OPERATORS[a.op].better:
        write.line(f"{mine} = {combined(a.op, C(mine, a.dtype), C(other, a.dtype), a.dtype, write.unit).text};")
        return
    better = f"{other} {OPERATORS[a.op].better} {mine}"
    if not a.position:
        write.line(f"{mine} = {better} ? {other} : {mine};")
        return
    here, there = f"{a.position_slots}[{left}]", f"{a.position_slots}[{right}]"
    test = f"{better} || ({other} == {mine} && {there} < {here})"
    if a.taker is not None and a.taker.taking != FIRST:
        test = replaces(a.taker, C(mine, a.dtype), C(other, a.dtype), here, there)
    with write.braces(f"if ({test})"):
        for each in a.all:
            write.line(f"{each.slots}[{left}] = {each.slots}[{right}];")
        write.line(f"{here} = {there};")
