"""Calls that no types make right: of helpers that call themselves, directly or by others, and of functions of Numba's.

In: a `Method`, calls of SOMD methods written out. Out: SOMD203 at each call that closes a circle, and at each call of
what Numba has compiled, in helpers too. A call would find them when types are inferred; here they are found without
any, so that a check says what the first call would. `calls_refused_anyhow` finds what a decorated function may have,
since `.sequential` runs it, and a method may not: `print`, and random numbers that are drawn in a loop.
"""

from __future__ import annotations

from contextlib import suppress

import libcst as cst

from somd.arguments.instead import is_random
from somd.diagnostics.model import Collector, Diagnostic, Label
from somd.errors import SomdCompileError
from somd.transforms.frontend.array_helpers import calls_in
from somd.transforms.frontend.positional import called_function
from somd.transforms.frontend.reached import Function
from somd.transforms.frontend.read import looked_at
from somd.transforms.frontend.unknown_calls import is_compiled_by_numba, unknown_call
from somd.transforms.stages import Method
from somd.transforms.tree.names import called, names_read
from somd.transforms.tree.walking import Reader, nodes_in


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
            _walk(looked_at(function), (*active, function), done, collector)
        done.add(function)


def calls_refused_anyhow(method: Method) -> tuple[Diagnostic, ...]:
    """What each call of `method` refuses: calls on no branch, or on one that a loop chooses by its iteration."""
    collector = Collector()
    method.function.body.visit(_Certain(method, collector))
    return tuple(collector.diagnostics)


class _Certain(Reader):
    def __init__(self, method: Method, collector: Collector) -> None:
        super().__init__()
        self.method = method
        self.collector = collector
        self.loops: list[set[str]] = []

    def visit_If(self, node: cst.If) -> bool:
        return self._differs(node.test)

    def visit_IfExp(self, node: cst.IfExp) -> bool:
        return self._differs(node.test)

    def _differs(self, test: cst.BaseExpression) -> bool:
        """Whether a test depends on the iteration, so that both branches are compiled; `DEBUG and a[i] < 0` may not."""
        whole = not any(isinstance(node, cst.BooleanOperation) for node in nodes_in(test))
        return whole and not names_read(test).isdisjoint(set[str]().union(*self.loops))

    def visit_For(self, node: cst.For) -> None:
        self.loops.append(names_read(node.target))

    def leave_For(self, original_node: cst.For) -> None:
        self.loops.pop()

    def visit_Call(self, node: cst.Call) -> None:
        function = called(node, self.method.namespace, self.method.local_names)
        if function is print or (self.loops and is_random(function)):
            message, helps = unknown_call(function, node, self.method)
            place = Label(self.method.position(node), "here", True)
            self.collector.add(Diagnostic("SOMD203", message, (place,), helps))
