"""Results that are Python's numbers on some paths and NumPy's of another kind or width on others.

    t = 2
    if k > 3:
        t = np.float32(2.5)
    return t                    # 2, or a np.float32: generated code returns a np.float32

The numbers are equal, but they print, add and divide differently. A loop counts as one that runs and sets what it may
set: that it may do nothing is left aside, and so is what of float and np.float64, or int and np.int64, a result is.
"""

from __future__ import annotations

from collections.abc import Sequence

import libcst as cst

from somd.transforms.tree.loops import else_statements, small_statements, statements_of
from somd.transforms.types.scalars import ScalarType, TupleType, type_of_value
from somd.transforms.types.typing_table import Types

#: whether a number may be Python's, and whether it may be NumPy's
Paths = frozenset[bool]
State = dict[str, Paths]
PYTHON, NUMPY, NEITHER = frozenset({True}), frozenset({False}), frozenset[bool]()


def is_twin(scalar: ScalarType) -> bool:
    """Whether the Python numbers that a variable may hold instead are of the kind and width of its type."""
    return all(type_of_value(value).dtype == scalar.dtype for value in scalar.literals)


def mixed_return(statements: Sequence[cst.CSTNode], types: Types) -> tuple[cst.Return, ScalarType] | None:
    """A statement that returns Python's numbers on some paths, NumPy's on others, and the type that they would get."""
    parts = types.result.elements if isinstance(types.result, TupleType) else (types.result,)
    unclear = {k: part for k, part in enumerate(parts) if isinstance(part, ScalarType) and not part.weak}
    unclear = {k: part for k, part in unclear.items() if part.literals and not is_twin(part)}
    if not unclear:
        return None
    walk = _Walk(types)
    start = {name: walk.of_type(kind) for name, kind in types.names.items() if isinstance(kind, ScalarType)}
    walk.block(statements, {name: paths for name, paths in start.items() if len(paths) == 1}, in_loop=False)
    for k, part in unclear.items():
        values = [(_part(node.value, k, len(parts)), state, node) for node, state in walk.returns]
        found = [(walk.paths(value, state), node) for value, state, node in values if value is not None]
        if len(NEITHER.union(*(paths for paths, _ in found))) > 1:
            return found[-1][1], part
    return None


def _part(value: cst.BaseExpression | None, place: int, count: int) -> cst.BaseExpression | None:
    if isinstance(value, cst.Tuple):
        return value.elements[place].value
    return value if count == 1 else None


class _Walk:
    """Follows what of the names is Python's and NumPy's through the statements of a method."""

    def __init__(self, types: Types) -> None:
        self.types = types
        self.returns: list[tuple[cst.Return, State]] = []

    def of_type(self, kind: object) -> Paths:
        if not isinstance(kind, ScalarType):
            return NEITHER
        return PYTHON if kind.weak else PYTHON | NUMPY if kind.literals else NUMPY

    def block(self, statements: Sequence[cst.CSTNode], state: State, in_loop: bool) -> State | None:
        """The state behind the statements; None where no path gets there."""
        for node in small_statements(statements):
            if isinstance(node, cst.Assign):
                for target in node.targets:
                    self.assign(target.target, node.value, state)
            elif isinstance(node, cst.AnnAssign | cst.AugAssign) and node.value is not None:
                self.assign(node.target, node if isinstance(node, cst.AugAssign) else node.value, state)
            elif isinstance(node, cst.For | cst.While | cst.With):
                inner = self.block(statements_of(node.body), dict(state), in_loop or not isinstance(node, cst.With))
                state = state if inner is None else inner
            elif isinstance(node, cst.If):
                joined = self.branches(node, state, in_loop)
                if joined is None:
                    return None
                state = joined
            elif isinstance(node, cst.Return | cst.Raise | cst.Break | cst.Continue):
                if isinstance(node, cst.Return):
                    self.returns.append((node, dict(state)))
                return state if isinstance(node, cst.Break | cst.Continue) else None
        return state

    def branches(self, node: cst.If, state: State, in_loop: bool) -> State | None:
        sides = [self.block(part, dict(state), in_loop) for part in (statements_of(node.body), else_statements(node))]
        ends = [side for side in sides if side is not None]
        joined = {}
        for name in {name for end in ends for name in end}:
            paths = [end.get(name, NEITHER) for end in ends]
            changed = [each for each in paths if each != state.get(name, NEITHER)]
            joined[name] = NEITHER.union(*(changed if in_loop and changed else paths))
        return joined if ends else None

    def assign(self, target: cst.BaseExpression, value: cst.CSTNode, state: State) -> None:
        if isinstance(target, cst.Tuple) and isinstance(value, cst.Tuple):
            before = dict(state)
            for left, right in zip(target.elements, value.elements, strict=False):
                if isinstance(left.value, cst.Name):
                    state[left.value.value] = self.paths(right.value, before)
        elif isinstance(target, cst.Name):
            state[target.value] = self.paths(value, state)

    def paths(self, node: cst.CSTNode, state: State) -> Paths:
        kind = self.types.nodes.get(node)
        if not isinstance(kind, ScalarType) or kind.weak or not kind.literals:
            return self.of_type(kind)
        if isinstance(node, cst.Name):
            return state.get(node.value, NEITHER)
        if isinstance(node, cst.IfExp):
            return self.paths(node.body, state) | self.paths(node.orelse, state)
        if isinstance(node, cst.AugAssign | cst.BinaryOperation):
            sides = [node.target, node.value] if isinstance(node, cst.AugAssign) else [node.left, node.right]
            found = [self.paths(side, state) for side in sides]
            strong = NUMPY if any(False in each for each in found) else NEITHER
            return strong | (PYTHON if all(True in each for each in found) else NEITHER)
        return self.of_type(kind)
