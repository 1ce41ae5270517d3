"""Programs whose arrays stay distributed between calls; each is a function without arguments.

What they look at, and how, is what programs do with NumPy's arrays: in one process they have no others.
"""

from __future__ import annotations

import copy
import os
import pickle
import tempfile
from pathlib import Path
from typing import Annotated, Any

import numpy as np

import somd as package
from examples import histogram, sparse_product
from somd import dist, reduce, somd
from somd.runtime.mpi import launched

#: rows and columns of arrays that are large enough to stay distributed
ROWS, COLUMNS = 30, 300
STEPS = 4


@somd
def diffuse(plate: dist[np.ndarray], new: dist[np.ndarray]) -> None:
    for i in range(1, len(plate) - 1):
        for j in range(1, plate.shape[1] - 1):
            new[i, j] = 0.25 * (plate[i - 1, j] + plate[i + 1, j] + plate[i, j - 1] + plate[i, j + 1])


@somd
def upwind(a: dist[np.ndarray], b: dist[np.ndarray]) -> None:
    """What `counted` alone calls, so that its messages can be told."""
    for i in range(2, len(a)):
        for j in range(a.shape[1]):
            b[i, j] = 0.5 * a[i - 2, j] + 0.5 * a[i, j]


@somd
def smoothed(a: dist[np.ndarray], far: int) -> tuple[np.ndarray, np.ndarray]:
    """Two new arrays, of which one is read before they are there together."""
    b = np.zeros_like(a)
    c = a.copy()
    for i in range(far, len(a) - far):
        for j in range(a.shape[1]):
            b[i, j] = (a[i - far, j] + a[i + far, j]) * 0.5
    for i in range(len(a)):
        for j in range(1, a.shape[1]):
            c[i, j] -= b[i, j - 1]
    return c, b


@somd
def downwards(a: dist[np.ndarray]) -> None:
    """Sweeps down the columns: rows of the second axis are what ranks write."""
    for j in range(a.shape[1]):
        for i in range(1, len(a)):
            a[i, j] = 0.5 * (a[i - 1, j] + a[i, j])


@somd
def weighed(a: dist[np.ndarray], weights: dist[np.ndarray], limit: float) -> Annotated[float, reduce("+")]:
    found = 0.0
    for i in range(len(a)):
        if a[i, 3] > limit:
            raise ValueError(f"row {i} has {a[i, 3]}")
        for j in range(a.shape[1]):
            found += a[i, j] * weights[j]
    return found


@somd
def swapped(a: dist[np.ndarray], b: dist[np.ndarray], turns: int) -> tuple[np.ndarray, np.ndarray]:
    for _ in range(turns):
        for i in range(1, len(a) - 1):
            for j in range(a.shape[1]):
                b[i, j] = a[i - 1, j] + a[i + 1, j]
        a, b = b, a
    return a, b


