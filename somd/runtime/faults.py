"""The message of an access outside its array, and of what fails like one, the same on every target."""

from __future__ import annotations

from typing import Any

from somd.errors import SomdRuntimeError

#: in place of an axis: a length is negative
LENGTH = -1
#: in place of an axis: scalars are too far from 0
FAR = -2


def index_error(site: tuple[Any, ...], index: int | None) -> IndexError | ValueError | SomdRuntimeError:
    """The error for a site (file, line, array, axis, text, ...); `index` is None where it was found before the phase.

    It is a ValueError where the site allocates an array, and `index` is a negative length; a SomdRuntimeError where
    scalars are too far from 0.
    """
    file, line, array, axis, text = site[:5]
    if axis == LENGTH:
        return ValueError(f"negative dimensions are not allowed: {index} in `{text}` ({file}, line {line})")
    if axis == FAR:
        return SomdRuntimeError(
            f"`{array}`: more than 2**44 or less than -2**44, too far from 0 for the bounds and conditions of a loop "
            f"that are computed from it ({file}, line {line})",
            "SOMD609",
        )
    error = IndexError(out_of_bounds(site, index))
    error.somd_access = (site, index)  # type: ignore[attr-defined]  # for `calls.lengths`
    return error


def out_of_bounds(site: tuple[Any, ...], index: int | None, length: int | None = None) -> str:
    """What an IndexError says; `length` is that of the axis, where it is known.

    >>> out_of_bounds(("model.py", 3, "a", 0, "a[k]"), 12, 10)
    'index 12 of `a[k]` is out of bounds for axis 0 of `a` with size 10 (model.py, line 3)'
    """
    file, line, array, axis, text = site[:5]
    which = "an index" if index is None else f"index {index}"
    size = "" if length is None else f" with size {length}"
    return f"{which} of `{text}` is out of bounds for axis {axis} of `{array}`{size} ({file}, line {line})"
