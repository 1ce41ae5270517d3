"""One function of NumPy's a call: the plain function beside the same with the decorator.

    python -m benchmarks.array_functions --sizes 20000,100000,1000000 --dtype float64 --threads 1 --only sum,max

In: a vector of normal numbers times 100, as numbers of the dtype, or as many in a square matrix. Out: a line for each
function and size: microseconds of both, the least of `--repeat` times of some calls in turn after the first 2100, and
NumPy's over ours; then the geometric mean. With one thread the times are of the processor, else of the clock.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Sequence
from statistics import geometric_mean
from typing import Any

import numpy as np

import somd
from benchmarks.command_line import count, one_of

Array = np.ndarray
FIRST_CALLS, CALLS = 2100, 50


def total(a: Array) -> Any:
    return a.sum()


def squares(a: Array) -> Any:
    return (a * a).sum()


def mean(a: Array) -> Any:
    return a.mean()


def deviation(a: Array) -> Any:
    return a.std()


def largest(a: Array) -> Any:
    return a.max()


def place(a: Array) -> Any:
    return a.argmax()


def positive(a: Array) -> Any:
    return np.where(a > 0, a, 0)


def clipped(a: Array) -> Any:
    return np.clip(a, -1, 1)


def running(a: Array) -> Any:
    return np.cumsum(a)


def spread(a: Array) -> Any:
    return np.ptp(a)


def differences(a: Array) -> Any:
    return np.diff(a)


def by_cases(a: Array) -> Any:
    return np.where(a > 1, 1, np.where(a < -1, -1, a))


def positive_ones(a: Array) -> Any:
    return a[a > 0]


def how_many(a: Array) -> Any:
    return np.count_nonzero(a > 0)


def tenths(a: Array) -> Any:
    return a // 10


def sums_of_four(a: Array) -> Any:
    return a.reshape(-1, 4).sum(axis=1)


def every_fourth_sum(a: Array) -> Any:
    return a.reshape(-1, 4).sum(axis=0)


def place_of_all(a: Array) -> Any:
    return a.argmax()


def total_of_all(a: Array) -> Any:
    return a.sum()


def deviation_of_all(a: Array) -> Any:
    return a.std()


def sorted_distances(a: Array) -> Any:
    return np.sort(a) - a


def joined(a: Array) -> Any:
    return np.concatenate((a, a))


def rolled(a: Array) -> Any:
    return np.roll(a, 3)


def tiled(a: Array) -> Any:
    return np.tile(a, 3)


def padded(a: Array) -> Any:
    return np.pad(a, 2)


def smoothed(a: Array) -> Any:
    return np.convolve(a, np.array([0.25, 0.5, 0.25]))


def distances(a: Array) -> Any:
    return np.abs(a)


def side_by_side(a: Array) -> Any:
    return np.concatenate((a, a), axis=1)


def upper(a: Array) -> Any:
    return np.triu(a)


def some_in_columns(a: Array) -> Any:
    return (a > 400).any(axis=0)


def column_sums(a: Array) -> Any:
    return a.sum(axis=0)


def row_sums(a: Array) -> Any:
    return a.sum(axis=1)


def column_places(a: Array) -> Any:
    return a.argmax(axis=0)


def row_places(a: Array) -> Any:
    return a.argmax(axis=1)


def both(a: Array) -> Any:
    return a + a


def same(a: Array) -> Any:
    return a == 3


def rounded_down(a: Array) -> Any:
    return np.floor(a)


def place_of_least(a: Array) -> Any:
    return a.argmin()


def rests(a: Array) -> Any:
    return a % 10


def inner_product(a: Array) -> Any:
    return a @ a


def length(a: Array) -> Any:
    return np.linalg.norm(a)


def in_pairs(a: Array) -> Any:
    return np.stack((a, a), axis=1)


def in_order(a: Array) -> Any:
    return np.sort(a)


def middle(a: Array) -> Any:
    return np.median(a)


def spectrum(a: Array) -> Any:
    return np.fft.rfft(a)


def chosen_rows(a: Array) -> Any:
    return a[a[:, 0] > 0]


def rows_by_index(a: Array) -> Any:
    return a[np.argsort(a[:, 0])]


def with_transposed(a: Array) -> Any:
    return a + a.T


def products_of_rows(a: Array) -> Any:
    return a @ a[0]


OF_VECTORS = (total, squares, mean, deviation, largest, place, positive, clipped, running, spread, differences)
OF_VECTORS += (by_cases, positive_ones, how_many, tenths, sums_of_four, every_fourth_sum, sorted_distances)
OF_VECTORS += (joined, rolled, tiled, padded, smoothed, distances)
OF_VECTORS += (both, same, rounded_down, place_of_least, rests, inner_product, length, in_pairs)
OF_VECTORS += (in_order, middle, spectrum)
OF_MATRICES = (column_sums, row_sums, column_places, row_places, place_of_all, total_of_all, deviation_of_all)
OF_MATRICES += (side_by_side, upper, some_in_columns)
OF_MATRICES += (chosen_rows, rows_by_index, with_transposed, products_of_rows)
#: whose sums NumPy's libraries add up in another order
PRODUCTS = (inner_product, length, products_of_rows)
FUNCTIONS: dict[str, Callable[[Any], Any]] = {each.__name__: each for each in (*OF_VECTORS, *OF_MATRICES)}


def least(
    functions: Sequence[Callable[[Any], Any]], given: Any, repeat: int, clock: Callable[[], float]
) -> list[float]:
    """The seconds of a call of each, the least of so many times that they are measured in turn."""
    found = [float("inf")] * len(functions)
    for _ in range(repeat):
        for at, function in enumerate(functions):
            start = clock()
            for _ in range(CALLS):
                function(given)
            found[at] = min(found[at], (clock() - start) / CALLS)
    return found


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line (`sys.argv` by default)."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.array_functions")
    add = parser.add_argument
    add("--only", type=lambda text: [one_of(name, FUNCTIONS) for name in text.split(",")], default=list(FUNCTIONS))
    add("--sizes", type=lambda text: [count(each) for each in text.split(",")], default=[20_000, 100_000, 1_000_000])
    add("--dtype", choices=("float64", "float32", "int64", "complex128"), default="float64")
    add("--threads", type=count, default=1)
    add("--repeat", type=count, default=9)
    options = parser.parse_args(arguments)
    ratios = []
    with somd.use(target="multicore", workers=options.threads):
        for name in options.only:
            plain, ours = FUNCTIONS[name], somd.somd(FUNCTIONS[name])
            for size in options.sizes:
                given = (np.random.default_rng(1).normal(size=size) * 100).astype(options.dtype)
                if plain in OF_MATRICES:
                    side = int(size**0.5)
                    given = given[: side * side].reshape(side, side)
                given = given * (1 + 2j) if options.dtype.startswith("complex") else given
                exact = plain not in PRODUCTS
                wanted, found = plain(given), ours(given)
                np.testing.assert_allclose(found, wanted, rtol=1e-15 if exact else 1e-11)
                for _ in range(FIRST_CALLS):
                    ours(given)
                clock = time.process_time if options.threads == 1 else time.perf_counter
                times = least((plain, ours), given, options.repeat, clock)
                ratios.append(times[0] / times[1])
                print(f"{name:14}{size:9}{times[0] * 1e6:10.1f}{times[1] * 1e6:10.1f}{ratios[-1]:7.2f}", flush=True)
    print(f"{'geometric mean':43}{geometric_mean(ratios):7.2f}")


if __name__ == "__main__":
    main()
