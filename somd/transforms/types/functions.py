"""The functions a method may call, and what they stand for in each target's terms.

The keys are the function objects themselves, so an alias or another way of importing makes no difference.
"""

from __future__ import annotations

import cmath
import math
from collections.abc import Callable, Sequence
from typing import Any, cast

import libcst as cst
import numpy as np

from somd.elementary.functions import FUNCTIONS, OF_MATH, OF_NUMPY
from somd.transforms.types.scalars import ScalarType

_MATH = "sqrt floor ceil trunc fabs copysign degrees radians isnan isinf isfinite fmod gcd isqrt"
_NUMPY = (
    "sqrt floor ceil trunc rint fabs abs absolute copysign minimum maximum isnan isinf isfinite sign "
    "conj conjugate real imag angle fmin fmax clip where square signbit fmod round around bitwise_count "
    "logical_and logical_or logical_xor logical_not deg2rad rad2deg degrees radians negative positive reciprocal"
)
_COMPLEX = "sqrt exp log log10 sin cos tan sinh cosh tanh"
_CMATH = f"{_COMPLEX} phase isnan isinf isfinite"
_DTYPES = "bool_ int8 int16 int32 int64 uint8 uint16 uint32 uint64 float32 float64 complex64 complex128"

#: functions of NumPy that are operators
OPERATORS: dict[str, type[cst.BaseBinaryOp]] = {
    "add": cst.Add,
    "subtract": cst.Subtract,
    "multiply": cst.Multiply,
    "divide": cst.Divide,
    "true_divide": cst.Divide,
    "floor_divide": cst.FloorDivide,
    "mod": cst.Modulo,
    "remainder": cst.Modulo,
    "bitwise_and": cst.BitAnd,
    "bitwise_or": cst.BitOr,
    "bitwise_xor": cst.BitXor,
    "left_shift": cst.LeftShift,
    "right_shift": cst.RightShift,
}
#: functions of NumPy that are operators on one number
SIGNS: dict[str, type[cst.BaseUnaryOp]] = {"negative": cst.Minus, "positive": cst.Plus}
#: functions of NumPy that multiply by a factor
ANGLES = ("degrees", "rad2deg", "radians", "deg2rad")
#: functions of NumPy that take complex numbers here too
OF_COMPLEX = frozenset(
    f"{_COMPLEX} abs absolute power isnan isinf isfinite conj conjugate real imag angle negative positive where".split()
)
#: methods of scalars, and the attributes that are the parts of a complex number
METHODS = ("conjugate", "conj")
PARTS = ("real", "imag")

BUILTINS = (abs, min, max, round, int, float, complex, bool, len, pow, divmod)
#: functions of `math`, and those that methods compute in their place, which have their bits in plain Python too
MATH: dict[Callable[..., Any], str] = {
    **{getattr(math, name): name for name in (*_MATH.split(), *OF_MATH)},
    **{each.function: each.math for each in FUNCTIONS if each.math is not None},
}
CMATH: dict[Callable[..., Any], str] = {getattr(cmath, name): name for name in _CMATH.split()}
NUMPY: dict[Callable[..., Any], str] = {getattr(np, name): name for name in (*_NUMPY.split(), *OPERATORS, *OF_NUMPY)}
CASTS: dict[Callable[..., Any], str] = {getattr(np, name): np.dtype(getattr(np, name)).name for name in _DTYPES.split()}
BUILTIN: dict[Callable[..., Any], str] = {f: f.__name__ for f in BUILTINS}

#: how the result of a function is found where a call on samples gives something else than a scalar
SAMPLED: dict[Callable[..., Any], Callable[..., Any]] = {np.where: lambda *given: cast(Any, np.where)(*given)[()]}
ALLOCATE: dict[Callable[..., Any], str] = {getattr(np, n): n for n in ("empty", "zeros", "ones", "full")}
ALLOCATE_LIKE: dict[Callable[..., Any], str] = {
    getattr(np, n): n for n in ("empty_like", "zeros_like", "ones_like", "full_like", "copy")
}

_OF_TWO = ("copysign", "fmod", "gcd")
_OF_THREE = ("clip", "where")
_OF_ONE_OR_TWO = ("round", "around", "complex64", "complex128")


def counts_of(function: object, kind: str, name: str) -> tuple[int, ...]:
    """How many numbers a function of `math`, `cmath` or NumPy takes here; Python's `hypot` and `gcd` take any."""
    if isinstance(function, np.ufunc):
        return (function.nin,)
    if name in _OF_ONE_OR_TWO or (name == "log" and kind == "math"):
        return (1, 2)
    if kind == "math" and name in OF_MATH:
        return (OF_MATH[name].takes,)
    return (2,) if name in _OF_TWO else (3,) if name in _OF_THREE else (1,)


def angle_factor(name: str, dtype: str) -> float:
    """What NumPy's function of `ANGLES` multiplies a number of `dtype` by: in float32 a quotient of rounded numbers."""
    return float(getattr(np, name)(np.dtype(dtype).type(1)))


def reciprocal_of_zero(dtype: str) -> int:
    """What NumPy gives for `1 / 0` of integers of `dtype`: what the machine makes of infinity, which differs."""
    with np.errstate(all="ignore"):
        return int(np.reciprocal(np.dtype(dtype).type(0)))


def end_of_clip(place: int, value: ScalarType, bound: ScalarType, result: ScalarType) -> tuple[int, float] | None:
    """For Python's int as bound number `place` of `np.clip`: from which number on it bounds nothing, and what
    stands for it then in the result's type; None where every number is a bound.

    NumPy leaves out a bound beyond the type of the integer that is clipped.
    """
    if value.weak or value.kind not in "iu" or not bound.weak or bound.kind != "i":
        return None
    low = place == 1
    limits = np.iinfo(value.dtype)
    first = int(limits.min if low else limits.max)
    if not -(2**63) <= first < 2**63 or result.dtype == value.dtype == "int64":
        return None
    if result.kind == "f":
        return first, -math.inf if low else math.inf
    limits = np.iinfo(result.dtype)
    return first, int(limits.min if low else limits.max)


def places_of(arguments: Sequence[cst.BaseExpression]) -> int | None:
    """The places to which a call rounds its first argument: 0 where it does not say so; None if no literal does."""
    given = arguments[1] if len(arguments) > 1 else cst.Integer("0")
    negative = isinstance(given, cst.UnaryOperation) and isinstance(given.operator, cst.Minus)
    if isinstance(given, cst.UnaryOperation) and negative:
        given = given.expression
    if not isinstance(given, cst.Integer):
        return None
    return -int(given.evaluated_value) if negative else int(given.evaluated_value)


def known(function: object, table: dict[Callable[..., Any], str]) -> str | None:
    """The name under which `table` holds `function`, or None."""
    try:
        return table.get(function)  # type: ignore[call-overload, no-any-return]
    except TypeError:
        return None


def is_function(function: object) -> bool:
    """Whether a function of numbers is one that methods call."""
    return any(known(function, table) is not None for table in (BUILTIN, CASTS, MATH, CMATH, NUMPY))
