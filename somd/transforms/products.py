"""The updates of complex products: `s *= e` and `s = s * e`, where `s` may stand for the product of no numbers yet.

    s *= z[i]    ->    s = join_products(s, z[i])

In: a nest. Out: the nodes of multiplications that are to join products, on every target.
"""

from __future__ import annotations

import libcst as cst

from somd.language.operators import OPERATORS
from somd.transforms.stages import Nest
from somd.transforms.types.scalars import ArrayType, ScalarType
from somd.transforms.types.typing_table import Types


def joining(nest: Nest, types: Types) -> frozenset[cst.CSTNode]:
    """The multiplications, and statements `s *= e`, into accumulators that no number is neutral for."""
    found: set[cst.CSTNode] = set()
    updates = [(each.name, each) for each in nest.reductions] + [(each.array, each) for each in nest.combined]
    for name, each in updates:
        kind = types.names[name]
        element = kind.element if isinstance(kind, ArrayType) else kind
        if isinstance(element, ScalarType) and element.kind == "c" and OPERATORS[each.op].of_complex is not None:
            found |= {node.value if isinstance(node, cst.Assign) else node for node in each.updates}
    return frozenset(found)
