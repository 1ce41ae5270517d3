"""Finding and reading the configuration file: `somd.toml`, or `[tool.somd]` in `pyproject.toml`.

In: a folder or a file. Out: a checked `ConfigFile`, each value with the text that tells where it stands. What
overrides the file is the business of `somd.settings.config`.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from somd.errors import SomdConfigError
from somd.settings.cluster import DEFAULTS, Cluster, check_positive
from somd.settings.targets import TARGETS, target_of
from somd.settings.values import (
    SETTINGS,
    check_cache_days,
    check_cache_size,
    check_fastmath,
    check_target,
    check_workers,
    did_you_mean,
)

KEYS = ("default", "workers", "rules", "cache", "cluster")
CACHE_KEYS = ("size", "days")
#: what the table of a rule may have
RULE_KEYS = ("target", "fastmath")

_PROJECT_HEADER = re.compile(r"^\s*\[\s*tool\s*\.\s*somd\b", re.MULTILINE)


@dataclass(frozen=True)
class Rule:
    """`pattern = target` from `[rules]`, or `pattern = {target = ..., fastmath = ...}` with either or both; the pattern
    is a name or has the wildcards of `fnmatch`."""

    pattern: str
    target: str | None
    origin: str
    fastmath: bool | None = None

    @property
    def text(self) -> str:
        """What it says."""
        said = [] if self.target is None else [self.target]
        return ", ".join([*said, *([] if self.fastmath is None else [f"fastmath = {str(self.fastmath).lower()}"])])

    @property
    def specificity(self) -> tuple[bool, int]:
        """Exact names before wildcards, then the pattern with more literal characters."""
        wild = any(character in self.pattern for character in "*?[")
        return not wild, len(re.sub(r"\[[^\]]*\]|[*?]", "", self.pattern))

    def matches(self, names: Iterable[str]) -> bool:
        return any(fnmatchcase(name, self.pattern) for name in names)


#: what the section of a target says: target, key, value, origin
_Said = tuple[str, str, Any, str]


@dataclass(frozen=True)
class ConfigFile:
    """What a configuration file says; None where it is silent. Origins read `somd.toml:3`."""

    path: Path
    default: str | None = None
    default_origin: str = ""
    workers: int | None = None
    workers_origin: str = ""
    cache_size: int | None = None
    cache_days: float | None = None
    cluster: Cluster = DEFAULTS
    rules: tuple[Rule, ...] = ()
    sections: tuple[_Said, ...] = ()

    def setting(self, key: str, target: str) -> tuple[Any, str]:
        """What the section of `target` says, or else that of another one, and where: (None, "") where none does."""
        said = [each for each in self.sections if each[1] == key]
        _, _, value, origin = min(said, key=lambda each: each[0] != target, default=("", key, None, ""))
        return value, origin

    def rule_for(self, names: Iterable[str], what: str = "target") -> Rule | None:
        """The most specific rule that matches one of `names` and says `what`; of equals, the one further down in the
        file."""
        names = tuple(names)
        matching = [rule for rule in self.rules if rule.matches(names) and getattr(rule, what) is not None]
        return max(reversed(matching), key=lambda rule: rule.specificity, default=None)


def find_config_file(folder: Path) -> ConfigFile | None:
    """The configuration that holds in `folder`: the first file found there or in the folders above.

    Raises:
        SomdConfigError: the file found is broken (SOMD601) or holds a wrong key or value (SOMD602 to SOMD606).
    """
    for place in (folder, *folder.parents):
        if (place / "somd.toml").is_file():
            return read_config_file(place / "somd.toml")
        if (place / "pyproject.toml").is_file():
            config = _project_config(place / "pyproject.toml")
            if config is not None:
                return config
    return None


def read_config_file(path: Path) -> ConfigFile:
    """The configuration in `path`, whatever its name; in a `pyproject.toml`, what stands under `[tool.somd]`.

    Raises:
        SomdConfigError: as for `find_config_file`; SOMD601 also where there is no such file.
    """
    if path.exists() and not path.is_file():  # reading a pipe would wait for ever
        what = "a folder" if path.is_dir() else "no regular file"
        raise SomdConfigError(f"cannot read the configuration file: it is {what}", str(path))
    try:
        text = path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise SomdConfigError(f"cannot read the configuration file: {error.strerror or error}", str(path)) from None
    except UnicodeDecodeError as error:
        line = error.object[: error.start].count(b"\n") + 1
        raise SomdConfigError("the configuration file is not UTF-8 text", str(path), line) from None
    table = _parse(path, text)
    if path.name == "pyproject.toml":
        return _Reader(path, text, "tool.somd").config(_tool_table(table) or {})
    return _Reader(path, text, "").config(table)


def _project_config(path: Path) -> ConfigFile | None:
    """The `[tool.somd]` of a project file, or None. Other people's errors in that file are not ours to report."""
    try:
        text = path.read_text(encoding="utf-8-sig")
        if "somd" not in text or _tool_table(_parse(path, text)) is None:
            return None
    except (OSError, UnicodeDecodeError):
        return None
    except SomdConfigError:
        if not _PROJECT_HEADER.search(text):
            return None
        raise
    return read_config_file(path)


def _parse(path: Path, text: str) -> dict[str, object]:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        where = re.search(r" \(at (?:line (\d+), column \d+|end of document)\)", str(error))
        line = int(where[1]) if where and where[1] else len(text.splitlines()) or 1
        message = str(error)[: where.start()] if where else str(error)
        helps = ('a string stands in quotes: default = "multicore"',) if "Invalid value" in message else ()
        raise SomdConfigError(f"not valid TOML: {message}", str(path), line, "SOMD601", helps) from None
    except ValueError:  # what Python says of too many digits
        digits = re.search(r"[\d_]{4000,}", text)
        line = text.count("\n", 0, digits.start()) + 1 if digits else 1
        raise SomdConfigError("a number has too many digits", str(path), line, "SOMD601") from None
    except RecursionError:
        raise SomdConfigError("not valid TOML: nested too deeply to be parsed", str(path), 1, "SOMD601") from None


