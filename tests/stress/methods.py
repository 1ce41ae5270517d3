"""The methods that the programs call: few, since each is compiled once for every cache."""

from __future__ import annotations

from typing import Annotated

import numpy as np

from somd import dist, reduce, somd, sync


@somd
def grow(a: dist[np.ndarray], steps: int) -> None:
    """Adds 1 to every element and turns the array round, `steps` times, with two fences in each: what a phase reads,
    another MI has just written."""
    n = len(a)
    b = np.empty(n)
    for _ in range(steps):
        with sync:
            for i in range(n):
                b[i] = a[n - 1 - i]
        with sync:
            for i in range(n):
                a[i] = b[i] + 1.0


@somd
def total(a: dist[np.ndarray]) -> Annotated[float, reduce("+")]:
    """The sum of the elements."""
    found = 0.0
    for i in range(len(a)):
        found += a[i]
    return found


@somd
def gather(a: dist[np.ndarray], index: dist[np.ndarray], out: dist[np.ndarray]) -> None:
    """`out[i] = a[index[i]]`, which fails where an index leaves `a`."""
    for i in range(len(out)):
        out[i] = a[index[i]]
