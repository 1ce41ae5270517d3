"""Phases whose iterations may wait for some turns of the loop around them.

for k in range(n - 1):          a turn works on its row k, then
    ...                         updates all rows behind it
    for j in range(k + 1, n):
        ... row j ...

Where isl proves that the turns k + 1, k + 2, ... touch nothing that the update of a row behind all of them reads or
writes, and the updates of two such rows nothing of each other, these updates may wait: some turns are done at a time,
in which only the rows next to come are kept up to date, and then every other row gets the updates of all those turns
one after the other, while it is in the cache. Each element sees the same operations in the same order.

In: a uniform loop whose steps are planned. Out: `Delay`, or None where nothing is proved. What the dependence analysis
cannot say exactly counts as "any".
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

import libcst as cst

from somd.transforms.access import Access, Affine
from somd.transforms.analysis.accesses import accesses_of
from somd.transforms.analysis.affine import shape_reference, variable
from somd.transforms.analysis.dependences import domain_formulas, keys_in, may_be_negative
from somd.transforms.analysis.sets import Sets, TooComplex, renamed
from somd.transforms.plan.context import Context
from somd.transforms.stages import Delay, Joined, Nest, PartialResults, Phase, Snapshot, Step, Uniform, nested_steps
from somd.transforms.tree.loops import integer_constant, range_of
from somd.transforms.tree.names import assigned_names
from somd.transforms.tree.walking import children_of

#: the most rows beyond the last turn that are kept up to date with it
MAX_MARGIN = 2
LATER = "__later"


def delay_of(step: Uniform, around: Sequence[Affine], context: Context) -> Delay | None:
    """The phase of a uniform loop that may wait, with the least margin; `around` holds inside the loop."""
    if not isinstance(step.node, cst.For) or step.guarded or step.node.orelse is not None or _returns(step.node.body):
        return None
    header, phase = range_of(step.node), _last_phase(step.body)
    if header is None or phase is None or integer_constant(header.step, context.method) != 1:
        return None
    changed = assigned_names(step.node.body)
    inner = range_of(phase.nest.dims[0].node)
    if header.variable in changed or inner is None or not _may_wait(phase.nest, step, changed, context):
        return None
    scope = context.scope.with_known(dict.fromkeys(changed))
    every = accesses_of((step.node,), scope)
    inner_loop = phase.nest.dims[0].node
    waiting = [a for a in every if any(domain.node is inner_loop for domain in a.loops)]
    if any(domain.strided for access in every for domain in access.loops[:1]) or any(
        a.loops[1].strided for a in waiting
    ):
        return None
    question = _Question(variable(header.variable), variable(inner.variable), around, context)
    try:
        if not waiting or not all(question.behind(access) for access in waiting):
            return None
        for margin in range(MAX_MARGIN + 1):
            if all(question.apart(mine, other, margin, other in waiting) for mine in waiting for other in every):
                return Delay(phase.number, margin)
    except TooComplex:
        pass
    return None


def _last_phase(steps: Sequence[Step]) -> Phase | None:
    """The phase that ends a turn, perhaps of a branch that ends it; None if something follows it."""
    last = steps[-1] if steps else None
    if isinstance(last, Uniform) and isinstance(last.node, cst.If):
        return _last_phase(last.body)
    return last if isinstance(last, Phase) else None


def _may_wait(nest: Nest, step: Uniform, changed: set[str], context: Context) -> bool:
    """Whether a phase is a nest over blocks that cannot fail once it has begun, and no arrays change their names."""
    special = nest.reductions or nest.combined or nest.copies or nest.relaxed or nest.in_order_if or nest.local_arrays
    others = (Joined, PartialResults, Snapshot)
    if special or nest.tests or nest.partition is not None or nest.dims[0].step != 1:
        return False
    steps = tuple(nested_steps(step.body))
    relaxed = any(isinstance(s, others) or (isinstance(s, Phase) and s.nest.relaxed) for s in steps)
    return not relaxed and not changed & set(context.kinds.ranks) and only_elements(step.node, context.kinds.ranks)


def _returns(node: cst.CSTNode) -> bool:
    return isinstance(node, cst.Return | cst.Raise) or any(_returns(child) for child in children_of(node))


def only_elements(node: cst.CSTNode, arrays: Collection[str]) -> bool:
    """Whether arrays are only asked for elements and shapes: not copied, bound to names or passed on."""
    if isinstance(node, cst.Name):
        return node.value not in arrays
    if isinstance(node, cst.Subscript) and isinstance(node.value, cst.Name):
        return all(only_elements(child, arrays) for child in node.slice)
    if isinstance(node, cst.Attribute) and isinstance(node.value, cst.Name):
        return node.value.value not in arrays or node.attr.value in ("shape", "size", "ndim")
    if shape_reference(node) is not None if isinstance(node, cst.BaseExpression) else False:
        return True
    return all(only_elements(child, arrays) for child in children_of(node))


class _Question:
    """Asks whether accesses of two turns may meet; `turn` and `row` are the isl names of the loops' variables."""

    def __init__(self, turn: str, row: str, around: Sequence[Affine], context: Context) -> None:
        self.turn, self.row = turn, row
        self.around, self.context = around, context
        self.sets = Sets((*context.facts, *around))

    def behind(self, access: Access) -> bool:
        """Whether the phase is about rows from that of its turn on: one MI alone runs it for rows before.

        Raises:
            TooComplex: isl gave up.
        """
        before = Affine(f"{self.row} < {self.turn}", frozenset({self.row, self.turn}))
        return self.sets.empty([domain.variable for domain in access.loops], [*domain_formulas(access), before])

    def apart(self, waiting: Access, other: Access, margin: int, other_waits: bool) -> bool:
        """Whether `other`, in a later turn than `waiting`, touches another element if the row that waits is beyond that
        turn by more than the margin; if both wait, in another row.

        Raises:
            TooComplex: isl gave up.
        """
        same = self.context.aliases.may_be_one(waiting.array, other.array)
        if not same or not (waiting.write or other.write):
            return True
        names = [domain.variable for domain in other.loops]
        formulas = [*self._touches(waiting), *(renamed(f, names, LATER) for f in self._touches(other))]
        later = self.turn + LATER
        formulas.append(Affine(f"{self.turn} < {later}", frozenset({self.turn, later})))
        formulas.append(Affine(f"{later} + {1 + margin} <= {self.row}", frozenset({later, self.row})))
        if other_waits:
            theirs = self.row + LATER
            formulas.append(Affine(f"{theirs} != {self.row}", frozenset({theirs, self.row})))
        elements = [f"e_{axis}" for axis in range(len(waiting.indices))]
        own = [domain.variable for domain in waiting.loops]
        return self.sets.empty([*own, *(name + LATER for name in names), *elements], formulas)

    def _touches(self, access: Access) -> Iterator[Affine]:
        """All that holds when the access happens, and which element it touches, as far as that is known."""
        yield from domain_formulas(access)
        for axis, index in enumerate(access.indices):
            if index is None or keys_in(index) or may_be_negative(access, axis, self.sets):
                continue
            yield Affine(f"e_{axis} = {index.text}", index.names | {f"e_{axis}"})
