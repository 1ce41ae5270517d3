"""A method that a function reduces is called by another one."""

from typing import Annotated

import numpy as np

from somd import dist, reduce, somd


@somd
def longest(a: dist[np.ndarray]) -> Annotated[int, reduce(max)]:
    run = 0
    for i in range(len(a)):
        run = run + 1 if a[i] > 0 else 0
    return run


@somd
def f(a: dist[np.ndarray]) -> None:
    n = longest(a)
    for i in range(len(a)):
        a[i] = a[i] / n
