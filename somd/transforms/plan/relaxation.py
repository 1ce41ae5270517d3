"""Relaxed blocks: which reads of a loop see other MIs' elements as they were when the block began.

In `with sync(relaxed=True):` a loop whose iterations meet only in reads is cut all the same. Every MI must write a part
of its own: along one axis, the loop variable plus constants. A read that may fall on another MI's part is then listed
with what is needed to tell where it falls; the block begins with a snapshot of the arrays that are read so.

    for i in range(1, n - 1): a[i] = a[i - 1] + a[i + 1]   ->   a[i - 1]: RelaxedRead("a", 0, (0,), (-1, -1))
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import libcst as cst

from somd.transforms.access import Access, Relaxed, RelaxedRead
from somd.transforms.analysis.affine import variable
from somd.transforms.analysis.bounds import negative
from somd.transforms.analysis.dependences import find_conflict, may_be_negative, meet
from somd.transforms.analysis.distances import distance
from somd.transforms.analysis.sets import Sets
from somd.transforms.plan import messages
from somd.transforms.plan.context import Context
from somd.transforms.plan.rejected import Rejected
from somd.transforms.stages import Method, Phase, Snapshot, Step
from somd.transforms.tree.loops import range_of
from somd.transforms.tree.names import assigned_names, names_read, unused


class Block:
    """A relaxed block that is being planned; `snapshots` are those that its loops need, name by array."""

    def __init__(self, node: cst.With, method: Method, outer: Block | None) -> None:
        self.node = node
        self.depth: int = 1 if outer is None else outer.depth + 1
        self.taken = method.local_names | names_read(method.function.body)
        self.snapshots: dict[str, str] = {}

    def name(self, array: str) -> str:
        """The name of a snapshot of `array`."""
        return unused(f"{array}_before" if self.depth == 1 else f"{array}_before_{self.depth}", self.taken)

    def steps(self, steps: Sequence[Step], context: Context) -> list[Step]:
        """The steps of the block, with the snapshots before them; a phase that is the whole block takes its own."""
        if not self.snapshots:
            return list(steps)
        if len(steps) == 1 and isinstance(steps[0], Phase):
            nest = steps[0].nest
            assert nest.relaxed is not None
            return [replace(steps[0], nest=replace(nest, relaxed=replace(nest.relaxed, fresh=True)))]
        bound = sorted(assigned_names(self.node.body) & set(self.snapshots))
        if bound:
            context.collector.add(messages.relaxed_binding(context.method, self.node, bound[0]))
        return [Snapshot(dict(sorted(self.snapshots.items()))), *steps]


@dataclass(frozen=True)
class Relaxation:
    """The relaxed reads of a loop, and the conditions under which negative indexes spoil its parts."""

    relaxed: Relaxed
    in_order_if: tuple[str, ...]


def relax(loop: cst.For, accesses: Sequence[Access], block: Block, context: Context, sets: Sets) -> Relaxation:
    """How `loop`, whose iterations are not independent, is run by MIs that each have a part of it.

    Raises:
        Rejected: writes meet, or do not tell whose they are.
        TooComplex: isl gave up.
    """
    aliases = context.aliases
    writes = [a for a in accesses if a.write]
    in_order: list[str | None] = []
    met = find_conflict(writes, loop, aliases, sets)
    if met is not None:
        in_order = [negative(a, axis, sets) for a in writes for axis in range(len(a.indices))]
        if not any(in_order) or find_conflict(writes, loop, aliases, sets, wraps=False) is not None:
            raise Rejected(messages.conflict(context.method, loop, met))
    stored = {a.node for a in writes}
    reads: dict[cst.Subscript, RelaxedRead] = {}
    for read in accesses:
        rivals = [] if read.node in stored else _rivals(read, writes, loop, context, sets)
        if not rivals:
            continue
        memory = [w for w in writes if aliases.may_be_one(w.array, read.array)]
        owned = _part(loop, memory, sets)
        if owned is None:
            raise Rejected(messages.relaxed_write(context.method, loop, rivals[0], read))
        axis, offsets = owned
        in_order += [negative(w, axis, sets) for w in memory if may_be_negative(w, axis, sets)]
        alone = sum(each.node is read.node for each in accesses) == 1  # else its index is one of several
        reach = _reach(loop, read, axis, sets) if alone else None
        reads[read.node] = RelaxedRead(read.array, axis, offsets, reach)
    snapshots = {read.array: block.name(read.array) for read in reads.values()}
    return Relaxation(Relaxed(reads, snapshots), tuple(dict.fromkeys(text for text in in_order if text is not None)))


def _rivals(read: Access, writes: Sequence[Access], loop: cst.For, context: Context, sets: Sets) -> list[Access]:
    """The writes by which other iterations may change what `read` reads."""
    if read.write:
        return []
    same = [w for w in writes if context.aliases.may_be_one(w.array, read.array)]
    return [w for w in same if meet(w, read, loop, sets)]


def _part(loop: cst.For, writes: Sequence[Access], sets: Sets) -> tuple[int, tuple[int, ...]] | None:
    """The axis along which every write is the loop variable plus a constant, and the constants."""
    for axis in range(len(writes[0].indices)):
        offsets = {_reach(loop, write, axis, sets) for write in writes}
        fixed = {low for low, high in (o for o in offsets if o is not None) if low == high}
        if len(fixed) == len(offsets):
            return axis, tuple(sorted(fixed))
    return None


def _reach(loop: cst.For, access: Access, axis: int, sets: Sets) -> tuple[int, int] | None:
    index, header = access.indices[axis], range_of(loop)
    assert header is not None
    name = variable(header.variable)
    if index is None or name not in index.names:
        return None
    low, high = distance(access, index, name, sets)
    return None if low is None or high is None else (low, high)
