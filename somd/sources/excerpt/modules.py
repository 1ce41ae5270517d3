"""The user's modules, run so far as they are selected.

In: a file's `Source`. Out: its module, and those of the user's other files that it imports, in which names stand for
values or for `NotRun`. Installed packages are imported as ever.
"""

from __future__ import annotations

import ast
import importlib
import sys
import warnings
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from importlib.machinery import ModuleSpec
from types import CodeType, ModuleType
from typing import Any

from somd.capture.attributes import MISSING, NotRun
from somd.sources.excerpt.allowed import is_shared
from somd.sources.excerpt.changes import note_changes, note_touched
from somd.sources.excerpt.expressions import Expressions
from somd.sources.excerpt.places import Places
from somd.sources.excerpt.scope import Refused, Scope, Unit
from somd.sources.excerpt.selection import Selection, Source, is_main_guard
from somd.sources.excerpt.statements import Statements
from somd.syntax import expression_of


class Program(Statements):
    """One file with all that it imports of the user's.

    Attributes:
        modules: the user's modules by their full names.
    """

    def __init__(self, places: Places, main: Source, wanted: Iterable[str]) -> None:
        super().__init__()
        self.places = places
        self.main = main
        self.selection = Selection(places, main, wanted)
        self.modules: dict[str, ModuleType] = {}

    def run_main(self, module: ModuleType) -> None:
        """Run what is selected of the file.

        Raises:
            BaseException: what Python raises.
        """
        with self._visible():
            if self.main.package and self.main.package != self.main.name:
                self._module(self.main.package)
            if self.main.name not in self.modules:
                self._run(self.main, module)
            for function, scope in self.made:
                self._check_texts(function.__annotations__, scope)
            for unit in self.units.values():
                self._check_texts(unit.names.get("__annotations__", {}), Scope(unit), unit.names)
                for kind in [each for each in unit.names.values() if isinstance(each, type)]:
                    if kind.__module__ == unit.module.__name__:
                        self._check_texts(vars(kind).get("__annotations__", {}), Scope(unit))

    @contextmanager
    def _visible(self) -> Iterator[None]:
        """A block in which `sys.modules` shows the user's modules; afterwards it shows those that hid none."""
        self._hidden: dict[str, Any] = {}
        try:
            yield
        finally:
            for name, before in self._hidden.items():
                if before is not MISSING:
                    sys.modules[name] = before

    def _show(self, name: str, module: ModuleType) -> None:
        self.modules[name] = module
        self._hidden.setdefault(name, sys.modules.get(name, MISSING))
        sys.modules[name] = module

    # --- running --------------------------------------------------------------------------------------------------

    def _run(self, source: Source, module: ModuleType) -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", SyntaxWarning)
            code = compile(source.tree, source.file, "exec", dont_inherit=True)
        unit = Unit(module, source, dict(_codes(code)), source.quoted)
        self.units[module] = unit
        self._show(source.name, module)
        scope = Scope(unit)
        for k, statement in enumerate(source.statements):
            if k in source.selected:
                self.body([statement], scope)
            elif not (
                isinstance(statement, ast.Import | ast.ImportFrom)
                or is_main_guard(statement)
                or _only_prints(statement)
            ):
                note_changes(statement, unit, self.units, self.touched)
        if source is not self.main:
            note_touched(unit, self.touched)

    def _check_texts(self, annotations: Any, scope: Scope, names: dict[str, Any] | None = None) -> None:
        """Replace quoted annotations that must not be evaluated by `NotRun`, and what they are about."""
        for name, text in list(annotations.items()) if isinstance(annotations, dict) else ():
            if not isinstance(text, str):
                continue
            try:
                value: object = text
                while isinstance(value, str):
                    value = Expressions(self, Scope(scope.unit)).value(expression_of(value).body)
            except Refused as why:
                file = scope.unit.source.path.name
                left_out = NotRun(f"the annotation of `{name}` holds {why.what}, which is not run ({file})")
                annotations[name] = why.cause or left_out
                if names is not None:
                    names[name] = annotations[name]
            except Exception:  # the compiler is told the same
                continue

    # --- imports --------------------------------------------------------------------------------------------------

    def imports(self, node: ast.Import | ast.ImportFrom, scope: Scope) -> None:
        """Run an import; of the user's own modules what is selected of them."""
        if isinstance(node, ast.ImportFrom):
            self._import_from(node, scope)
            return
        for alias in node.names:
            found = self._module(alias.name)
            if alias.asname is None:
                scope.bind(alias.name.partition(".")[0], self._module(alias.name.partition(".")[0]))
            else:
                scope.bind(alias.asname, found)

    def _import_from(self, node: ast.ImportFrom, scope: Scope) -> None:
        if node.module == "__future__":
            return
        name = scope.unit.source.absolute(node)
        module = self._module(name)
        if node.names[0].name == "*":
            for each in self._public(module):
                scope.bind(each, vars(module)[each] if module in self.units else getattr(module, each))
            return
        for alias in node.names:
            scope.bind(alias.asname or alias.name, self._member(module, name, alias.name, node, scope))

    def _member(self, module: ModuleType, name: str, member: str, node: ast.stmt, scope: Scope) -> Any:
        unit = self.units.get(module)
        found = vars(module).get(member, MISSING) if unit is not None else getattr(module, member, MISSING)
        if found is MISSING and (self.places.of(name).folders is not None or unit is None):
            try:
                found = self._module(f"{name}.{member}")
            except ModuleNotFoundError as error:
                if error.name != f"{name}.{member}":
                    raise
        if found is MISSING:
            raise ImportError(f"cannot import name {member!r} from {name!r} ({module.__dict__.get('__file__')})")
        if unit is None and is_shared(found):
            place = scope.unit.place(node.lineno)
            return NotRun(f"`{member}` belongs to the installed package `{name}` and may change ({place})")
        return found

    def _public(self, module: ModuleType) -> list[str]:
        listed = vars(module).get("__all__")
        if isinstance(listed, list | tuple):
            return [each for each in listed if each in vars(module) or module not in self.units]
        return [each for each in vars(module) if not each.startswith("_")]

    def _module(self, name: str) -> ModuleType:
        """A module by its full name.

        Raises:
            ModuleNotFoundError: there is none.
            Refused: it is the user's, but no Python text.
        """
        place = self.places.of(name)
        if not place.found:
            if self.main.moves_path:
                raise Refused(f"an import of `{name}` from a folder that is added to `sys.path`")
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
        if not place.mine:
            return importlib.import_module(name)
        package, _, last = name.rpartition(".")
        around = self._module(package) if package else None
        if name not in self.modules:
            source = self.selection.source(name)
            if source is None and place.folders is None:
                raise Refused(f"an import of `{name}`, which is no Python text")
            spec = ModuleSpec(name, None, origin=str(place.path), is_package=place.folders is not None)
            spec.submodule_search_locations = None if place.folders is None else list(place.folders)
            module = _empty(spec, None if place.path is None else str(place.path))
            if source is None:
                self._show(name, module)
                self.units[module] = Unit(module, _nothing(name, self.main), {}, False)
            else:
                self._run(source, module)
        if around is not None:
            vars(around).setdefault(last, self.modules[name])
        return self.modules[name]


def _only_prints(statement: ast.stmt) -> bool:
    call = statement.value if isinstance(statement, ast.Expr) else None
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name) or call.func.id != "print":
        return False
    return sum(isinstance(node, ast.Call) for node in ast.walk(call)) == 1


def _empty(spec: ModuleSpec, file: str | None) -> ModuleType:
    module = importlib.util.module_from_spec(spec)
    if file is not None:
        module.__file__ = file
    return module


def _nothing(name: str, main: Source) -> Source:
    """The source of a folder without `__init__.py`."""
    return Source(name, main.path.parent / "__init__.py", ast.Module([], []), "<folder>")


def _codes(code: CodeType) -> Iterator[tuple[tuple[str, int], CodeType]]:
    """The code of each function by its name and first line."""
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            yield (inner.co_name, inner.co_firstlineno), inner
            yield from _codes(inner)
