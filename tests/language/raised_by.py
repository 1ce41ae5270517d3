"""Exceptions of a user's, for the corpus."""

from __future__ import annotations


class Bad(Exception):
    """Takes anything."""


class Worse(Bad, ValueError):
    """Has a text of its own."""

    def __init__(self, what: str, *rest: object) -> None:
        super().__init__(f"{what} is worse", *rest)
        self.what = what
