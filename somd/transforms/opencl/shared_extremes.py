"""A loop that keeps the extreme of a row -> those of some trips for each work-item, and the extreme of these."""

from __future__ import annotations

from dataclasses import dataclass

from somd.transforms.emit.c import Statements
from somd.transforms.emit.c_types import CTYPES
from somd.transforms.loops.program import Loop
from somd.transforms.opencl.shared_loops import head
from somd.transforms.opencl.words import Words
from somd.transforms.passes.extremes import Extreme

BARRIER = "barrier(CLK_LOCAL_MEM_FENCE);"
#: how many of the work-items look at what all have found
FEW = 16


@dataclass(frozen=True)
class Looked:
    """What a work-item has found of a row while it brought it in: in C `best`, if it has looked at `some`."""

    kept: Extreme
    best: str
    some: str


def better(write: Statements, kept: Extreme, best: str, new: str, other: str) -> None:
    """Keeps the better one of two, or nan."""
    sign = ">" if kept.quick == "quick maximum" else "<"
    write.line(f"const {CTYPES[kept.variable.type.dtype]} {new} = {other};")
    write.line(f"{best} = {new} {sign} {best} || {new} != {new} ? {new} : {best};")


def shared_extreme_lines(
    loop: Loop,
    kept: Extreme,
    write: Statements,
    found: str,
    lane: str,
    own: str,
    team: str,
    row: Words | Looked | None = None,
) -> None:
    """The extreme of a row: of the trips of each work-item, of those of some, of all. `found` are places in local
    memory, one for each work-item of the group; those that share a row are a `team`, in which each has its `own`
    number, and in the group the `lane`. Each keeps the extreme as if there were no zeros and no nan; where that of all
    is such a number, all run the loop in its order. A `row` of local memory is read word by word: elements before the
    first whole word, and behind the last one, are looked at by all."""
    scope = write.scope
    kind, text = CTYPES[kept.variable.type.dtype], scope.value(kept.variable).text
    best, new, k = (scope.names.fresh(n) for n in (f"{text}_best", f"{text}_new", "other"))
    first = "" if lane == own else f"{lane} - {own} + "

    def better_than(other: str) -> None:
        better(write, kept, best, new, other)

    def by_words(row: Words) -> None:
        variable, word = scope.text_of(loop.variable.name), scope.names.fresh("word")
        first, whole, piece = (scope.names.fresh(n) for n in ("first", "whole", "piece"))
        start, stop, each = write.value(loop.start), write.value(loop.stop), row.columns
        rounded = start.loose if start.value == 0 else f"({start.text} + {each - 1}) / {each}"
        write.line(f"const long {first} = {rounded}, {whole} = max({first}, (long)({stop.text}) / {each});")
        if start.value != 0:
            limit = f"min({first} * {each}, (long)({stop.text}))"
            with write.braces(f"for (long {variable} = {start.loose}; {variable} < {limit}; {variable}++)"):
                better_than(write.value(kept.element).loose)
        write.lines.append("#pragma unroll 4")
        with write.braces(f"for (long {piece} = {first} + {own}; {piece} < {whole}; {piece} += {team})"):
            write.line(f"const {row.kind} {word} = {row.at(piece)};")
            for k in range(each):
                with write.braces():
                    better_than(f"{word}.s{k}")
        last = f"{whole} * {each}"
        with write.braces(f"for (long {variable} = {last}; {variable} < {stop.loose}; {variable}++)"):
            better_than(write.value(kept.element).loose)

    with write.braces():
        write.line(f"{kind} {best} = {text};")
        if row is None:
            with write.braces(head(loop, own, team, write)):
                better_than(write.value(kept.element).loose)
        elif isinstance(row, Looked):
            with write.braces(f"if ({row.some})"):
                better_than(row.best)
        else:
            by_words(row)
        write.line(f"{found}[{lane}] = {best};")
        write.line(BARRIER)
        with write.braces(f"if ({own} < {FEW})"):
            with write.braces(f"for (int {k} = {own} + {FEW}; {k} < {team}; {k} += {FEW})"):
                better_than(f"{found}[{first}{k}]")
            write.line(f"{found}[{lane}] = {best};")
        write.line(BARRIER)
        with write.braces(f"for (int {k} = 0; {k} < min({FEW}, {team}); {k}++)"):
            better_than(f"{found}[{first}{k}]")
        with write.braces(f"if ({best} == 0 || {best} != {best})"):
            write.block((loop,))
        with write.otherwise():
            write.line(f"{text} = {best};")
