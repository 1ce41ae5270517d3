"""Campaigns with short strips: a chain of a few trips goes through several strips, blocks and parts."""

from __future__ import annotations

import math

import numpy as np

from somd import dist, somd, use
from tests.property.narrowed import narrowed


def chain(a, b):
    s = 0.5
    for i in range(len(a)):
        s += math.sqrt(b[i]) / (b[i] + 1.0)
        a[i] = s
    return s


def test_chains_in_short_strips(tmp_path, monkeypatch):
    monkeypatch.setenv("SOMD_CACHE_DIR", str(tmp_path))  # what is cached does not know of it
    chain.__annotations__ = {"a": dist[np.ndarray]}
    b = np.random.default_rng(3).random(60)
    found, wanted = np.zeros(60), np.zeros(60)
    with narrowed((), (1,), short=True):
        method = somd(chain)
        for workers in (1, 3):
            with use(target="multicore", workers=workers, small_work=0):
                assert method(found, b) == chain(wanted, b) and found.tobytes() == wanted.tobytes()
