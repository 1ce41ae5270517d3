"""The programs: NumPy's text, which somd and CuPy take as it is, and the same for JAX, whose arrays do not change.

`np` is the module of this name where nothing is said; CuPy's form is the same function with CuPy for it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from types import FunctionType
from typing import Any

import numpy as np

Array = Any
Arguments = tuple[Any, ...]


@dataclass(frozen=True)
class Program:
    """`text` may change its arrays; `jax` gives what `text` returns or, if that is nothing, the arrays in `changed`.

    `inputs(n)` makes arguments of about `n` numbers. Arguments that are no arrays are constants of the program.
    """

    text: Callable[..., Any]
    jax: Callable[..., Any]
    inputs: Callable[[int], Arguments]
    changed: tuple[int, ...] = ()

    @property
    def name(self) -> str:
        return self.text.__name__

    def form(self, namespace: Any) -> Callable[..., Any]:
        """The text with another module as `np`."""
        assert isinstance(self.text, FunctionType)
        return FunctionType(self.text.__code__, {**self.text.__globals__, "np": namespace}, self.name)


def numbers(*shape: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).random(shape)


def side(n: float, axes: int = 2) -> int:
    """The length of an axis of an array of `n` numbers."""
    return max(round(n ** (1.0 / axes)), 8)


def jacobi(u: Array, v: Array, steps: int) -> None:
    for _ in range(steps):
        v[1:-1, 1:-1] = 0.2 * (u[1:-1, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:] + u[2:, 1:-1] + u[:-2, 1:-1])
        u[1:-1, 1:-1] = 0.2 * (v[1:-1, 1:-1] + v[1:-1, :-2] + v[1:-1, 2:] + v[2:, 1:-1] + v[:-2, 1:-1])


def jacobi_jax(np: Any, u: Array, v: Array, steps: int) -> Any:
    for _ in range(steps):
        v = v.at[1:-1, 1:-1].set(0.2 * (u[1:-1, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:] + u[2:, 1:-1] + u[:-2, 1:-1]))
        u = u.at[1:-1, 1:-1].set(0.2 * (v[1:-1, 1:-1] + v[1:-1, :-2] + v[1:-1, 2:] + v[2:, 1:-1] + v[:-2, 1:-1]))
    return u, v


def heat(u: Array, steps: int, c: float) -> None:
    for _ in range(steps):
        middle = u[1:-1, 1:-1, 1:-1]
        change = (u[2:, 1:-1, 1:-1] - 2.0 * middle + u[:-2, 1:-1, 1:-1]) + (
            (u[1:-1, 2:, 1:-1] - 2.0 * middle + u[1:-1, :-2, 1:-1])
            + (u[1:-1, 1:-1, 2:] - 2.0 * middle + u[1:-1, 1:-1, :-2])
        )
        u[1:-1, 1:-1, 1:-1] += c * change


def heat_jax(np: Any, u: Array, steps: int, c: float) -> Any:
    for _ in range(steps):
        middle = u[1:-1, 1:-1, 1:-1]
        change = (u[2:, 1:-1, 1:-1] - 2.0 * middle + u[:-2, 1:-1, 1:-1]) + (
            (u[1:-1, 2:, 1:-1] - 2.0 * middle + u[1:-1, :-2, 1:-1])
            + (u[1:-1, 1:-1, 2:] - 2.0 * middle + u[1:-1, 1:-1, :-2])
        )
        u = u.at[1:-1, 1:-1, 1:-1].add(c * change)
    return (u,)


def diffusion(inside: Array, coefficient: Array) -> Array:
    laplace = 4.0 * inside[1:-1, 1:-1] - (inside[2:, 1:-1] + inside[:-2, 1:-1] + inside[1:-1, 2:] + inside[1:-1, :-2])
    across = laplace[1:, 1:-1] - laplace[:-1, 1:-1]
    across = np.where(across * (inside[2:-1, 2:-2] - inside[1:-2, 2:-2]) > 0.0, 0.0, across)
    along = laplace[1:-1, 1:] - laplace[1:-1, :-1]
    along = np.where(along * (inside[2:-2, 2:-1] - inside[2:-2, 1:-2]) > 0.0, 0.0, along)
    return inside[2:-2, 2:-2] - coefficient * (across[1:] - across[:-1] + along[:, 1:] - along[:, :-1])


def shallow_water(h: Array, u: Array, v: Array, steps: int, dt: float, dx: float) -> None:
    for _ in range(steps):
        u[1:-1, 1:-1] -= 9.81 * dt / (2.0 * dx) * (h[2:, 1:-1] - h[:-2, 1:-1])
        v[1:-1, 1:-1] -= 9.81 * dt / (2.0 * dx) * (h[1:-1, 2:] - h[1:-1, :-2])
        h[1:-1, 1:-1] -= dt / (2.0 * dx) * ((u[2:, 1:-1] - u[:-2, 1:-1]) + (v[1:-1, 2:] - v[1:-1, :-2]))


def shallow_water_jax(np: Any, h: Array, u: Array, v: Array, steps: int, dt: float, dx: float) -> Any:
    for _ in range(steps):
        u = u.at[1:-1, 1:-1].add(-9.81 * dt / (2.0 * dx) * (h[2:, 1:-1] - h[:-2, 1:-1]))
        v = v.at[1:-1, 1:-1].add(-9.81 * dt / (2.0 * dx) * (h[1:-1, 2:] - h[1:-1, :-2]))
        h = h.at[1:-1, 1:-1].add(-dt / (2.0 * dx) * ((u[2:, 1:-1] - u[:-2, 1:-1]) + (v[1:-1, 2:] - v[1:-1, :-2])))
    return h, u, v


def gray_scott(a: Array, b: Array, steps: int) -> None:
    for _ in range(steps):
        la = np.roll(a, 1, 0) + np.roll(a, -1, 0) + np.roll(a, 1, 1) + np.roll(a, -1, 1) - 4.0 * a
        lb = np.roll(b, 1, 0) + np.roll(b, -1, 0) + np.roll(b, 1, 1) + np.roll(b, -1, 1) - 4.0 * b
        reaction = a * b * b
        da = 0.16 * la - reaction + 0.06 * (1.0 - a)
        db = 0.08 * lb + reaction - 0.122 * b
        a += da
        b += db


def gray_scott_jax(np: Any, a: Array, b: Array, steps: int) -> Any:
    for _ in range(steps):
        la = np.roll(a, 1, 0) + np.roll(a, -1, 0) + np.roll(a, 1, 1) + np.roll(a, -1, 1) - 4.0 * a
        lb = np.roll(b, 1, 0) + np.roll(b, -1, 0) + np.roll(b, 1, 1) + np.roll(b, -1, 1) - 4.0 * b
        reaction = a * b * b
        a, b = a + (0.16 * la - reaction + 0.06 * (1.0 - a)), b + (0.08 * lb + reaction - 0.122 * b)
    return a, b


def softmax(x: Array) -> Array:
    e = np.exp(x - x.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


def arc_distance(theta_1: Array, phi_1: Array, theta_2: Array, phi_2: Array) -> Array:
    north, east = np.sin((theta_2 - theta_1) / 2.0), np.sin((phi_2 - phi_1) / 2.0)
    haversine = north**2 + np.cos(theta_1) * np.cos(theta_2) * east**2
    return 2.0 * np.arctan2(np.sqrt(haversine), np.sqrt(1.0 - haversine))


def julia(x: Array, y: Array, turns: int) -> Array:
    x, y, count = x.copy(), y.copy(), np.zeros(x.shape)
    for _ in range(turns):
        inside = x * x + y * y <= 4.0
        count += np.where(inside, 1.0, 0.0)
        new = np.where(inside, x * x - y * y - 0.8, x)
        y = np.where(inside, 2.0 * x * y + 0.156, y)
        x = new
    return count


def standard_scores(data: Array) -> Array:
    return np.clip((data - data.mean(axis=0)) / data.std(axis=0), -2.0, 2.0)


def edges(image: Array) -> Array:
    across = image[:-2, 2:] + 2.0 * image[1:-1, 2:] + image[2:, 2:]
    across = across - (image[:-2, :-2] + 2.0 * image[1:-1, :-2] + image[2:, :-2])
    down = image[2:, :-2] + 2.0 * image[2:, 1:-1] + image[2:, 2:]
    down = down - (image[:-2, :-2] + 2.0 * image[:-2, 1:-1] + image[:-2, 2:])
    return np.sqrt(across * across + down * down)


def shortest_paths(path: Array) -> None:
    for k in range(len(path)):
        path[:] = np.minimum(path, path[:, k, None] + path[k])


def shortest_paths_jax(np: Any, path: Array) -> Any:
    import jax

    return (jax.lax.fori_loop(0, len(path), lambda k, path: np.minimum(path, path[:, k, None] + path[k]), path),)


def attraction(position: Array, mass: Array) -> Array:
    apart = position[None, :, :] - position[:, None, :]
    squares = (apart**2).sum(axis=2) + 0.01
    pulls = mass[None, :] / (squares * np.sqrt(squares))
    return (apart * pulls[:, :, None]).sum(axis=1)


def nearest(points: Array, centres: Array) -> Array:
    squares = ((points[:, None, :] - centres[None, :, :]) ** 2).sum(axis=2)
    return squares.argmin(axis=1)


def covariance(data: Array) -> Array:
    centred = data - data.mean(axis=0)
    return centred.T @ centred / (len(data) - 1.0)


def _same(text: Callable[..., Any]) -> Callable[..., Any]:
    """A program that changes nothing, for JAX."""

    def form(np: Any, *given: Any) -> Any:
        assert isinstance(text, FunctionType)
        return FunctionType(text.__code__, {**text.__globals__, "np": np}, text.__name__)(*given)

    return form


def _grid(n: int, seed: int = 0) -> np.ndarray:
    return numbers(side(n), side(n), seed=seed)


def _columns(n: int) -> Arguments:
    length = side(n / 64)
    return numbers(length + 4, length + 4, 64), numbers(length, length, 64, seed=1)


def _lengths(n: int) -> Arguments:
    return (10.0 * numbers(side(n / 16.0), side(n / 16.0)),)


def _bodies(n: int) -> Arguments:
    return numbers(side(n / 4.0), 3), numbers(side(n / 4.0), seed=1)


PROGRAMS = (
    Program(jacobi, jacobi_jax, lambda n: (_grid(n), _grid(n), 10), (0, 1)),
    Program(heat, heat_jax, lambda n: (numbers(*[side(n, 3)] * 3), 10, 0.1), (0,)),
    Program(diffusion, _same(diffusion), _columns),
    Program(shallow_water, shallow_water_jax, lambda n: (_grid(n), _grid(n), _grid(n), 10, 0.001, 1.0), (0, 1, 2)),
    Program(gray_scott, gray_scott_jax, lambda n: (_grid(n), _grid(n), 10), (0, 1)),
    Program(softmax, _same(softmax), lambda n: (numbers(max(n // 1024, 8), 1024),)),
    Program(arc_distance, _same(arc_distance), lambda n: tuple(numbers(n, seed=k) for k in range(4))),
    Program(julia, _same(julia), lambda n: (3.0 * _grid(n) - 1.5, 3.0 * _grid(n, 1) - 1.5, 30)),
    Program(standard_scores, _same(standard_scores), lambda n: (numbers(max(n // 512, 8), 512),)),
    Program(edges, _same(edges), lambda n: (_grid(n),)),
    Program(shortest_paths, shortest_paths_jax, _lengths, (0,)),
    Program(attraction, _same(attraction), _bodies),
    Program(nearest, _same(nearest), lambda n: (numbers(max(n // 64, 8), 8), numbers(64, 8, seed=1))),
    Program(covariance, _same(covariance), lambda n: (numbers(max(n // 512, 8), 512),)),
)
