"""What the names of functions stand for: every look-up of the compiler goes through here, is made once, and is noted.

In: functions, and names as they are met. Out: `Lookups`. The compiler sees nothing but what has been noted, and what
has been noted is all that the key of a method is made of (`keys`) and all that calls watch (`watching`): what the
compiler read cannot change without being seen. Nothing of the user's runs here, string annotations aside.
"""

from __future__ import annotations

import ast
import builtins
import inspect
import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from types import CellType, FunctionType, ModuleType
from typing import Any, cast

import numpy as np

from somd.capture.attributes import MISSING, Bound, attribute, found_in, there
from somd.capture.paths import dotted_names, names_of
from somd.capture.source_text import NoSource, source_of
from somd.syntax import expression_of

Names = tuple[str, ...]
#: what a name is looked up in: a namespace, a module or a class
Owner = dict[str, object] | ModuleType | type
_BUILTINS = dict(vars(builtins))
_looking: ContextVar[Lookups | None] = ContextVar("somd_lookups", default=None)


@dataclass
class OfFunction:
    """What the names of one function stand for: `paths` are all that its text mentions, with what each gives."""

    paths: dict[Names, object] = field(default_factory=dict)
    annotations: dict[str, object] = field(default_factory=dict)


@dataclass(eq=False, repr=False)
class Lookups:
    """Each look-up with what it gave, MISSING included."""

    #: in the order of asking: a call asks, and only one that is like none before notes
    asked: list[tuple[Owner, str, object]] = field(default_factory=list)
    values: dict[tuple[int, str], object] = field(default_factory=dict)
    owners: dict[int, Owner] = field(default_factory=dict)
    cells: dict[int, tuple[CellType, object]] = field(default_factory=dict)
    functions: dict[FunctionType, OfFunction] = field(default_factory=dict)
    #: the lists whose contents each call looks at anyway, by their numbers
    lists: dict[int, list[Any]] = field(default_factory=dict)
    #: what the compiler has read of a method with these look-ups, as long as it keeps that
    kept: Any = None
    #: the helpers that were read to look at them, as long
    helpers: dict[Any, Any] = field(default_factory=dict)

    # --- looking up ----------------------------------------------------------------------------------------------

    def name(self, function: FunctionType, name: str) -> tuple[object, str]:
        """What a free name of `function` stands for, and a text that tells its variable from all others; MISSING for
        Python's own names."""
        if name in function.__code__.co_freevars:
            cell = (function.__closure__ or ())[function.__code__.co_freevars.index(name)]
            _, value = self.cells.setdefault(id(cell), (cell, contents_of(cell)))
            return value, f"cell {id(cell)} {name}"
        table = function.__globals__
        value = found_in(table, name)
        self.asked.append((table, name, value))
        return value, f"global {id(table)} {name}"

    def attribute(self, owner: object, name: str) -> object:
        """`attributes.attribute`, noted where `owner` is a module or a class; objects are looked at in each call."""
        found = attribute(owner, name)
        if isinstance(owner, ModuleType):
            self.asked.append((owner, name, vars(owner).get(name, MISSING)))
        elif isinstance(owner, type):
            for kind in owner.__mro__:
                value = vars(kind).get(name, MISSING)
                self.asked.append((kind, name, value))
                if value is not MISSING:
                    break
        return found

    def followed(self, value: object) -> None:
        """Note that what a tuple or list holds is looked at in each call."""
        if isinstance(value, list):
            self.lists[id(value)] = value

    def read(self, owner: Owner, name: str) -> object:
        """What `owner` itself has under a name."""
        self.note()
        key = (id(owner), name)
        if key not in self.values:
            self.asked.append((owner, name, found_in(table_of(owner), name)))
            self.note()
        return self.values[key]

    def any_name(self, function: FunctionType, name: str) -> object:
        """What a free name stands for, Python's own ones included."""
        found, _ = self.name(function, name)
        return self.read(builtins_of(function), name) if found is MISSING else found

    def note(self) -> None:
        """Enter what has been asked for; the first answer counts."""
        for owner, name, value in self.asked:
            self.owners[id(owner)] = owner
            self.values.setdefault((id(owner), name), value)
        self.asked.clear()

    def noted(self, owner: object, name: str) -> object:
        """What reading an attribute gives the compiler: MISSING for what has not been noted."""
        self.note()
        if isinstance(owner, ModuleType):
            return as_number(self.values.get((id(owner), name), MISSING))
        if isinstance(owner, type):
            values = (self.values.get((id(kind), name), MISSING) for kind in owner.__mro__)
            found = next((value for value in values if value is not MISSING), MISSING)
            plain = found.__func__ if isinstance(found, staticmethod) else found
            reads = isinstance(found, staticmethod | FunctionType) or not hasattr(type(found), "__get__")
            return as_number(plain) if reads else MISSING
        if isinstance(owner, tuple) and name in getattr(type(owner), "_fields", ()):
            return tuple.__getitem__(owner, type(owner)._fields.index(name))  # type: ignore[attr-defined]
        # numbers do not change
        plain_number = type(owner) in (bool, int, float, complex) or isinstance(owner, np.generic)
        return getattr(owner, name, MISSING) if plain_number else MISSING

    # --- whole functions -----------------------------------------------------------------------------------------

    def complete(self, functions: Sequence[FunctionType]) -> None:
        """Look up all that the texts of `functions` mention, those of which the first one calls the others."""
        for function in functions:
            if function not in self.functions:
                self.functions[function] = self._of(function)
        top = functions[0]
        for function in functions[1:]:
            if function.__globals__ is not top.__globals__:
                # what a fence of another module's method names is looked up in the outer method, too
                for path in list(self.functions[function].paths):
                    self._follow(top, path, self.functions[top])

    def forget_arrays(self) -> None:
        """Keep no array of the caller's alive: in place of each stands one of its type without elements."""
        self.note()
        for key, value in self.values.items():
            self.values[key] = _kept(value)
        for number, (cell, value) in self.cells.items():
            self.cells[number] = cell, _kept(value)

    def _of(self, function: FunctionType) -> OfFunction:
        made = OfFunction()
        for path in _mentioned(function):
            self._follow(function, path, made)
        for name, value in annotations_of(function).items():
            there(value)
            while isinstance(value, str):  # quoted under `from __future__ import annotations`, it is a text twice
                value = self._evaluated(function, value, made)
            made.annotations[name] = value
        return made

    def _follow(self, function: FunctionType, path: Names, made: OfFunction) -> None:
        value = self.any_name(function, path[0])
        reached = path[:1]
        for name in path[1:]:
            if not isinstance(value, ModuleType | type):
                break
            inner = self.attribute(value, name)
            reached = (*reached, name)
            value = self.noted(value, name) if isinstance(inner, Bound) else inner
        made.paths[reached] = self._outline(value)

    def _outline(self, value: object) -> object:
        """A value without what comes with each call: the elements of arrays, what is in lists."""
        if isinstance(value, list) and id(value) in self.lists:
            return []
        if isinstance(value, tuple) and any(self._outline(each) is not each for each in tuple.__iter__(value)):
            return tuple(map(self._outline, tuple.__iter__(value)))
        return _kept(value)

    def _evaluated(self, function: FunctionType, text: str, made: OfFunction) -> object:
        """What the text of an annotation means; `Parameter.empty` where it means nothing."""
        names: dict[str, object] = {}
        try:
            tree = expression_of(text)
        except (SyntaxError, ValueError, RecursionError):
            return inspect.Parameter.empty
        for path in dotted_names(tree):
            self._follow(function, path, made)
            names[path[0]] = self.any_name(function, path[0])
        found = _value_of(tree, names)
        return inspect.Parameter.empty if found is MISSING else found

    def text_in(self, namespace: dict[str, object], text: str) -> object:
        """What the text of an annotation means in a class or a module; None where it means nothing."""
        names: dict[str, object] = {}
        try:
            tree = expression_of(text)
        except (SyntaxError, ValueError, RecursionError):
            return None
        for path in dotted_names(tree):
            value = self.read(namespace, path[0])
            names[path[0]] = _BUILTINS.get(path[0], MISSING) if value is MISSING else value
            for holder, name in itertools.pairwise(path):
                value = self.attribute(value, name) if holder and isinstance(value, ModuleType | type) else MISSING
        found = _value_of(tree, names)
        return None if found is MISSING else found

    def namespace(self, function: FunctionType) -> dict[str, object]:
        """What the free names of a function stand for; those that only the compiler writes are Python's own.

        It holds what was looked up for other functions of the same module, too.
        """
        self._known(function)
        self.note()
        made = dict(_BUILTINS)
        for owner in (builtins_of(function), function.__globals__):
            number = id(owner)
            found = ((name, value) for (of, name), value in self.values.items() if of == number)
            made |= {name: as_number(value) for name, value in found if value is not MISSING}
        for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=False):
            _, value = self.cells.get(id(cell), (cell, MISSING))
            if value is not MISSING:
                made[name] = as_number(value)
        return made

    def annotation(self, function: FunctionType, name: str) -> object:
        """The meaning of the annotation of a parameter, or of `"return"`; `Parameter.empty` where there is none."""
        return self._known(function).annotations.get(name, inspect.Parameter.empty)

    def _known(self, function: FunctionType) -> OfFunction:
        found = self.functions.get(function)
        assert found is not None, f"`{function.__qualname__}` has not been looked at"
        return found


