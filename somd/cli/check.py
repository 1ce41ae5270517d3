"""`somdc check`: the diagnostics of files and folders; the program is not run unless --import says so."""

from __future__ import annotations

import contextlib
import enum
import time
from collections.abc import Iterator
from pathlib import Path

import typer

from somd.cli.files import mentions_somd, python_files
from somd.cli.formats import as_github, as_json, as_text
from somd.cli.output import Problem, progress, remark, say, show
from somd.errors import SomdCompileError, SomdError
from somd.sources.checking import Checked, MethodCheck
from somd.sources.load import load
from somd.sources.problems import FileProblem

#: seconds between two looks at files that are watched
PAUSE = 0.3


class Format(enum.StrEnum):
    """How diagnostics are written."""

    text = "text"
    json = "json"
    github = "github"


def check(
    paths: list[Path] = typer.Argument(help="Files, and folders to look through.", metavar="PATH..."),
    form: Format = typer.Option(Format.text, "--format", help="How to write what is found."),
    quiet: bool = typer.Option(False, "--quiet", "-q", help="No summary."),
    whole: bool = typer.Option(False, "--import", help="Import the files as Python does: all their statements run."),
    fix: bool = typer.Option(False, "--fix", help="Apply helps that are edits, those that leave fewer errors."),
    none: bool = typer.Option(False, "--allow-none", help="Files without SOMD methods are no error."),
    watch: bool = typer.Option(False, "--watch", help="Check again whenever a file changes, until interrupted."),
) -> None:
    """Check SOMD methods: diagnostics only; exit status 1 if there are errors.

    What the source shows is checked, and declared signatures; types of arguments are checked by a call. The program is
    not run: what the methods need of it is evaluated as long as that has no effects. With --import the files are
    imported instead.
    """
    while watch:
        seen = states(paths)
        _checked(paths, form, quiet, whole, fix, none)
        remark("waiting for changes")
        while states(paths) == seen:
            time.sleep(PAUSE)
    if not _checked(paths, form, quiet, whole, fix, none):
        raise typer.Exit(1)


def states(paths: list[Path]) -> dict[Path, int]:
    """When each file was changed."""
    found = {}
    for path in python_files(paths):
        with contextlib.suppress(OSError):
            found[path] = path.stat().st_mtime_ns
    return found


def _checked(paths: list[Path], form: Format, quiet: bool, whole: bool, fix: bool, none: bool) -> bool:
    """Check files once, and say what is found; whether there are no errors."""
    files = python_files(paths)
    if fix:
        _fix([path for path in files if path in paths or mentions_somd(path)], whole)
    found: list[MethodCheck] = []
    problems: list[FileProblem] = []
    with progress("checking"):
        for each in _results(files, [path for path in paths if not none and not path.is_dir()], whole):
            if isinstance(each, FileProblem):
                problems.append(each)
            else:
                found.append(each)
    if not found and not problems and not none:
        raise Problem(f"{', '.join(map(str, paths))}: no SOMD method in any file")
    diagnostics = [diagnostic for each in found for diagnostic in each.diagnostics]
    diagnostics = list(dict.fromkeys(diagnostics))
    if form is Format.text:
        for text in as_text(diagnostics, problems):
            show(text)
            say()
    else:
        say(as_json(diagnostics, problems) if form is Format.json else as_github(diagnostics, problems))
    if not quiet:
        summary = _summary(found, problems, len(diagnostics))
        for line in summary:
            (say if form is Format.text else remark)(line)
    return not problems and all(diagnostic.severity != "error" for diagnostic in diagnostics)


def _fix(files: list[Path], whole: bool) -> None:
    """Write files with the fixes that leave fewer errors."""
    from somd.sources.fixing import repaired
    from somd.sources.suggesting import text_of

    for path in files:
        try:
            text, encoding = text_of(path)
            changed, done = repaired(path.absolute(), text, whole=whole)
        except (FileProblem, SyntaxError):
            continue  # the check tells
        if done:
            path.write_bytes(changed.encode(encoding))
            for each in done:
                remark(f"{path}:{each.place.line}: {each.help}")


def _results(files: list[Path], named: list[Path], whole: bool) -> Iterator[MethodCheck | FileProblem]:
    """What each file gives; those of a folder that cannot hold a method are passed over."""
    checked = Checked()
    for path in files:
        if path not in named and not mentions_somd(path):
            continue
        try:
            loaded = load(path, whole=whole)
            if path in named and not loaded.methods and not loaded.unreached:
                yield FileProblem(str(path), "no SOMD method in this file")
            yield from checked.add(loaded)
        except FileProblem as problem:
            yield problem
        except SomdCompileError as error:
            if all(each.position is None for each in error.diagnostics):
                yield FileProblem(str(path), f"importing it raised {type(error).__name__}: {_first_line(error)}")
            else:
                yield MethodCheck("", str(path), 0, error.diagnostics)
        except SomdError as error:
            yield FileProblem(str(path), f"importing it raised {type(error).__name__}: {_first_line(error)}")


def _first_line(error: SomdError) -> str:
    """The headline of an error, without its code where that stands first."""
    line = str(error).partition("\n")[0]
    return line.partition("]: ")[2] if line.startswith("error[") else line


def _summary(found: list[MethodCheck], problems: list[FileProblem], count: int) -> Iterator[str]:
    methods = [each for each in found if not each.unknown]
    files = len({each.file for each in found})
    for each in found:
        if each.unknown:
            yield f"not checked: `{each.qualname}` ({Path(each.file).name}:{each.line}): {each.unknown}"
    errors = count + len(problems)
    said = f"{errors} error{'s' if errors != 1 else ''}" if errors else "no errors"
    yield f"{_count(len(methods), 'method')} in {_count(files, 'file')} checked: {said}"


def _count(number: int, what: str) -> str:
    return f"{number} {what}{'s' if number != 1 else ''}"
