"""The picture of a plan: every golden method has one, well formed, with its phases, parts, views and requirements."""

from __future__ import annotations

import runpy
import warnings
from pathlib import Path
from xml.etree import ElementTree

import pytest

from somd.calls.method import SomdMethod

GOLDEN = Path(__file__).parents[2] / "golden"
METHODS = sorted(path.parent.name for path in GOLDEN.glob("*/input.py"))


def explained(name: str) -> str:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = runpy.run_path(str(GOLDEN / name / "input.py"))
    method = next(each for each in found.values() if isinstance(each, SomdMethod))
    shown = method.explain()
    assert shown.page().count("<svg") == shown.picture.count("<svg")
    return shown.picture


@pytest.mark.parametrize("name", METHODS)
def test_every_plan_has_a_picture(name: str) -> None:
    picture = explained(name)
    assert "<script" not in picture and "<b>phase " in picture
    ElementTree.fromstring(picture)


def test_parts_views_and_fences() -> None:
    picture = explained("smooth")
    assert "thread 1 reads 1 before its part, 1 behind" in picture and "fence: every thread waits" in picture
    assert "by all threads together: <code>for t in range(steps)</code>" in picture
    assert picture.count("<title>thread 3</title>") == 2


def test_requirements_and_tests() -> None:
    assert "<code>b</code> needs as many elements as <code>a</code>" in explained("vector_add")
    picture = explained("gather")
    assert "any part of it, by every thread" in picture and "<code>x[index[i]]</code> is tested" in picture
    assert "a copy for each thread; the fence combines them" in explained("histogram")
