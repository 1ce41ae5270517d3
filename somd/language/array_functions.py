"""NumPy's functions of whole arrays that are array statements, and what each of their arguments is.

In: a function object, or the name of a method of arrays. Out: an `ArrayFunction` with its parameters, in NumPy's order
and under NumPy's names. What they mean is the matter of `transforms/arrays`; which types they give, NumPy tells.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any, cast

import numpy as np

from somd.syntax import module_of

#: what an argument may be: an array or a number; several arrays; the entries of an array, written out; a number; an
#: integer; integers that are a shape; a constant, which the text tells; a dtype; an array of indexes, or one for each
#: axis; integers that say how much is put before and behind the axes
ARRAY, ARRAYS, ENTRIES, NUMBER, INTEGER, SHAPE, CONSTANT, DTYPE, PLACES, WIDTHS = (
    "array",
    "arrays",
    "entries",
    "number",
    "integer",
    "shape",
    "const",
    "dtype",
    "indexes",
    "widths",
)
#: what stores the value of a ufunc: `np.add(a, b, out=c)`
OUT = "ufunc with out"
#: the default of a parameter that has none
REQUIRED = object()

_SIGNATURES = """
def outer(a: array, b: array)
def inner(a: array, b: array)
def cross(a: array, b: array)
def einsum(subscripts: const, *operands: arrays, optimize: const = False)
def tensordot(a: array, b: array, axes: const = 2)
def lib.stride_tricks.sliding_window_view(x: array, window_shape: shape, axis: const = None)
def linalg.norm(x: array, ord: const = None, axis: const = None, keepdims: const = False)
def array(object: entries, dtype: dtype = None)
def tril(m: array, k: integer = 0)
def triu(m: array, k: integer = 0)
def tri(N: integer, M: integer = None, k: integer = 0, dtype: dtype = float)
def eye(N: integer, M: integer = None, k: integer = 0, dtype: dtype = float)
def identity(n: integer, dtype: dtype = None)
def arange(start: number, stop: number = None, step: number = None, dtype: dtype = None)
def linspace(start: number, stop: number, num: integer = 50, endpoint: const = True, *, dtype: dtype = None)
def tril_indices(n: integer, k: integer = 0, m: integer = None)
def triu_indices(n: integer, k: integer = 0, m: integer = None)
def nonzero(a: array)
def flatnonzero(a: array)
def diagonal(a: array, offset: integer = 0)
def trace(a: array, offset: integer = 0)
def broadcast_to(array: array, shape: shape)
def flip(m: array, axis: const = None)
def fliplr(m: array)
def flipud(m: array)
def swapaxes(a: array, axis1: const, axis2: const)
def roll(a: array, shift: integer, axis: const = None)
def repeat(a: array, repeats: integer, axis: const = None)
def tile(A: array, reps: shape)
def diff(a: array, n: const = 1, axis: const = -1)
def pad(array: array, pad_width: widths, mode: const = 'constant', *, constant_values: number = 0)
def concatenate(arrays: arrays, axis: const = 0)
def stack(arrays: arrays, axis: const = 0)
def vstack(tup: arrays)
def hstack(tup: arrays)
def column_stack(tup: arrays)
def cumsum(a: array, axis: const = None)
def cumprod(a: array, axis: const = None)
def fill_diagonal(a: array, val: number)
def bincount(x: array, weights: array = None, minlength: integer = 0)
def add.at(a: array, indices: indexes, b: array)
def subtract.at(a: array, indices: indexes, b: array)
def multiply.at(a: array, indices: indexes, b: array)
def minimum.at(a: array, indices: indexes, b: array)
def maximum.at(a: array, indices: indexes, b: array)
"""
#: functions that are methods of arrays as well
METHODS = frozenset(["nonzero", "diagonal", "trace", "swapaxes", "repeat", "cumsum", "cumprod"])
#: functions whose result is a part of their first argument
PARTS = frozenset(["diagonal", "broadcast_to", "flip", "fliplr", "flipud", "swapaxes"])
PARTS |= {"lib.stride_tricks.sliding_window_view"}
#: functions that write into their first argument, and give nothing
WRITING = frozenset([OUT, *["fill_diagonal", "add.at", "subtract.at", "multiply.at", "minimum.at", "maximum.at"]])

#: functions that tell where a triangle lies in a matrix
TRIANGLES = frozenset(["tril_indices", "triu_indices"])


@dataclass(frozen=True)
class Parameter:
    """A parameter: its name, what it takes, and its default."""

    name: str
    kind: str
    default: Any
    #: given by its name alone
    named: bool = False
    #: takes all further arguments
    rest: bool = False


@dataclass(frozen=True)
class ArrayFunction:
    """A function of NumPy, by its name below `np`."""

    name: str
    parameters: tuple[Parameter, ...]
    #: of one that is called as it is (`library`): whether its result may be in the memory of an argument
    shares: bool = False

    @property
    def function(self) -> Callable[..., Any]:
        """NumPy's function."""
        found: Any = np
        for name in self.name.split("."):
            found = getattr(found, name)
        return cast(Callable[..., Any], found)

    @property
    def gives_a_part(self) -> bool:
        """Whether its result is a part of its first argument."""
        return self.name in PARTS

    @property
    def writes(self) -> bool:
        """Whether it writes into its first argument, and gives nothing."""
        return self.name in WRITING


def _parsed(line: str) -> ArrayFunction:
    name, _, rest = line.removeprefix("def ").partition("(")
    function = module_of(f"def f({rest}: pass").body[0]
    assert isinstance(function, ast.FunctionDef)
    given = function.args
    defaults = [REQUIRED] * (len(given.args) - len(given.defaults)) + [_value(each) for each in given.defaults]
    made = [Parameter(a.arg, _kind(a), d) for a, d in zip(given.args, defaults, strict=True)]
    made += [Parameter(given.vararg.arg, _kind(given.vararg), REQUIRED, rest=True)] if given.vararg else []
    for argument, default in zip(given.kwonlyargs, given.kw_defaults, strict=True):
        made.append(
            Parameter(argument.arg, _kind(argument), REQUIRED if default is None else _value(default), named=True)
        )
    return ArrayFunction(name, tuple(made))


def _kind(node: ast.arg) -> str:
    return ast.unparse(node.annotation) if node.annotation is not None else ARRAY


def _value(node: ast.expr) -> Any:
    return float if ast.unparse(node) == "float" else ast.literal_eval(node)


@cache
def _table() -> dict[Callable[..., Any], ArrayFunction]:
    found = [_parsed(line) for line in _SIGNATURES.strip().splitlines()]
    return {each.function: each for each in found}


def array_function(function: object) -> ArrayFunction | None:
    """What NumPy's function is, if it is one of these."""
    try:
        return _table().get(function)  # type: ignore[call-overload, no-any-return]
    except TypeError:
        return None


def array_method(name: str) -> ArrayFunction | None:
    """The function whose first argument is the array of which this is a method."""
    return array_function(getattr(np, name)) if name in METHODS else None
