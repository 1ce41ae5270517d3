"""What a translated module must hold of the user's own file, as text.

Only methods whose annotations or fences call something at run time need it: a partitioner of the user's, a function
that reduces, the method itself for `reduce("self")`. In: such a function. Out: the text of a function that makes
it without the user's file, so that no name of the user's meets one of the generated code.
"""

from __future__ import annotations

import ast
import inspect
import sys
import textwrap
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from types import FunctionType, ModuleType

from somd.capture.annotations import namespace_of
from somd.capture.indentation import at_the_margin
from somd.capture.source_text import NoSource, source_of
from somd.errors import SomdError
from somd.syntax import module_of

_PLAIN = (bool, int, float, complex, str, bytes, type(None))


class NotWritable(SomdError):
    """A value that a function needs has no text."""

    @classmethod
    def of(cls, name: str, value: object) -> NotWritable:
        """For a value that the function calls `name`."""
        return cls(f"`{name}`, of type `{type(value).__name__}`, cannot be written into a module")


@dataclass
class WrittenOut:
    """Imports and definitions, each once."""

    imports: dict[str, None] = field(default_factory=dict)
    definitions: dict[str, str] = field(default_factory=dict)

    def maker(self, name: str, made: str) -> str:
        """The text of a function `name` that returns what the definitions call `made`."""
        says = f'"""`{made}` as its author wrote it, with what a call needs of its file."""'
        parts = [says, *sorted(self.imports), *(f"\n{text}\n" for text in self.definitions.values()), f"return {made}"]
        return f"def {name}():\n" + textwrap.indent("\n".join(parts), "    ")

    def function(self, function: FunctionType, name: str) -> None:
        """Add a function under a name, with all that it needs.

        Raises:
            NotWritable: it needs a value that has no text.
        """
        self._add(name, function, namespace_of(function))

    def _add(self, name: str, what: FunctionType | type, names: Mapping[str, object]) -> None:
        if name in self.definitions:
            return
        node, text = _definition(what)
        own = _bound(node)
        self.definitions[name] = ""  # it may name itself
        for free in dict.fromkeys(_free(node)):
            if free in names and free not in own:
                self.value(free, names[free])
        del self.definitions[name]
        self.definitions[name] = text if node.name == name else f"{text}\n{name} = {node.name}"

    def value(self, name: str, value: object) -> None:
        """Add a value under a name, with all that it needs."""
        if name in self.definitions or getattr(value, "__module__", "") == "builtins":
            return
        plain = getattr(value, "somd_function", value)
        if isinstance(value, ModuleType):
            self.imports[f"import {value.__name__}" + ("" if value.__name__ == name else f" as {name}")] = None
        elif (found := _importable(name, value)) is not None:
            self.imports[found] = None
        elif isinstance(plain, FunctionType):
            self.function(plain, name)
        elif isinstance(plain, type):
            self._class(name, plain)
        elif isinstance(plain, _PLAIN) or _plain_tuple(plain):
            self.definitions[name] = f"{name} = {plain!r}"
        elif type(plain).__module__ == "somd.language.partitioners":
            self.imports[f"from somd import {type(plain).__name__}"] = None
            self.definitions[name] = f"{name} = {plain!r}"
        else:
            raise NotWritable.of(name, value)

    def _class(self, name: str, kind: type) -> None:
        module = sys.modules.get(kind.__module__)
        first = next((f for f in vars(kind).values() if isinstance(f, FunctionType)), None)
        self._add(name, kind, first.__globals__ if first is not None else vars(module) if module is not None else {})


def _definition(what: FunctionType | type) -> tuple[ast.FunctionDef | ast.ClassDef, str]:
    """The definition of a function or class without its decorators, comments kept."""
    try:
        lines = source_of(what).lines if isinstance(what, FunctionType) else inspect.getsourcelines(what)[0]
        text = at_the_margin(lines)
        node = module_of(text).body[0]
    except (OSError, TypeError, SyntaxError, NoSource):
        raise NotWritable.of(what.__name__, what) from None
    if not isinstance(node, ast.FunctionDef | ast.ClassDef):
        raise NotWritable.of(what.__name__, what)
    decorated, node.decorator_list = node.decorator_list, [] if isinstance(what, FunctionType) else node.decorator_list
    first = node.lineno if decorated and isinstance(what, FunctionType) else 1
    return node, "\n".join(text.splitlines()[first - 1 :]).rstrip()


def _free(node: ast.AST) -> Iterator[str]:
    for inner in ast.walk(node):
        if isinstance(inner, ast.Name) and isinstance(inner.ctx, ast.Load):
            yield inner.id


def _bound(node: ast.FunctionDef | ast.ClassDef) -> set[str]:
    """The names that the body itself binds."""
    stored = {n.id for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
    return stored | {n.arg for n in ast.walk(node) if isinstance(n, ast.arg)} | {node.name}


def _importable(name: str, value: object) -> str | None:
    """The import of a value of an installed module, under `name`."""
    places = [getattr(value, "__module__", None), type(value).__module__]
    for place in ("somd", *places):  # aliases, as `dist` is, do not tell where they come from
        module = sys.modules.get(place or "")
        if module is None or not _installed(module):
            continue
        for own in dict.fromkeys((getattr(value, "__qualname__", name), getattr(value, "_name", name), name)):
            if isinstance(own, str) and vars(module).get(own, _MISSING) is value:
                return f"from {module.__name__} import {own}" + ("" if own == name else f" as {name}")
    return None


_MISSING = object()


def _installed(module: ModuleType) -> bool:
    from somd.sources.excerpt.places import installed

    return installed(getattr(module, "__file__", None) or "<built in>")


def _plain_tuple(value: object) -> bool:
    return isinstance(value, tuple) and all(isinstance(v, _PLAIN) or _plain_tuple(v) for v in value)
