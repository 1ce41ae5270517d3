"""Which cases the usual run takes of what is marked: never all, never none, and all of those for a GPU."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, cast

import pytest

from tests.usual import of_usual_run


class Case:
    """What is asked of a test."""

    def __init__(self, nodeid: str, *marks: int) -> None:
        self.nodeid, self.marks = nodeid, marks

    def iter_markers(self, name: str) -> list[Any]:
        assert name == "usual"
        return [getattr(pytest.mark, name)(each).mark for each in self.marks]


def taken(cases: Iterable[Case]) -> list[str]:
    found = of_usual_run(cast("Iterable[pytest.Item]", cases))
    return [item.nodeid for item, usual in found if usual]


def test_one_case_in_n_is_taken() -> None:
    firsts = set()
    for name in "abcdefgh":
        kept = taken(Case(f"test_x.py::{name}[{k}]", 3) for k in range(9))
        assert len(kept) == 3
        firsts.add(kept[0][-2])
        assert len(taken(Case(f"test_x.py::{name}[{k}]", 3) for k in range(2))) == 1
    assert firsts == set("012")


def test_all_of_a_gpu_and_of_what_has_no_mark_are_taken() -> None:
    names = ["test_x.py::f[gpu-1]", "test_x.py::f[gpu-2]"]
    assert taken(Case(name, 3) for name in [*names, "test_x.py::f[a]", "test_x.py::f[b]"])[:2] == names
    assert taken(Case(f"test_x.py::f[{k}]") for k in range(5)) == [f"test_x.py::f[{k}]" for k in range(5)]


def test_what_is_of_no_usual_run_is_not_taken() -> None:
    assert taken([Case("test_x.py::f", 0), Case("test_x.py::g[1]", 0), Case("test_x.py::h", 1)]) == ["test_x.py::h"]
    assert taken(Case(f"test_x.py::f[{k}]", *((3, 0) if k < 3 else (3,))) for k in range(3)) == []
