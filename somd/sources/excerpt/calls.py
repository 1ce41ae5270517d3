"""Attributes of values and calls, without running the user's code: functions of the user's are read instead.

In: values, as expressions have found them. Out: values, or `Refused`. A function of the user's is evaluated statement
by statement under the rules for the whole file; an object of a class of the user's is made as long as the class makes
objects in the usual way.
"""

from __future__ import annotations

import ast
import dataclasses
import functools
import inspect
from dataclasses import dataclass
from enum import EnumMeta
from types import CodeType, FunctionType, MethodType, ModuleType
from typing import Any

import numpy as np

from somd.arguments.instead import is_stream
from somd.capture.attributes import MISSING, NotRun
from somd.sources.excerpt.allowed import (
    holds_own,
    is_class_to_ask,
    is_known,
    is_long,
    is_own,
    is_shared,
    may_call,
    own_classes,
    special_classes,
)
from somd.sources.excerpt.expressions import CALL
from somd.sources.excerpt.scope import Refused, Scope, Unit
from somd.sources.scan import Definition

#: attributes between double underscores that tell of a value and do not change it
_TELLING = frozenset(
    ["__name__", "__qualname__", "__doc__", "__file__", "__version__", "__class__", "__members__", "__wrapped__"]
)
_DEEPEST = 40


@dataclass(frozen=True)
class Written:
    """A function of the user's: its definition, or lambda, and its module."""

    node: Definition | ast.Lambda
    unit: Unit


