"""Array values: their lengths, and what makes the expression of an element from its index.

A scalar is a value without axes. A view is a value that is a part of an array: an element of it is an element of the
array, so it can be written, too. Nothing is emitted here.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import libcst as cst

from somd.transforms.arrays.linear import Linear

#: where an element stands: for each axis how many elements are before it
At = tuple[Linear, ...]
ONE = Linear(1)


@dataclass(frozen=True)
class Value:
    """A value of `shape`, whose lengths count as 0 where they are negative; where its elements are integers that are
    linear in the index, `linear` gives them as such."""

    shape: tuple[Linear, ...]
    element: Callable[[At], cst.BaseExpression]
    linear: Callable[[At], Linear] | None = None

    def at(self, index: Sequence[Linear], shape: Sequence[Linear]) -> cst.BaseExpression:
        """The element for an index into the `shape` to which the value is broadcast."""
        return self.element(self.within(index, shape))

    def within(self, index: Sequence[Linear], shape: Sequence[Linear]) -> At:
        """The index of the value's own for one into the `shape` to which it is broadcast."""
        own = list(index[len(index) - len(self.shape) :])
        whole = shape[len(shape) - len(self.shape) :]
        for axis, (mine, theirs) in enumerate(zip(self.shape, whole, strict=True)):
            if mine.is_short and mine != theirs:
                own[axis] = Linear()
        return tuple(own)


@dataclass(frozen=True)
class Axis:
    """How an axis of an array is gone along: from `start`, by `step` for each element of axis `along` of the view; an
    index that stays where `along` is None. `others` are axes of the view, with steps, that it is gone along as well.
    `asked`: the index is a user's, and is tested where the element is read, also if there are none to read."""

    start: Linear
    step: int = 0
    along: int | None = None
    others: tuple[tuple[int, int], ...] = ()
    asked: bool = field(default=False, compare=False)

    @property
    def steps(self) -> tuple[tuple[int, int], ...]:
        """The axes of the view by which the index moves, each with its step."""
        return self.others if self.along is None else ((self.along, self.step), *self.others)

    def index(self, at: Sequence[Linear]) -> Linear:
        """The index of an element of the view."""
        found = self.start
        for along, step in self.steps:
            found = found + at[along] * step
        return found

    def through(self, view: Sequence[Axis]) -> Axis:
        """The same axis where each axis of the view is gone along itself, as `view` says."""
        start, steps = self.start, Counter[int]()
        for along, step in self.steps:
            start = start + view[along].start * step
            for further, by in view[along].steps:
                steps[further] += by * step
        if not steps:
            return Axis(start, asked=self.asked or any(view[along].asked for along, _ in self.steps))
        [(along, step), *others] = steps.items()
        return Axis(start, step, along, tuple(others))


@dataclass(frozen=True)
class View(Value):
    """A part of `array`, which has `axes`, or the `whole` of it as it lies; one that is not `written` is for reading
    alone, as it is in NumPy."""

    array: str = ""
    axes: tuple[Axis, ...] = ()
    written: bool = True
    whole: bool = False

    def starts(self) -> dict[int, Linear]:
        """Where loops over the elements may begin to count, so that they count indexes: axes that are gone along one by
        one."""
        simple = [axis for axis in self.axes if axis.step == 1 and not axis.others]
        return {axis.along: axis.start for axis in simple if axis.along is not None}
