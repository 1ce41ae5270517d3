"""The exceptions of shapes that do not fit, which a call finds out about before its loops."""

from __future__ import annotations

from ast import literal_eval
from collections.abc import Sequence
from contextlib import suppress
from itertools import zip_longest
from typing import Any

import numpy as np

from somd.errors import SomdRuntimeError

#: what two shapes are: operands of one operation; an array and what it is stored in; an array that is added to in
#: place, and what is added; an array and a mask; an array of one dimension and the names that take its elements
OPERANDS, INPUT, OUTPUT, MASK, UNPACKED = "operands", "input", "output", "mask", "unpacked"
#: an index and the number of its axis, and the length of that
INDEX = "index"
#: two arrays of indexes into one array; numbers that are counted, and their weights
INDEXES, WEIGHTS = "indexes", "weights"
#: an array, and the shape of `np.broadcast_to`
REQUESTED = "requested"
#: what `np.add.at` and its like add, and the elements that they add it to
ADDED = "added"
#: what is stored, and the elements that arrays of indexes choose, or a mask in an array of one dimension
CHOSEN, UNDER = "chosen", "under"
#: begins the name of a product, of which all operands are told: `product einsum ij,jk->ik`
PRODUCT = "product "
#: begins the name of what a function writes by `out=`, with how many operands: these, `out` and `where` are told
WRITTEN = "written "
#: begins the name of a function that joins arrays, and the axis along which: `joined stack 0`
JOINED = "joined "


def long_loop(variable: str) -> SomdRuntimeError:
    """The exception of a loop whose variable has more than 32 bits, where that is relied on."""
    return SomdRuntimeError(
        f"the variable `{variable}` of a loop goes beyond 2**31; integers of 32 bits are made of it",
        "SOMD609",
    )


def misfit(what: str, first: Sequence[int], second: Sequence[int], *others: Sequence[int]) -> Exception:
    """What NumPy raises for shapes that do not go together. Lengths count as 0 where they are negative.

    Where NumPy would stretch an axis of length 1, a SomdRuntimeError: the loops that were made do not.

    >>> misfit("operands", (3,), (4,))
    ValueError('operands could not be broadcast together with shapes (3,) (4,) ')
    >>> misfit("under", (3,), (4,))
    ValueError('NumPy boolean array indexing assignment cannot assign 3 input values to the 4 output values where the mask is true')
    """  # noqa: E501
    if what == INDEX:
        return IndexError(f"index {first[0]} is out of bounds for axis {first[1]} with size {second[0]}")
    shapes = [tuple(max(0, int(n)) for n in shape) for shape in (first, second, *others)]
    if what == OPERANDS and len(shapes) > 2:
        return _choosing(shapes)
    if what.startswith(JOINED):
        return _joining(what.split()[1], int(what.split()[2]), shapes)
    if what.startswith(WRITTEN):
        return _writing(int(what.removeprefix(WRITTEN)), shapes)
    if what.startswith(PRODUCT):
        return _product(what.removeprefix(PRODUCT), shapes)
    if _stretches(what, shapes[0], shapes[1]):
        return _stretched(shapes)
    if what == ADDED:
        return ValueError("array is not broadcastable to correct shape")
    if what == CHOSEN:
        given, chosen = _told(shapes[:1]), _told(shapes[1:])
        return ValueError(
            f"shape mismatch: value array of shape {given} could not be broadcast to indexing result of shape {chosen}"
        )
    if what == UNDER:
        counts = f"{shapes[0][0]} input values to the {shapes[1][0]} output values where the mask is true"
        return ValueError(f"NumPy boolean array indexing assignment cannot assign {counts}")
    if what == WEIGHTS:
        return ValueError("The weights and list don't have the same length.")
    if what == UNPACKED:
        return _unpacking(shapes[0][0], shapes[1][0])
    one, two = (np.broadcast_to(np.zeros(()), shape) for shape in shapes)
    try:
        if what == OPERANDS:
            np.add(one, two)
        elif what == MASK:
            one[np.broadcast_to(np.False_, shapes[1])]
        elif what == INDEXES:
            np.zeros((1, 1))[tuple(np.broadcast_to(np.intp(0), shape) for shape in shapes)]
        elif what == REQUESTED:
            np.broadcast_to(one, shapes[1])
        elif what == INPUT:
            np.lib.stride_tricks.as_strided(np.zeros(1), shapes[1], (0,) * two.ndim)[...] = one
        else:
            target = np.lib.stride_tricks.as_strided(np.zeros(1), shapes[0], (0,) * one.ndim)
            np.add(target, two, out=target)
    except (ValueError, IndexError) as error:
        return error.with_traceback(None)
    if what == MASK:
        message = f"an array and a mask without elements, which NumPy takes: shapes {_told(shapes)}"
        return SomdRuntimeError(message, "SOMD610")
    raise AssertionError(f"shapes {shapes[0]} and {shapes[1]} fit")


