"""Which scalars must not be far from 0 for a nest to be what the analysis takes it for.

isl reckons with integers of any size, the machine with 64 bits. For an index that is a sum of multiples nothing is
needed: the checks before the phase are decided exactly, and what lies inside its array is the same modulo 2**64. But
where bounds of loops, conditions, lengths of arrays, or operands of `//` and `%` are computed, both must agree. They do
while lengths and scalars stay below NEAR = 2**44 (of lengths, calls see to that) and factors below FACTORS.

In: accesses of a nest, and what holds of its names. Out: names of scalars, for a test before the phase.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from somd.transforms.access import Access, Affine
from somd.transforms.analysis.affine import variable
from somd.transforms.analysis.aliases import Aliases
from somd.transforms.analysis.python_text import name_text

#: computing that can leave 64 bits: sums, differences, products, the operands of divisions, signs
_COMPUTED = re.compile(r"[+*]| - |mod|floor|\(-v_|\(-s_")
_DIVIDED = re.compile(r"mod|floor")
#: what stands on either side of a comparison
_SIDES = re.compile(r"\band\b|\bor\b|\bnot\b|[<>!]?=|[<>]")
#: that a loop's variable is some steps away from its start, which no code computes
_STEPS = re.compile(r"\(v_\w+ - .*\) mod \d+ $")
_NAME = re.compile(r"\b[vsk]_\w+")


def divides(formula: Affine) -> bool:
    """Whether an index holds a quotient or remainder."""
    return _DIVIDED.search(formula.text) is not None


class Reckoning:
    """What is known of the scalars and lengths around a nest: `facts`, and `around` of variables of uniform loops.

    `strong` are scalars of NumPy's int64, which wraps in plain Python too; of Python's integers it has any size.
    """

    def __init__(self, facts: Sequence[Affine], around: Sequence[Affine], strong: Iterable[str]) -> None:
        self.facts, self.around = facts, around
        self.strong = {variable(name) for name in strong}
        self.turns = {formula.text.split()[0].strip("(") for formula in around}

    def where_tested(self, accesses: Sequence[Access], aliases: Aliases) -> tuple[Access, ...]:
        """The accesses, with indexes that divide what may be any number taken for unknown, where elements are only
        read: such an index may come from a hash, and is tested where it happens."""
        written = aliases.with_others(access.array for access in accesses if access.write)
        return tuple(a if a.array in written else self._tested(a) for a in accesses)

    def _tested(self, access: Access) -> Access:
        variables = {domain.variable for domain in access.loops}

        def known(index: Affine | None) -> Affine | None:
            if index is None or not divides(index):
                return index
            scalars = {name for name in index.names - variables if name.startswith("v_")}
            return index if all(name in self.turns or self.bounded(name) for name in scalars) else None

        return replace(access, indices=tuple(map(known, access.indices)))

    def bounded(self, name: str) -> bool:
        """Whether a scalar follows from lengths."""
        equal = [f for f in self.facts if f.text.startswith(f"{name} = ")]
        return bool(equal) and all(n.startswith("s_") or self.bounded(n) for f in equal for n in f.names - {name})

    def near(self, accesses: Sequence[Access]) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """The names of the scalars, as Python has them: those to be asked before the checks, and the others.

        Before the checks: what wraps in plain Python, too, and what other scalars and lengths were computed from, for
        the checks take these for what was meant.
        """
        nest = _Nest(accesses, self)
        own, held = nest.needed(nest.formulas), nest.needed(nest.holding())
        first = held | (own & self.strong)
        return _texts(first), _texts(own - first)


def _texts(names: Iterable[str]) -> tuple[str, ...]:
    return tuple(sorted({name_text(name) for name in names}))


class _Nest:
    def __init__(self, accesses: Sequence[Access], known: Reckoning) -> None:
        domains = {domain for access in accesses for domain in access.loops}
        self.variables = {domain.variable for domain in domains}
        self.domains = [c for domain in domains for c in domain.constraints]
        self.formulas = [*self.domains, *(guard for access in accesses for guard in access.guards)]
        indexes = [index for access in accesses for index in access.indices if index is not None]
        self.formulas += [index for index in indexes if divides(index) or index.names & known.strong]
        self.reached = {name for formula in (*self.formulas, *indexes) for name in formula.names}
        self.known = known

    def needed(self, formulas: Iterable[Affine]) -> set[str]:
        """The isl names of the scalars that stand where these formulas compute."""
        found: set[str] = set()
        for formula in formulas:
            for side in _SIDES.split(formula.text):
                if _COMPUTED.search(side) and not _STEPS.match(side):
                    found |= set(_NAME.findall(side)) & formula.names
        loops = self.variables | self.known.turns
        return {n for n in self._followed(found) - loops if n.startswith("v_") and not self.known.bounded(n)}

    def holding(self) -> Iterator[Affine]:
        """The facts that say something of the nest's names."""
        waiting = [*self.known.facts, *self.known.around]
        while used := [f for f in waiting if f.text.split()[0].strip("(") in self.reached]:
            for formula in used:
                waiting.remove(formula)
                self.reached |= formula.names
                yield formula

    def _followed(self, names: set[str]) -> set[str]:
        """With the names that bound loop variables among them."""
        seen: set[str] = set()
        while names - seen:
            name = (names - seen).pop()
            seen.add(name)
            if name in self.variables:
                names = names.union(*(c.names for c in self.domains if name in c.names))
            if name in self.known.turns:  # it never gets far from where it began
                begins = [c for c in self.known.around if re.match(rf"\(*{name} [<>]= ", c.text)]
                names = names.union(*(c.names for c in begins))
        return seen
