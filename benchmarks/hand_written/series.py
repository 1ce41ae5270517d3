"""Series as others write it: the straight port to `prange`, and an expert's version with the powers in a table."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numba import njit, prange

from benchmarks.javagrande.series import COSINE, END, INTERIOR_TERMS, PLAIN, SINE, STEP, integrand, trapezoid

jit: Any = njit(parallel=True, error_model="numpy")
inner: Any = njit(error_model="numpy")

_integrand = inner(integrand)


@inner
def _trapezoid(frequency: Any, weight: Any) -> Any:
    total = 0.5 * _integrand(0.0, frequency, weight)
    x = 0.0
    for _ in range(INTERIOR_TERMS):
        x += STEP
        total += _integrand(x, frequency, weight)
    total += 0.5 * _integrand(END, frequency, weight)
    return total * STEP


@jit
def _straight(coefficients: Any) -> None:
    for n in prange(1, coefficients.shape[1]):
        coefficients[0, n] = _trapezoid(math.pi * n, COSINE)
        coefficients[1, n] = _trapezoid(math.pi * n, SINE)


@jit
def _tabled(coefficients: Any, places: Any, powers: Any) -> None:
    """`powers` are those of the terms at `places`, the end terms halved."""
    for n in prange(1, coefficients.shape[1]):
        frequency = math.pi * n
        a = b = 0.0
        for k in range(len(places)):
            angle = frequency * places[k]
            a += powers[k] * math.cos(angle)
            b += powers[k] * math.sin(angle)
        coefficients[0, n] = a * STEP
        coefficients[1, n] = b * STEP


def table() -> tuple[Any, Any]:
    """The rule's places, by repeated addition, and (x + 1)^x there, halved at the two ends."""
    places = np.concatenate(([0.0], np.cumsum(np.full(INTERIOR_TERMS, STEP)), [END]))
    powers = (places + 1.0) ** places
    powers[[0, -1]] *= 0.5
    return places, powers


def prange_port(coefficients: Any) -> Any:
    """The plain function with `prange` in place of `range`."""
    coefficients[0, 0], coefficients[1, 0] = 0.5 * trapezoid(0.0, PLAIN), 0.0
    _straight(coefficients)
    return coefficients


def expert(coefficients: Any) -> Any:
    """(x + 1)^x from a table, cosine and sine of one angle together."""
    coefficients[0, 0], coefficients[1, 0] = 0.5 * trapezoid(0.0, PLAIN), 0.0
    places, powers = table()
    _tabled(coefficients, places, powers)
    return coefficients


PEERS = {"prange_port": prange_port, "expert": expert}
