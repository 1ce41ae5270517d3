"""Programs that ranks share, unaltered, at sizes that leave some of them without rows and borders wider than parts.

Run as a script it prints a line for each rank: what the programs gave, and what the rank sent. A rank is a process
among those of `mpiexec`; or, with a number behind the name of the script, one of so many threads. A process that no
launcher has started prints what ranks are to give.
"""

from __future__ import annotations

import hashlib
import json
import os
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np

from benchmarks import several_devices as tiles
from benchmarks.javagrande import crypt, lufact, series, sor, sparsematmult
from benchmarks.loops.registry import by_name
from examples import floyd_warshall, heat, histogram, k_means, nbody, norm, sparse_product
from somd import Cyclic, dist, partition, reduce, shared, somd, sync, to_device, use
from tests.differential.harness import duplicate
from tests.runtime.mpi import staying


@somd
def far(a: dist[np.ndarray], b: dist[np.ndarray], steps: int) -> None:
    """Borders of five rows."""
    for _ in range(steps):
        for i in range(5, len(a) - 5):
            b[i] = a[i - 5] - a[i + 5] + a[i]
        a, b = b, a


@somd
def again(a: dist[np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    """Two phases read what one has written."""
    b = np.zeros_like(a)
    c = np.zeros_like(a)
    d = np.zeros_like(a)
    for i in range(1, len(a) - 1):
        b[i] = a[i - 1] * 2.0
    for i in range(1, len(a) - 1):
        c[i] = b[i - 1] + b[i + 1]
    for i in range(1, len(a) - 1):
        d[i] = b[i - 1] - b[i + 1]
    return c, d


@somd
def between(a: dist[np.ndarray], steps: int) -> np.ndarray:
    """The master reads and writes elements, makes arrays and copies them between phases."""
    found = np.zeros(steps, a.dtype)
    for t in range(steps):
        if a[t, 1] > 0.0:
            a[t, 0] += 1.0
        pivot = a[t, 0]
        last = a[-1, 0]
        old = a.copy()
        for i in range(1, len(a)):
            for j in range(1, a.shape[1]):
                a[i, j] = old[i - 1, j] * pivot + old[i, j - 1] - last
        found[t] = a[len(a) // 2, 1]
    return found


@somd
def rows_then_columns(a: dist[np.ndarray], steps: int) -> None:
    """Sweeps along one axis, and then along the other."""
    for _ in range(steps):
        for i in range(len(a)):
            for j in range(1, a.shape[1]):
                a[i, j] += 0.5 * a[i, j - 1]
        for j in range(a.shape[1]):
            for i in range(1, len(a)):
                a[i, j] += 0.5 * a[i - 1, j]


@somd
def sums_of_columns(a: dist[np.ndarray]) -> np.ndarray:
    """Of an array without rows there are sums, too."""
    sums = np.ones(a.shape[1])
    for j in range(a.shape[1]):
        total = 0.0
        for i in range(len(a)):
            total += a[i, j]
        sums[j] = total
    return sums


@somd
def with_library(a: dist[np.ndarray]) -> tuple[np.ndarray, float]:
    """Python calls NumPy between the loops, on every rank."""
    doubled = a * 2.0
    ordered = np.sort(doubled)
    for i in range(len(a)):
        a[i] = ordered[i] - doubled[i]
    return np.cumsum(ordered), float(np.median(a))


@somd
def whole_arrays(a: dist[np.ndarray], b: dist[np.ndarray]) -> tuple[np.ndarray, float]:
    """Slices, masks, choices and NumPy's own sum."""
    c = a * 2.0 + b
    c[1:-1] = 0.5 * (c[:-2] + c[2:]) - a[1:-1]
    a[b > 0.1] = -1.0
    c[::2] += 1.0
    return np.where(c > 0.0, c, b), np.abs(c).sum()


@somd
def filtered(a: dist[np.ndarray]) -> tuple[np.ndarray, np.ndarray, int]:
    """A scan and a filter, whose order shows."""
    kept = np.zeros_like(a)
    sums = np.zeros(len(a), np.int64)
    count, total = 0, 0
    for i in range(len(a)):
        total += i if a[i] > 0.0 else -1
        sums[i] = total
    for i in range(len(a)):
        if a[i] > 0.0:
            kept[count] = a[i]
            count += 1
    return kept, sums, count


@somd
def names_from_tuples(a: dist[np.ndarray], b: dist[np.ndarray], n: int) -> float:
    """Arrays that are arguments are written by names that come out of tuples."""
    pair = (a, 0.5, b)
    x, v, y = pair
    for _ in range(n):
        for i in range(len(b)):
            y[i] = x[i] * v + 1.0
        pair = (y, v + 1.0, x)
        x, v, y = pair
    return v


@somd
def waves(u: dist[np.ndarray], v: dist[np.ndarray], w: dist[np.ndarray], force: dist[np.ndarray], steps: int) -> None:
    """Three arrays whose names go round, and one that is only read."""
    for _ in range(steps):
        for i in range(2, len(u) - 2):
            w[i] = 1.5 * v[i] - u[i] + 0.25 * (v[i - 2] + v[i + 2]) + force[i]
        u, v, w = v, w, u


@somd
def there_and_back(a: dist[np.ndarray], b: dist[np.ndarray], steps: int) -> float:
    """Two phases a turn, of which one writes what the other one reads; and a scalar of each turn."""
    weight = 0.5
    for _ in range(steps):
        for i in range(1, len(a) - 1):
            b[i] = weight * a[i - 1] + 0.25 * a[i + 1]
        for i in range(1, len(a) - 1):
            a[i] = b[i - 1] * weight - b[i + 1]
        weight = weight * 0.75 + 0.125
    return weight


@somd
def taken(x: dist[np.ndarray], index: dist[np.ndarray]) -> np.ndarray:
    """Reads anywhere, and an IndexError where an index is wrong."""
    found = np.empty(len(index), x.dtype)
    for i in range(len(index)):
        found[i] = x[index[i]]
    return found


@somd
def checked(a: dist[np.ndarray], limit: float) -> Annotated[float, reduce("+")]:
    """The exception of the lowest iteration."""
    total = 0.0
    for i in range(len(a)):
        if a[i] > limit:
            raise ValueError(f"element {i} is {a[i]}")
        a[i] += 1.0
        total += a[i]
    return total


@somd
def spread(a: dist[np.ndarray], at: dist[np.ndarray], n: int) -> np.ndarray:
    """Sums of floats, whose order shows."""
    h: shared[np.ndarray] = np.zeros(n)
    with sync(h, reduce="+"):
        for i in range(len(a)):
            h[at[i]] += a[i]
    return h


def merged(partials: list[float]) -> float:
    """What parts make, in an order that shows."""
    found = 0.0
    for partial in partials:
        found = found * 0.75 + partial
    return found


@somd
def by_parts(a: Annotated[np.ndarray, dist, partition(Cyclic)]) -> Annotated[float, reduce(merged)]:
    """Each method instance has a result of its own, from a part that the partitioner made."""
    mine = 0.0
    for i in range(len(a)):
        mine = mine * 0.5 + a[i]
    return mine


@somd
def relaxed(a: dist[np.ndarray], steps: int) -> None:
    """Each method instance reads what others had when the block began."""
    for _ in range(steps):
        with sync(relaxed=True):
            for i in range(1, len(a)):
                a[i] = 0.5 * (a[i] + a[i - 1])


@somd
def upwards(a: dist[np.ndarray], steps: int) -> None:
    """In place: the first row of a part leaves while what needs no rows of others, that one among it, is written."""
    for p in range(steps):
        for i in range(len(a) - 1):
            for j in range((i + p) % 2, a.shape[1], 2):
                a[i, j] = 0.5 * a[i, j] + a[i + 1, j]


@dataclass(frozen=True)
class Program:
    """A call, of which the result and the arguments afterwards are compared.

    They are compared with those of the plain function; or, where bits show in which blocks values were combined, or a
    message says more than Python's, with those of the method `compiled` for one process.
    """

    name: str
    call: Any
    args: tuple[Any, ...] = ()
    compiled: bool = False

    def outcome(self, plain: bool = False) -> Any:
        args = duplicate(self.args)
        try:
            return (self.call.sequential if plain else self.call)(*args), args
        except (IndexError, ValueError) as error:
            return type(error).__name__, str(error)


def programs() -> Iterator[Program]:
    """One for each thing that ranks do; with SOMD_ALL_CASES=1 also larger ones, in which these meet.

    What is shared alike whatever the target is runs on OpenCL alone, which compiles faster.
    """
    on_devices = os.environ.get("SOMD_TARGET") == "opencl"
    every = bool(os.environ.get("SOMD_ALL_CASES"))
    random = np.random.default_rng(5)
    numbers, small = random.random(3001) - 0.4, random.random((9, 7)) - 0.4
    yield Program("far", far, (numbers[:31], np.zeros(31), 3))
    for rows in (1, 2, 30):
        yield Program(f"again.{rows}", again, (numbers[:rows],))
    for rows in (2, 9):
        yield Program(f"rows_then_columns.{rows}", rows_then_columns, (small[:rows], 2))
    if on_devices or every:
        yield Program("between", between, (small, 3))
        for rows in (0, 9):
            yield Program(f"sums_of_columns.{rows}", sums_of_columns, (small[:rows],))
        yield Program("there_and_back", there_and_back, (numbers[:1000], numbers[1000:2000], 9))
        yield Program("red and black", tiles.sor, (numbers[:3000].reshape(500, 6), 22))
        yield Program("upwards", upwards, (numbers[:3000].reshape(500, 6), 9))
        yield Program("with_library", with_library, (numbers[:301],))
    yield Program("waves", waves, (*(numbers[k : k + 900] for k in range(4)), 13))
    yield Program("tiles", tiles.heat, (numbers[:3000].reshape(600, 5), numbers[1:3001].reshape(600, 5), 21))
    yield Program("names_from_tuples", names_from_tuples, (numbers[:9], numbers[9:18], 3))
    yield Program("spread", spread, (numbers, np.arange(3001) * 7 % 5, 5), compiled=True)
    yield Program("taken", taken, (numbers, np.arange(-20, 40, 3)))
    yield Program("wrong index", taken, (numbers[:50], np.array([3, 8, 60, 1, -51, 7, 99])), compiled=True)
    yield Program("exception", checked, (np.linspace(0.0, 1.0, 1000), 0.6))
    yield Program("no exception", checked, (numbers, 2.0), compiled=True)
    yield Program("by_parts", by_parts, (numbers[:70],), compiled=True)
    yield Program("relaxed", relaxed, (numbers[:50], 3), compiled=True)
    if on_devices:
        yield Program("targets in turn", targets_in_turn, compiled=True)
    for each in staying.PROGRAMS:
        yield Program(f"stay {each.__name__}", each, compiled=True)
    yield Program("by keys", sparse_product.by_coordinates, (np.zeros(40), *mixed_keys(), small[:8, 0]))
    if every:
        yield from larger(random, numbers, small)


def larger(random: np.random.Generator, numbers: np.ndarray, small: np.ndarray) -> Iterator[Program]:
    """Examples and the programs of JavaGrande, all compared with one process."""
    for rows in (1, 2, 4, 23):
        yield Program(f"heat.{rows}", heat.settle, (random.random((rows, 6)), 0.2), compiled=True)
    yield Program("floyd_warshall", floyd_warshall.shortest_paths, (random_paths(8),), compiled=True)
    yield Program("histogram", histogram.histogram, (numbers, -0.3, 0.5, 7), compiled=True)
    yield Program("k_means", k_means.k_means, (numbers[:3000].reshape(-1, 2), small[:4, :2], 3), compiled=True)
    yield Program("nbody", n_body, compiled=True)
    yield Program("norm", norm.normalize, (numbers,), compiled=True)
    yield Program("sparse", sparse_product.by_rows, rows_of_sparse(40), compiled=True)
    yield Program("crypt", crypt.kernel, crypt.inputs(808), compiled=True)
    yield Program("lufact", lufact.kernel, lufact.inputs(23), compiled=True)
    yield Program("series", series.kernel, series.inputs(9), compiled=True)
    yield Program("sor", sor.kernel, sor.inputs(20, 3), compiled=True)
    for rows in (2, 4, 301):
        yield Program(f"whole_arrays.{rows}", whole_arrays, (numbers[:rows], numbers[rows : 2 * rows]), compiled=True)
    for rows in (0, 2, 301):
        yield Program(f"filtered.{rows}", filtered, (numbers[:rows],), compiled=True)
    for name in ("jacobi_2d", "hdiff", "softmax", "cavity_flow", "correlation", "azimint_hist", "heat_3d"):
        kernel = by_name()[name]
        yield Program(f"arrays {name}", somd(kernel.arrays or kernel.numpy), kernel.prepare("tiny"), compiled=True)
    yield Program("sparsematmult", sparsematmult.kernel, sparsematmult.inputs(50, 300, 3), compiled=True)


def targets_in_turn() -> Any:
    """What one target leaves distributed, the other takes; arrays of devices are every rank's own."""
    a, found = staying.plate(), []
    b = a.copy()
    for k in range(4):
        with use(target=("opencl", "multicore")[k % 2]):
            staying.diffuse(a, b)
            a, b = b, a
            found.append(staying.total(a))
    row = a[2]
    staying.diffuse(b, a)
    found.append(row.copy())
    on_device = to_device(np.arange(5000.0))
    checked(on_device, 1e9)
    return found, np.asarray(on_device), np.asarray(a), np.asarray(b)


def random_paths(nodes: int) -> np.ndarray:
    return np.random.default_rng(2).integers(1, 99, (nodes, nodes))


def rows_of_sparse(rows: int) -> tuple[np.ndarray, ...]:
    random = np.random.default_rng(3)
    ends = np.concatenate([[0], np.cumsum(random.integers(0, 6, rows))])
    return ends, random.integers(0, rows, ends[-1]), random.random(ends[-1]), random.random(rows)


def mixed_keys() -> tuple[np.ndarray, ...]:
    """Rows in groups of which those of two ranks have keys on both sides of each other's."""
    row = np.repeat([7, 30, 2, 21, 39, 11, 0], 5)
    return row, np.arange(35) % 8, np.linspace(0.1, 1.0, 35)


def n_body() -> Any:
    cluster = nbody.Cluster(13)
    cluster.run(2, 0.1)
    return cluster.position, cluster.velocity, cluster.energy()


def digest(value: Any) -> str:
    """A hash of values and types."""
    state = hashlib.sha256()

    def add(each: Any) -> None:
        if isinstance(each, np.ndarray):
            state.update(f"{each.dtype} {each.shape}".encode() + each.tobytes())
        elif isinstance(each, tuple | list):
            for part in each:
                add(part)
        else:
            state.update(f"{type(each).__name__} {each!r}".encode())

    add(value)
    return state.hexdigest()[:16]


def results() -> dict[str, str]:
    """The hash of what each program gives."""
    return {each.name: digest(each.outcome()) for each in programs()}


def expected() -> dict[str, str]:
    """The hash of what each program is to give on any number of ranks."""
    return {each.name: digest(each.outcome(plain=not each.compiled)) for each in programs()}


def main() -> None:
    from somd.runtime.mpi import launched
    from somd.runtime.mpi.ledger import LEDGER
    from tests.runtime.mpi.threads import on_ranks

    if os.environ.get("SOMD_TARGET") == "opencl":
        from somd.runtime.opencl.several import parts

        parts.FEW = 0
    if len(sys.argv) > 1:
        for size in map(int, sys.argv[1:]):
            for rank, found in enumerate(on_ranks(size, lambda _: results())):
                if isinstance(found, Exception):
                    raise found
                tell({"rank": rank, "size": size, "results": found})
        return
    world = launched.world()
    rank, size = (0, 1) if world is None else (world.rank, world.size)
    found = expected() if world is None else results()
    sent = {f"{method} {place}": vars(entry) for (method, place), entry in LEDGER.entries.items()}
    threads = 1 if world is None else world.threads(2)
    tell({"rank": rank, "size": size, "results": found, "sent": sent, "threads": threads})


def tell(found: dict[str, Any]) -> None:
    """Print a line at once, so that launchers do not mix it with those of other ranks."""
    sys.stdout.write(f"RANK {json.dumps(found)}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
