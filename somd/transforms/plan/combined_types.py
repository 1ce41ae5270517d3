"""Whether what iterations accumulate may be made of parts, given its type and the types of what it is updated with.

A private copy of an array starts from the neutral element and sees only some of the updates. That gives what plain
Python gives if storing a value loses nothing that a later update would have seen: an int array that takes up floats
would be cut to whole numbers once in plain Python's order, and at other places in the copies.

Minima and maxima of floats must take nan, and one of equal values, in one way; copies of arrays keep no note of nan.
"""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst
import numpy as np

from somd.diagnostics.model import Collector
from somd.language.operators import OPERATORS
from somd.transforms.analysis.reductions import Accumulator, candidates_of, normalised
from somd.transforms.plan import combined_messages as messages
from somd.transforms.stages import FIRST, Combined, Plan
from somd.transforms.tree.loops import small_statements, statements_of
from somd.transforms.types.scalars import ArrayType, ScalarType
from somd.transforms.types.typing_table import Types


def check_combined_types(plan: Plan, types: Types, collector: Collector) -> None:
    """Report the updates whose result depends on their order beyond rounding."""
    for phase in plan.phases():
        for reduction in phase.nest.reductions:
            found = types.names.get(reduction.name)
            if isinstance(found, ScalarType) and found.kind == "f" and len(reduction.takings) > 1:
                collector.add(messages.several_takings(plan.method, reduction))
        for combined in phase.nest.combined:
            array = types.names.get(combined.array)
            if not isinstance(array, ArrayType):
                continue
            if array.element.kind == "f" and combined.takings != (FIRST,):
                collector.add(messages.taking_of_copies(plan.method, combined))
            for node, value in _stored(combined):
                found = types.nodes.get(value)
                if isinstance(found, ScalarType) and not _exact(combined.op, array.element, found):
                    diagnostic = messages.inexact_sum(plan.method, node, combined.array, array.dtype, str(found))
                    collector.add(diagnostic)


def _stored(combined: Combined) -> Iterator[tuple[cst.CSTNode, cst.CSTNode]]:
    """For each update, the node whose type tells what is stored: the sum, or the candidate for an extremum."""
    for node in combined.updates:
        if OPERATORS[combined.op].better:
            [element] = [each for each in _targets(node) if isinstance(each, cst.Subscript)]
            for value in candidates_of(Accumulator(combined.array, normalised(element)), node):
                yield node, value
        elif isinstance(node, cst.Assign):
            yield node, node.value
        else:
            yield node, node


def _targets(node: cst.CSTNode) -> list[cst.BaseExpression]:
    """What an update assigns to."""
    assigns = small_statements(statements_of(node.body)) if isinstance(node, cst.If) else (node,)
    return [each.target for assign in assigns if isinstance(assign, cst.Assign) for each in assign.targets]


def _exact(op: str, element: ScalarType, stored: ScalarType) -> bool:
    """Whether what is `stored` keeps its meaning in the type of the elements."""
    if stored.dtype == element.dtype:
        return True
    if OPERATORS[op].better:
        fits = stored.weak and (element.kind == "f" or (stored.kind == "i" and element.kind in "iu"))
        return stored.kind != "b" and (fits or bool(np.can_cast(stored.dtype, element.dtype, "safe")))
    if element.kind in "fc":
        return stored.kind != "c" or element.kind == "c"
    return element.kind in "iu" and stored.kind in "iub"
