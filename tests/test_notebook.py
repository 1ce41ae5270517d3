"""Notebook cells: the plan with its structure, methods defined in cells, and `%%somd`."""

from __future__ import annotations

import contextlib
import io
from typing import Any

import numpy as np
import pytest

import somd
from somd import dist
from somd.calls.explanation import Explanation

CELL = """
import numpy as np
from somd import dist, somd

@somd
def double(a: dist[np.ndarray]) -> None:
    for i in range(len(a)):
        a[i] = 2.0 * a[i]

numbers = np.ones(3)
double(numbers)
numbers.tolist()
"""


@somd.somd
def fill(a: dist[np.ndarray], b: np.ndarray) -> None:
    for i in range(len(a)):
        a[i] = b[i]


def test_explanation() -> None:
    found = fill.explain()
    assert isinstance(found, Explanation) and str(found) == repr(found)
    shown = found._repr_html_()
    assert "<b>phase 1, line " in shown and "IndexError before the phase if</span> a.shape[0] &gt;= b.shape[0]" in shown
    assert "[data-jp-theme-light='false'] .somd-plan" in shown and "[data-jp-theme-light='false'] .somd-words" in shown
    assert "<script" not in Explanation("f\n  phase 1, line 1: <script>")._repr_html_()


@pytest.fixture
def shell() -> Any:
    interactive = pytest.importorskip("IPython.core.interactiveshell")
    shell = interactive.InteractiveShell.instance()
    yield shell
    interactive.InteractiveShell.clear_instance()


def test_a_method_in_a_cell(shell: Any) -> None:
    result = shell.run_cell(CELL)
    result.raise_error()
    assert result.result == [2.0, 2.0, 2.0]
    refused = CELL.replace("2.0 * a[i]", "0.5 * a[i - 1]").replace("range(len", "range(1, len")
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        assert isinstance(shell.run_cell(refused).error_in_exec, somd.SomdCompileError)
    assert "a[i] = 0.5 * a[i - 1]" in printed.getvalue()


def test_magic(shell: Any) -> None:
    shell.run_cell("%load_ext somd").raise_error()
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        result = shell.run_cell(f"%%somd --target sequential --workers 2\n{CELL}")
    result.raise_error()
    assert result.result == [2.0, 2.0, 2.0]
    assert "phase 1" in printed.getvalue()
    with contextlib.redirect_stderr(printed):
        shell.run_cell("%%somd --target nowhere\n1").raise_error()
    assert "invalid choice" in printed.getvalue()
