"""Helpers are read once by those who only look at them, and anew by those who write them out."""

from __future__ import annotations

from somd.transforms.frontend.read import looked_at, read_method
from somd.transforms.pipeline import looking


def twice(x: float) -> float:
    return 2 * x


def test_with_the_same_look_ups_a_helper_is_read_once() -> None:
    with looking(twice, None):
        assert looked_at(twice) is looked_at(twice)
        assert read_method(twice).function is not looked_at(twice).function
    assert looked_at(twice) is not looked_at(twice)
