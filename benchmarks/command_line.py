"""What the command lines of the benchmarks have in common: the types of options."""

from __future__ import annotations

import argparse
from collections.abc import Collection


def count(text: str) -> int:
    """A positive number."""
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a positive number")
    return int(text)


def one_of(name: str, known: Collection[str]) -> str:
    """A name that is known."""
    if name not in known:
        raise argparse.ArgumentTypeError(f"{name!r} is not one of {', '.join(known)}")
    return name
