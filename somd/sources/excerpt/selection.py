"""Which top-level statements are looked at: those that bind or change a name which the methods need, directly or not.

In: a file and the names that are wanted of it. Out: a `Source` for the file and for each of the user's other files that
it imports, with the numbers of the selected statements. It reads texts alone.
"""

from __future__ import annotations

import ast
import builtins
import importlib.util
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path

from somd.sources.excerpt.names import Names, attributes_in, names_of, outside_functions
from somd.sources.excerpt.places import Places
from somd.sources.problems import FileProblem
from somd.sources.scan import Definition, read_source

#: a module and what is wanted of it
Wish = tuple[str, frozenset[str]]


@dataclass(eq=False)
class Source:
    """The text of one module of the user's, and what is selected of it.

    `lines` are those of the methods' definitions, `file` is what tracebacks call the text.
    """

    name: str
    path: Path
    tree: ast.Module
    file: str
    lines: frozenset[int] = frozenset()
    selected: set[int] = field(default_factory=set)
    wanted: set[str] = field(default_factory=set)

    @property
    def package(self) -> str:
        return self.name if self.path.name == "__init__.py" else self.name.rpartition(".")[0]

    @cached_property
    def statements(self) -> list[ast.stmt]:
        """The top-level statements, with those under `if __name__ == "__main__":` where methods are defined there."""
        return list(_flat(self.tree.body, self.lines))

    @cached_property
    def names(self) -> list[Names]:
        """Of each statement, with what the functions that it may call assign to global names."""
        found = [names_of(statement) for statement in self.statements]
        for statement, names in zip(self.statements, found, strict=True):
            if isinstance(statement, Definition | ast.ClassDef):
                self._defined.setdefault(statement.name, []).append(names)
        pairs = zip(self.statements, found, strict=True)
        return [replace(names, binds=self._bound(statement, names)) for statement, names in pairs]

    @cached_property
    def _defined(self) -> dict[str, list[Names]]:
        return {}

    def bound_by(self, statement: ast.stmt) -> frozenset[str]:
        """The names that a statement of this file binds, also through functions that it calls."""
        return self._bound(statement, names_of(statement))

    def _bound(self, statement: ast.stmt, names: Names) -> frozenset[str]:
        if not names.calls or isinstance(statement, Definition):
            return names.binds
        return names.binds.union(*(each.sets for each in self.called(names.reads)))

    def called(self, names: Iterable[str]) -> list[Names]:
        """The functions and classes that may be called by what reads these names."""
        return [each for name in self.reached(names) for each in self._defined.get(name, ())]

    def reached(self, names: Iterable[str]) -> set[str]:
        """These names, and all that the functions and classes behind them read."""
        waiting, seen = list(names), set[str]()
        while waiting:
            name = waiting.pop()
            if name not in seen:
                seen.add(name)
                waiting += [inner for each in self._defined.get(name, ()) for inner in each.reads]
        return seen

    @cached_property
    def attributes(self) -> frozenset[str]:
        return attributes_in(self.tree)

    @cached_property
    def imported(self) -> dict[str, set[str]]:
        """The modules that a name may stand for, or be of."""
        found: dict[str, set[str]] = {}
        for node in ast.walk(self.tree):
            if isinstance(node, ast.Import):
                for alias in node.names:
                    name = alias.asname or alias.name.partition(".")[0]
                    found.setdefault(name, set()).update(_with_packages(alias.name))
            elif isinstance(node, ast.ImportFrom):
                try:
                    module = self.absolute(node)
                except (ImportError, ValueError):
                    continue
                for alias in node.names:
                    found.setdefault(alias.asname or alias.name, set()).update((module, f"{module}.{alias.name}"))
        return found

    @cached_property
    def quoted(self) -> bool:
        """Whether annotations are texts."""
        futures = (each for each in self.tree.body if isinstance(each, ast.ImportFrom) and each.module == "__future__")
        return any(alias.name == "annotations" for each in futures for alias in each.names)

    @cached_property
    def moves_path(self) -> bool:
        """Whether the file may change `sys.path`, so that modules are found which are not found here."""
        return any(isinstance(node, ast.Attribute) and ast.unparse(node) == "sys.path" for node in ast.walk(self.tree))

    def absolute(self, node: ast.ImportFrom) -> str:
        """The full name of the module in `from ... import`.

        Raises:
            ImportError: it leads out of the package.
        """
        return importlib.util.resolve_name("." * node.level + (node.module or ""), self.package)


def _flat(body: list[ast.stmt], lines: frozenset[int]) -> Iterator[ast.stmt]:
    for node in body:
        if is_main_guard(node) and isinstance(node, ast.If) and holds(node, lines):
            yield from node.body
        else:
            yield node


