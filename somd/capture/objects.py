"""Which values are objects for a method: nothing that generated code takes, but what is read of them.

In: values, annotations and paths. Out: answers. Objects, tuples, lists and None are followed by `reaching`; numbers and
arrays are passed on.
"""

from __future__ import annotations

import enum
from collections.abc import Sequence
from types import FunctionType, NoneType, UnionType
from typing import Union, get_args, get_origin

import numpy as np

from somd.arguments.device_arrays import on_device
from somd.capture.annotations import annotation_of
from somd.capture.paths import Path, Step
from somd.capture.sequences import is_sequence
from somd.language import markers

#: attributes that the compiler knows of arrays
OF_ARRAYS = frozenset(("shape", "size", "ndim", "dtype", "copy", "T", "flat"))
#: attributes of complex numbers, and of all others
PARTS = ("real", "imag")
NUMBERS = (bool, int, float, complex)
_PLAIN = (*NUMBERS, str, bytes, list, tuple, dict, set, frozenset, type(None), np.ndarray, np.generic)


def is_known(module: str | None) -> bool:
    """Whether the compiler knows what the functions of a module are: none is translated as the user's own are.

    What `somd.random` has is written as helpers are, and taken as they are.
    """
    name = module or ""
    return name.partition(".")[0] in ("numpy", "math", "somd") and not name.startswith("somd.random")


def is_object(value: object) -> bool:
    """Whether attributes of a value are read for it; numbers, arrays and Python's own containers are no objects."""
    return (not isinstance(value, _PLAIN) and not on_device(value)) or isinstance(value, enum.Enum)


def is_chosen(value: object) -> bool:
    """Whether a value is a text, or a type of numbers: code is generated for each."""
    if type(value) is str or isinstance(value, np.dtype):
        return True
    return isinstance(value, type) and issubclass(value, np.generic | bool | int | float | complex)


def read_as_object(name: str, first: str | None, paths: tuple[Path, ...]) -> bool:
    """Whether attributes of a parameter are read; `first` is the one that is the object of a method."""
    return name == first or any(p.root == name and named(p) for p in paths)


def named(path: Path) -> bool:
    """Whether the first step of a path is an attribute that arrays do not have."""
    return bool(path.attributes) and attribute_of_objects(path.attributes[0])


def attribute_of_objects(step: Step) -> bool:
    """Whether a step reads an attribute that arrays do not have."""
    return isinstance(step, str) and step not in OF_ARRAYS and not step.endswith("()")


def value_given(annotation: object) -> object:
    """What `T | None` says of a value that is given."""
    if get_origin(annotation) in (Union, UnionType):
        rest = [each for each in get_args(annotation) if each is not NoneType]
        return rest[0] if len(rest) == 1 else annotation
    return annotation


def declared_sequence(kind: object) -> bool:
    """Whether an annotation says that a value is a tuple, a list or another sequence."""
    found = get_origin(kind) or kind
    return isinstance(found, type) and issubclass(found, tuple | list | Sequence)


def declared_array(kind: object) -> bool:
    """Whether an annotation says that a value is an array."""
    found = get_origin(kind) or kind
    return isinstance(found, type) and issubclass(found, np.ndarray)


def distributed(function: FunctionType, name: str) -> bool:
    """Whether a parameter carries `dist`, and so wants an array."""
    found = markers.markers_of(annotation_of(function, name))[1]
    return any(isinstance(each, markers.Dist) for each in found)


def all_passed(values: Sequence[object], objects: Sequence[int]) -> bool:
    """Whether all arguments are passed on: none is a sequence or None, a text or a type, or an object at the positions
    `objects`."""
    return not any(v is None or is_chosen(v) or is_sequence(v) for v in values) and not any(
        is_object(values[k]) for k in objects
    )


def read_of_array(steps: Sequence[Step]) -> bool:
    """Whether steps read of an array only what the compiler knows."""
    return not any(attribute_of_objects(step) for step in steps) and (len(steps) == 1 or not isinstance(steps[-1], str))


def defaults_of(function: FunctionType) -> dict[str, object]:
    """The defaults of the parameters that have some."""
    given = function.__defaults__ or ()
    code = function.__code__
    names = code.co_varnames[: code.co_argcount]
    return dict(zip(names[len(names) - len(given) :], given, strict=True)) | (function.__kwdefaults__ or {})
