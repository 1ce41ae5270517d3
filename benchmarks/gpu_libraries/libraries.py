"""CuPy, JAX and PyTorch as they are installed: their arrays, and the time of a call by the device's own clock."""

from __future__ import annotations

import os
import statistics
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy


@dataclass(frozen=True)
class Library:
    """`compiled` makes of a function the one that the library runs fastest; `seconds` is the time of one of `calls`
    calls that follow each other."""

    name: str
    namespace: Any
    array: Callable[[numpy.ndarray], Any]
    to_numpy: Callable[[Any], numpy.ndarray]
    compiled: Callable[[Callable[..., Any]], Callable[..., Any]]
    seconds: Callable[[Callable[[], Any], int], float]


def installed() -> list[Library]:
    """Those of the libraries that can be imported and find a GPU."""
    found = []
    for make in (_cupy, _jax, _torch):
        try:
            found.append(make())
        except Exception as error:
            print(f"{make.__name__[1:]} is left out: {error}")
    return found


def _cupy() -> Library:
    import cupy  # type: ignore[import-not-found]

    def seconds(call: Callable[[], Any], calls: int) -> float:
        begin, end = cupy.cuda.Event(), cupy.cuda.Event()
        begin.record()
        for _ in range(calls):
            call()
        end.record()
        end.synchronize()
        return float(cupy.cuda.get_elapsed_time(begin, end)) / 1e3 / calls

    cupy.zeros(1)
    return Library("CuPy", cupy, cupy.asarray, cupy.asnumpy, lambda function: function, seconds)


def _torch() -> Library:
    import torch  # type: ignore[import-not-found]

    def seconds(call: Callable[[], Any], calls: int) -> float:
        begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        begin.record()
        for _ in range(calls):
            call()
        end.record()
        end.synchronize()
        return float(begin.elapsed_time(end)) / 1e3 / calls

    array = lambda given: torch.from_numpy(given).cuda()  # noqa: E731
    return Library("PyTorch", torch, array, lambda made: made.cpu().numpy(), lambda function: function, seconds)


def _jax() -> Library:
    os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")
    from time import perf_counter

    import jax  # type: ignore[import-not-found]

    jax.config.update("jax_enable_x64", True)

    def seconds(call: Callable[[], Any], calls: int) -> float:
        begin = perf_counter()
        for _ in range(calls):
            made = call()
        jax.block_until_ready(made)
        return (perf_counter() - begin) / calls

    if jax.default_backend() != "gpu":
        raise RuntimeError("no GPU")
    return Library("JAX", jax.numpy, jax.numpy.asarray, numpy.asarray, jax.jit, seconds)


def median(library: Library, call: Callable[[], Any], calls: int, repeat: int) -> float:
    """The median of the time of a call, the first of which is not counted."""
    library.seconds(call, 1)
    return statistics.median(library.seconds(call, calls) for _ in range(repeat))


def arrays_of(library: Library, given: Sequence[numpy.ndarray]) -> list[Any]:
    return [library.array(each) for each in given]
