"""The recipe for a new target holds: one entry in the table, and every part of the package knows it."""

from __future__ import annotations

import ast
import importlib
import importlib.util
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import somd
from somd.settings.config import reload_config
from somd.settings.targets import DEFAULT, SEQUENTIAL, TARGETS
from tests.cli.conftest import Somdc, Write, somdc, write  # noqa: F401 - fixtures
from tests.trials import with_all_trials

ROOT = Path(somd.__file__).parent
MODULE = "tests.backends.plain"

MODEL = """
import numpy as np
from somd import dist, somd


@somd(signatures=["float64[:], float64"])
def scale(a: dist[np.ndarray], factor: float) -> float:
    total = 0.0
    for i in range(len(a)):
        a[i] = a[i] * factor
        total += a[i]
    return total


@somd
def board(a: dist[np.ndarray]) -> None:
    for i in range(len(a)):
        a[i] = 1.0


def half(x):
    return 0.5 * x


@somd
def halved(a: dist[np.ndarray]) -> None:
    for i in range(len(a)):
        a[i] = half(a[i])
"""


@pytest.fixture
def runs(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[list[tuple[str, object]]]:
    """The target `plain`, entered in the table; what it runs."""
    monkeypatch.setenv("SOMD_CACHE_DIR", str(with_all_trials(tmp_path / "cache")))
    monkeypatch.setitem(TARGETS, "plain", MODULE)
    found: list[tuple[str, object]] = importlib.import_module(MODULE).RUNS
    found.clear()
    yield found
    found.clear()


def module_in(path: Path) -> Any:
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_calls(runs: list[tuple[str, object]], write: Write) -> None:  # noqa: F811
    model: Any = module_in(write("model.py", MODEL))
    a = np.arange(4.0)
    with somd.use(target="plain", workers=3, device="the one"):
        assert model.scale(a, 2.0) == 12.0 and a.tolist() == [0.0, 2.0, 4.0, 6.0]
        model.board(a)
        assert a.tolist() == [1.0] * 4
        with pytest.warns(somd.SomdFallbackWarning, match=f"runs on {DEFAULT} instead of plain: a call of a helper"):
            model.halved(a)
        assert a.tolist() == [0.5] * 4
    assert runs == [("scale", "the one"), ("board_", "the one")]  # `board` is a name of the module's own
    assert somd.targets()["plain"] is None
    assert "a[i] = a[i] * factor" in model.scale.source("plain")


def test_tools(runs: list[tuple[str, object]], somdc: Somdc, write: Write, tmp_path: Path) -> None:  # noqa: F811
    path = write("model.py", MODEL)
    out = somdc("explain", "model.py:scale").out
    assert "  plain: applies\n" in out and "order of plain\n  1 phases, one after the other" in out
    assert "plain: does not apply: a call of a helper function" in somdc("explain", "model.py:halved").out
    assert "def scale(board, a, factor):" in somdc("explain", "model.py:scale", "--stage", "plain").out

    done = somdc("translate", "model.py:scale", "--target", "plain", "-o", "out")
    assert done.status == 0 and sorted(each.name for each in Path("out").iterdir()) == [
        "scale_plain.py",
        "scale_plain.txt",
    ]
    translated: Any = module_in(Path("out/scale_plain.py"))
    assert translated.scale(np.ones(3), 2.0) == 6.0 and translated.NOTES == 'Runs "in order".\n'
    assert "# scale_plain.py" in somdc("translate", "model.py:scale", "--target", "all").out

    assert "scale(float64[:], float) for plain" in somdc("build", "model.py:scale", "--target", "plain").out
    kept = [each.name for each in (tmp_path / "cache" / "plain").iterdir()]
    assert "on plain: in the cache" in somdc("cache", "why", "model.py:scale").out
    write("somd.toml", 'default = "plain"\n[plain]\ndevice = "the one"\n')
    reload_config()  # the commands have looked for one in this process
    module_in(path).scale(np.ones(3), 2.0)
    assert kept == [each.name for each in (tmp_path / "cache" / "plain").iterdir()], "not found in the cache"
    assert runs == [("scale", None), ("scale", "the one")]
    assert "modules of plain Python" in somdc("cache").out and "  plain " in somdc("cache", "list").out
    assert "target   plain" in somdc("config").out

    out = somdc("devices").out
    assert "  plain       can be used; chosen by" in out and "Plain devices\n  board  the one  doubles" in out
    assert (
        "  plain     1, 2 workers: agrees"
        in somdc("verify", "model.py:scale", "--target", "plain", "--workers", "1,2").out
    )
    told = somdc("translate", "model.py", "--target", "plane")
    assert told.status == 2 and "'plane' is not one of 'multicore', 'opencl', 'plain', 'all'" in told.err
    somdc("cache", "clear")
    assert not (tmp_path / "cache" / "plain").exists()


def test_only_the_rooms_of_a_target_know_it() -> None:
    """Elsewhere no text is its name, and nothing of it is imported, but to tell a type."""
    found = []
    for path in sorted(ROOT.rglob("*.py")):
        place = path.relative_to(ROOT)
        if {"backends", *TARGETS}.intersection(place.parts) or place == Path("settings/targets.py"):
            continue
        nodes = [*ast.walk(ast.parse(path.read_text(encoding="utf-8")))]
        types = [node for node in nodes if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"]
        for_types = {id(each) for node in types for each in ast.walk(node)}
        for node in nodes:
            if isinstance(node, ast.Constant) and node.value in (SEQUENTIAL, *TARGETS):
                found.append(f"{place}: {node.value}")
            if isinstance(node, ast.ImportFrom) and node.module and id(node) not in for_types:
                names = {*node.module.split("."), *(alias.name for alias in node.names)}
                if names & {"backends", *TARGETS}:
                    found.append(f"{place}: from {node.module}")
    assert found == ["transforms/frontend/reached.py: sequential"]  # the attribute of methods
