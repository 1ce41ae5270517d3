"""Values that go where arrays of indexes tell, one after the other: `a[index] = e`, `np.bincount`, `np.add.at` and its
like.

Several may go to one element, in NumPy's order, so one thread goes through them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import libcst as cst
import numpy as np

from somd.language.shapes import ADDED, CHOSEN, INDEX, INDEXES, OUTPUT, UNDER, WEIGHTS
from somd.transforms.analysis.parts import ELLIPSIS, Item, items_of
from somd.transforms.arrays.arguments import Arguments
from somd.transforms.arrays.emitting import Emitting
from somd.transforms.arrays.indexed import axes_of, indexes_at
from somd.transforms.arrays.linear import Linear
from somd.transforms.arrays.values import ONE, At, Axis, Value, View
from somd.transforms.types.scalars import ArrayType, ScalarType

if TYPE_CHECKING:
    from somd.transforms.arrays.expressions import Expressions

_OPERATORS = {"add": "+", "subtract": "-", "multiply": "*"}


def bincount(given: Arguments) -> Value:
    """How often each integer stands in an array, or the sums of the weights beside it."""
    numbers, least = given.value("x"), given.length("minlength")
    weights = given.value("weights") if given.has("weights") else None
    if weights is not None and weights.shape != numbers.shape:
        given.expressions.shapes.test(WEIGHTS, numbers.shape, weights.shape, given.call)
    length, k = given.expressions.clamped(numbers.shape[0]), given.fresh("at__k")
    whole, own = given.names.function("int"), given.names.dtype(given.dtype)
    most, low = given.fresh("value__most"), given.fresh("value__least")
    number, least_of, most_of = given.fresh("at__number"), given.names.function("min"), given.names.function("max")
    found = f"{number} = {whole}({given.element(numbers, [Linear.of(k)])})"
    steps = [found, f"{most} = {most_of}({most}, {number})", f"{low} = {least_of}({low}, {number})"]
    given.emit(f"{most} = -1", f"{low} = 0", *given.loops([k], [length.text], steps))
    given.raising(f"{low} < 0", "ValueError(\"'list' argument must have no negative elements\")")
    count = given.once(f"{most_of}({most} + 1, {least.text})")
    made = given.array([count], given.dtype)
    place = given.fresh("at__bin")
    added = "1" if weights is None else f"{own}({given.element(weights, [Linear.of(k)])})"
    given.emit(*given.loops([place], [count], [f"{made}[{place}] = {own}(0)"]))
    given.names.within |= {k, number}  # which lies between the least and the greatest
    given.by_one_thread(given.loops([k], [length.text], [found, f"{made}[{number}] += {added}"]))
    return given.made(made, (Linear.of(count),))


def scattered(
    expressions: Expressions, target: cst.Subscript, value: Value, node: cst.BaseExpression, before: bool, operator: str
) -> None:
    """`target = value`, where arrays of indexes stand in the target: of equal ones the last counts, as in NumPy.

    With an operator, `+=`, they are different ones. `before` says that the value, or an index, may be changed by what
    is stored.
    """
    items = items_of(target, expressions.names.method)
    base = expressions.value(target.value)
    base, first, chosen = _chosen_first(expressions, target, base, items)
    indexes: list[Value] = []
    for item in chosen:
        indexes += indexes_at(expressions, item, base.shape[len(indexes) :], target)
    if any(expressions.goes_along(base, axis) is None for axis in range(len(indexes))):
        message = "a part of an array is stored where arrays of indexes tell"
        raise expressions.refuse("SOMD202", message, target, "index the array itself, or write the loop")
    made = Emitting(expressions, target)
    if (
        operator != "="
        and len({index.shape for index in indexes if index.shape}) > 1
        and any(index.shape and all(n.is_short for n in index.shape) for index in indexes)
    ):
        message = "one index beside several: some elements may be chosen twice, and NumPy adds to them once"
        raise expressions.refuse("SOMD202", message, target, "to add up, write `np.add.at(a, index, e)`")
    if before:
        indexes = [
            expressions.materialised(index, "int64", target) if index.shape and not isinstance(index, View) else index
            for index in indexes
        ]
        value = expressions.computed_before(value, node) if value.shape else value
    target_kind, kind = expressions.type_of(target.value), expressions.type_of(node)

    def line(element: str, number: str) -> str:
        if (
            isinstance(target_kind, ArrayType)
            and isinstance(kind, ArrayType | ScalarType)
            and _is_cast(target_kind, kind)
        ):
            if operator == "=":
                return f"{element} = {expressions.names.dtype(target_kind.dtype)}({number})"
            return _in_wider(made, (element, target_kind.dtype), (number, kind.dtype), operator.removesuffix("="))
        return f"{element} {operator} {number}"

    under = len(items) == 1 and len(indexes) == len(base.shape) and of_mask(expressions, chosen[0])
    what = OUTPUT if operator != "=" else UNDER if under and len(value.shape) == 1 else CHOSEN
    _one_by_one(made, base, indexes, value, what, line, before=first)


def _chosen_first(
    expressions: Expressions, target: cst.Subscript, base: Value, items: Sequence[Item]
) -> tuple[View, int, list[cst.BaseExpression]]:
    """What arrays of indexes, with slices around them, choose from, the axes of the indexes first; how many axes stood
    before these; and the indexes."""
    places = [k for k, item in enumerate(items) if isinstance(item, cst.BaseExpression)]
    chosen = [item for item in items if isinstance(item, cst.BaseExpression)]
    count = sum(axes_of(expressions, item) for item in chosen)
    whole = [cst.Slice(None, None)]
    around: list[Item] = [*items[: places[0]], *whole * count, *items[places[-1] + 1 :]]
    view = expressions.part(target, base, around) if len(around) > count else base
    if not isinstance(view, View):
        raise expressions.refuse("SOMD202", "this cannot be written", target, "name the array that is written")
    if not view.written:
        message = "NumPy raises ValueError here: this part of an array is for reading alone"
        raise expressions.refuse("SOMD202", message, target, "write into the array itself, or into a copy")
    rank, behind = len(view.shape), sum(item is not ELLIPSIS for item in items[places[-1] + 1 :])
    first = places[0] if ELLIPSIS not in items[: places[0]] else rank - count - behind
    order = [*range(first, first + count), *range(first), *range(first + count, rank)]
    gone = tuple(Axis(Linear(), 1, order.index(axis)) for axis in range(rank))
    moved = view if first == 0 else expressions.composed(view, gone, tuple(view.shape[k] for k in order), target)
    assert isinstance(moved, View)
    return moved, first, chosen


def _one_by_one(
    made: Emitting,
    base: View,
    indexes: Sequence[Value],
    value: Value,
    what: str,
    line: Callable[[str, str], str],
    first: bool = True,
    before: int = 0,
) -> None:
    """Loops over all that arrays of indexes choose along the first axes of a part of an array, each with its number;
    `line` is what happens to an element, and `what` says how the value is fitted to them. All indexes are looked at
    `first`, or each when it is used. In the value so many of the other axes stand `before` those of the indexes."""
    expressions, target = made.expressions, made.node
    shape = expressions.shapes.together([index.shape for index in indexes], target, INDEXES)
    whole = (*shape, *base.shape[len(indexes) :])
    given = _moved(whole, len(shape), before)
    expressions.shapes.into(what, given, value.shape, target)
    names = [made.fresh(f"at__{axis}") for axis in range(len(whole))]
    where = tuple(map(Linear.of, names))
    lengths = [expressions.clamped(length).text if length != ONE else "1" for length in whole]
    inner, count = where[: len(shape)], len(shape)
    for axis, index in enumerate(indexes if first else ()):
        number = made.fresh("value__index")
        length = expressions.clamped(base.shape[axis])
        raising = expressions.names.raising(INDEX, [(Linear.of(number), Linear(axis + before)), (length,)], target)
        test = f"if {number} < -({length.text}) or {number} >= {length.text}:"
        whole_number = expressions.names.function("int")
        found = f"{number} = {whole_number}({made.code(index.at(inner, shape))})"
        around = count if index.shape else 0  # an integer is tested also where nothing is chosen
        made.emit(*made.loops(names[:around], lengths[:around], [found, test, f"    {raising}"]))
    places = [made.code(index.at(inner, shape)) for index in indexes]
    number_of = {expressions.goes_along(base, axis): place for axis, place in enumerate(places)}
    rest = tuple([Linear()] * len(indexes)) + where[count:]
    own = [number_of.get(k, axis.index(rest).text) for k, axis in enumerate(base.axes)]
    element, number = f"{base.array}[{', '.join(own)}]", made.code(value.at(_moved(where, count, before), given))
    made.by_one_thread(made.loops(names, lengths, [line(element, number)]))


def _moved(axes: At, count: int, before: int) -> At:
    """What there is for each axis, with the first `count` of them behind the next ones, which are so many."""
    return (*axes[count : count + before], *axes[:count], *axes[count + before :])


def _is_cast(target: ArrayType, kind: ArrayType | ScalarType) -> bool:
    """Whether NumPy casts what is stored to integers, and an element by itself would not take it."""
    other = kind.dtype != target.dtype and not (isinstance(kind, ScalarType) and kind.weak)
    return other and np.dtype(target.dtype).kind in "iu"


def _in_wider(made: Emitting, element: tuple[str, str], number: tuple[str, str], name: str) -> str:
    """The line that updates an element of integers in the type of the result, by an operator or a function."""
    own, wide = made.names.dtype(element[1]), made.names.dtype(str(np.result_type(element[1], number[1])))
    operands = f"{wide}({element[0]})", f"{wide}({number[0]})"
    given = f"{made.names.numpy(name)}({', '.join(operands)})" if name.isidentifier() else f" {name} ".join(operands)
    return f"{element[0]} = {own}({given})"


def of_mask(expressions: Expressions, item: cst.BaseExpression) -> bool:
    """Whether an index is a mask, for which an array of indexes has been made."""
    kind = expressions.type_of(item)
    return isinstance(kind, ArrayType) and kind.dtype == "bool"


def at(given: Arguments) -> None:
    """`a[index] op= value` for each index, those that are equal too: rows, where there are fewer indexes than axes."""
    view, value, expressions = given.value("a"), given.value("b"), given.expressions
    items, target = given.nodes["indices"], given.kind("a").dtype
    straight = isinstance(view, View) and view.written and len(items) <= len(view.shape)
    kinds = [expressions.type_of(item) for item in items]
    integers = all(isinstance(k, ArrayType | ScalarType) and np.dtype(k.dtype).kind in "iu" for k in kinds)
    if not straight or not integers or any(expressions.goes_along(view, axis) is None for axis in range(len(items))):
        helps = "write the loop over the indexes, in `with single:` or `with sync(a, reduce='+'):`"
        raise given.refuse("an array, or rows or columns of one, and indexes that are integers are taken here", helps)
    assert isinstance(view, View)
    indexes = [expressions.value(item) for item in items]
    if "indices" in given.changed:
        indexes = [
            expressions.computed_before(index, item) if index.shape else index
            for index, item in zip(indexes, items, strict=True)
        ]
    if value.shape and not isinstance(value, View):
        value = expressions.computed_before(value, given.nodes["b"][0])
    most = max(len(index.shape) for index in indexes) + len(view.shape) - len(items)
    if len(value.shape) > most:
        raise given.refuse("the values have more dimensions than what they are added to", "give one for each element")
    own, name, of = given.names.dtype(target), given.function.name.removesuffix(".at"), given.kind("b").dtype

    def line(element: str, number: str) -> str:
        if np.dtype(target).kind in "iu" and of != target:
            return _in_wider(given, (element, target), (number, of), _OPERATORS.get(name, name))
        if name in _OPERATORS:
            return f"{element} {_OPERATORS[name]}= {number}"
        return f"{element} = {given.names.numpy(name)}({element}, {own}({number}))"

    _one_by_one(given, view, indexes, value, ADDED, line, len(view.shape) > 1 or len(items) > 1)