def _value_of(tree: ast.Expression, names: Mapping[str, object]) -> object:
    """What an annotation evaluates to; MISSING where it raises."""
    known = {name: value for name, value in names.items() if value is not MISSING}
    try:
        return cast(object, eval(compile(tree, "<annotation>", "eval"), {"__builtins__": {}, **known}))
    except Exception:
        return MISSING


@contextmanager
def looking_in(lookups: Lookups | None) -> Iterator[None]:
    """A block in which the compiler sees what has been looked up, and nothing else; for None, names as they are."""
    token = _looking.set(lookups)
    try:
        yield
    finally:
        _looking.reset(token)


def current() -> Lookups | None:
    """The look-ups that the compiler works with here."""
    return _looking.get()


def attribute_of(owner: object, name: str) -> object:
    """What the compiler sees as `owner.name`."""
    lookups = _looking.get()
    return getattr(owner, name, MISSING) if lookups is None else lookups.noted(owner, name)


def may_subscript(owner: object) -> bool:
    """Whether `owner[...]` is a type with arguments, which runs nothing of the user's."""
    return type(owner).__module__ in ("typing", "types", "somd.language.markers") or (
        isinstance(owner, type) and owner.__module__.partition(".")[0] in ("builtins", "numpy", "typing", "collections")
    )


