"""Runs a master for ranks whose slaves compute nothing, as one of ranks that are not there.

In: the text of a generated module for ranks, and arguments, whose elements nobody looks at. Out: what the ranks would
send each other (`runtime.mpi.dry_run`).
"""

from __future__ import annotations

import ast
from types import ModuleType
from typing import Any

from somd.errors import SomdRuntimeError
from somd.runtime.modules import load_module, module_path, text_hash
from somd.runtime.mpi.dry_run import DrySession
from somd.runtime.mpi.returned import Given, arrays_of
from somd.runtime.multicore.ranked_call import RankedCall
from somd.runtime.multicore.small_work import MEASURED
from somd.settings.cluster import Cluster
from somd.syntax import module_of


def without_slaves(text: str) -> str:
    """A module for ranks with slaves that do nothing; those that tell of rows stay.

    >>> print(without_slaves("@slave\\ndef f_slave_1(lo, hi, a):\\n    a[lo] = hi"))
    @slave
    def f_slave_1(lo, hi, a):
        pass
    """
    tree = module_of(text)
    for node in tree.body:
        if isinstance(node, ast.FunctionDef) and any(ast.unparse(each) == "slave" for each in node.decorator_list):
            inner = list(ast.walk(node))
            tells = any(isinstance(each, ast.Call) and ast.unparse(each.func) == "tell" for each in inner)
            if not tells and not any(isinstance(each, ast.Return) and each.value is not None for each in inner):
                node.body = [ast.Pass()]
    return ast.unparse(tree)


def dry_module(text: str, name: str) -> ModuleType:
    """The module of such a text; nothing is kept of it."""
    dry = without_slaves(text)
    return load_module(module_path("multicore", f"{name}_dry", text_hash(dry)), dry)


class DryCall(RankedCall):
    """A loaded module whose slaves do nothing."""

    def reckon(
        self, args: tuple[Any, ...], ranks: int, costs: Cluster, workers: int, small_work: int | None = None
    ) -> DrySession:
        """What a call with NumPy arrays sends on so many ranks, with so many threads each.

        Raises:
            As `MulticoreCall`: what the master finds before its phases.
        """
        session = DrySession(ranks, self.name, costs)
        for array in arrays_of(args):
            session.made(array)
        try:
            small = MEASURED[self.layer.name] if small_work is None else small_work
            self.shared(session, args, Given(()), workers, small, workers)
        except SomdRuntimeError:
            if not session.left:
                raise
        return session
