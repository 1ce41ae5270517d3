"""Pieces of a region that run for a chunk of its innermost loop at a time (`passes/expansion`) -> what a slave adds.

count = chunk_trips(8 * (m))
rows = np.empty((count, m), np.float64)      once: a place for each trip of a chunk
for first in range(lo, hi, count):
    for i in range(first, min(first + count, hi)): ...
    for i in range(first, min(first + count, hi)): ...
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import libcst as cst
import numpy as np

from somd.transforms.emit.python import Statements
from somd.transforms.emit.python_expressions import Expressions, Scope
from somd.transforms.loops.program import Chunk, Loop
from somd.transforms.multicore.names import FAR
from somd.transforms.tree.verbatim import verbatim

Ends = tuple[str, str]


def with_chunk(scope: Scope, chunk: Chunk | None) -> Scope:
    """The scope where the arrays of a chunk are arrays."""
    if chunk is None:
        return scope
    return replace(scope, arrays={**scope.arrays, **{each.array: each.type for each in chunk.arrays}})


def chunk_rooms(chunk: Chunk | None, scope: Scope) -> list[cst.BaseStatement]:
    """The statements that make the arrays of a chunk, once for all."""
    if chunk is None:
        return []
    sizes = []
    for each in chunk.arrays:
        lengths = (f"({Expressions(scope).value(length).text})" for length in each.lengths[1:])
        sizes.append(" * ".join((str(np.dtype(each.type.dtype).itemsize), *lengths)))
    count = f"{scope.name(chunk.count.name)} = chunk_trips({' + '.join(sizes)})"
    return verbatim(count, *(Statements(scope).room(each) for each in chunk.arrays))


def ends_of(chunk: Chunk | None, limits: Ends, scope: Scope) -> Ends:
    """The limits of a chunk in those of its loop."""
    if chunk is None:
        return limits
    first, count = scope.name(chunk.first.name), scope.name(chunk.count.name)
    return first, f"min({first} + {count}, {limits[1]})"


def in_chunks(
    chunk: Chunk | None, limits: Ends, body: Sequence[cst.BaseStatement], scope: Scope
) -> list[cst.BaseStatement]:
    """A loop around what is done for a chunk."""
    if chunk is None:
        return [*body]
    first, count = scope.name(chunk.first.name), scope.name(chunk.count.name)
    made = cst.parse_statement(f"for {first} in range({limits[0]}, {limits[1]}, {count}):\n    pass\n")
    return [cst.ensure_type(made, cst.For).with_changes(body=cst.IndentedBlock(body))]


def assumed_places(chunk: Chunk | None, loop: Loop, scope: Scope) -> list[cst.BaseStatement]:
    """What is proved of the place of a loop's trip among those of its chunk."""
    if chunk is None:
        return []
    variable, first = scope.name(loop.variable.name), scope.name(chunk.first.name)
    return verbatim(f"assume(0 <= {variable} - {first}, {variable} - {first} < {FAR})")
