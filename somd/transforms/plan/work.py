"""How much work a phase is, as text that a master evaluates: operations, roughly, before anything runs.

It decides only whether a phase is worth the entry into a parallel region, so a rough figure will do. An operation is a
sum or product of floats in a loop that LLVM vectorises, a tenth of a nanosecond; what takes longer counts for more.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence

import libcst as cst

from somd.elementary.functions import OF_MATH, OF_NUMPY
from somd.transforms.stages import Method, Nest
from somd.transforms.tree.loops import Range, integer_constant, range_of
from somd.transforms.tree.names import evaluate, names_read
from somd.transforms.tree.walking import Reader, nodes_of
from somd.transforms.types.scalars import AUGMENTED

#: what a loop of unknown length, or a call of a helper, counts for
UNKNOWN = 200
#: what functions count for
CHEAP, ROOT, DEAREST = 2, 10, 100
_FUNCTIONS = {
    CHEAP: "abs min max len int float bool fabs absolute minimum maximum fmin fmax floor ceil trunc rint round sign "
    "square copysign where clip isnan isinf isfinite float32 float64 int8 int16 int32 int64 uint8 uint16 uint32 uint64 "
    "bool_ complex64 complex128 conj conjugate real imag",
    ROOT: "sqrt reciprocal",
    DEAREST: "fmod",
}
COSTS = {name: cost for cost, names in _FUNCTIONS.items() for name in names.split()}
COSTS |= {name: known.cost for name, known in (*OF_MATH.items(), *OF_NUMPY.items())}
#: what quotients of floats, and quotients and remainders of integers count for
QUOTIENT, WHOLE_QUOTIENT = 7, 20
#: trips that a loop of unknown length is taken to have where memory depends on it
SOME = 16


def work_text(nest: Nest, method: Method, text: Callable[[cst.BaseExpression], str]) -> str:
    """The operations of a nest: trips of its dimensions, and of inner loops as far as their bounds are uniform."""
    factors = []
    for dim in nest.dims:
        limits = f"{text(dim.start)}, {text(dim.stop)}, {dim.step}" if dim.invariant else f"{dim.low}, {dim.high}, 1"
        factors.append(f"trips({limits})")
    body = _Body(method, frozenset((*nest.scalars, *nest.arrays)), text)
    for statement in nest.body:
        statement.visit(body)
    weight = body.operations + sum(body.loops.values())
    loops = "".join(f" + {operations} * {trips}" for trips, operations in body.long.items())
    inner = f"({weight}{loops})" if loops else str(weight)
    return " * ".join([*factors, inner])


def operations_of(statements: Sequence[cst.CSTNode], method: Method) -> int:
    """The operations of statements, roughly."""
    body = _Body(method, (), lambda node: "")
    for statement in statements:
        statement.visit(body)
    return body.operations + sum(body.loops.values()) + sum(body.long.values())


def updates_text(nest: Nest, method: Method, text: Callable[[cst.BaseExpression], str], trips: str = "trips") -> str:
    """How often the statements of a nest run, innermost loops included, as far as their bounds are uniform; `trips` is
    the name of the function that counts the values of a range."""
    factors = []
    for dim in nest.dims:
        if dim.invariant:
            factors.append(f"{trips}({text(dim.start)}, {text(dim.stop)}, {dim.step})")
        else:
            factors.append(f"{trips}({dim.low}, {dim.high} + 1, 1)")
    loops = _Loops(method, frozenset((*nest.scalars, *nest.arrays)), text, trips)
    for statement in nest.body:
        statement.visit(loops)
    inner = " + ".join(["1", *loops.counts])
    return " * ".join([*factors, f"({inner})"]) if loops.counts else " * ".join(factors)


class _Loops(Reader):
    """The trips of the loops in a body, nested ones multiplied."""

    def __init__(
        self, method: Method, uniform: frozenset[str], text: Callable[[cst.BaseExpression], str], trips: str
    ) -> None:
        super().__init__()
        self.method = method
        self.uniform = uniform
        self.text = text
        self.trips = trips
        self.counts: list[str] = []

    def visit_While(self, node: cst.While) -> None:
        self.counts.append(str(SOME))

    def visit_For(self, node: cst.For) -> bool:
        header = range_of(node)
        step = integer_constant(header.step, self.method) if header is not None else None
        count = str(SOME)
        if header is not None and step and all(uniform(n, self.method, self.uniform) for n in header.limits):
            count = f"{self.trips}({self.text(header.start)}, {self.text(header.stop)}, {step})"
        inner = _Loops(self.method, self.uniform, self.text, self.trips)
        node.body.visit(inner)
        self.counts.append(f"{count} * ({' + '.join(['1', *inner.counts])})" if inner.counts else count)
        return False


class _Body(Reader):
    def __init__(self, method: Method, uniform: Collection[str], text: Callable[[cst.BaseExpression], str]) -> None:
        super().__init__()
        self.method = method
        self.uniform = uniform
        self.text = text
        self.operations = 1
        self.loops: dict[cst.CSTNode, int] = {}
        self.long: dict[str, int] = {}

    def trips(self, header: Range | None, step: int | None) -> int:
        """How many trips a loop has at most, as far as its text shows it."""
        most = None if header is None else _most(header.stop, self.method)
        least = None if header is None else integer_constant(header.start, self.method)
        if most is None or least is None or step is None or step <= 0:
            return UNKNOWN
        return max(0, -(-(most - least) // step))

    def visit_BinaryOperation(self, node: cst.BinaryOperation) -> None:
        self.operations += _cost(node.operator, node.right)

    def visit_AugAssign(self, node: cst.AugAssign) -> None:
        self.operations += _cost(AUGMENTED[type(node.operator)](), node.value)

    def visit_Subscript(self, node: cst.Subscript) -> None:
        self.operations += 1

    def visit_Comparison(self, node: cst.Comparison) -> None:
        self.operations += 1

    def visit_Call(self, node: cst.Call) -> None:
        called = node.func.attr if isinstance(node.func, cst.Attribute) else node.func
        name = called.value if isinstance(called, cst.Name) else ""
        if name not in COSTS:  # a pass may have given it another name
            name = getattr(evaluate(node.func, self.method.namespace, self.method.local_names), "__name__", "")
        self.operations += COSTS.get(name, UNKNOWN)

    def visit_While(self, node: cst.While) -> None:
        self.operations += UNKNOWN

    def visit_For(self, node: cst.For) -> bool:
        inner = _Body(self.method, self.uniform, self.text)
        node.body.visit(inner)
        operations = inner.operations + sum(inner.loops.values())
        header = range_of(node)
        step = integer_constant(header.step, self.method) if header is not None else None
        if (
            header is not None
            and step
            and not inner.long
            and all(uniform(limit, self.method, self.uniform) for limit in header.limits)
        ):
            trips = f"trips({self.text(header.start)}, {self.text(header.stop)}, {step})"
            self.long[trips] = self.long.get(trips, 0) + operations
        else:
            self.loops[node] = self.trips(header, step) * operations
        return False


def _cost(operator: cst.BaseBinaryOp, right: cst.BaseExpression) -> int:
    """What an operation counts for."""
    if isinstance(operator, cst.Divide):
        return QUOTIENT
    if isinstance(operator, cst.FloorDivide | cst.Modulo):
        return WHOLE_QUOTIENT
    if isinstance(operator, cst.Power):
        return CHEAP if isinstance(right, cst.Integer) else DEAREST
    return 1


def _most(node: cst.BaseExpression, method: Method) -> int | None:
    """What an integer does not exceed: a constant, or `min` with one."""
    given = [arg.value for arg in node.args] if isinstance(node, cst.Call) else []
    smallest = isinstance(node, cst.Call) and isinstance(node.func, cst.Name) and node.func.value == "min"
    bounds = [_most(each, method) for each in given] if smallest else [integer_constant(node, method)]
    return min((bound for bound in bounds if bound is not None), default=None)


def uniform(node: cst.BaseExpression, method: Method, uniform: Collection[str]) -> bool:
    """Whether a bound has one value for all iterations: of uniform names and shapes, and of no array's elements."""
    names = names_read(node) & method.local_names
    elements = (each for each in nodes_of(node, cst.Subscript) if not isinstance(each.value, cst.Attribute))
    return not any(elements) and names <= frozenset(uniform)
