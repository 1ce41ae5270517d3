"""Types of array values, found by running NumPy on sample arrays with two elements an axis (decision 3).

In: an operation and the types of its operands, arrays and scalars. Out: the type of the result, or `NotTyped` with the
reason that NumPy gives. Lengths are no matter of types.
"""

from __future__ import annotations

import operator
import warnings
from collections.abc import Callable
from functools import lru_cache
from typing import Any

import libcst as cst
import numpy as np

from somd.transforms.types.scalars import (
    DTYPES,
    TRIALS,
    ArrayType,
    Literal,
    NotTyped,
    ScalarType,
    TupleType,
    Type,
    sample,
    type_of_value,
)

#: what updates an array in place
IN_PLACE: dict[type[cst.CSTNode], Callable[[Any, Any], Any]] = {
    cst.AddAssign: operator.iadd,
    cst.SubtractAssign: operator.isub,
    cst.MultiplyAssign: operator.imul,
    cst.DivideAssign: operator.itruediv,
    cst.FloorDivideAssign: operator.ifloordiv,
    cst.ModuloAssign: operator.imod,
    cst.PowerAssign: operator.ipow,
    cst.BitAndAssign: operator.iand,
    cst.BitOrAssign: operator.ior,
    cst.BitXorAssign: operator.ixor,
    cst.LeftShiftAssign: operator.ilshift,
    cst.RightShiftAssign: operator.irshift,
}
#: the length of each axis of a sample
TWO = 2
#: literals whose values an operation may depend on: `a ** 2`, `a + 300` for bytes
_KEPT = 4096


def sample_array(array: ArrayType, trial: float = 1.0) -> np.ndarray[Any, Any]:
    """An array of the type, two elements along each axis."""
    return np.full((TWO,) * array.ndim, sample(array.element, trial), array.dtype)


def typed_value(value: object) -> Type:
    """The type of what an operation gave.

    Raises:
        NotTyped: a method has no such values.
    """
    if type(value) is np.ndarray and value.ndim:
        if value.dtype.name not in DTYPES:
            raise NotTyped(f"an array of `{value.dtype.name}`")
        return ArrayType(value.dtype.name, value.ndim)
    if isinstance(value, tuple):
        parts = tuple(map(typed_value, value))
        return TupleType(tuple(part for part in parts if isinstance(part, ArrayType)))
    return type_of_value(value[()] if isinstance(value, np.ndarray) else value)


@lru_cache(maxsize=_KEPT)
def applied(function: Callable[..., Any], operands: tuple[Type, ...], literals: tuple[Literal, ...]) -> Type:
    """The type of `function(*operands)`; where an operand is a literal, its value stands beside it.

    Raises:
        NotTyped: NumPy refuses it, or gives what a method cannot hold.
    """
    reason = ""
    refusals = TypeError, ValueError, AttributeError, ArithmeticError, IndexError, np.exceptions.ComplexWarning
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        warnings.simplefilter("error", np.exceptions.ComplexWarning)
        for trial in TRIALS:
            try:
                return typed_value(function(*_samples(operands, literals, trial)))
            except refusals as error:
                reason = str(error)
    raise NotTyped(reason)


def _samples(operands: tuple[Type, ...], literals: tuple[Literal, ...], trial: float) -> list[Any]:
    made: list[Any] = []
    for operand, literal in zip(operands, literals, strict=True):
        if isinstance(operand, ArrayType):
            made.append(sample_array(operand, trial))
        elif isinstance(operand, ScalarType):
            made.append(sample(operand, trial) if literal is None else literal)
        else:
            raise NotTyped("a tuple among arrays")
    return made


def stored(target: ArrayType, value: Type) -> None:
    """Ask whether an array of these many axes takes a value.

    Raises:
        NotTyped: NumPy refuses it.
    """
    if isinstance(value, ArrayType) and value.ndim > target.ndim:
        raise NotTyped(f"an array of {value.ndim} dimensions does not fit into {target.ndim}")
    applied(_store, (target, value), (None, None))


def _store(target: Any, value: Any) -> Any:
    target[...] = value
    return target
