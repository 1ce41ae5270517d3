"""`%%somd` for IPython and notebooks.

    %%somd --target opencl --workers 4
    @somd
    def double(a: dist[np.ndarray]) -> None: ...

The cell runs as any other, the calls in it with that target and number of workers; then the plan of each SOMD method
that it defined is shown. A plain cell can define and call SOMD methods too.
"""

from __future__ import annotations

import argparse
import ast
import shlex
from importlib import import_module
from typing import Any

from somd.calls.method import SomdMethod
from somd.settings.config import use
from somd.settings.targets import names
from somd.syntax import module_of


def add_magic(shell: Any) -> None:
    """Register `%%somd` with an IPython shell."""

    def somd_cell(line: str, cell: str) -> Any:
        options = _options(line)
        if options is None:
            return None
        before = {name: value for name, value in shell.user_ns.items() if isinstance(value, SomdMethod)}
        with use(target=options.target, workers=options.workers):
            result = _run(shell, cell)
        for name, value in list(shell.user_ns.items()):
            if isinstance(value, SomdMethod) and before.get(name) is not value:
                _display(value.explain())
        return result

    somd_cell.__doc__ = __doc__
    shell.register_magic_function(somd_cell, "cell", "somd")


def _options(line: str) -> argparse.Namespace | None:
    parser = argparse.ArgumentParser(prog="%%somd", add_help=False)
    parser.add_argument("--target", choices=names())
    parser.add_argument("--workers", type=int)
    try:
        return parser.parse_args(shlex.split(line))
    except SystemExit:  # argparse has told what is wrong
        return None


def _run(shell: Any, cell: str) -> Any:
    """Run the cell's text; the value of an expression at its end."""
    text = shell.transform_cell(cell)
    name = shell.compile.cache(text)  # in linecache, where the compiler finds the source
    tree = module_of(text, name)
    last = tree.body[-1] if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    if last is not None:
        tree.body.pop()
    exec(compile(tree, name, "exec"), shell.user_ns)
    return None if last is None else eval(compile(ast.Expression(last.value), name, "eval"), shell.user_ns)


def _display(value: object) -> None:
    display: Any = import_module("IPython.display").display
    display(value)
