"""The calls of a mixed program: arguments of several lengths, some too short, some one array twice."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from tests.property.mixed import Mixed
from tests.property.writer import Parameter

#: length of vectors and rows, columns
SIZES = ((7, 4), (1, 1), (0, 0), (3, 5), (24, 9), (5, 0))
MOST = 2**63 - 1
#: whether sums and products of floats are exact
EXACT = True
FAR = (MOST, -MOST - 1, 2**62, 2**44, -(2**44), 2**44 + 1, -(2**62) - 1, MOST - 1, 0, 1, -1, 5, 3, -7, 2)
FILLS: dict[str, Sequence[Any]] = {
    "turns": (2, 0, 1, 3, 2, 4),
    "flag": (1, 0, 2, 1, 0, 2),
    "near": (2, 1, 0, -1, 3, 4, -2, 5),
    "natural": (1, 0, 2, 3, 5),
    "modulus": (3, 1, 2, 5, 7),
    "large": (8, 7, 9, 6),
    "float": (0.5, -2.0, 0.0, 1.25, 3.0),
    "far": FAR,
    "narrow": (3, 100, -1, 127, 128, 255, 300, -129, 2**31, 40000, 2, 0),
    "up": (0, 1, 3, 2**44, 2**62, MOST, MOST - 1, 2),
}


@dataclass(frozen=True)
class Call:
    """Arguments in the order of the parameters; `what` says what is special about them."""

    arguments: tuple[Any, ...]
    what: str


def calls(made: Mixed) -> list[Call]:
    """The calls of this program, the plainest first."""
    found = [Call(_arguments(made, k, {}), f"size {SIZES[k]}") for k in range(len(SIZES))]
    found.append(Call(_arguments(made, 6, {}), "size (7, 4), other numbers"))
    pick = np.random.default_rng((made.number, 50))
    vectors = [k for k, p in enumerate(made.parameters) if p.array is not None and p.array.rank == 1]
    if vectors and pick.random() < 0.5:
        short = vectors[int(pick.integers(len(vectors)))]
        found.append(Call(_arguments(made, 7, {short: -int(pick.integers(1, 3))}), "one vector shorter"))
    same = alike(made.parameters)
    if same and (made.aliases or pick.random() < 0.15):
        for k in range(2 if made.aliases else 1):
            group = same[int(pick.integers(len(same)))]
            count = min(len(group), int(pick.choice((2, 2, 3))))
            chosen = sorted(int(each) for each in pick.choice(group, count, replace=False))
            arguments = list(_arguments(made, (0, 3)[k], {}))
            for other in chosen[1:]:
                arguments[other] = arguments[chosen[0]]
            found.append(Call(tuple(arguments), f"one array for {', '.join(made.parameters[k].name for k in chosen)}"))
    return found


def alike(parameters: Sequence[Parameter]) -> list[list[int]]:
    """Groups of parameters that may be given one array."""
    groups: dict[Any, list[int]] = {}
    for k, p in enumerate(parameters):
        if p.array is not None:
            groups.setdefault((p.array.dtype, p.array.rank, p.layout), []).append(k)
    return [group for group in groups.values() if len(group) > 1]


def _arguments(made: Mixed, number: int, longer: dict[int, int]) -> tuple[Any, ...]:
    n, m = SIZES[number % len(SIZES)] if number < len(SIZES) else SIZES[0]
    found = []
    for k, p in enumerate(made.parameters):
        pick = np.random.default_rng((made.number, number, zlib.crc32(p.name.encode())))
        if p.array is None:
            found.append(_number(p, number, pick))
            continue
        shape = (max(0, n + longer.get(k, 0)), m, 2)[: p.array.rank]
        found.append(_laid_out(_filled(p, shape, n, pick), p.layout))
    return tuple(found)


def _number(p: Parameter, number: int, pick: np.random.Generator) -> Any:
    values = FILLS[p.fill]
    value = values[number % len(values)] if p.fill in ("turns", "flag") else values[int(pick.integers(len(values)))]
    return np.int64(value) if p.kind == "np.int64" else value


def _filled(p: Parameter, shape: tuple[int, ...], n: int, pick: np.random.Generator) -> np.ndarray:
    assert p.array is not None
    dtype, fill = np.dtype(p.array.dtype), p.array.fill
    if fill == "bytes":
        return pick.choice(np.array([0, 1, 2, 255, 0], np.uint8), shape).view(np.bool_)
    if fill == "index":
        return pick.integers(0, max(1, n), shape)
    if fill == "pointers":
        ends = np.sort(
            np.where(pick.random(shape) < 0.3, pick.choice(np.array([0, n]), shape), pick.integers(0, n + 1, shape))
        )
        return (ends if pick.random() < 0.85 else pick.permutation(ends)).astype(dtype)
    if fill == "wild":
        return pick.integers(-1, max(1, n) + 1, shape)
    if dtype.kind == "f":
        made = pick.integers(-16, 37, shape) / 4.0
        if not EXACT:
            made *= 1.0 + pick.random(shape) * (pick.random(shape) < 0.7)
        if fill == "edges":
            odd = np.array([np.inf, -np.inf, np.nan, -0.0, 0.0, 1e300, -1e-300, 5e-324, 0.1])
            with np.errstate(all="ignore"):
                made = np.where(pick.random(shape) < 0.4, pick.choice(odd, shape), made)
        with np.errstate(all="ignore"):
            return made.astype(dtype)
    if dtype.kind == "b":
        return pick.integers(0, 2, shape).astype(np.bool_)
    limits = np.iinfo(dtype)
    if fill == "edges":
        drawn = pick.integers(limits.min, limits.max, shape, dtype, endpoint=True)
        ends = np.array([limits.max, limits.min, limits.max - 1, limits.min + 1, 0, 1, limits.max // 3 + 1], dtype)
        return np.where(pick.random(shape) < 0.4, pick.choice(ends, shape), drawn).astype(dtype)
    return pick.integers(max(-4, limits.min), 10, shape).astype(dtype)


def _laid_out(array: np.ndarray, layout: str) -> np.ndarray:
    if layout == "spaced":
        memory = np.full(tuple(2 * n + 1 for n in array.shape), 77).astype(array.dtype)
        view = memory[tuple(slice(0, 2 * n, 2) for n in array.shape)]
        view[...] = array
        return view
    if layout == "reversed":
        turned = tuple(slice(None, None, -1) for _ in array.shape)
        return np.ascontiguousarray(array[turned])[turned]
    if layout == "fortran":
        return np.asfortranarray(array)
    return array
