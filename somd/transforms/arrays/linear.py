"""Integers that are linear in pieces of text: lengths of arrays and indexes into them.

    n - 2, 2 * i + 1, min(k, a.shape[0]) - lo

Two that are written alike are known to be equal, and differences of such are constants. Nothing here knows what the
pieces mean, but for which of them are not negative.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

#: how the least of 1 and something begins
LEAST = "min(1, "


@dataclass(frozen=True)
class Linear:
    """`constant` and, for each piece of text, how often it counts; pieces stand in the order in which they came."""

    constant: int = 0
    terms: tuple[tuple[str, int], ...] = ()

    @classmethod
    def of(cls, text: str) -> Linear:
        """The integer that a piece of text stands for; it is a name, a call, a subscript, or in parentheses."""
        return cls(0, ((text, 1),))

    def __add__(self, other: Linear | int) -> Linear:
        if isinstance(other, int):
            return Linear(self.constant + other, self.terms)
        counts = dict(self.terms)
        for text, count in other.terms:
            counts[text] = counts.get(text, 0) + count
        return Linear(self.constant + other.constant, tuple((t, c) for t, c in counts.items() if c))

    def __sub__(self, other: Linear | int) -> Linear:
        return self + (-other if isinstance(other, int) else other * -1)

    def __mul__(self, factor: int) -> Linear:
        if factor == 0:
            return Linear()
        return Linear(self.constant * factor, tuple((text, count * factor) for text, count in self.terms))

    @property
    def is_constant(self) -> bool:
        return not self.terms

    @property
    def is_short(self) -> bool:
        """Whether its text says that it is 1 at most, as `Slices` writes the length of `a[k : k + 1]`.

        >>> Linear.of("min(1, n)").is_short, Linear(1).is_short, Linear.of("n").is_short
        (True, True, False)
        """
        return self == Linear(1) or (
            not self.constant and [(t[: len(LEAST)], c) for t, c in self.terms] == [(LEAST, 1)]
        )

    def is_natural(self, natural: Collection[str]) -> bool:
        """Whether it cannot be negative, if `natural` are pieces that are not."""
        return self.constant >= 0 and all(count > 0 and text in natural for text, count in self.terms)

    @property
    def text(self) -> str:
        """Python that computes it.

        >>> (Linear.of("n") * 2 - 1).text, (Linear.of("i") - Linear.of("k")).text, Linear(3).text
        ('2 * n - 1', 'i - k', '3')
        """
        made = ""
        for text, count in sorted(self.terms, key=lambda term: term[1] < 0):
            piece = text if abs(count) == 1 else f"{abs(count)} * {text}"
            sign = "-" if count < 0 else "+"
            made = f"{made} {sign} {piece}" if made else (piece if count > 0 else f"-{piece}")
        if not made:
            return str(self.constant)
        if self.constant:
            made += f" {'-' if self.constant < 0 else '+'} {abs(self.constant)}"
        return made

    @property
    def factor(self) -> str:
        """Python that computes it, for products and quotients.

        >>> (Linear.of("n") + Linear.of("m")).factor, Linear.of("n").factor
        ('(n + m)', 'n')
        """
        alone = self.constant >= 0 if self.is_constant else not self.constant and [c for _, c in self.terms] == [1]
        return self.text if alone else f"({self.text})"

    def divided(self, step: int) -> Linear:
        """The quotient by a positive number, rounded up."""
        if step == 1:
            return self
        if self.is_constant:
            return Linear(-(-self.constant // step))
        return Linear.of(f"(({(self + (step - 1)).text}) // {step})")
