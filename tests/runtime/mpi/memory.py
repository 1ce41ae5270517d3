"""A program of which each rank has memory for its share alone; it prints how much more than before that is.

The argument is the size of an array in megabytes; what a rank took it says in shares of one array.
"""

from __future__ import annotations

import resource
import sys

import numpy as np

import somd as package
from somd import dist, somd

COLUMNS = 1 << 14


@somd
def begun(plate: dist[np.ndarray], hot: float) -> np.ndarray:
    """Arrays of all kinds that a method makes: two are there when the call ends, the argument among them."""
    rows, columns = plate.shape
    full = np.full((rows, columns), hot)
    empty = np.empty_like(plate)
    copied = plate.copy()
    for i in range(1, rows - 1):
        for j in range(columns):
            empty[i, j] = full[i - 1, j] + copied[i + 1, j]
    return empty


@somd
def step(plate: dist[np.ndarray]) -> np.ndarray:
    new = np.zeros_like(plate)
    for i in range(1, len(plate) - 1):
        for j in range(1, plate.shape[1] - 1):
            new[i, j] = 0.25 * (plate[i - 1, j] + plate[i + 1, j] + plate[i, j - 1] + plate[i, j + 1])
    return new


def used() -> int:
    """The most memory that this process has had, in kilobytes."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def run(rows: int) -> float:
    plate = begun(package.full((rows, COLUMNS), 20.0), 4.0)
    for _ in range(3):
        plate = step(plate)
    return float(plate[rows // 2, 5])


def run_steps(rows: int) -> float:
    """Three steps, with two arrays at once."""
    plate = package.full((rows, COLUMNS), 20.0)
    for _ in range(3):
        plate = step(plate)
    return float(plate[rows // 2, 5])


def main() -> None:
    from somd.runtime.mpi import launched

    world = launched.world()
    assert world is not None
    run(9)  # compiles, and loads libraries
    before = used()
    rows = (int(sys.argv[1]) << 20) // (8 * COLUMNS)
    middle = run(rows)
    share = rows * COLUMNS * 8 / 1024 / world.size
    print(f"rank {world.rank} of {world.size} took {(used() - before) / share:.2f} shares, {middle}", flush=True)


if __name__ == "__main__":
    main()
