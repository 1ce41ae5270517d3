"""The plugin that users' tests run with: a test that passes, one that finds a difference, options, skips."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import somd
from somd.checking.differences import difference, duplicate

SOURCE = """
import numpy as np
import pytest
from somd import dist, somd


@somd
def double(a: dist[np.ndarray]) -> float:
    total = 0.0
    for i in range(len(a)):
        a[i] = 2.0 * a[i]
        total += a[i]
    return total


@pytest.mark.somd(workers=(1, 3))
@pytest.mark.parametrize("n", [0, 9])
def test_double(n):
    a = np.ones(n)
    assert double(a) == 2.0 * n
    assert list(a) == [2.0] * n


@pytest.mark.somd(targets="multicore", workers=2)
def test_errors_are_the_same(monkeypatch):
    with pytest.raises(IndexError):
        first(np.ones(3), 4)


@pytest.mark.somd(targets=("multicore",), workers=(2,))
def test_a_difference_is_found(monkeypatch):
    def wrong(a):
        a[2] = 7.0
        return 18.0

    monkeypatch.setattr(double, "sequential", wrong)
    double(np.ones(9))


def test_other_calls_are_left_alone():
    assert double(np.ones(2)) == 4.0


@somd
def first(a: dist[np.ndarray], n: int) -> None:
    for i in range(n):
        a[i] = 0.0


@somd
def shifted(a: dist[np.ndarray], out: dist[np.ndarray], first: int) -> float:
    total = 0.0
    for i in range(first, len(a)):
        out[i] = a[i]
        total += a[i]
    return total


@pytest.mark.somd(targets=("opencl",))
def test_what_a_target_lacks():
    shifted(np.ones(3), np.ones(3), 1)
"""


def run(folder: Path, *options: str) -> str:
    (folder / "test_user.py").write_text(SOURCE, encoding="utf-8")
    command = [sys.executable, "-m", "pytest", "-p", "no:somd", "-p", "pytest_somd", "-rsf", "-v", *options]
    path = os.pathsep.join([str(Path(somd.__file__).parents[1]), os.environ.get("PYTHONPATH", "")])
    done = subprocess.run(command, cwd=folder, env={**os.environ, "PYTHONPATH": path}, capture_output=True, text=True)
    return done.stdout + done.stderr


def test_a_users_tests(tmp_path: Path) -> None:
    text = run(tmp_path)
    for passed in ("test_double[multicore-1-0]", "test_double[multicore-3-9]", "test_errors_are_the_same[multicore-2]"):
        assert f"{passed} PASSED" in text, text
    assert "test_other_calls_are_left_alone PASSED" in text
    assert "FAILED test_user.py::test_a_difference_is_found" in text
    assert "`double` on multicore with 2 workers differs from the function as written: argument `a`: 9 of 9" in text
    if somd.targets()["opencl"] is None:
        assert "test_double[opencl-9] PASSED" in text
        assert "`shifted` cannot run on opencl" in text
    else:
        assert str(somd.targets()["opencl"]) in text


def test_mistakes(tmp_path: Path) -> None:
    told = {"worker=1": "has no option 'worker'", "targets='gpu'": "there is no target 'gpu'"}
    for k, option in enumerate(told):
        text = f"import pytest\n@pytest.mark.somd({option})\ndef test_it(): pass\n"
        (tmp_path / f"test_mistake_{k}.py").write_text(text, encoding="utf-8")
    found = run(tmp_path, "--continue-on-collection-errors", "test_mistake_0.py", "test_mistake_1.py")
    for text in told.values():
        assert text in found, found
    (tmp_path / "test_case.py").write_text(TEST_CASES.replace("workers=2", "worker=2"), encoding="utf-8")
    assert "has no option 'worker'" in run(tmp_path, "test_case.py")


def test_objects_that_lead_back_to_themselves() -> None:
    class Node:
        def __init__(self, value: float) -> None:
            self.value, self.next = np.full(2, value), self

    assert difference(Node(1.0), Node(1.0)) is None
    assert difference(Node(1.0), Node(2.0)) == ".value: 2 of 2 elements differ, the first at [0]: 1.0 instead of 2.0"


def test_copies_keep_layout_and_shared_memory() -> None:
    memory = np.arange(12.0).reshape(3, 4)
    column, whole, again = duplicate((memory[:, 1], memory, memory))
    assert whole is again and np.shares_memory(column, whole) and not np.shares_memory(whole, memory)
    assert column.strides == memory[:, 1].strides and list(column) == [1.0, 5.0, 9.0]
    (backwards,) = duplicate((memory[::-1],))
    assert np.array_equal(backwards, memory[::-1]) and backwards.strides == memory[::-1].strides


@pytest.mark.parametrize(
    ("found", "expected", "told"),
    [
        (np.float32([1.0]), np.array([1.0]), ": float32[1] instead of float64[1]"),
        ((1, 2), (1, 3), "[1]: 2 instead of 3"),
        (np.array([np.nan, 1.0]), np.array([np.nan, 1.0 + 1e-9]), None),
        (1.0, 1.1, ": 1.0 instead of 1.1"),
        (None, 1.0, ": None instead of 1.0"),
        (np.ones((2, 2)), np.eye(2), ": 2 of 4 elements differ, the first at [0, 1]: 1.0 instead of 0.0"),
    ],
)
def test_difference(found: object, expected: object, told: str | None) -> None:
    assert difference(found, expected) == told


def test_runs_without_the_marker_do_not_import_somd() -> None:
    program = "import sys, pytest_somd; sys.exit('somd' in sys.modules or 'numpy' in sys.modules)"
    path = os.pathsep.join([str(Path(somd.__file__).parents[1]), os.environ.get("PYTHONPATH", "")])
    subprocess.run([sys.executable, "-c", program], env={**os.environ, "PYTHONPATH": path}, check=True)


TEST_CASES = """
import unittest
from unittest import mock

