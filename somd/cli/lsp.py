"""`somdc lsp`: the compiler for editors."""

from __future__ import annotations

import contextlib
import logging
import os
import sys

import typer

from somd.cli.output import Problem


def lsp(
    log: bool = typer.Option(False, "--log", help="Say on standard error what is done, and how long it takes."),
) -> None:
    """Serve an editor by the Language Server Protocol, over standard input and output.

    Diagnostics as one types, what is distributed and checked on hover, quick fixes, and markers for plain functions.
    """
    try:
        from somd.cli.language_server import server
    except ImportError:
        raise Problem("pygls is not installed: pip install 'somd[lsp]'") from None
    if log:
        logging.basicConfig(level=logging.INFO, format="%(message)s")
        logging.getLogger("pygls").setLevel(logging.WARNING)
    messages = os.fdopen(os.dup(sys.stdout.fileno()), "wb")  # closed at the end; nothing else may be written there
    with contextlib.redirect_stdout(sys.stderr):
        server().start_io(stdout=messages)
