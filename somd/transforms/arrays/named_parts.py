"""Parts of arrays under names of their own: `inner = u[1:-1]` is no array but a way to reach one.

In: the statements of a method in order. Out: what such a name stands for at each place, where that is one part in any
case. Limits are kept as they were when the name was bound; an array that is bound anew would leave the part behind, so
there is no part of it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping

import libcst as cst

from somd.transforms.arrays.values import View
from somd.transforms.stages import Method
from somd.transforms.tree.names import assigned_names
from somd.transforms.tree.walking import nodes_in
from somd.transforms.types.scalars import ArrayType
from somd.transforms.types.typing_table import Types


class NamedParts:
    """The parts that names stand for; where a name stands for an array of its own, that, as far as lengths are known,
    or None."""

    def __init__(self, method: Method, types: Types) -> None:
        self.standing: dict[str, View | None] = dict.fromkeys(method.param_names)
        #: all names that stand for parts somewhere
        self.names = {name for node in nodes_in(method.function.body) for name in _part_names(node, types)}
        bound = [
            name
            for node in nodes_in(method.function.body)
            if isinstance(node, cst.Assign | cst.AnnAssign | cst.For)
            for name in (assigned_names(node.target) if isinstance(node, cst.For) else assigned_names(node))
        ]
        counts = Counter(bound)
        given = set(method.param_names)
        #: arrays, and numbers, that are bound once
        self.steady = {name for name in {*counts, *given} if counts[name] + (name in given) == 1}

    def bind(self, name: str, view: View | None) -> None:
        """`name` stands for a part, or for an array of its own, from here on."""
        self.standing[name] = view

    def part(self, name: str) -> View | None:
        """The part of another array that a name stands for here."""
        view = self.standing.get(name)
        return None if view is None or view.array == name else view

    def forget(self, names: Collection[str]) -> None:
        """Names are bound on some way to here."""
        for name in set(names) & set(self.standing):
            del self.standing[name]

    def inside(self) -> Mapping[str, View | None]:
        """What holds before a block, to go back to behind it."""
        return dict(self.standing)

    def behind(self, before: Mapping[str, View | None], names: Collection[str]) -> None:
        """Behind a block that binds `names`, what held before it holds for the others."""
        self.standing = {name: view for name, view in before.items() if name not in names}


def _part_names(node: cst.CSTNode, types: Types) -> set[str]:
    """The names that a statement may bind to a part of an array."""
    targets = [node.target] if isinstance(node, cst.AnnAssign) else []
    targets += [each.target for each in node.targets] if isinstance(node, cst.Assign) else []
    names = {each.value for each in targets if isinstance(each, cst.Name)}
    if not names or not isinstance(node, cst.Assign | cst.AnnAssign) or node.value is None:
        return set()
    part = isinstance(node.value, cst.Subscript | cst.Attribute | cst.Name)
    return names if part and isinstance(types.nodes.get(node.value), ArrayType) else set()
