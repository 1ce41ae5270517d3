"""`somdc config`, `somdc devices`, `somdc run`."""

from __future__ import annotations

import pytest

import somd
from tests.cli.conftest import ADD, REFUSED, Somdc, Write

CONFIG = """
default = "sequential"
workers = 3
[rules]
"*.run" = "opencl"
"SOR.run" = "multicore"
"S*" = "opencl"
"""
METHODS = """
import numpy as np
from somd import dist, somd


class SOR:
    @somd
    def run(self, a: dist[np.ndarray], w: float) -> None:
        for i in range(len(a)):
            a[i] *= w

    @somd(target="opencl")
    def other(self, a: dist[np.ndarray]) -> None:
        for i in range(len(a)):
            a[i] *= 2


@somd
def free(a: dist[np.ndarray]) -> None:
    for i in range(len(a)):
        a[i] *= 2
"""


def test_config(somdc: Somdc, write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    write("somd.toml", CONFIG)
    write("sor.py", METHODS)
    done = somdc("config", "sor.py")
    assert done.status == 0
    for said in (
        "file: somd.toml\n",
        "  target   multicore          somd.toml:5 (rule 'SOR.run'): an exact name\n",
        "    overridden: rule '*.run' = opencl (somd.toml:4)\n",
        "  target   opencl             @somd(target=...)\n",
        "    overridden: rule 'S*' = opencl (somd.toml:6)\n",
        "  target   sequential         somd.toml:1\n",
        "  workers  3                  somd.toml:2\n",
    ):
        assert said in done.out, done.out
    assert "target   multicore" in somdc("config", "sor.SOR.run").out
    monkeypatch.setenv("SOMD_TARGET", "sequential")
    out = somdc("config", "sor.py:SOR.run").out
    assert "environment: SOMD_TARGET=sequential" in out
    assert "target   sequential         SOMD_TARGET" in out
    assert "overridden: rule 'SOR.run' = multicore (somd.toml:5)" in out


def test_without_a_file(somdc: Somdc) -> None:
    out = somdc("config").out
    assert "file: none" in out and "target   multicore" in out and "the default of somd" in out


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('defualt = "opencl"\n', "unknown key `defualt`"),
        ("workers = 0\n", "SOMD606"),
        ('workers = 2\n\ndefault = "opencl\n', "--> somd.toml:3"),
        ('default = "opncl"\n', "did you mean `opencl`?"),
    ],
)
def test_a_broken_file(text: str, said: str, somdc: Somdc, write: Write) -> None:
    write("somd.toml", text)
    write("sor.py", METHODS)
    for args in (("config",), ("config", "sor.py"), ("devices",)):
        done = somdc(*args)
        assert done.status == 1 and said in done.err and " --> somd.toml:" in done.err


def test_devices(somdc: Somdc) -> None:
    done = somdc("devices")
    assert done.status == 0
    for target in somd.targets():
        assert f"  {target}" in done.out
    assert "OpenCL devices\n" in done.out


def test_run(somdc: Somdc, write: Write) -> None:
    write(
        "my script.py", "import sys, helper, os\nprint(sys.argv[1:], __name__, helper.x, os.environ['SOMD_TARGET'])\n"
    )
    write("helper.py", "x = 7\n")
    done = somdc("run", "--target", "sequential", "my script.py", "--steps", "3", "-v")
    assert (done.status, done.out) == (0, "['--steps', '3', '-v'] __main__ 7 sequential\n")
    write("main.py", ADD + "\nif __name__ == '__main__':\n    print(add(np.ones(2), np.ones(2)))\n")
    assert somdc("run", "--target", "sequential", "--workers", "2", "main.py").out == "[2. 2.]\n"


def test_run_of_scripts_that_fail(somdc: Somdc, write: Write) -> None:
    write("refused.py", REFUSED)
    done = somdc("run", "refused.py")
    assert done.status == 1 and done.err.startswith("error[SOMD301]")
    write("exits.py", "raise SystemExit(5)\n")
    assert somdc("run", "exits.py").status == 5
    write("says.py", "raise SystemExit('no')\n")
    assert (somdc("run", "says.py").status, somdc("run", "says.py").err) == (1, "no\n")
    write("syntax.py", "def f(:\n")
    for args, said in {
        ("missing.py",): "missing.py: no such file",
        ("syntax.py",): "syntax.py:1: not valid Python",
        ("--target", "cuda", "exits.py"): "names an unknown target `cuda`",
        ("--workers", "0", "exits.py"): "must lie between 1 and 1024",
        ("--workers", "many", "exits.py"): "Invalid value for '--workers'",
    }.items():
        done = somdc("run", *args)
        assert done.status in (1, 2) and said in done.err
