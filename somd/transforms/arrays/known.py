"""What statements of a method tell of integers: that `n` is `a.shape[0]`, and that loop variables are not negative.

Only of names that are assigned once, and only behind that.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

import libcst as cst

from somd.transforms.analysis.affine import shape_reference
from somd.transforms.analysis.facts import assignment_counts
from somd.transforms.arrays.expressions import Expressions
from somd.transforms.arrays.linear import Linear
from somd.transforms.stages import Method
from somd.transforms.tree.loops import integer_constant, range_of, small_statements
from somd.transforms.tree.names import assigned_names, names_read


def natural_loop(node: cst.For, expressions: Expressions) -> bool:
    """Whether the variable of a loop is never negative."""
    header = range_of(node)
    if header is None or header.variable in assigned_names(node.body):
        return False
    step = integer_constant(header.step, expressions.names.method)
    start = integer_constant(header.start, expressions.names.method)
    if step is None or start is None:
        if isinstance(header.start, cst.Name) and step is not None and step > 0:
            return header.start.value in expressions.naturals
        inner = header.start
        plus = isinstance(inner, cst.BinaryOperation) and isinstance(inner.operator, cst.Add)
        if step is not None and step > 0 and plus and isinstance(inner, cst.BinaryOperation):
            added = integer_constant(inner.right, expressions.names.method)
            named = isinstance(inner.left, cst.Name) and inner.left.value in expressions.naturals
            return named and added is not None and added >= 0
        return False
    stop = integer_constant(header.stop, expressions.names.method)
    return start >= 0 and (step > 0 or (step < 0 and stop is not None and stop >= -1))


def below_in_loop(node: cst.For, expressions: Expressions) -> dict[str, Linear]:
    """What the variable of a loop over a range that goes up is less than, if that stays what it is in the loop."""
    header = range_of(node)
    step = None if header is None else integer_constant(header.step, expressions.names.method)
    if header is None or step is None or step <= 0:
        return {}
    before = list(expressions.before)
    stop = expressions.linear(header.stop)
    added, expressions.shapes.before = len(expressions.before) > len(before), before
    read = {name for text, _ in stop.terms for name in names_read(cst.parse_expression(text))}
    if added or read & expressions.parts.exchanges.names(node):
        return {}
    return {header.variable: stop}


def lengths_known(
    node: cst.CSTNode, expressions: Expressions, method: Method, arrays: Collection[str]
) -> Mapping[str, Linear]:
    """What is known behind a statement of the method's body."""
    found = dict(expressions.known)
    counts, handed = assignment_counts(method), expressions.parts.exchanges.handed.values()
    exchanged = {name for names, _ in handed for name in names}

    def stable(name: str) -> bool:
        return name not in exchanged and counts[name] == (0 if name in method.param_names else 1)

    for small in small_statements([node]):
        if not isinstance(small, cst.Assign) or len(small.targets) != 1:
            continue
        target, value = small.targets[0].target, small.value
        if isinstance(target, cst.Tuple) and isinstance(value, cst.Attribute) and value.attr.value == "shape":
            if isinstance(value.value, cst.Name) and value.value.value in arrays and stable(value.value.value):
                for axis, element in enumerate(target.elements):
                    if isinstance(element.value, cst.Name) and stable(element.value.value):
                        found[element.value.value] = expressions.length(value.value.value, axis)
        elif isinstance(target, cst.Name) and stable(target.value) and target.value not in arrays:
            reference = shape_reference(value)
            if reference is not None and reference[0] in arrays and stable(reference[0]):
                found[target.value] = expressions.length(*reference)
    return found
