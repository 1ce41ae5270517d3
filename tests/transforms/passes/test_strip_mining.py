"""Strips give the bits of iteration after iteration, in words of 16 bits too; bugs in the pass are seen."""

from __future__ import annotations

import functools
from dataclasses import replace
from functools import partial

import numpy as np
import pytest

from somd.transforms.loops.program import Lanes, Operation, Region, Strips
from somd.transforms.loops.rewriting import each_statement
from somd.transforms.loops.varying import Varying
from somd.transforms.loops.walking import expressions_in, statements_in
from somd.transforms.passes import strip_mining as module
from somd.transforms.passes import strip_pieces
from somd.transforms.passes.strip_mining import strip_mining
from somd.transforms.passes.strip_pieces import Group
from tests.transforms.passes.mutation import Bug, Case, case, is_caught, validate
from tests.transforms.passes.test_bit_widths import filled, random_method
from tests.usual import ALL

run = partial(strip_mining, room=1 << 14, lanes=(64, 1024))

CONDITIONS = """
def conditions(a: A, c: np.ndarray, n: int, b: A):
    for i in range(len(a)):
        x = a[i]
        last = 0.5
        scale = 1.0
        for k in range(len(c)):
            scale = scale + c[k]
            if x > 2.0:
                last = x
                x = x * 0.25
            elif x < -2.0:
                x = -x * scale
            x = x * x + c[k]
            scale = scale * 0.5
            if k % 2 == n:
                scale = scale + 1.0
                x = x + scale
        b[i] = x + last
"""
WAVES = """
def waves(a: A, f: np.ndarray, b: A):
    for i in range(len(a)):
        s = 0.0
        for k in range(len(f)):
            s = s + np.sin(a[i] * f[k]) * np.cos(a[i] + k)
            s = s + (s * 0.25 if s > 1.0 else 0.5)
        b[i] = s
"""
BEARINGS = """
def bearings(a: A, f: np.ndarray, b: A):
    for i in range(len(a)):
        x = np.sin(a[i]) * f[0]
        y = np.cos(a[i] * x + 3.0)
        if x > 0.0:
            y = y + np.sin(x)
        b[i] = x * np.sin(y) if y > 0.0 else x
"""
GRID = """
def grid(a: A, c: np.ndarray, b: A):
    for i in range(a.shape[0]):
        for j in range(a.shape[1]):
            x = a[i, j]
            for k in range(len(c)):
                x = x * 0.5 + c[k] * i
            b[i, j] = x
"""
COUNTED = """
def counted(a: A, c: np.ndarray, s: int):
    for i in range(len(a)):
        x = a[i]
        for k in range(len(c)):
            x = x * 3 + c[k]
            s += x
    return s
"""
ROLLED = """
def rolled(words: A, key: np.ndarray, out: A):
    for i in range(len(words)):
        x = np.int64(words[i])
        for k in range(len(key)):
            x = (x * key[k] + 12345) % 65521
            x = x ^ (x * 77 >> 16)
        out[i] = x
"""
PRODUCTS = """
def products(words: A, key: np.ndarray, out: A):
    for i in range(len(words)):
        x = np.int64(words[i])
        y = x
        for k in range(len(key)):
            y = x * key[k] >> 16
            x = (x * key[k] % 65537 & 65535) ^ (y % 257) ^ (x % 255)
        out[i] = x - y
"""
CODES = """
def codes(words: A, polynomial: int, out: A):
    for i in range(words.shape[0]):
        x = 0xFFFF
        for k in range(words.shape[1]):
            byte = int(words[i, k])
            for _ in range(8):
                if (x & 1) ^ (byte & 1):
                    x = (x >> 1) ^ polynomial
                else:
                    x >>= 1
                byte >>= 1
        out[i] = x
"""


