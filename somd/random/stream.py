"""`Stream`: random numbers for methods and for plain Python, the same for any number of workers, on every target.

In: a seed, the index of an element and the number of a step. Out: a number that depends on nothing else, so a loop may
draw in any order. The methods of `Stream` are helpers as users write them: targets compile this text.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from somd.elementary.circular import cos
from somd.elementary.exponential import exp
from somd.elementary.gamma import lgamma
from somd.elementary.logarithm import log
from somd.language.drawing import draws, gives_object
from somd.random.philox import WORD, philox

#: which numbers a counter is for: those of two distributions share no bits
UNIFORM, NORMAL, INTEGERS, EXPONENTIAL, POISSON, BITS, CHILD = range(7)
#: numbers of an element that have a counter of their own: a draw of many attempts
DRAWS = 1 << 12
TURN = 2.0 * math.pi
#: the last mean for which counting uniform numbers is quicker than attempts
FEW = 10.0
#: how near the ends of the attempts a count is looked at: beyond, where one of 10**18 would be, it leaves 64 bits
NEAREST = 1e-9

Shape = int | tuple[int, ...]


@dataclass(frozen=True, init=False)
class Stream:
    """Random numbers of a seed: each is a function of the stream, its distribution, an element and a step.

        rng = Stream(seed=2026)

        @somd
        def jitter(x: dist[np.ndarray], step: int):
            for i in range(len(x)):
                x[i] += rng.normal(i, step, std=0.1)

    `index` tells elements apart, modulo 2**48, and `step` whatever else, modulo 2**64: a time step, or which of
    several numbers an element draws. One index and step always give one number. With `size`, a length or a shape, in
    place of an index the result is an array in which element number `i`, in C order, is the number of index `i`. In
    methods a shape is written out: `size=(n, m)`, `size=len(x)`.

    The bits are Philox4x32-10's, the formulas of the distributions stand here, and their elementary functions are those
    of methods: all numbers are the same in plain Python and on every target.

    Raises:
        TypeError: a seed, index or step that is no integer, or neither index nor size.
        ValueError: a seed that is negative or has more than 64 bits; parameters that the distribution does not have.
    """

    seed: int
    key0: int = field(repr=False)
    key1: int = field(repr=False)

    def __init__(self, seed: int = 0) -> None:
        given = seed >> 0  # which floats have not
        if not 0 <= given < 1 << 64:
            raise ValueError(f"a seed is from 0 to 2**64 - 1, not {given}")
        object.__setattr__(self, "seed", int(given))
        object.__setattr__(self, "key0", int(given) & WORD)
        object.__setattr__(self, "key1", int(given) >> 32)

    def _key_of_child(self, number: int) -> tuple[int, int]:
        low, high, _, _ = self._block(number, 0, CHILD, 0)
        return low, high

    @gives_object("key0", "key1", values=_key_of_child)
    def child(self, number: int) -> Stream:
        """A stream of its own for each `number` from 0 to 2**64 - 1: for parts of a program that must not share one."""
        low, high = self._key_of_child(number)
        return Stream(high << 32 | low)

    @overload
    def uniform(self, index: int, step: int = 0, *, low: float = 0.0, high: float = 1.0) -> float: ...
    @overload
    def uniform(self, *, step: int = 0, low: float = 0.0, high: float = 1.0, size: Shape) -> NDArray[np.float64]: ...
    @draws(np.float64)
    def uniform(self, index: Any = None, step: Any = 0, *, low: Any = 0.0, high: Any = 1.0, size: Any = None) -> Any:
        """A float64 from `low` on, below `high`, with 53 random bits."""
        if size is not None:
            return _filled("uniform", self, size, step, low, high)
        if index is None:
            raise TypeError("uniform() needs an index, or a size")
        word0, word1, _, _ = self._block(index, step, UNIFORM, 0)
        return low + (high - low) * _fraction(word0, word1)

    @overload
    def normal(self, index: int, step: int = 0, *, mean: float = 0.0, std: float = 1.0) -> float: ...
    @overload
    def normal(self, *, step: int = 0, mean: float = 0.0, std: float = 1.0, size: Shape) -> NDArray[np.float64]: ...
    @draws(np.float64)
    def normal(self, index: Any = None, step: Any = 0, *, mean: Any = 0.0, std: Any = 1.0, size: Any = None) -> Any:
        """A float64 of the normal distribution (Box and Muller, 1958)."""
        if size is not None:
            return _filled("normal", self, size, step, mean, std)
        if index is None:
            raise TypeError("normal() needs an index, or a size")
        word0, word1, word2, word3 = self._block(index, step, NORMAL, 0)
        radius = math.sqrt(-2.0 * log(1.0 - _fraction(word0, word1)))
        return mean + std * (radius * cos(TURN * _fraction(word2, word3)))

    @overload
    def exponential(self, index: int, step: int = 0, *, scale: float = 1.0) -> float: ...
    @overload
    def exponential(self, *, step: int = 0, scale: float = 1.0, size: Shape) -> NDArray[np.float64]: ...
    @draws(np.float64)
    def exponential(self, index: Any = None, step: Any = 0, *, scale: Any = 1.0, size: Any = None) -> Any:
        """A float64 of the exponential distribution whose mean is `scale`."""
        if size is not None:
            return _filled("exponential", self, size, step, scale)
        if index is None:
            raise TypeError("exponential() needs an index, or a size")
        word0, word1, _, _ = self._block(index, step, EXPONENTIAL, 0)
        return scale * -log(1.0 - _fraction(word0, word1))

    @overload
    def integers(self, index: int, step: int = 0, *, low: int = 0, high: int) -> int: ...
    @overload
    def integers(self, *, step: int = 0, low: int = 0, high: int, size: Shape) -> NDArray[np.int64]: ...
    @draws(np.int64)
    def integers(self, index: Any = None, step: Any = 0, *, low: Any = 0, high: Any, size: Any = None) -> Any:
        """An integer from `low` on, below `high`; they lie less than 2**63 apart.

        One of 2**64 equally likely fractions of the range: no number is likelier by more than a 2**64th.
        """
        if size is not None:
            return _filled("integers", self, size, step, low, high)
        if index is None:
            raise TypeError("integers() needs an index, or a size")
        if low >= high:
            raise ValueError("integers() needs a low end below the high one")
        word0, word1, _, _ = self._block(index, step, INTEGERS, 0)
        return low + _part_of(int(high - low), word0, word1)

    @overload
    def poisson(self, index: int, step: int = 0, *, mean: float) -> int: ...
    @overload
    def poisson(self, *, step: int = 0, mean: float, size: Shape) -> NDArray[np.int64]: ...
    @draws(np.int64)
    def poisson(self, index: Any = None, step: Any = 0, *, mean: Any, size: Any = None) -> Any:
        """An integer of the Poisson distribution; `mean` is from 0 to 2**40.

        Knuth's products of uniform numbers up to a mean of 10, then Hörmann's transformed rejection (PTRS, 1993).
        """
        if size is not None:
            return _filled("poisson", self, size, step, mean)
        if index is None:
            raise TypeError("poisson() needs an index, or a size")
        if not 0.0 <= mean <= 1099511627776.0:
            raise ValueError("poisson() needs a mean from 0 to 2**40")
        if mean <= FEW:
            return self._poisson_of_few(index, step, mean)
        return self._poisson_of_many(index, step, mean)

    def bits(self, index: int, step: int = 0) -> int:
        """63 random bits, as an integer from 0 on: for distributions of one's own."""
        word0, word1, _, _ = self._block(index, step, BITS, 0)
        return (word0 >> 1) << 32 | word1

    def _block(self, index: Any, step: Any, kind: int, draw: int) -> tuple[int, int, int, int]:
        """The four words of a counter; the shifts by 0 refuse floats."""
        element = int(index >> 0)
        turn = int(step >> 0)
        upper = ((element >> 32) & 0xFFFF) | (kind << 28) | (draw << 16)
        words = philox(self.key0, self.key1, element & WORD, upper, turn & WORD, (turn >> 32) & WORD)
        return words

    def _poisson_of_few(self, index: Any, step: Any, mean: float) -> int:
        least = exp(-mean)
        product = 1.0
        count = -1
        while count < 0 or (product > least and count < DRAWS - 1):
            count += 1
            word0, word1, _, _ = self._block(index, step, POISSON, count)
            product *= 1.0 - _fraction(word0, word1)
        return count

    def _poisson_of_many(self, index: Any, step: Any, mean: float) -> int:
        spread = 0.931 + 2.53 * math.sqrt(mean)
        slope = -0.059 + 0.02483 * spread
        inverse = 1.1239 + 1.1328 / (spread - 3.4)
        surely = 0.9277 - 3.6224 / (spread - 2.0)
        falling = log(mean)
        count = 0
        draw = 0
        taken = False
        while not taken and draw < DRAWS:
            word0, word1, word2, word3 = self._block(index, step, POISSON, draw)
            draw += 1
            across = _fraction(word0, word1) - 0.5
            height = 1.0 - _fraction(word2, word3)
            near = 0.5 - abs(across)
            if near >= 0.013 or (near >= NEAREST and height <= near):
                count = math.floor((2.0 * slope / near + spread) * across + mean + 0.43)
                if near >= 0.07 and height <= surely:
                    taken = True
                elif count >= 0:
                    left = log(height) + log(inverse) - log(slope / (near * near) + spread)
                    taken = left <= count * falling - mean - lgamma(count + 1.0)
        return count


def _fraction(word0: int, word1: int) -> float:
    """A multiple of 2**-53 from 0 on, below 1."""
    return ((word0 >> 5) * 67108864.0 + (word1 >> 6)) * 1.1102230246251565e-16


def _part_of(length: int, word0: int, word1: int) -> int:
    """`length` times a fraction of 64 bits, rounded down: the upper half of a product of 128 bits."""
    low = length & WORD
    high = (length >> 32) & WORD
    across = high * word1
    aslant = low * word0
    middle = (((low * word1) >> 32) & WORD) + (across & WORD) + (aslant & WORD)
    return high * word0 + ((across >> 32) & WORD) + ((aslant >> 32) & WORD) + (middle >> 32)


def _filled(name: str, stream: Stream, size: Shape, *given: Any) -> NDArray[Any]:
    from somd.random.arrays import filled

    return filled(name, stream, size, *given)
