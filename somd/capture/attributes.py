"""What reading one attribute of an object gives, without running the user's code.

In: an object and a name. Out: the value that `object.name` is, or the function behind it: that of a method, or the
getter of a property, which the compiler translates like any other. What can only be known by running code when it is
read (`__getattr__`, `functools.cached_property` before its first use, descriptors of the user's) is `Computed`, and
refused by the caller.
"""

from __future__ import annotations

import enum
import types
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from types import FunctionType, ModuleType
from typing import Any, NamedTuple, cast


@dataclass(frozen=True)
class Bound:
    """A function found through an object; `receiver` is what its first parameter stands for: the object, its class, or
    nothing (None)."""

    function: FunctionType
    receiver: str | None
    somd: bool = False
    getter: bool = False


@dataclass(frozen=True)
class Computed:
    """An attribute that cannot be read ahead; `why` completes the sentence "`self.x` is ..."."""

    why: str


@dataclass(frozen=True)
class Unknown:
    """An object that is not at hand when the method is defined, with its class where that is known."""

    owner: type | None = None


class _Fields(NamedTuple):
    x: int


@dataclass(frozen=True)
class NotRun:
    """What a tool puts in the place of a value that only running the program would give; `why` is a sentence."""

    why: str


class NotKnownYet(Exception):
    """What a path stands for depends on objects that are not at hand."""

    @property
    def why(self) -> str:
        """A sentence for the user."""
        return f"what `{self}` is depends on the object of a call"


class LeftOut(NotKnownYet):
    """What a path stands for has not been run."""

    @property
    def why(self) -> str:
        return str(self)


def there(value: object) -> Any:
    """A value that is no `NotRun`.

    Raises:
        LeftOut: it is one.
    """
    if isinstance(value, NotRun):
        raise LeftOut(value.why)
    return value


MISSING = object()
#: what `lazy import` binds to a name until the name is read, from Python 3.15 on
_NOT_IMPORTED: type | None = getattr(types, "LazyImportType", None)


def is_imported(value: object) -> bool:
    """Whether a value is other than a module, or a name of one, that is imported when it is first read."""
    return type(value) is not _NOT_IMPORTED


def found_in(names: Mapping[str, object], name: str) -> Any:
    """What a namespace has under a name, or MISSING; what is imported lazily is imported, as by any read of the name.

    Raises:
        LeftOut: a tool has put a `NotRun` there.
    """
    value = names.get(name, MISSING)
    if type(value) is _NOT_IMPORTED:
        value = eval(name, cast(dict[str, Any], names))
    return there(value)


_FIELDS = (types.MemberDescriptorType, types.GetSetDescriptorType)
_NAMEDTUPLE_FIELD: type = type(vars(_Fields)["x"])


def attribute(owner: object, name: str) -> object:
    """The value of `owner.name`, or `Bound`, `Computed`, `Unknown`, or MISSING.

    >>> import types
    >>> attribute(types.SimpleNamespace(x=3), "x")
    3
    >>> attribute(types.SimpleNamespace(x=3), "y") is MISSING
    True
    """
    if isinstance(owner, Unknown):
        return _of_unknown(owner, name)
    if isinstance(owner, ModuleType):
        found = _function_or(found_in(vars(owner), name))
        if found is MISSING and owner.__name__ == "numpy" and find_spec(f"numpy.{name}") is not None:
            found = import_module(f"numpy.{name}")  # NumPy itself does so when it is first read
        computed = found is MISSING and "__getattr__" in vars(owner)
        return Computed(f"computed by `{owner.__name__}.__getattr__`") if computed else found
    if isinstance(owner, enum.Enum) and name in ("value", "name"):
        return owner._value_ if name == "value" else owner._name_
    if isinstance(owner, enum.EnumMeta) and name in owner.__members__:
        return owner.__members__[name]
    if isinstance(owner, type):
        return _of_class(owner, name)
    reader = next(kind for kind in type(owner).__mro__ if "__getattribute__" in vars(kind))
    if reader not in (object, tuple, types.SimpleNamespace):
        return Computed(f"read by `{reader.__name__}.__getattribute__`")
    return _of_instance(owner, name)


