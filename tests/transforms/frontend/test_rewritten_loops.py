"""What the passes of the front end write for loops that are not plain ones over a range."""

from __future__ import annotations

import ast
import inspect
import textwrap
from dataclasses import replace

import libcst as cst
import numpy as np
import pytest

from somd.errors import SomdCompileError
from somd.transforms import pipeline
from somd.transforms.frontend.desugar import backward
from somd.transforms.tree.loops import Range, statements_of

HALF = 0.5


def written(function) -> str:
    """The body of `function` behind the front end."""
    method = pipeline.front(function)
    lines = [cst.Module([]).code_for_node(s) for s in statements_of(method.function.body)]
    return ast.unparse(ast.parse("".join(lines)))


def body_of(function) -> str:
    lines = inspect.getsource(function).splitlines()[1:]
    return ast.unparse(ast.parse(textwrap.dedent("\n".join(lines))))


def test_a_step_becomes_a_function_of_the_loop_variable() -> None:
    def before(a: np.ndarray, out: np.ndarray) -> None:
        k = 3
        for i in range(1, len(a), 2):
            out[k] = a[i]
            k += 2
            out[k] = -a[i]
            k -= 5

    def after(a: np.ndarray, out: np.ndarray) -> None:
        k = 3
        for i in range(1, len(a), 2):
            k__now = k + (-3) * ((i - 1) // 2)
            out[k__now] = a[i]
            k__now += 2
            out[k__now] = -a[i]
        k = k + (-3) * max(0, ((len(a) - 1) + 1) // 2)

    assert written(before) == body_of(after)


def test_steps_of_inner_loops_are_steps_of_outer_ones() -> None:
    def before(a: np.ndarray, out: np.ndarray) -> None:
        k = 0
        for i in range(len(a)):
            for j in range(3):
                out[k] = a[i] + j
                k += 1

    def after(a: np.ndarray, out: np.ndarray) -> None:
        k = 0
        for i in range(len(a)):
            k__now_ = k + 3 * i
            for j in range(3):
                k__now = k__now_ + j
                out[k__now] = a[i] + j
        k = k + 3 * max(0, len(a))

    assert written(before) == body_of(after)


def test_what_is_no_induction_stays() -> None:
    def conditional(a: np.ndarray, out: np.ndarray) -> None:
        k = 0
        for i in range(len(a)):
            if a[i] > 0:
                out[k] = a[i]
                k += 1

    def skipping(a: np.ndarray, out: np.ndarray) -> None:
        k = 0
        for i in range(len(a)):
            if a[i] > 0:
                continue
            out[k] = a[i]
            k += 1

    def left(a: np.ndarray, out: np.ndarray) -> None:
        k = 0
        for i in range(len(a)):
            if a[i] > 0:
                break
            out[k] = a[i]
            k += 1  # noqa: SIM113

    def growing(a: np.ndarray, out: np.ndarray) -> None:
        k = 0
        for i in range(len(a)):
            out[k] = a[i]
            k += i

    def not_an_integer(a: np.ndarray, out: np.ndarray) -> None:
        k = 0.0
        for i in range(len(a)):
            out[i] = k
            k += 1

    def only_counted(a: np.ndarray) -> int:
        k = 0
        for i in range(len(a)):
            a[i] = 1
            k += 2
        return k

    for function in (conditional, skipping, left, growing, not_an_integer, only_counted):
        assert written(function) == body_of(function)


def test_else_of_a_loop() -> None:
    def before(a: np.ndarray) -> None:
        for i in range(len(a)):
            if a[i] > 0:
                break
        else:
            a[0] = 1
        for i in range(len(a)):
            a[i] = 2
        else:
            a[0] = 3

    def after(a: np.ndarray) -> None:
        i__left = False
        for i in range(len(a)):
            if a[i] > 0:
                i__left = True
                break
        if not i__left:
            a[0] = 1
        for i in range(len(a)):
            a[i] = 2
        a[0] = 3

    assert written(before) == body_of(after)


def test_loops_over_numbers_and_counted_elements() -> None:
    def before(a: np.ndarray) -> None:
        for i in reversed(range(2, len(a))):
            a[i] = i
        for d in (3, 1, -1):
            a[0] += d
        for i, v in enumerate(a, 7):
            a[0] += v * i

    def after(a: np.ndarray) -> None:
        for i in range((len(a)) - 1, (2) - 1, -1):
            a[i] = i
        for d in range(3, -2, -2):
            a[0] += d
        for v__at in range(len(a)):
            i = v__at + 7
            v = a[v__at]
            a[0] += v * i

    assert written(before) == body_of(after)


def test_loops_over_numbers_that_are_written_out() -> None:
    def before(a: np.ndarray, b: np.ndarray) -> None:
        for w in [0.5, -HALF, 1 / 3, 1 / 3]:
            a[0] += w
        for y, x, s in ((0, 1, 5), (1, 0, 7), (2, -1, 5)):
            a[y] += x * s
        for k, d in enumerate((4, 0), 1):
            a[k] += d
        for u, v, w in zip(reversed(a), b, (True, True), strict=False):
            b[0] += u * v if w else 0.0

    def after(a: np.ndarray, b: np.ndarray) -> None:
        for w__at in range(4):
            w = 0.5 if w__at == 0 else -HALF if w__at == 1 else 1 / 3
            a[0] += w
        for y__at in range(3):
            y = y__at
            x = -1 * y__at + 1
            s = 5 if y__at == 0 else 7 if y__at == 1 else 5
            a[y] += x * s
        for d__at in range(2):
            k = d__at + 1
            d = -4 * d__at + 4
            a[k] += d
        for u__at in range(min(len(a), len(b), 2)):
            u = a[len(a) - 1 - u__at]
            v = b[u__at]
            w = True
            b[0] += u * v if w else 0.0

    assert written(before) == body_of(after)


def test_other_rows_stay() -> None:
    def method(a: np.ndarray, p: int) -> None:
        for u, v in ((1, 2), (3, 4, 5)):
            a[0] += u * v
        for u in ():
            a[0] += u
        for u, u in ((1, 2), (3, 4)):
            a[0] += u

    with pytest.raises(SomdCompileError) as found:
        pipeline.front(method)
    assert str(found.value).count("error[SOMD205]") == 3


def test_tuples_are_compared_entry_by_entry() -> None:
    def before(a: np.ndarray, x: float, y: float) -> None:
        for i in range(len(a)):
            for d in (-1, 0, 1):
                if (i, d) != (3, 0) and (i > 4 or (d, i) == (0, -1)):
                    a[i] = d

    def after(a: np.ndarray, x: float, y: float) -> None:
        for i in range(len(a)):
            for d in range(-1, 2, 1):
                if (i != 3 or d != 0) and (i > 4 or (d == 0 and i == -1)):
                    a[i] = d

    assert written(before) == body_of(after)


def test_ranges_in_the_opposite_order() -> None:
    def before(a: np.ndarray, s: int) -> None:
        n = len(a)
        for i in reversed(range(1, n, 3)):
            a[i] = 0
        for i in reversed(range(n - 1, 0, -1)):
            a[i] = 1
        for i in reversed(range(2, 9, 3)):
            a[i] = 2
        for v in reversed(a):
            s += v

    def after(a: np.ndarray, s: int) -> None:
        n = len(a)
        for i in range(1 + (n - 1 - 1) // 3 * 3, 1 - 1, -3):
            a[i] = 0
        for i in range(0 + 1, n - 1 + 1, 1):
            a[i] = 1
        for i in range(8, -1, -3):
            a[i] = 2
        for v__at in range(len(a) - 1, -1, -1):
            v = a[v__at]
            s += v

    assert written(before) == body_of(after)


def test_backward_ranges_have_the_same_numbers() -> None:
    steps = [s for s in range(-5, 6) if s]
    method = pipeline.front(_loop)
    for start, stop, step in [(a, b, s) for a in range(-6, 7) for b in range(-6, 7) for s in steps]:
        header = Range("i", cst.Name("start"), cst.Name("stop"), cst.Name("step"))
        for known in (header, replace(header, step=cst.parse_expression(str(step)))):
            names = {"start": start, "stop": stop, "step": step}
            assert [*eval(backward(known, method) or "", names)] == [*reversed(range(start, stop, step))]


def _loop(a: np.ndarray) -> None:
    a[0] = 1
