"""What a statement that is not run may have changed: objects that it, or a function that it calls, can get hold of.

In: a statement of a module. Out: the names whose objects it may change are `stale`, and the global names that functions
of another module of the user's assign are `NotRun`.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from enum import EnumMeta
from types import ModuleType

import numpy as np

from somd.capture.attributes import NotRun
from somd.sources.excerpt.allowed import is_own, may_change
from somd.sources.excerpt.names import names_of
from somd.sources.excerpt.scope import Unit
from somd.sources.scan import Definition

_DEEPEST, _MANY = 4, 1000
#: functions that bind any name
_WRITERS = frozenset(("exec", "globals"))


#: modules of the user's: whether names of one may have been bound from outside, or else functions of it called; where
Touched = dict[tuple[str, bool], str]


def note_changes(statement: ast.stmt, unit: Unit, units: Mapping[ModuleType, Unit], touched: Touched) -> None:
    """Note what a statement may have changed that has not been run; `touched` gets the other modules."""
    if isinstance(statement, ast.Import | ast.ImportFrom):
        return
    if isinstance(statement, Definition | ast.ClassDef):
        for each in _at_definition(statement):
            note_changes(each, unit, units, touched)
        return
    names = names_of(statement)
    reached = unit.source.reached(names.reads | names.changes | names.binds)
    values = [unit.names[name] for name in reached if name in unit.names]
    place = unit.place(statement.lineno)
    if not reached.isdisjoint(_WRITERS):
        _forget_values(unit, place)
    altered = names.alters.union(*(each.alters for each in unit.source.called(names.reads) if names.calls))
    _forget(unit, altered, place)
    modules = {(each, True) for name in altered for each in unit.source.imported.get(name, ())}
    if names.calls:
        modules.update((str(getattr(value, "__module__", "")), False) for value in values)
        modules.update((each, False) for name in reached for each in unit.source.imported.get(name, ()))
    for module in modules:
        touched.setdefault(module, place)
    for other in units.values():
        if other is not unit:
            note_touched(other, dict.fromkeys(modules, place))
    objects = {number for value in values for number in _objects(value)}
    if objects:
        _make_stale(unit, objects, place)


def _forget(unit: Unit, altered: frozenset[str], place: str) -> None:
    """Attributes of these may have been set: those of functions, classes and modules are seen by methods, too."""
    for name in altered & unit.names.keys():
        if callable(unit.names[name]) or isinstance(unit.names[name], ModuleType):
            why = NotRun(f"`{name}` may be changed by a statement that is not run ({place})")
            _forget_attributes(unit.names[name], why)
            unit.names[name] = why


def _forget_values(unit: Unit, place: str) -> None:
    """Names of this module may have been bound from outside."""
    for name in [name for name, value in unit.names.items() if _may_be_bound(name, value, unit)]:
        unit.names[name] = NotRun(f"`{name}` may be bound by a statement that is not run ({place})")


def _forget_attributes(value: object, why: NotRun) -> None:
    """Let objects of a class, too, not know what the class holds."""
    if isinstance(value, type) and is_own(value) and not isinstance(value, EnumMeta):
        for name in [name for name in vars(value) if not name.startswith("__")]:
            type.__setattr__(value, name, why)


def _at_definition(node: ast.stmt) -> Iterator[ast.stmt]:
    """What is evaluated where a function or a class is defined, as statements."""
    if isinstance(node, Definition):
        given = node.args
        parts = [*node.decorator_list, *given.defaults, *(each for each in given.kw_defaults if each is not None)]
        arguments = [*given.posonlyargs, *given.args, given.vararg, *given.kwonlyargs, given.kwarg]
        parts += [each.annotation for each in arguments if each is not None and each.annotation is not None]
        parts += [] if node.returns is None else [node.returns]
    elif isinstance(node, ast.ClassDef):
        parts = [*node.decorator_list, *node.bases, *(each.value for each in node.keywords)]
        yield from node.body
    else:
        return
    yield from (ast.copy_location(ast.Expr(each), each) for each in parts)


def _may_be_bound(name: str, value: object, unit: Unit) -> bool:
    """Whether to expect that a name is bound anew: not of what comes from elsewhere."""
    if name.startswith("__") or isinstance(value, ModuleType | NotRun):
        return False
    return not callable(value) or getattr(value, "__module__", None) == unit.source.name


def _make_stale(unit: Unit, objects: set[int], place: str) -> None:
    for name, value in unit.names.items():
        if not name.startswith("__") and not objects.isdisjoint(_objects(value)):
            why = f"what `{name}` holds may be changed by a statement that is not run ({place})"
            unit.stale.setdefault(name, NotRun(why))


def note_touched(unit: Unit, touched: Touched) -> None:
    """Note what may have changed in a module that statements of others have touched."""
    if (unit.source.name, True) in touched:
        _forget_values(unit, touched[unit.source.name, True])
    place = touched.get((unit.source.name, False))
    if place is None:
        return
    for names in unit.source.names:
        for name in names.sets & unit.names.keys():
            unit.names[name] = NotRun(f"`{name}` may be assigned by a call that is not run ({place})")
        _forget(unit, names.alters, place)
    _make_stale(unit, {number for value in unit.names.values() for number in _objects(value)}, place)


def _objects(value: object, depth: int = 0) -> Iterator[int]:
    """The objects that may be changed through a value."""
    if isinstance(value, np.ndarray):
        while isinstance(value.base, np.ndarray):
            value = value.base
        yield id(value)
    elif isinstance(value, dict | list | tuple | set) and depth < _DEEPEST:
        if not isinstance(value, tuple):
            yield id(value)
        parts = list(value.values()) if isinstance(value, dict) else list(value)
        for each in parts[:_MANY]:
            yield from _objects(each, depth + 1)
    elif may_change(value):
        yield id(value)
        for each in list(getattr(value, "__dict__", {}).values())[:_MANY] if depth < _DEEPEST else ():
            yield from _objects(each, depth + 1)
