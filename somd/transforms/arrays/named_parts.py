"""Parts of arrays under names of their own: `inner = u[1:-1]` is no array but a way to reach one.

In: the statements of a method in order. Out: what such a name stands for at each place, where that is one part in any
case. Limits are kept as they were when the name was bound. Where an array may have been bound anew, its parts are not
known any longer: they would be those of the array before.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping

import libcst as cst

from somd.transforms.arrays.exchanges import Exchanges
from somd.transforms.arrays.values import Value, View
from somd.transforms.stages import Method
from somd.transforms.tree.names import assigned_names
from somd.transforms.tree.walking import nodes_in
from somd.transforms.types.typing_table import Types


class NamedParts:
    """The parts that names stand for; where a name stands for an array of its own, that, as far as lengths are known,
    or None."""

    def __init__(self, method: Method, types: Types) -> None:
        self.standing: dict[str, View | None] = dict.fromkeys(method.param_names)
        #: the values of names whose arrays are not made, and the names that these are made of
        self.contracted: dict[str, Value] = {}
        self.made_of: dict[str, Collection[str]] = {}
        self.exchanges = Exchanges(method, types)
        #: all names that stand for parts somewhere
        self.names = self.exchanges.parts
        bound = [
            name
            for node in nodes_in(method.function.body)
            if isinstance(node, cst.Assign | cst.AnnAssign | cst.AugAssign | cst.For)
            for name in (assigned_names(node.target) if isinstance(node, cst.For) else assigned_names(node))
        ]
        counts = Counter(bound)
        given = set(method.param_names)
        handed = {name for names, _ in self.exchanges.handed.values() for name in names}
        #: numbers that are bound once, and arrays that are
        self.steady = {name for name in {*counts, *given} if counts[name] + (name in given) == 1} - handed

    def bind(self, name: str, view: View | None) -> None:
        """`name` stands for a part, or for an array of its own, from here on."""
        self.forget({name})
        self.standing[name] = view
        self.contracted.pop(name, None)

    def part(self, name: str) -> View | None:
        """The part of another array that a name stands for here."""
        view = self.standing.get(name)
        return None if view is None or view.array == name else view

    def is_unclear(self, name: str) -> bool:
        """Whether a name may stand for several things here."""
        return name in self.names and name not in self.standing

    def forget(self, names: Collection[str]) -> None:
        """Names are bound on some way to here; what were parts of their arrays are parts of others."""
        self.standing = {
            name: view
            for name, view in self.standing.items()
            if name not in names and (view is None or view.array not in names)
        }

    def inside(self) -> Mapping[str, View | None]:
        """What holds before a block, to go back to behind it."""
        return dict(self.standing)

    def behind(self, before: Mapping[str, View | None], names: Collection[str]) -> None:
        """Behind a block that binds `names`, what held before it holds for the others."""
        self.standing = dict(before)
        self.forget(names)
