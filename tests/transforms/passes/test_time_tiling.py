"""Loops in tiles of time give the bits of the loops, over random stencils; what is left; bugs in pass and proof."""

from __future__ import annotations

import functools
import random
from dataclasses import replace

import numpy as np
import pytest

from somd.transforms.loops import out_of_step
from somd.transforms.loops.making import operation, whole_number
from somd.transforms.loops.program import Loop, Program, Statement, TimeTiles
from somd.transforms.loops.rewriting import each_statement
from somd.transforms.loops.time_tiles import problems, tiles_of
from somd.transforms.loops.verify import InvalidProgram, verify
from somd.transforms.loops.walking import statements_in
from somd.transforms.passes import time_tiling as module
from somd.transforms.passes.time_tiling import time_tiling
from tests.transforms.passes.mutation import Bug, Case, case, is_caught, validate

LINE = np.linspace(-3.0, 7.0, 41) ** 3
GRID = np.linspace(0.0, 1.0, 37 * 6).reshape(37, 6) ** 2

JACOBI = """
def jacobi(u: A, v: A, steps: int):
    for t in range(steps):
        for i in range(1, len(u) - 1):
            v[i] = u[i - 1] * 0.3 + u[i] + u[i + 1]
        u, v = v, u
"""
COLOURS = """
def colours(g: A, steps: int):
    for t in range(3, steps, 2):
        for p in range(2):
            for i in range(1, g.shape[0] - 1):
                for j in range(1 + (i + p) % 2, g.shape[1] - 1, 2):
                    g[i, j] = 0.25 * (g[i - 1, j] + g[i + 1, j] + g[i, j - 1] + g[i, j + 1]) + p * 0.125
"""
LEAPFROG = """
def leapfrog(e: A, h: A, steps: int):
    scale = 1.0
    last = 0
    for t in range(steps):
        for i in range(1, len(e)):
            e[i] = e[i] + (h[i] - h[i - 1]) * scale
        scale = scale * 0.75 - 0.25
        for i in range(len(e) - 1):
            h[i] = h[i] + (e[i + 1] - e[i]) * scale + t
        last = t
    h[0] = scale + last
"""
ALONE = """
def alone(a: A, steps: int):
    x = 0.5
    for t in range(steps):
        for i in range(len(a)):
            a[i] = a[i] * x + t
        x = x * 1.5 - 1.0
    return x + t
"""
UNEVEN = """
def uneven(u: A, v: A, steps: int):
    for t in range(steps):
        for i in range(2, len(u) - 2):
            v[i] = u[i - 2] + u[i + 1]
        for i in range(1, len(u) - 3):
            u[i] = v[i] * 0.5 + v[i + 2]
"""
TURNED = """
def turned(a: A, steps: int):
    total = 0
    for t in range(steps):
        for p in range(2):
            for i in range(1, len(a) - 1):
                a[i] = a[i] + p
        total += p + 1
    a[0] = total
"""


@functools.cache
def tiled() -> tuple[Case, ...]:
    other = np.cos(LINE)
    return (
        case(JACOBI, u=LINE, v=other, steps=7),
        case(JACOBI, u=LINE[:3].copy(), v=other[:3].copy(), steps=4),
        case(JACOBI, u=LINE[:0].copy(), v=other[:0].copy(), steps=0),
        case(COLOURS, g=GRID, steps=9),
        case(LEAPFROG, e=LINE, h=other, steps=6),
        case(ALONE, a=LINE, steps=5),
        case(UNEVEN, u=LINE, v=other, steps=5),
        case(TURNED, a=LINE, steps=4),
    )


FAR = """
def far(a: A, b: A, steps: int):
    for t in range(steps):
        for i in range(len(a)):
            a[i] = b[len(b) - 1 - i]
        for i in range(len(a)):
            b[i] = a[i] + 1.0
"""
SUMS = """
def sums(a: A, steps: int):
    s = 0.0
    for t in range(steps):
        for i in range(len(a)):
            s += a[i]
    return s
"""
SINGLE = """
def single(a: A, steps: int):
    for t in range(steps):
        for i in range(1, len(a) - 1):
            a[i] = a[i] + 1.0
        a[0] = a[1]
"""


def test_tiles_give_the_same_bits() -> None:
    assert validate(time_tiling, tiled()) == len(tiled())
    swept = [node.time_tiles for each in tiled() for node in statements_in(time_tiling(each.program).body) if _is(node)]
    assert [tiles.sweeps for tiles in swept if tiles is not None] == [1, 1, 1, 2, 2, 1, 2, 2]


def _is(node: Statement) -> bool:
    return isinstance(node, Loop) and node.time_tiles is not None


@pytest.mark.parametrize("text", [FAR, SINGLE])
def test_what_has_no_reach_is_left(text: str) -> None:
    given = {"b": LINE.copy()} if "b: A" in text else {}
    one = case(text, a=LINE, **given, steps=3)
    assert time_tiling(one.program) is one.program


def test_sums_are_left() -> None:
    one = case(SUMS, a=LINE, steps=3)
    assert time_tiling(one.program) is one.program


