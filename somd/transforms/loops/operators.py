"""The operators of the loop program: one table, from the name of an operator to what it takes and what it means.

Meanings are functions of NumPy's scalars that give one: so they say of which type the result is, too. What Python's own
numbers do otherwise than NumPy's has a name of its own: `python /` of complex numbers, `round` to places, the functions
of `math`. Where plain Python would raise, a result is what `docs/limits.md` says: that of NumPy's scalars, or nan.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import cycle
from typing import Any, Literal

import numpy as np

from somd.language.operators import OPERATORS as ASSOCIATIVE
from somd.language.operators import join_products
from somd.transforms.types.functions import CMATH, MATH, NUMPY
from somd.transforms.types.scalars import DTYPES, NotTyped, ScalarType, apply

#: which operands an operator takes: all of one type; truth values; to be compared (integers of any types exactly, and
#: Python's int with its float); to be divided (Python's ints exactly); what its function takes
Takes = Literal["one type", "truth", "compared", "divided", "its own"]


@dataclass(frozen=True)
class Operator:
    """What an operator means; `infix` is what stands between operands where it is written so.

    `cost` is that of integers of one word, in additions: what is 1 takes twice as long for two words, all else four
    times.
    """

    meaning: Callable[..., Any]
    takes: Takes = "one type"
    infix: str = ""
    cost: int = 1


def _compared(function: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    def exact(left: Any, right: Any) -> Any:
        if left.dtype != right.dtype:
            left, right = left.item(), right.item()
        return np.bool_(function(left, right))

    return exact


def _quotient(left: Any, right: Any) -> Any:
    if left.dtype.kind != "i" or not right:
        return np.true_divide(left, right) if left.dtype.kind == "i" else left / right
    return np.float64(int(left) / int(right))


def _of_python(function: Callable[..., Any], otherwise: Callable[..., Any]) -> Callable[..., Any]:
    """A function of Python's own numbers; where it raises, what NumPy's does."""

    def own(*given: Any) -> Any:
        try:
            found = function(*(value.item() for value in given))
        except (ArithmeticError, ValueError):
            return otherwise(*given)
        return _number(found)

    return own


def _number(value: Any) -> Any:
    """A number of Python's as one of NumPy's, an int in its lowest 64 bits."""
    if type(value) is int:
        return np.int64((value + (1 << 63)) % (1 << 64) - (1 << 63))
    return {bool: np.bool_, float: np.float64, complex: np.complex128}[type(value)](value)


def _nan(*_: Any) -> Any:
    return np.float64(math.nan)


def _of_math(name: str) -> Callable[..., Any]:
    """A function of `math`: of floats, `gcd` and `isqrt` of ints; what raises OverflowError is inf."""
    function = getattr(math, name)
    if name in ("floor", "ceil", "trunc"):
        return lambda value: getattr(np, name)(value).astype(np.int64)
    if name in ("exp", "exp2", "expm1", "cosh", "sinh", "pow"):
        other = {"pow": "power"}.get(name, name)
        return _of_python(function, lambda *given: np.float64(getattr(np, other)(*given)))
    if name == "log":
        return _of_python(function, lambda *given: np.log(given[0]) if len(given) == 1 else _nan())
    return _of_python(function, _infinite if name in ("gamma", "lgamma") else _nan)


def _infinite(value: Any) -> Any:
    return np.float64(math.inf if value > 0 else math.nan)


def _nans(*_: Any) -> Any:
    return np.complex128(complex(math.nan, math.nan))


def _rounded(value: Any, places: Any) -> Any:
    return np.round(value, int(places))


def _high_product(left: Any, right: Any) -> Any:
    return np.uint16(int(left) * int(right) >> 16)


def _fermat_product(left: Any, right: Any) -> Any:
    return np.uint16(int(left) * int(right) % 65537 & 0xFFFF)


def _fermat_remainder(value: Any, bits: Any) -> Any:
    return value.dtype.type(int(value) % ((1 << int(bits)) + 1))


def fused(a: Any, b: Any, c: Any) -> Any:
    """`a * b + c` of floats of one type, rounded once."""
    kind = type(a)
    if not (math.isfinite(a) and math.isfinite(b)):
        return kind(a * b + c)
    if not math.isfinite(c):
        return c
    exact = Fraction(a.item()) * Fraction(b.item()) + Fraction(c.item())
    if not exact:  # the product is exact, or zero
        return kind(a * b + c)
    return _nearest(exact, kind)


def _nearest(exact: Fraction, kind: Any) -> Any:
    """The float that is nearest to a fraction, of two the even one."""
    try:
        found = kind(float(exact))
    except OverflowError:
        found = kind(math.inf if exact > 0 else -math.inf)
    if kind is np.float64 or not np.isfinite(found):
        return found
    # it was rounded twice: one of its neighbours may be nearer
    near = [np.nextafter(found, kind(-np.inf)), found, np.nextafter(found, kind(np.inf))]
    return min(filter(np.isfinite, near), key=lambda each: (abs(Fraction(each.item()) - exact), _is_odd(each)))


def _is_odd(value: Any) -> bool:
    return bool(value.view(np.uint32) & 1)


#: any will do: where one thread runs all of a scan, it gives the same
_ALONE = cycle((np.True_, np.False_))
_IN_STRIPS = cycle((np.True_, np.False_))
_BLOCKS_AT_ONCE = cycle(map(np.int64, (1, 64, 2)))


def _where(test: Any, yes: Any, no: Any) -> Any:
    return yes if test else no


_INFIX: dict[str, Callable[[Any, Any], Any]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "//": operator.floordiv,
    "%": operator.mod,
    "**": operator.pow,
    "&": operator.and_,
    "|": operator.or_,
    "^": operator.xor,
    "<<": operator.lshift,
    ">>": operator.rshift,
}
_COSTS = {"*": 3, "//": 20, "%": 20, "**": 60}
_COMPARED: dict[str, Callable[[Any, Any], Any]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "==": operator.eq,
    "!=": operator.ne,
}
#: functions of NumPy that are no ufuncs, or not of scalars
_OF_NUMPY: dict[str, Callable[..., Any]] = {
    "where": _where,
    "round": _rounded,
    "around": _rounded,
    "real": operator.attrgetter("real"),
    "imag": operator.attrgetter("imag"),
}

#: functions of `math` that take integers, of several types too
_OF_INTS: dict[str, Takes] = {"gcd": "its own", "isqrt": "its own"}

OPERATORS: dict[str, Operator] = {
    **{symbol: Operator(function, infix=symbol, cost=_COSTS.get(symbol, 1)) for symbol, function in _INFIX.items()},
    **{symbol: Operator(_compared(function), "compared", symbol) for symbol, function in _COMPARED.items()},
    "/": Operator(_quotient, "divided", "/"),
    "and": Operator(lambda left, right: left and right, "truth", "and"),
    "or": Operator(lambda left, right: left or right, "truth", "or"),
    "not": Operator(lambda value: np.bool_(not value), "truth"),
    "neg": Operator(operator.neg),
    "pos": Operator(operator.pos),
    "~": Operator(operator.invert),
    "min": Operator(ASSOCIATIVE["min"].combine),
    "max": Operator(ASSOCIATIVE["max"].combine),
    "abs": Operator(abs),
    "conj": Operator(np.conjugate),
    "complex": Operator(lambda real, imag: np.complex128(complex(real, imag))),
    "rint": Operator(np.rint),
    "fma": Operator(fused),  # of floats: `a * b + c`, rounded once
    "trips": Operator(lambda start, stop, step: np.int64(len(range(start, stop, step)))),  # of a loop
    "alone": Operator(lambda: next(_ALONE), "its own"),  # whether one thread runs all of a scan
    "in_strips": Operator(lambda: next(_IN_STRIPS), "its own"),  # whether a scan goes strip by strip
    "blocks_at_once": Operator(lambda: next(_BLOCKS_AT_ONCE), "its own"),  # how many blocks are a strip of a scan
    "round": Operator(
        _of_python(lambda value, places: round(value, places), lambda value, _: value), "its own"
    ),  # to places, which `round` of NumPy's scalars reckons in floats
    # where neither is nan, and either one will do of two zeros
    "quick maximum": Operator(np.maximum),
    "quick minimum": Operator(np.minimum),
    # of words, as vector units compute them: the upper half of a product of 16 bits, its remainder by 65537 in 16 bits,
    # and the remainder by 2**k + 1 of what is below 2**2k
    "high product": Operator(_high_product, cost=2),
    "fermat product": Operator(_fermat_product, cost=4),
    "fermat remainder": Operator(_fermat_remainder, "its own", cost=8),
    "joined *": Operator(join_products, infix="*"),  # of complex numbers, each of which may be the product of none
    "python *": Operator(_of_python(operator.mul, operator.mul), infix="*"),
    "python /": Operator(_of_python(operator.truediv, operator.truediv), infix="/"),
    "python **": Operator(_of_python(operator.pow, operator.pow), infix="**"),
    **{f"math.{name}": Operator(_of_math(name), _OF_INTS.get(name, "one type")) for name in MATH.values()},
    **{f"cmath.{name}": Operator(_of_python(function, _nans)) for function, name in CMATH.items()},
    **{f"np.{name}": Operator(_OF_NUMPY.get(name, function), "its own") for function, name in NUMPY.items()},
}


#: what operators of integers and truth values mean where integers have no width
EXACT: dict[str, Callable[..., Any]] = {
    **_INFIX,
    **_COMPARED,
    "and": lambda left, right: left and right,
    "or": lambda left, right: left or right,
    "not": operator.not_,
    "neg": operator.neg,
    "min": min,
    "max": max,
}


def number(value: Any, dtype: str) -> Any:
    """A number of Python's or NumPy's as NumPy's scalar of a type; an int is taken in its lowest 64 bits."""
    if isinstance(value, int) and not isinstance(value, bool):
        value = np.uint64(value % (1 << 64)) if dtype == "uint64" else _number(value)
    with np.errstate(all="ignore"):
        return np.asarray(value).astype(dtype)[()]


@lru_cache(maxsize=4096)
def result_type(name: str, operands: tuple[ScalarType, ...]) -> ScalarType:
    """The type of the result of an operator on operands of these types.

    Raises:
        NotTyped: it does not take them.
    """
    known = OPERATORS.get(name)
    if known is None:
        raise NotTyped(f"there is no operator `{name}`")
    if not _takes(known.takes, [each.dtype for each in operands]):
        raise NotTyped(f"`{name}` does not take {', '.join(map(str, operands))}")
    return ScalarType(apply(known.meaning, *operands).dtype)


def _takes(takes: Takes, dtypes: Sequence[str]) -> bool:
    if any(dtype not in DTYPES for dtype in dtypes):
        return False
    kinds = {np.dtype(dtype).kind for dtype in dtypes}
    if takes == "its own":
        return True
    if takes == "truth":
        return kinds == {"b"}
    if takes == "divided":
        return len(set(dtypes)) == 1 and (kinds <= {"f", "c"} or set(dtypes) == {"int64"})
    return len(set(dtypes)) == 1 or (
        takes == "compared" and (kinds <= set("iu") or set(dtypes) == {"int64", "float64"})
    )
