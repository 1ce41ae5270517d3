"""What to give a method in place of a value that it does not take.

In: the value. Out: the way out in words, one that is not refused in its turn; "" where only the rule can be said.
"""

from __future__ import annotations

from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from enum import Enum

import numpy as np

#: what draws as one of NumPy's functions does; `uniform` where there is none
_STREAMS = {"normal": "normal", "standard_normal": "normal", "randn": "normal", "gauss": "normal"}
_STREAMS |= {"exponential": "exponential", "standard_exponential": "exponential", "poisson": "poisson"}
_STREAMS |= {"integers": "integers", "randint": "integers", "random_integers": "integers"}
#: the way out where ranges are written as an index
GRIDS = '`np.indices((n, m))` has the indexes from 0 on, `np.meshgrid(x, y, indexing="ij")` those of other ranges'


def drawn(name: str = "") -> tuple[str, ...]:
    """The ways out where random numbers are drawn by a function of that name.

    >>> print(drawn("standard_normal")[0])  # doctest: +NORMALIZE_WHITESPACE
    draw from `rng = somd.random.Stream(seed=1)`, made outside: `rng.normal(i, t)` is that of element `i` in step `t`,
    `rng.normal(size=n, step=t)` an array of them
    """
    own = _STREAMS.get(name, "uniform")
    more = ", high=n" if own == "integers" else ", mean=m" if own == "poisson" else ""
    array = f"`rng.{own}(size=n, step=t{more})` an array of them"
    stream = f"`rng.{own}(i, t{more})` is that of element `i` in step `t`, {array}"
    return (
        f"draw from `rng = somd.random.Stream(seed=1)`, made outside: {stream}",
        "draw the numbers before the call, and pass them as an array: `r = rng.random(len(a))`",
    )


def instead_of(value: object) -> str:
    """What to do about a value; see above.

    >>> instead_of("mean")
    'compare texts in the caller, and pass a number or a truth value: `name == "x"`'
    >>> import enum
    >>> instead_of(enum.IntEnum("Colour", "RED GREEN").GREEN)
    'pass its number: `x.value`'
    >>> instead_of(np.mgrid)
    '`np.indices((n, m))` has the indexes from 0 on, `np.meshgrid(x, y, indexing="ij")` those of other ranges'
    """
    if value is np.mgrid or value is np.ogrid:
        return GRIDS
    if value is np.r_ or value is np.c_:
        return "`np.concatenate((a, b))` joins arrays, `np.column_stack((a, b))` puts them side by side"
    if is_random(value):
        return drawn()[0]
    if isinstance(value, str | bytes):
        return 'compare texts in the caller, and pass a number or a truth value: `name == "x"`'
    if isinstance(value, Enum) and isinstance(value, int):
        return "pass its number: `x.value`"
    if isinstance(value, Mapping):
        return "take the numbers and arrays out of it before the call, and pass each by itself"
    if isinstance(value, list | tuple):
        return "make an array of it before the call: `np.array(x)`"
    if isinstance(value, AbstractSet | range):
        return "make an array of it before the call: `np.array(list(x))`"
    return ""


def is_random(value: object) -> bool:
    """Whether a value draws random numbers: a generator, or a function of one, or what makes one."""
    import random

    if isinstance(value, random.Random | np.random.Generator | np.random.RandomState):
        return True
    if str(getattr(value, "__module__", "")).startswith("numpy.random"):
        return True
    return isinstance(getattr(value, "__self__", None), random.Random | np.random.Generator | np.random.RandomState)


def is_stream(value: object) -> bool:
    """Whether a value is a stream of random numbers of somd's."""
    return type(value).__module__ == "somd.random.stream"
