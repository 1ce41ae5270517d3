"""`somdc config`: which target, workers and device hold for which method, and why."""

from __future__ import annotations

import os
from collections.abc import Iterator

import typer

from somd.cli.files import is_dotted
from somd.cli.output import say, table
from somd.cli.translate import loaded_methods
from somd.diagnostics.render import shown_path
from somd.settings.config import Settings, config_file, names_of, settings_for
from somd.settings.config_file import ConfigFile, Rule
from somd.sources.load import Method, function_of

VARIABLES = ("SOMD_CONFIG", "SOMD_TARGET", "SOMD_WORKERS", "SOMD_CACHE_DIR")


def config(
    paths: list[str] | None = typer.Argument(
        None, help="Files, folders, FILE:FUNCTION, or names such as SOR.run.", metavar="[PATH|NAME]..."
    ),
    whole: bool = typer.Option(False, "--import", help="Import the files as Python does: all their statements run."),
) -> None:
    """Show the configuration that holds here, and for each method which rule won and why.

    The program is not run: what the methods need of it is evaluated as long as that has no effects.
    """
    file = config_file()
    say(f"file: {shown_path(str(file.path)) if file else 'none (no somd.toml, no [tool.somd] here or above)'}")
    for line in _file(file) if file else ():
        say(f"  {line}")
    given = {name: os.environ[name] for name in VARIABLES if name in os.environ}
    say(f"environment: {', '.join(f'{k}={v}' for k, v in given.items()) or 'nothing set'}")
    if not paths:
        say("any method without a rule")
        for line in _settings(settings_for("a_method", "a_module"), file, ()):
            say(line)
        return
    for path in paths:
        if is_dotted(path) and not os.path.exists(path):
            module, _, name = path.rpartition(".") if path.count(".") < 2 else path.partition(".")
            say(path)
            for line in _settings(settings_for(path, module), file, (path, name)):
                say(line)
            continue
        for loaded, methods in loaded_methods([path], whole=whole):
            for method in methods:
                function = function_of(method)
                say(f"{function.__qualname__} ({shown_path(str(loaded.path))}:{function.__code__.co_firstlineno})")
                names = names_of(function.__qualname__, function.__module__)
                settings = settings_for(function.__qualname__, function.__module__, *method.options)
                for line in _settings(settings, file, names, method):
                    say(line)


def _file(file: ConfigFile) -> Iterator[str]:
    rows: list[tuple[str, object, str]] = [("default", file.default, file.default_origin)]
    rows.append(("workers", file.workers, file.workers_origin))
    rows += [(key, value, origin) for _, key, value, origin in file.sections]
    said = [(name, str(value), origin) for name, value, origin in rows if value is not None]
    said += [(f"rule {rule.pattern!r}", rule.text, rule.origin) for rule in file.rules]
    yield from table(said).splitlines()


def _settings(
    settings: Settings, file: ConfigFile | None, names: tuple[str, ...], method: Method | None = None
) -> Iterator[str]:
    rows = [("target", settings.target, _why(settings, file, names))]
    rows.append(("workers", str(settings.workers), _origin(settings.workers_origin, "the cores of this process")))
    device = settings.device if settings.device is not None else "the preferred one"
    rows.append(("device", str(device), _origin(settings.device_origin, "nothing is said")))
    if settings.fastmath_origin != "default":
        rows.append(("fastmath", str(settings.fastmath).lower(), settings.fastmath_origin))
    yield from table(rows, indent="  ").splitlines()
    if file is not None:
        yield from _losers(settings, file, names, method)


def _origin(origin: str, default: str) -> str:
    return default if origin == "default" else origin


def _why(settings: Settings, file: ConfigFile | None, names: tuple[str, ...]) -> str:
    """Where the target comes from, and what made a rule win."""
    rule = file.rule_for(names) if file is not None else None
    if rule is None or not _is_of(settings, rule):
        return _origin(settings.target_origin, "the default of somd")
    rules = [other for other in file.rules if other.target is not None] if file is not None else []
    others = sum(other.matches(names) for other in rules) - 1
    exact = rule.specificity[0]
    how = "an exact name" if exact else "the only rule that matches" if not others else "the most specific that matches"
    return f"{settings.target_origin}: {how}"


def _losers(settings: Settings, file: ConfigFile, names: tuple[str, ...], method: Method | None) -> Iterator[str]:
    """What else says something of the target."""
    winner = settings.target_origin
    matching = [rule for rule in file.rules if rule.matches(names) and not _is_of(settings, rule)]
    lost = [(f"rule {rule.pattern!r}", rule.target, rule.origin) for rule in matching if rule.target is not None]
    if file.default is not None and file.default_origin != winner:
        lost.append(("default", file.default, file.default_origin))
    decorated = method.options[0] if method is not None else None
    if decorated is not None and winner != "@somd(target=...)":
        lost.insert(0, ("@somd", decorated, "decorator"))
    for what, target, origin in lost:
        yield f"    overridden: {what} = {target} ({origin})"


def _is_of(settings: Settings, rule: Rule) -> bool:
    """Whether the target comes from this rule."""
    return settings.target_origin.startswith(f"{rule.origin} ")