class Plate:
    """An object that has its arrays as attributes, and makes them anew."""

    def __init__(self, rows: int) -> None:
        self.now = package.full((rows, COLUMNS), 1.5)
        self.now[rows // 2] = 8.0

    @somd
    def moved(self, by: float) -> np.ndarray:
        found = np.zeros_like(self.now)
        for i in range(1, len(self.now)):
            for j in range(found.shape[1]):
                found[i, j] = self.now[i - 1, j] * by
        return found


def plate() -> Any:
    made = package.full((ROWS, COLUMNS), 20.0)
    made[0] = 100.0
    made[-1, 5:90] = 4.0
    made[:, 7] += np.arange(ROWS)
    return made


def heat() -> Any:
    """Steps of which each is a call."""
    old, new = plate(), package.zeros((ROWS, COLUMNS))
    for _ in range(STEPS):
        diffuse(old, new)
        old, new = new, old
    return np.asarray(old), np.asarray(new)


def counted() -> Any:
    """A loop over calls is like a loop in one: two rows to the next rank at each step but the first, and no result."""
    old = plate()
    new = old.copy()
    for _ in range(STEPS):
        upwind(old, new)
        old, new = new, old
    return np.asarray(old)


def returned() -> Any:
    """Arrays that methods return are arguments of the next ones; borders wider than a part."""
    a, b = plate(), None
    for far in (1, 3, 9):
        a, b = smoothed(a, far)
    assert b is not None
    downwards(b)
    c, d = swapped(a, b, 3)
    assert c is b and d is a
    c, d = swapped(a, b, 2)
    assert c is a and d is b
    return total(a), total(b), np.asarray(a), np.asarray(b)


def total(a: Any) -> float:
    return weighed(a, np.ones(COLUMNS), np.inf)


def windows() -> Any:
    """Views show what calls change, and calls see what is written through views."""
    a = plate()
    b = a.copy()
    row, column, corner, every = a[3], b[:, 4], a[1:5, 2:6], np.asarray(b)
    seen = []
    for _ in range(3):
        diffuse(a, b)
        diffuse(b, a)
        row[9] += 1.0
        seen += [row.sum(), column.sum(), corner[::-1].copy(), every[7, 8]]
    row = corner = every = None
    diffuse(a, b)
    diffuse(every if every is not None else b, a)
    last = a[-2]
    del a
    return seen, column.copy(), last.copy(), np.asarray(b)


def overlapping() -> Any:
    """An argument that is a view of another one."""
    a = plate()
    diffuse(a.copy(), a)
    upper, flat = a[:20], a.reshape(-1)
    c, b = smoothed(upper, 1)
    total(a)
    found = [total(upper), total(flat.reshape(ROWS, -1)), np.asarray(c)]
    found += [weighed(a, flat, np.inf), weighed(upper, a[1], np.inf), weighed(a, a[0], np.inf)]
    diffuse(np.asarray(a), b0 := package.zeros((ROWS, COLUMNS)))
    try:
        diffuse(upper, a[5:25])
    except package.SomdRuntimeError as error:
        found.append(str(error))
    return found, np.asarray(b), np.asarray(b0), np.asarray(a)


def looked_at() -> Any:
    """What NumPy and Python do with arrays."""
    a, b = smoothed(plate(), 2)
    found: list[Any] = [a.shape, a.dtype, a.ndim, a.size, a.nbytes, len(b), isinstance(a, np.ndarray), np.shape(b)]
    found += [a[3, 4], a[-1, -1], a[2:9:3, 5], a[8:2:-2], a[[1, 4], [2, 3]], a[..., 1], a[None, 2].shape, a[a > 90.0]]
    found += [repr(a), str(b), f"{a[0, 0]:.3f}", repr(a[:2]), a.tolist()[3][:5], (5.0 in a), a[4][6], a[:0].shape]
    found += [a.sum(), b.max(axis=0), np.mean(a), np.argmax(b), np.allclose(a, b), np.concatenate([a, b])[40], a.T[2]]
    found += [a + b, 2.0 * a - b, -a, a @ b.T, np.exp(-b * 0.01), a == b, np.maximum(a, 3.0), np.add.reduce(a)]
    found += [np.array(a, np.float32), a.astype(int), np.zeros_like(a), [row[1] for row in b], np.shares_memory(a, b)]
    found += [
        np.array([a, b]).shape,
        np.stack([b, a])[1, 2],
        np.float64(2.0) * a,
        np.ones(COLUMNS) - b,
        a.view(np.int64),
    ]
    found += [copy.deepcopy(a)[2], copy.copy(b)[1], pickle.loads(pickle.dumps(a)), np.linalg.norm(a[:4])]
    a += b
    a[2:4] *= 0.5
    a[1] = b[2]
    b[b > 7.0] = a[0, 0]
    np.multiply(a, 2.0, out=b)
    a[:, 1], a[5, 5] = np.arange(ROWS), b[1, 1]
    np.copyto(b[3], a[4])
    np.add.at(b, [1, 1], 0.5)
    a.fill(3.0)
    a.sort(axis=0)
    for wrong in (lambda: a[99], lambda: a["x"], lambda: bool(a), lambda: float(b), lambda: a.nothing):
        try:
            wrong()
        except (IndexError, ValueError, TypeError, AttributeError) as error:
            found.append((type(error).__name__, str(error)))
    diffuse(b, a)
    return found, np.asarray(a), np.asarray(b)


def failing() -> Any:
    a = plate()
    diffuse(a.copy(), a)
    a[0], a[17, 3], a[25, 3] = 1.0, 99.0, 98.0
    try:
        weighed(a, np.ones(COLUMNS), 60.0)
    except ValueError as error:
        return str(error), total(a[:, 1:].copy())
    raise AssertionError("no row is too hot")


def objects() -> Any:
    made = Plate(ROWS)
    for k in range(3):
        made.now = made.moved(0.5 + k)
    return np.asarray(made.now)


def whole() -> Any:
    """Phases that every rank runs as a whole, results that all ranks have, and keys that a partitioner looks at."""
    from tests.runtime.mpi import programs  # which imports this module

    a = plate()
    diffuse(a.copy(), a)
    many = package.scatter(np.linspace(0.0, 1.0, 20_000))
    programs.relaxed(many, 2)
    keys = package.scatter(np.repeat(np.arange(4_000), 5))
    y = package.zeros(4_000)
    sparse_product.by_coordinates(y, keys, np.arange(20_000) % 50, many, np.linspace(0.1, 1.0, 50))
    return np.asarray(a), histogram.histogram(many, 0.1, 0.9, 7), np.asarray(y)


def files() -> Any:
    path = Path(tempfile.gettempdir()) / f"somd-ranks-{os.getppid()}"
    world = launched.world()
    content = np.arange(ROWS * COLUMNS, dtype=float).reshape(ROWS, COLUMNS)
    a, _ = smoothed(package.scatter(content if world is None or world.rank == 0 else np.zeros_like(content)), 2)
    package.save(path, a)
    again = package.load(f"{path}.npy")
    diffuse(again, a)
    package.save(f"{path}.npy", np.arange(7))
    small = package.load(f"{path}.npy")
    found = np.asarray(again), np.asarray(a), small
    in_columns = package.scatter(np.asfortranarray(content))
    package.save(path, np.asfortranarray(content[1:]))
    again = package.load(f"{path}.npy")
    found += in_columns.flags.c_contiguous, again.flags.c_contiguous, np.asarray(in_columns), np.asarray(again)
    path.with_suffix(".npy").unlink(missing_ok=True)
    try:
        package.save("/nowhere/at/all.npy", a)
    except OSError as error:
        return (*found, str(error))
    raise AssertionError("there is no such folder")


PROGRAMS = (heat, counted, returned, windows, overlapping, looked_at, failing, objects, whole, files)
