"""Tables give the bits of what is computed in its place, over random methods; what gets none; bugs in the pass."""

from __future__ import annotations

import functools
import random
from dataclasses import replace

import numpy as np
import pytest

from somd.transforms.loops.making import operation
from somd.transforms.loops.program import If, Program, Region
from somd.transforms.loops.varying import Varying
from somd.transforms.loops.walking import statements_in
from somd.transforms.passes import precompute as module
from somd.transforms.passes.precompute import _At, _Finder, _Tables, precompute
from tests.transforms.passes.mutation import Bug, Case, case, is_caught, validate
from tests.usual import ALL

NUMBERS = np.linspace(-3.0, 7.0, 11)
OTHERS = np.linspace(0.25, 1.75, 6)
MATRIX = np.arange(12.0).reshape(4, 3) / 7


def tables(program: Program) -> int:
    """How many tables the regions of a program get."""
    return sum(len(node.tables) for node in precompute(program).body if isinstance(node, Region))


RECURRENCE = """
def recurrence(a: A, steps: int):
    for i in range(len(a)):
        s = 0.0
        x = 0.5
        for k in range(steps):
            x = x * 1.25 + k
            s += a[i] * np.exp(-x)
            if k > 1:
                x = x - 0.5
        a[i] = s
"""
STRIDED = """
def strided(a: A, steps: int):
    for i in range(len(a)):
        s = 0.0
        for k in range(steps, 0, -2):
            for j in range(1, 4):
                s += a[i] * np.log(k * 0.5 + j)
            s += a[i] * np.log(k + 1.0)
        a[i] = s
"""
UNCERTAIN = """
def uncertain(a: A, c: np.ndarray, steps: int, m: int):
    for i in range(len(a)):
        s = 0.0
        for k in range(steps):
            if a[i] > 1.0:
                if steps > 2:
                    s += np.exp(k * 0.5)
            s += np.sin(k * 0.5) if a[i] > 2.0 else np.cos(k * 0.25)
        for j in range(len(c)):
            if i >= m:
                s += np.exp(c[j + 3] + j)
        a[i] = s
"""
ELEMENTS = """
def elements(a: A, c: np.ndarray, out: A):
    for i in range(len(a)):
        s = 0.0
        y = 1.0
        for k in range(1, len(c)):
            y = y + c[k - 1] / 8.0
            s += a[i] * (np.exp(c[k]) + y) ** 1.5
        out[i] = s
"""
TYPES = """
def types(a: A, c: np.ndarray, z: A):
    for i in range(len(a)):
        for k in range(len(c)):
            a[i] = a[i] + np.tanh(c[k])
            z[i] = z[i] * np.exp(1j * k)
            if np.exp(k * 0.5) > 3.0:
                a[i] = a[i] * np.float32(0.5)
            a[i] = a[i] + np.float32(np.int64(3) ** np.uint8(k % 32))
"""
GRID = """
def grid(a: A, c: np.ndarray):
    for i in range(a.shape[0]):
        for j in range(a.shape[1]):
            for k in range(len(c)):
                a[i, j] = a[i, j] + c[k] * np.exp(k * 0.5)
                a[i, j] = a[i, j] * np.cos(c[k])
"""
SHARED = """
def shared(a: A):
    for i in range(len(a)):
        s = 0.0
        for k in range(5):
            s += np.exp(k * 0.5) * a[i]
        for j in range(5):
            s -= np.exp(j * 0.5) / a[i]
            s += a[i] * np.arctan2(j * 0.0, -1.0)
            s += a[i] * np.arctan2(j * -0.0, -1.0)
        a[i] = s
"""
HELPERS = """
def bell(x, sharpness, kind):
    value = np.exp(-x * x)
    if kind == 1:
        value = value + sharpness
    return value

def early(x):
    if x > 1.0:
        return np.log(x)
    return np.exp(x)

def helpers(a: A, steps: int):
    s = 0.0
    for i in range(len(a)):
        x = 0.0
        for k in range(steps):
            x += 0.125
            s += bell(x, a[i], 1) * bell(a[i], x, 0)
            s += early(x) * a[i]
    return s
"""
UNDER = """
def under(a: A, n: int):
    for i in range(len(a)):
        s = 0.0
        for k in range(n):
            if a[i] * k > 2.0:
                for j in range(3):
                    s += np.exp(k * 0.25) * a[i]
            if n > 2:
                for j in range(2):
                    s += np.exp(k * 0.25) + a[i]
        a[i] = s
"""


