"""A few random programs of array statements; `python -m tests.property.array_statements` runs any number."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.property.array_statements import program


def check_the_next(number: int, folder: Path, target: str) -> None:
    """Check the first program from `number` on that is taken."""
    for each in range(number, number + 20):
        text, told = program(each, 4, folder, target)
        if not told.startswith("refused"):
            assert not told, f"{text}\n{told}"
            return
    raise AssertionError("twenty programs are refused")


@pytest.mark.parametrize("number", range(2000, 2100, 20))
def test_random_statements_on_the_plan(number: int, tmp_path: Path) -> None:
    check_the_next(number, tmp_path, "plan")


@pytest.mark.parametrize("number", [2340, *([2200] if os.environ.get("SOMD_ALL_CASES") else [])])
def test_random_statements_on_threads(number: int, tmp_path: Path) -> None:
    check_the_next(number, tmp_path, "multicore")
