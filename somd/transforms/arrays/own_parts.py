"""Names that go on as something made of what they were: `x = x[1:]`, `x = x.T`, `x = x * x`.

In: a `Method` and its `Types`. Out: such names, of which `names_apart` makes several: a name for a part of an array is
gone after lowering, and what it is a part of keeps its own; an array that is bound once need not be made
(`contraction`).
"""

from __future__ import annotations

import libcst as cst

from somd.transforms.arrays.exchanges import pairs_of
from somd.transforms.stages import Method
from somd.transforms.tree.names import names_read
from somd.transforms.tree.walking import nodes_in
from somd.transforms.types.scalars import ArrayType
from somd.transforms.types.typing_table import Types


def made_of_themselves(method: Method, types: Types) -> set[str]:
    """The names of arrays that are bound to what is made of themselves."""
    found: set[str] = set()
    for node in nodes_in(method.function.body):
        for name, value in pairs_of(node) if isinstance(node, cst.Assign | cst.AnnAssign) else ():
            array = isinstance(types.names.get(name), ArrayType) and isinstance(types.nodes.get(value), ArrayType)
            if array and name in names_read(value):
                found.add(name)
    return found
