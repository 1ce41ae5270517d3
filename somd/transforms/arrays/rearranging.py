"""Elements in other places, `flip roll repeat tile pad concatenate stack`, and what neighbours make: `cumsum diff`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import libcst as cst
import numpy as np

from somd.language.shapes import JOINED
from somd.transforms.arrays.arguments import Arguments
from somd.transforms.arrays.linear import Linear
from somd.transforms.arrays.values import ONE, At, Axis, Value, View
from somd.transforms.types.scalars import ArrayType

#: the most columns that are written at once
COLUMNS = 8


def _axis(given: Arguments, rank: int, name: str = "axis") -> int:
    """The axis that is meant, the only one where none is told."""
    axis = given.constant(name)
    if axis is None and rank == 1:
        return 0
    if type(axis) is not int:
        raise given.refuse("one axis is told here, as a constant", "write `axis=0`, or the axis that is meant")
    return axis % rank


def flip(given: Arguments) -> Value:
    """The elements from the last to the first, along one axis or all: a view."""
    base, axis = given.value("m"), given.constant("axis") if "axis" in given.constants else None
    rank = len(base.shape)
    named: Any = {"fliplr": 1, "flipud": 0}.get(given.function.name, axis)
    chosen = range(rank) if named is None else [named % rank] if type(named) is int else [k % rank for k in named]
    last = {k: given.expressions.clamped(base.shape[k]) - 1 for k in chosen}
    gone = [Axis(last[k], -1, k) if k in last else Axis(Linear(), 1, k) for k in range(rank)]
    return _part(given, base, gone, base.shape)


def _part(given: Arguments, base: Value, gone: Sequence[Axis], shape: tuple[Linear, ...]) -> View:
    """What is there of a value, which is made where it is no array, with its axes gone along so."""
    if not isinstance(base, View):
        base = given.expressions.materialised(base, given.dtype, given.call)
    return given.expressions.like(base, tuple(axis.through(gone) for axis in base.axes), shape, given.call)


def swapaxes(given: Arguments) -> Value:
    """Two axes in each other's place: a view."""
    base = given.value("a")
    rank = len(base.shape)
    one, two = _axis(given, rank, "axis1"), _axis(given, rank, "axis2")
    places = {one: two, two: one}
    shape = tuple(base.shape[places.get(k, k)] for k in range(rank))
    return _part(given, base, [Axis(Linear(), 1, places.get(k, k)) for k in range(rank)], shape)


def roll(given: Arguments) -> Value:
    """The elements moved along an axis; those that leave it at one end come in at the other."""
    base = given.value("a")
    axis = _axis(given, len(base.shape))
    length, shift = given.expressions.clamped(base.shape[axis]), given.integer("shift")
    by = given.expressions.named(f"({shift.text}) % {length.factor} if {length.text} > 0 else 0", True)

    def element(at: At) -> cst.BaseExpression:
        here = at[axis] - by
        moved, wrapped = (given.code(base.element(_put(at, axis, each))) for each in (here, here + length))
        return given.chosen(f"{at[axis].text} >= {by.text}", moved, wrapped)

    return Value(base.shape, element)


def _put(at: At, axis: int, index: Linear) -> At:
    return (*at[:axis], index, *at[axis + 1 :])


def repeat(given: Arguments) -> Value:
    """Each element so many times, one after the other."""
    base, times = given.value("a"), given.integer("repeats")
    axis = _axis(given, len(base.shape))
    by = times if times.is_constant else given.expressions.named(times.text, given.expressions.natural(times))
    given.raising(f"{by.text} < 0", "ValueError('repeats may not contain negative values.')")
    length = given.expressions.clamped(base.shape[axis])
    whole = given.expressions.named(f"({length.text}) * {by.text}", True)
    shape = _put(base.shape, axis, whole)
    return Value(shape, lambda at: base.element(_put(at, axis, Linear.of(f"(({at[axis].text}) // {by.text})"))))


