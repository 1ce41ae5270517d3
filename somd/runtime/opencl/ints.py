"""Python's ints where a kernel takes them: 64 bits wide, and wrapping, as they are inside of loops."""

from __future__ import annotations

from typing import Any


def wrapped(value: Any) -> Any:
    """`value` as 64 bits have it, if it is one of Python's ints.

    >>> wrapped(2**63 + 1) == -(2**63) + 1, wrapped(7), wrapped(0.5)
    (True, 7, 0.5)
    """
    if type(value) is int and not -(2**63) <= value < 2**63:
        return (value + 2**63) % 2**64 - 2**63
    return value
