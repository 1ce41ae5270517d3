"""Chains of sums, run side by side from guesses of how large they are, to the bit of the chain in order.

Between two powers of two p and 2p all floats are multiples of one unit u, and s + e is s + q, where q is the multiple
of u nearest to e, whatever s is there. So the q of a block of trips are found, and summed up from 0, when it is only
guessed between which powers of two the sum will be. Sums of multiples are exact: parts of a block are summed up side by
side. When the value s before the block is known, s plus what the block gave is the chain in order, if

    no e lies in the middle of two multiples: q = (1.5 * p + e) - 1.5 * p, and the same with 1.5 * p + u is q as well
    no abs(q) is more than abs(p) / 4: so 1.5 * p + e was rounded to u
    s and p have one sign, and with r, the sum of all abs(q), abs(p) < abs(s) - r and abs(s) + r < abs(2 * p)

Rounding is monotone and p a float, so comparisons of rounded sums with p are those of the exact ones; r is exact below
p / 2, and at least that where it is not. What is not a number, or infinite, fails: a block that fails is run in order
from the true value, whatever the guess was. Guesses are where the sum goes if it grows as in the strip before.

    guesses, in order:        s__units[b] is the largest power of two in s + b * s__grown
    one block a trip:         s__value[k] = the q of s__term[k]; then s__value[k] = s__sum; s__sum += that q, in 8 parts
    in order:                 s__shift[b] = s; s += s__end[b], or the block again
    the rest:                 s__now = s__value[k] + (s__shift[k // 2048] + s__offset[k // 256])

In strips in which more than half of the blocks fail, guessing costs more than it gives: the next ones are run in order,
twice as many each time, up to 64.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import libcst as cst

from somd.transforms.types.scalars import ScalarType

#: trips in a block, and in each of its parts, whose sums overlap
BLOCK, PART = 2048, 256
PARTS = BLOCK // PART
#: by the type of the sum: its unit in the last place of 1, and between which numbers guesses are made
_UNITS = {
    "float64": ("2.220446049250313e-16", "1e-290", "1e290"),
    "float32": ("1.1920928955078125e-07", "1e-30", "1e30"),
}
#: strips in a row that are run in order at most
MOST = 64

_WORDS = (
    "skip", "wait", "full", "failed", "part", "block", "grown", "entry", "unit", "try", "moved", "which", "units",
    "reach", "end", "bad", "shift", "offset", "given", "near", "odd", "other", "binade", "limit", "size", "trip",
    "count",
)  # fmt: skip


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
        words = ("sum", "size", "multiple")
        self.sums, self.sizes, self.multiples = ([new(word) for _ in range(PARTS)] for word in words)
        self.unit, self.least, self.most = _UNITS[kind.dtype]

    def of(self, array: str, index: str) -> str:
        """An element as a number."""
        return self.element(f"{self.names[array]}[{index}]")

    def rooms(self, room: Callable[[str, int], str], counts: Callable[[str, int], str], strip: int) -> list[str]:
        """What is set before the strips; `counts` makes rooms for integers."""
        n, blocks = self.names, strip // BLOCK
        return [
            *(room(n[word], blocks) for word in ("units", "reach", "end", "shift")),
            room(n["offset"], blocks * PARTS),
            counts(n["bad"], blocks),
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
            f"{n['full']} = {count} // {BLOCK}",
            f"if {n['skip']} > 0:\n    {n['full']} = 0\n    {n['skip']} = {n['skip']} - 1\n",
            f"for {b} in range({strip // BLOCK}):\n"
            f"    {g} = {self.sum_} + ({b} + 0.5) * {n['grown']}\n"
            f"    if {self.least} < abs({g}) and abs({g}) < {self.most}:\n"
            f"        while abs({p}) * 2.0 <= abs({g}):\n            {p} = {p} * 2.0\n"
            f"        while abs({p}) > abs({g}):\n            {p} = {p} * 0.5\n"
            f"        if ({g} < 0.0) != ({p} < 0.0):\n            {p} = -{p}\n"
            f"    {n['units']}[{b}] = {p}\n",
        ]

    def block(self) -> list[str]:
        """What is done with the terms of a block, side by side with others: their multiples, and the sums of these."""
        n, b, k, t, count = (self.names, *(self.names[word] for word in ("block", "trip", "given", "count")))
        near, odd, other, q = n["near"], n["odd"], n["other"], self.multiples[0]
        first, stop = f"{b} * {BLOCK}", f"{n['full']} * {BLOCK}"
        multiple = [
            f"{t} = {self.term(f'{self.terms}[{k}]')}",
            f"{q} = {self.step.format(near, t)} - {near}",
            f"{other} = {self.step.format(odd, t)} - {odd}",
            f"{self.values}[{k}] = {q}",
            f"{count} = {count} + (0 if {other} == {q} else 1)",
            f"{count} = {count} + (0 if abs({q}) <= {n['limit']} else 1)",
        ]
        places = [k + (f" + {part * PART}" if part else "") for part in range(PARTS)]
        parts = list(zip(self.sums, self.sizes, self.multiples, places, strict=True))
        summed = [f"{q} = {self.element(f'{self.values}[{place}]')}" for _, _, q, place in parts]
        summed += [f"{self.values}[{place}] = {s}" for s, _, _, place in parts]
        summed += [f"{s} = {s} + {q}" for s, _, q, _ in parts]
        summed += [f"{size} = {size} + abs({q})" for _, size, q, _ in parts]
        return [
            f"{n['binade']} = {self.of('units', b)}",
            f"{near} = 1.5 * {n['binade']}",
            f"{odd} = {near} + {n['binade']} * {self.unit}",
            f"{n['limit']} = 0.25 * abs({n['binade']})",
            f"{count} = 0",
            f"for {k} in range({first}, min({first} + {BLOCK}, {stop})):\n{_in(multiple)}",
            f"{n['bad']}[{b}] = {count}",
            *(f"{s} = {self.number('0.0')}" for s in (*self.sums, *self.sizes)),
            f"for {k} in range({first}, min({first} + {PART}, {stop})):\n{_in(summed)}",
            f"{n['offset']}[{b} * {PARTS}] = {self.number('0.0')}",
            *(
                f"{n['offset']}[{b} * {PARTS} + {part}] = {before}\n{own} = {before} + {own}"
                for part, (before, own) in enumerate(pairwise(self.sums), 1)
            ),
            f"{n['end']}[{b}] = {self.sums[-1]}",
            f"{n['reach']}[{b}] = {' + '.join(self.sizes)}",
        ]

    def blocks(self, strip: int) -> str:
        """All blocks, side by side."""
        n = self.names
        return f"for {n['block']} in range(min({n['full']}, {strip // BLOCK})):\n{_in(self.block())}"

    def behind(self, count: str, first: str, strip: int) -> list[str]:
        """What the blocks begin with; those that fail, and those without a guess, are run in order. The trips of a
        strip are at the places from `first`, where that is not negative, to `count`."""
        n, s, b, k = self.names, self.sum_, self.names["block"], self.names["part"]
        p, size = n["unit"], n["size"]
        in_order = f"{self.values}[{k}] = {s}", f"{s} = {self.step.format(s, self.term(f'{self.terms}[{k}]'))}"
        found = [
            f"{p} = {self.of('units', b)}",
            f"{size} = {self.of('reach', b)}",
            f"if {n['bad']}[{b}] == 0 and ({s} > 0.0) != ({p} > 0.0):\n    {n['bad']}[{b}] = 1\n",
            f"if not (abs({p}) < abs({s}) - {size} and abs({s}) + {size} < 2.0 * abs({p})):",
            f"    {n['bad']}[{b}] = 1",
            f"if {n['bad']}[{b}] == 0:",
            f"    {n['shift']}[{b}] = {s}",
            f"    {s} = {s} + {self.of('end', b)}",
            "else:",
            f"    {n['failed']} = {n['failed']} + 1",
            f"    for {k} in range({b} * {BLOCK}, {b} * {BLOCK} + {BLOCK}):",
            *(f"        {line}" for line in in_order),
        ]
        return [
            f"{n['failed']} = 0",
            f"for {b} in range({n['full']}):\n{_in(found)}",
            f"for {b} in range({n['full']}, {strip // BLOCK}):\n    {n['bad']}[{b}] = 1\n",
            f"for {k} in range(max({n['full']} * {BLOCK}, {first}), {count}):\n{_in(in_order)}",
            f"if abs({s}) < {self.most}:\n"
            f"    {n['grown']} = ({s} - {n['entry']}) * ({BLOCK}.0 / ({count} - max(0, {first})))\n",
            f"if {n['failed']} * 2 > {n['full']}:\n"
            f"    {n['skip']} = {n['wait']}\n    {n['wait']} = min({n['wait']} * 2, {MOST})\n"
            f"elif {n['full']} > 0:\n    {n['wait']} = 1\n",
        ]

    def value(self, place: str) -> tuple[str, str, str]:
        """What finds the part of a block that a place of the strip is in, what it begins with, and the value before the
        trip there."""
        which = self.names["which"]
        return f"{which} = ({place}) // {PART}", self.moved(f"{which} // {PARTS}", which), self.value_in_block(place)

    def value_in_block(self, place: str) -> str:
        """The value before the trip at a place of the strip, where its part of a block is at hand."""
        return f"{self.values}[{place}] + {self.names['moved']}"

    def over_blocks(self, trip: str, at: str, first: str, stop: str, strip: int) -> str:
        """The trips `trip` of the strip that begins at `at`, by parts of blocks, with what such a part begins with."""
        b, begins = self.names["block"], self.part_of(trip, at, first, stop)
        return (
            f"for {b} in range(min({strip // BLOCK}, ({stop} - {at} + {BLOCK - 1}) // {BLOCK})):\n"
            f"    for {self.names['part']} in range({PARTS}):\n{_in([self.moved_in_block(), *begins], 8)}"
        )

    def in_pipeline(self, trip: str, at: str, first: str, stop: str, strip: int) -> str:
        """For each block, by parts, the trips of the strip before the one at `at`, and those of this one; and its
        sums. What is stored for the one waits for memory while the terms of the other are computed."""
        last, this = (self.part_of(trip, each, first, stop) for each in (f"{at} - {strip}", at))
        return (
            f"for {self.names['block']} in range({strip // BLOCK}):\n"
            f"    for {self.names['part']} in range({PARTS}):\n{_in([self.moved_in_block(), *last, *this], 8)}"
            f"{_in(self.block())}"
        )

    def moved(self, block: str, part: str) -> str:
        """What finds the value that a part of a block begins with; -0.0 for those that were run in order."""
        n = self.names
        begun = f"{self.of('shift', block)} + {self.of('offset', part)}"
        return f"{n['moved']} = {begun} if {n['bad']}[{block}] == 0 else {self.number('-0.0')}"

    def moved_in_block(self) -> str:
        return self.moved(self.names["block"], f"{self.names['block']} * {PARTS} + {self.names['part']}")

    def part_of(self, trip: str, at: str, first: str, stop: str) -> list[str]:
        begin = f"{at} + {self.names['block']} * {BLOCK} + {self.names['part']} * {PART}"
        return [f"for {trip} in range(max({begin}, {first}), min({begin} + {PART}, {stop})):", "    pass"]


def _in(lines: tuple[str, ...] | list[str], by: int = 4) -> str:
    return "".join(f"{' ' * by}{line}\n" for text in lines for line in text.splitlines())
