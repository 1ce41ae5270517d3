"""The recipe for a new diagnostic holds: an entry, a place that reports it, and a page; messages and tools have it."""

from __future__ import annotations

import json
from pathlib import Path

import libcst as cst
import numpy as np
import pytest

from somd import SomdCompileError, dist, somd
from somd.diagnostics.model import Collector, Diagnostic, Label
from somd.diagnostics.registry import REGISTRY, Entry, entry
from somd.transforms import pipeline
from somd.transforms.frontend.refused_calls import check_calls
from somd.transforms.stages import Method
from tests.cli.conftest import Somdc, Write, somdc, write  # noqa: F401 - fixtures

CODE = "SOMD290"
PAGE = f"""# {CODE}: endless loop

## What it means

A loop never ends.
"""
MODEL = """
    import numpy as np
    from somd import dist, somd


    @somd
    def waits(a: dist[np.ndarray]) -> None:
        for i in range(len(a)):
            while True:
                a[i] += 1.0
    """


def check_ends(method: Method, collector: Collector) -> None:
    """Reports loops that nothing ends; it stands for a check of the front end."""
    for loop in method.function.body.body:
        for inner in loop.body.body if isinstance(loop, cst.For) else ():
            if isinstance(inner, cst.While) and isinstance(inner.test, cst.Name) and inner.test.value == "True":
                label = Label(method.position(inner.test), "always true")
                collector.add(Diagnostic(CODE, "loop never ends", (label,), ("test what shall end it",)))
    check_calls(method, collector)


@pytest.fixture(autouse=True)
def _entered(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / f"{CODE}.md").write_text(PAGE)
    monkeypatch.setitem(REGISTRY, CODE, Entry("endless loop", str(tmp_path / f"{CODE}.md")))
    monkeypatch.setattr(pipeline, "check_calls", check_ends)


def test_the_message() -> None:
    def waits(a: dist[np.ndarray]) -> None:
        for i in range(len(a)):
            while True:
                a[i] += 1.0

    with pytest.raises(SomdCompileError) as caught:
        somd(waits)(np.zeros(3))
    assert caught.value.code == CODE
    lines = [line.strip() for line in str(caught.value).splitlines()]
    assert lines[0] == f"error[{CODE}]: loop never ends"
    assert any(line.endswith("while True:") for line in lines) and any("^^^^ always true" in line for line in lines)
    assert "= help: test what shall end it" in lines


def test_the_tools(somdc: Somdc, write: Write) -> None:  # noqa: F811
    write("model.py", MODEL)
    assert somdc("explain", CODE).out.strip() == PAGE.strip()
    done = somdc("check", "model.py", "--format", "json")
    (found,) = json.loads(done.out)
    assert done.status == 1 and found["code"] == CODE and "test what shall end it" in json.dumps(found)


def test_what_is_not_entered_is_not_reported() -> None:
    REGISTRY.pop(CODE)
    with pytest.raises(KeyError):
        entry(CODE)
    with pytest.raises(KeyError):
        Collector().add(Diagnostic(CODE, "loop never ends"))
