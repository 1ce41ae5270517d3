"""What passes of loop programs gain on an OpenCL device: kernels without one against kernels with it, in one process.

    python -m benchmarks.passes [--device gpu] [--scale 1.0] [--repeat 15]

Both run with all other passes of the schedule, turn by turn, on arrays that lie on the device, and must give the same
bits. Prints the medians of a call and what the one is of the other.
"""

from __future__ import annotations

import argparse
import os
import statistics
import tempfile
import time
from collections.abc import Callable, Sequence
from types import FunctionType
from typing import Any
from unittest.mock import patch

import numpy as np

import somd
from benchmarks.javagrande import crypt, series
from somd import dist
from somd.runtime.opencl import to_device
from somd.transforms.passes import Pass
from somd.transforms.passes.precompute import precompute
from somd.transforms.passes.register_accumulation import register_accumulation
from somd.transforms.schedules import opencl
from somd.transforms.schedules.opencl import SCHEDULE

A = dist[np.ndarray]
Makes = Callable[[float], tuple[Any, ...]]


def grey(rgb: A, out: A) -> None:
    for i in range(rgb.shape[0]):
        for j in range(rgb.shape[1]):
            r, g, b = np.int64(rgb[i, j, 0]), np.int64(rgb[i, j, 1]), np.int64(rgb[i, j, 2])
            out[i, j] = (299 * r + 587 * g + 114 * b + 500) // 1000


def rolled(words: A, key: np.ndarray, out: A) -> None:
    for i in range(len(words)):
        x = np.int64(words[i])
        for k in range(len(key)):
            x = (x * np.int64(key[k]) + 12345) % 65521
        out[i] = x


def product(a: A, b: np.ndarray, c: A) -> None:
    for i in range(a.shape[0]):
        for j in range(b.shape[1]):
            for k in range(a.shape[1]):
                c[i, j] += a[i, k] * b[k, j]


def column_sums(a: A, out: A) -> None:
    for j in range(a.shape[1]):
        for i in range(a.shape[0]):
            out[j] += a[i, j]


def matrix_vector(a: A, x: np.ndarray, y: A) -> None:
    for i in range(a.shape[0]):
        y[i] = 0.0
        for j in range(a.shape[1]):
            y[i] += a[i, j] * x[j]


def bells(a: A, modes: int, out: A) -> None:
    for i in range(len(a)):
        total = 0.0
        for k in range(1, modes):
            total += a[i] * np.exp(-0.01 * k)
        out[i] = total


def rows_of_bells(a: A, out: A) -> None:
    for i in range(a.shape[0]):
        for j in range(a.shape[1]):
            total = 0.0
            x = 0.0
            for _ in range(24):
                x += 0.0625
                total += a[i, j] * np.log(1.0 + x)
            out[i, j] = total


def norm_of_bells(a: A, out: A) -> None:
    norm = 0.0
    for i in range(len(a)):
        x = 0.5
        for k in range(200):
            x = x * 0.99 + k
            norm += a[i] * np.exp(-x)
    out[0] = norm


def _series(scale: float) -> tuple[Any, ...]:
    return (np.zeros((2, int(4000 * scale))),)


def _bells(scale: float) -> tuple[Any, ...]:
    a = np.linspace(0.0, 1.0, int(20_000 * scale))
    return a, 400, np.zeros(len(a))


def _rows_of_bells(scale: float) -> tuple[Any, ...]:
    a = np.linspace(0.0, 1.0, 500 * int(600 * scale)).reshape(-1, 500)
    return a, np.zeros(a.shape)


def _norm_of_bells(scale: float) -> tuple[Any, ...]:
    return np.linspace(0.0, 1.0, int(20_000 * scale)), np.zeros(1)


def _crypt(scale: float) -> tuple[Any, ...]:
    plain, cipher, _, key, _ = crypt.inputs(8 * int(400_000 * scale))
    return plain, cipher, key


def _grey(scale: float) -> tuple[Any, ...]:
    rows = int(1000 * scale)
    picture = np.arange(rows * 1000 * 3, dtype=np.int64).reshape(rows, 1000, 3)
    return picture.astype(np.uint8), np.zeros((rows, 1000), np.uint8)


