"""What CONTRIBUTING.md and the page on the architecture say where things are: it is so, and nothing is left out."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PLACES = (ROOT, ROOT / "somd", ROOT / "somd" / "transforms", ROOT / "tests" / "transforms" / "passes", ROOT / "docs")
ARCHITECTURE = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
CONTRIBUTING = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")


def rooms(folder: Path) -> set[str]:
    return {each.name for each in folder.iterdir() if (each / "__init__.py").exists()}


def test_the_page_names_every_room() -> None:
    first, second = re.findall(r"\n\n\| package \|.*?\n\n", ARCHITECTURE, re.DOTALL)
    for table, folder in ((first, ROOT / "somd"), (second, ROOT / "somd" / "transforms")):
        named = {
            name for row in table.splitlines() for name in re.findall(r"`(\w+)`", row.split("|")[1] if row else "")
        }
        assert named - {"notebook", "errors", "syntax"} == rooms(folder) - (
            {"tree"} if folder.name == "transforms" else set()
        )


@pytest.mark.parametrize("text", [ARCHITECTURE, CONTRIBUTING], ids=["architecture", "contributing"])
def test_the_files_that_are_named_are_there(text: str) -> None:
    names = set(re.findall(r"`((?:[\w.]+/)*[\w.]+(?:\.py|\.md|\.toml|/))`", text))
    assert len(names) > 10
    files = {each.name for each in (ROOT / "somd").rglob("*.py")}
    missing = {name for name in names - files if not any((place / name).exists() for place in PLACES)}
    # files of the reader's, of the cache, and those that a recipe makes
    made = {name for name in missing if re.match(r"(input|prog)\.py$|multicore/$|opencl/|checked/|site/$", name)}
    assert missing - made == set()


def test_each_recipe_has_a_test_that_follows_it() -> None:
    """Those that ask where something goes."""
    recipes = dict(re.findall(r"^## (Add .*?)$(.*?)(?=^## |\Z)", CONTRIBUTING, re.MULTILINE | re.DOTALL))
    for title in (
        "a diagnostic",
        "an optimisation",
        "a reduction operator",
        "an elementary function",
        "a function of NumPy for arrays",
        "a target",
    ):
        tests = re.findall(r"tests/[\w/]+\.py", recipes[f"Add {title}"])
        assert tests, title
        assert all((ROOT / each).exists() for each in tests), title
