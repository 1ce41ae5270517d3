"""Arguments of reductions have their places, as NumPy's signatures have them, whether they are named or not."""

from __future__ import annotations

import numpy as np
import pytest

from somd import SomdCompileError, somd, use


@somd
def in_place(a):
    b = a + 0.0
    return b.var(1, None, None, 1), np.std(b, 0, None, None, 1, True), b.sum(0, None), b.max(1, None, True)


@somd
def of_truths(a):
    b = a > 0.5
    return (
        np.all(b, 1, None, True),
        b.any(0, None, None, True),
        np.argmin(a, 1, None),
        np.sum(a, axis=0, dtype=None, out=None),
    )


def too_many(a):
    return np.argmin(a + 0.0, 1, None, True)


def test_arguments_without_names() -> None:
    a = np.random.default_rng(3).random((6, 7))
    with use(target="multicore", workers=2, small_work=0):
        for method in (in_place, of_truths):
            for one, other in zip(method(a), method.sequential(a), strict=True):
                np.testing.assert_array_equal(one, other, strict=True)


def test_one_argument_too_many() -> None:
    with pytest.raises(SomdCompileError, match=r"`argmin` takes fewer arguments"):
        somd(too_many)(np.ones((2, 3)))
