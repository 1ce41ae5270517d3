"""A refusal as Python, IPython and pytest show it: the user's lines and the message, no frame of somd's."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import somd
from somd.diagnostics import refusals
from tests.usual import ALL

ROOT = Path(__file__).parents[2]
AT_A_CALL = """
import numpy as np
from somd import dist, somd

@somd
def roots(a: dist[np.ndarray]):
    for i in range(len(a)):
        print(a[i])

def test_main():
    roots(np.ones(3))

if __name__ == "__main__":
    test_main()
"""
AT_DECORATION = """
import numpy as np
from somd import dist, somd

@somd
def sums(a: dist[np.ndarray]):
    for i in range(1, len(a)):
        a[i] = a[i - 1] + 1.0
"""
OF_THE_SETTINGS = """
import numpy as np
import somd

with somd.use(target="nowhere"):
    pass
"""
OF_AN_ACCESS = """
import numpy as np
from somd import dist, somd

@somd
def shifted(a: dist[np.ndarray], b: dist[np.ndarray]):
    for i in range(len(a)):
        a[i] = b[i + 1]
    b[a > 0] = 1.0

def test_main():
    shifted(np.ones(3), np.ones(3))

if __name__ == "__main__":
    test_main()
"""
PYTEST = ["-m", "pytest", "-p", "no:cacheprovider", "-q"]
IPYTHON = ["-m", "IPython", "--no-banner", "--colors=NoColor"]


def shown(how: list[str], text: str, tmp_path: Path, **environment: str) -> str:
    (tmp_path / "test_model.py").write_text(text)
    settings = {"PYTHONPATH": str(ROOT), "IPYTHONDIR": str(tmp_path), **environment}
    done = subprocess.run(
        [sys.executable, *how, "test_model.py"],
        cwd=tmp_path,
        env={**os.environ, **settings},
        capture_output=True,
        text=True,
    )
    assert done.returncode != 0
    return done.stdout + done.stderr


@pytest.mark.parametrize("how", [[], IPYTHON], ids=["python", "ipython"])
@pytest.mark.parametrize("text", [AT_A_CALL, AT_DECORATION, OF_THE_SETTINGS], ids=["call", "decoration", "settings"])
@pytest.mark.usual(3)
def test_no_frame_of_ours(how: list[str], text: str, tmp_path: Path) -> None:
    if how == IPYTHON:
        pytest.importorskip("IPython")
        if text is not AT_A_CALL and not ALL:
            pytest.skip("shown as at a call: SOMD_ALL_CASES=1")
    found = shown(how, text, tmp_path)
    assert str(ROOT / "somd") not in found and "somd/calls" not in found
    assert "test_model.py" in found and re.search(r"error\[SOMD\d+\]", found)
    assert "more: somdc explain SOMD" in found and "\x1b" not in found
    if text is AT_A_CALL:
        assert "roots(np.ones(3))" in found


def test_no_frame_of_ours_in_reports_of_pytest(tmp_path: Path) -> None:
    """Each in a file of its own, in one run."""
    others = {"test_decoration.py": AT_DECORATION, "test_settings.py": OF_THE_SETTINGS}
    for name, text in others.items():
        (tmp_path / name).write_text(text)
    found = shown([*PYTEST, "--continue-on-collection-errors", *others], AT_A_CALL, tmp_path)
    assert str(ROOT / "somd") not in found and "somd/calls" not in found and "\x1b" not in found
    reports = re.split(r"^_+ (?:ERROR collecting )?(test_\w+)(?:\.py)? _+$", found, flags=re.MULTILINE)
    assert sorted(reports[1::2]) == ["test_decoration", "test_main", "test_settings"], found
    for name, report in zip(reports[1::2], reports[2::2], strict=True):
        assert re.search(r"error\[SOMD\d+\]", report) and "more: somdc explain SOMD" in report, report
        assert ("test_model.py" if name == "test_main" else f"{name}.py") in report
    assert "roots(np.ones(3))" in found


@pytest.mark.parametrize("how", [[], PYTEST, IPYTHON], ids=["python", "pytest", "ipython"])
@pytest.mark.usual(3)
def test_an_index_error_and_wrong_arguments_show_no_frame_of_ours(how: list[str], tmp_path: Path) -> None:
    if how == IPYTHON:
        pytest.importorskip("IPython")
    found = shown(how, OF_AN_ACCESS, tmp_path)
    assert str(ROOT / "somd") not in found and "somd/calls" not in found and "somd/runtime" not in found
    assert "shifted(np.ones(3), np.ones(3))" in found
    assert "IndexError: index 3 of `b[i + 1]` is out of bounds for axis 0 of `b` with size 3" in found
    if how == IPYTHON:
        return
    found = shown(how, OF_AN_ACCESS.replace("(np.ones(3), np.ones(3))", "(np.ones(2), np.ones(3))"), tmp_path)
    assert str(ROOT / "somd") not in found and "somd/calls" not in found and "somd/runtime" not in found
    assert "b[a > 0] = 1.0" in found and "IndexError: boolean index did not match" in found
    found = shown(how, OF_AN_ACCESS.replace("(np.ones(3), np.ones(3))", "(np.ones(3))"), tmp_path)
    assert str(ROOT / "somd") not in found and "inspect.py" not in found
    assert "TypeError: shifted(): missing a required argument: 'b'" in found


@pytest.mark.usual(0)
def test_colours_where_a_terminal_takes_them(tmp_path: Path) -> None:
    assert "\x1b[1;31merror[SOMD301]:" in shown([], AT_DECORATION, tmp_path, FORCE_COLOR="1")
    assert "\x1b" not in shown([], AT_DECORATION, tmp_path, FORCE_COLOR="1", NO_COLOR="1")


@pytest.mark.usual(0)
def test_the_hook_of_another_stays(tmp_path: Path) -> None:
    other = "import sys\nsys.excepthook = lambda *what: print('mine')\n"
    assert shown([], other + AT_DECORATION, tmp_path) == "mine\n"


def test_colours_are_for_the_terminal_alone(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.delenv("NO_COLOR", raising=False)
    error = somd.SomdConfigError("bad value", code="SOMD604")
    refusals._shown(type(error), error, None)
    assert "\x1b[1;31merror[SOMD604]:" in capsys.readouterr().err
    assert "\x1b" not in str(error)
