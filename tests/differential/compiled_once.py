"""Lets targets, plans and choices of programs, which compile a method alike up to its plan, share what is compiled.

The key is that of the cache, a hash of all that generated code depends on, with the types of the arguments.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import FunctionType
from typing import Any

import pytest

from somd.cache.keys import source_key
from somd.capture.reach import Reach
from somd.sources import verifying
from somd.transforms import pipeline
from somd.transforms.pipeline import Compiled, compile_for, module_text
from somd.transforms.types.scalars import Type

#: as many are kept: those of one program
_MOST = 8
_kept: dict[tuple[Any, ...], Compiled] = {}
#: what was generated of those, by target
_texts: dict[tuple[int, str], tuple[Compiled, str]] = {}


def patch(monkeypatch: pytest.MonkeyPatch) -> None:
    """During a test, do not compile again what was compiled a moment ago."""
    for module in (pipeline, verifying):
        monkeypatch.setattr(module, "compile_for", _compile_for)
    monkeypatch.setattr(pipeline, "module_text", _module_text)


def _compile_for(
    function: FunctionType, arguments: Mapping[str, Type], aliases: Mapping[str, str], found: Reach | None = None
) -> Compiled:
    source = None if found is None else source_key(function, found)
    if source is None:
        return compile_for(function, arguments, aliases, found)
    key = (function, source, tuple(arguments.items()), tuple(aliases.items()))
    if key not in _kept:
        made = compile_for(function, arguments, aliases, found)
        while len(_kept) >= _MOST:
            del _kept[next(iter(_kept))]
        _kept[key] = made
    return _kept[key]


def _module_text(compiled: Compiled, target: str, profiled: bool = False) -> str:
    if profiled:
        return module_text(compiled, target, profiled)
    key = (id(compiled), target)
    if key not in _texts:
        made = module_text(compiled, target)
        while len(_texts) >= _MOST:
            del _texts[next(iter(_texts))]
        _texts[key] = compiled, made  # which stays as long, so that no other one gets its number
    return _texts[key][1]
