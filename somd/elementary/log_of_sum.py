"""Logarithms of sums of powers, which do not overflow where the powers do.

As in NumPy the result is as near as its arguments allow: where they cancel, places are lost.
"""

from __future__ import annotations

from somd.elementary.exponential import exp, exp2
from somd.elementary.logarithm import log1p
from somd.elementary.primitives import inlined
from somd.elementary.tables import LN2, PER_LN2


@inlined
def logaddexp(x: float, y: float) -> float:
    """log(e**x + e**y)"""
    larger, smaller = (x if x > y else y), (y if x > y else x)
    more = larger + log1p(exp(smaller - larger))
    return x + LN2 if x == y else more


@inlined
def logaddexp2(x: float, y: float) -> float:
    """log2(2**x + 2**y)"""
    larger, smaller = (x if x > y else y), (y if x > y else x)
    more = larger + PER_LN2 * log1p(exp2(smaller - larger))
    return x + 1.0 if x == y else more
