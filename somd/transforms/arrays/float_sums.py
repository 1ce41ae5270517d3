"""Sums of floats as loops, with the bits that NumPy gives for arrays in C order.

NumPy leaves out axes of length 1. Of those left, the summed ones behind the last that stays are a row, which it
adds up pairwise: halves, rounded down to 8, until no more than 128 elements are left, which 8 accumulators add; a
complex number counts as two. The tree depends on the length alone; its leaves are summed independently. Up to NumPy 2.2
that is done for 8192 elements at a time. Along other axes the sums of rows are added in order, or elements where the
last axis stays. Which axes have length 1 is asked of the text alone.

In: a value and axes. Out: the value of the sums; loops that compute it come before the statement.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import libcst as cst

from somd.transforms.arrays.emitting import Emitting
from somd.transforms.arrays.leaf_lines import CHUNK, FARTHEST, is_dear, lanes_and_leaf, leaf_lines
from somd.transforms.arrays.linear import Linear
from somd.transforms.arrays.values import Value

if TYPE_CHECKING:
    from somd.transforms.arrays.expressions import Expressions


class FloatSums(Emitting):
    """`value` along `axes`, all of them for None; its elements are of `dtype`, where that is asked."""

    def __init__(
        self,
        expressions: Expressions,
        node: cst.CSTNode,
        value: Value,
        axes: tuple[int, ...] | None,
        dtype: str = "",
    ) -> None:
        super().__init__(expressions, node)
        self.value = value
        self.dtype = dtype
        self.initial = ""  # the text of a number that is there besides
        count = len(value.shape)
        self.axes = tuple(range(count)) if axes is None else tuple(sorted(axes))
        self.others = tuple(axis for axis in range(count) if axis not in self.axes)
        self.lengths = [expressions.clamped(length) for length in value.shape]
        self.shape = tuple(self.lengths[axis] for axis in self.others)

    # --- pieces of text ------------------------------------------------------------------------------------------

    def entry(self, outer: tuple[str, ...], inner: tuple[Linear, ...], dtype: str | None = None) -> str:
        """The text of an element, as a number of a dtype."""
        at: list[Linear] = [Linear()] * len(self.value.shape)
        for axis, name in zip(self.others, outer, strict=True):
            at[axis] = Linear.of(name)
        for axis, index in zip(self.axes, inner, strict=True):
            at[axis] = index
        found = self.element(self.value, at)
        return found if dtype is None else f"{self.names.dtype(dtype)}({found})"

    def result(self, name: str) -> Value:
        """The value of a scalar or an array that has been computed."""
        return self.made(name, self.shape)

    def lasting(self, axis: int) -> str:
        """The text of a length, by what lasts where that is known."""
        return self.expressions.shapes.lasting(self.lengths[axis]).factor

    def count_of(self, name: str, text: object) -> None:
        """Name a number that is made of lengths alone."""
        self.names.of_lengths.add(name)
        self.emit(f"{name} = {text}")

    # --- pairwise sums -------------------------------------------------------------------------------------------

    def float_sum(self, dtype: str) -> Value:
        """Sums of floats in NumPy's order."""
        last = max((axis for axis in self.others if not self.is_skipped(axis)), default=-1)
        rows = tuple(axis for axis in self.axes if axis > last)
        if rows == self.axes:
            return self.pairwise(dtype)
        return self.in_order_of(self.part(rows).pairwise(dtype) if rows else self.value, rows, dtype)

    def is_skipped(self, axis: int) -> bool:
        """Whether the text shows that an axis has one element at most, as it does of `a[:, :1]`."""
        return self.value.shape[axis].is_short

    def part(self, rows: tuple[int, ...]) -> FloatSums:
        """The sums of rows alone, which leave the other axes."""
        return FloatSums(self.expressions, self.node, self.value, rows, self.dtype)

    def in_order_of(self, value: Value, rows: tuple[int, ...], dtype: str) -> Value:
        """The sums of a value that has no axes `rows`, in order along those that are left to be summed."""
        rest = [axis for axis in self.axes if axis not in rows]
        inner, total = {axis: self.fresh("at__in") for axis in rest}, self.fresh("value__total")
        outer = {axis: self.fresh("at__out") for axis in self.others}
        shape = [length.text for length in self.shape]
        made = self.array(shape, dtype)
        at = [Linear.of({**inner, **outer}[axis]) for axis in range(len(self.lengths)) if axis not in rows]
        own = self.names.dtype(dtype)
        step = [f"{total} = {total} + {own}({self.element(value, at)})"]
        along = self.loops([*inner.values()], [self.lengths[axis].text for axis in rest], step)
        store = f"{made}[{', '.join(outer.values())}] = {total}"
        self.emit(*self.loops([*outer.values()], shape, [f"{total} = {own}(0)", *along, store]))
        return self.result(made)

    # --- rows ----------------------------------------------------------------------------------------------------

    def pairwise(self, dtype: str) -> Value:
        """Sums of floats in NumPy's tree: a slot for each two leaves that there may be.

        The text of a leaf has its element many times: what calls elementary functions is computed before, in a loop
        over vectors.
        """
        if is_dear(self.value):
            self.value = self.expressions.materialised(self.value, self.dtype or dtype, self.node)
        return self.short_rows(dtype) if self.shape else self.of_leaves(dtype, "")

    def of_leaves(self, dtype: str, made: str) -> Value:
        """Sums by leaves, and trees of them, into the array `made`, or as a number."""
        zero = f"{self.names.dtype(dtype)}(0)"
        lanes, leaf = lanes_and_leaf(dtype)
        count, per, size, levels, pairs, chunks = numbers = [self.fresh("value__once") for _ in range(6)]
        self.names.of_lengths.update(numbers)
        least = self.names.function("min")
        self.emit(
            f"{count} = {' * '.join(map(self.lasting, self.axes))}",
            f"{per} = {count if CHUNK is None else f'{least}({count}, {CHUNK})'}",
            f"{size} = {per} - ({per} // 2 - {per} // 2 % {lanes}) if {per} > {leaf} else 0",
            f"{pairs} = 1",
            f"{levels} = 0",
            f"while {size} > {leaf}:",
            f"    {size} = {size} - ({size} // 2 - {size} // 2 % {lanes})",
            f"    {pairs} = {pairs} * 2",
            f"    {levels} = {levels} + 1",
            f"{chunks} = 1 if {per} == 0 else ({count} + {per} - 1) // {per}",
        )
        outer = tuple(self.fresh("at__out") for _ in self.others)
        shape = [length.text for length in self.shape]
        whole = pairs if CHUNK is None else f"{chunks} * {pairs}"
        tree = self.array([*shape, whole], dtype)
        slot = self.fresh("at__slot")
        self.emit(
            *self.loops(
                (*outer, slot), [*shape, whole], self.two_leaves(outer, tree, slot, dtype, (count, per, pairs, levels))
            )
        )
        left, pair, total = self.fresh("value__left"), self.fresh("at__pair"), self.fresh("value__total")
        self.names.within |= {slot, pair}
        where = "".join(f"{name}, " for name in outer)
        body = [
            f"{left} = {whole}",
            f"while {left} > {1 if CHUNK is None else chunks}:",
            f"    {left} = {left} // 2",
            f"    for {pair} in range({left}):",
            f"        {tree}[{where}{pair}] = {tree}[{where}{pair} * 2] + {tree}[{where}{pair} * 2 + 1]",
            f"{total} = {zero}",
            *([f"for {pair} in range({chunks}):"] if CHUNK else [f"{pair} = 0", "if True:"]),
            f"    {total} = {total} + {tree}[{where}{pair}]",
        ]
        if not self.shape:
            self.emit(*body)
            return self.result(total)
        self.emit(*self.loops(outer, shape, [*body, f"{made}[{', '.join(outer)}] = {total}"]))
        return self.result(made)

    def short_rows(self, dtype: str) -> Value:
        """Rows that are one leaf each need no tree: a nest of their own, chosen at run time."""
        shape = [length.text for length in self.shape]
        size = " * ".join(self.lengths[axis].factor for axis in self.axes)
        made, total = self.array(shape, dtype), self.fresh("value__leaf")
        outer, (wide, leaf) = tuple(self.fresh("at__out") for _ in self.others), lanes_and_leaf(dtype)
        names = tuple(self.fresh(stem) for stem in ("value__lanes", "at__lane", "at__leaf"))
        zeros = f"{self.names.numpy('zeros')}({wide}, dtype={self.names.dtype(dtype)})"
        row = leaf_lines(
            lambda index: self.entry(outer, self.unravelled(index), dtype),
            size,
            total,
            names,
            wide,
            (zeros, f"{self.names.dtype(dtype)}(0)"),
        )
        row.append(f"{made}[{', '.join(outer)}] = {self.names.dtype(dtype)}(0) + {total}")
        before, self.expressions.shapes.before = self.expressions.before, []
        self.of_leaves(dtype, made)
        long, self.expressions.shapes.before = self.expressions.before, before
        self.emit(f"if {size} <= {leaf}:", *(f"    {line}" for line in self.loops(outer, shape, row)))
        choice = cst.ensure_type(before.pop(), cst.If).with_changes(orelse=cst.Else(cst.IndentedBlock(long)))
        self.names.place(choice, self.node)
        before.append(choice)
        return self.result(made)

    def two_leaves(
        self, outer: tuple[str, ...], tree: str, slot: str, dtype: str, numbers: tuple[str, str, str, str]
    ) -> list[str]:
        """Lines that sum the two leaves of a slot, or the one that fills it.

        A half is rounded down to a multiple of the accumulators: so of a node with q such `units` the parts have q // 2
        and (q + 1) // 2. What is no multiple stays with the rightmost."""
        count, per, pairs, levels = numbers
        low, size, first, units, rest, half, right, total, path = (self.fresh("value__leaf") for _ in range(9))
        level, side = self.fresh("at__level"), self.fresh("at__side")
        wide, most = lanes_and_leaf(dtype)
        self.names.within |= {low}
        begin = [f"{low} = 0", f"{size} = {count}", f"{path} = {slot}"]
        if CHUNK is not None:
            begin = [
                f"{low} = {slot} // {pairs} * {per}",
                f"{size} = {self.names.function('min')}({per}, {count} - {low})",
                f"{path} = {slot} % {pairs}",
            ]
        return [
            *begin,
            f"{rest} = {size} % {wide} if {path} == {pairs} - 1 else 0",
            f"{units} = {size} // {wide}",
            f"{half} = {pairs}",
            f"for {level} in range({levels}):",
            f"    {half} = {half} // 2",
            f"    {right} = 1 if {path} & {half} != 0 else 0",
            f"    {low} = {low} + {units} // 2 * {right} * {wide}",
            f"    {units} = ({units} + {right}) // 2",
            f"{size} = {units} * {wide} + {rest}",
            f"{first} = {size} if {size} <= {most} else {size} // 2 - {size} // 2 % {wide}",
            f"{total} = {self.names.dtype(dtype)}(0)",
            f"for {side} in range(2):",
            *(f"    {line}" for line in self.leaf(outer, low, first, total, dtype)),
            f"    {low} = {low} + {first}",
            f"    {first} = {size} - {first}",
            f"{tree}[{''.join(f'{name}, ' for name in outer)}{slot}] = {total}",
        ]

    def leaf(self, outer: tuple[str, ...], low: str, size: str, total: str, dtype: str) -> list[str]:
        """Lines that add the sum of a leaf to `total`."""
        last, found = self.fresh("value__leaf"), self.fresh("value__leaf")
        step = self.fresh("at__leaf")
        least, most_of = self.names.function("min"), self.names.function("max")
        wide, most = lanes_and_leaf(dtype)
        self.names.within |= {last}
        sums = lanes = [self.fresh("value__lane") for _ in range(wide)]

        def element(index: Linear) -> str:
            return self.entry(outer, self.unravelled(index), dtype)

        while len(sums) > 1:
            sums = [f"({a} + {b})" for a, b in zip(sums[::2], sums[1::2], strict=True)]
        return [
            f"{low} = {least}({most_of}({low}, 0), {FARTHEST})",  # which tells compilers that it is not negative
            f"{last} = {low} + {size} - {size} % {wide}",
            f"{found} = {self.names.dtype(dtype)}(0)",
            f"if {size} >= {wide}:",
            *(f"    {lane} = {element(Linear.of(low) + k)}" for k, lane in enumerate(lanes)),
            f"    for {step} in range({wide}, {least}({size} - {size} % {wide}, {most}), {wide}):",
            *(
                f"        {lane} = {lane} + {element(Linear.of(low) + Linear.of(step) + k)}"
                for k, lane in enumerate(lanes)
            ),
            f"    {found} = {sums[0]}",
            f"    for {step} in range({least}({size} % {wide}, {wide})):",
            f"        {found} = {found} + {element(Linear.of(last) + Linear.of(step))}",
            "else:",
            f"    for {step} in range({least}({size}, {wide})):",
            f"        {found} = {found} + {element(Linear.of(low) + Linear.of(step))}",
            f"{total} = {total} + {found}",
        ]

    def unravelled(self, index: Linear) -> tuple[Linear, ...]:
        """The indexes along the reduced axes of an element, counted in C order."""
        found: list[Linear] = []
        rest = index
        for axis in self.axes[:0:-1]:
            length = self.lengths[axis].text
            found.append(Linear.of(f"(({rest.text}) % ({length}))"))
            rest = Linear.of(f"(({rest.text}) // ({length}))")
        return (rest, *found[::-1])
