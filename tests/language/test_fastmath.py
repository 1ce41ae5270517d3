"""`fastmath=True`: near plain Python's numbers, the same bits for any number of workers, and nothing for other methods."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest

from somd import dist, somd, sync, use
from somd.errors import SomdConfigError
from somd.settings.config import reload_config
from somd.settings.targets import target_of
from somd.sources.comparing import Tolerance, difference
from somd.sources.expected import Expected
from somd.sources.verifying import _Runs, verify
from somd.transforms.loops.interpret import Interpreter
from somd.transforms.schedules import scheduled
from somd.transforms.schedules.multicore import FASTMATH
from tests.transforms.passes.validation import bits

NEAR = Tolerance(units=4000.0)


def products(a: dist, b, c: dist):
    for i in range(c.shape[0]):
        for j in range(c.shape[1]):
            for k in range(a.shape[1]):
                c[i, j] += a[i, k] * b[k, j]


def rows(a: dist, x, y: dist):
    for i in range(a.shape[0]):
        s, most = 0.0, 0.0
        for k in range(a.shape[1]):
            s += a[i, k] * x[k]
        for k in range(a.shape[1]):
            most -= a[i, k] / (x[k] + 2.0)
        y[i] = s - most * most


def sparse(data, index, start, x, y: dist):
    for i in range(len(y)):
        s = 0.0
        for k in range(start[i], start[i + 1]):
            s += data[k] * x[index[k]]
        y[i] = s


def slope(a: float, b: float) -> float:
    return a * b - a


def stencil(a: dist, b: dist, w: float):
    for i in range(1, len(a) - 1):
        b[i] = w * a[i] + (1.0 - w) * slope(a[i - 1], a[i + 1])
    total = 0.0
    with sync(total, reduce="+"):
        for i in range(len(a)):
            total += a[i] * b[i]
    return total


def turns(u: dist, v: dist, steps: int):
    for _ in range(steps):
        for i in range(1, len(u) - 1):
            v[i] = u[i] + 0.1 * (u[i - 1] - 2.0 * u[i] + u[i + 1])
        for i in range(1, len(u) - 1):
            u[i] = v[i] + 0.1 * (v[i - 1] - 2.0 * v[i] + v[i + 1])


def matrices(a, b):
    c = a @ b
    return c * 2.0 + c.sum(axis=1, keepdims=True)


def of_products(dtype: str, n: int = 37) -> tuple[Any, ...]:
    r = np.random.default_rng(1)
    return r.random((n, 29)).astype(dtype), r.random((29, n + 5)).astype(dtype), np.zeros((n, n + 5), dtype)


def of_rows(n: int, m: int) -> tuple[Any, ...]:
    r = np.random.default_rng(2)
    return r.random((n, m)), r.random(m), np.zeros(n)


def of_sparse() -> tuple[Any, ...]:
    r = np.random.default_rng(3)
    start = np.concatenate(([0], r.integers(0, 40, 20).cumsum()))
    return r.random(start[-1]), r.integers(0, 50, start[-1]), start, r.random(50), np.zeros(20)


def of_line(n: int, *others: object) -> tuple[Any, ...]:
    return (np.random.default_rng(4).random(n), *others)


CASES: dict[str, tuple[Callable[..., Any], list[tuple[Any, ...]]]] = {
    "products": (products, [of_products("float64"), of_products("float64", 1)]),
    "singles": (products, [of_products("float32")]),
    "rows": (rows, [of_rows(13, 100), of_rows(3, 15), of_rows(2, 0), of_rows(0, 16)]),
    "sparse": (sparse, [of_sparse()]),
    "stencil": (stencil, [of_line(200, np.zeros(200), 0.3), of_line(1, np.zeros(1), 0.3)]),
    "turns": (turns, [of_line(300, np.zeros(300), 7)]),
    "matrices": (matrices, [of_products("float64")[:2]]),
}


def copied(given: tuple[Any, ...]) -> tuple[Any, ...]:
    return tuple(each.copy() if isinstance(each, np.ndarray) else each for each in given)


def outcome(method: Callable[..., Any], given: tuple[Any, ...]) -> tuple[Any, ...]:
    given = copied(given)
    return (method(*given), *given)


@pytest.mark.parametrize("name", CASES)
def test_near_and_the_same_for_all_workers(name: str) -> None:
    function, calls = CASES[name]
    method = somd(fastmath=True)(function)
    for given in calls:
        plain = outcome(function, given)
        found = []
        for workers in (1, 2, 3, 7):
            with use(workers=workers, small_work=0, target="multicore"):
                found.append(outcome(method, given))
        for mine, wanted in zip(found[0], plain, strict=True):
            assert difference(mine, wanted, name, NEAR) is None
        assert all(bits(each) == bits(found[0]) for each in found)


@pytest.mark.parametrize("name", CASES)
def test_bits_are_those_of_the_passes(name: str) -> None:
    """What is made of a program by the passes of `fastmath` is what runs, whatever comes behind them."""
    function, calls = CASES[name]
    method = somd(fastmath=True)(function)
    planned = _Runs(method, (1,), None).planned(calls[0])
    program = scheduled(planned.program, FASTMATH)
    assert program is not planned.program
    for given in calls[:1]:
        mine = copied(given)
        result = Interpreter(program).run(dict(zip(planned.names, mine, strict=False)), "forwards", {}, 1)
        with use(small_work=0, workers=2, target="multicore"):
            made = outcome(method, given)
        assert bits(made[1:]) == bits(mine)
        if name == "stencil":  # what the parts of a region accumulate has an order of its own
            assert difference(made[0], float(result), name, NEAR) is None


@pytest.mark.parametrize("name", ["products", "singles", "rows", "stencil"])
def test_opencl(name: str) -> None:
    if target_of("opencl").problem() is not None:
        pytest.skip("no OpenCL device")
    function, calls = CASES[name]
    method = somd(fastmath=True)(function)
    with use(target="opencl"):
        found, again = outcome(method, calls[0]), outcome(method, calls[0])
        text = method.source()
    for mine, wanted in zip(found, outcome(function, calls[0]), strict=True):
        assert difference(mine, wanted, name, NEAR) is None
    assert bits(found) == bits(again) and "fma(" in text and "FP_CONTRACT ON" not in text


def test_other_methods_stay_exact() -> None:
    exact, fast = somd(products), somd(fastmath=True)(products)
    given = of_products("float64")
    plain, mine = outcome(products, given), outcome(fast, given)
    assert bits(outcome(exact, given)) == bits(plain) != bits(mine)
    assert "fma(" in fast.source("multicore") and "fma" not in exact.source("multicore")
    assert "fastmath: " in str(fast.explain()) and "fastmath: " not in str(exact.explain())
    with use(fastmath=True):
        assert bits(outcome(exact, given)) == bits(mine)
    with use(fastmath=False):
        assert bits(outcome(fast, given)) == bits(plain)
    assert bits(outcome(exact, given)) == bits(plain)


def test_a_method_that_is_called_goes_by_its_caller() -> None:
    @somd(fastmath=True)
    def square(x: dist, y):
        for i in range(len(x)):
            y[i] = x[i] * x[i] - 1.0

    @somd
    def exact(x: dist, y):
        square(x, y)
        for i in range(len(x)):
            y[i] = y[i] * x[i] + 0.1

    given = of_line(100, np.zeros(100))
    plain = outcome(lambda x, y: exact.sequential(x, y), given)
    with use(fastmath=False):
        wanted = outcome(exact.sequential, given)
    assert bits(outcome(exact, given)[1:]) == bits(wanted[1:]) and plain[0] is None


def test_what_is_no_number_stays_none() -> None:
    @somd(fastmath=True)
    def sums(a: dist, y):
        for i in range(len(y)):
            s = 0.0
            for k in range(a.shape[1]):
                s += a[i, k] * 2.0
            y[i] = -1.0 if s != s else s

    a = np.ones((4, 40))
    a[0, 3], a[1, 39], a[2, 17], a[2, 30] = math.nan, math.inf, math.inf, -math.inf
    y = np.zeros(4)
    sums(a, y)
    assert y.tolist() == [-1.0, math.inf, -1.0, 80.0]


def test_rules(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    method, never = somd(rows), somd(fastmath=False)(rows)
    config = tmp_path / "somd.toml"
    monkeypatch.setenv("SOMD_CONFIG", str(config))
    for text, wanted in (
        ('"*.rows" = { fastmath = true }', True),
        ('"test_fastmath.*" = {fastmath = true, target = "multicore"}\n"*.rows" = "sequential"', True),
        ('"*.rows" = {fastmath = true}\n"test_fastmath.*" = {fastmath = false}', False),
        ('"*.other" = {fastmath = true}', False),
    ):
        config.write_text(f"[rules]\n{text}\n")
        reload_config()
        assert method.fastmath is wanted and never.fastmath is False, text
    config.write_text('[rules]\n"*.rows" = {fastmath = 1}\n')
    reload_config()
    with pytest.raises(SomdConfigError, match="`fastmath` of `\\*.rows` must be true or false"):
        method.fastmath  # noqa: B018
    monkeypatch.delenv("SOMD_CONFIG")
    reload_config()


def test_wrong_values_are_refused() -> None:
    for wrong in ("yes", 1, 0.5):
        with pytest.raises(SomdConfigError, match="must be true or false"):
            somd(fastmath=wrong)(rows)  # type: ignore[call-overload]
        with pytest.raises(SomdConfigError, match="must be true or false"):
            use(fastmath=wrong)  # type: ignore[arg-type]


def test_verify_allows_for_it() -> None:
    given = of_rows(13, 100)
    after = copied(given)
    rows(*after)
    case = partial(Expected, given, after, None)
    [finding] = verify(somd(fastmath=True)(rows), [case()], ["multicore"], (1, 3), 1)
    assert finding.agrees.endswith("to rounding")
    [finding] = verify(somd(rows), [case()], ["multicore"], (1, 3), 1)
    assert finding.agrees.endswith("bit for bit")
