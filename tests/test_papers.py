"""The page on programs of other systems tells of each of them, with the lines that it has; the corpus runs them all."""

from __future__ import annotations

import ast
import importlib
import re
from pathlib import Path

from somd import SomdMethod
from tests.language import papers

ROOT = Path(__file__).parents[1]
FILES = sorted((ROOT / "examples" / "papers").glob("*.py"))


def lines_of(file: Path) -> int:
    """How many lines its functions have, without empty ones."""
    text = file.read_text(encoding="utf-8")
    lines, found = text.splitlines(), 0
    for node in ast.parse(text).body:
        if isinstance(node, ast.FunctionDef):
            first = min([node.lineno, *(each.lineno for each in node.decorator_list)])
            found += sum(bool(line.strip()) for line in lines[first - 1 : node.end_lineno])
    return found


def test_the_page_has_each_program_with_its_lines() -> None:
    page = (ROOT / "docs" / "papers.md").read_text(encoding="utf-8")
    told = set(re.findall(r"(\d+) `(\w+)`", page))
    assert told == {(str(lines_of(file)), file.stem) for file in FILES}
    assert len(FILES) >= 20


def test_the_corpus_runs_each_method() -> None:
    run = {method for method, _, _ in papers.PROGRAMS}
    for file in FILES:
        found = vars(importlib.import_module(f"examples.papers.{file.stem}")).values()
        left = [each for each in found if isinstance(each, SomdMethod) and each not in run]
        assert not left or file.stem == "diffusion"  # one of its methods calls the other
