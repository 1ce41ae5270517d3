"""The functions that methods may call, and the names that `math` and NumPy have for them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from inspect import signature

from somd.elementary.circular import cos, sin, tan
from somd.elementary.decimals import round_places, round_tens
from somd.elementary.error_function import erf, erfc
from somd.elementary.exponential import exp, exp2, expm1
from somd.elementary.gamma import gamma, lgamma
from somd.elementary.hyperbolic import acosh, asinh, atanh, cosh, sinh, tanh
from somd.elementary.inverse_circular import acos, asin, atan, atan2
from somd.elementary.log_of_sum import logaddexp, logaddexp2
from somd.elementary.logarithm import log, log1p, log2, log10
from somd.elementary.power import cube, fourth_power, pow, reciprocal, root_power
from somd.elementary.roots import cbrt, hypot
from somd.elementary.singles import exp_single, log_single, tanh_single


@dataclass(frozen=True)
class Elementary:
    """A function, what it counts for where a sum of floats counts for one (about the tenths of a nanosecond that it
    takes), and the names that `math` and NumPy have for it: None where they have none.
    """

    function: Callable[..., float]
    cost: int
    math: str | None
    numpy: str | None

    @property
    def takes(self) -> int:
        """How many numbers."""
        return len(signature(self.function).parameters)


def _of_both(function: Callable[..., float], cost: int, numpy: str = "") -> Elementary:
    """One that `math` has by its own name, and NumPy by that or another."""
    return Elementary(function, cost, function.__name__, numpy or function.__name__)


FUNCTIONS = (
    *(_of_both(each, 50) for each in (cbrt, cos, exp, exp2, expm1, log, log10, log1p, log2, sin)),
    *(_of_both(each, 100) for each in (cosh, sinh, tan, tanh)),
    *(_of_both(each, 100, f"arc{each.__name__[1:]}") for each in (acos, acosh, asin, asinh, atan, atan2, atanh)),
    _of_both(hypot, 10),
    _of_both(pow, 100, "power"),
    *(Elementary(each, 200, each.__name__, None) for each in (erf, erfc, gamma, lgamma)),
    *(Elementary(each, 150, None, each.__name__) for each in (logaddexp, logaddexp2)),
)
#: powers with exponents that need no logarithm; the general one has the same bits there
POWERS: dict[float, Callable[[float], float]] = {3.0: cube, 4.0: fourth_power, -1.0: reciprocal, 0.5: root_power}
#: Python's `round` to places
ROUNDED: tuple[Callable[..., float], ...] = (round_places, round_tens)
#: functions by their own names
ALL: dict[str, Callable[..., float]] = {
    f.__name__: f for f in (*(each.function for each in FUNCTIONS), *POWERS.values(), *ROUNDED)
}
#: those of `ALL` that float32 have in another algorithm; the others are computed in float64 and rounded
SINGLES: dict[str, Callable[[float], float]] = {"exp": exp_single, "log": log_single, "tanh": tanh_single}
#: those that `math` has, and NumPy, by the names there
OF_MATH = {each.math: each for each in FUNCTIONS if each.math is not None}
OF_NUMPY = {each.numpy: each for each in FUNCTIONS if each.numpy is not None}


def elementary(name: str) -> str | None:
    """The name in `ALL` of what `math` or NumPy call `name`; None for other functions."""
    known = OF_MATH.get(name) or OF_NUMPY.get(name)
    return name if name in ALL else known.function.__name__ if known is not None else None