import numpy as np
import pytest
from somd import dist, somd


@somd
def double(a: dist[np.ndarray]) -> None:
    for i in range(len(a)):
        a[i] = 2.0 * a[i]


@somd
def shifted(a: dist[np.ndarray], out: dist[np.ndarray], first: int) -> float:
    total = 0.0
    for i in range(first, len(a)):
        out[i] = a[i]
        total += a[i]
    return total


@pytest.mark.somd(workers=(1, 3), targets="multicore")
class TestWhole(unittest.TestCase):
    set_up = 0

    def setUp(self):
        type(self).set_up += 1
        assert not hasattr(self, "a")
        self.a = np.ones(9)

    def test_double(self):
        double(self.a)
        self.assertEqual(list(self.a), [2.0] * 9)

    def test_set_up_for_each_run(self):
        self.assertGreaterEqual(type(self).set_up, 3)


class TestOne(unittest.TestCase):
    @pytest.mark.somd(workers=2, targets=("multicore",))
    def test_a_difference_is_found(self):
        with mock.patch.object(double, "sequential", lambda a: None):
            double(np.ones(9))

    @pytest.mark.somd(targets="opencl")
    def test_what_a_target_lacks(self):
        shifted(np.ones(3), np.ones(3), 1)

    def test_without_the_marker(self):
        double(np.ones(2))
"""


@pytest.mark.usual(0)
def test_methods_of_test_cases(tmp_path: Path) -> None:
    """Also without pytest's plugin that caches."""
    (tmp_path / "test_cases.py").write_text(TEST_CASES, encoding="utf-8")
    text = run(tmp_path, "-p", "no:cacheprovider", "test_cases.py")
    for passed in ("test_double[multicore-1]", "test_double[multicore-3]", "test_set_up_for_each_run[multicore-3]"):
        assert f"{passed} PASSED" in text, text
    assert "test_without_the_marker PASSED" in text
    assert "FAILED test_cases.py::TestOne::test_a_difference_is_found[multicore-2]" in text
    assert "`double` on multicore with 2 workers differs from the function as written" in text
    assert "test_what_a_target_lacks[opencl] SKIPPED" in text, text
    assert "5 passed, 1 skipped" in text.replace("1 failed, ", ""), text