@functools.cache
def tabled() -> tuple[Case, ...]:
    """What gets tables."""
    small = NUMBERS.astype(np.float32)
    return (
        case(RECURRENCE, a=NUMBERS, steps=6),
        case(RECURRENCE, a=NUMBERS[:2].copy(), steps=0),
        case(STRIDED, a=NUMBERS, steps=9),
        case(UNCERTAIN, a=NUMBERS, c=np.ones(9), steps=4, m=11),
        case(UNCERTAIN, a=NUMBERS, c=np.zeros(0), steps=1, m=5),
        case(ELEMENTS, a=NUMBERS, c=OTHERS, out=np.zeros(11)),
        case(ELEMENTS, a=NUMBERS[:0].copy(), c=OTHERS, out=np.zeros(0)),
        case(TYPES, a=small, c=OTHERS.astype(np.float32), z=np.ones(11, complex)),
        case(GRID, a=MATRIX, c=OTHERS),
        case(GRID, a=np.ones((3, 0)), c=np.zeros(0)),
        case(SHARED, a=NUMBERS + 0.25),
        case(HELPERS, a=NUMBERS, steps=5),
        case(UNDER, a=NUMBERS, n=6),
    )


WRITTEN = """
def written(a: A, b: A):
    for i in range(len(a)):
        for k in range(3):
            a[i] = a[i] + np.exp(b[i]) + k
        b[i] = a[i]
"""
TRIANGLE = """
def triangle(a: A):
    for i in range(len(a)):
        s = 0.0
        for k in range(i):
            s += np.exp(k * 0.5)
        a[i] = s
"""
LEFT = """
def left(a: A):
    for i in range(len(a)):
        s = 0.0
        for k in range(1, 9, 2):
            if s > a[i]:
                s = s - 4.0
                continue
            s += np.exp(k * 0.5)
        a[i] = s
"""
CHEAP = """
def cheap(a: A, steps: int):
    for i in range(len(a)):
        for k in range(steps):
            a[i] = a[i] + (k * 0.5) ** 2 + np.sqrt(k * 1.0)
"""
OF_ITERATION = """
def of_iteration(a: A):
    for i in range(len(a)):
        n = len(a) // 2
        s = 0.0
        for k in range(n):
            s += np.exp(k * 0.5)
        a[i] = s
"""
ENDLESS = """
def searched(t):
    while t % 7 != 3:
        t = t * 5 + 1
    return np.exp(t * 0.125)

def twice(t):
    first = searched(t)
    if first > 4.0:
        return first
    return first + searched(t + 3)

def endless(a: A, n: int):
    for i in range(a.shape[0]):
        for j in range(a.shape[1]):
            y = twice(4)
            for k in range(n):
                a[i, j] = a[i, j] + searched(2) * k + np.exp(-y * k)
"""


@functools.cache
def left() -> tuple[Case, ...]:
    """What gets none."""
    texts = (TRIANGLE, LEFT, OF_ITERATION)
    return (
        case(WRITTEN, a=NUMBERS, b=NUMBERS.copy()),
        case(CHEAP, a=NUMBERS, steps=3),
        *(case(text, a=NUMBERS) for text in texts),
        case(ENDLESS, a=MATRIX, n=3),
    )


def test_tables_are_made() -> None:
    assert validate(precompute, tabled()) == len(tabled())
    wanted = (1, 1, 2, 3, 3, 1, 1, 4, 1, 1, 3, 2, 1)
    assert tuple(tables(each.program) for each in tabled()) == wanted


def test_what_differs_is_left() -> None:
    made = [tables(each.program) for each in left()]
    assert not any(made) and not validate(precompute, left())


def test_only_once() -> None:
    for each in tabled():
        made = precompute(each.program)
        assert precompute(made) is made


def test_no_elements_by_another_name() -> None:
    program = case(ELEMENTS, a=NUMBERS, c=OTHERS, out=np.zeros(11)).program
    one = [replace(node, aliased=True) if isinstance(node, Region) else node for node in program.body]
    assert tables(replace(program, body=tuple(one))) == 0


# --- random methods --------------------------------------------------------------------------------------------------

FUNCTIONS = ("np.exp", "np.sin", "np.log1p", "np.tanh", "np.abs")


def number(chance: random.Random, names: list[str], depth: int, varies: bool) -> str:
    """A random number of these names; one that `varies` may be another in each iteration."""
    if depth == 0:
        return chance.choice((*names, *(("s", "a[i]") if varies else ()), "0.5", "-0.25"))
    one, other = (number(chance, names, depth - 1, varies) for _ in range(2))
    kind = chance.random()
    if kind < 0.5:
        return f"{chance.choice(FUNCTIONS)}(({one}) % 3.0)"
    if kind < 0.65:
        return f"({one} if {other} > {number(chance, names, 0, varies)} else {other})"
    return f"({one} {chance.choice('+-*')} {other})"


