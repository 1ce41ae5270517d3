"""Chains of sums, run side by side from guesses of where they begin, to the bit of the chain in order.

Between two powers of two p and 2p all floats are multiples of one unit u. There rounding moves with what is added: the
next value after `s + d` is that after `s`, plus d, for any d that is an even multiple of u (ties go to even, so parity
counts), and for any multiple if no tie comes. So a block of trips is run from a guess, an even multiple of u; beside it
runs the chain from the guess plus u, which stays u away until a tie comes, and never after one. When the value before
the block is known, what the block gave differs from the truth by one number, which is an exact difference, if

    the values from the guess are at least p, and less than 2p - 2u        (so both chains have rounded to u)
    shifted by d they are more than p, and less than 2p                    (at p itself, less may have been rounded up)
    d is an even multiple of u, or the chain beside is u away at the end

These are compared with the least and the greatest value of a block; rounding is monotone and p a float, so comparisons
of rounded sums with p are those of the exact ones. What is not a number, or infinite, fails: a block that fails is run
in order from the true value, whatever the guess was. Guesses are where the sum goes if it grows as in the strip before.

    guesses, in order:        s__start[b] = (s + b * s__grown) made an even multiple
    two blocks a trip:        s__value[k] = s__guess; s__guess += s__term[k]; s__beside += s__term[k]; s__low ...
    in order:                 s__shift[b] = s - s__start[b]; s = s__end[b] + s__shift[b], or the block again
    the rest:                 s__now = s__value[k] + s__shift[k // 2048]

In strips in which more than half of the blocks fail, guessing costs more than it gives: the next ones are run in order,
twice as many each time, up to 64.
"""

from __future__ import annotations

from collections.abc import Callable

import libcst as cst

from somd.transforms.types.scalars import ScalarType

#: trips in a block, and blocks in a trip of the loop over them: their chains overlap
BLOCK, LANES = 2048, 2
#: by the type of the sum: its unit in the last place of 1, and between which numbers guesses are made
_UNITS = {
    "float64": ("2.220446049250313e-16", "1e-290", "1e290"),
    "float32": ("1.1920928955078125e-07", "1e-30", "1e30"),
}
#: strips in a row that are run in order at most
MOST = 64

_WORDS = (
    "skip", "wait", "full", "failed", "part", "block", "grown", "entry", "unit", "try", "near", "far", "scale", "fits",
    "by", "moved", "which", "start", "units", "low", "high", "end", "odd", "shift",
)  # fmt: skip
_ARRAYS = ("start", "units", "low", "high", "end", "odd", "shift")
_OF_LANES = ("guess", "beside", "least", "most", "given")


def step_of(
    update: cst.CSTNode, name: str, term: cst.BaseExpression, kind: ScalarType, given: ScalarType
) -> str | None:
    """What adds a term to a sum, or takes it away, with {0} for the sum and {1} for the term; None where an update does
    something else, or in other types: `kind` and `given` are those of both."""
    exact = given.weak or given.dtype == kind.dtype or kind.dtype == "float64"
    if kind.dtype not in _UNITS or not exact or "complex" in given.dtype:
        return None
    if isinstance(update, cst.AugAssign) and update.value is term:
        signs: dict[type[cst.CSTNode], str] = {cst.AddAssign: "{0} + {1}", cst.SubtractAssign: "{0} - {1}"}
        return signs.get(type(update.operator))
    if not (isinstance(update, cst.Assign) and len(update.targets) == 1):
        return None
    value = update.value
    if not isinstance(value, cst.BinaryOperation):
        return None
    if isinstance(value.left, cst.Name) and value.left.value == name and value.right is term:
        return {cst.Add: "{0} + {1}", cst.Subtract: "{0} - {1}"}.get(type(value.operator))
    if isinstance(value.right, cst.Name) and value.right.value == name and value.left is term:
        return "{1} + {0}" if isinstance(value.operator, cst.Add) else None
    return None


