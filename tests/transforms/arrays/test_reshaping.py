"""Rows of a vector, `a.reshape(-1, 4)`: its elements, without a call of NumPy; what calls give is not written."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from somd import SomdCompileError, dist, somd, use

Array = np.ndarray


def rows(a: dist[Array]) -> tuple[Array, Array]:
    return a.reshape(-1, 4).sum(axis=1), np.reshape(a * 2.0, (-1, 2, 2))[:, ::-1].max(axis=2)


def centred(a: dist[Array]) -> Array:
    pairs = a.reshape(-1, 2)
    return (pairs - pairs.mean(axis=0)).reshape(a.shape)


def in_place(a: dist[Array]) -> None:
    a[::2] = a.reshape(-1, 2)[:, 1] - a.reshape(-1, 2)[::-1, 0]


@pytest.mark.parametrize("function", [rows, centred, in_place])
def test_rows_of_vectors(function: Callable[[Any], Any]) -> None:
    method = somd(function)
    with use(target="multicore", workers=3):
        for base in (np.arange(24.0) ** 2, np.arange(48.0)[::2], np.arange(8.0)[::-1]):
            mine, theirs = base.copy(), base.copy()
            if base.strides[0] != 8:
                mine, theirs = np.repeat(base, 2)[::2], base.copy()
            found, wanted = method(mine), function(theirs)
            assert np.array_equal(mine, theirs)
            pairs = zip(found, wanted, strict=True) if isinstance(wanted, tuple) else [(found, wanted)]
            assert all(wanted is None or np.array_equal(one, other) for one, other in pairs)
        assert function is centred or "call_library" not in method.source("multicore")
        if function is rows:
            with pytest.raises(ValueError, match=r"cannot reshape array of size 10 into shape \(4\)"):
                method(np.arange(10.0))


def slice_of_rows(a: dist[Array]) -> Array:
    b = a * 2.0
    b.reshape(-1, 2)[:, 0] = 7.0
    return b


def element_of_flat(a: dist[Array]) -> Array:
    b = a * 2.0
    b.ravel()[3] += 7.0
    return b


def turned(a: dist[Array]) -> Array:
    b = a * 2.0
    np.flip(b.reshape(3, 4))[0] = 7.0
    return b


def given_out(a: dist[Array]) -> Array:
    b = a * 2.0
    np.add(a, 1.0, out=b.reshape(12))
    return b


def added_at(a: dist[Array], index: dist[Array]) -> Array:
    b = a * 2.0
    np.add.at(b.reshape(12), index, 1.0)
    return b


@pytest.mark.parametrize("function", [slice_of_rows, element_of_flat, turned, given_out, added_at])
def test_what_calls_give_is_not_written(function: Callable[..., Any]) -> None:
    """NumPy writes into `b` there; a copy would be written here."""
    given = [np.arange(12.0), np.array([1, 1])][: function.__code__.co_argcount]
    with use(target="multicore"), pytest.raises(SomdCompileError, match="what a function of NumPy gives is written"):
        somd(function)(*given)
