"""Numbers of arrays that are computed where Python comes to them: in choices, behind `and` and `or`, in tests."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

from somd.arguments.signatures import describe_all
from somd.transforms.loops.interpret import Interpreter
from somd.transforms.pipeline import compile_for, loop_program
from somd.transforms.signature_text import parse_type


def one_of_two(v: np.ndarray, k: int):
    return v.sum() if k > 0 else v.max()


def in_one_another(v: np.ndarray, k: int):
    x = v.mean() if k > 2 else (v.std() if k > 0 and v.sum() > 1 else v.mean() + v.std())
    return x + v.mean()


def behind_or(v: np.ndarray, k: int):
    return v.any() or v[::2].all()


def in_tests(v: np.ndarray, k: int):
    n = 0
    if k > 0 and v.sum() > 3:
        n += 1
    if len(v) == 0 or v.min() > 0:
        n += 10
    if not (k > 1 and v.any()):
        n += 100
    while n < 130 and v.max() > 1:
        n += 20
    return n


def elements_of_a_part(v: np.ndarray, k: int):
    inner = v[1:-1]
    return (inner[k] if 0 <= k < len(inner) else 1.0) + (inner[0] if len(inner) > 0 else v.sum())


def a_mean_under_a_condition(v: np.ndarray, k: int):
    w = ((v - v.mean()) if k > 0 else v * v.std()) + v.std()
    return w


METHODS = (one_of_two, in_one_another, behind_or, in_tests, elements_of_a_part, a_mean_under_a_condition)


@pytest.mark.parametrize("method", METHODS, ids=lambda each: each.__name__)
def test_what_a_condition_leads_to(method) -> None:
    names = "v", "k"
    types = dict(zip(names, map(parse_type, describe_all((np.ones(1), 1), names)), strict=True))
    interpreter = Interpreter(loop_program(compile_for(method, types, {})))
    for n in (0, 1, 2, 7):
        for k in (-1, 0, 1, 3):
            v = np.arange(n) / 2 - 1.0
            with warnings.catch_warnings(), np.errstate(all="ignore"):
                warnings.simplefilter("ignore")
                try:
                    wanted = method(v.copy(), k)
                except ValueError as error:
                    with pytest.raises(ValueError, match=str(error)):
                        interpreter.run({"v": v.copy(), "k": k}, 1)
                    continue
                found = interpreter.run({"v": v.copy(), "k": k}, 1)
            assert type(found) is type(wanted)
            assert np.array_equal(found, wanted, equal_nan=n == 0 and wanted is not True)