def test_arrays_of_two_shapes_run_in_order() -> None:
    assert validate(time_tiling, [case(JACOBI, u=LINE[:9].copy(), v=LINE.copy(), steps=3)]) == 1


def test_a_check_that_fails_raises_as_before() -> None:
    assert validate(time_tiling, [case(UNEVEN, u=LINE, v=LINE[:20].copy(), steps=3)]) == 1


# --- random stencils -------------------------------------------------------------------------------------------------


def random_method(seed: int) -> Case:
    """Some sweeps over two arrays, each of which reads neighbours; perhaps with an exchange, or something between."""
    chance = random.Random(seed)
    lines = ["w = 0.5", f"for t in range({chance.choice(('steps', '1, steps', '0, steps, 2'))}):"]
    for _ in range(chance.randint(1, 3)):
        low, high = chance.randint(2, 4), chance.randint(2, 4)
        target, source = chance.choice((("u", "v"), ("v", "u")))
        reads = [f"{source}[i + {chance.randint(-2, 2)}]" for _ in range(chance.randint(1, 3))]
        lines += [f"    for i in range({low}, len(u) - {high}):"]
        lines += [f"        {target}[i] = 0.5 * {target}[i] + {' + '.join(reads)} * w"]
        if chance.random() < 0.5:
            lines.append("    w = w * 0.75 - t")
    if chance.random() < 0.5:
        lines.append("    u, v = v, u")
    text = f"def random_{seed}(u: A, v: A, steps: int):\n    " + "\n    ".join([*lines, "return w"])
    return case(text, u=LINE.copy(), v=np.sin(LINE), steps=chance.randint(1, 6))


@pytest.mark.parametrize("seed", range(12))
def test_random_stencils(seed: int) -> None:
    validate(time_tiling, [random_method(seed)])


def test_random_stencils_have_tiles() -> None:
    made = [random_method(seed).program for seed in range(12)]
    assert sum(time_tiling(program) is not program for program in made) >= 9


# --- bugs ------------------------------------------------------------------------------------------------------------


def tiles_with(**changes):  # type: ignore[no-untyped-def]
    def made(*given):  # type: ignore[no-untyped-def]
        return replace(TimeTiles(*given), **changes)

    return made


def shorter(sweeps, rows, *more):  # type: ignore[no-untyped-def]
    return TimeTiles(sweeps, (rows[0], operation("-", rows[1], whole_number(1))), *more)


def first_alone(name, one, other):  # type: ignore[no-untyped-def]
    return one


BUGS = [
    Bug("what is between regions is forgotten", module, "TimeTiles", tiles_with(between=())),
    Bug("a trip has one sweep", module, "TimeTiles", tiles_with(sweeps=1)),
    Bug("the last row is left out", module, "TimeTiles", shorter),
    Bug("the rows are those of the first region", module, "operation", first_alone),
    Bug("inner loops leave nothing behind", module, "read_beside", lambda body, node: set()),
    Bug("shapes do not count", module, "TimeTiles", tiles_with(alike=())),
]


@pytest.mark.parametrize("bug", BUGS, ids=str)
def test_bugs_are_caught(bug: Bug) -> None:
    odd = case(JACOBI, u=LINE[:9].copy(), v=LINE.copy(), steps=3)
    assert is_caught(bug, time_tiling, lambda: (*tiled(), odd))


def nearer(program: Program) -> Program:
    """The program with loops that are said to reach less far than they do."""

    def change(node: Statement) -> Statement:
        return replace(node, reach=node.reach - 1) if isinstance(node, Loop) and node.reach else node

    return replace(program, body=each_statement(program.body, change))


@pytest.mark.parametrize("number", [0, 3, 4, 6])
def test_a_wrong_reach_is_caught(number: int) -> None:
    each = tiled()[number]
    wrong = [Case(nearer(each.program), each.given)]
    with pytest.raises(AssertionError):
        for _ in range(3):
            validate(time_tiling, wrong)


def test_wedges_that_are_not_filled_are_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    def first_stage(rows, part, parts, stage, reach, sweeps, width):  # type: ignore[no-untyped-def]
        return tiles_of(rows, part, parts, stage, reach, sweeps, width) if stage == 0 else []

    monkeypatch.setattr(out_of_step, "tiles_of", first_stage)
    with pytest.raises(AssertionError):
        validate(time_tiling, tiled())


def test_tiles_that_are_wrong_are_not_verified() -> None:
    program = time_tiling(tiled()[3].program)
    [loop] = [node for node in statements_in(program.body) if isinstance(node, Loop) and node.time_tiles is not None]
    assert loop.time_tiles is not None
    for wrong in (
        replace(loop, reach=None),
        replace(loop, time_tiles=replace(loop.time_tiles, sweeps=3)),
        replace(loop, time_tiles=replace(loop.time_tiles, between=loop.body)),
    ):
        assert list(problems(wrong))
        with pytest.raises(InvalidProgram):
            verify(replace(program, body=tuple(wrong if _is(node) else node for node in program.body)))
