"""Monte Carlo

Four experiments, each with loops and with arrays that are drawn. A stream gives each number for what it is for, so both
forms draw the same numbers, on all cores and on a GPU.

Prints:

    pi is about 3.1490, in both forms
    an option is worth 10.41, in both forms
    50 particles at rest, after 200 steps: a variance of 0.83
    1000 walks of 100 steps: the mean square of their ends is 102.9
"""

import math
from typing import Annotated

import numpy as np

from somd import dist, reduce, somd
from somd.random import Stream


@somd
def pi(rng: Stream, n: int) -> float:
    """How many of `n` points of a square lie in a quarter of a circle."""
    inside = 0
    for i in range(n):
        x, y = rng.uniform(i, 0), rng.uniform(i, 1)
        if x * x + y * y < 1.0:
            inside += 1
    return 4.0 * inside / n


@somd
def pi_of_arrays(rng: Stream, n: int) -> float:
    """The same, of arrays."""
    x, y = rng.uniform(size=n), rng.uniform(size=n, step=1)
    return 4.0 * np.count_nonzero(x * x + y * y < 1.0) / n


@somd
def option(rng: Stream, n: int, strike: float) -> Annotated[float, reduce("+")]:
    """A European call on a share of price 100, rate 5 %, volatility 20 %, after a year (Black and Scholes, 1973)."""
    total = 0.0
    for i in range(n):
        price = 100.0 * math.exp(0.03 + 0.2 * rng.normal(i))
        total += math.exp(-0.05) * max(price - strike, 0.0) / n
    return total


@somd
def option_of_arrays(rng: Stream, n: int, strike: float) -> float:
    """The same, of an array."""
    prices = 100.0 * np.exp(0.03 + 0.2 * rng.normal(size=n))
    return float(math.exp(-0.05) * np.mean(np.maximum(prices - strike, 0.0)))


@somd
def langevin(x: dist[np.ndarray], rng: Stream, steps: int, drag: float, heat: float) -> None:
    """Particles in a harmonic well, pushed by noise (the method of Euler and Maruyama)."""
    for t in range(steps):
        for i in range(len(x)):
            x[i] = x[i] - drag * x[i] + rng.normal(i, t, std=heat)


@somd
def langevin_of_arrays(x: dist[np.ndarray], rng: Stream, steps: int, drag: float, heat: float) -> None:
    """The same, of arrays."""
    for t in range(steps):
        x[:] = x - drag * x + rng.normal(size=len(x), step=t, std=heat)


@somd
def walks(rng: Stream, n: int, steps: int) -> np.ndarray:
    """Where each of `n` walks is after so many steps to either side, of a stream of its own."""
    place = np.empty(n, np.int64)
    for i in range(n):
        own = rng.child(i)
        at = 0
        for t in range(steps):
            at += 2 * own.integers(t, high=2) - 1
        place[i] = at
    return place


@somd
def walks_of_arrays(rng: Stream, n: int, steps: int) -> np.ndarray:
    """Where each walk is after each step."""
    return np.cumsum(2 * rng.integers(size=(n, steps), high=2) - 1, axis=1)


def main() -> None:
    rng = Stream(seed=2026)
    both = pi(rng, 20_000), pi_of_arrays(rng, 20_000)
    print(f"pi is about {both[0]:.4f}, {'in both forms' if both[0] == both[1] else both}")
    worth = option(rng, 20_000, 100.0), option_of_arrays(rng, 20_000, 100.0)
    print(f"an option is worth {worth[0]:.2f}, {'in both forms' if abs(worth[0] - worth[1]) < 1e-9 else worth}")
    x, y = np.zeros(50), np.zeros(50)
    langevin(x, rng, 200, 0.1, 0.435)
    langevin_of_arrays(y, rng, 200, 0.1, 0.435)
    assert np.array_equal(x, y)
    print(f"50 particles at rest, after 200 steps: a variance of {np.var(x):.2f}")
    ends = walks_of_arrays(rng, 1000, 100)[:, -1]
    print(f"1000 walks of 100 steps: the mean square of their ends is {np.mean(ends**2):.1f}")


if __name__ == "__main__":
    main()
