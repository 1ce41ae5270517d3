"""Loops around chains of scalars, which multicore runs in strips of iterations side by side."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from somd import dist, somd
from tests.language.program import Case, numbers, program, spaced

#: beside none, one, few: a strip and a half of the longest
LENGTHS = (0, 1, 5, 1500)


def _chains() -> Sequence[Case]:
    cases: list[Case] = [(numbers(n, low=-1, high=1), numbers(m, low=-1, high=1)) for n in LENGTHS for m in (0, 3)]
    return [*cases, (spaced(numbers(9, low=-1, high=1)), numbers(3, low=-1, high=1))]


@program(_chains)
@somd
def chain(a: dist[np.ndarray], c: np.ndarray) -> np.ndarray:
    """One scalar through a loop; a uniform one beside it, and its place after the loop."""
    out = np.empty_like(a)
    for i in range(len(a)):
        x = a[i]
        scale = 1.0
        k = -1
        for k in range(len(c)):
            scale = scale * 0.5 + c[k]
            x = x * x + scale
        out[i] = x + k
    return out


@program(lambda: [(numbers(n, 3), numbers(3, m), np.zeros((n, m))) for n, m in ((0, 2), (3, 5), (2, 700))])
@somd
def product(a: dist[np.ndarray], b: np.ndarray, c: dist[np.ndarray]) -> None:
    """Columns side by side, the rows distributed too."""
    for i in range(a.shape[0]):
        for j in range(b.shape[1]):
            for k in range(a.shape[1]):
                c[i, j] += a[i, k] * b[k, j]


@program(lambda: [(numbers(n), numbers(n, seed=1), np.zeros(n)) for n in (0, 1, 7, 130)])
@somd
def attraction(x: dist[np.ndarray], mass: dist[np.ndarray], force: dist[np.ndarray]) -> None:
    """Every body against every other."""
    for i in range(len(x)):
        pull = 0.0
        for j in range(len(x)):
            apart = x[j] - x[i]
            distance = apart * apart + 0.25
            pull += mass[j] * apart / (distance * math.sqrt(distance))
        force[i] = pull


@program(lambda: [(numbers(n, dtype=np.uint16, high=65535), numbers(40, dtype=np.uint16, high=65535)) for n in LENGTHS])
@somd
def unsigned(a: dist[np.ndarray], key: np.ndarray) -> np.ndarray:
    """Python integers made of short unsigned ones."""
    out = np.zeros(len(a), np.int64)
    for i in range(len(a)):
        x = int(a[i])
        for k in range(len(key)):
            x = (x * int(key[k]) + 12345) % 65521
            x = x ^ (x >> 3)
        out[i] = x
    return out


@program(lambda: [(numbers(n, dtype=np.int32, low=-99, high=99), np.zeros(n, np.int32), 5) for n in LENGTHS])
@somd
def wrapping(a: dist[np.ndarray], out: dist[np.ndarray], n: int) -> None:
    """Narrow integers that overflow, conditions, and a scalar that is set on some paths only."""
    for i in range(len(a)):
        x = a[i]
        last = np.int32(0)
        for k in range(n):
            x = x * a[i] + np.int32(k)
            if x > 1000:
                last = x
                x = x - np.int32(7)
            elif x < -1000:
                x = -x
        out[i] = last ^ x


@program(lambda: [(numbers(n, low=-1, high=1, dtype=np.float32), np.zeros(n, np.float32), 4) for n in LENGTHS])
@somd
def thirds(a: dist[np.ndarray], out: dist[np.ndarray], n: int) -> None:
    """Every third element, in float32, with loops inside loops and a condition around them."""
    for i in range(0, len(a), 3):
        x = a[i]
        for k in range(n):
            y = x
            for m in range(k):
                y = y * x + m
            x = y * 0.5
            if k % 2 == 0:
                for _ in range(2):
                    x = x * x - 0.25
            else:
                x = abs(x)
        out[i] = x


@program(lambda: [(numbers(n, low=-1, high=1), 6) for n in LENGTHS])
@somd
def backwards(a: dist[np.ndarray], n: int) -> None:
    """In place, from the end."""
    for i in range(len(a) - 1, -1, -1):
        x = a[i]
        y = 1.0
        for k in range(n):
            x, y = y * 0.5 + x, x
            a[i] = x * 0.25 + a[i]
        a[i] += y


@program(
    lambda: [(numbers(n, low=-1, high=1), numbers(m, low=-1, high=1)) for n in LENGTHS[1:] for m in (0, 4)], rtol=1e-12
)
@somd
def energy(a: dist[np.ndarray], c: np.ndarray) -> tuple[float, int]:
    """Sums, inside the inner loop and behind it."""
    total = 0.0
    count = 0
    for i in range(len(a)):
        x = a[i]
        for k in range(len(c)):
            x = x * c[k] + 0.5
            total += x
            if x > 0.5:
                count += 1
        total += x * x
    return total, count


@program(lambda: [(numbers(n), np.zeros(n), 4) for n in LENGTHS], rtol=1e-13)
@somd
def waves(a: dist[np.ndarray], b: dist[np.ndarray], n: int) -> None:
    """Sines and cosines: of elements, of each other, of far angles, and under conditions."""
    for i in range(len(a)):
        s = 0.0
        x = a[i] * 3.0
        for k in range(n):
            s, x = math.cos(x) + s, math.sin(x + k) * 4.0
            s += np.cos(a[i] * 1e9) * np.sin(-a[i])
            if k % 2 == 0:
                s += math.sin(a[i] * 1e12)
            if a[i] > 0.0:
                s += 1.0
        b[i] = s


def fading(x: float, rest: float) -> float:
    """A local name that strips would give to what they add."""
    sin = math.exp(-x) * 0.5
    return sin + rest


@program(lambda: [(numbers(n, low=-1, high=1), np.zeros(n), m) for n in LENGTHS for m in (0, 4)], rtol=1e-12)
@somd
def waves_beside_helpers(a: dist[np.ndarray], b: dist[np.ndarray], n: int) -> None:
    """What is written out of a helper beside the sines of a statement."""
    for i in range(len(a)):
        s = 0.0
        x = a[i]
        for k in range(n):
            s += fading(k * 0.25, x) * math.sin(x + s)
        b[i] = s + x


def rings(elements: int, wanted: int) -> tuple[np.ndarray, np.ndarray, int]:
    return numbers(elements), numbers(wanted, seed=1, low=0, high=9), 70


@program(lambda: [rings(9, 9), rings(12, 9), (numbers(2), np.full(9, 99.0), 5)])
@somd
def means_of_rings(data: dist[np.ndarray], radius: np.ndarray, bins: int) -> np.ndarray:
    """Elements that are there, or that no ring has: they are looked for under a condition."""
    means = np.zeros(bins)
    for i in range(bins):
        total = 0.0
        count = 0
        for k in range(len(radius)):
            if i * 0.5 <= radius[k] and radius[k] < i * 0.5 + 0.5:
                total += data[k]
                count += 1
        if count > 0:
            means[i] = total / count
    return means
