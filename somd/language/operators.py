"""The operators of reductions: one table, which the compiler and the runtimes of all targets ask.

An operator is associative and commutative, up to rounding where it is `ordered`, and its neutral element may be put in
anywhere. Python's `text` is what it means; a target makes of it what runs there. NumPy says of which type the result
is, as of any expression.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

import numpy as np

Values = np.ndarray[Any, Any]


@dataclass(frozen=True)
class Operator:
    """One operator; `OPERATORS` has them by their symbols, as `reduce=` names them."""

    #: what functions of the runtimes that combine by it are called
    word: str
    #: Python text of two values, earlier ones first: an infix operator of the symbol, or a call of `math` or NumPy
    text: str
    #: the neutral element in a type of NumPy's: a number of Python's
    neutral: Callable[[np.dtype[Any]], Any]
    #: whether floating-point results depend on the association, so that all targets keep to one
    ordered: bool = False
    #: for minima and maxima: the sign between a value and the accumulator whose place it takes
    better: str = ""
    #: whether the right side is evaluated only if the left one does not decide
    skips: bool = False
    #: the symbol of the operator that does the same to bools
    of_bools: str = ""
    #: the function of which a call `s = f(s, x)` accumulates by it
    function: Callable[..., Any] | None = None
    #: all values of a 1-D array combined, for a host; by pairs of neighbours where it does not say
    fold: Callable[[Values], Any] | None = None

    @property
    def short(self) -> str:
        """The word where bools need no operator of their own: compiled code has `reduce_and` for `&`."""
        return self.word.removeprefix("bit_")

    def of(self, left: str, right: str) -> str:
        """The text for these two values."""
        return self.text.format(left, right)

    @cached_property
    def combine(self) -> Callable[[Any, Any], Any]:
        """The function of two values."""
        made: Callable[[Any, Any], Any] = eval(
            f"lambda left, right: {self.of('left', 'right')}", {"math": math, "np": np}
        )
        return made


def by_pairs(combine: Callable[[Values, Values], Values], values: Values) -> Any:
    """All values of a 1-D array, not empty, combined by pairs of neighbours, level by level."""
    while len(values) > 1:
        pairs = len(values) // 2
        rest = values[2 * pairs :]
        values = np.concatenate([combine(values[0 : 2 * pairs : 2], values[1 : 2 * pairs : 2]), rest])
    return values[0]


def _extreme(greatest: bool) -> Callable[[np.dtype[Any]], Any]:
    def neutral(dtype: np.dtype[Any]) -> Any:
        if dtype.kind == "b":
            return greatest
        if dtype.kind == "f":
            return math.inf if greatest else -math.inf
        return int(np.iinfo(dtype).max if greatest else np.iinfo(dtype).min)

    return neutral


def _nothing(dtype: np.dtype[Any]) -> Any:
    """0; -0.0, which changes no sign."""
    return {"c": complex(-0.0, -0.0), "f": -0.0, "b": False}.get(dtype.kind, 0)


def _all_bits(dtype: np.dtype[Any]) -> Any:
    return True if dtype.kind == "b" else -1 if dtype.kind == "i" else int(np.iinfo(dtype).max)


def _product(left: Values, right: Values) -> Values:
    """`left * right`; of complex numbers by parts: NumPy's loops round less often than its scalars."""
    if left.dtype.kind != "c":
        return np.multiply(left, right)
    made = np.empty_like(left)
    made.real = left.real * right.real - left.imag * right.imag
    made.imag = left.real * right.imag + left.imag * right.real
    return made


OPERATORS: dict[str, Operator] = {
    "+": Operator("sum", "{0} + {1}", _nothing, ordered=True, of_bools="|"),
    "*": Operator(
        "product",
        "{0} * {1}",
        lambda dtype: dtype.type(1).item(),
        ordered=True,
        of_bools="&",
        fold=partial(by_pairs, _product),
    ),
    "min": Operator(
        "min",
        "{1} if {1} < {0} else {0}",
        _extreme(True),
        better="<",
        of_bools="&",
        function=min,
        fold=lambda values: values[values.argmin()],
    ),
    "max": Operator(
        "max",
        "{1} if {1} > {0} else {0}",
        _extreme(False),
        better=">",
        of_bools="|",
        function=max,
        fold=lambda values: values[values.argmax()],
    ),
    "and": Operator("all", "{0} and {1}", lambda _: True, skips=True, of_bools="&", fold=np.all),
    "or": Operator("any", "{0} or {1}", lambda _: False, skips=True, of_bools="|", fold=np.any),
    "&": Operator("bit_and", "{0} & {1}", _all_bits, fold=np.bitwise_and.reduce),
    "|": Operator("bit_or", "{0} | {1}", lambda dtype: dtype.type(0).item(), fold=np.bitwise_or.reduce),
    "^": Operator("bit_xor", "{0} ^ {1}", lambda dtype: dtype.type(0).item(), fold=np.bitwise_xor.reduce),
}
#: symbols that say how values are brought in, and by what the parts are then combined: differences are summed up
SAME = {"-": "+"}


def symbols() -> tuple[str, ...]:
    """What `reduce=` may name."""
    first, *rest = OPERATORS
    return (first, *SAME, *rest)


def symbol_of(function: object) -> str | None:
    """The operator that calls of a function accumulate by."""
    return next((op for op, known in OPERATORS.items() if known.function is function and function is not None), None)


def named(name: str, kind: str) -> Operator:
    """The operator whose function in a runtime has this name, `kind` and then its word.

    Raises:
        AttributeError: there is none.
    """
    for operator in OPERATORS.values():
        if name in (kind + operator.word, kind + operator.short):
            return operator
    raise AttributeError(f"there is no {name!r}")
