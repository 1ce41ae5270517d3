"""Calls of the user's functions with every argument in its place: keywords and defaults resolved.

    scaled(offset=1.0, x=a[i])      ->   scaled(a[i], 2.0, 1.0)        for def scaled(x, factor=2.0, offset=0.0)

In: a `Method`. Out: the `Method` with such calls. A keyword-only argument keeps its keyword, in its place. Defaults
that no literal writes (`np.float32(2)`, infinity) become names of their own in the namespace.
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Sequence
from dataclasses import replace

import libcst as cst
import numpy as np

from somd.capture.lookups import as_number
from somd.diagnostics.model import Collector, Diagnostic, Label
from somd.transforms.frontend.reached import Function, own_function
from somd.transforms.stages import Method
from somd.transforms.tree.names import evaluate, name_for
from somd.transforms.tree.rewriting import Tracked

KEYWORD_ONLY = inspect.Parameter.KEYWORD_ONLY
EQUAL = cst.AssignEqual(cst.SimpleWhitespace(""), cst.SimpleWhitespace(""))
VARIADIC = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)


def positional_calls(method: Method, collector: Collector) -> Method:
    """`method` with the arguments of helpers and SOMD methods in the order of their parameters."""
    rewriter = _Calls(method, collector)
    function = method.function.with_changes(body=method.function.body.visit(rewriter))
    if not rewriter.changed:
        return method
    rewriter.positions[function] = method.position(method.function)
    return replace(method, function=function, positions=rewriter.positions, namespace=rewriter.namespace)


def called_function(node: cst.Call, method: Method) -> Function | None:
    """The user's own function that a call means: a helper, or the function of a SOMD method."""
    return own_function(evaluate(node.func, method.namespace, method.local_names))


class _Calls(Tracked):
    def __init__(self, method: Method, collector: Collector) -> None:
        super().__init__(dict(method.positions))
        self.method = method
        self.collector = collector
        self.namespace: dict[str, object] = dict(method.namespace)
        self.changed = False

    def leave_Call(self, original_node: cst.Call, updated_node: cst.Call) -> cst.BaseExpression:
        function = called_function(original_node, self.method)
        if function is None or any(a.star for a in original_node.args):
            return updated_node
        parameters = list(inspect.signature(function).parameters.values())
        if any(p.kind in VARIADIC for p in parameters):
            return updated_node
        if len(original_node.args) == len(parameters) and not any(a.keyword for a in original_node.args):
            return updated_node
        arguments = self._bound(function, parameters, original_node, updated_node.args)
        if arguments is None:
            return updated_node
        self.changed = True
        return updated_node.with_changes(args=arguments)

    def _bound(
        self,
        function: Function,
        parameters: Sequence[inspect.Parameter],
        node: cst.Call,
        args: Sequence[cst.Arg],
    ) -> list[cst.Arg] | None:
        given = [a.value for a in args if a.keyword is None]
        named = {a.keyword.value: a.value for a in args if a.keyword is not None}
        try:
            bound = inspect.signature(function).bind(*given, **named)
        except TypeError as error:
            place = f"line {function.__code__.co_firstlineno}"
            helps = f"give it what it takes: `{function.__name__}{inspect.signature(function)}`, {place}"
            self._refuse(node, f"this call does not fit `{function.__name__}`: {error}", helps)
            return None
        arguments: list[cst.Arg] = []
        for parameter in parameters:
            value = bound.arguments.get(parameter.name)
            if value is None:
                value = self._default(function, parameter, node)
            if value is None:
                return None
            keyword = cst.Name(parameter.name) if parameter.kind is KEYWORD_ONLY else None
            arguments.append(cst.Arg(value, keyword, equal=EQUAL if keyword else cst.MaybeSentinel.DEFAULT))
        return arguments

    def _default(self, function: Function, parameter: inspect.Parameter, node: cst.Call) -> cst.BaseExpression | None:
        value = as_number(parameter.default)
        if type(value) not in (bool, int, float, complex) and not isinstance(value, np.generic):
            message = f"the default of `{parameter.name}` in `{function.__name__}` is no number"
            self._refuse(node, message, f"give `{parameter.name}` in the call")
            return None
        made = _literal(value)
        if made is None:
            made = cst.Name(
                name_for(value, f"{function.__name__}__{parameter.name}", self.namespace, self.method.local_names)
            )
        self.place(made, self.method.position(node))
        return made

    def _refuse(self, node: cst.CSTNode, message: str, help_text: str) -> None:
        label = Label(self.method.position(node), "here", True)
        self.collector.add(Diagnostic("SOMD203", message, (label,), (help_text,)))


def _literal(value: object) -> cst.BaseExpression | None:
    """The literal for a Python number, or None where none writes it."""
    if isinstance(value, bool):
        return cst.Name(str(value))
    if isinstance(value, np.generic) or not isinstance(value, int | float) or not math.isfinite(value):
        return None
    return cst.parse_expression(repr(value))