def _choosing(shapes: Sequence[tuple[int, ...]]) -> Exception:
    """What NumPy raises for the three operands of `np.where` and `np.clip`, of which it tells all shapes."""
    test, *rest = (np.broadcast_to(np.False_, shape) for shape in shapes)
    try:
        np.where(test, *rest)
    except ValueError as error:
        return error.with_traceback(None)
    return _stretched(shapes)


def _writing(count: int, shapes: Sequence[tuple[int, ...]]) -> Exception:
    """What NumPy raises for a function of so many operands that writes into an array, under a mask if one is told."""
    with suppress(ValueError):
        if np.broadcast_shapes(*shapes) == shapes[count]:
            return _stretched(shapes)
    operands = [np.broadcast_to(np.zeros(()), shape) for shape in shapes[:count]]
    out = np.lib.stride_tricks.as_strided(np.zeros(1), shapes[count], (0,) * len(shapes[count]))
    function: Any = (np.negative, np.add, np.clip)[count - 1]
    masks = [np.broadcast_to(np.False_, shape) for shape in shapes[count + 1 :]]
    try:
        function(*operands, out=out, **dict(zip(("where",), masks, strict=False)))
    except ValueError as error:
        return error.with_traceback(None)
    raise AssertionError(f"shapes {shapes} fit")


def _stretched(shapes: Sequence[tuple[int, ...]]) -> Exception:
    message = (
        f"an axis of length 1 would be stretched, which the text of the method does not show: shapes {_told(shapes)}"
    )
    return SomdRuntimeError(f"{message}; index the axis with 0, and write `None` in its place", "SOMD610")


def _told(shapes: Sequence[tuple[int, ...]]) -> str:
    return " and ".join(str(shape).replace(" ", "") for shape in shapes)


def _joining(name: str, axis: int, shapes: Sequence[tuple[int, ...]]) -> Exception:
    """What NumPy raises for arrays that are joined."""
    try:
        getattr(np, name)([np.broadcast_to(np.zeros(()), shape) for shape in shapes], axis=axis)
    except ValueError as error:
        return error.with_traceback(None)
    raise AssertionError(f"shapes {shapes} are joined")


def _product(named: str, shapes: Sequence[tuple[int, ...]]) -> Exception:
    """What NumPy raises for a product. It is asked for small arrays first, since it computes what it takes."""
    name, _, letters = named.partition(" ")
    small = {n: k for k, n in enumerate(sorted({0, 1, *(n for shape in shapes for n in shape)}))}
    for each in ([tuple(map(small.__getitem__, shape)) for shape in shapes], shapes):
        arrays = [np.broadcast_to(np.zeros(()), shape) for shape in each]
        try:
            axes = {"axes": literal_eval(letters)} if name == "tensordot" else {}
            getattr(np, name)(*([letters] if letters and not axes else []), *arrays, **axes)
        except ValueError as error:
            raised = error.with_traceback(None)
        else:
            return _stretched(shapes)
    return raised


def _unpacking(count: int, names: int) -> Exception:
    """What Python raises where `count` elements are given to so many names."""
    try:
        exec(f"{', '.join(f'a{k}' for k in range(names))}, = range({count})", {})
    except ValueError as error:
        return error.with_traceback(None)
    raise AssertionError(f"{count} elements for {names} names")


def _stretches(what: str, first: tuple[int, ...], second: tuple[int, ...]) -> bool:
    """Whether NumPy takes two shapes."""
    if what in (MASK, UNPACKED, WEIGHTS):
        return False
    pairs = list(zip_longest(reversed(first), reversed(second), fillvalue=1))
    if what in (INPUT, REQUESTED, ADDED, CHOSEN, UNDER):
        return all(given in (taken, 1) for given, taken in pairs)
    if what == OUTPUT:
        return all(given in (taken, 1) for taken, given in pairs)
    return all(a == b or 1 in (a, b) for a, b in pairs)
