"""What becomes of a generated program: refused, rightly or not, or accepted and compared with plain Python."""

from __future__ import annotations

import time
import traceback
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from types import FunctionType
from typing import Any
from unittest.mock import patch

from somd.errors import SomdCompileError
from somd.transforms.loops.interpret import Interpreter
from somd.transforms.loops.witness import ProgramViolation
from somd.transforms.pipeline import Compiled, compile_for, loop_program
from somd.transforms.plan import nests
from tests.property.independence import independent
from tests.property.programs import Program, program
from tests.property.running import SIZES, arguments_of, differences, function_of, outcome, types_of

#: refusals that say nothing about dependences: types, and forms outside the language
OTHER_CODES = ("SOMD1", "SOMD2", "SOMD4", "SOMD5")


@dataclass
class Judgement:
    """`verdict` is one of accepted, wrong, crash, refused (rightly), false refusal, other (types and forms)."""

    number: int
    verdict: str
    code: str = ""
    details: list[str] = field(default_factory=list)
    seconds: float = 0.0


def judge(
    number: int, seeds: tuple[int, ...] = (1, 2), brute_force: bool = True, aliased: bool = False
) -> Judgement | None:
    """Judge the program of this number in the interpreter.

    With `aliased`, one array is passed for two parameters; None where the program has no two of a kind.
    """
    made = program(number)
    aliases = aliases_of(made) if aliased else {}
    if aliased and not aliases:
        return None
    function = function_of(made)
    examples: list[Mapping[str, int]] = []
    start = time.process_time()
    try:
        with _conflicts(examples):
            compiled = compile_for(function, types_of(made), aliases)
    except SomdCompileError as error:
        seconds = time.process_time() - start
        return _refused(made, function, error, seconds, examples if brute_force and not aliased else None)
    except Exception:
        return Judgement(number, "crash", details=[traceback.format_exc()])
    seconds = time.process_time() - start
    details = list(_mismatches(made, function, compiled, seeds, aliases))
    return Judgement(number, "wrong" if details else "accepted", details=details[:3], seconds=seconds)


def aliases_of(made: Program) -> dict[str, str]:
    """Two parameters that could be the same array, as (second, first)."""
    for first, second in (("a", "b"), ("g", "h")):
        if first in made.arrays and made.arrays[first] == made.arrays.get(second):
            return {second: first}
    return {}


@contextmanager
def _conflicts(examples: list[Mapping[str, int]]) -> Iterator[None]:
    """Notes the example that isl gives for every dependence that the planner meets."""
    original = nests.find_conflict

    def noting(*arguments: Any, **options: Any) -> Any:
        found = original(*arguments, **options)
        if found is not None:
            examples.append(found.values)
        return found

    with patch.object(nests, "find_conflict", noting):
        yield


def _refused(
    made: Program,
    function: FunctionType,
    error: SomdCompileError,
    seconds: float,
    examples: list[Mapping[str, int]] | None,
) -> Judgement:
    text = [f"{d.code} {d.message}" for d in error.diagnostics]
    codes = [d.code for d in error.diagnostics]
    if any(code.startswith(OTHER_CODES) for code in codes):
        return Judgement(made.number, "other", codes[0], text, seconds)
    false = examples is not None and not made.carried and independent(made, function, examples)
    return Judgement(made.number, "false refusal" if false else "refused", codes[0], text, seconds)


def _mismatches(
    made: Program, function: FunctionType, compiled: Compiled, seeds: tuple[int, ...], aliases: Mapping[str, str]
) -> Iterator[str]:
    interpreter = Interpreter(loop_program(compiled))
    for size in range(len(SIZES)):
        given = arguments_of(made, size)
        given |= {name: given[first] for name, first in aliases.items()}
        wanted = outcome(lambda own: function(**own), given)
        for seed in seeds:
            try:
                found = outcome(lambda own, seed=seed: interpreter.run(own, seed), given)  # type: ignore[misc]
            except ProgramViolation as error:
                yield f"size {SIZES[size]}: {error}"
                continue
            for difference in differences(wanted, found, made.inexact):
                yield f"size {SIZES[size]}: {difference}"
