"""The operators of reductions: one table, which the compiler and the runtimes of all targets ask.

An operator is associative and commutative, up to rounding where it is `ordered`, and its neutral element may be put in
anywhere. No complex number is neutral for `*`: there a mark stands for the product of none. Python's `text` is what the
operator means; a target makes of it what runs there. NumPy says of which type the result is, as of any expression.
"""

from __future__ import annotations

import difflib
import math
from collections.abc import Callable, Sequence
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
    #: the operator that does the same to complex numbers, where no number is neutral for those
    of_complex: Operator | None = None
    #: the function of which a call `s = f(s, x)` accumulates by it
    function: Callable[..., Any] | None = None
    #: all values of a 1-D array combined, for a host; by pairs of neighbours where it does not say
    fold: Callable[[Values], Any] | None = None

    def of_kind(self, kind: str) -> Operator:
        """The operator for values of NumPy's kind `kind`."""
        return self.of_complex or self if kind == "c" else self

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
            f"lambda left, right: {self.of('left', 'right')}", {"math": math, "np": np, "join_products": join_products}
        )
        return made


def by_pairs(combine: Callable[[Values, Values], Values], values: Values) -> Any:
    """All values of a 1-D array, not empty, combined by pairs of neighbours, level by level."""
    while len(values) > 1:
        pairs = len(values) // 2
        rest = values[2 * pairs :]
        values = np.concatenate([combine(values[0 : 2 * pairs : 2], values[1 : 2 * pairs : 2]), rest])
    return values[0]


def extreme(greatest: bool) -> Callable[[np.dtype[Any]], Any]:
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


def all_bits(dtype: np.dtype[Any]) -> Any:
    return True if dtype.kind == "b" else -1 if dtype.kind == "i" else int(np.iinfo(dtype).max)


#: the bits of the parts of a complex number that stands for the product of no numbers. They are signalling nans, which
#: no arithmetic gives.
NO_PRODUCT = {"complex64": (0x7FA5C3D9, 0x7F9B4E17), "complex128": (0x7FF45A3C96E1D2B7, 0x7FF2B4D81C7F0E69)}


def empty_product(dtype: Any) -> Any:
    """The product of no numbers, for a complex dtype: 1 times infinity has parts that are nan, and loses signs of 0."""
    kind = np.dtype(dtype)
    words = np.array(NO_PRODUCT[str(kind)], f"uint{4 * kind.itemsize}")
    return words.view(kind)[0]


def join_products(left: Any, right: Any) -> Any:
    """`left * right` of two complex numbers, each of which may be the product of none."""
    if _is_empty(np.array([right]))[0]:
        return left
    return right if _is_empty(np.array([left]))[0] else left * right


def _is_empty(values: Values) -> Values:
    """Which elements of a 1-D array are products of no numbers."""
    if values.dtype.kind != "c":
        return np.zeros(len(values), bool)
    words = np.ascontiguousarray(values).view(f"uint{4 * values.itemsize}").reshape(-1, 2)
    found: Values = (words == np.array(NO_PRODUCT[str(values.dtype)], words.dtype)).all(axis=1)
    return found


def _joined(left: Values, right: Values) -> Values:
    """`join_products` element by element, by parts: NumPy's loops round less often than its scalars."""
    made = np.empty_like(left)
    made.real = left.real * right.real - left.imag * right.imag
    made.imag = left.real * right.imag + left.imag * right.real
    return np.where(_is_empty(right), left, np.where(_is_empty(left), right, made))


#: `*` of complex numbers
JOINED = Operator(
    "complex_product", "join_products({0}, {1})", empty_product, ordered=True, fold=partial(by_pairs, _joined)
)
OPERATORS: dict[str, Operator] = {
    "+": Operator("sum", "{0} + {1}", _nothing, ordered=True, of_bools="|"),
    "*": Operator(
        "product",
        "{0} * {1}",
        lambda dtype: dtype.type(1).item(),
        ordered=True,
        of_bools="&",
        of_complex=JOINED,
    ),
    "min": Operator(
        "min",
        "{1} if {1} < {0} else {0}",
        extreme(True),
        better="<",
        of_bools="&",
        function=min,
        fold=lambda values: values[values.argmin()],
    ),
    "max": Operator(
        "max",
        "{1} if {1} > {0} else {0}",
        extreme(False),
        better=">",
        of_bools="|",
        function=max,
        fold=lambda values: values[values.argmax()],
    ),
    "and": Operator("all", "{0} and {1}", lambda _: True, skips=True, of_bools="&", fold=np.all),
    "or": Operator("any", "{0} or {1}", lambda _: False, skips=True, of_bools="|", fold=np.any),
    "&": Operator("bit_and", "{0} & {1}", all_bits, fold=np.bitwise_and.reduce),
    "|": Operator("bit_or", "{0} | {1}", lambda dtype: dtype.type(0).item(), fold=np.bitwise_or.reduce),
    "^": Operator("bit_xor", "{0} ^ {1}", lambda dtype: dtype.type(0).item(), fold=np.bitwise_xor.reduce),
}
#: symbols that say how values are brought in, and by what the parts are then combined: differences are summed up
SAME = {"-": "+"}


def symbols() -> tuple[str, ...]:
    """What `reduce=` may name."""
    first, *rest = OPERATORS
    return (first, *SAME, *rest)


#: other words for the operators
_WORDS = {
    "+": "sum plus add addition",
    "-": "minus sub subtract difference",
    "*": "product prod times mul multiply",
    "min": "minimum smallest least lowest",
    "max": "maximum largest greatest highest",
    "and": "all logical_and &&",
    "or": "any logical_or ||",
    "&": "bit_and bitwise_and",
    "|": "bit_or bitwise_or",
    "^": "bit_xor bitwise_xor xor",
}


def ways_out(wrong: str, allowed: Sequence[str]) -> tuple[str, ...]:
    """What helps where `reduce=` names no operator."""
    words = {word: symbol for symbol, text in _WORDS.items() for word in (symbol, *text.split())}
    near = difflib.get_close_matches(wrong.strip().lower(), words, n=1)
    meant = (f'did you mean `"{words[near[0]]}"`?',) if near else ()
    return (*meant, f"there are {', '.join(allowed)}, or a function")


def symbol_of(function: object) -> str | None:
    """The operator that calls of a function accumulate by."""
    return next((op for op, known in OPERATORS.items() if known.function is function and function is not None), None)


def named(name: str, kind: str) -> Operator:
    """The operator whose function in a runtime has this name, `kind` and then its word.

    Raises:
        AttributeError: there is none.
    """
    for operator in (*OPERATORS.values(), JOINED):
        if name in (kind + operator.word, kind + operator.short):
            return operator
    raise AttributeError(f"there is no {name!r}")
