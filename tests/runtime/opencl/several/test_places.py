"""Copies and validity, against an array that every place has in full."""

from __future__ import annotations

import numpy as np
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from somd.runtime.opencl.several.places import HOST, Places

ROWS, DEVICES = 9, 3
rows = st.integers(-2, ROWS + 2)
steps = st.lists(st.tuples(st.sampled_from(("read", "write", "drop")), st.integers(HOST, DEVICES - 1), rows, rows))


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(steps)
def test_what_is_read_is_what_was_written_last(steps: list[tuple[str, int, int, int]]) -> None:
    places = Places(ROWS, DEVICES)
    places.hold(HOST)
    truth = np.zeros(ROWS, int)
    held = {place: np.full(ROWS, -1) for place in range(HOST, DEVICES)}
    held[HOST][:] = 0
    for number, (kind, place, low, high) in enumerate(steps, 1):
        if kind == "drop":
            # As when the host's side is let go of: devices have all of it before.
            for copy in [copy for copy in places.sources() if copy.source == place]:
                other = 0 if place != 0 else 1
                for needed in places.need(other, copy.low, copy.high):
                    held[other][needed.low : needed.high] = held[needed.source][needed.low : needed.high]
            places.drop(place)
            held[place][:] = -1
            continue
        for copy in places.need(place, low, high):
            assert copy.target == place != copy.source
            held[place][copy.low : copy.high] = held[copy.source][copy.low : copy.high]
        inside = slice(max(low, 0), max(min(high, ROWS), 0))
        assert (held[place][inside] == truth[inside]).all()
        if kind == "write":
            truth[inside] = held[place][inside] = number
            places.written(place, low, high)
    found = np.full(ROWS, -1)
    for copy in places.sources():
        found[copy.low : copy.high] = held[copy.source][copy.low : copy.high]
    assert (found == truth).all()


def test_rows_without_content_need_no_copy() -> None:
    places = Places(4, 2)
    assert places.need(0, 0, 4) == []
    assert places.whole(0)
