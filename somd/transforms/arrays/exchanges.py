"""Which assignments hand arrays from name to name: `u = un` where `un` is not read behind it exchanges the two.

    u_old, u = u, u_new   ->   u_old, u, u_new = u, u_new, u_old

In: a `Method` and its types. Out: for each such assignment the names that are bound, and those whose arrays they get;
and which names stand for parts of arrays somewhere. Where both names go on, the second one is a part: the whole array.
"""

from __future__ import annotations

from collections.abc import Sequence

import libcst as cst

from somd.transforms.analysis.liveness import Liveness
from somd.transforms.stages import Method
from somd.transforms.tree.loops import else_statements, small_statements, statements_of
from somd.transforms.tree.names import assigned_names
from somd.transforms.types.scalars import ArrayType
from somd.transforms.types.typing_table import Types

Pair = tuple[str, cst.BaseExpression]


class Exchanges:
    """What was found: `handed` has the exchanges, `parts` the names that stand for parts of arrays somewhere."""

    def __init__(self, method: Method, types: Types) -> None:
        self.types = types
        self.handed: dict[cst.CSTNode, tuple[tuple[str, ...], tuple[str, ...]]] = {}
        self.parts: set[str] = set()
        self.live = Liveness()
        body = statements_of(method.function.body)
        self.live.before(body, frozenset())
        while True:  # a name that stands for a part further down in a loop is no array of its own where it begins
            known = set(self.parts)
            self.handed = {}
            self._block(body, {name for name in method.param_names if self._is_array(cst.Name(name))})
            if known == self.parts:
                break

    def names(self, node: cst.CSTNode) -> set[str]:
        """The names that go over to other arrays in a statement, or in one that is in it."""
        found = assigned_names(node)
        for each in small_statements([node]):
            if each in self.handed:
                found |= {*self.handed[each][0], *self.handed[each][1]}
            elif isinstance(each, cst.For | cst.While | cst.With | cst.If):
                inner = [*statements_of(each.body), *(else_statements(each) if isinstance(each, cst.If) else ())]
                found |= set[str]().union(*map(self.names, inner))
        return found

    def _is_array(self, node: cst.BaseExpression) -> bool:
        kind = self.types.names.get(node.value) if isinstance(node, cst.Name) else self.types.nodes.get(node)
        return isinstance(kind, ArrayType)

    def _block(self, statements: Sequence[cst.CSTNode], own: set[str]) -> None:
        """Go through a block before which the names `own` stand for arrays of their own; left as it is behind it."""
        for node in small_statements(statements):
            if isinstance(node, cst.Assign | cst.AnnAssign):
                self._assigned(node, own)
            elif isinstance(node, cst.For | cst.While | cst.With):
                self._block(statements_of(node.body), set(own) - self._inside(node))
            elif isinstance(node, cst.If):
                self._block(statements_of(node.body), set(own))
                self._block(else_statements(node), set(own))
            own -= self._inside(node) if not isinstance(node, cst.Assign | cst.AnnAssign) else set()

    def _inside(self, node: cst.CSTNode) -> set[str]:
        return assigned_names(node) & self.parts

    def _assigned(self, node: cst.Assign | cst.AnnAssign, own: set[str]) -> None:
        pairs = pairs_of(node)
        arrays = [(name, value) for name, value in pairs if self._is_array(value)]
        names = tuple(name for name, _ in arrays)
        given = tuple(value.value for _, value in arrays if isinstance(value, cst.Name))
        if arrays and len(given) == len(arrays) and len({*given}) == len(given) and {*names, *given} <= own:
            left = [name for name in given if name not in names]
            if not set(left) & self.live.behind.get(node, frozenset()):
                gone = [name for name in names if name not in given]
                if left:
                    self.handed[node] = ((*names, *left), (*given, *gone))
                return
        if isinstance(node, cst.Assign) and self._is_array(node.value):
            rows = {
                name for each in node.targets if isinstance(each.target, cst.Tuple) for name in assigned_names(each)
            }
            self.parts |= {name for name in rows if self._is_array(cst.Name(name))}
            own -= rows
        for name, value in arrays:
            if isinstance(value, cst.Subscript | cst.Attribute | cst.Name):
                self.parts.add(name)
                own.discard(name)
            else:
                own.add(name)


def pairs_of(node: cst.Assign | cst.AnnAssign) -> list[Pair]:
    """The names that an assignment binds, with their values, as far as it shows these."""
    if isinstance(node, cst.AnnAssign):
        target, value = node.target, node.value
        return [(target.value, value)] if isinstance(target, cst.Name) and value is not None else []
    found: list[Pair] = []
    for each in node.targets:
        if isinstance(each.target, cst.Name):
            found.append((each.target.value, node.value))
        elif isinstance(each.target, cst.Tuple) and isinstance(node.value, cst.Tuple):
            both = zip(each.target.elements, node.value.elements, strict=False)
            found += [(t.value.value, v.value) for t, v in both if isinstance(t.value, cst.Name)]
    return found
