"""Arrays made of numbers, each element as NumPy computes it: `arange linspace eye identity tri broadcast_to`."""

from __future__ import annotations

from dataclasses import replace

import libcst as cst

from somd.language.shapes import REQUESTED
from somd.transforms.arrays.arguments import Arguments
from somd.transforms.arrays.fitting import test_range
from somd.transforms.arrays.linear import Linear
from somd.transforms.arrays.values import ONE, Axis, Value, View
from somd.transforms.types.scalars import ArrayType

INT, FLOAT = "int64", "float64"


def arange(given: Arguments) -> Value:
    """`start + k * step`; floats go by the difference of the first two elements."""
    names = [name for name in ("start", "stop", "step") if given.has(name)]
    asked = {given.kind(name).dtype for name in names}
    first, last = ("start", "stop") if given.has("stop") else ("", "start")
    if asked == {INT} and given.dtype.startswith(("int", "uint")):
        return _integers(given, first, last)
    if asked <= {INT, FLOAT} and given.dtype.startswith("float"):
        return _floats(given, first, last)
    raise given.refuse("a range is made of Python's integers and floats here", "convert them: `int(n)`, `float(x)`")


def _integers(given: Arguments, first: str, last: str) -> Value:
    start = given.integer(first) if first else Linear()
    step = given.integer("step") if given.has("step") else ONE
    far, own = given.integer(last) - start, given.names.dtype(given.dtype)
    if step == Linear():
        raise given.refuse("the step of this range is 0", "NumPy raises ZeroDivisionError here")
    if step.is_constant:
        far, size = (far, step.constant) if step.constant > 0 else (far * -1, -step.constant)

        def index(at: tuple[Linear, ...]) -> Linear:
            return start + at[0] * step.constant

        shape, whole = (far.divided(size),), given.dtype == INT
        if not whole:
            test_range(given, start.text, str(step.constant), given.expressions.clamped(shape[0]).text)
        return Value(shape, lambda at: _cast(given, own, index(at).text), index if whole else None)
    by = given.once(step.text)
    given.raising(f"{by} == 0", "ZeroDivisionError('division by zero')")
    length = given.expressions.named(f"{given.names.function('max')}(-(-({far.text}) // {by}), 0)", True)
    if given.dtype != INT:
        test_range(given, start.text, by, length.text)
    return Value((length,), lambda at: _cast(given, own, f"{start.text} + ({at[0].text}) * {by}"))


def _cast(given: Arguments, dtype: str, text: str) -> cst.BaseExpression:
    wide = given.names.dtype(INT)
    return given.text(f"{wide}({text})" if dtype == wide else f"{dtype}({wide}({text}))")


def _floats(given: Arguments, first: str, last: str) -> Value:
    own = given.names.dtype(given.dtype)
    start = given.number(first, FLOAT) if first else given.once(f"{given.names.dtype(FLOAT)}(0)")
    step = given.number("step", FLOAT) if given.has("step") else given.once(f"{given.names.dtype(FLOAT)}(1)")
    given.raising(f"{step} == 0", "ZeroDivisionError('float division by zero')")
    count = given.once(f"({given.number(last, FLOAT)} - {start}) / {step}")
    given.raising(f"not ({count} == {count})", "ValueError('arange: cannot compute length')")
    given.raising(f"{count} > 2.0 ** 60", "ValueError('Maximum allowed size exceeded')")
    whole = given.names.function("int")
    rounded = given.once(f"{whole}({given.names.numpy('ceil')}({count}))")
    length = given.expressions.named(f"{given.names.function('max')}({rounded}, 0)", True)
    begin = given.once(f"{own}({start})")
    by = given.once(f"{own}({start} + {step}) - {begin}")
    return Value((length,), lambda at: given.text(f"({begin} + {own}({at[0].text}) * {by})"))


def linspace(given: Arguments) -> Value:
    """`k * step + start`, and the end as it is given."""
    kinds = [given.kind(name) for name in ("start", "stop")]
    if any(isinstance(kind, ArrayType) or kind.dtype not in (INT, FLOAT) for kind in kinds) or given.dtype != FLOAT:
        raise given.refuse("`linspace` is taken of Python's floats and integers", "convert them: `float(x)`")
    wide, endpoint = given.names.dtype(FLOAT), given.constant("endpoint")
    number = given.integer("num")
    if not given.expressions.natural(number):
        number = given.expressions.named(number.text, True) if not number.is_constant else number
        told = "ValueError('Number of samples, %s, must be non-negative.' % " + f"({number.text},))"
        given.raising(f"{number.text} < 0", told, *([] if number.is_constant else [number.text]))
    start, stop = given.number("start", FLOAT), given.number("stop", FLOAT)
    delta = given.once(f"{stop} - {start}")
    parts = given.once((number - (1 if endpoint else 0)).text)
    step = given.once(f"{delta} / {parts} if {parts} > 0 else {delta}")

    def element(at: tuple[Linear, ...]) -> cst.BaseExpression:
        k = f"{wide}({at[0].text})"
        text = f"({k} * {step} if {step} != 0 or {parts} <= 0 else {k} / {parts} * {delta}) + {start}"
        last = f"{at[0].text} == {parts} and {parts} > 0"
        return given.chosen(last, stop, text) if endpoint else given.text(f"({text})")

    return Value((number,), element)


def eye(given: Arguments) -> Value:
    """1 on a diagonal, 0 elsewhere."""
    rows = given.length("N")
    columns = given.length("M") if given.has("M") else rows
    k, own = given.integer("k"), given.names.dtype(given.dtype)
    return Value((rows, columns), lambda at: given.chosen(_on(at, k), f"{own}(1)", f"{own}(0)"))


def identity(given: Arguments) -> Value:
    """A square matrix with 1 on its diagonal."""
    rows, own = given.length("n"), given.names.dtype(given.dtype)
    return Value((rows, rows), lambda at: given.chosen(_on(at, Linear()), f"{own}(1)", f"{own}(0)"))


def tri(given: Arguments) -> Value:
    """1 on and below a diagonal, 0 above."""
    rows = given.clamped("N")
    columns = given.clamped("M") if given.has("M") else rows
    k, own = given.integer("k"), given.names.dtype(given.dtype)
    return Value((rows, columns), lambda at: given.chosen(below(at, k), f"{own}(1)", f"{own}(0)"))


def _on(at: tuple[Linear, ...], k: Linear) -> str:
    return f"{at[-1].text} == {(at[-2] + k).text}"


def below(at: tuple[Linear, ...], k: Linear) -> str:
    """Whether an element lies on or below a diagonal."""
    return f"{at[-1].text} <= {(at[-2] + k).text}"


def broadcast_to(given: Arguments) -> Value:
    """An array, or a number, at each place of a shape: a view that is not written."""
    base, shape = given.value("array"), given.lengths("shape")
    given.expressions.shapes.test(REQUESTED, base.shape, shape, given.node)
    new = len(shape) - len(base.shape)
    still = [length.is_short for length in base.shape]
    gone = tuple(Axis(Linear()) if one else Axis(Linear(), 1, k + new) for k, one in enumerate(still))
    made = given.expressions.composed(base, gone, shape, given.call)
    return replace(made, written=False) if isinstance(made, View) else made
