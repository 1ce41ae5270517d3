"""`somdc` run in this process, on files that a test writes."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from typer.testing import CliRunner

from somd.cli.app import app
from somd.settings import config


@dataclass(frozen=True)
class Done:
    """What a command wrote, and its exit status."""

    status: int
    out: str
    err: str
    raw: bytes


Somdc = Callable[..., Done]
Write = Callable[..., Path]


@pytest.fixture
def somdc(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Somdc]:
    """Runs a command in a folder of its own, without the caller's configuration."""
    monkeypatch.chdir(tmp_path)
    for name in ("SOMD_CONFIG", "SOMD_TARGET", "SOMD_WORKERS", "SOMD_TRACEBACK"):
        monkeypatch.delenv(name, raising=False)
    config.reload_config()

    def run(*args: object) -> Done:
        config.reload_config()
        done = CliRunner().invoke(app, [str(arg) for arg in args])
        assert done.exception is None or isinstance(done.exception, SystemExit), done.exception
        for text in (done.stdout, done.stderr):
            assert "Traceback" not in text
        return Done(done.exit_code, done.stdout, done.stderr, done.stdout_bytes)

    yield run
    config.reload_config()


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Writes a file, its folders too; the text is at the margin."""

    def to_file(name: str, text: str | bytes) -> Path:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text if isinstance(text, bytes) else textwrap.dedent(text).lstrip("\n").encode())
        return path

    return to_file


ADD = """
import numpy as np
from somd import dist, somd


@somd
def add(a: dist[np.ndarray], b: dist[np.ndarray]) -> np.ndarray:
    c = np.empty_like(a)
    for i in range(len(a)):
        c[i] = a[i] + b[i]  # element by element
    return c
"""

#: what OpenCL has no form for: a sum in a loop that must run in order for a negative `first`
SHIFTED = """
import numpy as np
from somd import dist, somd


@somd(signatures=["float64[:], float64[:], int64"])
def shifted(a: dist[np.ndarray], out: dist[np.ndarray], first: int) -> float:
    total = 0.0
    for i in range(first, len(a)):
        out[i] = a[i]
        total += a[i]
    return total
"""

REFUSED = """
import numpy as np
from somd import dist, somd


@somd
def chain(a: dist[np.ndarray]) -> None:
    for i in range(1, len(a)):
        a[i] = a[i - 1] * 0.5
"""
