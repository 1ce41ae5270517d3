"""Calls of libraries in masters of Numba's: what a call takes and gives goes through words of 64 bits.

    words = np.empty(4, np.int64)
    give_array(words, 0, a)                     its address, lengths and strides
    words[3] = k
    call_library(functions, 0, words)           Python makes the call, and leaves what it gives
    b = taken_array(words, 0, 1, np.float64)

In: a `LibraryCall`. Out: lines of Python. `runtime/multicore/library.py` has the functions.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from somd.transforms.emit.python_text import numpy_name
from somd.transforms.loops.program import Expression, LibraryCall, Variable, Whole
from somd.transforms.types.scalars import ScalarType

#: the words that a number takes
NUMBER = 2
#: those that an array which is taken takes besides its lengths
TAKEN = 2


def library_lines(
    node: LibraryCall,
    name: Callable[[str], str],
    words: str,
    functions: str,
    text: Callable[[Expression], str],
) -> list[str]:
    """The lines of a call; `name` is what a name is in the master, `text` prints a value."""
    lines, at = [], 0
    for value in node.values:
        if isinstance(value, Whole):
            lines.append(f"give_array({words}, {at}, {name(value.array)})")
            at += 1 + 2 * value.type.ndim
        else:
            lines += _given(words, at, text(value), value.type)
            at += NUMBER
    size = max(at, sum(TAKEN + each.type.ndim if isinstance(each, Whole) else NUMBER for each in node.targets))
    taken, at = [], 0
    for target in node.targets:
        if isinstance(target, Whole):
            dtype = numpy_name(target.type.dtype)
            taken.append(f"{name(target.array)} = taken_array({words}, {at}, {target.type.ndim}, np.{dtype})")
            at += TAKEN + target.type.ndim
        else:
            taken.append(f"{name(target.name)} = {_number(words, at, target)}")
            at += NUMBER
    called = f"call_library({functions}, {node.number}, {words})"
    return [f"{words} = np.empty({size}, np.int64)", *lines, called, *taken]


def _given(words: str, at: int, text: str, kind: ScalarType) -> list[str]:
    if kind.kind in "bui":
        return [f"{words}[{at}] = {text}"]
    floats = f"{words}.view(np.float64)"
    if kind.kind == "f":
        return [f"{floats}[{at}] = {text}"]
    return [f"{floats}[{at}] = ({text}).real", f"{floats}[{at + 1}] = ({text}).imag"]


def _number(words: str, at: int, target: Variable) -> str:
    kind, dtype = target.type.kind, target.type.dtype
    if kind == "b":
        return f"{words}[{at}] != 0"
    if kind in "ui":
        return f"{words}[{at}]" if dtype == "int64" else f"np.{dtype}({words}[{at}])"
    first = f"{words}.view(np.float64)[{at}]"
    if kind == "f":
        return first if dtype == "float64" else f"np.float32({first})"
    both = f"complex({first}, {words}.view(np.float64)[{at + 1}])"
    return both if np.dtype(dtype).itemsize == 16 else f"np.complex64({both})"
