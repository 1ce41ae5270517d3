"""The functions that methods may call, by the names that `math` has for them."""

from __future__ import annotations

from collections.abc import Callable

from somd.elementary.circular import cos, sin, tan
from somd.elementary.decimals import round_places, round_tens
from somd.elementary.error_function import erf, erfc
from somd.elementary.exponential import exp, exp2, expm1
from somd.elementary.gamma import gamma, lgamma
from somd.elementary.hyperbolic import acosh, asinh, atanh, cosh, sinh, tanh
from somd.elementary.inverse_circular import acos, asin, atan, atan2
from somd.elementary.logarithm import log, log1p, log2, log10
from somd.elementary.power import cube, fourth_power, pow, reciprocal, root_power
from somd.elementary.roots import cbrt, hypot

#: what each counts for, where a sum of floats counts for one: about the tenths of a nanosecond that it takes
COSTS: dict[Callable[..., float], int] = {
    **dict.fromkeys((hypot,), 10),
    **dict.fromkeys((cbrt, cos, exp, exp2, expm1, log, log10, log1p, log2, sin), 50),
    **dict.fromkeys((acos, acosh, asin, asinh, atan, atan2, atanh, cosh, pow, sinh, tan, tanh), 100),
    **dict.fromkeys((erf, erfc, gamma, lgamma), 200),
}
#: powers with exponents that need no logarithm; the general one has the same bits there
POWERS: dict[float, Callable[[float], float]] = {3.0: cube, 4.0: fourth_power, -1.0: reciprocal, 0.5: root_power}
#: Python's `round` to places
ROUNDED: tuple[Callable[..., float], ...] = (round_places, round_tens)
#: functions of `math` and of floats, by their names there; others by their own
ALL: dict[str, Callable[..., float]] = {f.__name__: f for f in (*COSTS, *POWERS.values(), *ROUNDED)}
#: the names that NumPy has for them, where they are others
_NUMPY = {"pow": "power", "atan2": "arctan2"}
_NUMPY |= {f"a{name}": f"arc{name}" for name in ("sin", "cos", "tan", "sinh", "cosh", "tanh")}
_OF_NUMPY = {theirs: name for name, theirs in _NUMPY.items()}
#: what functions of `math`, and of NumPy, count for
OF_MATH = {f.__name__: cost for f, cost in COSTS.items()}
OF_NUMPY = {_NUMPY.get(name, name): cost for name, cost in OF_MATH.items()}


def elementary(name: str) -> str | None:
    """The name in `ALL` of what `math` or NumPy call `name`; None for other functions."""
    name = _OF_NUMPY.get(name, name)
    return name if name in ALL else None
