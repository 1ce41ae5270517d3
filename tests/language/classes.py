"""Methods of classes, and values captured from outside."""

from __future__ import annotations

import enum
import types
from collections import namedtuple
from dataclasses import dataclass
from typing import Annotated

import numpy as np

from somd import ByKey, Cyclic, dist, like, partition, single, somd, sync
from tests.language.program import SIZES, Case, fortran, numbers, program, reverse, spaced

TABLE = np.linspace(-2.0, 2.0, 256)
WEIGHTS = np.arange(300, dtype=np.float32).reshape(3, 100)
UNITS = types.SimpleNamespace(scale=np.float32(1.5), shift=3)
Point = namedtuple("Point", "x y")
ORIGIN = Point(0.25, -4)


class Colour(enum.IntEnum):
    RED = 1
    BLUE = 5


class Constants:
    G = 9.81
    STEPS = 3


@dataclass(frozen=True)
class Grid:
    dx: float
    offset: int = 1


class Heat:
    def __init__(self, n: int, alpha: float = 0.1) -> None:
        self.alpha, self.n = alpha, n
        self.mask = numbers(n, seed=3)
        self.grid = Grid(0.5)
        self._field = numbers(n, seed=4)

    @property
    def twice(self) -> float:
        return 2 * self.alpha + self.grid.dx

    @property
    def field(self) -> np.ndarray:
        return self._field

    def scaled(self, x):
        return x * self.alpha + self.grid.dx

    def masked(self, i):
        return self.mask[i] + self.scaled(self.field[i])

    @staticmethod
    def cubed(x):
        return x * x * x

    @somd
    def step(self, a: dist[np.ndarray], b: dist[np.ndarray]) -> None:
        for i in range(1, self.n - 1):
            b[i] = a[i] + self.alpha * self.mask[i] * (a[i - 1] - 2.0 * a[i] + a[i + 1])

    @somd
    def helpers(self, a: dist[np.ndarray]) -> None:
        for i in range(len(a)):
            a[i] = self.cubed(self.scaled(a[i])) + self.twice * self.masked(i)

    @somd
    def nested(self, a: dist[np.ndarray], b: dist[np.ndarray], steps: int) -> float:
        for _ in range(steps):
            self.step(a, b)
            a, b = b, a
        s = np.float64(0)
        for i in range(len(a)):
            s += a[i] * self.field[i]
        return s * self.grid.dx


class Colder(Heat):
    """A subclass that reads another attribute in the method it overrides."""

    def __init__(self, n: int) -> None:
        super().__init__(n)
        self.loss = np.float32(0.125)

    def scaled(self, x):
        return x * self.alpha - self.loss


class Field:
    """Arrays of the object are distributed, and changed in place."""

    u: dist[np.ndarray]
    v: Annotated[np.ndarray, dist, partition(Cyclic)]

    def __init__(self, u: np.ndarray, v: np.ndarray) -> None:
        self.u, self.v = u, v

    @somd
    def relax(self, factor: float) -> None:
        for i in range(1, len(self.u) - 1):
            self.v[i] = factor * (self.u[i - 1] + self.u[i + 1])

    @somd
    def add(self, a: np.ndarray) -> float:
        s = np.float64(0)
        for i in range(len(self.u)):
            self.u[i] += a[i]
            s += self.u[i]
        return s

    @somd
    def shape(self) -> int:
        count = 0
        for x in self.u:
            if x > 0:
                count += 1
        return count + self.v.shape[0] * 1000


class Wave:
    """Short names of attributes at the head of a method."""

    u: dist[np.ndarray]

    def __init__(self, u: np.ndarray) -> None:
        self.u, self.old, self.k = u, u.copy(), 0.5

    @somd
    def step(self, count: int) -> float:
        u, old = self.u, self.old
        k = self.k
        for _ in range(count):
            for i in range(len(u)):
                old[i] = u[i]
            for i in range(1, u.shape[0] - 1):
                u[i] = k * (old[i - 1] + old[i + 1])
        return k


class Sparse:
    row: Annotated[np.ndarray, dist, partition(ByKey)]
    value: Annotated[np.ndarray, dist, like("row")]

    def __init__(self, row: list[int]) -> None:
        self.row, self.value = np.array(row, dtype=np.int64), numbers(len(row))
        self.x = numbers(len(row), seed=2)

    @somd
    def multiply(self, y: np.ndarray) -> None:
        for k in range(len(self.row)):
            y[self.row[k]] += self.value[k] * self.x[k]

    @somd
    def double(self) -> None:
        for k in range(len(self.value)):
            self.value[k] = 2 * self.value[k]


class Names:
    """Attributes and methods named as locals, builtins and modules are."""

    len: dist[np.ndarray]

    def __init__(self, x: float) -> None:
        self.x, self.i, self.range, self.np = x, 3, 2, 5
        self.len = numbers(12)

    def abs(self, v):
        return v * self.k(v) * self.x

    def k(self, v):
        return v + self.x

    @property
    def limit(self):
        return self.x * self.i

    @somd
    def steps(self, a: dist[np.ndarray], self_x: float) -> float:
        i = 5.0
        for k in range(self.range, len(a)):
            a[k] = self.abs(abs(a[k])) + self.i + self.len[k - self.range] + self.np + self_x
        s = np.float64(0)
        n = 0
        while n < self.limit:
            n += 1
            for k in range(len(a)):
                s += a[k]
        return s + i

    @somd
    def running(self, a: dist[np.ndarray]) -> float:
        norm = np.float64(0)
        with sync(norm, reduce="+"):
            for v in self.len:
                norm += abs(v)
        with single:
            for k in range(1, len(a)):
                a[k] = a[k - 1] + TABLE[k] * self.x
        for k in range(len(a)):
            a[k] = a[k] / norm
        return norm


