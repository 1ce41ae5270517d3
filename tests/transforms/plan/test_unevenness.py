"""Stretches of a constant length are equal work: a part gets the same of them in each phase, and finds them cached."""

from __future__ import annotations

import libcst as cst
import pytest

from somd.transforms.plan.unevenness import is_stretch
from somd.transforms.tree.loops import range_of


@pytest.mark.parametrize(
    ("limits", "is_one"),
    [
        ("b * 8, b * 8 + 8", True),
        ("b * 8, min(b * 8 + 8, n)", True),
        ("max(at + b * 8, first), min(at + b * 8 + 8, n)", True),
        ("max(b * 8, first), n", False),
        ("max(b * 8, first), min(b * 4 + 8, n)", False),
        ("b, n", False),
        ("b * 8, b * 8 + m", False),
    ],
)
def test_stretches_have_one_length_but_for_what_is_beyond_two_ends(limits: str, is_one: bool) -> None:
    header = range_of(cst.ensure_type(cst.parse_statement(f"for i in range({limits}):\n    pass\n"), cst.For))
    assert header is not None
    assert is_stretch(header) == is_one
