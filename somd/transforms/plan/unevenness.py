"""Whether the iterations of a nest may differ in cost, so that equal shares of them would be unequal work."""

from __future__ import annotations

import libcst as cst

from somd.transforms.stages import Method, Nest
from somd.transforms.tree.loops import Range, range_of, statements_of
from somd.transforms.tree.walking import Reader, holds
from somd.transforms.types.typing_table import Types


def uneven(nest: Nest, method: Method, types: Types) -> bool:
    """Whether the cost depends on the iteration: through the bounds of inner loops, how often a `while` turns, a loop
    under an `if` or left by `break`, or a helper function that has loops."""
    visitor = _Uneven(frozenset((*nest.scalars, *nest.arrays)), method, types)
    if not all(visitor.is_even(limit) for dim in nest.dims[1:] for limit in (dim.start, dim.stop)):
        return True
    for statement in nest.body:
        statement.visit(visitor)
    return visitor.found


class _Uneven(Reader):
    def __init__(self, uniform: frozenset[str], method: Method, types: Types) -> None:
        super().__init__()
        self.uniform = uniform
        self.method = method
        self.types = types
        self.conditions = 0
        self.found = False

    def visit_While(self, node: cst.While) -> None:
        self.found = True

    def visit_Break(self, node: cst.Break) -> None:
        self.found = True

    def visit_For(self, node: cst.For) -> None:
        header = range_of(node)
        self.found |= self.conditions > 0 or header is None
        if header is not None and not is_stretch(header):
            self.found |= not all(self.is_even(limit) for limit in header.limits)

    def visit_If(self, node: cst.If) -> None:
        self.conditions += not _is_choice(node)

    def leave_If(self, original_node: cst.If) -> None:
        self.conditions -= not _is_choice(original_node)

    def visit_Call(self, node: cst.Call) -> None:
        callee = self.types.calls.get(node)
        if callee is not None and callee.helper is not None:
            self.found |= has_loops(callee.helper.method.function)

    def is_even(self, limit: cst.BaseExpression) -> bool:
        """Whether a bound is the same for all iterations, but for remainders: those of red and black rows, say."""
        reads = _Reads()
        limit.visit(reads)
        return not reads.elements and reads.names & self.method.local_names <= self.uniform


def is_stretch(header: Range) -> bool:
    """Whether a loop goes from somewhere to a constant number of places further, but for what is beyond two ends."""
    start, stop = _first_of("max", header.start), _first_of("min", header.stop)
    if not (isinstance(stop, cst.BinaryOperation) and isinstance(stop.operator, cst.Add)):
        return False
    return isinstance(stop.right, cst.Integer) and stop.left.deep_equals(start)


def _first_of(name: str, limit: cst.BaseExpression) -> cst.BaseExpression:
    """The first argument, where a limit is a call of this function."""
    called = isinstance(limit, cst.Call) and isinstance(limit.func, cst.Name) and limit.func.value == name
    return limit.args[0].value if isinstance(limit, cst.Call) and called and limit.args else limit


def _is_choice(node: cst.If) -> bool:
    """Whether both branches are one loop along such a stretch."""
    if not isinstance(node.orelse, cst.Else):
        return False
    bodies = [statements_of(node.body), statements_of(node.orelse.body)]
    headers = [range_of(body[0]) for body in bodies if len(body) == 1 and isinstance(body[0], cst.For)]
    return len(headers) == 2 and all(header is not None and is_stretch(header) for header in headers)


class _Reads(Reader):
    """The names in an expression, but for those in remainders, and whether it reads elements of arrays."""

    def __init__(self) -> None:
        super().__init__()
        self.names: set[str] = set()
        self.elements = False

    def visit_BinaryOperation(self, node: cst.BinaryOperation) -> bool:
        return not (isinstance(node.operator, cst.Modulo) and isinstance(node.right, cst.Integer))

    def visit_Attribute(self, node: cst.Attribute) -> bool:
        node.value.visit(self)
        return False

    def visit_Subscript(self, node: cst.Subscript) -> None:
        self.elements |= not isinstance(node.value, cst.Attribute)

    def visit_Name(self, node: cst.Name) -> None:
        self.names.add(node.value)


def has_loops(function: cst.FunctionDef) -> bool:
    """Whether a function loops, so that the cost of a call may depend on its arguments."""
    return holds(function, cst.While, cst.For)
