"""`raise` and `assert` in their plain form."""

from __future__ import annotations

import libcst as cst
import numpy as np
import pytest

from somd import SomdCompileError, dist
from somd.transforms.frontend.read import read_method
from somd.transforms.stages import Raising

A = dist[np.ndarray]


def text_of(function) -> str:  # type: ignore[no-untyped-def]
    method = read_method(function)
    return cst.Module([method.function.body]).code.strip("\n")


def checks(a: A, n: int) -> None:
    if n < 0:
        raise ValueError(f"{n} of {a.shape}, {len(a)=}")
    elif n > 9:
        raise TypeError
    else:
        assert n, "zero"
        n = 1
    a[0] = n


def test_statements() -> None:
    assert text_of(checks) == (
        "    if n < 0:\n"
        "        raise raised_1(n, a.shape, len(a))\n"
        "    if n > 9:\n"
        "        raise raised_2()\n"
        "    if not (n):\n"
        "        raise raised_3()\n"
        "    n = 1\n"
        "    a[0] = n"
    )  # fmt: skip
    found = read_method(checks).namespace["raised_1"]
    assert isinstance(found, Raising)
    assert found.text == 'raise ValueError(f"{n} of {a.shape}, {len(a)=}")'
    assert found.values == ("n", "a.shape", "len(a)") and found.function is checks


def chosen(a: A, i: int) -> None:
    raise ValueError(f"after {a[i - 1]}" if i > 0 else "first", a[i].item(), i.bit_length(), [str(k) for k in range(i)])
    a[i] = 0.0


def test_a_choice_of_elements_makes_two_statements() -> None:
    assert text_of(chosen) == (
        "    if i > 0:\n"
        "        raise raised_1(a[i - 1], a[i], i)\n"
        "    raise raised_2(a[i], i)"
    )  # fmt: skip


def or_else(a: A, n: int) -> None:
    if n > 0:
        a[0] = n
    else:
        raise ValueError(n)


def test_the_other_branch_stands_behind() -> None:
    assert text_of(or_else) == "    if not (n > 0):\n        raise raised_1(n)\n    a[0] = n"


def walrus(a: A) -> None:
    raise ValueError(x := 1)  # noqa: F841


def twice(a: A, k: int) -> None:
    raise ValueError([k + 1 for k in range(3)], k)


@pytest.mark.parametrize("function", [walrus, twice])
def test_what_has_no_value_ahead(function) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(SomdCompileError, match="SOMD202"):
        read_method(function)
