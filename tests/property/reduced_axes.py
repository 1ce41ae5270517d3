"""Sums, means, variances and deviations of many shapes through few methods: axes are written out, shapes come with each
call.

    return a.sum(axis=1), a.mean(axis=1), a.var(axis=1), np.std(a, axis=1, ddof=1)

Arrays are in C order, so the bits are NumPy's.

`python -m tests.property.reduced_axes --count 10000 --methods 44 --target multicore` checks so many shapes with 1, 2, 3
and 7 workers.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from tests.property.array_statements import HEADER, method_of
from tests.property.many_calls import Case, main

#: the rank of an array, and the axes that are reduced
AXES: tuple[tuple[int, tuple[int, ...] | int | None], ...] = (
    (1, None),
    (1, 0),
    (2, None),
    (2, 0),
    (2, -1),
    (2, (0, 1)),
    (3, None),
    (3, 0),
    (3, 1),
    (3, 2),
    (3, (1, 2)),
    (3, (0, 1)),
    (3, (0, 2)),
)
#: lengths around those at which NumPy's order changes
LENGTHS = (0, 1, 2, 3, 5, 7, 8, 9, 15, 16, 17, 31, 64, 127, 128, 129, 130, 255, 256, 257, 300, 513, 1025, 2000)
LONG = (*LENGTHS, 4095, 8191, 8192, 8193, 16384, 20011)
MOST = 30_000


class Reduced:
    """A method that reduces an array along some axes, and calls of it."""

    def __init__(self, number: int, folder: Path) -> None:
        self.random = random.Random(number)
        self.rank, axis = AXES[number % len(AXES)]
        self.dtype = ("float64", "float32", "float64", "int32")[number // len(AXES) % 4]
        self.all = axis is None
        keeps = self.random.choice(("", ", keepdims=True")) if not self.all else ""
        given = f"axis={axis}{keeps}"
        reduced = ("sum", "mean", "var", "std")[: 2 + 2 * (self.dtype != "float32")]
        methods = [f"a.{name}({given})" for name in reduced]
        self.text = f"{HEADER}@somd\ndef f(a):\n    return {', '.join(methods)}\n"
        self.method: Any = method_of(self.text, f"reduced_{number}", folder)

    def cases(self, count: int) -> Iterator[Case]:
        """Arrays of random shapes, not too large."""
        numbers = np.random.default_rng(self.random.getrandbits(32))
        made = 0
        while made < count:
            shape = tuple(int(n) for n in numbers.choice(LONG if self.rank == 1 else LENGTHS, self.rank))
            size = int(np.prod(shape))
            empty = size == 0 and made % 20
            if size > MOST or empty or (self.rank > 1 and 1 in shape[1:]):
                continue  # axes of length 1 behind the one that is summed: another order of NumPy's
            made += 1
            values = numbers.standard_normal(shape) * 10.0 ** numbers.integers(-3, 4)
            yield (np.asarray(values * 100 if self.dtype == "int32" else values).astype(self.dtype),)


if __name__ == "__main__":
    main(__doc__ or "", Reduced)
