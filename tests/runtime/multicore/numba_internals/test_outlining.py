"""What is live where blocks begin: Numba's own analysis is the oracle."""

from __future__ import annotations

from numba import prange
from numba.core import analysis, compiler

from somd.runtime.multicore.numba_internals.outlining import Uses


def turns(values: list[float], n: int) -> float:
    total, last = 0.0, 0.0
    for k in range(n):
        if values[k] > last:
            last = values[k]
            continue
        for rank in prange(k):
            scaled = 2.0 * values[rank]
            values[rank] = scaled + last
        total += last
    return total if total > 1.0 else last


def test_what_is_live_is_what_numba_says() -> None:
    blocks = compiler.run_frontend(turns).blocks
    found = analysis.compute_use_defs(blocks)
    graph = analysis.compute_cfg_from_blocks(blocks)
    assert Uses(blocks).live == analysis.compute_live_map(graph, blocks, found.usemap, found.defmap)
