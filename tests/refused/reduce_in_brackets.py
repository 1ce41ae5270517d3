"""`reduce` with brackets for parentheses, and without a type."""

from typing import Annotated

import numpy as np

from somd import dist, reduce, somd


@somd
def f(a: dist[np.ndarray]) -> reduce["+"]:
    total = 0.0
    for i in range(len(a)):
        total += a[i]
    return total