def tile(given: Arguments) -> Value:
    """An array so many times along each axis: a new one, into which rows are copied."""
    base, times = given.value("A"), given.lengths("reps")
    if len(times) != len(base.shape):
        raise given.refuse("a number for each axis is taken here", "write one for each axis: `np.tile(a, (2, 1))`")
    lengths = [given.expressions.clamped(length) for length in base.shape]
    shape = tuple(
        given.expressions.named(f"({length.text}) * ({count.text})", True)
        for length, count in zip(lengths, times, strict=True)
    )

    if not isinstance(base, View):
        base = given.expressions.materialised(base, given.dtype, given.call)
    index = [given.fresh(f"at__{k}") for k in range(len(shape))]
    given.names.within.update(index)
    at = tuple(Linear.of(f"({k} % {length.factor})") for k, length in zip(index, lengths, strict=True))
    made = given.array([length.text for length in shape], given.dtype)
    line = f"{made}[{', '.join(index)}] = {given.element(base, at)}"
    given.emit(*given.loops(index, [length.text for length in shape], [line]))
    return given.made(made, shape)


def diff(given: Arguments) -> Value:
    """The differences of neighbours along an axis."""
    base = given.value("a")
    axis = _axis(given, len(base.shape))
    if given.constant("n") != 1:
        raise given.refuse("differences of neighbours are taken once here", "write `np.diff(np.diff(a))`")
    sign = "!=" if given.dtype == "bool" else "-"
    shape = _put(base.shape, axis, given.expressions.clamped(base.shape[axis]) - 1)

    def element(at: At) -> cst.BaseExpression:
        after, here = (given.code(base.element(_put(at, axis, each))) for each in (at[axis] + 1, at[axis]))
        return given.text(f"({after} {sign} {here})")

    return Value(shape, element)


def pad(given: Arguments) -> Value:
    """An array with more elements at its ends: a number, the last element, or those of the other end."""
    base, mode = given.value("array"), given.constant("mode")
    rank = len(base.shape)
    width = _widths(given, rank)
    if mode not in ("constant", "edge", "wrap"):
        raise given.refuse(f"the mode `{mode}` is not taken", "`constant`, `edge` and `wrap` are")
    lengths = [given.expressions.clamped(length) for length in base.shape]
    for axis, (length, (low, high)) in enumerate(zip(lengths, width, strict=True)):
        both = low + high
        if mode != "constant" and both != Linear():
            told = f"can't extend empty axis {axis} using modes other than 'constant' or 'empty'"
            more = "" if both.is_constant else f" and {both.text} > 0"
            given.raising(f"{length.text} == 0{more}", f"ValueError({told!r})")
    value = given.number("constant_values", given.dtype) if mode == "constant" else ""
    least, most = given.names.function("min"), given.names.function("max")

    def place(index: Linear, length: Linear, ends: tuple[Linear, Linear]) -> Linear:
        if ends == (Linear(), Linear()) or mode == "constant":
            return index - ends[0]
        inner = (index - ends[0]).text
        if mode == "wrap":
            return Linear.of(f"(({inner}) % {length.factor})")
        return Linear.of(f"{least}({most}({inner}, 0), {(length - 1).text})")

    def element(at: At) -> cst.BaseExpression:
        each = list(zip(at, lengths, width, strict=True))
        found = base.element(tuple(place(*one) for one in each))
        padded = [(k, n, lo) for k, n, (lo, hi) in each if lo != Linear() or hi != Linear()]
        tests = [f"{lo.text} <= {k.text} < {(n + lo).text}" for k, n, lo in padded]
        return given.chosen(" and ".join(tests), given.code(found), value) if mode == "constant" and tests else found

    shape = tuple(length + (low + high) for length, (low, high) in zip(lengths, width, strict=True))
    return given.expressions.materialised(Value(shape, element), given.dtype, given.call)


