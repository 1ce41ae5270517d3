"""Reads that every trip of a loop makes, of elements that only the trip decides: they may be made ahead of time."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from somd.transforms.emit.declared import read_in
from somd.transforms.loops.program import (
    PROVED,
    Assign,
    Choice,
    Continue,
    Element,
    Evaluate,
    Expression,
    If,
    Operation,
    Proved,
    Raise,
    Region,
    Statement,
    Store,
    Unpack,
)
from somd.transforms.loops.walking import expressions, expressions_in, operands, reads_elements, statements_in


def steady_reads(
    statements: Sequence[Statement],
    region: Region,
    variables: set[str],
    wanted: Callable[[tuple[Expression, ...]], bool] = lambda indices: True,
    updated: Sequence[str] = (),
) -> list[Element]:
    """The elements that every trip reads untested in `statements`.

    Indices consist of `variables` and of what is the same for all trips; nothing in the region writes the array, by any
    of its names, but for those `updated` by other means, which have no second name. What is tested, or counts from the
    end, is left out.
    """
    inside = statements_in(region.body)
    if any(isinstance(node, Raise) for node in inside):  # behind a `raise` it may be that no trip makes them
        return []
    steady = {*region.scalars, *region.arrays, *variables}
    found: list[Element] = []
    for node in _always(statements):
        names = {name for index in node.indices for name in read_in(index)}
        if not isinstance(node.access, Proved) or node in found or node.array in {*region.written, *updated}:
            continue
        if node.array not in region.arrays:  # an iteration's own, made anew in it
            continue
        if names <= steady and not any(map(reads_elements, node.indices)) and wanted(node.indices):
            found.append(node)
    return found


def staged(reads: Sequence[Element], texts: Sequence[str], body: Sequence[Statement]) -> dict[Element, str]:
    """What stands for the reads of `body`: those that are tested where they happen are inside, too."""
    known = dict(zip(reads, texts, strict=True))
    alike = [each for each in expressions_in(tuple(body)) if isinstance(each, Element)]
    return {each: known[plain] for each in alike if (plain := replace(each, access=PROVED)) in known}


def _always(statements: Sequence[Statement]) -> Iterator[Element]:
    """The elements that are read whatever happens."""
    for node in statements:
        if isinstance(node, If):
            yield from _evaluated(node.test)
            if any(isinstance(each, Continue) for each in statements_in((node,))):
                return
        elif isinstance(node, Assign | Store | Unpack | Evaluate):
            ordered = expressions(node)
            for each in (*ordered[-1:], *ordered[:-1]) if isinstance(node, Store) else ordered:
                yield from _evaluated(each)
        elif isinstance(node, Continue):
            return


def _evaluated(node: Expression) -> Iterator[Element]:
    if isinstance(node, Choice):
        yield from _evaluated(node.test)
        return
    if isinstance(node, Operation) and node.operator in ("and", "or"):
        yield from _evaluated(node.operands[0])
        return
    if isinstance(node, Element):
        yield node
    for each in operands(node):
        yield from _evaluated(each)
