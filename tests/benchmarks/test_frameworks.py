"""The frameworks that somd is compared with: each has all kernels; one that is not there is left out with a line."""

from __future__ import annotations

import ast
import io
from pathlib import Path

import pytest

import benchmarks.frameworks
from benchmarks.frameworks import FRAMEWORKS, Missing, apart, kernels
from benchmarks.javagrande.invalid import InvalidResult
from benchmarks.javagrande.registry import BENCHMARKS
from benchmarks.peers import installed, versions

FOLDER = Path(benchmarks.frameworks.__file__).parent


@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_a_framework_has_every_kernel(framework: str) -> None:
    tree = ast.parse((FOLDER / f"with_{framework}.py").read_text())
    (table,) = (node.value for node in tree.body if isinstance(node, ast.Assign) and _names(node) == ["KERNELS"])
    assert isinstance(table, ast.Dict)
    assert [ast.literal_eval(key) for key in table.keys if key] == [entry.module for entry in BENCHMARKS]


def test_a_framework_that_is_not_installed_is_left_out(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(FRAMEWORKS, "jax", "no_such_package")
    with pytest.raises(Missing, match=r"jax is left out: not installed .*somd\[peers\]"):
        kernels("jax")
    assert installed(["jax"]) == {}
    assert capsys.readouterr().err.count("\n") == 1


def test_what_is_left_out_is_not_compared() -> None:
    compared = versions(BENCHMARKS[0], 2, {"mine": {"crypt": print}, "other": {"sor": print}})
    assert [name for name in compared if name in ("somd", "mine", "other")] == ["somd", "mine"]


def test_a_framework_that_runs_apart_answers_line_by_line(monkeypatch: pytest.MonkeyPatch) -> None:
    def seconds(port: object, kernel: object, size: str, pause: float, clock: str) -> float:
        if size == "B":
            raise InvalidResult("off by one")
        return pause

    monkeypatch.setattr(apart, "kernels", lambda framework: {"crypt": print})
    monkeypatch.setattr(apart, "seconds", seconds)
    monkeypatch.setattr("sys.stdin", io.StringIO("Crypt A 0.5 wall\nCrypt B 0.5 cpu\n"))
    answers = io.StringIO()
    apart.serve("pyomp", answers)
    assert answers.getvalue() == "ready\n0.5\noff by one\n"


def test_a_process_that_ends_is_a_framework_left_out() -> None:
    with pytest.raises(Missing, match="its process has ended"):
        apart.Apart.start("no_such_framework")


def _names(node: ast.Assign) -> list[str]:
    return [target.id for target in node.targets if isinstance(target, ast.Name)]
