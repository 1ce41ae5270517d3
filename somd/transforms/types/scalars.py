"""Scalar types and the operations on them, by NumPy 2's promotion (NEP 50).

The rules are not copied: an operation is typed by running it on samples of the operands' types, so NumPy itself is the
authority. A weak type is a Python `bool`, `int`, `float` or `complex`, which adapts to the strong type it meets.
"""

from __future__ import annotations

import cmath
import operator
import warnings
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import libcst as cst
import numpy as np

BINARY: dict[type[cst.CSTNode], Callable[[Any, Any], Any]] = {
    cst.Add: operator.add,
    cst.Subtract: operator.sub,
    cst.Multiply: operator.mul,
    cst.Divide: operator.truediv,
    cst.FloorDivide: operator.floordiv,
    cst.Modulo: operator.mod,
    cst.Power: operator.pow,
    cst.BitAnd: operator.and_,
    cst.BitOr: operator.or_,
    cst.BitXor: operator.xor,
    cst.LeftShift: operator.lshift,
    cst.RightShift: operator.rshift,
}
AUGMENTED: dict[type[cst.CSTNode], type[cst.BaseBinaryOp]] = {
    cst.AddAssign: cst.Add,
    cst.SubtractAssign: cst.Subtract,
    cst.MultiplyAssign: cst.Multiply,
    cst.DivideAssign: cst.Divide,
    cst.FloorDivideAssign: cst.FloorDivide,
    cst.ModuloAssign: cst.Modulo,
    cst.PowerAssign: cst.Power,
    cst.BitAndAssign: cst.BitAnd,
    cst.BitOrAssign: cst.BitOr,
    cst.BitXorAssign: cst.BitXor,
    cst.LeftShiftAssign: cst.LeftShift,
    cst.RightShiftAssign: cst.RightShift,
}
UNARY: dict[type[cst.CSTNode], Callable[[Any], Any]] = {
    cst.Plus: operator.pos,
    cst.Minus: operator.neg,
    cst.BitInvert: operator.invert,
    cst.Not: operator.not_,
}
REALS = ("bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float32", "float64")
DTYPES = frozenset((*REALS, "complex64", "complex128"))
Number = int | float | bool | complex


@dataclass(frozen=True)
class ScalarType:
    """`dtype` by NumPy's name; `weak` for Python's own bool, int, float and complex (of 64 bits a part).

    `literals` are the Python numbers that a variable of a strong type may hold instead, on some paths; of a weak type,
    numbers that stand for those of other kinds.
    """

    dtype: str
    weak: bool = False
    literals: tuple[Number, ...] = ()

    @property
    def kind(self) -> str:
        """NumPy's kind letter: `b`, `i`, `u`, `f` or `c`."""
        return np.dtype(self.dtype).kind

    @property
    def narrow(self) -> bool:
        """Whether Numba's promotion may differ from NumPy's for this type."""
        return not self.weak and self.dtype not in ("float64", "int64", "complex128")

    def __str__(self) -> str:
        return PYTHON[self.kind] if self.weak else self.dtype


PYTHON = {"b": "bool", "i": "int", "f": "float", "c": "complex"}
INT = ScalarType("int64", weak=True)
FLOAT = ScalarType("float64", weak=True)
BOOL = ScalarType("bool", weak=True)
COMPLEX = ScalarType("complex128", weak=True)
SIZE = INT


@dataclass(frozen=True)
class ArrayType:
    """An array of `ndim` dimensions."""

    dtype: str
    ndim: int

    @property
    def element(self) -> ScalarType:
        return ScalarType(self.dtype)

    def __str__(self) -> str:
        return f"{self.dtype}[{', '.join(':' * self.ndim)}]"


@dataclass(frozen=True)
class TupleType:
    """A tuple, such as `a.shape`, or several results."""

    elements: tuple[ScalarType | ArrayType, ...]

    def __str__(self) -> str:
        return f"({', '.join(map(str, self.elements))})"


Type = ScalarType | ArrayType | TupleType


class NotTyped(Exception):
    """The operation does not exist on these types; the text says why."""


#: numbers to try a function on: math functions differ in where they are defined
TRIALS = (1.0, 0.5, 2.0)


def sample(scalar: ScalarType, trial: float = 1.0) -> Any:
    """A value of the type: `trial` for floats and complex numbers, `trial` or 1 for integers, True."""
    whole = max(1, int(trial))
    if scalar.weak:
        return {"b": True, "i": whole, "f": trial, "c": complex(trial)}[scalar.kind]
    return np.dtype(scalar.dtype).type(trial if scalar.kind in "fc" else whole)


