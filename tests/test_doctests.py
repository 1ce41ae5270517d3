"""Runs the examples in the docstrings of all modules of `somd`."""

import doctest
import importlib
from pathlib import Path

import pytest

from tests.transforms.passes.shown import before_and_after

ROOT = Path(__file__).parent.parent
#: whose examples show what passes make of programs
PASSES = "somd.transforms.passes."
MODULES = sorted(
    ".".join(path.relative_to(ROOT).with_suffix("").parts)
    for path in (ROOT / "somd").rglob("*.py")
    if ">>> " in path.read_text(encoding="utf-8")
)


@pytest.mark.parametrize("name", MODULES)
def test_docstring_examples(name: str) -> None:
    given = {"before_and_after": before_and_after} if name.startswith(PASSES) else None
    failed, tried = doctest.testmod(importlib.import_module(name.removesuffix(".__init__")), extraglobs=given)
    assert failed == 0 and tried > 0
