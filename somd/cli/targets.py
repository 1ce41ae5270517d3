"""Options whose choices are the targets that there are, and a few words more."""

from __future__ import annotations

from typing import Any

import typer

from somd.settings.targets import DEFAULT, SEQUENTIAL, TARGETS

ALL = "all"


def choice(
    default: str | None, option: str, text: str, *, before: tuple[str, ...] = (), after: tuple[str, ...] = ()
) -> Any:
    """An option that takes the name of a target, or a word that stands before or after these in the list."""

    def choices(incomplete: str = "") -> list[str]:
        return [each for each in (*before, *TARGETS, *after) if each.startswith(incomplete)]

    def parse(value: str) -> str:
        if value not in choices():
            raise typer.BadParameter(f"{value!r} is not one of {', '.join(map(repr, choices()))}.")
        return value

    metavar = f"[{'|'.join(choices())}]"
    return typer.Option(default, option, help=text, parser=parse, metavar=metavar, autocompletion=choices)


def chosen(target: str | None) -> tuple[str, ...]:
    """The targets that an option means: one, or all; the function as written is made no code of, so the default is."""
    if target == ALL or target is None:
        return tuple(TARGETS)
    return (DEFAULT if target == SEQUENTIAL else target,)
