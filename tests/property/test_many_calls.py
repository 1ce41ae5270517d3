"""A few methods of `slice_pairs` and `reduced_axes`, whose modules run ten thousand calls as programs."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.property.many_calls import run
from tests.property.reduced_axes import Reduced
from tests.property.slice_pairs import Pairs


@pytest.mark.parametrize(("target", "number"), [("multicore", 2), ("multicore", 16), ("opencl", 3)])
def test_slices_are_those_of_numpy(target: str, number: int, tmp_path: Path) -> None:
    tally = run(Pairs, range(number, number + 1), 60, target, tmp_path)
    assert (tally.agree, tally.wrong, tally.refused) == (60, [], [])


def test_sums_are_those_of_numpy(tmp_path: Path) -> None:
    tally = run(Reduced, range(17, 18), 30, "multicore", tmp_path)
    assert (tally.agree, tally.wrong, tally.refused) == (30, [], [])
