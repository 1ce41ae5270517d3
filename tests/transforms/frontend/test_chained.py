"""Blocks with several fences and lines with several statements: one by one, with the results of plain Python."""

from __future__ import annotations

import numpy as np
import pytest

from somd import dist, somd
from somd.arguments.signatures import describe_all
from somd.errors import SomdCompileError
from somd.language.markers import single, sync
from somd.transforms.loops.interpret import Interpreter
from somd.transforms.pipeline import compile_for, loop_program
from somd.transforms.signature_text import parse_type


def of_regions(image: np.ndarray, labels: np.ndarray, k: int):
    area, total, most = np.zeros(k, dtype=np.int64), np.zeros(k), np.zeros(k)
    with sync(area, reduce="+"), sync(total, reduce="+"), sync(most, reduce="max"):
        for i in range(len(image)):
            area[labels[i]] += 1
            total[labels[i]] += image[i]
            most[labels[i]] = max(most[labels[i]], image[i])
    return area, total, most


def beside_a_name(image: np.ndarray, labels: np.ndarray, k: int):
    with single, sync as s:
        for i in range(len(image)):
            image[i] += k
    return s


def kinds(method, *arguments):
    names = "image", "labels", "k"
    return compile_for(method, dict(zip(names, map(parse_type, describe_all(arguments, names)), strict=True)), {})


def test_each_fence_is_a_block() -> None:
    generator = np.random.default_rng(5)
    for n in (1, 50):
        given = generator.integers(0, 9, n).astype(float), generator.integers(0, 4, n), 4
        program = loop_program(kinds(of_regions, *given))
        for parts in (1, 3):
            found = Interpreter(program).run(dict(zip(("image", "labels", "k"), given, strict=True)), parts)
            for one, other in zip(found, of_regions(*given), strict=True):
                assert one.tobytes() == other.tobytes()


def test_which_of_them_is_refused() -> None:
    with pytest.raises(SomdCompileError, match="SOMD201") as raised:
        kinds(beside_a_name, np.ones(1), np.ones(1, np.int64), 1)
    [diagnostic] = raised.value.diagnostics
    assert diagnostic.position.column == len("    with single, ")


def several_in_a_line(x: dist, y, k: int):
    total = 0.0; most = 0.0  # fmt: skip  # noqa: E702
    for i in range(len(x)): x[i] += k; y[i] = x[i] * 2.0  # fmt: skip  # noqa: E701, E702
    for i in range(len(x)):
        if x[i] < y[0]: continue  # fmt: skip  # noqa: E701
        total += y[i]; most = max(most, x[i])  # fmt: skip  # noqa: E702
    return total, most


def test_each_statement_has_a_line() -> None:
    method = somd(several_in_a_line)
    for n in (1, 50):
        given = np.linspace(0.5, 2.0, n), np.zeros(n), 3
        plain = tuple(np.copy(each) for each in given[:2])
        assert method(*given) == several_in_a_line(*plain, 3)
        np.testing.assert_array_equal(given[:2], plain)
