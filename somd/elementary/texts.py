"""The functions of this room as syntax trees, for those who write them in another language.

In: a function of float64 and int64, or of float32 and int32. Out: its tree, the types of its parameters and of its
result, and what the free names in it are: numbers, tables (tuples of numbers) and other functions of the room.
"""

from __future__ import annotations

import ast
import functools
import inspect
import textwrap
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from somd.elementary import primitives
from somd.syntax import module_of

#: operations, which are no functions of the room
PRIMITIVES = frozenset(("fma", "bits_of", "float_of", "nearest", "root", "copysign", "polynomial", "row_polynomial"))
BUILTINS = frozenset(("abs", "float", "int"))


@dataclass(frozen=True)
class Text:
    """`parts` is how many float64 the result is; parameters are `float` or `int`."""

    function: Callable[..., Any]
    tree: ast.FunctionDef
    parameters: tuple[tuple[str, str], ...]
    parts: int
    result: str

    @property
    def name(self) -> str:
        return self.function.__name__

    @property
    def is_inlined(self) -> bool:
        return "inlined" in self.function.__dict__

    @property
    def is_single(self) -> bool:
        """Whether its floats are float32, its integers int32."""
        return "single" in self.function.__dict__

    @property
    def is_apart(self) -> bool:
        return "apart" in self.function.__dict__

    def value(self, name: str) -> Any:
        """What a free name stands for."""
        return self.function.__globals__[name]

    def called(self) -> list[Callable[..., Any]]:
        """The functions of the room that it calls, in the order of the text."""
        found = []
        for node in ast.walk(self.tree):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
                name = node.func.id
                if name not in PRIMITIVES and name not in BUILTINS:
                    found.append(self.value(name))
        return list(dict.fromkeys(found))

    def tables(self) -> list[str]:
        """The tables that it looks things up in."""
        found: dict[str, None] = {}
        for node in ast.walk(self.tree):
            looked_up = node.value if isinstance(node, ast.Subscript) else None
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "row_polynomial":
                looked_up = node.args[1]
            if isinstance(looked_up, ast.Name) and looked_up.id in self.function.__globals__:
                found[looked_up.id] = None
        return list(found)


@functools.cache
def text_of(function: Callable[..., Any]) -> Text:
    """The text of a function of the room."""
    (tree,) = module_of(textwrap.dedent(inspect.getsource(function))).body
    assert isinstance(tree, ast.FunctionDef) and tree.returns is not None
    parameters = tuple((each.arg, ast.unparse(each.annotation or each)) for each in tree.args.args)
    result = ast.unparse(tree.returns)
    return Text(function, tree, parameters, result.count("float") if result.startswith("tuple") else 0, result)


def with_called(function: Callable[..., Any]) -> list[Callable[..., Any]]:
    """A function behind all those that it needs, each once."""
    found: dict[Callable[..., Any], None] = {}

    def add(each: Callable[..., Any]) -> None:
        if each not in found:
            for other in text_of(each).called():
                add(other)
            found[each] = None

    add(function)
    return list(found)


assert set(vars(primitives)) >= PRIMITIVES