def _tool_table(table: Mapping[str, object]) -> object:
    tool = table.get("tool")
    return tool.get("somd") if isinstance(tool, dict) else None


class _Reader:
    """Checks a parsed file and finds the lines of its keys again, which `tomllib` does not keep."""

    def __init__(self, path: Path, text: str, root: str) -> None:
        self.path = path
        self.lines = text.splitlines()
        self.root = root

    def config(self, table: object) -> ConfigFile:
        keys = {name: target_of(name).settings for name in TARGETS if target_of(name).settings}
        top = self._table(table, "", (*KEYS, *keys))
        sections = [self._section(top, name, known) for name, known in keys.items()]
        cache = self._table(top.get("cache", {}), "cache", CACHE_KEYS)
        size, days = cache.get("size"), cache.get("days")
        cluster = self._table(top.get("cluster", {}), "cluster", Cluster._fields)
        default, workers = top.get("default"), top.get("workers")
        return ConfigFile(
            path=self.path,
            default=None if default is None else check_target(default, *self._place("default")),
            default_origin=self._origin("default"),
            workers=None if workers is None else check_workers(workers, *self._place("workers")),
            workers_origin=self._origin("workers"),
            cache_size=None if size is None else check_cache_size(size, *self._place("size", "cache")),
            cache_days=None if days is None else check_cache_days(days, *self._place("days", "cache")),
            cluster=Cluster(**{k: check_positive(v, *self._place(k, "cluster")) for k, v in cluster.items()}),
            rules=tuple(self._rule(*entry) for entry in _flat(self._table(top.get("rules", {}), "rules", None))),
            sections=tuple(each for section in sections for each in section),
        )

    def _section(self, top: Mapping[str, object], target: str, keys: tuple[str, ...]) -> list[_Said]:
        """What the section of a target says."""
        return [
            (target, key, SETTINGS[key](value, *self._place(key, target)), self._origin(key, target))
            for key, value in self._table(top.get(target, {}), target, keys).items()
        ]

    def _rule(self, pattern: str, target: object) -> Rule:
        shown, file, line = self._place(pattern, "rules")
        if not re.search(r"[.*?\[]", pattern):
            helps = (f'write `"module.{pattern}"`, or `"*.{pattern}"` for a function of any module',)
            raise SomdConfigError(f"no method is called {shown}: its name has a dot", file, line, "SOMD604", helps)
        origin = self._origin(pattern, "rules")
        if not isinstance(target, dict):
            return Rule(pattern, check_target(target, shown, file, line), origin)
        said = self._table(target, f"rules.{pattern}", RULE_KEYS)
        named, fast = said.get("target"), said.get("fastmath")
        return Rule(
            pattern,
            None if named is None else check_target(named, f"`target` of {shown}", file, line),
            origin,
            None if fast is None else check_fastmath(fast, f"`fastmath` of {shown}", file, line),
        )

    def _table(self, value: object, section: str, known: tuple[str, ...] | None) -> dict[str, object]:
        name = ".".join(part for part in (self.root, section) if part)
        if not isinstance(value, dict):
            helps = (f"write `[{name}]` on a line of its own, and the keys below it",)
            raise SomdConfigError(f"`{name}` must be a table", str(self.path), self._line(section), "SOMD604", helps)
        for key in value if known is not None else ():
            if key not in (known or ()):
                where = f" in `[{name}]`" if name else ""
                helps = (did_you_mean(key, known or (), "keys"),)
                raise SomdConfigError(
                    f"unknown key `{key}`{where}", str(self.path), self._line(key, section), "SOMD602", helps
                )
        return value

    def _place(self, key: str, section: str = "") -> tuple[str, str, int]:
        """What the checks need for their messages: the key as shown, the file, the line."""
        return f"`{key}`", str(self.path), self._line(key, section)

    def _origin(self, key: str, section: str = "") -> str:
        return f"{self.path.name}:{self._line(key, section)}"

    def _line(self, key: str, section: str = "") -> int:
        """The line (from 1) of `key` in `section`, of the section where the key is not found, or 1."""
        table = ".".join(part for part in (self.root, section) if part)
        wanted = f"{table}.{key}" if table else key
        found, header = 0, ""
        for number, line in enumerate(self.lines, 1):
            if match := re.match(r"\s*\[+\s*([^\]]*?)\s*\]", line):
                header = _plain(match[1])
                name = header
            elif match := re.match(r"""\s*((?:"[^"]*"|'[^']*'|[\w.-]|\s)+?)\s*=""", line):
                name = f"{header}.{_plain(match[1])}" if header else _plain(match[1])
            else:
                continue
            if name == wanted:
                return number
            if not found and table and name == table:
                found = number
        return found or 1


def _flat(table: Mapping[str, object], prefix: str = "") -> Iterator[tuple[str, object]]:
    """The entries of `table`; `SOR.run` without quotes, a table in a table to TOML, is meant as one name."""
    for key, value in table.items():
        if isinstance(value, dict) and not (value and set(value) <= {*RULE_KEYS}):
            yield from _flat(value, f"{prefix}{key}.")
        else:
            yield f"{prefix}{key}", value


def _plain(key: str) -> str:
    """A TOML key without quotes and blanks around its dots."""
    return re.sub(r"\s*\.\s*", ".", key.replace('"', "").replace("'", "")).strip()
