"""Types of operations against NumPy itself, on other values than the compiler looks at."""

import itertools
import math
from types import FunctionType
from typing import Any

import libcst as cst
import numpy as np
import pytest

from somd.transforms.frontend.source_to_method import method_of
from somd.transforms.types.infer import infer_types
from somd.transforms.types.scalars import (
    BINARY,
    DTYPES,
    REALS,
    UNARY,
    ArrayType,
    NotTyped,
    ScalarType,
    apply,
    type_of_value,
)

WEAK = {"bool": True, "int64": 3, "float64": 2.5, "complex128": 2.5 - 1j}
SCALARS = [*(ScalarType(name) for name in sorted(DTYPES)), *(ScalarType(name, weak=True) for name in WEAK)]


def values(scalar: ScalarType) -> list[Any]:
    if scalar.weak:
        return [WEAK[scalar.dtype], type(WEAK[scalar.dtype])(1)]
    kind = np.dtype(scalar.dtype).type
    return [kind(2), kind(5), kind(1)]


@pytest.mark.parametrize("operator", BINARY, ids=lambda kind: kind.__name__)
def test_binary_operators(operator: type[cst.CSTNode]) -> None:
    function = BINARY[operator]
    for left, right in itertools.product(SCALARS, repeat=2):
        for x, y in itertools.product(values(left), values(right)):
            with np.errstate(all="ignore"):
                try:
                    wanted = type_of_value(function(x, y))
                except (TypeError, ValueError):
                    with pytest.raises(NotTyped):
                        apply(function, left, right)
                    continue
            assert apply(function, left, right) == wanted, (left, right, x, y)


@pytest.mark.parametrize("operator", UNARY, ids=lambda kind: kind.__name__)
def test_unary_operators(operator: type[cst.CSTNode]) -> None:
    for scalar, k in itertools.product(SCALARS, range(2)):
        try:
            with np.errstate(all="ignore"):
                wanted = type_of_value(UNARY[operator](values(scalar)[k]))
        except TypeError:
            with pytest.raises(NotTyped):
                apply(UNARY[operator], scalar)
            continue
        except DeprecationWarning:
            continue
        assert apply(UNARY[operator], scalar) == wanted


def mixed(a, b, n):  # type: ignore[no-untyped-def]
    p = a[0] * 2.5
    q = a[0] + b[0]
    r = q // 2
    s = math.sqrt(a[0])
    t = np.abs(b[0])
    u = -a[0] % 3
    v = a[0] > b[0]
    w = n / 2
    x = abs(b[0]) + n
    y = np.float32(1) * n
    z = np.minimum(a[0], b[0])
    return p, q, r, s, t, u, v, w, x, y, z


@pytest.mark.parametrize(("first", "second"), list(itertools.product(REALS[1:], repeat=2)))
def test_a_method_has_the_types_of_the_elided_function(first: str, second: str) -> None:
    assert isinstance(mixed, FunctionType)
    a, b = np.array([4], first), np.array([9], second)
    given = {"a": ArrayType(first, 1), "b": ArrayType(second, 1), "n": ScalarType("int64", weak=True)}
    types = infer_types(method_of(mixed), given)
    wanted = dict(zip("pqrstuvwxyz", mixed(a, b, 5), strict=True))
    found = {name: types.names[name] for name in wanted}
    assert found == {name: type_of_value(value) for name, value in wanted.items()}


def complex_mixed(a, b, n):  # type: ignore[no-untyped-def]
    p = a[0] * 2.5
    q = a[0] + b[0]
    r = q / 2j
    s = abs(a[0])
    t = a[0].imag
    u = a[0] ** 2
    v = a[0] == b[0]
    w = complex(n, 1)
    x = np.conj(a[0]) - n
    y = np.angle(a[0])
    z = np.complex64(n, n) * w
    return p, q, r, s, t, u, v, w, x, y, z


COMPLEX_PAIRS = list(itertools.product(("complex64", "complex128"), sorted(DTYPES)))


@pytest.mark.parametrize(("first", "second"), COMPLEX_PAIRS)
def test_complex_numbers_have_the_types_of_the_elided_function(first: str, second: str) -> None:
    assert isinstance(complex_mixed, FunctionType)
    a, b = np.array([4 - 1j], first), np.array([1], second)
    given = {"a": ArrayType(first, 1), "b": ArrayType(second, 1), "n": ScalarType("int64", weak=True)}
    types = infer_types(method_of(complex_mixed), given)
    wanted = dict(zip("pqrstuvwxyz", complex_mixed(a, b, 5), strict=True))
    found = {name: types.names[name] for name in wanted}
    assert found == {name: type_of_value(value) for name, value in wanted.items()}
