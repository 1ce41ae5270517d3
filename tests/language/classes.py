"""Methods of classes, and values captured from outside."""

from __future__ import annotations

import enum
import types
from collections import namedtuple
from dataclasses import dataclass
from typing import Annotated

import numpy as np

from somd import Cyclic, dist, partition, somd
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
program(lambda: [(Slotted(k, 3, k > 1), a) for k in (0.5, np.float32(2)) for (a,) in vectors()])(Slotted.apply)
program(vectors)(Counter.over)
program(vectors)(Counter.under)
program(vectors)(Counter.double)
program(vectors)(Counter.triple)
program(lambda: [(Grid(0.5, k), a) for k in (0, 2) for (a,) in vectors()])(with_grid)
program(lambda: [(a, a.copy()) for (a,) in vectors()])(captured)
program(lambda: [(a,) for (a,) in vectors()] + [(numbers(7, dtype=np.float32),), (fortran(numbers(5)),)])(captured_rows)
