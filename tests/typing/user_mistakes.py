"""Mistakes that type checkers find in the marked lines; metadata only pyright looks at. At run time all raise, but the
package as a decorator: no checker lets a module be called, and `docs/api.md` says so."""

from typing import Annotated

import numpy as np

import somd
from somd.language.markers import dim, dist, like, reduce, sync, view

A = Annotated[np.ndarray, dist, dim("0")]  # pyright
B = Annotated[np.ndarray, dist, view(1, 1)]  # pyright
C = Annotated[np.ndarray, dist, like(3)]  # pyright
D = Annotated[float, reduce("plus")]  # pyright


def total(values: dist[np.ndarray]) -> float:
    with sync(values, reduce="self"):  # both
        return "none"  # both


@somd  # both
def nothing(values: somd.dist[np.ndarray]) -> None: ...
