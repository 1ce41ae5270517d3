"""Which variables are live where: found while a master is compiled only where something asks.

Numba finds it anew behind most of its passes, for what alone generators and Python's interpreter read
(`block_entry_vars`): a tenth of the time that it takes to compile. What names a statement has, which all its analyses
ask, is found here without a call for each entry.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from numba.core import ir as _ir
from numba.core import postproc as _postproc
from numba.core import transforms as _transforms
from numba.core.compiler_lock import global_compiler_lock

ir: Any = _ir
postproc: Any = _postproc
transforms: Any = _transforms

#: what is in most statements, and no variable
_WITHOUT = {ir.Loc, str, int, float, bool, type(None), ir.Const, ir.Global, ir.Arg}
_own: Any = postproc.PostProcessor.run


@contextmanager
def when_asked() -> Iterator[None]:
    """A block in which it is found when something asks, in all that is compiled; no other thread compiles meanwhile."""
    with global_compiler_lock:
        before = postproc.PostProcessor.run, ir.Inst._rec_list_vars
        postproc.PostProcessor.run, ir.Inst._rec_list_vars = _run, _names
        try:
            yield
        finally:
            postproc.PostProcessor.run, ir.Inst._rec_list_vars = before


def _run(processor: Any, emit_dels: bool = False, extend_lifetimes: bool = False) -> None:
    """What Numba's does, without `block_entry_vars`."""
    func_ir = processor.func_ir
    if func_ir.is_generator:
        _own(processor, emit_dels, extend_lifetimes)
        return
    func_ir.blocks = transforms.canonicalize_cfg(func_ir.blocks)
    func_ir.variable_lifetime = postproc.VariableLifetime(func_ir.blocks)
    func_ir.generator_info = None
    if emit_dels:
        processor._insert_var_dels(extend_lifetimes=extend_lifetimes)


def _names(statement: Any, entry: Any) -> list[Any]:
    """The variables in an entry of a statement, in order: what Numba's gives."""
    found: list[Any] = []
    waiting = [entry]
    while waiting:
        each = waiting.pop()
        kind = type(each)
        if kind is ir.Var:
            found.append(each)
        elif kind is dict:
            waiting.extend(reversed(each.values()))
        elif kind is tuple or kind is list:
            waiting.extend(reversed(each))
        elif kind not in _WITHOUT and isinstance(each, ir.Inst):
            found.extend(each.list_vars())
    return found
