"""`somdc run`: a script with a target or a number of workers for all of its methods, or in several processes."""

from __future__ import annotations

import os
import runpy
import sys
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType

import typer

from somd.cli.launch import launch
from somd.cli.output import Problem, complain, flush
from somd.errors import SomdError
from somd.settings import config
from somd.settings.values import check_target, check_workers
from somd.sources.scan import read_source


def run(
    script: Path = typer.Argument(help="A Python script."),
    arguments: list[str] | None = typer.Argument(None, help="What the script finds in sys.argv."),
    target: str | None = typer.Option(None, "--target", help="The target of every method: SOMD_TARGET."),
    workers: int | None = typer.Option(None, "--workers", help="The number of workers: SOMD_WORKERS."),
    ranks: int | None = typer.Option(None, "--ranks", help="Run it in so many processes that share the work, by MPI."),
) -> None:
    """Run a script as Python does, with a target and a number of workers for all its methods.

    Options of the script stand behind it: somdc run --target opencl model.py --steps 10.
    """
    run_script(script, arguments, target, workers, ranks)


def run_script(
    script: Path, arguments: list[str] | None, target: str | None, workers: int | None, ranks: int | None = None
) -> None:
    """Run a script to its end, in this process or in so many others.

    Raises:
        typer.Exit: it ended in another way than at its last line.
    """
    given: dict[str, str] = {}
    if target is not None:
        given["SOMD_TARGET"] = check_target(target, "`--target`")
    if workers is not None:
        given["SOMD_WORKERS"] = str(check_workers(workers, "`--workers`"))
    if not script.is_file():
        raise Problem(f"{script}: {_not_a_file(script)}")
    read_source(script)
    if ranks is not None:
        flush()
        raise typer.Exit(launch(ranks, script.absolute(), arguments or [], given))
    with _as_script(script.absolute(), arguments or [], given):
        try:
            runpy.run_path(str(script.absolute()), run_name="__main__")
            flush()
        except SomdError as error:
            text = str(error)
            complain(text, bare=text.startswith("error["))
            raise typer.Exit(1) from None
        except SystemExit as error:
            raise typer.Exit(_status(error)) from None
        except BrokenPipeError:
            raise
        except Exception as error:
            _print_as_python(error, str(script.absolute()))
            raise typer.Exit(1) from None


def _not_a_file(path: Path) -> str:
    if path.is_dir():
        return "a folder, not a file"
    return "not a regular file" if path.exists() else "no such file"


@contextmanager
def _as_script(script: Path, arguments: list[str], environment: dict[str, str]) -> Iterator[None]:
    """A block with the `sys.argv`, `sys.path` and environment that the script has."""
    argv, first = sys.argv, sys.path[0] if sys.path else ""
    before = {name: os.environ.get(name) for name in environment}
    sys.argv = [str(script), *arguments]
    sys.path[:1] = [str(script.parent)]
    os.environ.update(environment)
    config.reload_config()
    try:
        yield
    finally:
        sys.argv = argv
        sys.path[:1] = [first]
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value
        config.reload_config()


def _status(error: SystemExit) -> int:
    if error.code is None or isinstance(error.code, int):
        return error.code or 0
    print(error.code, file=sys.stderr)
    return 1


def _print_as_python(error: Exception, script: str) -> None:
    """The script's own error, from its first line on: what Python would print."""
    trace: TracebackType | None = error.__traceback__
    while trace is not None and trace.tb_frame.f_code.co_filename != script:
        trace = trace.tb_next
    traceback.print_exception(type(error), error, trace)
