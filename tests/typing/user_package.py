"""All of the package under one name; `test_typing.py` has type checkers read this file, and it also runs.

A comment at a line's end, "is: TYPE", says what the checkers must reveal for the line.
"""

from typing import TYPE_CHECKING, Annotated

import numpy as np

import somd

if TYPE_CHECKING:
    from typing import reveal_type
else:

    def reveal_type(value):
        return value


@somd.somd
def total(a: somd.dist[np.ndarray], scale: float) -> Annotated[float, somd.reduce("+")]:
    s = 0.0
    for i in range(len(a)):
        s += a[i] * scale
    return s


@somd.somd(workers=2)
def double(a: somd.dist[np.ndarray]) -> None:
    for i in range(len(a)):
        a[i] = 2.0 * a[i]


with somd.use(target="sequential"):
    ones = np.ones(4)
    double(ones)
    result = total(ones, 0.5)
    reveal_type(result)  # is: float
    reveal_type(double(ones))  # is: None
    reveal_type(somd.somd.targets())  # is: dict
