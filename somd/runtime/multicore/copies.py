"""The elements of an array into another one of its shape.

Numba compiles `a[...] = b` with a text that says which shapes differ, of strings that it joins: two seconds of
processor time for the first such statement of a process, and again for each number of axes. Here nothing can differ.
"""

from __future__ import annotations

from typing import Any

from numba.extending import overload


def copy_elements(into: Any, source: Any) -> None:
    """Let each element of `into` be that of `source`; both have one shape, and share no memory."""
    raise NotImplementedError("only compiled code calls this")


@overload(copy_elements)
def _by_axes(into: Any, source: Any) -> Any:
    if into.ndim == 0:

        def copy_one(into: Any, source: Any) -> None:
            into[()] = source[()]

        return copy_one
    if into.ndim == 1:

        def copy_row(into: Any, source: Any) -> None:
            for i in range(len(source)):
                into[i] = source[i]

        return copy_row
    if into.ndim == 2:

        def copy_rows(into: Any, source: Any) -> None:
            for i in range(source.shape[0]):
                for j in range(source.shape[1]):
                    into[i, j] = source[i, j]

        return copy_rows

    def copy_parts(into: Any, source: Any) -> None:
        for i in range(len(source)):
            copy_elements(into[i], source[i])

    return copy_parts
