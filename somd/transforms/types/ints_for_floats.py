"""Parameters of floats for which an int may stand: the code made for the float gives what the int would.

Python tells `2` from `2.0`: `k // 3`, `a[k]`, `k * m` with a zero, the type of what is returned. Where each use of a
parameter makes a float of it at once, beside a float that is one anyway, nothing is left to tell, up to `LARGEST`. The
same holds of a name that is bound once, to a sum of such: `c = 1 - w`, as array statements compute before their loops.

In: a method and its types. Out: names. Types alone are no proof: what is allowed is listed, and then inference with
ints must give every other expression the type that it has.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Set

import libcst as cst

from somd.arguments.signatures import LARGEST_FOR_FLOAT as LARGEST
from somd.errors import SomdCompileError
from somd.transforms.stages import Method
from somd.transforms.tree.walking import children_of, nodes_in
from somd.transforms.types.infer import infer_types
from somd.transforms.types.scalars import FLOAT, INT, ScalarType, Type
from somd.transforms.types.typing_table import HelpersOfArrays, Types

#: floats hold all integers up to here
_EXACT = 1 << 53
_OPERATORS = cst.Add | cst.Subtract | cst.Multiply | cst.Divide
_IN_PLACE = cst.AddAssign | cst.SubtractAssign | cst.MultiplyAssign | cst.DivideAssign


def ints_for_floats(method: Method, types: Types, arguments: Mapping[str, Type]) -> tuple[str, ...]:
    """The parameters of Python floats that may be ints, any of them, of at most `LARGEST` without the sign."""
    floats = {name for name, kind in arguments.items() if kind == FLOAT}
    if not floats or method.combine is not None or any(param.made_by for param in method.marked_locals):
        return ()
    while floats:
        try:
            other = infer_types(method, {name: INT if name in floats else kind for name, kind in arguments.items()})
        except (SomdCompileError, HelpersOfArrays):
            return ()
        uses = _Uses(method, other, floats)
        if not uses.told:
            but = floats | {*uses.bound}
            same = _without(method, types, but, uses.ints) == _without(method, other, but, uses.ints)
            return tuple(name for name in arguments if name in floats) if same else ()
        floats -= uses.told
    return ()


def _without(method: Method, types: Types, names: Set[str], nodes: Set[cst.CSTNode]) -> object:
    """What is inferred of the method's text, but for what may be an int."""
    rest = [types.nodes.get(node) for node in nodes_in(method.function.body) if node not in nodes]
    return {name: kind for name, kind in types.names.items() if name not in names}, rest, types.result, types.raised