def _widths(given: Arguments, rank: int) -> list[tuple[Linear, Linear]]:
    """How many elements are put before and behind each axis."""
    width = given.constants.get("pad_width")
    if width is None:
        nodes = given.nodes["pad_width"]
        flat = [given.expressions.linear(node) for node in nodes]
        if len(flat) not in (1, 2, 2 * rank):
            raise given.refuse(
                "what is put around an array is told for all axes, or for each", "write `((1, 2), (0, k))`"
            )
        flat = [n if n.is_constant else given.expressions.named(n.text, given.expressions.natural(n)) for n in flat]
        for each in flat:
            if not given.expressions.natural(each):
                given.raising(f"{each.text} < 0", 'ValueError("index can\'t contain negative values")')
        flat = flat * (2 if len(flat) == 1 else 1)
        return [(flat[k % len(flat)], flat[k % len(flat) + 1]) for k in range(0, 2 * rank, 2)]
    if isinstance(width, int):
        width = ((width, width),) * rank
    elif isinstance(width, tuple) and all(type(each) is int for each in width):
        width = (width if len(width) == 2 else width * 2,) * rank
    width = width * rank if len(width) == 1 else width
    return [(Linear(low), Linear(high)) for low, high in width]


def windows(given: Arguments) -> Value:
    """The windows of an array: axes for where each begins, then those for what lies in it; a view that is not
    written."""
    base, sizes = given.value("x"), given.lengths("window_shape")
    rank, axes = len(base.shape), given.constant("axis")
    axes = tuple(range(rank)) if axes is None else (axes,) if type(axes) is int else axes
    if len(axes) != len(sizes) or len({axis % rank for axis in axes}) < len(axes):
        raise given.refuse("a window has one length for each axis, each axis once", "tell them so")
    within = {axis % rank: number for number, axis in enumerate(axes)}
    shape = list(base.shape)
    for axis, number in within.items():
        length, size = given.expressions.clamped(shape[axis]), sizes[number]
        told = "ValueError('window shape cannot be larger than input array shape')"
        given.raising(f"{size.text} > {length.text}", told)
        shape[axis] = length - size + 1

    gone = [Axis(Linear(), 1, k, ((rank + within[k], 1),) if k in within else ()) for k in range(rank)]
    return replace(_part(given, base, gone, (*shape, *sizes)), written=False)


def concatenate(given: Arguments) -> Value:
    """Arrays one behind the other along an axis."""
    values = _several(given, given.nodes["arrays"])
    return _joined(given, values, _axis(given, len(values[0].shape)), "concatenate")


def stack(given: Arguments) -> Value:
    """Arrays one behind the other along an axis of their own."""
    values = _several(given, given.nodes["arrays"])
    axis = _axis(given, len(values[0].shape) + 1)
    return _joined(given, [_with_axis(value, axis) for value in values], axis, "stack")


