"""Minima and maxima that take equal values, or nan, in C: the update that says so, and two lanes as one.

low = min(a[i], low)    ->    const double candidate = a[i];
                              if (!(low < candidate)) {
                                  low = candidate;
                                  low_at = iteration;                      (where lanes take the trips in turns)
                                  low_taken |= candidate != candidate;
                              }

Lanes cannot tell what stands before a nan and what behind it. A block in which one was taken is run once more, by one
lane: the master sees the flag and launches the kernel again with `dealt` 1.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import libcst as cst

from somd.language.operators import OPERATORS
from somd.transforms.emit.c_tree import C
from somd.transforms.stages import FIRST, Nest, Reduction, Taking
from somd.transforms.types.scalars import ScalarType
from somd.transforms.types.typing_table import Types


@dataclass(frozen=True)
class Taker:
    """An accumulator in a kernel: its C name, and those of the place of what it took and of its flag, where kept."""

    reduction: Reduction
    dtype: str
    text: str
    position: str = ""
    flag: str = ""

    @property
    def taking(self) -> Taking:
        return taking_of(self.reduction, self.dtype)

    def taken(self, iteration: str, value: str) -> list[str]:
        """The lines that follow where `value` was taken."""
        lines = [f"{self.position} = {iteration};"] if self.position else []
        if self.flag:
            lines.append(f"{self.flag} |= {value} != {value};" if self.taking.unordered else f"{self.flag} = 1;")
        return lines

    def condition(self, candidate: str) -> str:
        """The condition under which a candidate is taken."""
        better, equal = OPERATORS[self.reduction.op].better, self.taking.equal
        if self.taking.unordered:
            return f"!({self.text} {better}{'' if equal else '='} {candidate})"
        return f"{candidate} {better}{'=' if equal else ''} {self.text}"


def taking_of(reduction: Reduction, dtype: str) -> Taking:
    return reduction.taking(ScalarType(dtype).kind)


def flagged(reduction: Reduction, dtype: str) -> bool:
    return reduction.flagged(ScalarType(dtype).kind)


def flagged_in(nest: Nest, types: Types) -> list[Reduction]:
    """The reductions of a nest whose partial results have flags."""
    return [r for r in nest.reductions if isinstance(t := types.names[r.name], ScalarType) and flagged(r, t.dtype)]


def flag_name(reduction: Reduction) -> str:
    """What the master knows the flags of a reduction by: no name of Python's."""
    return f"{reduction.name} taken"


def takes(takers: list[Taker]) -> Mapping[cst.CSTNode, Taker]:
    """By each update that is not written as it stands: whose it is."""
    return {node: taker for taker in takers if taker.taking != FIRST for node in taker.reduction.updates}


def replaces(taker: Taker, mine: C, other: C, here: str, there: str) -> str:
    """The condition under which the value of another lane takes the place of this one's; the places where they were
    taken are below 0 where nothing was."""
    later = f"{there} {'>' if taker.taking.equal else '<'} {here}"
    better = f"{other.text} {OPERATORS[taker.reduction.op].better} {mine.text}"
    either = f"{better} || ({other.text} == {mine.text} && {later})"
    return f"{there} >= 0 && ({here} < 0 || {either})"
