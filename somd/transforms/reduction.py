"""What the iterations of a nest accumulate: scalars, and arrays that a fence combines; for `stages`."""

from __future__ import annotations

from dataclasses import dataclass

import libcst as cst


@dataclass(frozen=True, order=True)
class Taking:
    """Which values a minimum or maximum takes besides better ones."""

    #: one that is equal: of equal values the last one stays (`if e <= s: s = e`)
    equal: bool = False
    #: one that cannot be compared: nan is taken, and gives way to whatever comes next (`s = min(e, s)`)
    unordered: bool = False


#: of equal values the first one stays, and nan is not taken: `if e < s: s = e`, `s = min(s, e)`
FIRST = Taking()


@dataclass(frozen=True)
class Reduction:
    """A scalar accumulated over a nest: `op` is one of `+ * min max & | ^ and or`; `updates` are its statements.

    `companions` are scalars that are set together with a new minimum or maximum (argmin and argmax). `takings` are the
    ways in which the updates take values: floats need one for all.
    """

    name: str
    op: str
    updates: tuple[cst.CSTNode, ...]
    companions: tuple[str, ...] = ()
    takings: tuple[Taking, ...] = (FIRST,)

    def taking(self, kind: str) -> Taking:
        """How values are taken, for an accumulator of NumPy's kind `kind`: where equal values are one and the same and
        all can be compared, as `FIRST` says."""
        if kind == "f":
            return self.takings[0] if len(self.takings) == 1 else FIRST
        return Taking(equal=bool(self.companions) and self.takings[0].equal)

    def flagged(self, kind: str) -> bool:
        """Whether a partial result is told apart from an accumulator that took nothing, or no nan, by a flag."""
        taking = self.taking(kind)
        return taking.unordered or (taking.equal and bool(self.companions))


@dataclass(frozen=True)
class Combined:
    """An array whose elements iterations update with `op` wherever data says: each part of the iterations does so in
    a private copy, and the fence combines the copies. Nothing else in the nest reads or writes the array."""

    array: str
    op: str
    updates: tuple[cst.CSTNode, ...]
    takings: tuple[Taking, ...] = (FIRST,)
