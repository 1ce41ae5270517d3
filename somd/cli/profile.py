"""`somdc profile`: where the time of a script's SOMD methods goes."""

from __future__ import annotations

from pathlib import Path

import typer

from somd.calls.profile import Profile
from somd.cli.output import Problem, remark
from somd.cli.run import run_script


def profile(
    script: Path = typer.Argument(help="A Python script."),
    arguments: list[str] | None = typer.Argument(None, help="What the script finds in sys.argv."),
    target: str | None = typer.Option(None, "--target", help="The target of every method: SOMD_TARGET."),
    workers: int | None = typer.Option(None, "--workers", help="The number of workers: SOMD_WORKERS."),
    json: Path | None = typer.Option(None, "--json", help="A file for all of it, as JSON.", metavar="FILE"),
    html: Path | None = typer.Option(None, "--html", help="A file for a page with pictures.", metavar="FILE"),
) -> None:
    """Run a script and say where the time of its SOMD methods went: methods, phases, kernels, transfers, compiling.

    What the script prints comes first, the table behind it on standard error. Options of the script stand behind it.
    """
    with Profile() as found:
        try:
            run_script(script, arguments, target, workers)
            status = 0
        except typer.Exit as ended:
            status = ended.exit_code
    for path, text in ((json, found.json), (html, found.html)):
        if path is not None:
            try:
                path.write_text(text(), encoding="utf-8")
            except OSError as error:
                raise Problem(f"{path}: {error.strerror}") from None
    remark(str(found))
    if status:
        raise typer.Exit(status)
