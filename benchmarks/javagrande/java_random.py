"""The generator of `java.util.Random`, whole arrays of draws at a time.

In: a seed. Out: the very numbers that Java's class draws, so that the inputs and the reference values are the suite's
own. A 48-bit linear congruential generator: `s -> (s * 0x5DEECE66D + 0xB) mod 2^48`, started at
`(seed ^ 0x5DEECE66D) mod 2^48`; a draw of `b` bits is the top `b` of the 48.

Draws that mix kinds (an int, then a double) take their states from `JavaRandom.states` and turn them into numbers by
`as_ints` and `as_doubles`. No Gaussians, no bounded integers: the suite needs none.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

MULTIPLIER = 0x5DEECE66D
INCREMENT = 0xB
MASK = (1 << 48) - 1

States = NDArray[np.uint64]


class JavaRandom:
    """A generator that has drawn nothing yet; `seed` is any Python integer, used as a Java `long`."""

    def __init__(self, seed: int) -> None:
        self._state = (seed ^ MULTIPLIER) & MASK

    def states(self, count: int) -> States:
        """Make `count` steps and return the state after each: shape (count,), the low 48 bits used.

        The first state is stepped singly, the rest by doubling: as `m` steps together are again `s -> a*s + c`, the
        states m+1 .. 2m follow from the states 1 .. m in one array operation. Products wrap modulo 2^64, which leaves
        the low 48 bits right.
        """
        states = np.empty(count, np.uint64)
        if count == 0:
            return states
        states[0] = (self._state * MULTIPLIER + INCREMENT) & MASK
        known, a, c = 1, MULTIPLIER, INCREMENT
        while known < count:
            more = min(known, count - known)
            states[known : known + more] = (states[:more] * np.uint64(a) + np.uint64(c)) & np.uint64(MASK)
            known += more
            a, c = a * a & MASK, (a * c + c) & MASK
        self._state = int(states[-1])
        return states

    def ints(self, count: int) -> NDArray[np.int32]:
        """The next `count` results of `nextInt()`."""
        return as_ints(self.states(count))

    def doubles(self, count: int) -> NDArray[np.float64]:
        """The next `count` results of `nextDouble()`, in [0, 1)."""
        pairs = self.states(2 * count)
        return as_doubles(pairs[0::2], pairs[1::2])


def as_ints(states: States) -> NDArray[np.int32]:
    """What `nextInt()` makes of each state: its top 32 bits, signed."""
    return (states >> np.uint64(16)).astype(np.uint32).view(np.int32)


def as_doubles(high: States, low: States) -> NDArray[np.float64]:
    """What `nextDouble()` makes of two successive states: the top 26 bits of one, then the top 27 of the next."""
    bits = ((high >> np.uint64(22)) << np.uint64(27)) + (low >> np.uint64(21))
    return bits.astype(np.float64) / float(1 << 53)
