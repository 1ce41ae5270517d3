"""A text for what a name stands for, which another process finds too, and which differs where the compiler would.

In: any object. Out: its text. Numbers have all their bits, types their byte order; functions and classes go by their
names, with a number that tells one object from another of the same name. Nothing of the user's runs here: what an
object says of itself is not asked.
"""

from __future__ import annotations

import builtins
import enum
import hashlib
import sys
from collections.abc import Iterable
from dataclasses import fields, is_dataclass
from types import BuiltinFunctionType, FunctionType, ModuleType
from typing import Annotated, Any, get_args, get_origin

import numpy as np

from somd.capture.attributes import MISSING

_PLAIN: tuple[Any, ...] = (bool, int, float, complex, str, bytes)
_OURS = ("somd.language.markers", "somd.language.partitioners")


class Descriptions:
    """Texts of the objects of one key: two objects of one name have different texts."""

    def __init__(self) -> None:
        self._named: dict[str, list[object]] = {}

    def of(self, value: object) -> str:
        """The text of a value."""
        if value is None or value is MISSING:
            return "None" if value is None else "nothing"
        if isinstance(value, np.generic):
            return f"{_name(type(value))}:{value.item()!r} {value.dtype.str} {value.tobytes().hex()}"
        kind = next((each for each in _PLAIN if isinstance(value, each)), None)
        if kind is not None:
            return f"{_name(type(value))}:{kind.__repr__(value)}"
        if isinstance(value, np.dtype):
            return f"dtype:{value.str} {value.descr}" if value.names else f"dtype:{value.str}"
        if isinstance(value, np.ndarray):
            return f"array:{value.dtype.str}{value.shape}{_content(value)}"
        if isinstance(value, enum.Enum):
            return f"{_name(type(value))}.{value._name_}:{self.of(value._value_)}"
        if isinstance(value, tuple | list):
            names = getattr(type(value), "_fields", "")
            values = list.__iter__(value) if isinstance(value, list) else tuple.__iter__(value)
            return f"{_name(type(value))}{names}:{self._all(values)}"
        if isinstance(value, dict):
            return f"{_name(type(value))}:{self._all(dict.items(value))}"
        return self._annotation(value) or self._object(value)

    def _all(self, values: Iterable[Any]) -> str:
        return f"({', '.join(map(self.of, values))})"

    def _annotation(self, value: object) -> str:
        """The text of a type with arguments, of a marker or of a partitioner of ours; "" for anything else."""
        if get_origin(value) is Annotated:
            return f"Annotated{self._all(get_args(value))}"
        if get_origin(value) is not None:
            return f"{self.of(get_origin(value))}{self._all(get_args(value))}"
        if type(value).__module__ == "typing":
            return repr(value)
        if type(value).__module__ in _OURS:
            names = [each.name for each in fields(value)] if is_dataclass(value) else list(vars(value))
            return f"{_name(type(value))}{self._all(getattr(value, name) for name in names)}"
        return ""

    def _object(self, value: Any) -> str:
        if isinstance(value, ModuleType):
            return self._named_one(f"module {value.__name__}", value, sys.modules.get(value.__name__))
        if isinstance(value, type):
            return self._named_one(f"class {_name(value)}", value, vars(builtins).get(value.__name__))
        if isinstance(value, BuiltinFunctionType):
            of = value.__self__ if isinstance(value.__self__, ModuleType | type | None) else type(value.__self__)
            return f"builtin {getattr(of, '__name__', '')}.{value.__qualname__}"
        if type(value).__module__.partition(".")[0] == "numpy" and isinstance(getattr(value, "__name__", None), str):
            name = value.__name__
            return self._named_one(f"numpy {type(value).__name__} {name}", value, getattr(np, name, None))
        plain = value.somd_function if hasattr(type(value), "somd_function") else value
        if isinstance(plain, FunctionType):
            what = "function" if plain is value else "method"
            return self._named_one(f"{what} {plain.__module__}.{plain.__qualname__}", plain)
        return self._named_one(f"object of {_name(type(value))}", value)

    def _named_one(self, text: str, value: object, known: object = None) -> str:
        """A name, with a number for every object that is not the one known, or met first, by this name."""
        if value is known:
            return text
        named = self._named.setdefault(text, [known])
        number = next((k for k, each in enumerate(named) if each is value), len(named))
        if number == len(named):
            named.append(value)
        return text if number == 1 and known is None else f"{text} #{number}"


def _name(kind: type) -> str:
    return kind.__name__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__qualname__}"


def _content(array: np.ndarray[Any, Any]) -> str:
    return "" if array.dtype.hasobject else f" {hashlib.sha256(array.tobytes()).hexdigest()[:32]}"