def _rolled(scale: float) -> tuple[Any, ...]:
    count = int(200_000 * scale)
    return np.arange(count).astype(np.uint16), np.arange(1, 65, dtype=np.uint16) * 977, np.zeros(count, np.int64)


def _product(scale: float) -> tuple[Any, ...]:
    size = int(384 * scale)
    a = np.arange(size * size).reshape(size, size) / size
    return a, a.T.copy(), np.zeros((size, size))


def _column_sums(scale: float) -> tuple[Any, ...]:
    a = np.ones((1000, int(2000 * scale)))
    return a, np.zeros(a.shape[1])


def _matrix_vector(scale: float) -> tuple[Any, ...]:
    a = np.ones((int(2000 * scale), 1500))
    return a, np.ones(1500), np.zeros(len(a))


BIT_WIDTHS: tuple[tuple[Any, Makes], ...] = ((crypt.crypt.__wrapped__, _crypt), (grey, _grey), (rolled, _rolled))
ACCUMULATION: tuple[tuple[Any, Makes], ...] = (
    (product, _product),
    (column_sums, _column_sums),
    (matrix_vector, _matrix_vector),
)

PRECOMPUTE: tuple[tuple[Any, Makes], ...] = (
    (series.series.__wrapped__, _series),
    (bells, _bells),
    (rows_of_bells, _rows_of_bells),
    (norm_of_bells, _norm_of_bells),
)


def compiled(function: FunctionType, schedule: Sequence[Pass], args: tuple[Any, ...]) -> Callable[[], None]:
    """A call of the function on the device, compiled with these passes; the last array is waited for."""
    own = FunctionType(function.__code__, function.__globals__, function.__name__, function.__defaults__)
    own.__annotations__ = dict(function.__annotations__)
    method = somd.somd(own)
    with (
        tempfile.TemporaryDirectory() as folder,
        patch.dict(os.environ, SOMD_CACHE_DIR=folder),
        patch.object(opencl, "SCHEDULE", tuple(schedule)),
    ):
        method(*args)

    written = args[1] if function.__name__ == "crypt" else args[-1]

    def run() -> None:
        method(*args)
        np.asarray(written)

    return run


def _given(value: Any) -> Any:
    """An argument as a call gets it: arrays lie on the device."""
    return to_device(value) if isinstance(value, np.ndarray) else value


def compare(function: FunctionType, makes: Makes, step: Pass, scale: float, repeat: int) -> str:
    """One line: what a call takes without the pass and with it."""
    others = [each for each in SCHEDULE if each is not step]
    place = SCHEDULE.index(step) if step in SCHEDULE else 0
    schedules = {"without": others, "with": [*others[:place], step, *others[place:]]}
    given = {name: tuple(_given(each) for each in makes(scale)) for name in schedules}
    runs = {name: compiled(function, schedule, given[name]) for name, schedule in schedules.items()}
    for mine, theirs in zip(given["with"], given["without"], strict=True):
        assert np.asarray(mine).tobytes() == np.asarray(theirs).tobytes(), function.__name__
    times: dict[str, list[float]] = {name: [] for name in runs}
    for _ in range(repeat):
        for name, run in runs.items():
            start = time.perf_counter()
            run()
            times[name].append(1e3 * (time.perf_counter() - start))
    before, after = (statistics.median(times[name]) for name in ("without", "with"))
    return f"{function.__name__:16}{before:10.2f} ms{after:10.2f} ms{before / after:8.2f}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device")
    parser.add_argument("--scale", type=float, default=1.0, help="of the sizes")
    parser.add_argument("--repeat", type=int, default=15)
    options = parser.parse_args()
    use = somd.use(target="opencl") if options.device is None else somd.use(target="opencl", device=options.device)
    with use, somd.use(small_work=0):
        for name, step, rows in (
            ("precompute", precompute, PRECOMPUTE),
            ("bit_widths", SCHEDULE[-1], BIT_WIDTHS),
            ("register_accumulation", register_accumulation, ACCUMULATION),
        ):
            print(f"{name:16}   without         with   ratio")
            for function, makes in rows:
                print(compare(function, makes, step, options.scale, options.repeat), flush=True)


if __name__ == "__main__":
    main()
