"""The command line tool `somdc`: one file a command. typer and rich are loaded by nothing else in somd."""

from __future__ import annotations

import importlib.util
import sys


def main() -> None:
    """Run the tool on the arguments of this process."""
    missing = [name for name in ("typer", "rich") if importlib.util.find_spec(name) is None]
    if missing:
        print(f"error: somdc needs {' and '.join(missing)}: pip install 'somd[cli]'", file=sys.stderr)
        sys.exit(2)
    from somd.cli.app import app

    app()
