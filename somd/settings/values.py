"""What a target, a number of workers and a device may be, wherever they are said: file, environment, `@somd`, `use`."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Sequence

from somd.diagnostics.refusals import hidden as __tracebackhide__  # noqa: F401 - pytest asks for it
from somd.errors import SomdConfigError
from somd.settings.targets import names

MAX_WORKERS = 1024
MOST_WORK = 1 << 62
MOST_DAYS = 100_000

Device = str | tuple[str, ...]


def check_target(value: object, what: str, file: str | None = None, line: int | None = None) -> str:
    """`value` if it is a known target.

    Raises:
        SomdConfigError: SOMD603 for an unknown target, SOMD604 for something that is no string.
    """
    if not isinstance(value, str):
        raise SomdConfigError(f"{what} must be the name of a target, not {_shown(value)}", file, line, "SOMD604")
    if value not in names():
        helps = (did_you_mean(value, names(), "targets"),)
        raise SomdConfigError(f"{what} names an unknown target `{value}`", file, line, "SOMD603", helps)
    return value


def check_workers(value: object, what: str, file: str | None = None, line: int | None = None) -> int:
    """`value` if it is an int from 1 to `MAX_WORKERS`.

    Raises:
        SomdConfigError: SOMD604 for something that is no int, SOMD606 for one out of range.
    """
    if not isinstance(value, int) or isinstance(value, bool):
        raise SomdConfigError(f"{what} must be a whole number, not {_shown(value)}", file, line, "SOMD604")
    if not 1 <= value <= MAX_WORKERS:
        message = f"{what} must lie between 1 and {MAX_WORKERS}, not be {_shown(value)}"
        helps = ("leave it out to use every core that this process may use",)
        raise SomdConfigError(message, file, line, "SOMD606", helps)
    return value


def check_fastmath(value: object, what: str, file: str | None = None, line: int | None = None) -> bool:
    """`value` if it is True or False.

    Raises:
        SomdConfigError: SOMD604 otherwise.
    """
    if not isinstance(value, bool):
        raise SomdConfigError(f"{what} must be true or false, not {_shown(value)}", file, line, "SOMD604")
    return value


def check_small_work(value: object, what: str, file: str | None = None, line: int | None = None) -> int:
    """`value` if it is a number of operations: an int from 0 to `MOST_WORK`.

    Raises:
        SomdConfigError: SOMD604 otherwise.
    """
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value <= MOST_WORK:
        helps = ("operations, such as 100_000; 0 has every phase divided",)
        raise SomdConfigError(f"{what} must be a whole number from 0 to 2 ** 62", file, line, "SOMD604", helps)
    return value


def check_cache_size(value: object, what: str, file: str | None = None, line: int | None = None) -> int:
    """`value`, a number of bytes or a text such as `"500 MB"` or `"2 GiB"`, as a number of bytes.

    Raises:
        SomdConfigError: SOMD604 otherwise.
    """
    if isinstance(value, int) and not isinstance(value, bool) and value >= 0:
        return value
    text = re.fullmatch(r"\s*(\d{1,9}(?:\.\d{1,9})?)\s*([kMGT]i?)?B\s*", value) if isinstance(value, str) else None
    if text is not None:
        unit = text[2] or ""
        return int(float(text[1]) * (1024 if unit.endswith("i") else 1000) ** " kMGT".index(unit[:1] or " "))
    helps = ('a number of bytes, or a text with a unit: "500 MB", "2 GiB"',)
    raise SomdConfigError(f"{what} must be a size, not {_shown(value)}", file, line, "SOMD604", helps)


def check_cache_days(value: object, what: str, file: str | None = None, line: int | None = None) -> float:
    """`value` if it is a number of days, not negative.

    Raises:
        SomdConfigError: SOMD604 otherwise.
    """
    if not isinstance(value, int | float) or isinstance(value, bool) or not 0 <= value <= MOST_DAYS:
        raise SomdConfigError(f"{what} must be a number of days, from 0 to {MOST_DAYS}", file, line, "SOMD604")
    return float(value)


def check_device(value: object, what: str, file: str | None = None, line: int | None = None) -> Device:
    """`value` if it is a non-empty string, or a tuple of them if it is a non-empty sequence of such.

    Raises:
        SomdConfigError: SOMD604 otherwise.
    """
    if isinstance(value, str) and value:
        return value
    if isinstance(value, Sequence) and not isinstance(value, str | bytes) and value:
        names = tuple(name for name in value if isinstance(name, str) and name)
        if len(names) == len(value):
            return names
    helps = ('"gpu", "cpu", "gpu:1", part of a device\'s name, or "platform:device"; several of them in a list',)
    raise SomdConfigError(f"{what} must name a device, not be {_shown(value)}", file, line, "SOMD604", helps)


#: what sections of targets may set: see `Target.settings`
SETTINGS = {"device": check_device, "small_work": check_small_work}


def _shown(value: object) -> str:
    """A value for a message, shortened where it is long; Python writes out no int of thousands of digits."""
    if isinstance(value, int) and value.bit_length() > 1000:
        return f"a number of {value.bit_length()} bits"
    text = repr(value)
    return text if len(text) <= 200 else f"{text[:100]}... ({len(text)} characters)"


def did_you_mean(word: str, known: Iterable[str], kind: str) -> str:
    """A help that names the known word nearest to `word`, or all of them where none is near."""
    known = tuple(known)
    near = difflib.get_close_matches(word.lower(), known, n=1)
    listed = ", ".join(f"`{name}`" for name in known)
    return f"did you mean `{near[0]}`?" if near else f"the {kind} are {listed}"
