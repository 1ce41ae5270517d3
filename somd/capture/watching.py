"""Whether what the compiler looked up is still the same: asked before each call, so by identity and with few steps.

In: `Lookups`. Out: a `Watch`. Of a captured array it matters only that it still is one: arrays come with each call.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from types import CellType, FunctionType
from typing import Any, NamedTuple

import numpy as np

from somd.capture.attributes import MISSING
from somd.capture.describing import Descriptions
from somd.capture.lookups import Lookups, Owner, annotations_of, contents_of, table_of

_Get = Callable[[str, object], object]
#: containers that may change and stay the same object
_CHANGING = (list, dict, set, bytearray)


class Watched(NamedTuple):
    """What has to be the same objects: entries of dictionaries, MISSING where there is none; functions with what they
    have of code, defaults, defaults of keyword parameters, annotations; cells, MISSING for an empty one."""

    names: list[tuple[dict[str, object], str, object]]
    functions: list[tuple[FunctionType, Any, Any, Any, Any]]
    cells: list[tuple[CellType, object]]


class Watch:
    """What some look-ups gave, and the functions in which they were made as those were."""

    def __init__(self, made: Iterable[Lookups] = ()) -> None:
        self._lookups = tuple(made)
        #: how to ask an owner, the name, and what came
        self._names: list[tuple[_Get, str, object]] = []
        self._arrays: list[tuple[_Get, str]] = []
        self._cells: list[tuple[CellType, object]] = []
        self._functions: list[tuple[FunctionType, Any, Any, Any, Any]] = []
        self._texts: list[tuple[object, str]] = []
        values: dict[int, dict[str, object]] = {}
        owners: dict[int, Owner] = {}
        cells: dict[int, tuple[CellType, object]] = {}
        functions: dict[FunctionType, None] = {}
        #: lists that calls look into themselves
        self._followed: set[int] = {number for each in self._lookups for number in each.lists}
        for each in self._lookups:
            each.note()
            owners |= each.owners
            for (owner, name), value in each.values.items():
                values.setdefault(owner, {}).setdefault(name, value)
            for number, cell in each.cells.items():
                cells.setdefault(number, cell)
            functions |= dict.fromkeys(each.functions)
        for number, found in values.items():
            self._add(owners[number], found)
        for each_cell in cells.values():
            self._cells.append(each_cell)
            self._note_contents(each_cell[1])
        for function in functions:
            self._add_function(function)

    def with_lookups(self, more: Lookups) -> Watch:
        """The same with further look-ups; where two differ, the first ones count."""
        return Watch((*self._lookups, more))

    def unchanged(self) -> bool:
        """Whether each look-up would give the same object."""
        missing = MISSING
        for get, name, value in self._names:
            if get(name, missing) is not value:
                return False
        for function, code, defaults, keyword, written in self._functions:
            if (
                function.__code__ is not code
                or function.__defaults__ is not defaults
                or function.__kwdefaults__ is not keyword
                or (written is not None and function.__annotations__ is not written)
            ):
                return False
        for get, name in self._arrays:
            if not isinstance(get(name, None), np.ndarray):
                return False
        for cell, value in self._cells:
            now = contents_of(cell)
            if now is not value and not (isinstance(value, np.ndarray) and isinstance(now, np.ndarray)):
                return False
        return not self._texts or all(Descriptions().of(value) == text for value, text in self._texts)

    def by_identity(self) -> Watched | None:
        """What `unchanged` compares, where that is all by identity and in plain dictionaries."""
        owners = [getattr(get, "__self__", None) for get, _, _ in self._names]
        cells = [value for _, value in self._cells]
        arrays = self._arrays or any(isinstance(value, np.ndarray) for value in cells)
        if self._texts or arrays or any(type(owner) is not dict for owner in owners):
            return None
        names = [(owner, name, value) for owner, (_, name, value) in zip(owners, self._names, strict=True)]
        return Watched(names, self._functions, self._cells)  # type: ignore[arg-type]

    def _add(self, owner: Owner, found: dict[str, object]) -> None:
        get: _Get = table_of(owner).get
        plain = {name: value for name, value in found.items() if not isinstance(value, np.ndarray)}
        self._arrays += [(get, name) for name in found if name not in plain]
        self._names += [(get, name, value) for name, value in plain.items()]
        for value in plain.values():
            self._note_contents(value)

    def _add_function(self, function: FunctionType) -> None:
        written = annotations_of(function) or None
        row = (function, function.__code__, function.__defaults__, function.__kwdefaults__, written)
        self._functions.append(row)
        for table in (function.__kwdefaults__, written):
            if table:
                self._names += [(table.get, name, value) for name, value in table.items()]
        for value in (*(function.__defaults__ or ()), *(function.__kwdefaults__ or {}).values()):
            self._note_contents(value)

    def _note_contents(self, value: object) -> None:
        parts = value if isinstance(value, tuple) else (value,)
        if any(isinstance(part, _CHANGING) and id(part) not in self._followed for part in parts):
            self._texts.append((value, Descriptions().of(value)))
