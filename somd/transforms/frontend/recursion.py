"""Helpers that call themselves, directly or by way of others: a call of them cannot be given types.

In: a `Method`, calls of SOMD methods written out. Out: SOMD203 at each call that closes a circle. A call would find it
when types are inferred; here it is found without any, so that a check says what the first call would.
"""

from __future__ import annotations

from contextlib import suppress

from somd.diagnostics.model import Collector, Diagnostic, Label
from somd.errors import SomdCompileError
from somd.transforms.frontend.array_helpers import calls_in
from somd.transforms.frontend.positional import called_function
from somd.transforms.frontend.reached import Function
from somd.transforms.frontend.read import read_method
from somd.transforms.stages import Method


def check_recursion(method: Method, collector: Collector) -> None:
    """Report the helpers of `method` that call themselves."""
    _walk(method, (), set(), collector)


def _walk(method: Method, active: tuple[Function, ...], done: set[Function], collector: Collector) -> None:
    for call in calls_in(method.function.body):
        function = called_function(call, method)
        if function is None or function in done:
            continue
        if function in active:
            label = Label(method.position(call), "here", True)
            message = f"`{function.__name__}` calls itself"
            collector.add(Diagnostic("SOMD203", message, (label,), ("write it as a loop",)))
            continue
        with suppress(SomdCompileError):  # a form that is refused is told where it is looked at
            _walk(read_method(function), (*active, function), done, collector)
        done.add(function)
