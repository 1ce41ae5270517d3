"""How an index moves when a loop variable does, as far as the text shows it."""

from __future__ import annotations

import libcst as cst

from somd.transforms.analysis.accesses import index_expressions
from somd.transforms.emit.declared import read_in
from somd.transforms.loops.program import Expression, Operation, Variable
from somd.transforms.stages import Nest
from somd.transforms.tree.names import names_read
from somd.transforms.tree.walking import Reader


def unit_stride(index: cst.BaseExpression, variable: str) -> bool:
    """Whether `index` is `variable` plus something that does not mention it.

    >>> [unit_stride(cst.parse_expression(text), "j") for text in ("j", "i * n + j - 1", "2 * j", "k - j", "i")]
    [True, True, False, False, False]
    """
    if isinstance(index, cst.Name):
        return index.value == variable
    if not isinstance(index, cst.BinaryOperation) or not isinstance(index.operator, cst.Add | cst.Subtract):
        return False
    left, right = (variable in names_read(side) for side in (index.left, index.right))
    if left and not right:
        return unit_stride(index.left, variable)
    return right and not left and isinstance(index.operator, cst.Add) and unit_stride(index.right, variable)


def unit_stride_of(index: Expression, variable: str) -> bool:
    """Whether `index` is `variable` plus something that does not mention it."""
    if isinstance(index, Variable):
        return index.name == variable
    if not isinstance(index, Operation) or index.operator not in ("+", "-"):
        return False
    left, right = index.operands
    if variable in read_in(left) and variable not in read_in(right):
        return unit_stride_of(left, variable)
    return index.operator == "+" and variable not in read_in(left) and unit_stride_of(right, variable)


def fastest_first(nest: Nest) -> tuple[int, ...]:
    """The numbers of a nest's dimensions in the order of OpenCL's, in the first of which work-items are neighbours: the
    one whose neighbours touch neighbouring elements most often, or else the innermost; then the others, inner ones
    first."""
    votes = _Votes([dim.variable for dim in nest.dims])
    for statement in nest.body:
        statement.visit(votes)
    inner_first = tuple(reversed(range(len(nest.dims))))
    fastest = max(inner_first, key=lambda number: votes.count[nest.dims[number].variable])
    return (fastest, *(number for number in inner_first if number != fastest))


class _Votes(Reader):
    """For each variable, the accesses whose last index it moves by one."""

    def __init__(self, variables: list[str]) -> None:
        super().__init__()
        self.count = dict.fromkeys(variables, 0)

    def visit_Subscript(self, node: cst.Subscript) -> None:
        if isinstance(node.value, cst.Attribute):  # a shape
            return
        last = index_expressions(node)[-1]
        for variable in self.count:
            self.count[variable] += unit_stride(last, variable)
