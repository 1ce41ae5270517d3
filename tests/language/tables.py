"""Expensive functions in inner loops that no distributed iteration changes, for which multicore makes tables."""

from __future__ import annotations

import math

import numpy as np

from somd import dist, somd
from tests.language.program import numbers, program

LENGTHS = (0, 1, 3, 40)


def damped(x: float, rate: float, kind: int) -> float:
    """A weight that depends on `x` alone, and one that does not."""
    weight = math.exp(-x) * 0.5
    if kind == 1:
        weight = weight * rate
    return weight


def weighed(rate: float, kind: int, steps: int) -> float:
    """A sum over a recurrence."""
    total = damped(0.25, rate, kind)
    x = 0.0
    for _ in range(steps):
        x += 0.125
        total += damped(x, rate, kind)
    return total


@program(lambda: [(numbers(n), np.zeros(n), np.zeros(n), 5) for n in LENGTHS], rtol=1e-13)
@somd
def helpers(a: dist[np.ndarray], b: dist[np.ndarray], c: dist[np.ndarray], steps: int) -> None:
    """Helpers in helpers, called twice."""
    for i in range(len(a)):
        b[i] = weighed(a[i], 1, steps)
        c[i] = weighed(a[i] * 2.0, 0, 3) + weighed(a[i], 1, steps)


@program(lambda: [(numbers(n), numbers(m, low=0), 4) for n in LENGTHS for m in (0, 5)], rtol=1e-12)
@somd
def conditions(a: dist[np.ndarray], c: np.ndarray, steps: int) -> np.ndarray:
    """Recurrences over elements, loops in loops, conditions that vary and conditions that do not."""
    out = np.zeros(len(a))
    for i in range(len(a)):
        s = 0.0
        y = 1.0
        for k in range(1, 3 * steps, 3):
            y = y * 0.75
            for j in range(len(c)):
                y = y + c[j] / (j + k)
                if k % 2 == 0:
                    y = y * 0.5
                    s += y**1.5 * a[i]
                if a[i] > 0.0:
                    s += np.log(y + 1.0)
        x = a[i]
        for k in range(steps):
            x = x + 1.0
            s += math.sin(x)  # another for each element
        out[i] = s
    return out


@program(lambda: [(numbers(n, m), 3) for n, m in ((0, 2), (3, 0), (4, 5), (2, 40))], rtol=1e-12)
@somd
def total(a: dist[np.ndarray], steps: int) -> float:
    """A sum over two distributed loops."""
    s = 0.5
    for i in range(a.shape[0]):
        for j in range(a.shape[1]):
            for k in range(steps):
                s += a[i, j] * math.cos(k * 0.5)
            s += a[i, j]
    return float(s)


@program(lambda: [(numbers(3), 100), (numbers(2), 66_000)], rtol=1e-12)
@somd
def long_loop(a: dist[np.ndarray], steps: int) -> None:
    """More trips than a table has entries: 64 in the interpreter, 65536 on multicore."""
    for i in range(len(a)):
        s = 0.0
        for k in range(steps, 0, -1):
            s += a[i] / math.sqrt(math.exp(1.0 / k))
        a[i] = s


@program(lambda: [(numbers(n, low=0), 6) for n in (0, 3, 60)], rtol=1e-12)
@somd
def loops_under_conditions(a: dist[np.ndarray], steps: int) -> None:
    """Loops that only some iterations take, in loops that all of them do."""
    for i in range(len(a)):
        s = 0.0
        for k in range(steps):
            if a[i] * k > 1.0:
                for j in range(3):
                    s += math.exp(k * 0.25) * a[i]
            if steps > 2:
                for j in range(2):
                    s += math.exp(k * 0.25) + a[i]
        a[i] = s


