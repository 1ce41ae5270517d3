"""The master's half of reductions on a device."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from somd import SomdError
from somd.runtime.opencl.reductions import trips

LIMITS = st.integers(-30, 30) | st.integers(2**63 - 40, 2**63 + 40) | st.integers(-(2**63) - 40, -(2**63) + 40)


@given(LIMITS, LIMITS, st.integers(-7, 7).filter(bool))
def test_trips_are_those_of_the_range_whose_ends_wrap(start: int, stop: int, step: int) -> None:
    low, high = ((end + 2**63) % 2**64 - 2**63 for end in (start, stop))
    values = range(low, high, step)
    many = bool(values) and (values[-1] - values[0]) // step >= 2**63 - 1
    if not many:
        assert trips(start, stop, step) == len(values)
    elif range(start, stop, step):
        with pytest.raises(SomdError, match="SOMD609"):
            trips(start, stop, step)
    else:
        assert trips(start, stop, step) == 0


def test_an_empty_range_between_far_ends() -> None:
    assert trips(2**63, 3, 1) == 0 == trips(-(2**63) - 1, -3, -1)
    with pytest.raises(SomdError, match="SOMD609"):
        trips(-(2**63), 3, 1)
