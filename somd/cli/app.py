"""The application: its commands, and the one place where their errors become messages and exit statuses.

0: done; 1: what was looked at has errors; 2: the command cannot be done as given; 130: interrupted.
"""

from __future__ import annotations

import contextlib
import errno
import os
import sys
import traceback
from collections.abc import Sequence
from typing import Any

import typer
import typer.core

from somd.cli import build, cache, check, config, devices, explain, lsp, profile, run, suggest, translate, verify
from somd.cli.output import Problem, complain, flush, prepare, say, shortened
from somd.errors import SomdError, SomdInternalError

TRACEBACK = "SOMD_TRACEBACK"
#: what typer raises for wrong usage; newer ones bring a click of their own
_Usage: Any = next(kind for kind in typer.BadParameter.__mro__ if kind.__name__ == "ClickException")


class Guarded(typer.core.TyperGroup):
    """The group of all commands; no error of theirs leaves it as a traceback."""

    def main(
        self,
        args: Sequence[str] | None = None,
        prog_name: str | None = None,
        complete_var: str | None = None,
        standalone_mode: bool = True,
        windows_expand_args: bool = True,
        **extra: Any,
    ) -> Any:
        prepare()
        try:
            status = super().main(
                args, prog_name or "somdc", complete_var, False, windows_expand_args=windows_expand_args, **extra
            )
            flush()
        except BrokenPipeError:
            _forget(sys.stdout, sys.stderr)
            status = 141
        except Exception as error:
            status = _reported(error)
        except KeyboardInterrupt:
            complain("interrupted")
            status = 130
        sys.exit(status if isinstance(status, int) else 0)


#: why output may not be taken: a full disk, a quota, a file that is as large as it may be, a broken device
_NOT_TAKEN = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)


def _reported(error: Exception) -> int:
    """`_report`, where nothing can be written, too."""
    try:
        if isinstance(error, OSError) and error.filename is None and error.errno in _NOT_TAKEN:
            _forget(sys.stdout)
            complain(f"cannot write the output: {error.strerror}")
            return 1
        return _report(error)
    except OSError:
        _forget(sys.stdout, sys.stderr)
        return 1


def _report(error: Exception) -> int:
    """Say what went wrong, and give the exit status."""
    if isinstance(error, _Usage):
        return _usage(error)
    if isinstance(error, typer.Abort):
        complain("interrupted")
        return 130
    if os.environ.get(TRACEBACK):
        traceback.print_exception(error)
    if isinstance(error, Problem):
        complain(str(error))
        return error.status
    if isinstance(error, SomdError) and not isinstance(error, SomdInternalError):
        text = str(error)
        complain(text, bare=text.startswith("error["))
        return 1
    where = "" if os.environ.get(TRACEBACK) else f" ({TRACEBACK}=1 shows where)"
    complain(f"somdc failed: {type(error).__name__}: {' '.join(str(error).split())}; please report it{where}")
    return 70


def _usage(error: Any) -> int:
    context: Any = getattr(error, "ctx", None)
    if context is not None and type(error).__name__ == "NoArgsIsHelpError":
        say(context.get_help())
        return 2
    see = f" (see: {context.command_path} --help)" if context is not None else ""
    complain(" ".join(map(shortened, error.format_message().split())) + see)
    return 2


def _forget(*streams: Any) -> None:
    """Nothing more can be written there: let Python's own flush at exit, whose failure is a status too, go nowhere."""
    for stream in streams:
        with contextlib.suppress(OSError, ValueError, AttributeError):
            stream.flush()
        with contextlib.suppress(OSError, ValueError, AttributeError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


app = typer.Typer(
    name="somdc",
    cls=Guarded,
    help="The compiler of SOMD methods: Python functions that run on all cores and on GPUs.",
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _version(wanted: bool) -> None:
    if wanted:
        from somd import __version__

        print(f"somdc {__version__}")
        raise typer.Exit


@app.callback()
def options(
    version: bool = typer.Option(False, "--version", "-V", callback=_version, is_eager=True, help="Say the version."),
) -> None:
    """What stands before the command."""


app.command("check")(check.check)
app.command("explain")(explain.explain)
app.command("translate")(translate.translate)
app.command("build")(build.build)
app.command("run", context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False})(run.run)
app.command("profile", context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False})(
    profile.profile
)
app.command("verify")(verify.verify)
app.command("suggest")(suggest.suggest)
app.command("devices")(devices.devices)
app.command("config")(config.config)
app.command("lsp")(lsp.lsp)
app.add_typer(cache.app, name="cache")
