"""Reductions as loops, with the bits that NumPy gives for arrays in C order.

Sums of floats over the last axis, or over all, are NumPy's pairwise ones: halves, rounded down to 8, until no more
than 128 elements are left, which 8 accumulators add; a complex number counts as two. The tree depends on the length
alone; its leaves are summed independently. Up to NumPy 2.2 that is done for 8192 elements at a time. Other axes are
gone along in order, as NumPy does. What is left, minima, integers, truth values, has no order.

In: a call and the value that it reduces. Out: the value of the result; loops that compute it come before the statement.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import libcst as cst
import numpy as np

from somd.transforms.arrays.float_sums import FloatSums
from somd.transforms.arrays.linear import Linear
from somd.transforms.arrays.values import ONE, At, Value, View
from somd.transforms.types.reducing import Reducing, first_of
from somd.transforms.types.scalars import ArrayType, ScalarType

if TYPE_CHECKING:
    from somd.transforms.arrays.expressions import Expressions

#: iterations in which all elements of a vector are reduced
BLOCK = 8192
#: elements among which one that is there is looked for at once
GROUP = 64
EMPTY = {
    "max": "zero-size array to reduction operation maximum which has no identity",
    "min": "zero-size array to reduction operation minimum which has no identity",
    "argmax": "attempt to get argmax of an empty sequence",
    "argmin": "attempt to get argmin of an empty sequence",
}


def reduction(expressions: Expressions, node: cst.Call, reducing: Reducing, operand: cst.BaseExpression) -> Value:
    """The value of a reduction."""
    value, kind = expressions.value(operand), expressions.type_of(operand)
    found = expressions.type_of(node)
    assert isinstance(kind, ArrayType) and isinstance(found, ArrayType | ScalarType)
    inner = kind.dtype
    one = _Reduction(expressions, node, value, reducing.axes, inner)
    if reducing.initial:
        first = one.code(expressions.scalar(first_of(node)).element(()))
        one.initial = f"{one.names.dtype(inner)}({first})"
    if reducing.name == "ptp":
        made = one.both("-", one.of("max", inner), one.of("min", inner))
    elif reducing.name in ("mean", "var", "std"):
        work = inner if np.dtype(inner).kind in "fc" else "float64"
        made = one.mean(_sum(one, operand, work), work, 0)
        if reducing.name != "mean":
            made = one.spread(made, work, reducing.ddof)
        if reducing.name == "std":
            root, deviation = expressions.names.numpy("sqrt"), made
            made = Value(made.shape, lambda at: one.text(f"{root}({one.code(deviation.element(at))})"))
    else:
        made = one.of(reducing.name, found.dtype)
        if isinstance(found, ScalarType) and found.weak:  # what count_nonzero gives before NumPy 2.4
            number, function = made, one.names.function(str(found))
            made = Value((), lambda at: one.text(f"{function}({one.code(number.element(at))})"))
    return one.kept(made) if reducing.keepdims else made


def _sum(one: _Reduction, operand: cst.BaseExpression, dtype: str) -> Value:
    """The sum that means and deviations are made of: of one array once a statement."""
    if not isinstance(operand, cst.Name):
        return one.of("sum", dtype)
    known, key = one.expressions.sums, (operand.value, one.axes, dtype)
    known[key] = known.get(key) or one.of("sum", dtype)
    return known[key]


def along(
    expressions: Expressions, node: cst.CSTNode, name: str, value: Value, axes: tuple[int, ...] | None, dtype: str
) -> Value:
    """A value reduced by one of NumPy's own reductions along axes, all of them for None; `dtype` is the result's."""
    return _Reduction(expressions, node, value, axes).of(name, dtype)


class _Reduction(FloatSums):
    """A reduction of `value` along `axes`, all of them for None; its elements are of `dtype`, where that is asked."""

    # --- reductions ----------------------------------------------------------------------------------------------

    def of(self, name: str, dtype: str) -> Value:
        """The value of one of NumPy's own reductions; `dtype` is that of the result."""
        if name == "sum" and np.dtype(dtype).kind in "fc":
            return self.float_sum(dtype)
        if name in EMPTY and not self.initial:
            self.not_empty(EMPTY[name])
        if name in ("argmax", "argmin"):
            return self.place(name)
        kept = dtype if name in ("max", "min") else ("bool" if name in ("any", "all") else dtype)
        if name == "count_nonzero":
            kept = "int64"
        ordered = name == "prod" and np.dtype(dtype).kind in "fc"
        return self.in_order(name, kept, ordered)

    def not_empty(self, message: str) -> None:
        none = " or ".join(f"{self.lengths[axis].text} <= 0" for axis in self.axes)
        raising = self.names.raised(f"raise ValueError({message!r})", (), self.node)
        self.emit(f"if {none}:", f"    {raising}")

    def combined(self, name: str, total: str, element: str, dtype: str) -> str:
        """The text of `total` with one more element."""
        if name in ("max", "min"):
            return f"{self.names.numpy('maximum' if name == 'max' else 'minimum')}({total}, {element})"
        if name in ("any", "all"):
            return f"{total} {'|' if name == 'any' else '&'} ({element} != 0)"
        if name == "count_nonzero":
            return f"{total} + {self.names.dtype('int64')}({element} != 0)"
        return f"{total} {'*' if name == 'prod' else '+'} {self.names.dtype(dtype)}({element})"

    def first(self, name: str, dtype: str, element: str) -> str:
        if name in ("max", "min"):
            return self.initial or element
        return f"{self.names.dtype(dtype)}({1 if name in ('prod', 'all') else 0})"

    def in_order(self, name: str, dtype: str, ordered: bool) -> Value:
        """All elements in order; with nothing but a number as result in blocks, unless they are `ordered`."""
        inner = tuple(self.fresh("at__in") for _ in self.axes)
        lengths = [self.lengths[axis].text for axis in self.axes]
        total = self.fresh("value__total")
        if self.shape:
            outer = tuple(self.fresh("at__out") for _ in self.others)
            zero = self.first(name, dtype, self.entry(outer, (Linear(),) * len(inner)))
            step = self.combined(name, total, self.entry(outer, tuple(map(Linear.of, inner))), dtype)
            body = [f"{total} = {zero}", *self.loops(inner, lengths, [f"{total} = {step}"])]
            made = self.array([length.text for length in self.shape], dtype)
            body.append(f"{made}[{', '.join(outer)}] = {total}")
            self.emit(*self.loops(outer, [length.text for length in self.shape], body))
            return self.result(made)
        block = 1 if len(inner) > 1 else BLOCK
        part, count = self.fresh("at__block"), self.fresh("value__once")
        self.count_of(count, 1 if ordered else f"({self.lasting(0)} + {block - 1}) // {block}")
        begin = Linear() if ordered else Linear.of(part) * block
        end = lengths[0] if ordered else f"{self.names.function('min')}({lengths[0]}, {(begin + block).text})"
        zero = self.first(name, dtype, self.entry((), (begin, *(Linear(),) * (len(inner) - 1))))
        step = self.combined(name, total, self.entry((), tuple(map(Linear.of, inner))), dtype)
        rest = self.loops(inner[1:], lengths[1:], [f"{total} = {step}"])
        whole = [f"for {inner[0]} in range({begin.text}, {end}):", *(f"    {line}" for line in rest)]
        partial = self.array([count], dtype)
        made = self.fresh("value__once")
        last = self.combined("sum" if name == "count_nonzero" else name, made, f"{partial}[{part}]", dtype)
        self.emit(
            *self.loops((part,), [count], [f"{total} = {zero}", *whole, f"{partial}[{part}] = {total}"]),
            f"{made} = {self.first(name, dtype, f'{partial}[0]')}",
            *self.loops((part,), [count], [f"{made} = {last}"]),
        )
        return self.result(made)

    def place(self, name: str) -> Value:
        """Where the first maximum or minimum is; nan counts as one."""
        inner = tuple(self.fresh("at__in") for _ in self.axes)
        outer = tuple(self.fresh("at__out") for _ in self.others)
        lengths = [self.lengths[axis].factor for axis in self.axes]
        best, at, new = (self.fresh("value__best") for _ in range(3))
        extreme, by_columns = name.removeprefix("arg"), self.others[-1:] == (len(self.lengths) - 1,)

        def better(value: str, place: str) -> list[str]:
            test = f"({new} {'>' if name == 'argmax' else '<'} {best}) or (({new} != {new}) and ({best} == {best}))"
            if by_columns:  # along columns: no branch, for lanes of neighbours
                hit = self.fresh("value__hit")
                kept = [f"{at} = {place} if {hit} else {at}", f"{best} = {new} if {hit} else {best}"]
                return [f"{new} = {value}", f"{hit} = {test.replace(' or ', ' | ').replace(' and ', ' & ')}", *kept]
            return [f"{new} = {value}", f"if {test}:", f"    {best} = {new}", f"    {at} = {place}"]

        number = inner[0]
        for name_in, length in zip(inner[1:], lengths[1:], strict=True):
            number = f"({number}) * {length} + {name_in}"
        element = self.entry(outer, tuple(map(Linear.of, inner)))
        step = better(element, number)
        if self.shape:
            made = self.array([length.text for length in self.shape], "int64")
            body = [f"{best} = {self.entry(outer, (Linear(),) * len(inner))}", f"{at} = 0"]
            if len(inner) == 1 and not by_columns:
                best_so_far = f"{best} = {self.combined(extreme, best, element, self.dtype)}"
                body += self.loops(inner, lengths, [best_so_far])
                body += self.first_place(outer, Linear(), lengths[0], best, at)
            else:
                body += self.loops(inner, lengths, step)
            body.append(f"{made}[{', '.join(outer)}] = {at}")
            self.emit(*self.loops(outer, [length.text for length in self.shape], body))
            return self.result(made)
        part, count = self.fresh("at__block"), self.fresh("value__once")
        block = 1 if len(inner) > 1 else BLOCK
        begin = Linear.of(part) * block
        end = f"{self.names.function('min')}({lengths[0]}, {(begin + block).text})"
        self.count_of(count, f"({self.lasting(0)} + {block - 1}) // {block}")
        values, places = self.array([count], self.dtype), self.array([count], "int64")
        best_so_far = f"{best} = {self.combined(extreme, best, element, self.dtype)}"
        body = [
            f"{best} = {self.entry((), (begin, *(Linear(),) * (len(inner) - 1)))}",
            f"for {inner[0]} in range({begin.text}, {end}):",
            *(f"    {line}" for line in self.loops(inner[1:], lengths[1:], [best_so_far])),
            f"{values}[{part}] = {best}",
        ]
        first = " * ".join([f"({begin.text})", *lengths[1:]])
        self.emit(
            *self.loops((part,), [count], body),
            f"{best} = {values}[0]",
            f"{at} = 0",
            *self.loops((part,), [count], better(f"{values}[{part}]", part)),
        )
        block_found = at
        best, at, new = (self.fresh("value__best") for _ in range(3))
        search = [
            f"{best} = {self.entry((), (begin, *(Linear(),) * (len(inner) - 1)))}",
            f"{at} = {first}",
            f"for {inner[0]} in range({begin.text}, {end}):",
            *(f"    {line}" for line in self.loops(inner[1:], lengths[1:], better(element, number))),
        ]
        if len(inner) == 1:
            search = [f"{best} = {values}[{part}]", f"{at} = 0", *self.first_place((), begin, end, best, at)]
        self.emit(
            f"for {part} in range({block_found}, {block_found} + 1):",
            *(f"    {line}" for line in (*search, f"{places}[{part}] = {at}")),
        )
        made = self.fresh("value__once")
        self.emit(f"{made} = {places}[{block_found}]")
        return self.result(made)

    def first_place(self, outer: tuple[str, ...], begin: Linear, end: str, best: str, at: str) -> list[str]:
        """Lines that find the first element of a piece of a row that is `best`: group by group, in which all are looked
        at, so that vectors are."""
        group, step = self.fresh("at__group"), self.fresh("at__in")
        new = self.entry(outer, (Linear.of(step),))
        low = (begin + Linear.of(group) * GROUP).text
        trips = f"range({low}, {self.names.function('min')}({end}, {(begin + Linear.of(group) * GROUP + GROUP).text}))"
        return [
            f"if {best} != {best}:",
            f"    for {step} in range({begin.text}, {end}):",
            f"        if {new} != {new}:",
            f"            {at} = {step}",
            "            break",
            "else:",
            f"    for {group} in range(({end} - ({begin.text}) + {GROUP - 1}) // {GROUP}):",
            f"        {at} = {end}",
            f"        for {step} in {trips}:",
            f"            {at} = {self.names.function('min')}({at}, {step} if {new} == {best} else {end})",
            f"        if {at} < {end}:",
            "            break",
        ]

    # --- what is made of sums ------------------------------------------------------------------------------------

    def count(self, less: int) -> str:
        """How many elements are reduced, `less` some, as a number that is at least 0."""
        product = " * ".join(f"({self.lengths[axis].text})" for axis in self.axes)
        return f"{self.names.function('max')}({product} - {less}, 0)" if less else f"({product})"

    def both(self, operator: str, left: Value, right: Value) -> Value:
        return Value(
            left.shape,
            lambda at: self.text(f"({self.code(left.element(at))} {operator} {self.code(right.element(at))})"),
        )

    def mean(self, total: Value, dtype: str, less: int) -> Value:
        """A sum over the number of elements: divided in double precision, as NumPy does."""
        wide, own = self.names.dtype("complex128" if dtype.startswith("c") else "float64"), self.names.dtype(dtype)
        number = self.expressions.named(self.count(less), True).text
        return Value(total.shape, lambda at: self.text(f"{own}({wide}({self.code(total.element(at))}) / {number})"))

    def spread(self, mean: Value, dtype: str, ddof: int) -> Value:
        """The mean of the squares of differences from the mean, which is computed before; of complex ones, of their
        absolute values."""
        if not mean.shape:
            name = self.fresh("value__once")
            self.emit(f"{name} = {self.code(mean.element(()))}")
            mean = Value((), lambda at: self.text(name))
        else:
            mean = self.expressions.materialised(mean, dtype, self.node)
        own, value, kept = self.names.dtype(dtype), self.value, mean
        is_complex, found = np.dtype(dtype).kind == "c", np.dtype(dtype).type(0).real.dtype.name
        real, imag = (self.names.numpy(part) for part in ("real", "imag"))

        def square(at: At) -> cst.BaseExpression:
            outer = tuple(at[axis] for axis in self.others)
            difference = f"({own}({self.code(value.element(at))}) - {self.code(kept.element(outer))})"
            parts = [f"{part}({difference})" for part in (real, imag)] if is_complex else [difference]
            return self.text(" + ".join(f"{part} * {part}" for part in parts))

        squares = _Reduction(self.expressions, self.node, Value(value.shape, square), self.axes)
        return self.mean(squares.of("sum", found), found, ddof)

    def kept(self, value: Value) -> Value:
        """The value with axes of length 1 in place of the reduced ones."""
        if isinstance(value, View):
            value = Value(value.shape, value.element)
        count = len(self.lengths)
        shape = tuple(ONE if axis in self.axes else self.lengths[axis] for axis in range(count))
        return Value(shape, lambda at: value.element(tuple(at[axis] for axis in self.others)))
