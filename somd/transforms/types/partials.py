"""Types of partial results: what an MI can hand on, and what a method can reduce itself.

In: a plan and the types of one signature. Out: diagnostics.
"""

from __future__ import annotations

import libcst as cst
import numpy as np

from somd.diagnostics.model import Collector, Diagnostic, Label
from somd.transforms.stages import Method, PartialResults, Plan, partial_results, written_arrays
from somd.transforms.tree.walking import nodes_of
from somd.transforms.types.scalars import ArrayType, ScalarType, TupleType, Type
from somd.transforms.types.typing_table import Types


def check_partials(plan: Plan, types: Types, collector: Collector) -> None:
    """Copies are scalars, a partial result is a scalar or a tuple of them, and an array that is to hold it does."""
    rest = partial_results(plan)
    for phase in plan.phases():
        for name in phase.nest.copies:
            if not isinstance(types.names.get(name), ScalarType):
                collector.add(_not_a_scalar(plan.method, phase.nest.dims[0].node, name, types.names.get(name)))
    if rest is None or collector.has_errors:
        return
    result = types.result
    scalars = isinstance(result, ScalarType) or (
        isinstance(result, TupleType) and all(isinstance(e, ScalarType) for e in result.elements)
    )
    if not scalars:
        collector.add(_no_partial(plan.method, rest, result))
    elif plan.method.combine is not None:
        _check_declared(plan, types, rest, collector)


def _check_declared(plan: Plan, types: Types, rest: PartialResults, collector: Collector) -> None:
    method, result = plan.method, types.result
    assert method.combine is not None
    declared = method.combine.declared
    if isinstance(declared, tuple):
        count = len(result.elements) if isinstance(result, TupleType) else 1
        if count != len(declared) or not isinstance(result, TupleType):
            message = f"the annotation of `{method.name}` names {len(declared)} results, and {count} is returned"
            collector.add(Diagnostic("SOMD307", message, (_at_return(method, rest),)))
    elif declared.operation == "self":
        names = [param.name for param in method.params if param.distributed]
        name, array = names[0], types.names[names[0]]
        assert isinstance(array, ArrayType)
        if len(names) > 1:
            collector.add(_not_itself(method, rest, f"`{names[1]}` is distributed besides `{name}`"))
        elif array.ndim != 1:
            why = f"`{name}` has {array.ndim} dimensions, and the list of partial results has one"
            collector.add(_not_itself(method, rest, why))
        elif not isinstance(result, ScalarType) or not _holds(array.dtype, result):
            collector.add(_not_itself(method, rest, f"the elements of `{name}` are {array.dtype}, its result {result}"))
        elif written := sorted(written_arrays(plan) & set(method.param_names)):
            collector.add(_not_itself(method, rest, f"it changes `{written[0]}`, and would do so again"))


def _holds(dtype: str, result: ScalarType) -> bool:
    """Whether every value of a result fits an array of `dtype`; a 64-bit integer does not fit a float."""
    exact = not (result.kind in "iu" and np.dtype(dtype).kind == "f" and np.dtype(result.dtype).itemsize == 8)
    return exact and bool(np.can_cast(result.dtype, dtype, "safe"))


def _at_return(method: Method, rest: PartialResults) -> Label:
    first = next(node for statement in rest.statements for node in nodes_of(statement, cst.Return))
    return Label(method.position(first), "returned here", True)


def _not_a_scalar(method: Method, loop: cst.For, name: str, found: Type | None) -> Diagnostic:
    message = f"`{name}` goes from iteration to iteration, and is no scalar: {found}"
    helps = ("hand on several scalars, one name for each",)
    return Diagnostic("SOMD402", message, (Label(method.position(loop.iter), "in this loop", True),), helps)


def _no_partial(method: Method, rest: PartialResults, found: Type | None) -> Diagnostic:
    message = f"a partial result is a scalar or a tuple of scalars: {found} cannot be reduced by a function"
    helps = ("return arrays from a method without this reduction: they are assembled by themselves",)
    return Diagnostic("SOMD402", message, (_at_return(method, rest),), helps)


def _not_itself(method: Method, rest: PartialResults, why: str) -> Diagnostic:
    message = f"`{method.name}` cannot reduce its own partial results: {why}"
    helps = ("reduce by an operator, or by a function of the list of partial results: `reduce(merge)`",)
    return Diagnostic("SOMD106", message, (_at_return(method, rest),), helps)
