"""The one error of a benchmark's `validate`, and the comparison that raises it."""

from __future__ import annotations


class InvalidResult(Exception):
    """A benchmark computed something else than the suite's reference; the message has the figure that is off."""


def require(name: str, found: float, expected: float, tolerance: float, *, relative: bool = False) -> None:
    """Raise `InvalidResult` unless `found` lies within `tolerance` of `expected`; NaN never does."""
    allowed = tolerance * abs(expected) if relative else tolerance
    if not abs(found - expected) <= allowed:
        kind = " relative" if relative else ""
        raise InvalidResult(f"{name} is {found!r}, not {expected!r} (within{kind} {tolerance:g})")