def is_main_guard(node: ast.stmt) -> bool:
    """Whether it is `if __name__ == ...:`, whose body an import does not run."""
    test = node.test if isinstance(node, ast.If) else None
    return isinstance(test, ast.Compare) and isinstance(test.left, ast.Name) and test.left.id == "__name__"


def holds(node: ast.AST, lines: frozenset[int]) -> bool:
    """Whether a method is defined in `node`, functions aside."""
    if isinstance(node, Definition):
        return node.lineno in lines
    return any(holds(inner, lines) for inner in ast.iter_child_nodes(node) if not isinstance(inner, ast.expr))


def tells_of_failure(node: ast.stmt) -> bool:
    """Whether a statement can do nothing but fail: it shows that the file cannot be imported."""
    if isinstance(node, ast.Raise):
        names = {inner.id for inner in ast.walk(node) if isinstance(inner, ast.Name)}
        return "SystemExit" not in names and all(hasattr(builtins, name) for name in names)
    plain = not any(isinstance(inner, ast.Call | ast.Name | ast.comprehension) for inner in ast.walk(node))
    return isinstance(node, ast.Expr | ast.Assert) and plain


class Selection:
    """The sources of one file and of all that it imports of the user's."""

    def __init__(self, places: Places, main: Source, wanted: Iterable[str]) -> None:
        self.places = places
        self.sources: dict[str, Source | None] = {main.name: main}
        main.wanted |= set(wanted)
        for k, statement in enumerate(main.statements):
            if holds(statement, main.lines) or tells_of_failure(statement):
                self._select(main, k)
        visited: set[str] = set()
        waiting: list[Wish] = [*((each, frozenset[str]()) for each in _with_packages(main.name))]
        while waiting:
            name, wishes = waiting.pop()
            source = self.source(name)
            if source is None or (name in visited and wishes <= source.wanted):
                continue
            visited.add(name)
            self._grow(source, wishes)
            waiting += self._wishes(source)

    def source(self, name: str) -> Source | None:
        """The source of a module of the user's that has one."""
        if name not in self.sources:
            place = self.places.of(name)
            self.sources[name] = None
            if place.mine and place.path is not None:
                tree = read_source(place.path)
                self.sources[name] = Source(name, place.path, tree, str(place.path))
        return self.sources[name]

    def _select(self, source: Source, k: int) -> None:
        source.selected.add(k)
        source.wanted |= source.names[k].reads

    def _grow(self, source: Source, wishes: frozenset[str]) -> None:
        """Select all that binds what is wanted."""
        source.wanted |= wishes
        size = -1
        while size != len(source.selected):
            size = len(source.selected)
            for k, names in enumerate(source.names):
                touched = names.binds | names.changes
                if k not in source.selected and ("*" in names.binds or touched & source.wanted):
                    self._select(source, k)

    def _wishes(self, source: Source) -> Iterator[Wish]:
        """What the selected imports want of the user's other modules."""
        of_modules = source.attributes | source.wanted
        for k in source.selected:
            for node in outside_functions(source.statements[k]):
                if isinstance(node, ast.Import):
                    for alias in node.names:
                        yield from ((each, of_modules) for each in _with_packages(alias.name))
                elif isinstance(node, ast.ImportFrom) and node.module != "__future__":
                    yield from self._wishes_from(source, node, of_modules)

    def _wishes_from(self, source: Source, node: ast.ImportFrom, of_modules: frozenset[str]) -> Iterator[Wish]:
        try:
            module = source.absolute(node)
        except (ImportError, ValueError):
            return
        *packages, _ = _with_packages(module)
        yield from ((package, frozenset()) for package in packages)
        for alias in node.names:
            yield module, frozenset(source.wanted) if alias.name == "*" else frozenset((alias.name,))
            if self.places.of(module).mine and self.places.of(module).folders is not None and alias.name != "*":
                yield f"{module}.{alias.name}", of_modules


def _with_packages(name: str) -> list[str]:
    """A module after the packages around it."""
    parts = name.split(".")
    return [".".join(parts[: k + 1]) for k in range(len(parts))]


def check_dropped_imports(source: Source, places: Places) -> None:
    """Imports that the selection does without must not fail in the whole either, as far as looking can tell.

    Raises:
        FileProblem: there is no such module.
    """
    chosen = {id(source.statements[k]) for k in source.selected}
    for node in source.tree.body:
        if id(node) in chosen:
            continue
        names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        if isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
            names = [node.module]
        for name in names:
            top = name.partition(".")[0]
            if not places.of(top).found and not source.moves_path:
                message = f"importing it raised ModuleNotFoundError: No module named {top!r}"
                raise FileProblem(str(source.path), message, node.lineno)
