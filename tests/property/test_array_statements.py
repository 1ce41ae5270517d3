"""A few random programs of array statements; `python -m tests.property.array_statements` runs any number."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.property.array_statements import program


@pytest.mark.parametrize("number", [2000, 2001, 2003, 2004, 2005, 2007, 2002])
def test_random_statements_on_the_plan(number: int, tmp_path: Path) -> None:
    text, told = program(number, 4, tmp_path, "plan")
    assert not told, f"{text}\n{told}"


@pytest.mark.parametrize("number", [2009])
def test_random_statements_on_threads(number: int, tmp_path: Path) -> None:
    text, told = program(number, 3, tmp_path, "multicore")
    assert not told, f"{text}\n{told}"
