"""Sines and cosines of lanes: as near as the library's, for every angle, whatever stands beside it."""

from __future__ import annotations

import numpy as np
import pytest

from somd.runtime.multicore.lane_functions import NEAR, lane_cos, lane_sin

FUNCTIONS = ((lane_sin, np.sin), (lane_cos, np.cos))


def applied(function: object, angles: np.ndarray) -> np.ndarray:
    found = angles.copy()
    function(found, len(found))  # type: ignore[operator]
    return found


@pytest.mark.parametrize(("function", "exact"), FUNCTIONS)
def test_within_two_units_of_the_last_place(function: object, exact: object) -> None:
    random = np.random.default_rng(0)
    spread = [random.uniform(-size, size, 5000) for size in (1e-9, 0.8, 10.0, 1e4, 1e7, NEAR)]
    angles = np.concatenate([*spread, np.pi / 2 * np.arange(-3000, 3000), [0.5, 1e-310]])
    found = applied(function, angles)
    expected = exact(angles.astype(np.longdouble))  # type: ignore[operator]
    units = np.abs(found - expected) / np.spacing(np.abs(expected.astype(float)))
    assert units.max() < 2.0


@pytest.mark.parametrize(("function", "exact"), FUNCTIONS)
def test_far_angles_change_nothing_beside_them(function: object, exact: object) -> None:
    near = np.linspace(-50.0, 50.0, 301)
    special = np.array([0.0, -0.0, np.nan, 1e300, -1e18, 2 * NEAR])
    found = applied(function, np.concatenate([near, special]))
    assert np.array_equal(found[: len(near)], applied(function, near))
    assert np.array_equal(np.signbit(found[301:303]), np.signbit(exact(special[:2])))  # type: ignore[operator]
    assert np.allclose(found[301:], exact(special), rtol=1e-15, equal_nan=True)  # type: ignore[operator]
    assert np.isnan(applied(function, np.array([np.inf, -np.inf]))).all()
