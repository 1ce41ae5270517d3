"""The message of an access outside its array, the same on every target."""

from __future__ import annotations

from typing import Any


def index_error(site: tuple[Any, ...], index: int | None) -> IndexError:
    """The error for a site (file, line, array, axis, text); `index` is None where it was found before the phase."""
    file, line, array, axis, text = site
    which = "an index" if index is None else f"index {index}"
    return IndexError(f"{which} of `{text}` is out of bounds for axis {axis} of `{array}` ({file}, line {line})")
