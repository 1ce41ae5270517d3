"""When NumPy raises since integers of a type do not hold a number that they are given, as tests of Python text.

In: expressions of a method and their types. Out: `Misfit`: under which condition which statement raises NumPy's error.
Of numbers that are stored, or joined with narrower integers (`a8[i] + k`), those that types or `int_ranges` show to fit
have no test. Nor have those of 32 bits that only the variables of loops with `steady` limits may make too large: that
these loops are `short` is tested before them.

What was tried out with NumPy 2.0 to 2.5: Python's ints and floats must fit wherever they become integers, NumPy's own
where they are stored into signed ones; into unsigned ones these wrap.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass

import libcst as cst
import numpy as np

from somd.syntax import module_of
from somd.transforms.analysis.accesses import index_expressions
from somd.transforms.stages import Method
from somd.transforms.tree.rewriting import code_of
from somd.transforms.tree.walking import children_of, nodes_in
from somd.transforms.types.int_ranges import IntRanges, Span, of_dtype
from somd.transforms.types.scalars import ArrayType, ScalarType, Type
from somd.transforms.types.typing_table import Given, Types


@dataclass(frozen=True)
class Misfit:
    """A condition, the statement that raises then, and the texts of the values that it needs."""

    condition: str
    statement: str
    values: tuple[str, ...]
    node: cst.CSTNode

    def under(self, condition: str) -> Misfit:
        """The same where this condition holds, too."""
        return Misfit(f"({condition}) and ({self.condition})", self.statement, self.values, self.node)


@dataclass(frozen=True)
class Earlier:
    """A number that Python makes before the next misfit, and that may raise something else; under conditions."""

    node: cst.BaseExpression
    conditions: tuple[str, ...] = ()

    def under(self, condition: str) -> Earlier:
        """The same where this condition holds, too."""
        return Earlier(self.node, (condition, *self.conditions))


#: operators whose numbers become floats before
TRUE_QUOTIENT = cst.Divide | cst.DivideAssign
#: operators that raise for numbers of Python
_DIVISIONS = (cst.Divide, cst.FloorDivide, cst.Modulo, cst.Power)
#: what calls of these kinds, and of these names, raise nothing
_HARMLESS = ("allocate", "like", "cast", "numpy", "abs", "bool", "float", "len", "max", "min")


def is_literal(node: cst.CSTNode) -> bool:
    """Whether an int is written out, with signs before it."""
    if isinstance(node, cst.UnaryOperation) and isinstance(node.operator, cst.Minus):
        return is_literal(node.expression)
    return isinstance(node, cst.Integer)


class Misfits:
    """Finds them in expressions of one method. `early` are numbers that are tested before their loops, and the types
    that they meet."""

    def __init__(
        self, method: Method, types: Types, early: Collection[tuple[cst.CSTNode, str]], steady: Collection[cst.For] = ()
    ) -> None:
        self.method, self.types, self.early, self.steady = method, types, early, steady
        self.ranges = IntRanges(method, types)
        #: loops of `steady` limits whose variables are taken to have 32 bits
        self.short: dict[cst.For, None] = {}

    # --- what joins --------------------------------------------------------------------------------------------------

    def within(self, *nodes: cst.CSTNode) -> Iterator[Misfit | Earlier]:
        """Those of the operations of expressions that follow each other, in the order in which Python evaluates them,
        each behind what may raise before it."""
        done: list[Earlier] = []
        for node in nodes:
            for each in self.inside(node):
                yield from done
                done.clear()
                yield each
            done += map(Earlier, self.raising(node))

    def behind(self, nodes: Sequence[cst.CSTNode], own: Iterable[Misfit]) -> Iterator[Misfit | Earlier]:
        """Those of operands, and of their operation."""
        own = [*own]
        yield from self.within(*nodes)
        if own:
            yield from (Earlier(each) for node in nodes for each in self.raising(node))
            yield from own

    def inside(self, node: cst.CSTNode) -> Iterator[Misfit | Earlier]:
        if isinstance(node, cst.Lambda | cst.BaseComp):
            return
        if isinstance(node, cst.IfExp):
            test = code_of(node.test)
            yield from self.within(node.test)
            yield from (each.under(test) for each in self.within(node.body))
            yield from (each.under(f"not ({test})") for each in self.within(node.orelse))
        elif isinstance(node, cst.BooleanOperation):
            left = code_of(node.left)
            yield from self.within(node.left)
            behind = left if isinstance(node.operator, cst.And) else f"not ({left})"
            yield from (each.under(behind) for each in self.within(node.right))
        elif isinstance(node, cst.Comparison):
            first, *others = node.comparisons
            yield from self.within(node.left, first.comparator)
            for place, other in enumerate(others, 1):
                so_far = code_of(node.with_changes(comparisons=node.comparisons[:place]))
                yield from (each.under(so_far) for each in self.within(other.comparator))
        elif isinstance(node, cst.BinaryOperation) and not isinstance(node.operator, TRUE_QUOTIENT):
            yield from self.behind((node.left, node.right), self.joined((node.left, node.right)))
        elif isinstance(node, cst.Call):
            yield from self.behind(children_of(node), self.call(node))
        else:
            yield from self.within(*children_of(node))

    def raising(self, node: cst.CSTNode) -> Iterator[cst.BaseExpression]:
        """The largest numbers in an expression that may raise."""
        if isinstance(node, cst.BaseExpression) and self.kind(node) is not None:
            if any(self.may_raise(each) for each in (node, *nodes_in(node))):
                yield node
        elif not isinstance(node, cst.Lambda | cst.BaseComp):
            for child in children_of(node):
                yield from self.raising(child)

    def may_raise(self, node: cst.CSTNode) -> bool:
        """Whether this operation may, its operands aside."""
        if isinstance(node, cst.Call):
            callee = self.types.calls.get(node)
            return callee is None or not {callee.kind, callee.name} & {*_HARMLESS}
        if isinstance(node, cst.BinaryOperation):
            return isinstance(node.operator, _DIVISIONS) and self.weak(node, "if")
        return isinstance(node, cst.Subscript) and self.kind(node) is not None

    def call(self, node: cst.Call) -> Iterator[Misfit]:
        callee, made = self.types.calls.get(node), self.types.nodes.get(node)
        given = [argument.value for argument in node.args]
        if callee is None:
            return
        if callee.kind in ("allocate", "like") and callee.name.startswith("full") and isinstance(made, ArrayType):
            if self.weak(given[1], "i"):  # NumPy casts all else
                yield from self.stored(made.dtype, given[1], code_of(given[1]))
        elif callee.kind == "array" and callee.given is not None and isinstance(made, ArrayType):
            yield from self.entries(callee.name, callee.given, made.dtype)
        elif callee.kind == "cast" and len(given) == 1 and self.weak(given[0]):
            if isinstance(made, ScalarType) and not made.weak and made.kind in "iu":
                yield from self.stored(made.dtype, given[0], code_of(given[0]))
        elif callee.kind == "numpy" and len(given) == 2:
            kinds = {kind.dtype for kind in map(self.kind, given) if kind is not None and kind.kind in "iu"}
            if isinstance(made, ScalarType) and made.dtype in kinds:
                yield from self.joined((given[0], given[1]))
        elif callee.name in ("divmod", "pow") and callee.kind == "builtin" and len(given) == 2:
            yield from self.joined((given[0], given[1]))

    def entries(self, name: str, given: Given, dtype: str) -> Iterator[Misfit]:
        """Those of numbers that become elements of the array which a call makes."""
        found = given.nodes.get({"array": "object", "pad": "constant_values"}.get(name, ""), ())
        if name == "pad" and (given.constants.get("mode") != "constant" or np.dtype(dtype).kind == "u"):
            return  # it makes NumPy's own numbers of them, which wrap in unsigned integers
        for each in found:
            yield from self.stored(dtype, each, code_of(each))

    def joined(self, sides: tuple[cst.BaseExpression, cst.BaseExpression]) -> Iterator[Misfit]:
        """Those of a Python int that meets a number of narrower integers."""
        for number, other in (sides, sides[::-1]):
            kind = self.kind(other)
            if kind is not None and not kind.weak and kind.kind in "iu" and self.weak(number, "i"):
                yield from self.stored(kind.dtype, number, code_of(number))

    # --- what is stored ----------------------------------------------------------------------------------------------

    def stored(self, dtype: str, node: cst.BaseExpression, text: str) -> Iterator[Misfit]:
        """That of a number, which has a text, in integers of a type; of a Python number that joins with such."""
        kind = self.kind(node)
        if is_literal(node):
            return  # `types` has looked at it
        if kind is None or kind.kind not in "iuf" or np.dtype(dtype).kind not in "iu" or (node, dtype) in self.early:
            return
        if not kind.weak and np.dtype(dtype).kind == "u":
            return  # NumPy's own numbers wrap
        value = text if text.isidentifier() else f"({text})"
        outside = self.float_outside(dtype, kind, value) if kind.kind == "f" else self.int_outside(dtype, node, value)
        if not outside:
            return
        statement = f'raise OverflowError(f"Python integer {{{text}}} out of bounds for {dtype}")'
        if kind.kind == "f" or kind.dtype == "uint64":
            statement = f"__import__('numpy').zeros(1, {dtype!r})[0] = {text}"
        yield Misfit(outside, statement, (ast.unparse(module_of(text)),), node)

    def int_outside(self, dtype: str, node: cst.BaseExpression, value: str) -> str:
        lowest, highest = of_dtype(dtype)

        def outside(found: Span) -> list[str]:
            tests = [f"{value} < {lowest}"] if found[0] < lowest else []
            return [*tests, *([f"{value} > {highest}"] if found[1] > highest else [])]

        tests = outside(self.ranges.of(node))
        if tests and np.dtype(dtype).itemsize == 4:
            shorter = IntRanges(self.method, self.types, self.steady)
            if not outside(shorter.of(node)):
                self.short.update(dict.fromkeys(shorter.relied_on))
                return ""
        return " or ".join(tests)

    def float_outside(self, dtype: str, kind: ScalarType, value: str) -> str:
        """Whole parts must fit: the least and the largest number that the type of floats can tell from others."""
        lowest, highest = of_dtype(dtype)
        bits = 24 if kind.dtype == "float32" else 53
        above = f"{value} > {lowest - 1}.0" if (-lowest).bit_length() < bits else f"{value} >= {lowest}.0"
        return f"not ({above} and {value} < {highest + 1}.0)"

    def element(self, target: cst.CSTNode) -> ScalarType | None:
        """The type of an element that is stored to; None for parts of arrays, and all else."""
        array = target.value if isinstance(target, cst.Subscript) else None
        kind = self.types.names.get(array.value) if isinstance(array, cst.Name) else None
        if not isinstance(kind, ArrayType) or not isinstance(target, cst.Subscript):
            return None
        indexes = index_expressions(target)
        whole = len(indexes) == kind.ndim and all(self.kind(each) is not None for each in indexes)
        return ScalarType(kind.dtype) if whole else None

    def kind(self, node: cst.CSTNode) -> ScalarType | None:
        found: Type | None = self.types.nodes.get(node)
        return found if isinstance(found, ScalarType) else None

    def weak(self, node: cst.CSTNode, kinds: str = "if") -> bool:
        found = self.kind(node)
        return found is not None and found.weak and found.kind in kinds