def block(chance: random.Random, names: list[str], depth: int, loops: str) -> list[str]:
    """Random statements, with loops in loops; `x` and `y` are mostly the same for all iterations."""
    lines: list[str] = []
    for _ in range(chance.randint(2, 4)):
        kind = chance.random()
        if kind < 0.4 and depth and loops:
            limits = chance.choice(("n", "1, n, 2", "n, 0, -1", "3", "i", "len(c)"))
            own = [f"({loops[0]} * 0.5)", *([f"c[{loops[0]}]"] if limits == "len(c)" else [])]
            inner = block(chance, [*names, *own], depth - 1, loops[1:])
            lines += [f"for {loops[0]} in range({limits}):", *("    " + line for line in inner)]
        elif kind < 0.6 and depth:
            test = f"{number(chance, names, 1, kind < 0.5)} > 0.75"
            lines += [f"if {test}:", *("    " + line for line in block(chance, names, depth - 1, loops))]
        else:
            target = chance.choice(("s", "s", "x", "y"))
            lines.append(f"{target} = ({target} + {number(chance, names, 2, target == 's')}) % 5.0")
    return lines


def random_method(seed: int) -> Case:
    chance = random.Random(seed)
    lines = ["x = 0.5", "y = 0.125", "s = 0.0"]
    for _ in range(2):
        lines += ["for k in range(n):", *("    " + line for line in block(chance, ["x", "y", "(k * 0.5)"], 2, "jm"))]
    lines += ["a[i] = s + x", "total += s"]
    text = f"def random_{seed}(a: A, c: np.ndarray, n: int):\n    total = 0.0\n    for i in range(len(a)):\n        "
    text += "\n        ".join(lines) + "\n    return total"
    return case(text, a=NUMBERS.copy(), c=OTHERS, n=chance.randint(0, 5))


SEEDS = range(16 if ALL else 6)


@pytest.mark.parametrize("seed", SEEDS)
def test_random_methods(seed: int) -> None:
    with np.errstate(all="ignore"):
        validate(precompute, [random_method(seed)])


def test_random_methods_have_tables() -> None:
    made = [tables(random_method(seed).program) for seed in SEEDS]
    assert sum(count > 0 for count in made) >= len(SEEDS) // 3


# --- bugs ------------------------------------------------------------------------------------------------------------


def any_element(region, body, elements=False, functions=()):  # type: ignore[no-untyped-def]
    return Varying(region, body)


def only_names(self: Varying, *nodes):  # type: ignore[no-untyped-def]
    return not self.names.isdisjoint(module.read(*nodes))


def always_certain(self: _At, varies: bool) -> _At:
    return self


def needs_nothing(self: _Tables, body, node, stored, names):  # type: ignore[no-untyped-def]
    return needed(self, body, node, stored, set())


def filled_on(self: _Tables, place, array):  # type: ignore[no-untyped-def]
    made = filling(self, place, array)
    return module.each_statement(made, lambda node: replace(node, body=()) if isinstance(node, If) else node)


def one_further(name, *operands):  # type: ignore[no-untyped-def]
    return operation("<=" if name == "<" else name, *operands)


def uncounted(name, *operands):  # type: ignore[no-untyped-def]
    return operands[0] if name == "+" else operation(name, *operands)


needed, filling = _Tables.needed, _Tables.filling
BUGS = [
    Bug("parts without iterations read elements", module, "Varying", any_element),
    Bug("elements that are written are the same", Varying, "__call__", only_names),
    Bug("conditions that vary do not count", _At, "under", always_certain),
    Bug("what an expression needs is left out", _Tables, "needed", needs_nothing),
    Bug("tables are filled beyond their ends", _Tables, "filling", filled_on),
    Bug("tables are looked up beyond their ends", module, "operation", one_further),
    Bug("trips are not counted", module, "operation", uncounted),
    Bug("each loop counts from 0 by 1", module, "_counts", lambda loops: True),
    Bug("tables that read alike are one", module, "block_text", lambda body: ""),
    Bug("all loops have the same trips in any case", _Finder, "is_countable", lambda self, node: True),
    Bug("what leaves a loop does not count", module, "is_straight", lambda body: True),
]


@pytest.mark.parametrize("bug", BUGS, ids=str)
def test_bugs_are_caught(bug: Bug) -> None:
    assert is_caught(bug, precompute, lambda: (*tabled(), *left()))


def test_loops_that_count_their_trips_are_in_order() -> None:
    made = precompute(case(STRIDED, a=NUMBERS, steps=3).program)
    regions = [node for node in made.body if isinstance(node, Region)]
    assert {each.order for each in statements_in(regions[0].body) if isinstance(each, module.Loop)} == {"in order"}


ONCE = """
def once(a: A, b: A, x: float, n: int):
    for i in range(len(a)):
        y = np.exp(-x * n)
        z = np.exp(x) * a[i]
        if a[i] > 1.0:
            z = z + np.log(x)
        b[i] = y * z + np.exp(a[i])
"""


def test_what_is_the_same_for_all_iterations_is_taken_once() -> None:
    taken = functools.partial(precompute, once=True)
    cases = [case(ONCE, a=NUMBERS[:count].copy(), b=np.zeros(count), x=0.75, n=3) for count in (11, 0)]
    assert validate(taken, cases) == 2 and validate(precompute, cases) == 0
    [region] = [node for node in taken(cases[0].program).body if isinstance(node, Region)]
    assert len(region.tables) == 2  # the logarithm stands under a condition
