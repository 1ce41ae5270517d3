"""Names for what a pass adds to a program."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count

from somd.transforms.loops.program import (
    Allocate,
    AllocateLike,
    Copy,
    LibraryCall,
    Program,
    Rebind,
    Region,
    Snapshot,
    Statement,
)
from somd.transforms.loops.scopes import set_by
from somd.transforms.loops.walking import statements_in


class NewNames:
    """Gives names that the master and the regions of a program do not have; as no name of the method, with a quote."""

    def __init__(self, program: Program) -> None:
        self.taken = {name for node in statements_in(program.body) for name in (*set_by(node), *_others(node))}

    def name(self, wish: str) -> str:
        """A new one."""
        made = next(name for k in count(1) if (name := f"{wish}'{k}") not in self.taken)
        self.taken.add(made)
        return made


def _others(node: Statement) -> Iterator[str]:
    """The arrays that a statement gives names, and what a region hands on."""
    if isinstance(node, Allocate | AllocateLike | Copy):
        yield node.array
    elif isinstance(node, LibraryCall):
        yield from node.arrays
    elif isinstance(node, Rebind):
        yield from node.targets
    elif isinstance(node, Snapshot):
        yield from (copy for _, copy in node.copies)
    elif isinstance(node, Region):
        yield from (variable.name for variable in node.carried)
        yield from (copy for _, copy in node.snapshots)
        yield from (table.array for table in node.tables)
        bodies = [each.body for each in (*node.tables, node.strips, node.tile, node.packed) if each is not None]
        yield from (name for body in bodies for inner in statements_in(body) for name in set_by(inner))
        for piece in node.pieces:
            yield from (name for inner in statements_in((piece.loop,)) for name in set_by(inner))
            yield from _others(piece)
