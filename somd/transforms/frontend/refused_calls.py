"""Calls that no types make right: of helpers that call themselves, directly or by others, and of functions of Numba's.

In: a `Method`, calls of SOMD methods written out. Out: SOMD203 at each call that closes a circle, and at each call of
what Numba has compiled, in helpers too. A call would find them when types are inferred; here they are found without
any, so that a check says what the first call would.
"""

from __future__ import annotations

from contextlib import suppress

import libcst as cst

from somd.diagnostics.model import Collector, Diagnostic, Label
from somd.errors import SomdCompileError
from somd.transforms.frontend.array_helpers import calls_in
from somd.transforms.frontend.positional import called_function
from somd.transforms.frontend.reached import Function
from somd.transforms.frontend.read import read_method
from somd.transforms.frontend.unknown_calls import is_compiled_by_numba, unknown_call
from somd.transforms.stages import Method
from somd.transforms.tree.names import called


def check_calls(method: Method, collector: Collector) -> None:
    """Report what `method` and its helpers call and may not call, whatever the types are."""
    _walk(method, (), set(), collector)


def _walk(method: Method, active: tuple[Function, ...], done: set[Function], collector: Collector) -> None:
    def report(call: cst.Call, message: str, *helps: str) -> None:
        collector.add(Diagnostic("SOMD203", message, (Label(method.position(call), "here", True),), helps))

    for call in calls_in(method.function.body):
        function = called_function(call, method)
        if function is None:
            other = called(call, method.namespace, method.local_names)
            if is_compiled_by_numba(other):
                message, helps = unknown_call(other, call, method)
                report(call, message, *helps)
            continue
        if function in done:
            continue
        if function in active:
            report(call, f"`{function.__name__}` calls itself", "write it as a loop")
            continue
        with suppress(SomdCompileError):  # a form that is refused is told where it is looked at
            _walk(read_method(function), (*active, function), done, collector)
        done.add(function)
