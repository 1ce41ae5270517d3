"""Which values of a region's body differ from iteration to iteration at the same place, and which are the same for all.

In: a region, and a body for it whose statements run as often as their loops and conditions say (`is_straight`). Out:
the names of the scalars that may differ; expressions can be asked for.
"""

from __future__ import annotations

from collections.abc import Collection

from somd.transforms.loops.program import (
    Assign,
    Element,
    Evaluate,
    Expression,
    HelperCall,
    If,
    Lanes,
    Loop,
    Operation,
    Region,
    Statement,
    Store,
    Unpack,
    Variable,
)
from somd.transforms.loops.scopes import set_by
from somd.transforms.loops.walking import expressions, inside, statements_in

Block = tuple[Statement, ...]
#: functions that are taken of all lanes of a strip at once, in their place
OF_LANES = ("math.sin", "math.cos", "np.sin", "np.cos")


def is_straight(body: Block) -> bool:
    """Whether nothing leaves a loop, repeats, fails, or makes arrays."""
    return all(isinstance(node, Assign | Unpack | Store | Evaluate | If | Loop) for node in statements_in(body))


def limits(loop: Loop) -> tuple[Expression, Expression, Expression]:
    """What decides which trips a loop has."""
    return loop.start, loop.stop, loop.step


class Varying:
    """The scalars of a straight body that may differ between two iterations; `names` has them.

    What is accumulated differs, and so do elements of arrays that the region writes, and the variables of its loops: of
    one `loop` alone, where its trips are asked about. A scalar is the same for all iterations if all its
    assignments are, none of them under a condition or in a loop that is not.
    """

    def __init__(
        self,
        region: Region,
        body: Block,
        elements: bool = False,
        loop: Loop | None = None,
        functions: Collection[str] = (),
    ) -> None:
        self.written = frozenset((*region.written, *region.local_arrays))
        #: whether each element may differ: where it may be written by another name, or is taken for such a one
        self.all = region.aliased or elements
        #: functions whose results are taken for such
        self.functions = functions
        loops = region.loops if loop is None else (loop,)
        self.names = {variable.name for variable in (*region.carried, *(each.variable for each in loops))}
        known = -1
        while known < len(self.names):
            known = len(self.names)
            self._block(body, False)

    def __call__(self, *nodes: Expression) -> bool:
        """Whether a value may differ."""
        return any(self._varies(each) for node in nodes for each in inside(node))

    def _varies(self, node: Expression) -> bool:
        """Whether a value may differ by itself, whatever its operands are."""
        if isinstance(node, Variable):
            return node.name in self.names
        if isinstance(node, Element):
            return self.all or node.relaxed is not None or node.array in self.written
        return isinstance(node, HelperCall) and node.function in self.functions

    def uniform(self, node: Statement) -> bool:
        """Whether a statement does the same in all iterations and stores no element."""
        if isinstance(node, If):
            return not self(node.test) and all(map(self.uniform, (*node.body, *node.orelse)))
        if isinstance(node, Loop):
            return not self(*limits(node)) and all(map(self.uniform, node.body))
        plain = isinstance(node, Assign | Unpack | Evaluate)
        return plain and not self(*expressions(node)) and self.names.isdisjoint(set_by(node))

    def _block(self, body: Block, controlled: bool) -> None:
        for node in body:
            values = limits(node) if isinstance(node, Loop) else expressions(node)
            inner = controlled or self(*values) or (isinstance(node, Unpack) and node.function in self.functions)
            if isinstance(node, If):
                self._block(node.body, inner)
                self._block(node.orelse, inner)
            elif inner:
                self.names |= set_by(node)
            if isinstance(node, Loop | Lanes):
                self._block(node.body, inner)


def of_lanes(node: Statement) -> bool:
    """Whether a statement takes a function of a name's value that there is for all lanes at once, in its place."""
    value = node.value if isinstance(node, Assign) else None
    if not isinstance(node, Assign) or not isinstance(value, Operation) or value.operator not in OF_LANES:
        return False
    [operand] = value.operands
    own = isinstance(operand, Variable) and operand.name == node.target.name
    return own and node.target.type.dtype == "float64"