@functools.cache
def cases() -> tuple[Case, ...]:
    shorts, keys = filled(np.uint16, 1), filled(np.uint16, 5).astype(np.int64)
    reals, out = np.linspace(-4.0, 4.0, 23), np.zeros(23)
    return (
        case(CONDITIONS, a=reals, c=np.linspace(0.01, 0.2, 7), n=1, b=out),
        case(WAVES, a=reals, f=np.linspace(0.5, 3.0, 5), b=out),
        case(GRID, a=np.linspace(0.0, 1.0, 21).reshape(3, 7), c=np.linspace(0.1, 0.9, 7), b=np.zeros((3, 7))),
        case(COUNTED, a=filled(np.int64, 2), c=filled(np.int64, 3), s=5),
        case(ROLLED, words=shorts, key=keys, out=np.zeros(24, np.int64)),
        case(PRODUCTS, words=shorts, key=keys, out=np.zeros(24, np.int64)),
        case(CODES, words=np.resize(shorts, (9, 5)), polynomial=0x8408, out=np.zeros(9, np.int64)),
        case(PRODUCTS, words=shorts, key=keys * 3 - 7, out=np.zeros(24, np.int64)),  # not what is assumed
        case(BEARINGS, a=reals, f=np.linspace(0.5, 3.0, 5), b=out),
    )


def strips_of(each: Case) -> Strips | None:
    [region] = [node for node in statements_in(run(each.program).body) if isinstance(node, Region)]
    return region.strips


def test_all_run_in_strips() -> None:
    with np.errstate(all="ignore"):
        assert validate(run, cases()) == len(cases())


def test_words_are_short_where_that_is_assumed() -> None:
    strips = strips_of(cases()[5])
    assert strips is not None
    assert [array for array, _ in strips.assumed] == ["key"]
    operators = {each.operator for each in expressions_in(strips.body) if isinstance(each, Operation)}
    assert {"fermat product", "high product", "fermat remainder"} <= operators
    kept = {each for node in statements_in(strips.body) if isinstance(node, Lanes) for each in node.stored}
    assert {each.type.dtype for each in kept} == {"uint16"}, kept


def test_what_does_not_lie_side_by_side_is_loaded_for_many_operations() -> None:
    few = CODES.replace("range(8)", "range(2)")
    assert strips_of(case(few, words=np.ones((9, 5), np.uint8), polynomial=3, out=np.zeros(9, np.int64))) is None


def test_loops_that_are_unrolled_stay() -> None:
    text = CONDITIONS.replace("range(len(c))", "range(3)")  # few operations
    assert strips_of(case(text, a=np.ones(9), c=np.ones(7), n=1, b=np.zeros(9))) is None


@pytest.mark.parametrize("seed", range(4 if ALL else 2))
@pytest.mark.usual(0)
def test_words_of_random_methods(seed: int) -> None:
    with np.errstate(all="ignore"), pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "unrolls", lambda *_: False)
        patch.setattr(module, "vectorises", lambda *_: True)
        patch.setattr(module, "carries", lambda *_: True)
        assert validate(run, [random_method(each) for each in range(8 * seed, 8 * seed + 8)])


def without_stores(pieces, kept):  # type: ignore[no-untyped-def]
    return each_statement(
        written_out(pieces, kept), lambda node: replace(node, stored=()) if isinstance(node, Lanes) else node
    )


class Untested(dict[str, object]):
    def items(self):  # type: ignore[no-untyped-def]
        return ()


def untested(region, body, varying):  # type: ignore[no-untyped-def]
    yield from (Untested(found) if found else found for found in assumptions(region, body, varying))


written_out, assumptions = module.written_out, module._assumptions
BUGS = [
    Bug("nothing is kept", module, "written_out", without_stores),
    Bug("what is assumed is not tested", module, "_assumptions", untested),
    Bug("what conditions leave is not taken", Group, "loaded", property(lambda self: set(self.exposed))),
    Bug("all is uniform", Varying, "uniform", lambda self, node: not isinstance(node, strip_pieces.Loop)),
    Bug("what is uniform goes first", strip_pieces, "_mentioned", lambda body: set()),
]


@pytest.mark.parametrize("bug", BUGS, ids=str)
def test_bugs_are_caught(bug: Bug) -> None:
    assert is_caught(bug, run, cases)
