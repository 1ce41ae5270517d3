"""A plan of array statements speaks of the statements, not of the loops that they became."""

from __future__ import annotations

import numpy as np

from somd import dist, random, somd
from somd.transforms.multicore.profiled import phases_text
from somd.transforms.multicore.rank_shares import of_ranks
from somd.transforms.pipeline import check

RNG = random.Stream(1)


@somd
def measured(u: dist[np.ndarray], v: dist[np.ndarray], steps: int):
    for _ in range(steps):
        v[1:-1, 1:-1] = 0.25 * (u[:-2, 1:-1]
                                + u[2:, 1:-1])  # fmt: skip
    return (u * v).sum(), u[u > 0.5], np.bincount((u[0] * 8).astype(np.int64))


def test_words_are_those_of_the_statement() -> None:
    found = measured.explain()
    assert ": `v[1:-1, 1:-1] = 0.25 * (u[:-2, 1:-1] + u[2:, 1:-1])`" in found
    assert "reads u; writes v" in found and "what is joined in `(u * v).sum()`" in found
    plan = check(measured.__wrapped__)
    shared, profiled = "\n".join(of_ranks(plan)), phases_text(plan)
    assert "each rank runs its part of the rows" in shared and ": (18, '`v[1:-1, 1:-1] = 0.25" in profiled
    for text in (found, found.picture, shared, profiled):
        assert not any(made in text for made in ("at__", "value__", "..."))


def test_arrays_that_are_drawn_are_the_calls_that_draw_them() -> None:
    @somd
    def kicked(v: dist[np.ndarray], steps: int) -> None:
        for t in range(steps):
            v += RNG.normal(size=v.shape, step=t)

    found = kicked.explain()
    for text in (found, found.picture, phases_text(check(kicked.__wrapped__))):
        assert "RNG.normal(size=v.shape, step=t)" in text and "at__" not in text
