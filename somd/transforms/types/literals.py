"""Variables that hold a Python number on some paths and a NumPy scalar on others.

    x = 200
    if a[i] > 100:
        x = a[i]            # uint8
    y = x * x               # 40000 from the Python number, 64 from a NumPy one

`x` has the strong type with the numbers that it may hold instead (`ScalarType.literals`). An operation is allowed where
it gives the same value and type for them as for the strong type; its result may be a Python number in turn. float64 and
int64 have the values of Python's own numbers, but promote otherwise: `SOME` numbers stand for them. What is an int on
some paths and a float on others is a float that has SOME int among its literals.
"""

from __future__ import annotations

import itertools
import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from somd.transforms.types.scalars import SOME, Literal, NotTyped, Number, ScalarType, apply, sample, type_of_value

#: Python numbers that one variable may hold, at most
MOST = 16


class PathDependent(Exception):
    """The result depends on whether `strong` holds a Python number or a NumPy scalar."""

    def __init__(self, strong: ScalarType) -> None:
        super().__init__(str(strong))
        self.strong = strong


def plain(scalar: ScalarType) -> ScalarType:
    """The type without what it remembers of literals."""
    return ScalarType(scalar.dtype, scalar.weak) if scalar.literals else scalar


def result_of(
    function: Callable[..., Any], operands: Sequence[ScalarType], values: Sequence[Literal], compares: bool = False
) -> ScalarType:
    """The type of `function(*operands)`; `values` has the literal value of each operand, or None where it is none.

    Raises:
        NotTyped: the function has no result.
        PathDependent: its result is another one where an operand is a Python number.
    """
    types = [plain(o) for o in operands]
    result = apply(function, *types)
    if not compares:
        _fits(function, types, values)
    bearing = [k for k, operand in enumerate(operands) if operand.literals]
    for k in bearing:
        if any(not t.weak for j, t in enumerate(types) if j != k):
            _same_type(function, operands[k], k, types, result, compares)
    if all(t.weak for t in types):
        return _of_kinds(function, operands, result) if bearing and not compares else result
    bearing = [k for k in bearing if not types[k].weak]
    if not bearing or not all(o.weak or o.literals for o in operands):
        return result
    tracked = [operands[k] for k in bearing if _tracked(operands[k])]
    if not tracked:
        # a sum of no terms stays out of it: see `_same_type`
        none = compares or result.weak or all(v == 0 for k in bearing for v in operands[k].literals)
        return result if none or result.dtype not in SOME else ScalarType(result.dtype, literals=SOME[result.dtype])
    if any(o.weak and v is None for o, v in zip(operands, values, strict=True)):
        if compares:
            return ScalarType(result.dtype, literals=(False, True))
        raise PathDependent(tracked[0])
    return _with_literals(function, operands, values, result, tracked[0])


def _of_kinds(function: Callable[..., Any], operands: Sequence[ScalarType], result: ScalarType) -> ScalarType:
    """The result of Python numbers of which some may be of one of several kinds."""
    choices = [[plain(o), *(type_of_value(value) for value in o.literals)] for o in operands]
    others = {apply(function, *chosen) for chosen in itertools.product(*choices)} - {result}
    if not result.weak or not others:
        return result
    return ScalarType(result.dtype, True, tuple(sorted({SOME[o.dtype][0] for o in others if o.weak}, key=repr)))


def _fits(function: Callable[..., Any], types: Sequence[ScalarType], values: Sequence[Literal]) -> None:
    """Raise NotTyped where a literal is out of the range of the type that it meets, which NumPy does not let pass."""
    if all(t.weak for t in types) or not any(
        t.weak and isinstance(v, int) and abs(v) > 1 for t, v in zip(types, values, strict=True)
    ):
        return
    given = [v if t.weak and v is not None else sample(t) for t, v in zip(types, values, strict=True)]
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            function(*given)
        except OverflowError as error:
            raise NotTyped(str(error)) from None
        except (TypeError, ValueError, ArithmeticError):
            return


def _tracked(scalar: ScalarType) -> bool:
    """Whether a Python number and one of this type may give different values: float64 and int64 are Python's own."""
    return scalar.narrow or scalar.kind == "c"


def _same_type(
    function: Callable[..., Any],
    operand: ScalarType,
    place: int,
    types: Sequence[ScalarType],
    result: ScalarType,
    compares: bool,
) -> None:
    """A literal in place of `operand`, beside strong operands, must give the type that the strong one gives."""
    for literal in operand.literals:
        if compares or (not _tracked(operand) and literal == 0):
            continue
        try:
            found = apply(function, *(type_of_value(literal) if j == place else t for j, t in enumerate(types)))
        except NotTyped:
            raise PathDependent(operand) from None
        if found != result:
            raise PathDependent(operand)


def _with_literals(
    function: Callable[..., Any],
    operands: Sequence[ScalarType],
    values: Sequence[Literal],
    result: ScalarType,
    strong: ScalarType,
) -> ScalarType:
    """`result` with the Python numbers that it may be."""
    found: set[Number] = set()
    choices = [o.literals if o.literals else (v,) for o, v in zip(operands, values, strict=True)]
    for chosen in itertools.product(*choices):
        typed = [np.dtype(o.dtype).type(v) if o.literals else v for o, v in zip(operands, chosen, strict=True)]
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            try:
                ours, numpys = function(*chosen), function(*typed)
            except (TypeError, ValueError, ArithmeticError):
                raise PathDependent(strong) from None
        # a sum of no terms is 0, and the root of it too: of another type in NumPy, but nobody computes with it
        alien = isinstance(ours, np.generic) and ours.dtype != result.dtype
        if not _same(ours, numpys) or (alien and any(v != 0 for v in chosen)):
            raise PathDependent(strong)
        if alien or not isinstance(ours, np.generic):
            found.add(ours.item() if alien else ours)
    if len(found) > MOST:
        raise PathDependent(strong)
    return ScalarType(result.dtype, result.weak, () if result.weak else tuple(sorted(found, key=repr)))


def _same(left: Any, right: Any) -> bool:
    """Whether two numbers are equal, signs of zeros and nan included."""
    one, other = complex(left), complex(right)
    return repr(one) == repr(other) or (
        one == other and isinstance(left, int) and abs(left) > 1 << 53 and left == right
    )
