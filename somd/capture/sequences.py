"""Tuples and lists as a method sees them: entries by number, and the array that stands for equal ones.

In: a value of the user's. Out: whether it is a sequence whose entries Python itself gives (a tuple, a list, a
`NamedTuple`; subclasses with an own `[]` are none), and an array of its numbers, with the Python type that each of
them has. Nothing of the user's runs here.
"""

from __future__ import annotations

import warnings
from collections import OrderedDict
from typing import Any, TypeGuard

import numpy as np

from somd.arguments.signatures import SUPPORTED
from somd.capture.attributes import there

#: what a class may not define itself, to be read as the tuple that it is
_READING = ("__getitem__", "__iter__", "__len__", "__getattribute__")
#: axes of the array that stands for nested sequences, at most
_MOST_AXES = 8
#: the length of a tuple up to which it is a part of the compiled code
_SHORT = 64
_PYTHON: dict[type, str] = {bool: "bool", int: "int64", float: "float64", complex: "complex128"}
_arrays: OrderedDict[int, tuple[tuple[Any, ...], Numbers]] = OrderedDict()


class Numbers:
    """An array with the numbers of a sequence; `kind` is the Python type of each, or None for NumPy's own."""

    __slots__ = ("array", "kind")

    def __init__(self, array: np.ndarray[Any, Any], kind: type | None) -> None:
        self.array, self.kind = array, kind


class Uneven(Exception):
    """No array stands for a sequence; the text completes "`w` ...", and `instead` tells what to do."""

    def __init__(self, why: str, instead: str) -> None:
        super().__init__(why)
        self.instead = instead


def is_sequence(value: object) -> TypeGuard[tuple[Any, ...] | list[Any]]:
    """Whether a value is a tuple, a list or a `NamedTuple` whose entries are read as Python reads a tuple's.

    >>> is_sequence((1, 2)), is_sequence(range(3)), is_sequence(type("T", (tuple,), {"__len__": len})())
    (True, False, False)
    """
    kind = type(value)
    if kind is tuple or kind is list:
        return True
    if not isinstance(value, tuple) or not hasattr(kind, "_fields"):
        return False
    own = kind.__mro__[: kind.__mro__.index(tuple)]
    return not any(name in vars(each) for each in own for name in _READING)


def is_static(value: tuple[Any, ...] | list[Any]) -> bool:
    """Whether the length of a sequence is known when a method is compiled: that of a short tuple."""
    return isinstance(value, tuple) and len(value) <= _SHORT


def entry(value: tuple[Any, ...] | list[Any], number: int) -> Any:
    """The entry of a sequence.

    Raises:
        IndexError: there is none.
    """
    return tuple.__getitem__(value, number) if isinstance(value, tuple) else list.__getitem__(value, number)


def numbers_of(value: tuple[Any, ...] | list[Any]) -> Numbers:
    """The array of the numbers of a sequence, nested ones as further axes.

    Raises:
        Uneven: the numbers are of several types, rows of several lengths, or entries are no numbers.

    >>> numbers_of(((1, 2), (3, 4))).array.shape
    (2, 2)
    """
    known = _arrays.get(id(value))
    if known is not None and known[0] is value:
        return known[1]
    shape, leaves, frozen = _leaves(value)
    kinds = set(map(type, leaves))
    if len(kinds) > 1:
        names = " and ".join(sorted(f"`{_name(kind)}`" for kind in kinds))
        raise Uneven(f"holds values of different types, {names}", "give all its numbers one type: `0.0` beside `0.5`")
    made = _array(leaves, next(iter(kinds), float), shape)
    if frozen and isinstance(value, tuple) and len(leaves) > _SHORT:
        _arrays[id(value)] = value, made
        if len(_arrays) > _SHORT:
            _arrays.popitem(last=False)
    return made


def _leaves(value: tuple[Any, ...] | list[Any]) -> tuple[tuple[int, ...], list[Any], bool]:
    """The lengths along the axes, the numbers in their order, and whether all of it is tuples."""
    shape: tuple[int, ...] = (len(value),)
    rows: list[Any] = list(map(there, value))
    frozen = isinstance(value, tuple)
    while rows and any(map(is_sequence, rows)):
        if len(shape) == _MOST_AXES or not all(map(is_sequence, rows)):
            raise Uneven("holds numbers and sequences side by side", "keep them in sequences of their own")
        lengths = set(map(len, rows))
        if len(lengths) > 1:
            raise Uneven("holds rows of different lengths", "pad them, or use an array for each")
        frozen = frozen and all(isinstance(row, tuple) for row in rows)
        shape = (*shape, lengths.pop())
        rows = [there(each) for row in rows for each in row]
    return shape, rows, frozen


def _array(leaves: list[Any], kind: type, shape: tuple[int, ...]) -> Numbers:
    if kind in _PYTHON:
        try:
            return Numbers(np.array(leaves, _PYTHON[kind]).reshape(shape), kind)
        except OverflowError:
            raise Uneven("holds an integer of more than 64 bits", "use floats, or smaller numbers") from None
    if issubclass(kind, np.generic) and np.dtype(kind).name in SUPPORTED and kind is np.dtype(kind).type:
        return Numbers(np.array(leaves, kind).reshape(shape), None)
    raise Uneven(f"holds values of type `{_name(kind)}`", "a method takes numbers, and arrays of numbers")


def _name(kind: type) -> str:
    return f"np.{kind.__name__}" if issubclass(kind, np.generic) else kind.__name__


def folded(name: str, value: tuple[Any, ...] | list[Any]) -> Any:
    """`sum`, `min` or `max` of a sequence of numbers, as Python computes it.

    Raises:
        Uneven: it has none.
    """
    _, leaves, _ = _leaves(value)
    numbers = all(type(each) in _PYTHON or isinstance(each, np.generic) for each in leaves)
    if not numbers or (leaves and len(leaves) != len(value)):
        raise Uneven("holds more than numbers", "write the loop out")
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            return {"sum": sum, "min": min, "max": max}[name](value)  # type: ignore[operator]
        except (TypeError, ValueError, ArithmeticError) as error:
            raise Uneven(f"has no `{name}`: {error}", "write the loop out") from None


def names_given(step: str) -> int:
    """How many names are given to entries.

    >>> names_given("entries=2()")
    2
    """
    return int(step.partition("=")[2].removesuffix("()"))


def counts(step: str, value: tuple[Any, ...] | list[Any]) -> str | None:
    """What is wrong where names are given to the entries of a sequence (`entries=2()`), or to those of its rows."""
    wanted = names_given(step)
    counted = [value] if step.startswith("entries") else list(value)
    wrong = [len(each) if is_sequence(each) else 1 for each in counted if not is_sequence(each) or len(each) != wanted]
    if not wrong:
        return None
    return f"has {wrong[0]} {'entry' if wrong[0] == 1 else 'entries'} for {wanted} name{'s' if wanted != 1 else ''}"
