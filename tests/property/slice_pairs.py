"""Many pairs of slices through few methods: steps are written out, limits, lengths and shapes come with each call.

    a[i:j:-2] += a[k:l:-2]          p = a[i:j:3, ::-1]; p[...] = b[k:l:3, m:n]

A method is compiled once and called with hundreds of random limits and shapes, so ten thousand pairs take minutes. Both
sides may be one array: by name, as a named part, or because the call gives one array twice. Arrays are contiguous,
spaced, or in Fortran order.

`python -m tests.property.slice_pairs --count 10000 --methods 80 --target multicore` checks so many pairs against NumPy,
with 1, 2, 3 and 7 workers, and prints those that differ.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from tests.language.program import spaced
from tests.property.array_statements import DTYPES, HEADER, method_of
from tests.property.many_calls import Case, main

STEPS = ("", "", ":2", ":3", ":-1", ":-1", ":-2", ":-3")
#: statements; X and Y are slices whose numbers of elements are alike in most calls
FORMS = (
    "a[X] = b[Y]",
    "a[X] += b[Y]",
    "a[X] = a[Y]",
    "a[X] = a[Y]",
    "a[X] += a[Y]",
    "a[X] -= a[Y] * 2 + b[Y]",
    "a[X] = a[X] + a[Y]",
    "p = a[X]; p[...] = a[Y]",
    "p = a[X]; q = a[Y]; p += q",
    "q = b[Y]; a[X] = q; b[Y] = a[X]",
    "p = a[X]; p[1:] = p[:-1]; a[X] = a[Y]",
    "q = a[Y]; a[X] = np.where(q > 0, q, b[Y])",
    "a[X], b[Y] = b[Y], a[X]",
    "c = a[X] - b[Y]; a[X] = c; b[Y] += c",
    "a[X] = np.maximum(a[Y], b[Y])[F]",
)
#: those that copy: where two slices of one dimension overlap, NumPy copies in a wrong order (docs/limits.md)
COPIED = ("a[X] = b[Y]", "a[X] = a[Y]", *(form for form in FORMS if form.endswith(("] = a[Y]", "] = a[X]"))))


@dataclass(frozen=True)
class Sliced:
    """A slice as it is written: the names of its limits, "" where there is none, and its step."""

    low: str
    high: str
    step: str

    @property
    def text(self) -> str:
        return f"{self.low}:{self.high}{self.step}"

    def count(self, limits: dict[str, int], length: int) -> int:
        """How many elements it has of an axis."""
        low, high = (limits[name] if name else None for name in (self.low, self.high))
        return len(range(*slice(low, high, int(self.step[1:] or 1)).indices(length)))


class Pairs:
    """A method with a statement over two slices of arrays `a` and `b`, and calls of it."""

    def __init__(self, number: int, folder: Path) -> None:
        self.random = random.Random(number)
        self.rank = self.random.choice((1, 1, 1, 2, 2, 3))
        self.left, self.right = self._slices("x"), self._slices("y")
        self.names = [name for each in (*self.left, *self.right) for name in (each.low, each.high) if name]
        form = self.random.choice(FORMS)
        self.dtypes = [self.random.choice(DTYPES)] * 2
        if "b[Y] +=" not in form and self.random.random() < 0.3:
            self.dtypes = ["float64", "int16"]
        #: whether calls give one array for both
        self.one = self.dtypes[0] == self.dtypes[1] and self.random.random() < 0.3
        if form in COPIED and self.rank == 1 and int(self.left[0].step[1:] or 1) * int(self.right[0].step[1:] or 1) > 0:
            self.right = [replace(self.right[0], step=self.left[0].step)]
        self.layout = self.random.choice((np.asarray, np.asarray, spaced, np.asfortranarray))
        left, right = (", ".join(each.text for each in slices) for slices in (self.left, self.right))
        turned = ", ".join(["::-1"] * self.rank)
        form = form.replace("[X]", f"[{left}]").replace("[Y]", f"[{right}]")
        body = "\n    ".join(form.replace("[F]", f"[{turned}]").split("; "))
        parameters = "".join(f", {name}: int" for name in self.names)
        self.text = f"{HEADER}@somd\ndef f(a, b{parameters}):\n    {body}\n"
        self.method: Any = method_of(self.text, f"pairs_{number}", folder)

    def _slices(self, stem: str) -> list[Sliced]:
        return [
            Sliced(
                f"{stem}{axis}" if self.random.random() < 0.8 else "",
                f"{stem}{axis}_" if self.random.random() < 0.8 else "",
                self.random.choice(STEPS),
            )
            for axis in range(self.rank)
        ]

    def cases(self, count: int) -> Iterator[Case]:
        """Arguments: limits of either sign, inside and beyond; most slices have as many elements as their partners."""
        numbers = np.random.default_rng(self.random.getrandbits(32))
        made = 0
        while made < count:
            shape = tuple(int(n) for n in numbers.choice((0, 1, 2, 3, 4, 5, 6, 7, 9, 12), self.rank))
            limits = self._limits(shape)
            pairs = zip(self.left, self.right, shape, strict=True)
            counts = [tuple(each.count(limits, length) for each in pair) for *pair, length in pairs]
            if any(1 in pair and pair[0] != pair[1] for pair in counts):
                continue  # an axis of length 1 that only a call shows: refused
            made += 1
            a = self.layout(numbers.integers(-4, 5, shape).astype(self.dtypes[0]))
            b = a if self.one else self.layout(numbers.integers(-4, 5, shape).astype(self.dtypes[1]))
            yield (a, b, *(limits[name] for name in self.names))

    def _limits(self, shape: tuple[int, ...]) -> dict[str, int]:
        """Limits with which the two slices of each axis fit, if some are found soon; at times any."""
        limits: dict[str, int] = {}
        for left, right, length in zip(self.left, self.right, shape, strict=True):
            for _ in range(1 if self.random.random() < 0.02 else 60):
                for name in (left.low, left.high, right.low, right.high):
                    limits |= {name: self.random.randint(-length - 2, length + 2)} if name else {}
                count = left.count(limits, length)
                if count == right.count(limits, length) and (count or self.random.random() < 0.1):
                    break
        return limits


if __name__ == "__main__":
    main(__doc__ or "", Pairs)
