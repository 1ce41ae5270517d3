"""Calls of functions of NumPy as they are, statements of their own once a method is lowered (decision 64).

In: a `Method` or `Plan`. Out: what its calls of libraries call, with their numbers in generated code.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from types import FunctionType

import libcst as cst

from somd.diagnostics.model import Position
from somd.language.library import Kind, Row
from somd.transforms.stages import Method, Plan, joined_names
from somd.transforms.tree.walking import nodes_of


@dataclass(frozen=True, eq=False)
class LibraryFunction:
    """A call of a function of NumPy's (`language/library.py`) in `function`: its text with names for its arguments,
    what these are, and what it gives, in a tuple if `several`."""

    text: str
    position: Position
    parameters: tuple[Kind, ...]
    results: tuple[Kind, ...]
    several: bool
    function: FunctionType

    @property
    def row(self) -> Row:
        """What a generated module has of it."""
        place = os.path.basename(self.position.file), self.position.line, self.function.__name__
        return self.text, self.parameters, self.results, self.several, place


def library_function(node: cst.CSTNode, method: Method) -> LibraryFunction | None:
    """What a call of a library calls; None for all other nodes."""
    name = node.func.value if isinstance(node, cst.Call) and isinstance(node.func, cst.Name) else ""
    found = None if name in method.local_names else method.namespace.get(name)
    return found if isinstance(found, LibraryFunction) else None


def library_numbers(plan: Plan) -> Mapping[LibraryFunction, int]:
    """The library calls of a plan, in order, with their numbers in generated code, behind those of `joined_names`."""
    found = (library_function(node, plan.method) for node in nodes_of(plan.method.function.body, cst.Call))
    first = len(joined_names(plan))
    return {each: first + k for k, each in enumerate(dict.fromkeys(f for f in found if f is not None))}
