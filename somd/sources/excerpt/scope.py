"""Where names are looked up while a text is evaluated, and what says that something is not run."""

from __future__ import annotations

import builtins
from dataclasses import dataclass, field
from types import CellType, CodeType, ModuleType
from typing import Any

from somd.capture.attributes import MISSING, NotRun
from somd.sources.excerpt.selection import Source


class Refused(Exception):
    """Something is not evaluated because it may have effects: `what` it is, or the `cause` in another statement."""

    def __init__(self, what: str, cause: NotRun | None = None) -> None:
        super().__init__(what)
        self.what = what
        self.cause = cause


@dataclass
class Unit:
    """A module of the user's that is being evaluated; `codes` are those of its functions, by name and line.

    `stale` are names whose objects may have been changed by a statement that was not run: methods see them, statements
    do not. `quoted` tells that annotations are texts.
    """

    module: ModuleType
    source: Source
    codes: dict[tuple[str, int], CodeType]
    quoted: bool
    stale: dict[str, NotRun] = field(default_factory=dict)

    @property
    def names(self) -> dict[str, Any]:
        return vars(self.module)

    def place(self, line: int) -> str:
        """A line of the file, for messages."""
        return f"{self.source.path.name}:{line}"


@dataclass
class Scope:
    """The names of a module, and over them those of a class, a function or a comprehension.

    `own` are the names that are local to a function also before they are bound.
    """

    unit: Unit
    locals: dict[str, Any] | None = None
    own: frozenset[str] = frozenset()
    outer: Scope | None = None
    kind: str = "module"
    qualname: str = ""
    cell: CellType | None = None

    @property
    def globals(self) -> dict[str, Any]:
        return self.unit.names

    def value(self, name: str) -> Any:
        """What a name stands for.

        Raises:
            Refused: that was not evaluated.
            NameError: it is not bound.
        """
        found = self._found(name)
        if isinstance(found, NotRun):
            raise Refused("", found)
        return found

    def _found(self, name: str) -> Any:
        scope: Scope | None = self
        while scope is not None:
            if scope.locals is not None and name in scope.locals:
                return scope.locals[name]
            if name in scope.own:
                raise UnboundLocalError(f"cannot access local variable '{name}'")
            scope = scope.outer
        if name in self.unit.stale:
            return self.unit.stale[name]
        found = self.globals.get(name, MISSING)
        if found is MISSING:
            found = vars(builtins).get(name, MISSING)
        if found is MISSING:
            raise NameError(f"name '{name}' is not defined")
        return found

    def bind(self, name: str, value: Any) -> None:
        """Give a name a value here; that of a comprehension's `:=` belongs to what is around."""
        (self.globals if self.locals is None else self.locals)[name] = value
        if self.locals is None:
            self.unit.stale.pop(name, None)

    def unbind(self, name: str) -> None:
        """Remove a name."""
        names = self.globals if self.locals is None else self.locals
        if name not in names:
            raise NameError(f"name '{name}' is not defined")
        del names[name]

    def inner(self) -> Scope:
        """The scope of a comprehension that stands here: it does not see the names of a class."""
        outer = self if self.kind in ("function", "comprehension") else None
        return Scope(self.unit, {}, outer=outer, kind="comprehension", qualname=self.qualname)

    def around(self) -> Scope:
        """The scope that `:=` binds in."""
        scope = self
        while scope.kind == "comprehension" and scope.outer is not None:
            scope = scope.outer
        return Scope(self.unit) if scope.kind == "comprehension" else scope
