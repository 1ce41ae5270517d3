"""Programs of methods, for tests."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields, is_dataclass, replace
from types import FunctionType
from typing import Any

from somd.arguments.signatures import describe
from somd.transforms.loops.plan_to_loops import plan_to_loops
from somd.transforms.loops.program import Program
from somd.transforms.pipeline import Compiled, compile_for
from somd.transforms.signature_text import parse_type


def compiled(function: Callable[..., Any], *arguments: object) -> Compiled:
    """The plan and types of a function for arguments like these."""
    assert isinstance(function, FunctionType)
    names = function.__code__.co_varnames
    types = {name: parse_type(describe(value)) for name, value in zip(names, arguments, strict=False)}
    return compile_for(function, types, {})


def program_of(function: Callable[..., Any], *arguments: object) -> Program:
    """The program of a function for arguments like these."""
    made = compiled(function, *arguments)
    return plan_to_loops(made.plan, made.types)


def changed(node: Any, change: Callable[[Any], Any]) -> Any:
    """A tree in which `change` has put other nodes in place of some: what it gives None for stays, and its parts are
    looked at."""
    made = change(node)
    if made is not None:
        return made
    if isinstance(node, tuple):
        entries = tuple(changed(each, change) for each in node)
        return node if all(new is old for new, old in zip(entries, node, strict=True)) else entries
    if not is_dataclass(node) or not type(node).__module__.startswith("somd.transforms.loops"):
        return node
    parts = {f.name: getattr(node, f.name) for f in fields(node) if f.name != "origin"}
    others = {name: changed(part, change) for name, part in parts.items()}
    different = {name: part for name, part in others.items() if part is not parts[name]}
    return replace(node, **different) if different else node
