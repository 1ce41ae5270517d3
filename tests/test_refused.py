"""Programs that must not run, each in a file of its own beside the message that its user gets.

`pytest tests/test_refused.py --bless` writes the messages anew: read each of them as a user would before you keep it.
"""

from __future__ import annotations

import re
import runpy
import warnings
from pathlib import Path

import pytest

import somd

ROOT = Path(__file__).parents[1]
HERE = ROOT / "tests" / "refused"
MORE = re.compile(r"\n *= more: somdc explain (SOMD\d+)(?=\n\n|\Z)")
PROGRAMS = sorted(path.stem for path in HERE.glob("*.py"))


def message(name: str) -> str:
    """What the program raises, with its type; paths relative to the repository."""
    path = HERE / f"{name}.py"
    with warnings.catch_warnings(), somd.use(target="multicore", workers=3):
        warnings.simplefilter("ignore", SyntaxWarning)
        with pytest.raises((somd.SomdError, IndexError, ValueError)) as caught:
            runpy.run_path(str(path))
    assert not isinstance(caught.value, somd.SomdInternalError)
    text = str(caught.value).replace(f"{ROOT}/", "")
    codes = re.findall(r"^error\[(SOMD\d+)\]: ", text, re.MULTILINE)
    assert MORE.findall(text) == codes, "each message ends with the command that tells more"
    text = MORE.sub("", text)
    return f"{caught.type.__name__}\n{text}\n"


@pytest.mark.parametrize("name", PROGRAMS)
def test_message(name: str, request: pytest.FixtureRequest) -> None:
    golden = HERE / f"{name}.txt"
    found = message(name)
    if request.config.getoption("--bless"):
        golden.write_text(found, encoding="utf-8")
    assert golden.exists(), f"no {golden.name}: read the message, then run with --bless\n{found}"
    assert found == golden.read_text(encoding="utf-8")


def test_no_orphans() -> None:
    assert {path.stem for path in HERE.glob("*.txt")} <= set(PROGRAMS)
