"""Arrays of random numbers: a method for each distribution, run as any method is.

In: a stream, a shape, a step and the parameters of the distribution. Out: a new array in C order.
"""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from somd.calls.decorator import somd
from somd.language.markers import dist
from somd.random.stream import Shape, Stream
from somd.settings.config import settings_for, use
from somd.settings.targets import DEFAULT, SEQUENTIAL

#: so many numbers are drawn in plain Python where calls are to be: a number takes some 50 µs there
FEW = 1024


@somd
def _uniform(out: dist[NDArray[Any]], rng: Stream, step: int, low: float, high: float) -> None:
    for i in range(len(out)):
        out[i] = rng.uniform(i, step, low=low, high=high)


@somd
def _normal(out: dist[NDArray[Any]], rng: Stream, step: int, mean: float, std: float) -> None:
    for i in range(len(out)):
        out[i] = rng.normal(i, step, mean=mean, std=std)


@somd
def _exponential(out: dist[NDArray[Any]], rng: Stream, step: int, scale: float) -> None:
    for i in range(len(out)):
        out[i] = rng.exponential(i, step, scale=scale)


@somd
def _integers(out: dist[NDArray[Any]], rng: Stream, step: int, low: int, high: int) -> None:
    for i in range(len(out)):
        out[i] = rng.integers(i, step, low=low, high=high)


@somd
def _poisson(out: dist[NDArray[Any]], rng: Stream, step: int, mean: float) -> None:
    for i in range(len(out)):
        out[i] = rng.poisson(i, step, mean=mean)


FILL: dict[str, tuple[Callable[..., None], type]] = {
    "uniform": (_uniform, np.float64),
    "normal": (_normal, np.float64),
    "exponential": (_exponential, np.float64),
    "integers": (_integers, np.int64),
    "poisson": (_poisson, np.int64),
}


def filled(name: str, stream: Stream, size: Shape, step: int, *parameters: float) -> NDArray[Any]:
    """An array of `size` whose element number `i`, in C order, is that of index `i`.

    Where calls run as written (target `sequential`), many numbers are drawn by the default target all the same, as
    NumPy's functions are machine code there.
    """
    fill, dtype = FILL[name]
    shape = size if isinstance(size, tuple) else (size,)
    out: NDArray[Any] = np.empty(prod(shape), dtype)
    given = (out, stream, int(step >> 0), *parameters)
    if len(out) > FEW and settings_for(fill.__qualname__, __name__).target == SEQUENTIAL:
        with use(target=DEFAULT):  # the bits are the same: what is looked at in plain Python is the caller
            fill(*given)
    else:
        fill(*given)
    return out.reshape(shape)
