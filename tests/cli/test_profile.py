"""`somdc profile`."""

from __future__ import annotations

import json
from pathlib import Path

from tests.cli.conftest import ADD, Somdc, Write

SCRIPT = ADD + "\nimport sys\nprint(add(np.ones(5), np.ones(5)), sys.argv[1:])\n"


def test_a_script(somdc: Somdc, write: Write, tmp_path: Path) -> None:
    write("model.py", SCRIPT)
    done = somdc("profile", "--json", "p.json", "--html", "p.html", "model.py", "--steps", "3")
    assert done.status == 0 and done.out == "[2. 2. 2. 2. 2.] ['--steps', '3']\n"
    assert "add (model.py:" in done.err and "phase 1" in done.err
    assert json.loads((tmp_path / "p.json").read_text())["methods"][0]["calls"] == 1
    assert (tmp_path / "p.html").read_text().startswith("<!doctype html>")


def test_the_status_of_the_script(somdc: Somdc, write: Write) -> None:
    write("model.py", SCRIPT + "sys.exit(3)\n")
    done = somdc("profile", "model.py")
    assert done.status == 3 and "add (model.py:" in done.err
    assert somdc("profile", "nowhere.py").status == 2
    assert somdc("profile", "--html", "no/p.html", "model.py").status == 2
