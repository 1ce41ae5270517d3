"""What is reckoned of many ranks without them; that it is what ranks send is compared in `test_ranks`."""

from __future__ import annotations

import os

import numpy as np

from examples import heat, sor
from somd.calls.specialisations import declared_arguments
from somd.capture.reaching import reach_of_source
from somd.runtime.mpi.addresses import reserved
from somd.runtime.multicore.dry_call import without_slaves
from somd.sources.scaling import Scaling, seconds

RANKS, ROWS = 512, 4096


def scaling_of(method: object) -> Scaling:
    function = method.somd_function  # type: ignore[attr-defined]
    found = reach_of_source(function, None)
    return Scaling(function, found, declared_arguments(function, found, None))


def test_weak_scaling_of_stencils() -> None:
    """What ranks send costs less than 7 %: a row to each neighbour and step, and a maximum at each step; or for all
    sweeps of a tile some rows to one neighbour, and then to the other one."""
    sweeps = 20
    # the documents show what is reckoned of `heat.settle`, in `docs/cluster.md`
    both = ((sor.sweep, (1.5, sweeps), None), (heat.settle, (1e-9,), 11))
    for method, rest, steps in both if os.environ.get("SOMD_ALL_CASES") else both[:1]:
        reckoning = scaling_of(method)
        alone = reckoning.on(1, (np.empty((ROWS, ROWS)), *rest))
        many = reckoning.on(RANKS, (reserved((ROWS * RANKS, ROWS), np.float64), *rest))
        phase, neighbours = many.reckoned[1], RANKS - 1
        if steps is not None:
            assert (phase.times, phase.messages) == (steps, (steps - 1) * 2 * neighbours)
            assert phase.bytes == phase.messages * ROWS * 8
        else:  # in two stages a tile, the first of which needs rows of both; one before and one behind send none
            assert 2 <= phase.times < sweeps and phase.messages == (phase.times - 1) * neighbours
            assert phase.bytes < 2 * sweeps * 2 * neighbours * ROWS * 8 * 1.3
        assert 0.93 < seconds(alone) / seconds(many) < 1.0
        assert alone.reckoned[1].messages == 0


def test_slaves_do_nothing_and_tell() -> None:
    text = "@slave\ndef f_slave_1(lo, hi, a):\n    a[lo] = hi\n\n@slave\ndef f_rows_1(ranks):\n    tell(ranks, 2, 0)\n"
    made = without_slaves(text)
    assert "a[lo]" not in made and "tell(ranks, 2, 0)" in made