def type_of_value(value: object) -> ScalarType:
    """The type of a Python or NumPy scalar.

    Raises:
        NotTyped: it is no bool, integer, float or complex number that a method can use.
    """
    if isinstance(value, np.generic):
        if value.dtype.name in DTYPES and type(value) is value.dtype.type:
            return ScalarType(value.dtype.name)
    elif type(value) in (bool, float, complex):
        return {bool: BOOL, float: FLOAT, complex: COMPLEX}[type(value)]
    elif type(value) is int:
        if -(1 << 63) <= value < 1 << 63:
            return INT
        raise NotTyped("an integer of more than 64 bits")
    raise NotTyped(f"a value of type `{type(value).__name__}`")


@lru_cache(maxsize=4096)
def apply(function: Callable[..., Any], *operands: ScalarType) -> ScalarType:
    """The type of `function(*operands)`, found by calling it on samples.

    Raises:
        NotTyped: the call fails, or its result is no scalar.
    """
    reason = ""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        warnings.simplefilter("error", np.exceptions.ComplexWarning)
        for trial in TRIALS:
            try:
                value = function(*(sample(o, trial) for o in operands))
            except (TypeError, ValueError, AttributeError, ArithmeticError, np.exceptions.ComplexWarning) as error:
                reason = str(error)
                continue
            return type_of_value(value)
    raise NotTyped(reason)


@lru_cache(maxsize=4096)
def working_type(function: Callable[..., Any], *operands: ScalarType) -> ScalarType:
    """The type that the operands are brought to before an arithmetic operation or a comparison."""
    dtypes = [sample(o) if o.weak else np.dtype(o.dtype) for o in operands]
    if all(o.weak for o in operands):
        result = apply(operator.add, *operands) if len(operands) == 2 else operands[0]
        return result
    return ScalarType(np.result_type(*dtypes).name)


Literal = Number | None

#: stand for a Python number whose value is not known, among the literals that a variable of a type may hold
SOME: dict[str, tuple[Number, ...]] = {"float64": (2.5,), "int64": (3,), "bool": (False, True)}


def joined(values: Iterable[tuple[ScalarType, Literal]]) -> ScalarType:
    """The type of a variable that takes these types on different paths; a literal's value stands beside its type.

    A Python number and a strong type go together when the strong type holds the literal exactly, or has its width.

    Raises:
        NotTyped: they would behave differently, and no single type can stand for all.
    """
    taken = list(dict.fromkeys(values))
    strong = {t.dtype for t, _ in taken if not t.weak}
    weak = [(t, literal) for t, literal in taken if t.weak]
    kinds = {t.kind for t, _ in weak}
    if not strong and ("b" not in kinds or len(kinds) == 1):
        widest = max((t for t, _ in weak), key=lambda t: "bifc".index(t.kind))
        others = {value for t, _ in weak for value in t.literals}
        others |= {some for t, _ in weak if t.kind != widest.kind for some in SOME[t.dtype]}
        return ScalarType(widest.dtype, True, tuple(sorted(others, key=repr)))
    if len(strong) == 1:
        result = ScalarType(next(iter(strong)))
        literals = {value for t, _ in taken for value in t.literals}
        literals |= {literal for _, literal in weak if literal is not None}
        literals |= {some for t, literal in weak if literal is None for some in SOME.get(t.dtype, ())}
        if all(_fits(t, literal, result) for t, literal in weak):
            return ScalarType(result.dtype, literals=tuple(sorted(literals, key=repr)))
    raise NotTyped(" and ".join(f"`{name}`" for name in dict.fromkeys(str(t) for t, _ in taken)))


def _fits(weak: ScalarType, literal: Literal, strong: ScalarType) -> bool:
    if literal is None:
        return weak.dtype == strong.dtype
    if (weak.kind == "b") != (strong.kind == "b") or (weak.kind == "f" and strong.kind not in "fc"):
        return False
    if weak.kind == "c" and strong.kind != "c":
        return False
    return holds(strong.dtype, literal)


def holds(dtype: str, value: Number) -> bool:
    """Whether `dtype` represents the Python number exactly."""
    try:
        with np.errstate(all="ignore"):
            converted = np.dtype(dtype).type(value)
    except (OverflowError, ValueError):
        return False
    return bool(converted.item() == value) or (cmath.isnan(value) if isinstance(value, float | complex) else False)
