"""`somdc suggest`: markers for plain functions, as a diff, with what was proved."""

from __future__ import annotations

import difflib
from pathlib import Path

import typer

from somd.cli.files import python_files
from somd.cli.output import Problem, coloured, complain, console, progress, say
from somd.diagnostics.render import shown_path
from somd.sources.problems import FileProblem


def suggest(
    paths: list[Path] = typer.Argument(help="Files, and folders to look through.", metavar="PATH..."),
    quiet: bool = typer.Option(False, "--quiet", "-q", help="The diff alone."),
) -> None:
    """Propose markers for plain functions with loops: a diff that `patch -p1` takes, and what was proved.

    Exit status 1 if there is nothing to propose.
    """
    from somd.sources.suggesting import suggest as of_file

    proposed, failed, functions = 0, False, 0
    for file in python_files(paths):
        try:
            with progress(f"looking at {file}"):
                found = of_file(file)
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
        _diff(found.before, found.after, name)
    if failed:
        raise typer.Exit(1)
    if not functions:
        raise Problem(f"{', '.join(map(str, paths))}: no plain function with a loop", 1)
    if not proposed:
        raise typer.Exit(1)


def _diff(before: str, after: str, name: str) -> None:
    end = "\t" if " " in name else ""  # so that `patch` knows where the name ends
    old, new = (text.splitlines(keepends=True) for text in (before, after))
    lines = difflib.unified_diff(old, new, f"a/{name}{end}", f"b/{name}{end}")
    for line in lines:
        text = line.rstrip("\n")
        if coloured():
            style = "green" if line.startswith("+") else "red" if line.startswith("-") else ""
            console().print(text, style=style)
        else:
            say(text)
        if not line.endswith("\n"):
            say("\\ No newline at end of file")
