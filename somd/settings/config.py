"""Which target, how many workers and which device a call uses (DESIGN section 6).

In: the method's name and the options of `@somd`; the configuration file, the environment, and `with use(...)`. Later
ones of these override earlier ones: file, decorator, environment, `use`. Out: `Settings`. It does not ask whether the
target is there; falling back is the dispatcher's business.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

from somd.diagnostics.refusals import hidden as __tracebackhide__  # noqa: F401 - pytest asks for it
from somd.settings.cluster import DEFAULTS, Cluster
from somd.settings.config_file import ConfigFile, find_config_file, read_config_file
from somd.settings.targets import DEFAULT, target_of
from somd.settings.values import Device, check_device, check_fastmath, check_small_work, check_target, check_workers

__all__ = ["Settings", "config_file", "reload_config", "settings_for", "use"]

_CACHE_LIMIT = 4096


@dataclass(frozen=True)
class Settings:
    """What a call uses, and in words where each value comes from: `default`, `somd.toml:3`, `SOMD_TARGET`, ..."""

    target: str
    workers: int
    device: Device | None
    target_origin: str = "default"
    workers_origin: str = "default"
    device_origin: str = "default"
    #: operations under which a phase is run by one MI; None: as measured for the threading layer
    small_work: int | None = None
    #: whether calls are recorded, by `somd.profile`
    profiled: bool = False
    #: whether sums of floats may be rounded and added up in other ways than the text says
    fastmath: bool = False
    fastmath_origin: str = "default"

    def device_of(self, target: str) -> Device | None:
        """The device for a target; None where it has none."""
        return self.device if "device" in target_of(target).settings else None


class _Override(NamedTuple):
    target: str | None = None
    workers: int | None = None
    device: Device | None = None
    small_work: int | None = None
    fastmath: bool | None = None


class _Environment(NamedTuple):
    """The variables as they are in the process: raw, because decoding them costs more than the whole lookup."""

    config: bytes | str | None
    target: bytes | str | None
    workers: bytes | str | None
    small_work: bytes | str | None


_CACHE_SIZE, _CACHE_DAYS = 1 << 30, 90.0
_NOTHING = _Override()
_override: ContextVar[_Override] = ContextVar("somd_use", default=_NOTHING)
_overrides: dict[_Override, _Override] = {}
_settings: dict[tuple[object, ...], Settings] = {}
#: how often the file was to be read again
_readings = 0
#: how many blocks are profiled at the moment, in whatever thread
_profiles = 0
_files: dict[tuple[str, bytes | str | None], ConfigFile | None] = {}


def settings_for(
    qualified_name: str,
    module: str,
    decorator_target: str | None = None,
    decorator_workers: int | None = None,
    decorator_fastmath: bool | None = None,
) -> Settings:
    """The settings of a call, made now, of the method `qualified_name` (`__qualname__`) of `module`.

    Raises:
        SomdConfigError: the file, a variable or an option is wrong (SOMD601 to SOMD606).
    """
    environment = _environment()
    override = _override.get()
    decorated = _Override(decorator_target, decorator_workers, fastmath=decorator_fastmath)
    key = (qualified_name, module, decorated, environment, override, working_folder())
    found = _settings.get(key)
    if found is None:
        found = _resolve(qualified_name, module, decorated, environment, override)
        if len(_settings) >= _CACHE_LIMIT:
            _settings.clear()
        _settings[key] = found
    return found


class Grounds(NamedTuple):
    """What settings depend on: they are the same as long as these are the same objects, and the folder is the same.

    `names` are entries of dictionaries, None where there is none.
    """

    names: list[tuple[dict[Any, Any], object, object]]
    context: tuple[ContextVar[_Override], _Override]
    folder: str


class MethodSettings:
    """Calling it gives the settings of a call, made now, of one method; the arguments are those of `settings_for`."""

    __slots__ = ("_last", "_method")

    def __init__(
        self,
        qualified_name: str,
        module: str,
        target: str | None,
        workers: int | None,
        fastmath: bool | None = None,
    ) -> None:
        self._method = (qualified_name, module, target, workers, fastmath)
        #: what the settings of the last call depended on, and the settings: together, for threads may differ
        self._last: tuple[tuple[Any, ...], Settings] | None = None

    def __call__(self) -> Settings:
        """The settings.

        Raises:
            SomdConfigError: as for `settings_for`.
        """
        raw = _raw_environment
        environment = _environment() if raw is None else tuple(map(raw.get, _VARIABLES))
        try:  # as `working_folder`, without the call: each call of a method comes here
            folder = os.getcwd()
        except OSError:
            folder = ""
        seen = (environment, _override.get(), folder, _readings)
        last = self._last
        if last is None or last[0] != seen:
            self._last = last = (seen, settings_for(*self._method))
        return last[1]

    def grounds(self, settings: Settings) -> Grounds | None:
        """What settings that have come from here depend on; None where that is not known any more."""
        last, raw = self._last, _raw_environment
        if last is None or last[1] is not settings or type(raw) is not dict:
            return None
        (environment, override, folder, readings), _ = last
        names = [(raw, name, value) for name, value in zip(_VARIABLES, environment, strict=True)]
        return Grounds([*names, (globals(), "_readings", readings)], (_override, override), folder)


def use(
    *,
    target: str | None = None,
    workers: int | None = None,
    device: str | Sequence[str] | None = None,
    small_work: int | None = None,
    fastmath: bool | None = None,
) -> AbstractContextManager[None]:
    """Override target, workers or device for the calls made inside a `with` block, in this thread and task only.

    `small_work` is the number of operations under which a phase is not worth dividing, on multicore; with 0 all phases
    are divided, which tests of small arrays want. `fastmath` tells whether sums may be rounded and added up in other
    ways than the text says, as `@somd(fastmath=True)` does.

    Blocks may be nested; what an inner one leaves out it takes from the outer.

    Raises:
        SomdConfigError: an unknown target (SOMD603), a wrong value (SOMD604), workers out of range (SOMD606).
    """
    chosen = _Override(
        None if target is None else check_target(target, "`use(target=...)`"),
        None if workers is None else check_workers(workers, "`use(workers=...)`"),
        None if device is None else check_device(device, "`use(device=...)`"),
        None if small_work is None else check_small_work(small_work, "`use(small_work=...)`"),
        None if fastmath is None else check_fastmath(fastmath, "`use(fastmath=...)`"),
    )
    return _using(chosen)


def _same_one(override: _Override) -> _Override:
    """The object that stands for all equal ones: calls in machine code compare what they depend on by identity."""
    if len(_overrides) >= _CACHE_LIMIT:
        _overrides.clear()
    return _overrides.setdefault(override, override)


@contextmanager
def _using(chosen: _Override) -> Iterator[None]:
    outer = _override.get()
    given = {name: value for name, value in chosen._asdict().items() if value is not None}
    token = _override.set(_same_one(outer._replace(**given)))
    try:
        yield
    finally:
        _override.reset(token)


def config_file() -> ConfigFile | None:
    """The configuration file that holds in the working folder, read once for each folder; None if there is none.

    Raises:
        SomdConfigError: it is broken (SOMD601) or holds a wrong key or value (SOMD602 to SOMD606).
    """
    folder = working_folder()
    raw = _environment().config
    key = (folder, raw)
    if key not in _files:
        named = os.environ.get("SOMD_CONFIG")
        _files[key] = _read(folder, named)
    return _files[key]


def cache_limits() -> tuple[int, float]:
    """How many bytes the cache may hold, and for how many days it keeps what is not used.

    Raises:
        SomdConfigError: as for `config_file`.
    """
    file = config_file()
    size = file.cache_size if file is not None else None
    days = file.cache_days if file is not None else None
    return _CACHE_SIZE if size is None else size, _CACHE_DAYS if days is None else days


def cluster() -> Cluster:
    """What networks and memory are taken to be.

    Raises:
        SomdConfigError: as for `config_file`.
    """
    file = config_file()
    return DEFAULTS if file is None else file.cluster


def profiling(more: int) -> None:
    """So many more blocks are profiled from now on: calls of all threads are recorded while there are some."""
    global _profiles
    _profiles += more
    reload_config()


def _read(folder: str, named: str | None) -> ConfigFile | None:
    if named:
        return read_config_file(Path(folder, named))
    return find_config_file(Path(folder)) if folder else None


def reload_config() -> None:
    """Forget what was read, so that the next call finds and reads the configuration file again."""
    global _readings
    _readings += 1
    _settings.clear()
    _files.clear()


def _resolve(
    qualified_name: str,
    module: str,
    decorated: _Override,
    environment: _Environment,
    override: _Override,
) -> Settings:
    settings = Settings(DEFAULT, _available_cores(), None)
    config = config_file()
    if config is not None:
        settings = _with_file(settings, config, names_of(qualified_name, module))
    if decorated.target is not None:
        target = check_target(decorated.target, "`@somd(target=...)`")
        settings = replace(settings, target=target, target_origin="@somd(target=...)")
    if decorated.workers is not None:
        workers = check_workers(decorated.workers, "`@somd(workers=...)`")
        settings = replace(settings, workers=workers, workers_origin="@somd(workers=...)")
    if decorated.fastmath is not None:
        settings = replace(settings, fastmath=decorated.fastmath, fastmath_origin="@somd(fastmath=...)")
    settings = _with_override(_with_environment(settings, environment), override)
    settings = replace(settings, profiled=_profiles > 0)
    return settings if config is None else _with_sections(settings, config)


def _with_file(settings: Settings, config: ConfigFile, names: Sequence[str]) -> Settings:
    rule = config.rule_for(names)
    fast = config.rule_for(names, "fastmath")
    if fast is not None:
        origin = f"{fast.origin} (rule {fast.pattern!r})"
        settings = replace(settings, fastmath=bool(fast.fastmath), fastmath_origin=origin)
    if rule is not None and rule.target is not None:
        settings = replace(settings, target=rule.target, target_origin=f"{rule.origin} (rule {rule.pattern!r})")
    elif config.default is not None:
        settings = replace(settings, target=config.default, target_origin=config.default_origin)
    if config.workers is not None:
        settings = replace(settings, workers=config.workers, workers_origin=config.workers_origin)
    return settings


def _with_sections(settings: Settings, config: ConfigFile) -> Settings:
    """What the sections of targets say, where nothing that overrides the file does."""
    device, origin = config.setting("device", settings.target)
    if settings.device is None and device is not None:
        settings = replace(settings, device=device, device_origin=origin)
    if settings.small_work is None:
        settings = replace(settings, small_work=config.setting("small_work", settings.target)[0])
    return settings


def _with_environment(settings: Settings, environment: _Environment) -> Settings:
    if environment.target:
        target = check_target(os.environ["SOMD_TARGET"], "`SOMD_TARGET`")
        settings = replace(settings, target=target, target_origin="SOMD_TARGET")
    if environment.workers:
        number = _number(os.environ["SOMD_WORKERS"])
        settings = replace(settings, workers=check_workers(number, "`SOMD_WORKERS`"), workers_origin="SOMD_WORKERS")
    if environment.small_work:
        number = _number(os.environ["SOMD_SMALL_WORK"])
        settings = replace(settings, small_work=check_small_work(number, "`SOMD_SMALL_WORK`"))
    return settings


def _number(text: str) -> object:
    """The whole number that a variable holds, or else its text; of more digits than Python converts, too."""
    text = text.strip()
    return int(text) if text.removeprefix("-").isdecimal() and len(text) < 100 else text


def _with_override(settings: Settings, override: _Override) -> Settings:
    if override.target is not None:
        settings = replace(settings, target=override.target, target_origin="somd.use(target=...)")
    if override.workers is not None:
        settings = replace(settings, workers=override.workers, workers_origin="somd.use(workers=...)")
    if override.device is not None:
        settings = replace(settings, device=override.device, device_origin="somd.use(device=...)")
    if override.small_work is not None:
        settings = replace(settings, small_work=override.small_work)
    if override.fastmath is not None:
        settings = replace(settings, fastmath=override.fastmath, fastmath_origin="somd.use(fastmath=...)")
    return settings


def names_of(qualified_name: str, module: str) -> tuple[str, ...]:
    """The names by which rules may call a method: its dotted name and every tail of that with a dot in it.

    >>> names_of("SOR.run", "grande.sor")
    ('grande.sor.SOR.run', 'sor.SOR.run', 'SOR.run')

    In a script, `__main__` goes by the name of its file.
    """
    if module == "__main__":
        file = getattr(sys.modules.get("__main__"), "__file__", None)
        module = Path(file).stem if file else module
    parts = [part for part in f"{module}.{qualified_name}".split(".") if part != "<locals>"]
    return tuple(".".join(parts[start:]) for start in range(len(parts) - 1))


def _available_cores() -> int:
    """The cores that this process may use, which a batch system or a container may have made fewer."""
    affinity = getattr(os, "sched_getaffinity", None)
    return len(affinity(0)) if affinity is not None else os.cpu_count() or 1


def working_folder() -> str:
    """The working folder; "" where it has been deleted, and holds no configuration."""
    try:
        return os.getcwd()
    except OSError:
        return ""


_raw_environment = getattr(os.environ, "_data", None)
_encode = getattr(os.environ, "encodekey", str)
_NAMES = ("SOMD_CONFIG", "SOMD_TARGET", "SOMD_WORKERS", "SOMD_SMALL_WORK")
_VARIABLES = tuple(_encode(name) for name in _NAMES)


def _environment() -> _Environment:
    raw = _raw_environment
    if raw is None:
        return _Environment(*map(os.environ.get, _NAMES))
    return _Environment(*map(raw.get, _VARIABLES))
