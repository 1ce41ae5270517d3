"""The operators of loop programs: what they mean, of which type they are, and what is known of integers."""

from __future__ import annotations

import math
from itertools import product

import numpy as np
import pytest

from somd.transforms.loops.making import cast, comparison, constant, negated, operation
from somd.transforms.loops.operators import OPERATORS, number, result_type
from somd.transforms.loops.program import Interval
from somd.transforms.loops.ranges import fitted, of_operation, whole
from somd.transforms.types.scalars import FLOAT, INT, REALS, NotTyped, ScalarType

INT8, INT64, FLOAT64 = ScalarType("int8"), ScalarType("int64"), ScalarType("float64")
BIG = 2**53 + 1


def meant(name: str, *values: object) -> object:
    with np.errstate(all="ignore"):
        return OPERATORS[name].meaning(*values)


def test_python_numbers_that_numpy_computes_otherwise() -> None:
    assert meant("/", np.int64(BIG), np.int64(3)) == BIG / 3
    assert not meant("<", np.int64(BIG), np.float64(2**53))
    assert meant(">", np.int64(BIG), np.float64(2**53))
    assert meant("<", np.int64(-1), np.uint64(2**64 - 1))
    assert meant("round", np.float64(2.675), np.int64(2)) == round(2.675, 2) != np.round(2.675, 2)
    assert meant("python /", np.complex128(1 + 2j), np.complex128(3 - 4j)) == (1 + 2j) / (3 - 4j)
    assert meant("math.gcd", np.int64(12), np.int64(18)) == 6


def test_what_python_raises_is_a_number() -> None:
    assert meant("/", np.int64(1), np.int64(0)) == math.inf
    assert meant("//", np.int64(1), np.int64(0)) == 0
    assert math.isnan(float(meant("math.sqrt", np.float64(-1))))  # type: ignore[arg-type]
    assert meant("math.exp", np.float64(1e4)) == math.inf
    assert meant("<<", np.int64(1), np.int64(70)) == 0


def test_no_operator_converts() -> None:
    for name in ("+", "//", "<<", "min"):
        with pytest.raises(NotTyped):
            result_type(name, (INT8, INT64))
    with pytest.raises(NotTyped):
        result_type("<", (ScalarType("float32"), FLOAT64))
    with pytest.raises(NotTyped):
        result_type("nothing", (INT8, INT8))
    assert result_type("<", (INT64, FLOAT64)) == ScalarType("bool")


def test_constants_are_folded_where_the_type_has_them() -> None:
    assert cast(constant(3, INT64), FLOAT64) == constant(3.0, FLOAT64)
    assert cast(constant(300, INT64), INT8).range == whole(INT8)
    assert constant(2**63 + 5, ScalarType("uint64")).value == 2**63 + 5
    assert negated(constant(0.0, FLOAT64)).value == 0.0  # type: ignore[union-attr]
    assert math.copysign(1, negated(constant(0.0, FLOAT64)).value) == -1  # type: ignore[union-attr, arg-type]
    assert number(2**64 - 1, "int64") == -1
    exact = comparison("<", constant(BIG, INT64), constant(0.5, FLOAT64), (INT, FLOAT))
    assert exact.operands[0].type == INT64


@pytest.mark.parametrize("name", ["+", "-", "*", "//", "%", "&", "min", "max"])
def test_intervals_enclose(name: str) -> None:
    """Every result lies in the interval, for all operands of small intervals, wrapped ones too."""
    random = np.random.default_rng(0)
    for _ in range(60):
        type_ = ScalarType(str(random.choice([d for d in REALS if d.startswith(("int8", "uint8", "int16"))])))
        limits = whole(type_)
        assert limits is not None
        ends = np.sort(
            random.integers(limits.low, limits.high, (2, 2), endpoint=True) // random.integers(1, 60), axis=1
        )
        left, right = (Interval(int(low), int(high)) for low, high in ends)
        found = of_operation(name, [left, right], type_)
        assert found is not None and fitted(found, type_) == found
        some = [random.integers(each.low, each.high, 6, endpoint=True) for each in (left, right)]
        for a, b in product([left.low, left.high, *map(int, some[0])], [right.low, right.high, *map(int, some[1])]):
            value = int(meant(name, number(a, type_.dtype), number(b, type_.dtype)))  # type: ignore[call-overload]
            assert found.low <= value <= found.high, (name, type_, left, right, a, b)


def test_an_operation_knows_its_interval() -> None:
    small, one = constant(100, INT8), constant(1, INT8)
    assert operation("+", small, one).range == Interval(101, 101)
    assert operation("+", small, small).range == whole(INT8)
