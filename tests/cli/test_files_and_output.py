"""Files that are none, output that cannot be written, empty and endless options."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.conftest import ADD, Somdc, Write

COMMANDS = ("check", "suggest", "translate", "explain", "verify", "build", "run", "config")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_pipes_are_not_waited_for(somdc: Somdc, write: Write, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.py")
    for command in COMMANDS:
        done = somdc(command, "pipe.py")
        assert done.status in (1, 2) and "pipe.py: not a regular file" in done.err + done.out, command
    write("add.py", ADD)
    assert somdc("check", ".").out == "1 method in 1 file checked: no errors\n"


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full")
@pytest.mark.parametrize("command", [["check", "add.py"], ["suggest", "plain.py"], ["--help"], ["explain", "SOMD301"]])
@pytest.mark.usual(3)
def test_a_full_disk(command: list[str], write: Write, tmp_path: Path) -> None:
    write("add.py", ADD)
    write("plain.py", "def f(a):\n    for i in range(len(a)):\n        a[i] = 1.0\n")
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}
    with open("/dev/full", "w") as full:
        line = [sys.executable, "-m", "somd", *command]
        done = subprocess.run(line, cwd=tmp_path, env=environment, stdout=full, stderr=subprocess.PIPE, text=True)
        assert (done.returncode, done.stderr) == (1, "error: cannot write the output: No space left on device\n")
        done = subprocess.run(line, cwd=tmp_path, env=environment, stdout=full, stderr=full)
        assert done.returncode == 1


@pytest.mark.parametrize("command", ["translate", "explain", "verify", "build"])
def test_an_empty_signature_is_one(command: str, somdc: Somdc, write: Write) -> None:
    write("add.py", ADD)
    done = somdc(command, "add.py", "--signature", "")
    assert done.status == 1
    assert "error[SOMD102]: the signature `` does not fit `add`: 0 types for 2 parameters" in done.err


def test_numbers_of_thousands_of_digits(somdc: Somdc, write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    write("add.py", ADD)
    for command in ("run", "verify"):
        done = somdc(command, "--workers", "9" * 5000, "add.py")
        assert done.status == 2 and "--workers" in done.err and len(done.err) < 300
    for number, code in {
        "9" * 5000: "SOMD601",
        "0x" + "9" * 5000: "SOMD606",
        '"' + "9" * 5000 + '"': "SOMD604",
    }.items():
        write("somd.toml", f"# workers\nworkers = {number}\n")
        done = somdc("config")
        assert done.status == 1 and f"error[{code}]" in done.err and " somd.toml:2" in done.err
    write("somd.toml", "")
    monkeypatch.setenv("SOMD_WORKERS", "9" * 5000)
    done = somdc("config", "add.py")
    assert done.status == 1 and "error[SOMD604]: `SOMD_WORKERS` must be a whole number" in done.err
    assert len(done.err) < 300


def test_a_byte_order_mark(somdc: Somdc, write: Write, tmp_path: Path) -> None:
    write("somd.toml", b"\xef\xbb\xbfworkers = 3\n")
    assert "workers  3  somd.toml:1" in somdc("config").out
    write("pyproject.toml", b"\xef\xbb\xbf[tool.somd]\nworkers = 5\n")
    (tmp_path / "somd.toml").unlink()
    assert "workers  5  pyproject.toml:2" in somdc("config").out


RECURSIVE = """
import numpy as np
from somd import dist, somd


def even(n):
    return 1.0 if n == 0 else odd(n - 1)


def odd(n):
    return 0.0 if n == 0 else even(n - 1)


def parity(n):
    return even(n)


@somd
def parities(a: dist[np.ndarray]) -> None:
    for i in range(len(a)):
        a[i] = parity(i)
"""


def test_helpers_that_call_themselves(somdc: Somdc, write: Write) -> None:
    write("recursive.py", RECURSIVE)
    done = somdc("check", "recursive.py")
    assert done.status == 1
    assert "error[SOMD203]: `even` calls itself\n  --> recursive.py:10:31\n" in done.out, done.out
