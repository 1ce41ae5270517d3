"""What a method raises, besides the programs of the corpus (`tests/language/raising.py`)."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest

import somd
from somd import dist
from tests.differential import harness

A = dist[np.ndarray]


class Bad(Exception):
    pass


@somd.somd
def roots(a: A) -> np.ndarray:
    c = np.empty_like(a)
    for i in range(len(a)):
        if a[i] < 0:
            raise Bad(i, a[i])
        c[i] = np.sqrt(a[i])
    return c


@somd.somd
def doubled_then_checked(a: A, limit: float) -> None:
    for i in range(len(a)):
        a[i] = a[i] * 2.0
    if a[0] > limit:
        raise Bad(a[0])


@somd.somd
def in_nested_loops(g: A, k: int) -> np.ndarray:
    c = np.zeros(g.shape[0])
    for i in range(g.shape[0]):
        for j in range(g.shape[1]):
            x = g[i, j]
            while x > 1.0:
                x = x / 2.0
                if x < 0.6 and k == 0:
                    raise Bad(i, j, x)
        c[i] = g[i, 0]
    return c


@pytest.fixture(params=harness.TARGETS)
def target(request: pytest.FixtureRequest) -> str:
    reason = harness.unavailable(request.param)
    if reason is not None:
        pytest.skip(reason)
    return str(request.param)


@pytest.mark.usual(2)
def test_the_runtime_stays_usable(target: str) -> None:
    a = np.ones(3000)
    a[[200, 2900]] = -1.0
    with somd.use(target=target, workers=3):
        for _ in range(20):
            with pytest.raises(Bad) as caught:
                roots(a)
            assert caught.value.args == (200, -1.0)
            assert roots(np.full(3000, 4.0)).sum() == 6000.0


@pytest.mark.usual(2)
def test_many_iterations_fail_at_once(target: str) -> None:
    with somd.use(target=target, workers=2):
        for n in (1, 40, 5000):
            with pytest.raises(Bad) as caught:
                roots(np.full(n, -1.0))
            assert caught.value.args[0] == 0
    harness.check(in_nested_loops, (np.arange(140.0).reshape(20, 7), 0), target, workers=(1, 3))


def test_what_was_changed_before_stays_changed(target: str) -> None:
    a = np.ones(500)
    with somd.use(target=target, workers=2), pytest.raises(Bad):
        doubled_then_checked(a, 1.0)
    assert (a == 2.0).all()


def test_the_context_is_the_callers(target: str) -> None:
    with somd.use(target=target, workers=2):
        with pytest.raises(Bad) as caught:
            roots(np.full(9, -1.0))
        assert caught.value.__context__ is None
        with pytest.raises(Bad) as caught:
            try:
                raise KeyError(1)
            except KeyError:
                roots(np.full(9, -1.0))
        assert isinstance(caught.value.__context__, KeyError)


def test_several_threads(target: str) -> None:
    wrong: list[object] = []

    def work(k: int) -> None:
        a = np.ones(1000)
        a[k] = -k - 1.0
        for _ in range(10):
            try:
                roots(a)
            except Bad as error:
                if error.args != (k, -k - 1.0):
                    wrong.append(error)
            else:
                wrong.append(k)

    with somd.use(target=target, workers=2):
        threads = [threading.Thread(target=work, args=(k,)) for k in (3, 500, 999)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert not wrong


def test_without_asserts(tmp_path: Path) -> None:
    program = tmp_path / "asserting.py"
    program.write_text(
        "import numpy as np\nfrom somd import dist, somd\n\n@somd\ndef f(a: dist[np.ndarray]) -> None:\n"
        "    for i in range(len(a)):\n        assert a[i] > 0, i\n        a[i] = 5.0\n\n"
        "a = np.zeros(4)\ntry:\n    f(a)\nexcept AssertionError as error:\n    print('at', error)\nprint(a[0])\n"
    )
    target = "multicore" if harness.unavailable("opencl") else "opencl"  # the one that compiles faster
    env = {**os.environ, "SOMD_TARGET": target}
    found = [
        subprocess.run(
            [sys.executable, *options, str(program)], capture_output=True, text=True, check=True, env=env
        ).stdout
        for options in ([], ["-O"], [])
    ]
    assert found == ["at 0\n0.0\n", "5.0\n", "at 0\n0.0\n"]


def test_explain() -> None:
    assert "raises in the lowest iteration that comes to it: raise Bad(i, a[i]) (line " in str(roots.explain())