class Calls:
    """Attributes and calls. `functions` are the user's, and `units` his modules."""

    def __init__(self) -> None:
        self.functions: dict[CodeType, Written] = {}
        self.units: dict[ModuleType, Unit] = {}
        self.depth = 0

    def read(self, node: Definition | ast.Lambda, scope: Scope) -> Any:
        """What a function of the user's returns."""
        raise NotImplementedError

    # --- attributes -----------------------------------------------------------------------------------------------

    def attribute(self, value: Any, name: str) -> Any:
        """`value.name`."""
        if name.startswith("__") and name.endswith("__") and name not in _TELLING:
            raise Refused(f"the use of `{name}`")
        if isinstance(value, ModuleType):
            return self._of_module(value, name)
        if isinstance(value, type):
            return self._of_class(value, name)
        if is_own(type(value)):
            return self._of_object(value, name)
        if not is_known(value) and not isinstance(value, FunctionType):
            raise Refused(f"the use of an attribute of a `{type(value).__name__}`")
        return getattr(value, name)

    def _of_module(self, module: ModuleType, name: str) -> Any:
        unit = self.units.get(module)
        if unit is None:
            return _not_shared(getattr(module, name), f"{module.__name__}.{name}")
        if name in unit.stale:
            return unit.stale[name]
        if name not in vars(module):
            raise AttributeError(f"module {module.__name__!r} has no attribute {name!r}")
        return vars(module)[name]

    def _of_class(self, kind: type, name: str) -> Any:
        if not is_own(kind):
            return _not_shared(getattr(kind, name), f"{kind.__name__}.{name}")
        found = _entry(kind, name)
        if isinstance(found, classmethod) and not isinstance(found.__func__, FunctionType):
            raise Refused(f"the use of `{kind.__name__}.{name}`")  # it may wrap a property
        return _own_attribute(kind, name)

    def _of_object(self, value: Any, name: str) -> Any:
        found = _entry(type(value), name)
        if isinstance(found, NotRun):
            return found
        if isinstance(found, property):
            return self.call(found.fget, [value], {})
        if isinstance(found, functools.cached_property):
            return self.call(found.func, [value], {})
        if isinstance(found, classmethod):
            return self._of_class(type(value), name)
        return _own_attribute(value, name)

    # --- calls ----------------------------------------------------------------------------------------------------

    def call(self, function: Any, args: list[Any], keywords: dict[str, Any]) -> Any:
        """`function(*args, **keywords)`."""
        if isinstance(function, functools.partial):
            return self.call(function.func, [*function.args, *args], {**function.keywords, **keywords})
        ours = is_stream(getattr(function, "__self__", None))
        if isinstance(function, MethodType) and isinstance(function.__func__, FunctionType) and not ours:
            return self.call(function.__func__, [function.__self__, *args], keywords)
        if isinstance(function, FunctionType) and function.__code__ in self.functions:
            return self._read(function, args, keywords)
        if isinstance(function, type) and is_own(function):
            return self._object(function, args, keywords)
        if function is print:
            return None  # nothing is written
        if function is type and len(args) == 1:
            return type(args[0])
        if function is np.random.default_rng and args and args[0] is not None:
            return np.random.default_rng(*args, **keywords)
        return self._known(function, args, keywords)

    def _known(self, function: Any, args: list[Any], keywords: dict[str, Any]) -> Any:
        given = [*args, *keywords.values()]
        keeps = any((callable(value) and not may_call(value)) or holds_own(value) for value in given)
        if not may_call(function, keeps) or (function in (isinstance, issubclass) and not is_class_to_ask(args[-1])):
            raise Refused(CALL)
        if getattr(function, "__module__", "") == "somd.language.markers":  # `partition(Mine)` makes a `Mine`
            args = [self._object(each, [], {}) if isinstance(each, type) and is_own(each) else each for each in args]
        if any(map(is_long, given)):
            raise Refused("a long loop")
        made = function(*args, **keywords)
        if isinstance(made, type) and not is_own(made) and function is not type:  # `namedtuple`, `Enum`
            own_classes.add(made)
        return made

    def _object(self, kind: type, args: list[Any], keywords: dict[str, Any]) -> Any:
        """An object of a class of the user's."""
        if isinstance(kind, EnumMeta):
            return kind(*args, **keywords)
        own = [vars(each) for each in kind.__mro__ if each in own_classes]
        names = {name for each in own for name in each}
        begin = next((each["__init__"] for each in own if "__init__" in each), None)
        read = isinstance(begin, FunctionType) and begin.__code__ in self.functions
        usual = all(each in own_classes or each.__module__ in _USUAL for each in kind.__mro__)
        if not usual or kind in special_classes or (not read and ("__post_init__" in names or _makes_parts(kind))):
            raise Refused(f"a call of the class `{kind.__name__}`")
        if not read:
            return kind(*args, **keywords)
        made: Any = kind.__new__(kind, *args, **keywords)
        self.call(begin, [made, *args], keywords)
        return made

    def _read(self, function: FunctionType, args: list[Any], keywords: dict[str, Any]) -> Any:
        """What a call of a function of the user's returns."""
        written, code = self.functions[function.__code__], function.__code__
        if code.co_flags & (inspect.CO_GENERATOR | inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR):
            raise Refused(CALL)
        bound = inspect.signature(function, follow_wrapped=False).bind(*args, **keywords)
        bound.apply_defaults()
        own = frozenset((*code.co_varnames, *code.co_cellvars))
        scope = Scope(written.unit, dict(bound.arguments), own, kind="function")
        if self.depth >= _DEEPEST:
            raise Refused("a deep recursion")
        self.depth += 1
        try:
            return self.read(written.node, scope)
        finally:
            self.depth -= 1


_USUAL = ("builtins", "typing", "abc", "collections.abc")


def _own_attribute(value: Any, name: str) -> Any:
    """An attribute that is there: one that is not may come from a statement that is not run."""
    try:
        return getattr(value, name)
    except AttributeError:
        raise Refused(f"the use of an attribute `{name}` that is not there") from None


def _entry(kind: type, name: str) -> Any:
    """What a class, or one of its bases, has under a name."""
    return next((vars(each)[name] for each in kind.__mro__ if name in vars(each)), MISSING)


def _makes_parts(kind: type) -> bool:
    """Whether a dataclass runs code of the user's for a field."""
    for name, each in getattr(kind, "__dataclass_fields__", {}).items():
        found = _entry(kind, name)
        made_by = each.default_factory
        if hasattr(found, "__get__") or not (made_by is dataclasses.MISSING or may_call(made_by)):
            return True
    return False


def _not_shared(value: Any, name: str) -> Any:
    if is_shared(value):
        raise Refused(f"the use of `{name}`")
    return value
