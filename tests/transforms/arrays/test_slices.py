"""Spans of slices against Python's own slices, for all limits near the ends of short axes."""

from __future__ import annotations

from itertools import product

import libcst as cst
import pytest

from somd.transforms.arrays.linear import Linear
from somd.transforms.arrays.slices import Slices

LIMITS = (None, *range(-5, 6))


def evaluated(value: Linear, names: dict[str, int]) -> int:
    return int(eval(value.text, {"min": min, "max": max, **names}))


@pytest.mark.parametrize("written", ["constant", "natural", "unknown", "from the length"])
@pytest.mark.parametrize("step", [1, 2, 3, -1, -2])
def test_spans_are_those_of_python(written: str, step: int) -> None:
    names: dict[str, int] = {}

    def linear(node: cst.BaseExpression) -> Linear:
        name = cst.ensure_type(node, cst.Name).value
        if written == "constant":
            return Linear(names[name])
        if written == "from the length":
            return Linear.of("n") + (names[name] - names["n"])
        return Linear.of(name)

    def natural(value: Linear) -> bool:
        return value.is_natural({"n", "low", "high"} if written == "natural" else {"n"})

    for n, low, high in product(range(5), LIMITS, LIMITS):
        if written == "natural" and any(limit is not None and limit < 0 for limit in (low, high)):
            continue
        names.update(n=n, low=low or 0, high=high or 0)
        slices = Slices(
            linear, natural, lambda text, _: Linear.of(f"({text})"), lambda length: length, lambda name: name
        )
        limits = [None if limit is None else cst.Name(name) for limit, name in ((low, "low"), (high, "high"))]
        span = slices.span(limits[0], limits[1], step, Linear.of("n"))
        expected = range(n)[low:high:step]
        length = max(0, evaluated(span.length, names))
        start = evaluated(span.start, names)
        found = [start + span.step * k for k in range(length)]
        assert found == list(expected), f"range({n})[{low}:{high}:{step}]: {span}"