class Two:
    """Two objects of one class, of which one may be the other, with attributes of different types."""

    def __init__(self, left: Names, right: Names) -> None:
        self.left, self.right = left, right

    @somd
    def both(self, a: dist[np.ndarray]) -> None:
        for k in range(len(a)):
            a[k] = self.left.abs(a[k]) + self.right.abs(a[k]) + self.left.limit + self.right.len[0]
        self.left.running(a)
        self.right.running(a)


class Slotted:
    __slots__ = ("_Slotted__factor", "bias", "on")

    def __init__(self, factor: float, bias: int, on: bool) -> None:
        self.__factor, self.bias, self.on = factor, bias, on

    @somd
    def apply(self, a: dist[np.ndarray]) -> None:
        for i in range(len(a)):
            if self.on:
                a[i] = self.__factor * a[i] + self.bias


class Counter:
    base = 4

    @somd
    @classmethod
    def over(cls, a: dist[np.ndarray]) -> int:
        count = 0
        for i in range(len(a)):
            if a[i] > cls.base:
                count += 1
        return count

    @classmethod
    @somd
    def under(cls, a: dist[np.ndarray]) -> int:
        count = 0
        for i in range(len(a)):
            if a[i] < cls.base:
                count += 1
        return count

    @staticmethod
    @somd
    def double(a: dist[np.ndarray]) -> None:
        for i in range(len(a)):
            a[i] = 2 * a[i]

    @somd
    @staticmethod
    def triple(a: dist[np.ndarray]) -> None:
        for i in range(len(a)):
            a[i] = 3 * a[i]


@somd
def with_grid(grid: Grid, a: dist[np.ndarray]) -> None:
    for i in range(grid.offset, len(a)):
        a[i] = a[i] * grid.dx


def looked_up(i):
    return TABLE[i] * UNITS.scale


@somd
def captured(a: dist[np.ndarray], b: dist[np.ndarray]) -> None:
    for i in range(len(a)):
        b[i] = a[i] * TABLE[i] + looked_up(i) + Constants.G * Colour.BLUE + ORIGIN.x - UNITS.shift


@somd
def captured_rows(a: dist[np.ndarray]) -> None:
    for i in range(len(a)):
        for j in range(Constants.STEPS):
            a[i] += WEIGHTS[j, i % 100] * Colour.RED


def vectors() -> list[Case]:
    return [(numbers(n),) for n in SIZES] + [(spaced(numbers(30)),), (reverse(numbers(9)),)]


def heats(*more: object, kind: type = Heat, outputs: int = 0) -> list[Case]:
    pairs = [(kind(n), numbers(n), *(numbers(n, seed=k + 1) for k in range(outputs)), *more) for n in SIZES]
    return [*pairs, (kind(12), spaced(numbers(12)), *(reverse(numbers(12)) for _ in range(outputs)), *more)]


def fields(*more: object) -> list[Case]:
    made = [Field(numbers(n), numbers(n, seed=1)) for n in SIZES]
    made += [Field(spaced(numbers(11)), numbers(11, dtype=np.float32)), Field(numbers(8), numbers(8, dtype=np.int16))]
    return [(field, *more) for field in made]


def pairs() -> list[Two]:
    one = Names(2.0)
    return [Two(one, Names(np.float32(3))), Two(one, one)]


def with_own_array(array: np.ndarray) -> tuple[Field, np.ndarray]:
    return Field(array, array.copy()), array


program(lambda: [*heats(outputs=1), (Heat(9, alpha=2), numbers(9), numbers(9))])(Heat.step)
program(lambda: [*heats(), *heats(kind=Colder)])(Heat.helpers)
program(lambda: heats(3, outputs=1), rtol=1e-12)(Heat.nested)
program(lambda: [(f, 0.5) for (f,) in fields()[:6]])(Field.relax)
program(lambda: [(f, numbers(len(f.u), seed=5)) for (f,) in fields()] + [with_own_array(numbers(20))], rtol=1e-12)(
    Field.add
)
program(fields)(Field.shape)
program(lambda: [(Sparse(rows), numbers(9)) for rows in ([], [3], [0, 0, 1, 2, 2, 2, 5])], rtol=1e-12)(Sparse.multiply)
program(lambda: [(Sparse([0, 0, 1]),)])(Sparse.double)
program(lambda: [(Names(x), numbers(9), 0.25) for x in (2.0, np.float32(1.5))], rtol=1e-12)(Names.steps)
program(lambda: [(Names(3), numbers(9))], rtol=1e-12)(Names.running)
program(lambda: [(pair, numbers(n)) for n in (1, 9) for pair in pairs()], rtol=1e-12)(Two.both)
program(lambda: [(Wave(numbers(n)), count) for n in SIZES for count in (0, 2)])(Wave.step)
program(lambda: [(Slotted(k, 3, k > 1), a) for k in (0.5, np.float32(2)) for (a,) in vectors()])(Slotted.apply)
program(vectors)(Counter.over)
program(vectors)(Counter.under)
program(vectors)(Counter.double)
program(vectors)(Counter.triple)
program(lambda: [(Grid(0.5, k), a) for k in (0, 2) for (a,) in vectors()])(with_grid)
program(lambda: [(a, a.copy()) for (a,) in vectors()])(captured)
program(lambda: [(a,) for (a,) in vectors()] + [(numbers(7, dtype=np.float32),), (fortran(numbers(5)),)])(captured_rows)
