"""What each generated module in the cache was made of, so that one can tell why another is made.

A record is a JSON file beside the module: method, place, target, signature, and the parts of the key, long ones as
hashes. In: a method and its specialisation. Out: records; and what is different between one and a method as it stands.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import FunctionType
from typing import Any

from somd.cache.keys import key_parts, versions, versions_of
from somd.capture.reach import Reach
from somd.runtime.folders import cache_folder, read_own, write_whole
from somd.settings.targets import TARGETS

_LONGEST = 60


@dataclass(frozen=True)
class Record:
    """A generated module: its file, and what it was made of; `parts` is empty for one without a record."""

    path: Path
    qualname: str
    file: str
    target: str
    signature: tuple[str, ...]
    aliases: tuple[tuple[str, str], ...]
    parts: Mapping[str, str]


def keep_record(
    path: Path,
    function: FunctionType,
    found: Reach,
    target: str,
    signature: Sequence[str],
    aliases: Sequence[tuple[str, str]],
) -> None:
    """Write the record of the module `path`; a cache that cannot be written has none."""
    parts = current_parts(function, found, target)
    if parts is None:
        return
    made = {
        "qualname": function.__qualname__,
        "file": function.__code__.co_filename,
        "target": target,
        "signature": list(signature),
        "aliases": [list(pair) for pair in aliases],
        "parts": parts,
    }
    write_whole(path.with_suffix(".json"), json.dumps(made).encode())


def current_parts(function: FunctionType, found: Reach, target: str) -> dict[str, str] | None:
    """The parts of the key of a module as they are now, by what they are about."""
    parts = key_parts(function, found)
    if parts is None:
        return None
    return {label: _short(text) for label, text in (*versions(), *versions_of(target), *parts)}


def records() -> Iterator[Record]:
    """Every generated module in the cache, the newest first."""
    found = [p for target in TARGETS for p in cache_folder(target).glob("*.py")]
    for path in sorted(found, key=_time, reverse=True):
        yield _record(path)


def differences(record: Record, parts: Mapping[str, str]) -> list[str]:
    """What is not as it was when the module was made, in words."""
    said = []
    for label in dict.fromkeys((*record.parts, *parts)):
        before, now = record.parts.get(label), parts.get(label)
        if before == now:
            continue
        if before is None or now is None:
            said.append(f"{label}: {'new' if before is None else 'gone'}")
        elif before.startswith("sha256:") or now.startswith("sha256:"):
            said.append(f"{label}: changed")
        else:
            said.append(f"{label}: {_shown(now)}, was {_shown(before)}")
    return said


def _record(path: Path) -> Record:
    target = path.parent.name
    try:
        made: Any = json.loads(read_own(path.with_suffix(".json")) or b"")
        aliases = tuple((str(one), str(other)) for one, other in made["aliases"])
        return Record(path, made["qualname"], made["file"], target, tuple(made["signature"]), aliases, made["parts"])
    except (ValueError, KeyError, TypeError):
        return Record(path, path.stem.rpartition("_")[0], "", target, (), (), {})


def _short(text: str) -> str:
    return text if len(text) <= _LONGEST else f"sha256:{hashlib.sha256(text.encode()).hexdigest()[:16]}"


def _shown(text: str) -> str:
    """A part without the name of what it is about."""
    for mark in ("=", " = "):
        if mark in text:
            text = text.partition(mark)[2]
    kind, colon, value = text.partition(":")
    return value if colon and kind.isidentifier() else text


def _time(path: Path) -> float:
    try:
        return path.stat().st_mtime
    except OSError:
        return 0.0
