"""`somdc check --fix` and `--watch`, the hook for pre-commit, and the workflow in the documents."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.conftest import ADD, REFUSED, Somdc, Write

ROOT = Path(__file__).parents[2]
SIGNED = '@somd(signatures=["float64[:], float64[:]"])'
MISTAKES = '''
import numpy as np
from somd import dist, somd

@somd
def chain(a: dist[np.ndarray]):
    for i in range(1, len(a)):
        """text
kept"""
        a[i] = a[i - 1] * 0.5 + 1.0

@somd
def forces(pairs: dist[np.ndarray], x: np.ndarray, f: np.ndarray):
    for k in range(pairs.shape[0]):
        i, j = pairs[k, 0], pairs[k, 1]
        f[i] += x[i] - x[j]
        f[j] -= x[i] - x[j]

@somd(signatures=["float64[:], float64[:]"])
def roots(a: np.ndarray, b: dist[np.ndarray]):
    for i in range(len(a)):
        a[i] = np.sqqrt(a[i])
'''


@pytest.mark.parametrize("ends", ["\n", "\r\n"])
@pytest.mark.usual(2)
def test_fixes_that_keep_the_meaning(ends: str, somdc: Somdc, write: Write) -> None:
    path = write("model.py", MISTAKES.lstrip("\n").replace("\n", ends).encode())
    done = somdc("check", "--fix", "model.py")
    assert done.status == 0, done.out
    assert done.err.count("model.py:") == 4
    text = path.read_bytes().decode()
    assert text.count("\r") == (text.count("\n") if ends == "\r\n" else 0)
    text = text.replace("\r", "")
    assert "from somd import dist, somd, single, sync\n" in text
    assert '    with single:\n        for i in range(1, len(a)):\n            """text\nkept"""\n' in text
    assert '    with sync(f, reduce="+"):\n        for k in' in text
    assert "def roots(a: dist[np.ndarray], b: dist[np.ndarray]):" in text and "np.sqrt(a[i])" in text
    assert somdc("check", "--fix", "model.py").err == ""


def test_loops_of_numba_and_running_sums(somdc: Somdc, write: Write) -> None:
    text = """
import numba
import numpy as np
from somd import dist, somd


@somd
def total(a: dist[np.ndarray]) -> float:
    s = 0.0
    for i in numba.prange(len(a)):
        s += a[i]
    return s


@somd
def running(a: dist[np.ndarray], out: dist[np.ndarray]):
    s = 0.0
    for i in range(len(a)):
        s += a[i]
        out[i] = s
"""
    path = write("model.py", text)
    assert somdc("check", "--fix", "model.py").status == 0
    fixed = path.read_text()
    assert "    for i in range(len(a)):\n        s += a[i]\n    return s" in fixed
    assert "scan" not in fixed and "    with single:\n" in fixed  # the order of sums is the user's to give up


def test_what_cannot_be_fixed_stays(somdc: Somdc, write: Write) -> None:
    text = ADD.replace("c[i] = a[i]", "c[i] = float(str(a[i]))").replace("@somd", SIGNED)
    path = write("model.py", text)
    before = path.read_bytes()
    assert somdc("check", "--fix", "model.py").status == 1 and path.read_bytes() == before


@pytest.mark.usual(0)
def test_watch(write: Write, tmp_path: Path) -> None:
    path = write("model.py", REFUSED)
    watching = subprocess.Popen(
        [sys.executable, "-u", "-m", "somd", "check", "--watch", "model.py"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    assert watching.stdout is not None
    try:
        assert _until(watching, "waiting for changes").endswith("1 error\nwaiting for changes\n")
        path.write_text(ADD)
        assert _until(watching, "waiting for changes").endswith("no errors\nwaiting for changes\n")
    finally:
        watching.send_signal(signal.SIGINT)
        assert watching.wait(30) == 130
        watching.stdout.close()


def _until(process: subprocess.Popen[str], last: str) -> str:
    assert process.stdout is not None
    found = ""
    for line in process.stdout:
        found += line
        if line.strip() == last:
            break
    return found


def test_the_hook_and_the_workflow(somdc: Somdc, write: Write) -> None:
    write("model.py", ADD)
    write("other.py", "x = 1\n")
    page = (ROOT / "docs" / "editors.md").read_text(encoding="utf-8")
    hook = re.search(r"entry: somdc (.*)", (ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))
    assert hook is not None and f"entry: somdc {hook[1]}\n" in page
    assert somdc(*hook[1].split(), "model.py", "other.py").status == 0
    assert somdc(*hook[1].split(), "other.py").status == 0
    runs = re.findall(r"- run: somdc (.*)", page)
    assert runs and all(somdc(*each.split()).status == 0 for each in runs)
