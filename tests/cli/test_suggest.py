"""`somdc suggest`."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from tests.cli.conftest import ADD, Somdc, Write

PLAIN = '''
"""Plain loops."""
from __future__ import annotations

import numpy as np


def add(a, b):
    c = np.empty_like(a)
    for i in range(len(a)):
        c[i] = a[i] + b[i]  # element by element
    return c


def chain(a: np.ndarray):
    for i in range(1, len(a)):
        a[i] += 0.5 * a[i - 1]


def total(xs: np.ndarray) -> float:
    s = 0.0
    for x in xs:
        s += x
    return s


def lists(a: list[float]):
    for i in range(len(a)):
        a[i] = 0


class Grid:
    def step(self, u, v, n: int = 3):
        for i in range(1, len(u) - 1):
            v[i] = u[i] + self.dt * (u[i - 1] - 2 * u[i] + u[i + 1])


def no_loop(a):
    return a[0]


def only_in_order(a, other):
    for i in range(1, len(a)):
        a[i] += 0.5 * a[i - 1]
    return other[0]


print("a side effect", add(np.ones(2), np.ones(2)))
'''


def test_proposals(somdc: Somdc, write: Write) -> None:
    write("plain.py", PLAIN)
    done = somdc("suggest", "plain.py")
    assert done.status == 0
    assert "side effect" not in done.out + done.err
    for said in (
        "# plain.py:7: add: a, b distributed; proved:\n#   line 9: the iterations of `for i in range(len(a))` may run",
        "inside its array is every access but for `b[i]`, tested once before the loop",
        "# plain.py:14: chain: nothing proposed: this loop cannot be distributed: iteration i reads what",
        "[SOMD301]\n",
        "the iterations of `for x in xs` may run in any order: they write no array\n#     `s` is reduced by +",
        "only_in_order: nothing proposed: this loop cannot be distributed: iteration i reads what iteration i-1 writes",
        "# plain.py:26: lists: nothing proposed: its loops index no parameter that may be an array\n",
        "+from somd import dist, somd\n",
        "-def add(a, b):\n+@somd\n+def add(a: dist[np.ndarray], b: dist[np.ndarray]):\n",
        "+    def step(self, u: dist[np.ndarray], v: dist[np.ndarray], n: int = 3):\n",
    ):
        assert said in done.out, done.out
    assert "no_loop" not in done.out.partition("---")[0]


@pytest.mark.skipif(shutil.which("patch") is None, reason="needs patch")
@pytest.mark.parametrize("newline", ["\n", "\r\n"])
@pytest.mark.usual(2)
def test_the_diff_can_be_applied(newline: str, somdc: Somdc, write: Write, tmp_path: Path) -> None:
    path = write("some folder/plain.py", PLAIN.lstrip().rstrip().replace("\n", newline).encode())
    done = somdc("suggest", "some folder")
    assert done.status == 0
    ran = subprocess.run(["patch", "-p1", "--binary"], input=done.raw, capture_output=True, cwd=tmp_path, check=False)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert path.read_bytes().count(b"@somd") == 3
    assert somdc("check", path).out == "3 methods in 1 file checked: no errors\n"


NAMES = {
    "import somd as s\nimport numpy\n": ("@s.somd", "a: s.dist[numpy.ndarray]"),
    "from somd import somd as parallel\n": ("@parallel", "a: dist[np.ndarray]"),
    "def dist(a):\n    return a\n\n\n": ("@somd.somd", "a: somd.dist[np.ndarray]"),
    "from numpy import ndarray\n": ("@somd", "a: dist[ndarray]"),
}


@pytest.mark.parametrize("head", NAMES)
def test_names_of_the_module(head: str, somdc: Somdc, write: Write) -> None:
    write("plain.py", head + "def f(a):\n    for i in range(len(a)):\n        a[i] = 1.0\n")
    done = somdc("suggest", "plain.py", "-q")
    decorator, parameter = NAMES[head]
    assert done.status == 0 and f"+{decorator}\n+def f({parameter}):\n" in done.out, done.out


def test_nothing_to_propose(somdc: Somdc, write: Write) -> None:
    write("done.py", ADD)
    done = somdc("suggest", "done.py")
    assert done.status == 1 and "it has a decorator already" in done.out and "---" not in done.out
    write("numba_s.py", "@njit(parallel=True)\ndef f(a):\n    for i in prange(len(a)):\n        a[i] = 1.0\n")
    assert (
        "nothing proposed: take `@njit(parallel=True)` off first, and write `range`"
        in somdc("suggest", "numba_s.py").out
    )
    write("empty.py", "x = 1\n")
    done = somdc("suggest", "empty.py")
    assert (done.status, done.err) == (1, "error: empty.py: no plain function with a loop\n")
    write("syntax.py", "def f(:\n")
    for name, said in {"syntax.py": "not valid Python", "missing.py": "no such file or folder"}.items():
        done = somdc("suggest", name)
        assert done.status in (1, 2) and said in done.err and done.err.count("\n") == 1


@pytest.mark.skipif(shutil.which("patch") is None, reason="needs patch")
@pytest.mark.parametrize(
    ("head", "encoding"), [("# coding: latin-1\n", "latin-1"), ("", "utf-8-sig"), ("\f# π\n# \v\n", "utf-8")]
)
def test_the_diff_has_the_bytes_of_the_file(
    head: str, encoding: str, somdc: Somdc, write: Write, tmp_path: Path
) -> None:
    text = head + "# Grüße\x85\nimport numpy as np\ndef f(a):\n    for i in range(len(a)):\n        a[i] = 1.0  # ü\n"
    path = write("plain.py", text.encode(encoding))
    done = somdc("suggest", "plain.py")
    ran = subprocess.run(["patch", "-p1"], input=done.raw, capture_output=True, cwd=tmp_path, check=False)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert "@somd\ndef f(a: dist[np.ndarray]):" in path.read_bytes().decode(encoding)


def test_encodings_that_are_wrong(somdc: Somdc, write: Write) -> None:
    for head, said in {
        b"": "plain.py: not UTF-8 text; if it is in another encoding, let its first line say so",
        b"# coding: klingon\n": "plain.py: not valid Python: unknown encoding: klingon",
        b"# coding: hex\n": "plain.py: ",
    }.items():
        write("plain.py", head + "# Grüße\ndef f(a):\n    for i in a:\n        a[i] = 1\n".encode("latin-1"))
        done = somdc("suggest", "plain.py")
        own = "error: plain.py:1: not valid Python: Non-UTF-8 code starting with"  # which newer Pythons find
        told = f"error: {said}" in done.err or own in done.err
        assert done.status == 1 and told and done.err.count("\n") == 1, done.err


@pytest.mark.skipif(shutil.which("patch") is None, reason="needs patch")
def test_a_file_outside_of_the_working_folder(
    somdc: Somdc, write: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write("models/plain.py", PLAIN)
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    done = somdc("suggest", "../models/plain.py")
    assert "--- a/models/plain.py\n" in done.out
    assert done.err.endswith(f"note: the diff is for {tmp_path}: apply it with `patch -p1 -d ..`\n")
    subprocess.run(["patch", "-p1", "-d", ".."], input=done.raw, capture_output=True, check=True)
    assert path.read_bytes().count(b"@somd") == 3