def is_tuple_field(owner: object, name: str) -> bool:
    """Whether `owner.name` is an entry of a `NamedTuple`."""
    return type(_in_classes(type(owner), name)) is _NAMEDTUPLE_FIELD


def _of_instance(owner: object, name: str) -> object:
    found = _in_classes(type(owner), name)
    kind = type(found)
    if isinstance(found, property):
        return _getter(found, name)
    if found is not MISSING and (kind in _FIELDS or kind is _NAMEDTUPLE_FIELD):
        return getattr(owner, name, MISSING)
    if found is not MISSING and hasattr(kind, "__set__"):
        return Computed(f"computed by a descriptor of class `{kind.__name__}`")
    own: Mapping[str, object] = getattr(owner, "__dict__", {})
    if name in own:
        return _function_or(there(own[name]))
    if found is MISSING:
        computed = hasattr(type(owner), "__getattr__")
        return Computed(f"computed by `{type(owner).__name__}.__getattr__`") if computed else MISSING
    return _from_class(found)


def _of_class(owner: type, name: str) -> object:
    meta = _in_classes(type(owner), name)
    if meta is not MISSING and hasattr(type(meta), "__set__"):
        return getattr(owner, name) if type(meta) in _FIELDS else Computed("computed by a metaclass")
    found = _in_classes(owner, name)
    if found is MISSING:
        return MISSING if meta is MISSING else Computed("computed by a metaclass")
    if isinstance(found, FunctionType) or (_is_somd(found) and getattr(found, "binding", "") != "class"):
        return _function_or(found)
    if isinstance(found, property):
        return Computed("a property of the class's objects")
    if type(found) in _FIELDS:
        return Computed("a slot of the class's objects")
    return _from_class(found)


def _of_unknown(owner: Unknown, name: str) -> object:
    if owner.owner is None:
        return Unknown()
    found = _in_classes(owner.owner, name)
    if isinstance(found, property):
        return _getter(found, name)
    if isinstance(found, FunctionType | staticmethod | classmethod) or _is_somd(found):
        return _from_class(found)
    return Unknown()


def _in_classes(kind: type, name: str) -> Any:
    for each in kind.__mro__:
        if name in vars(each):
            return there(vars(each)[name])
    return MISSING


def _from_class(found: object) -> object:
    """What a class's entry gives when it is read through an object."""
    if isinstance(found, staticmethod):
        return _function_or(found.__func__)
    if isinstance(found, classmethod):
        inner = _function_or(found.__func__)
        return Bound(inner.function, "class", inner.somd) if isinstance(inner, Bound) else inner
    if _is_somd(found):
        return Bound(_plain(found), _SOMD_RECEIVERS[getattr(found, "binding", "object")], somd=True)
    if isinstance(found, FunctionType):
        return Bound(found, "object")
    if hasattr(type(found), "__get__"):
        return Computed(f"computed by a descriptor of class `{type(found).__name__}`")
    return found


_SOMD_RECEIVERS: Mapping[str, str | None] = {"object": "object", "class": "class", "none": None}


def _function_or(value: object) -> object:
    """A function as `Bound` to nothing; anything else as it is."""
    if isinstance(value, FunctionType):
        return Bound(value, None)
    return Bound(_plain(value), None, somd=True) if _is_somd(value) else value


def _getter(found: property, name: str) -> object:
    if isinstance(found.fget, FunctionType):
        return Bound(found.fget, "object", getter=True)
    return Computed(f"a property whose getter is no plain function: `{name}`")


def _is_somd(value: object) -> bool:
    return hasattr(type(value), "somd_function")


def _plain(value: Any) -> FunctionType:
    function: FunctionType = value.somd_function
    return function