@program(lambda: [(numbers(n), np.zeros(0, int), 0) for n in LENGTHS] + [(numbers(9), np.full(6, 7), 9)], rtol=1e-12)
@somd
def limits_under_conditions(a: dist[np.ndarray], limits: np.ndarray, m: int) -> None:
    """The limit of a loop is no element where no iteration takes the loop."""
    for i in range(len(a)):
        s = 0.0
        if i < m:
            for k in range(limits[5]):
                s += math.exp(k * 0.25) * a[i]
        a[i] = s


@program(lambda: [(numbers(n), numbers(m, low=0)) for n in (0, 5, 40) for m in (0, 7)], rtol=1e-12)
@somd
def of_elements(a: dist[np.ndarray], c: np.ndarray) -> None:
    """Functions of elements, and loops over the length of what they do not read."""
    for i in range(len(a)):
        s = 0.0
        for k in range(len(c)):
            s += math.exp(-c[k]) * a[i]
        for j in range(len(c)):
            s += math.exp(j * -0.25) * a[i]
        a[i] = s


@program(
    lambda: [(numbers(n, dtype=np.float32), np.ones(n, complex), numbers(7, low=0, dtype=np.float32)) for n in (0, 40)],
    rtol=1e-5,
)
@somd
def of_other_types(a: dist[np.ndarray], z: dist[np.ndarray], c: np.ndarray) -> None:
    """Numbers of single precision, complex ones, truth values."""
    for i in range(len(a)):
        for k in range(len(c)):
            a[i] = a[i] + np.tanh(c[k])
            z[i] = z[i] * np.exp(1j * k)
            if np.exp(c[k]) > 2.0:
                a[i] = a[i] * np.float32(0.5)


def between(x: float) -> float:
    """A local name that is one of the generated code's, with a number."""
    lo = math.exp(x) * 0.5
    return lo + x


@program(lambda: [(numbers(n, m), 3) for n, m in ((0, 2), (4, 5), (30, 40))], rtol=1e-12)
@somd
def helper_in_a_grid(a: dist[np.ndarray], steps: int) -> None:
    for i in range(a.shape[0]):
        for j in range(a.shape[1]):
            s = 0.0
            for k in range(steps):
                s += between(k * 0.5) * a[i, j]
            a[i, j] = s


@program(
    lambda: [
        (numbers(n, low=0, high=60000, dtype=int), numbers(6, low=0, high=60000, dtype=int) * wide, np.zeros(n))
        for n, wide in ((0, 1), (40, 1), (40, 1 << 20))
    ],
    rtol=1e-13,
)
@somd
def beside_short_words(words: dist[np.ndarray], key: np.ndarray, out: dist[np.ndarray]) -> None:
    """A table in strips that take the elements of another array for short: both ways need it."""
    for i in range(len(words)):
        x = words[i] & 0xFFFF
        s = 0.0
        for k in range(len(key)):
            x = (x * key[k] % 65537) & 0xFFFF
            s += math.exp(k * -0.25) * x
        out[i] = s


def searched(t: int) -> float:
    """It ends for 1 and 2, and does not for 13."""
    x = t * 0.25
    while t != 1:
        t = t * 5 + 1 if t % 2 == 1 else t // 2
    return math.exp(-x)


@program(lambda: [(numbers(n), m, 3) for n, m in ((0, 13), (1, 2), (40, 2))], rtol=1e-12)
@somd
def no_iterations(a: dist[np.ndarray], m: int, steps: int) -> None:
    """A helper that no iteration calls, and that would not end."""
    for i in range(len(a)):
        y = searched(m)
        s = 0.0
        for k in range(steps):
            s += math.exp(y * k) * a[i]
        a[i] = s


@program(lambda: [(numbers(*shape), m, 3) for shape, m in (((40, 0), 13), ((0, 5), 13), ((4, 5), 2))], rtol=1e-12)
@somd
def no_columns(a: dist[np.ndarray], m: int, steps: int) -> None:
    """The same in a region of two loops."""
    for i in range(a.shape[0]):
        for j in range(a.shape[1]):
            s = 0.0
            for k in range(steps):
                s += searched(m) * math.exp(-0.5 * k) * a[i, j]
            a[i, j] = s
