"""Small loops as source text: their parts, and the method that holds one."""

from __future__ import annotations

import functools
import linecache
from itertools import count
from types import CodeType, FunctionType
from typing import Any

import numpy as np
from hypothesis import strategies as st

from somd import dist, somd

_numbers = count()
INDEX_TEXT = """i; i + 1; i - 1; i + 2; 2 * i; 2 * i + 1; n - 1 - i; n - i; i // 2; i % 3; 3 - i; -i; -i - 1; i + k; k;
0; 1; 2 * i - n; i + i % 2; 2 * (i // 2); len(a) - 1 - i; i * 3; -2 * i; (i + 1) % 4;
i + 1 if i < n - 1 else 0; i - 1 if i > 0 else n - 1; min(i + 1, n - 1); max(i - k, 0); min(max(i + k, 0), n - 1);
(i if i < k else k) + 1; 2 - (i if i % 2 == 0 and i < k else n)"""
RANGE_TEXT = """range(n); range(1, n); range(n - 1); range(2, n - 1); range(0, n, 2); range(1, n, 3);
range(n - 1, -1, -1); range(n, 0, -2); range(n // 2); range(k, n); range(len(a)); range(4);
range(max(0, k), min(n, len(a)))"""
GUARD_TEXT = """0 <= i; i % 2 == 0; i > 1; i < k; i != 2; i >= n // 2; i % 3 == 1 or i > 3; not i < 2; 0 < i < n - 1"""
INDEXES, RANGES, GUARDS = (
    st.sampled_from([each.strip() for each in text.split(";")]) for text in (INDEX_TEXT, RANGE_TEXT, GUARD_TEXT)
)


def function_of(text: str) -> FunctionType:
    """The function `f` that `text` defines."""
    name = f"<loop {next(_numbers)}>"
    linecache.cache[name] = (len(text), None, text.splitlines(keepends=True), name)
    names: dict[str, Any] = {"np": np, "dist": dist, "somd": somd}
    exec(compile(text, name, "exec"), names)
    function = names["f"]
    assert isinstance(function, FunctionType)
    return function


@functools.cache
def code_of(expression: str) -> CodeType:
    """An expression that is evaluated for many numbers, compiled once."""
    return compile(expression, "<expression>", "eval")


def values(loop: str, n: int, k: int, length: int) -> range:
    """The iterations of a range in source text."""
    found = eval(code_of(loop), {"n": n, "k": k, "a": range(length)})
    assert isinstance(found, range)
    return found


def value(text: str, i: int, n: int, k: int, length: int) -> int:
    found = eval(code_of(text), {"i": i, "n": n, "k": k, "a": range(length)})
    assert isinstance(found, int)
    return found
