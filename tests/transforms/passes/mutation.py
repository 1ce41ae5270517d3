"""Mutation tests of passes: with a bug in it, a pass is caught by `verify` or by validation over a few programs."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from unittest.mock import patch

import numpy as np

from somd.arguments.signatures import describe
from somd.transforms.loops.program import Program
from somd.transforms.passes import Pass
from tests.transforms.passes.shown import program_of_text
from tests.transforms.passes.validation import Run, validated


@dataclass(frozen=True)
class Bug:
    """What stands in the place of an attribute: of a module of the pass, or of a class in it."""

    name: str
    owner: Any
    attribute: str
    value: Any

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True)
class Case:
    """A program or the text of one, with arguments for it."""

    origin: Program | str
    given: Mapping[str, Any]

    @functools.cached_property
    def program(self) -> Program:
        """Of a text, made when it is first asked for: whoever collects tests only counts cases."""
        if isinstance(self.origin, Program):
            return self.origin
        return program_of_text(self.origin, **{name: describe(value) for name, value in self.given.items()})


def case(text: str, **given: Any) -> Case:
    """The program of a text, for these arguments."""
    return Case(text, given)


def validate(step: Pass, cases: Sequence[Case]) -> int:
    """Validate the pass over all cases; how many it changes."""
    return sum(validated(each.program, step, [Run(each.given)]) is not each.program for each in cases)


def is_caught(bug: Bug, step: Pass, cases: Callable[[], Sequence[Case]]) -> bool:
    """Whether the pass with the bug does not come through."""
    programs = cases()
    with patch.object(bug.owner, bug.attribute, bug.value), np.errstate(all="ignore"):
        try:
            validate(step, programs)
        except AssertionError:
            return True
    return False