class _Uses:
    """How a method uses parameters that are ints: `told` are those of which it can tell, `ints` the expressions of
    integers that are made of them and of literals, `bound` the names that stand for such expressions."""

    def __init__(self, method: Method, types: Types, floats: Set[str]) -> None:
        self.types = types
        self.floats = floats
        self.told: set[str] = set()
        self.ints: set[cst.CSTNode] = set()
        self.bound: dict[str, cst.Assign] = {}
        self._bind(method)
        self._look(method.function.body)

    def _bind(self, method: Method) -> None:
        """Find `bound`. What binds such a name in another way than a plain assignment is a use that tells."""
        made: dict[str, list[cst.Assign]] = {}
        for node in nodes_in(method.function.body):
            if isinstance(node, cst.Assign) and isinstance(target := node.targets[0].target, cst.Name):
                made.setdefault(target.value, []).append(node)
        once = {name: found[0] for name, found in made.items() if len(found) == 1 and name not in method.param_names}
        while new := {n: each for n, each in once.items() if n not in self.bound and self._parameters_in(each.value)}:
            self.bound |= new

    def _parameters_in(self, node: cst.CSTNode) -> frozenset[str]:
        """The parameters of which an expression of integers is made; nothing if it is another expression."""
        if self._most(node) is None:
            return frozenset()
        names = {each.value for each in self._ints_in(node) if isinstance(each, cst.Name)}
        below = (self._parameters_in(self.bound[name].value) for name in names & {*self.bound})
        return frozenset(names & self.floats).union(*below)

    def _look(self, node: cst.CSTNode) -> None:
        waiting: list[tuple[cst.CSTNode, tuple[cst.CSTNode, ...]]] = [(node, ())]
        while waiting:
            node, above = waiting.pop()
            if self._most(node) is None:
                waiting += [(each, (node, *above[:1])) for each in children_of(node)]
                continue
            found = self._parameters_in(node)
            if found and not (self._becomes_float(node, *above) or self._binds(node, *above)):
                self.told |= found
            self.ints |= {*self._ints_in(node)} if found else set()

    def _most(self, node: cst.CSTNode) -> int | None:
        """For an expression of integers in which all that could tell them from floats is left out: what it is at most,
        without the sign. Products are of literals but 0 and something, since `0 * -3` has no sign as an int."""
        if isinstance(node, cst.Name):
            if node.value in self.bound:
                return self._most(self.bound[node.value].value)
            return LARGEST if node.value in self.floats else None
        if isinstance(node, cst.Integer):
            return abs(int(node.value, 0))
        if not isinstance(node, cst.BinaryOperation):
            return None
        left, right = self._most(node.left), self._most(node.right)
        if left is None or right is None:
            return None
        if isinstance(node.operator, cst.Add | cst.Subtract):
            most = left + right
        elif isinstance(node.operator, cst.Multiply) and any(
            isinstance(factor, cst.Integer) and size for factor, size in ((node.left, left), (node.right, right))
        ):
            most = left * right
        else:
            return None
        return most if most <= _EXACT else None

    def _ints_in(self, node: cst.CSTNode) -> Iterator[cst.CSTNode]:
        yield node
        if isinstance(node, cst.BinaryOperation):
            yield from self._ints_in(node.left)
            yield from self._ints_in(node.right)

    def _becomes_float(
        self, node: cst.CSTNode, parent: cst.CSTNode | None = None, above: cst.CSTNode | None = None
    ) -> bool:
        """Whether what stands around an expression of integers takes it as the float of the same value."""
        if isinstance(parent, cst.BinaryOperation):
            other = parent.right if parent.left is node else parent.left
            if isinstance(parent.operator, cst.Divide) and parent.left is node and self._most(other):
                return isinstance(other, cst.Integer)  # what is divided by zero is told by the message
            return isinstance(parent.operator, _OPERATORS) and self._is_float(other)
        if isinstance(parent, cst.AugAssign):
            return isinstance(parent.operator, _IN_PLACE) and parent.value is node and self._is_float(parent.target)
        if isinstance(parent, cst.Assign):
            return all(isinstance(t.target, cst.Subscript) and self._is_float(t.target) for t in parent.targets)
        if isinstance(parent, cst.ComparisonTarget) and isinstance(above, cst.Comparison):
            return len(above.comparisons) == 1 and self._compares(parent, above.left)
        if isinstance(parent, cst.Comparison):
            return len(parent.comparisons) == 1 and self._compares(
                parent.comparisons[0], parent.comparisons[0].comparator
            )
        return False

    def _binds(self, node: cst.CSTNode, parent: cst.CSTNode | None = None, above: cst.CSTNode | None = None) -> bool:
        """Whether an expression stands in the assignment of a name in `bound`, on either side."""
        return any(each is parent or (each is above and node is not each.value) for each in self.bound.values())

    def _compares(self, target: cst.ComparisonTarget, other: cst.BaseExpression) -> bool:
        is_order = not isinstance(target.operator, cst.Is | cst.IsNot | cst.In | cst.NotIn)
        return is_order and (self._is_float(other) or self._most(other) is not None)

    def _is_float(self, node: cst.CSTNode) -> bool:
        kind = self.types.nodes.get(node)
        if kind is None and isinstance(node, cst.Name):
            kind = self.types.names.get(node.value)
        return isinstance(kind, ScalarType) and kind.kind == "f" and not kind.literals
