"""Methods of classes as a user writes them; `test_typing.py` has type checkers read this file, and it also runs.

A comment at a line's end, "is: TYPE", says what the checkers must reveal for the line.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated

import numpy as np

from somd import dist, reduce, somd

if TYPE_CHECKING:
    from typing import reveal_type
else:

    def reveal_type(value):
        return value


class Heat:
    u: dist[np.ndarray]

    def __init__(self, alpha: float) -> None:
        self.alpha = alpha
        self.u = np.ones(8)

    @somd
    def total(self, a: dist[np.ndarray], scale: float = 1.0) -> Annotated[float, reduce("+")]:
        s = 0.0
        for i in range(len(a)):
            s += a[i] * scale * self.alpha
        return s

    @somd(workers=2)
    def step(self) -> None:
        for i in range(len(self.u)):
            self.u[i] = self.alpha * self.u[i]

    @staticmethod
    @somd
    def double(a: dist[np.ndarray]) -> None:
        for i in range(len(a)):
            a[i] = 2.0 * a[i]


class Warm(Heat):
    pass


def apply(function: Callable[[np.ndarray], float], a: np.ndarray) -> float:
    return function(a)


heat = Warm(0.5)
reveal_type(heat.total(np.ones(4), scale=2.0))  # is: float
reveal_type(Heat.total(heat, np.ones(4)))  # is: float
reveal_type(heat.total.sequential(np.ones(4)))  # is: float
reveal_type(heat.total.source("multicore"))  # is: str
reveal_type(heat.total.explain())  # is: Explanation
heat.step()
Heat.step(heat)
Heat.double(np.ones(4))
result = apply(heat.total, np.ones(4))
