"""Arguments of functions of arrays that are not taken."""

import numpy as np

from somd import somd


@somd
def f(a: np.ndarray, axis: int) -> np.ndarray:
    b = np.linalg.norm(a, axis=axis)
    c = np.eye(4, like=a)
    return b + c + np.outer(a)


f(np.ones((4, 4)), 0)
