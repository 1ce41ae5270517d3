"""The message of an access outside its array, the same on every target."""

from __future__ import annotations

from typing import Any

#: in place of an axis: a length is negative
LENGTH = -1


def index_error(site: tuple[Any, ...], index: int | None) -> IndexError | ValueError:
    """The error for a site (file, line, array, axis, text); `index` is None where it was found before the phase.

    It is a ValueError where the site allocates an array, and `index` is a negative length.
    """
    file, line, array, axis, text = site
    if axis == LENGTH:
        return ValueError(f"negative dimensions are not allowed: {index} in `{text}` ({file}, line {line})")
    which = "an index" if index is None else f"index {index}"
    return IndexError(f"{which} of `{text}` is out of bounds for axis {axis} of `{array}` ({file}, line {line})")
