"""Where Python's slices begin and how many elements they have, clamped as Python clamps them.

    a[1:-1]     from 1, len(a) - 2            a[-3:]     from max(len(a) - 3, 0)
    a[k:]       from k where k is no negative number, else from a name that is computed before
    a[::-1]     from len(a) - 1, by -1

In: the limits of a slice and the length of the axis. Out: `Span`. Lengths may come out negative, and then count as 0;
so a start needs to be right only where there is an element.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import libcst as cst

from somd.transforms.arrays.linear import Linear


@dataclass(frozen=True)
class Span:
    """The elements `start`, `start + step`, ..., of which there are `length`."""

    start: Linear
    length: Linear
    step: int


class Slices:
    """Spans of slices. `linear` makes an integer of an expression, `natural` tells whether one is never negative, and
    `named` gives a name to Python text that is computed before the statement, and is told
    whether it is never negative; `clamped` gives 0 for what is."""

    def __init__(
        self,
        linear: Callable[[cst.BaseExpression], Linear],
        natural: Callable[[Linear], bool],
        named: Callable[[str, bool], Linear],
        clamped: Callable[[Linear], Linear],
        functions: Callable[[str], str],
    ) -> None:
        self.linear, self.natural, self.named, self.clamped = linear, natural, named, clamped
        self.least, self.most = functions("min"), functions("max")

    def span(
        self, lower: cst.BaseExpression | None, upper: cst.BaseExpression | None, step: int, length: Linear
    ) -> Span:
        """The span of `lower:upper:step` along an axis; a length below 0 counts as 0."""
        low = None if lower is None else self.linear(lower)
        high = None if upper is None else self.linear(upper)
        from_the_end = high is None or (high.is_constant and high.constant < 0)
        if step < 0 or not from_the_end or not (low is None or self.natural(low)):
            length = self.clamped(length)  # else the slice of a length below 0 has one below 0
        if step > 0:
            start = self.start(low, length)
            stop = self.stop(high, start, length)
            count = (stop - start).divided(step)
            others = self.beside(low, high, step)
            if others is not None and not count.is_constant:
                count = Linear.of(f"{self.least}(1, {(length - others).text})")
            return Span(start, count, step)
        start = length - 1 if low is None else self.last(low, length)
        stop = Linear(-1) if high is None else self.before(high, length)
        return Span(start, (start - stop).divided(-step), step)

    def beside(self, low: Linear | None, high: Linear | None, step: int) -> Linear | None:
        """How many elements an axis has beside the one of a slice, at least, if it has that one; None where the limits
        do not show that the slice has no more."""
        low = low or Linear()
        below = low.is_constant and low.constant < 0
        if high is None and below:
            high = Linear()  # behind the last
        elif high is None or (below and not (high.is_constant and high.constant < 0)):
            return None
        width = high - low
        if not (width.is_constant and 0 < width.constant <= step):
            return None
        if below:
            return Linear(-low.constant - 1) if width.constant == 1 else None
        return low if self.natural(low) else None

    def start(self, low: Linear | None, length: Linear) -> Linear:
        """Where a slice that goes up begins: beyond the end nothing has to be right."""
        if low is None or self.natural(low):
            return low or Linear()
        if low.is_constant:
            return Linear.of(f"{self.most}({(length + low).text}, 0)")
        return self.named(f"{low.text} if {low.text} >= 0 else {self.most}({(low + length).text}, 0)", True)

    def stop(self, high: Linear | None, start: Linear, length: Linear) -> Linear:
        """Where a slice that goes up ends."""
        if high is None:
            return length
        if high.is_constant and high.constant < 0:
            below = length + high
            return below if self.natural(start) else Linear.of(f"{self.most}({below.text}, 0)")
        beyond = high - length
        less = -beyond.constant if beyond.is_constant and start.is_constant else -1
        # an upper limit below 0 counts from the end: the slice is empty all the same where it begins behind that
        if 0 <= less <= start.constant + 2:
            return high
        if self.natural(high) and beyond.is_constant:
            return high if beyond.constant <= 0 else length
        if self.natural(high):
            return Linear.of(f"{self.least}({high.text}, {length.text})")
        below_zero = f"{self.most}({(high + length).text}, 0)"
        text = f"{self.least}({high.text}, {length.text}) if {high.text} >= 0 else {below_zero}"
        return self.named(text, True)

    def last(self, low: Linear, length: Linear) -> Linear:
        """Where a slice that goes down begins."""
        if self.natural(low):
            return Linear.of(f"{self.least}({low.text}, {(length - 1).text})")
        if low.is_constant:
            return Linear.of(f"{self.most}({(length + low).text}, -1)")
        text = f"{self.least}({low.text}, {(length - 1).text})"
        return self.named(f"{text} if {low.text} >= 0 else {self.most}({(low + length).text}, -1)", False)

    def before(self, high: Linear, length: Linear) -> Linear:
        """Where a slice that goes down has ended."""
        if self.natural(high):
            return high
        if high.is_constant:
            return Linear.of(f"{self.most}({(length + high).text}, -1)")
        return self.named(f"{high.text} if {high.text} >= 0 else {self.most}({(high + length).text}, -1)", False)