def builtins_of(function: FunctionType) -> dict[str, object]:
    """The names that stand behind the global ones."""
    found: dict[str, object] = cast(Any, function).__builtins__
    return found


def annotations_of(function: FunctionType) -> dict[str, Any]:
    """The annotations of a function as they are; none where they cannot be had."""
    try:
        return function.__annotations__
    except Exception:  # from Python 3.14 on they are computed when they are asked for
        return {}


def table_of(owner: Owner) -> Mapping[str, object]:
    """The names that an owner has itself."""
    return owner if isinstance(owner, dict) else vars(owner)


def contents_of(cell: CellType) -> object:
    """What a cell holds; MISSING for an empty one."""
    try:
        return cell.cell_contents
    except ValueError:
        return MISSING


_BY_TWO = "add sub mul truediv floordiv mod divmod pow lshift rshift and or xor"
_OTHERS = "neg pos abs invert lt le eq ne gt ge bool int float complex index round trunc floor ceil"
_OPERATIONS = tuple(f"__{name}__" for name in (*_BY_TWO.split(), *_OTHERS.split()))
_OPERATIONS += tuple(f"__r{name}__" for name in _BY_TWO.split())


def as_number(value: object) -> object:
    """The number that an object of a subclass is, as long as it computes as numbers do: a member of an `IntEnum`, say.

    >>> import enum
    >>> as_number(enum.IntEnum("Colour", "RED GREEN").GREEN)
    2
    """
    base: Any = next((each for each in (int, float, complex) if isinstance(value, each)), None)
    kind: Any = type(value)
    if base is None or kind in (bool, base) or isinstance(value, np.generic):
        return value
    own = [each for each in kind.__mro__ if each not in base.__mro__]
    return value if any(name in vars(each) for each in own for name in _OPERATIONS) else base.__pos__(value)


def _kept(value: object) -> object:
    """For an array, one of the same type without elements: arrays come with each call, and live no longer."""
    return np.empty((0,) * value.ndim, value.dtype) if isinstance(value, np.ndarray) else value


def _mentioned(function: FunctionType) -> Iterable[Names]:
    try:
        tree = source_of(function).tree
    except NoSource:
        return ()
    return () if tree is None else names_of(function, tree)
