"""Forms of everyday code: what an array without a name is asked for, columns under masks, extremes that begin with a
number, limits that are None, `out=` of a new array, rows stored from tuples, choices that are returned."""

from __future__ import annotations

import numpy as np
import pytest

from somd.arguments.signatures import describe_all
from somd.transforms.loops.interpret import Interpreter
from somd.transforms.pipeline import compile_for, loop_program
from somd.transforms.signature_text import parse_type


def squares_of_the_diagonal(a: np.ndarray, v: np.ndarray, k: int):
    s = np.zeros(min(a.shape))
    for i in range(min(a.shape)):
        s[i] = a[i, i] * a[i, i]
    return s, a[: min(a.shape), : max(a.shape)].sum(axis=0)


def how_many(a: np.ndarray, v: np.ndarray, k: int):
    count = v[v > 0].size
    return count, v[v < 0].shape[0], (a * 2).shape[1], (a + a).ndim, v.sum() / count if count > 0 else 0.0


def columns_under_a_mask(a: np.ndarray, v: np.ndarray, k: int):
    mask = v > 0
    a[mask, 1] += 2
    a[v < 0, 0] = v[v < 0]
    return a[mask, k % 2], a[1, a[0] > 0]


def begun_with(a: np.ndarray, v: np.ndarray, k: int):
    return np.max(a, axis=0, initial=0), v.min(initial=k), np.max(a[:, :0], axis=1, keepdims=True, initial=-1.5)


def clipped(a: np.ndarray, v: np.ndarray, k: int):
    np.clip(a, -1, 1, out=a)
    return v.clip(min=0), np.clip(v, None, 0.5), v.clip(0, k), np.clip(v[0], a_min=0, a_max=1)


def quotients(a: np.ndarray, v: np.ndarray, k: int):
    return np.divide(a[:, 0], v, out=np.zeros_like(v), where=v != 0) + 1, np.add(v, k, out=np.ones(len(v)))


def rows(a: np.ndarray, v: np.ndarray, k: int):
    for i, (x, y) in enumerate(a):
        a[i] = y, x + v[i]
    for (x, y), z in zip(reversed(a), v, strict=False):
        k += int(x > y + z)
    a[0] = [k, 2.5]
    return k


def powers(a: np.ndarray, v: np.ndarray, k: int):
    s = 0
    for i in range(len(v)):
        s += 2 ** max(k - i, 0) + 3 ** abs(k) + 2 ** min(i, len(v)) + (-1) ** (i & 3) + 2 ** a.shape[1]
    return s


def one_of_two(a: np.ndarray, v: np.ndarray, k: int):
    doubled = v * 2
    return doubled / k if k > 1 else doubled if k > 0 else v


def by_pairs(a: np.ndarray, v: np.ndarray, k: int):
    pairs = v.reshape(-1, 2)
    return (pairs - pairs.mean(axis=0)).reshape(v.shape)


def stretched(a: np.ndarray, v: np.ndarray, k: int):
    first = a[:, :1]
    third = a * 2 + a[2:3] if k > 1 else a * 2  # two rows have no third
    return a * first + a[-1:], v[-1:] * a, np.where(first > 0, a, a[1:2]), (a[:, 1:2] - v).sum(axis=1), third


def indexes_stretched(a: np.ndarray, v: np.ndarray, k: int):
    number = np.arange(len(v))
    chosen = (number + 1) % 2
    ones = np.broadcast_to(v[:1], (3,)) * 1
    return a[np.arange(1), chosen], a[number[:1], chosen], np.broadcast_to(a[:, :1], a.shape) + a, ones


METHODS = (
    squares_of_the_diagonal,
    how_many,
    columns_under_a_mask,
    begun_with,
    clipped,
    quotients,
    rows,
    powers,
    one_of_two,
    by_pairs,
    stretched,
    indexes_stretched,
)


@pytest.mark.parametrize("method", METHODS, ids=lambda each: each.__name__)
def test_a_form(method) -> None:
    names = "a", "v", "k"
    types = dict(zip(names, map(parse_type, describe_all((np.ones((1, 1)), np.ones(1), 1), names)), strict=True))
    interpreter = Interpreter(loop_program(compile_for(method, types, {})))
    pick = np.random.default_rng(7)
    for n in (2, 4, 8):
        for k in (-2, 0, 1, 3):
            given = [pick.integers(-3, 4, (n, 2)) / 2, pick.integers(-3, 4, n) / 2, k]
            own = [np.copy(each) if isinstance(each, np.ndarray) else each for each in given]
            try:
                with np.errstate(all="ignore"):
                    wanted = method(*given)
            except (ValueError, IndexError) as error:
                with pytest.raises(type(error)):
                    interpreter.run(dict(zip(names, own, strict=True)), 1)
                continue
            found = interpreter.run(dict(zip(names, own, strict=True)), 1)
            together = zip((found, *own), (wanted, *given), strict=True)
            for mine, theirs in together:
                several = isinstance(theirs, tuple)
                for one, other in zip(mine, theirs, strict=True) if several else ((mine, theirs),):
                    assert type(one) is type(other) or (type(other) is float and isinstance(one, np.float64))
                    assert np.array_equal(one, other) and np.shape(one) == np.shape(other)
            assert (found is own[1]) == (wanted is given[1])


def stored_at(a, k, mask, v, w):
    a[k] = v
    a[mask] = w
    a[np.arange(len(k))] += v


@pytest.mark.parametrize(
    ("k", "w", "told"),
    [
        ((0, 1, 2), (9, 9), r"shape mismatch: value array of shape \(2,\) .* indexing result of shape \(3,\)"),
        ((0, 1), (9, 9), "cannot assign 2 input values to the 3 output values where the mask is true"),
    ],
)
def test_shapes_that_are_told(k: tuple[int, ...], w: tuple[int, ...], told: str) -> None:
    names = ("a", "k", "mask", "v", "w")
    given = (np.zeros(5), np.array(k), np.arange(5) > 1, np.ones(2), np.array(w))
    types = dict(zip(names, map(parse_type, describe_all(given, names)), strict=True))
    interpreter = Interpreter(loop_program(compile_for(stored_at, types, {})))
    for run in (lambda: stored_at(*given), lambda: interpreter.run(dict(zip(names, given, strict=True)), 1)):
        with pytest.raises(ValueError, match=told):
            run()
