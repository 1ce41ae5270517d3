"""Sums of rows in loops: what depends on their length alone is computed before, and the loops are divided."""

from __future__ import annotations

import numpy as np
import pytest

from somd.arguments.signatures import describe_all
from somd.language.markers import sync
from somd.transforms.loops.interpret import Interpreter
from somd.transforms.loops.printer import program_text
from somd.transforms.pipeline import compile_for, loop_program
from somd.transforms.signature_text import parse_type


def distances(a: np.ndarray, k: int):
    out = np.zeros(len(a))
    for i in range(len(a)):
        for j in range(len(a)):
            out[i] += np.sqrt(((a[j] - a[i]) ** 2).sum())
    return out


def named_rows(a: np.ndarray, k: int):
    found = np.zeros(k, dtype=np.int64)
    with sync(found, reduce="+"):
        for i in range(len(a)):
            for j in range(i + 1, len(a)):
                d = a[j] - a[i]
                d -= np.round(d)
                found[min(int((d**2).sum()), k - 1)] += 2
    return found


def trees_by_hand(a: np.ndarray, k: int):
    found = np.zeros(k, dtype=np.int64)
    with sync(found, reduce="+"):
        for i in range(len(a)):
            d = np.empty(4)
            for j in range(4):
                d[j] = a[i, j % a.shape[1]]
            n = 4
            while n > 1:
                n //= 2
                for j in range(n):
                    d[j] = d[j * 2] + d[j * 2 + 1]
            found[min(int(abs(d[0])), k - 1)] += 1
    return found


def extremes_of_counts(a: np.ndarray, k: int):
    out = np.zeros((len(a), 3), dtype=np.int64)
    for i in range(len(a)):
        counts = np.zeros(k, dtype=np.int64)
        for j in range(a.shape[1]):
            counts[int(abs(a[i, j])) % k] += 1
        out[i, 0] = counts.argmax()
        out[i, 1] = counts.max() + (a[i] > 0).sum()
        out[i, 2] = a[i].argmin() + int((a[i] > 3).any())
    return out


def rows_of_a_new_array(a: np.ndarray, k: int):
    out = np.zeros(k)
    for i in range(k):
        x, y = np.zeros((2, k + 1))
        for j in range(k + 1):
            x[j] = a[0, (i * j) % a.shape[1]]
            y[j] = j
        out[i] = x.sum() + (x * y).sum()
        k = k + 0
    return out


def rows_of_other_lengths(a: np.ndarray, k: int):
    out = np.zeros(min(k, a.shape[1] + 1))
    for i in range(len(out)):
        if i != 1:
            out[i] = (a[0, i:] * a[0, : a.shape[1] - i]).sum() + a[0].sum()
        else:
            out[i] = a[:, :i].mean()
    return out


def in_a_repeated_loop(a: np.ndarray, k: int):
    total, i = 0.0, 0
    while i < k:
        a = a + a[:, ::-1]
        total = total * 0.5 + (a.sum() if i % 2 else a[0, i:].sum() + a.sum(axis=1).max())
        i += 1
    return total


METHODS = {
    distances: "free i",
    named_rows: "free i",
    trees_by_hand: "free i",
    extremes_of_counts: "free i",
    rows_of_a_new_array: "free at__slot",
    rows_of_other_lengths: "free at__slot",
    in_a_repeated_loop: "free at__slot",
}


@pytest.mark.parametrize("method", METHODS, ids=lambda each: each.__name__)
def test_sums_of_rows(method) -> None:
    names = "a", "k"
    types = dict(zip(names, map(parse_type, describe_all((np.ones((1, 1)), 1), names)), strict=True))
    program = loop_program(compile_for(method, types, {}))
    assert METHODS[method] in program_text(program)
    for shape in ((1, 3), (5, 3), (3, 129), (2, 300)):
        for parts in (1, 3):
            given, own = (np.linspace(-9, 7, num=shape[0] * shape[1]).reshape(shape) for _ in range(2))
            wanted, found = method(given, 4), Interpreter(program).run({"a": own, "k": 4}, parts)
            assert np.asarray(found).tobytes() == np.asarray(wanted).tobytes()
