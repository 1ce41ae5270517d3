"""Elements that do not lie side by side for the lanes of a strip, and that the rows of a tile share: each is loaded for
all lanes, in a statement of its own, so that what is computed of it vectorises.

In: the body of a region that may run in strips. Out: that body with such loads before the statements that need them,
and the names that they set.
"""

from __future__ import annotations

from somd.transforms.loops.making import variable
from somd.transforms.loops.naming import NewNames
from somd.transforms.loops.program import (
    Assign,
    Choice,
    Element,
    Evaluate,
    Expression,
    Operation,
    Origin,
    Region,
    Statement,
    Store,
)
from somd.transforms.loops.rewriting import in_inner_loops, with_expressions, with_operands
from somd.transforms.loops.scopes import read
from somd.transforms.loops.varying import Varying
from somd.transforms.loops.walking import inside
from somd.transforms.passes.strip_gains import Shape

Block = tuple[Statement, ...]


class Loads:
    """Takes such elements out of the statements of inner loops; `names` are what they are called."""

    def __init__(self, region: Region, body: Block, fresh: NewNames) -> None:
        loop = region.loops[-1]
        varying = Varying(region, body, loop=loop)
        step = loop.by or 0
        self.shape = Shape(varying, loop.variable.name, step)
        self.region = region
        self.outer = region.loops[-2].variable.name if region.depth > 1 else None
        self.fresh = fresh
        self.names: frozenset[str] = frozenset()
        self.body = body if self.outer is None else in_inner_loops(body, self.separated, lambda _: True)

    def separated(self, node: Assign | Store | Evaluate) -> list[Statement]:
        before: list[Statement] = []
        origin = Origin(node.origin.position)

        def change(part: Expression) -> Expression:
            if isinstance(part, Choice) or (isinstance(part, Operation) and part.operator in ("and", "or")):
                return part
            if not isinstance(part, Element) or not self.wanted(part):
                return part if isinstance(part, Element) else with_operands(part, change)
            place = variable(self.fresh.name(part.array), part.type)
            before.append(Assign(place, part, origin))
            self.names |= {place.name}
            return place

        made = with_expressions(node, change)
        return [*before, made]

    def wanted(self, node: Element) -> bool:
        """Whether an element that is only read lies anywhere, and is the same for all trips of the loop around."""
        alone = not any(isinstance(each, Element) for index in node.indices for each in inside(index))
        return alone and lies_apart(node, self.region, self.shape) and self.outer not in read(*node.indices)


def lies_apart(node: Element, region: Region, shape: Shape) -> bool:
    """Whether an element is only read, and does not lie beside that of the neighbouring lane."""
    is_plain = node.array not in region.written and node.type.kind != "c" and node.relaxed is None
    return is_plain and not shape.side_by_side(node)
