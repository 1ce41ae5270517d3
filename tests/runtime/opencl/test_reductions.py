"""The master's half of reductions on a device."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from somd import SomdError
from somd.runtime.opencl.reductions import trips

LIMITS = st.integers(-30, 30) | st.integers(2**63 - 40, 2**63 + 40) | st.integers(-(2**63) - 40, -(2**63) + 40)


@given(LIMITS, st.integers(-40, 40), st.integers(-7, 7).filter(bool))
def test_trips_are_those_of_the_range_or_none_at_all_where_a_device_would_see_another(
    start: int, more: int, step: int
) -> None:
    wide = range(start, start + more, step)
    ends = {(each + 2**63) // 2**64 for each in (start, start + more)}
    if wide and len(ends) > 1:
        with pytest.raises(SomdError, match="SOMD609"):
            trips(start, start + more, step)
    else:
        assert trips(start, start + more, step) == len(wide)


def test_an_empty_range_between_far_ends() -> None:
    assert trips(2**63, 3, 1) == 0 == trips(-(2**63), 3, -1)
    with pytest.raises(SomdError, match="SOMD609"):
        trips(-(2**63) - 1, 3, 1)