def array(given: Arguments) -> Value:
    """`np.array([x, y, z])` of numbers, or of arrays that become its rows, and `np.array([[x, y], [z, w]])`."""
    entries, columns = given.nodes["object"], given.constant("columns")
    of_arrays = any(isinstance(given.expressions.type_of(node), ArrayType) for node in entries)
    if of_arrays and not columns:
        return _joined(given, [_with_axis(value, 0) for value in _several(given, entries)], 0, "stack")
    if of_arrays:
        raise given.refuse("a matrix that is written out is made of numbers", "join arrays by `np.concatenate`")
    values = [given.once(given.number_of(node)) for node in entries]
    shape = [len(values) // columns, columns] if columns else [len(values)]
    made = given.array([str(length) for length in shape], given.dtype)
    for k, value in enumerate(values):
        given.emit(f"{made}[{f'{k // columns}, {k % columns}' if columns else k}] = {value}")
    return given.made(made, tuple(map(Linear, shape)))


def stacked(given: Arguments) -> Value:
    """`vstack`, `hstack` and `column_stack`: rows below each other, columns beside each other."""
    values, name = _several(given, given.nodes["tup"]), given.function.name
    if name != "hstack":
        own = 0 if name == "vstack" else 1
        values = [_with_axis(value, own) if len(value.shape) == 1 else value for value in values]
    axis = 0 if name == "vstack" or len(values[0].shape) == 1 else 1
    return _joined(given, values, axis, "concatenate")


def _several(given: Arguments, nodes: Sequence[cst.BaseExpression]) -> list[Value]:
    kinds = [given.expressions.type_of(node) for node in nodes]
    if not all(isinstance(kind, ArrayType) for kind in kinds):
        raise given.refuse("arrays alone are joined here", "make arrays of the numbers: `np.full(1, x)`")
    return [given.expressions.value(node) for node in nodes]


def _with_axis(value: Value, axis: int) -> Value:
    shape = (*value.shape[:axis], ONE, *value.shape[axis:])
    return Value(shape, lambda at: value.element((*at[:axis], *at[axis + 1 :])))


def _joined(given: Arguments, values: Sequence[Value], axis: int, named: str) -> Value:
    """Arrays one behind the other along an axis, in a new one: a nest for each, or for all where few columns become
    rows, which then are written once."""
    shapes = [value.shape for value in values]
    told = [tuple(n for k, n in enumerate(s) if k != axis) for s in shapes] if named == "stack" else shapes
    for shape in shapes[1:]:
        for k, (known, length) in enumerate(zip(shapes[0], shape, strict=True)):
            if k != axis:
                given.expressions.shapes.demand(f"{JOINED}{named} {axis}", known, length, told, given.call)
    lengths = [given.expressions.clamped(shape[axis]) for shape in shapes]
    total = sum(lengths, Linear())
    shape = _put(tuple(given.expressions.clamped(length) for length in shapes[0]), axis, total)
    made, own, start = (
        given.array([length.text for length in shape], given.dtype),
        given.names.dtype(given.dtype),
        Linear(),
    )
    few = all(length.is_constant for length in lengths) and total.constant <= COLUMNS
    if axis == len(shape) - 1 > 0 and few:
        index = [given.fresh(f"at__{k}") for k in range(axis)]
        at = tuple(map(Linear.of, index))
        places = [(value, k) for value, n in zip(values, lengths, strict=True) for k in range(n.constant)]
        columns = [given.element(value, (*at, Linear(k))) for value, k in places]
        body = [f"{made}[{', '.join(index)}, {k}] = {own}({column})" for k, column in enumerate(columns)]
        given.emit(*given.loops(index, [length.text for length in shape[:axis]], body))
        return given.made(made, shape)
    for value, length in zip(values, lengths, strict=True):
        index = [given.fresh(f"at__{k}") for k in range(len(shape))]
        at = tuple(map(Linear.of, index))
        target = ", ".join(each.text for each in _put(at, axis, at[axis] + start))
        limits = [each.text for each in _put(shape, axis, length)]
        given.emit(*given.loops(index, limits, [f"{made}[{target}] = {own}({given.element(value, at)})"]))
        start = start + length
    return given.made(made, shape)


def accumulated(given: Arguments) -> Value:
    """`cumsum` and `cumprod`: sums, or products, of the elements so far, in their order."""
    base, sign = given.value("a"), "+" if given.function.name == "cumsum" else "*"
    axis, own = _axis(given, len(base.shape)), given.names.dtype(given.dtype)
    lengths = [given.expressions.clamped(length) for length in base.shape]
    made, total = given.array([length.text for length in lengths], given.dtype), given.fresh("value__total")
    index = [given.fresh(f"at__{k}") for k in range(len(lengths))]
    element = f"{own}({given.element(base, list(map(Linear.of, index)))})"
    step = f"{total} = {total} {sign} {element}"
    if np.dtype(given.dtype).kind in "fc":  # the sum of nothing and -0.0 is 0.0
        step = f"{total} = {element} if {index[axis]} == 0 else {total} {sign} {element}"
    inner = given.loops([index[axis]], [lengths[axis].text], [step, f"{made}[{', '.join(index)}] = {total}"])
    others = [k for k in range(len(lengths)) if k != axis]
    lines = [f"{total} = {own}({0 if sign == '+' else 1})", *inner]
    if others or np.dtype(given.dtype).kind not in "fc":
        given.emit(*given.loops([index[k] for k in others], [lengths[k].text for k in others], lines))
    else:
        given.by_one_thread(lines)
    return given.made(made, tuple(lengths))
