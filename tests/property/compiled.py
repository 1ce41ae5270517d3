"""Generated programs through a compiled target, compared with plain Python for several numbers of workers."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import Any

import somd
from somd.errors import SomdCompileError, SomdFallbackWarning
from tests.property.programs import program
from tests.property.running import SIZES, arguments_of, differences, function_of, outcome

WORKERS = (1, 3, 7)


def mismatches(number: int, target: str) -> list[str] | None:
    """How the program differs on `target` from plain Python; None if it is refused, or the target cannot run it."""
    made = program(number)
    function = function_of(made)
    try:
        method = somd.somd(function)
        return list(_compared(made, function, method, target))
    except (SomdCompileError, SomdFallbackWarning):
        return None


def _compared(made: Any, function: Any, method: Any, target: str) -> Iterator[str]:
    for size in range(len(SIZES)):
        given = arguments_of(made, size)
        wanted = outcome(lambda own: function(**own), given)
        for workers in WORKERS if size < 3 else WORKERS[1:2]:
            with warnings.catch_warnings(), somd.use(target=target, workers=workers, small_work=0):
                warnings.simplefilter("error", SomdFallbackWarning)
                found = outcome(lambda own: method(**own), given)
            for difference in differences(wanted, found, made.inexact):
                yield f"size {SIZES[size]}, {workers} workers: {difference}"
