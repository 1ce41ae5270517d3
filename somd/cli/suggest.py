"""`somdc suggest`: markers for plain functions, as a diff, with what was proved."""

from __future__ import annotations

import difflib
import io
import os
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from somd.cli.files import python_files
from somd.cli.output import Problem, coloured, complain, console, progress, remark, say, say_bytes
from somd.diagnostics.render import shown_path
from somd.sources.problems import FileProblem

if TYPE_CHECKING:
    from somd.sources.suggesting import Suggested


def suggest(
    paths: list[Path] = typer.Argument(help="Files, and folders to look through.", metavar="PATH..."),
    quiet: bool = typer.Option(False, "--quiet", "-q", help="The diff alone."),
    whole: bool = typer.Option(False, "--import", help="Import the files as Python does: all their statements run."),
) -> None:
    """Propose markers for plain functions with loops: a diff that `patch -p1` takes, and what was proved.

    Nothing is written, and the program is not run: what the functions need of it is evaluated as long as that has no
    effects. With --import the files are imported instead, once for each choice of markers that is tried.
    Exit status 1 if there is nothing to propose.
    """
    from somd.sources.suggesting import suggest as of_file

    proposed, failed, functions = 0, False, 0
    files = python_files(paths)
    base = _base(files)
    for file in files:
        try:
            with progress(f"looking at {file}"):
                found = of_file(file, whole=whole)
        except FileProblem as problem:
            complain(str(problem))
            failed = True
            continue
        functions += len(found.proposals)
        proposed += sum(bool(each.arrays) for each in found.proposals)
        name = shown_path(str(file))
        for each in found.proposals if not quiet else ():
            head = f"# {name}:{each.line}: {each.qualname}: "
            if not each.arrays:
                say(f"{head}nothing proposed: {each.why_not}")
                continue
            say(f"{head}{', '.join(each.arrays)} distributed; proved:")
            for sentence in each.proved:
                say(f"#   {sentence}")
        _diff(found, _name_for_patch(file, base))
    if failed:
        raise typer.Exit(1)
    if proposed and base != Path.cwd() and not quiet:
        remark(f"note: the diff is for {base}: apply it with `patch -p1 -d {os.path.relpath(base)}`")
    if not functions:
        raise Problem(f"{', '.join(map(str, paths))}: no plain function with a loop", 1)
    if not proposed:
        raise typer.Exit(1)


def _base(files: list[Path]) -> Path:
    """The folder that the names in the diff start from: the working folder, unless a file lies outside of it, which
    `patch` would refuse to change from here."""
    folders = [Path.cwd(), *(Path(os.path.abspath(file)).parent for file in files)]
    return Path(os.path.commonpath(folders))


def _name_for_patch(file: Path, base: Path) -> str:
    return Path(os.path.abspath(file)).relative_to(base).as_posix()


def _diff(found: Suggested, name: str) -> None:
    """Print the diff, in the encoding of the file: `patch` compares bytes."""
    end = "\t" if " " in name else ""  # so that `patch` knows where the name ends
    # a line ends where `patch` has it end, not at each character that `splitlines` takes for an end
    old, new = (list(io.StringIO(text, newline="\n")) for text in (found.before, found.after))
    for line in difflib.unified_diff(old, new, f"a/{name}{end}", f"b/{name}{end}"):
        ended = line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n"
        if coloured():
            style = "green" if line.startswith("+") else "red" if line.startswith("-") else ""
            console().print(ended, style=style, end="")
        else:
            say_bytes(ended, found.encoding)