class Guessed:
    """The texts for one chain: `sum_` is its scalar, `terms` and `values` are arrays over a strip."""

    def __init__(
        self,
        names: tuple[str, str, str],
        step: str,
        kind: ScalarType,
        new: Callable[[str], str],
        number: Callable[[str], str],
        element: Callable[[str], str],
        term: Callable[[str], str],
    ) -> None:
        """`new` gives names; `number`, `element` and `term` make numbers of the chain's type of a text, of an element,
        and one of the type of its terms."""
        self.sum_, self.terms, self.values = names
        self.step, self.number, self.element, self.term = step, number, element, term
        self.names = {word: new(word) for word in _WORDS}
        self.lanes = [{word: new(word) for word in _OF_LANES} for _ in range(LANES)]
        self.unit, self.least, self.most = _UNITS[kind.dtype]

    def of(self, array: str, index: str) -> str:
        """An element as a number."""
        return self.element(f"{self.names[array]}[{index}]")

    def rooms(self, room: Callable[[str, int], str], strip: int) -> list[str]:
        """What is set before the strips."""
        n = self.names
        return [
            *(room(n[word], strip // BLOCK) for word in _ARRAYS),
            f"{n['grown']} = {self.number('0.0')}",
            f"{n['unit']} = {self.number('1.0')}",
            f"{n['skip']} = 1",
            f"{n['wait']} = 1",
        ]

    def before(self, count: str, strip: int) -> list[str]:
        """What a strip of `count` trips begins with: the guesses."""
        n, p, g, b = self.names, self.names["unit"], self.names["try"], self.names["block"]
        return [
            f"{n['entry']} = {self.sum_}",
            f"{n['full']} = {count} // {BLOCK * LANES}",
            f"if {n['skip']} > 0:\n    {n['full']} = 0\n    {n['skip']} = {n['skip']} - 1\n",
            f"for {b} in range({strip // BLOCK}):\n"
            f"    {n['shift']}[{b}] = -0.0\n"
            f"    {g} = {self.sum_} + {b} * {n['grown']}\n"
            f"    if {self.least} < abs({g}) and abs({g}) < {self.most}:\n"
            f"        while abs({p}) * 2.0 <= abs({g}):\n            {p} = {p} * 2.0\n"
            f"        while abs({p}) > abs({g}):\n            {p} = {p} * 0.5\n"
            f"        if ({g} < 0.0) != ({p} < 0.0):\n            {p} = -{p}\n"
            f"    {n['start']}[{b}] = ({g} + 2.0 * {p}) - 2.0 * {p}\n"
            f"    {n['units']}[{b}] = {p}\n",
        ]

    def blocks(self, strip: int) -> str:
        """The blocks from their guesses, side by side."""
        n, part = self.names, self.names["part"]
        begin, trip, end = [], [], []
        places = [f"{part} * {LANES}" + (f" + {lane}" if lane else "") for lane in range(LANES)]
        trips = [n["block"] + (f" + {lane * BLOCK}" if lane else "") for lane in range(LANES)]
        for own, place in zip(self.lanes, places, strict=True):
            guess, beside = own["guess"], own["beside"]
            begin.append(f"{guess} = {self.of('start', place)}")
            begin.append(f"{beside} = {guess} + {self.of('units', place)} * {self.unit}")
            begin += [f"{own['least']} = {guess}", f"{own['most']} = {guess}"]
            end += [f"{n['low']}[{place}] = {own['least']}", f"{n['high']}[{place}] = {own['most']}"]
            end += [f"{n['end']}[{place}] = {guess}", f"{n['odd']}[{place}] = {beside}"]
        together = list(zip(self.lanes, trips, strict=True))
        trip += [f"{own['given']} = {self.term(f'{self.terms}[{k}]')}" for own, k in together]
        trip += [f"{self.values}[{k}] = {own['guess']}" for own, k in together]
        for word in ("guess", "beside"):
            trip += [f"{own[word]} = {self.step.format(own[word], own['given'])}" for own, _ in together]
        for word, sign in (("least", "<"), ("most", ">")):
            trip += [f"{o[word]} = {o['guess']} if {o['guess']} {sign} {o[word]} else {o[word]}" for o, _ in together]
        first = f"{part} * {BLOCK * LANES}"  # LLVM knows that the loop's variable is not negative, and so all indexes
        return (
            f"for {part} in range(min({n['full']}, {strip // (BLOCK * LANES)})):\n{_in(begin)}"
            f"    for {n['block']} in range({first}, {first} + {BLOCK}):\n{_in(trip, 8)}{_in(end)}"
        )

    def behind(self, count: str, first: str) -> list[str]:
        """What the guesses turn out to be off by; blocks that fail, and those without a guess, are run in order. The
        trips of a strip are at the places from `first`, where that is not negative, to `count`."""
        n, s, b, r, d = self.names, self.sum_, self.names["block"], self.names["scale"], self.names["by"]
        u, p, fits, k = f"{n['unit']} * {self.unit}", n["unit"], n["fits"], n["part"]
        in_order = f"{self.values}[{k}] = {s}", f"{s} = {self.step.format(s, self.term(f'{self.terms}[{k}]'))}"
        begins = f"1.0 <= {s} * {r} and {s} * {r} < 2.0"
        kept = f"1.0 <= {n['near']} * {r} and ({n['far']} + 2.0 * ({u})) * {r} < 2.0"
        moved = f"1.0 < ({n['near']} + {d}) * {r} and ({n['far']} + {d}) * {r} < 2.0"
        number = f"1.0 < ({self.of('end', b)} + {d}) * {r}"
        even = f"({s} + 2.0 * {p}) - 2.0 * {p} == {s} or {self.of('odd', b)} - {self.of('end', b)} == {u}"
        found = [
            f"{p} = {self.of('units', b)}",
            f"{r} = 1.0 / {p}",
            f"{fits} = {begins}",
            f"if {fits}:",
            f"    {n['near']} = {self.of('low', b)} if {p} > 0.0 else {self.of('high', b)}",
            f"    {n['far']} = {self.of('high', b)} if {p} > 0.0 else {self.of('low', b)}",
            f"    {d} = {s} - {self.of('start', b)}",
            f"    {fits} = {kept} and {moved} and {number} and ({even})",
        ]
        return [
            f"{n['failed']} = 0",
            f"for {b} in range({n['full']} * {LANES}):\n{_in(found)}"
            f"    if {fits}:\n        {n['shift']}[{b}] = {d}\n        {s} = {self.of('end', b)} + {d}\n"
            f"    else:\n        {n['failed']} = {n['failed']} + 1\n"
            f"        for {k} in range({b} * {BLOCK}, {b} * {BLOCK} + {BLOCK}):\n{_in(in_order, 12)}",
            f"for {k} in range(max({n['full']} * {BLOCK * LANES}, {first}), {count}):\n{_in(in_order)}",
            f"if abs({s}) < {self.most}:\n"
            f"    {n['grown']} = ({s} - {n['entry']}) * ({BLOCK}.0 / ({count} - max(0, {first})))\n",
            f"if {n['failed']} > {n['full']} * {LANES // 2}:\n"
            f"    {n['skip']} = {n['wait']}\n    {n['wait']} = min({n['wait']} * 2, {MOST})\n"
            f"elif {n['full']} > 0:\n    {n['wait']} = 1\n",
        ]

    def value(self, place: str) -> tuple[str, str]:
        """What finds the block of a place of the strip, and the value before the trip there."""
        which = self.names["which"]
        return f"{which} = ({place}) // {BLOCK}", f"{self.values}[{place}] + {self.names['shift']}[{which}]"

    def value_in_block(self, place: str) -> str:
        """The value before the trip at a place of the strip, where its block is at hand."""
        return f"{self.values}[{place}] + {self.names['moved']}"

    def over_blocks(self, trip: str, at: str, first: str, stop: str, strip: int) -> str:
        """The trips `trip` of the strip that begins at `at`, block by block, each with what its guess was off by."""
        n, b = self.names, self.names["block"]
        last = f"{at} + {b} * {BLOCK} + {BLOCK}"
        return (
            f"for {b} in range(min({strip // BLOCK}, ({stop} - {at} + {BLOCK - 1}) // {BLOCK})):\n"
            f"    {n['moved']} = {n['shift']}[{b}]\n"
            f"    for {trip} in range(max({at} + {b} * {BLOCK}, {first}), min({last}, {stop})):\n        pass\n"
        )


def _in(lines: tuple[str, ...] | list[str], by: int = 4) -> str:
    return "".join(f"{' ' * by}{line}\n" for line in lines)
