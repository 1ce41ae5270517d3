"""Tests of lengths before the loop that repeats them, where nothing in it changes the lengths.

    for t in range(n):                     if n > 0 and A.shape[0] != B.shape[0]: raise ...
        if A.shape[0] != B.shape[0]:  ->   for t in range(n):
            raise ...                          B[...] = A[...]
        B[...] = A[...]

In: a loop whose body has been lowered. Out: the tests, and the loop without them. A test that other statements come
before moves as well if those cannot raise or leave the loop: then less has been written when it raises, as with indexes
out of bounds.
"""

from __future__ import annotations

from collections.abc import Callable, Collection

import libcst as cst

from somd.transforms.analysis.accesses import index_expressions
from somd.transforms.analysis.affine import shape_reference
from somd.transforms.arrays.names import Names
from somd.transforms.tree.loops import integer_constant, range_of, statements_of
from somd.transforms.tree.names import assigned_names, names_read
from somd.transforms.tree.walking import nodes_in


def with_early_tests(
    loop: cst.For, tests: Collection[cst.CSTNode], names: Names, harmless: Callable[[cst.CSTNode], bool]
) -> list[cst.BaseStatement]:
    """The loop, behind those of the `tests` in its body that may be made before it; a line that is `harmless` binds a
    name and cannot fail."""
    header = range_of(loop)
    step = None if header is None else integer_constant(header.step, names.method)
    limits = () if header is None else header.limits
    plain = all(map(is_number, limits))
    if header is None or step is None or step <= 0 or not plain or not isinstance(loop.body, cst.IndentedBlock):
        return [loop]
    changed = assigned_names(loop)
    early: list[cst.BaseStatement] = []
    kept: list[cst.CSTNode] = []
    open_ = True
    for node in statements_of(loop.body):
        moves = open_ and node in tests and isinstance(node, cst.If) and not names_read(node.test) & changed
        if moves and isinstance(node, cst.If):
            early.append(_before(node, header.start, header.stop, names))
            continue
        kept.append(node)
        open_ = open_ and (node in tests or harmless(node) or _is_safe(node))
    if not early or not kept:
        return [loop]
    made = loop.with_changes(body=loop.body.with_changes(body=kept))
    names.place(made, loop)
    return [*early, made]


def is_number(limit: cst.BaseExpression) -> bool:
    """Whether a limit of a loop is a number or a length, which may as well be asked for before the loop."""
    length = isinstance(limit, cst.Call) and isinstance(limit.func, cst.Name) and limit.func.value == "len"
    named = length and isinstance(limit, cst.Call) and isinstance(limit.args[0].value, cst.Name)
    return named or isinstance(limit, cst.Name | cst.Integer) or shape_reference(limit) is not None


def _before(node: cst.If, start: cst.BaseExpression, stop: cst.BaseExpression, names: Names) -> cst.If:
    """A test that is made if the loop has a turn."""
    code = cst.Module([]).code_for_node
    test = cst.parse_expression(f"{code(stop)} > {code(start)} and ({code(node.test)})")
    made = node.with_changes(test=test)
    names.place(made, node)
    return made


def _is_safe(node: cst.CSTNode) -> bool:
    """Whether a statement is a nest of loops over elements whose indexes are those of parts, which exist."""
    if not isinstance(node, cst.For):
        return False
    for each in nodes_in(node):
        if isinstance(each, cst.Raise | cst.Break | cst.Return | cst.Continue | cst.While):
            return False
        if isinstance(each, cst.Subscript) and not (
            isinstance(each.value, cst.Attribute)
            or all(any(n.startswith("at__") for n in names_read(i)) for i in index_expressions(each))
        ):
            return False
        if isinstance(each, cst.Subscript) and any(
            isinstance(inner, cst.Subscript) and isinstance(inner.value, cst.Name)
            for index in index_expressions(each)
            for inner in nodes_in(index)
        ):
            return False
    return True
