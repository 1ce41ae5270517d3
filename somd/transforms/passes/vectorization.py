"""Loops over complex numbers of which some trips are taken at once, as vectors of the processor.

    >>> before_and_after(inner_vectorization, '''
    ... def eliminate(a: A):
    ...     for c in range(len(a)):
    ...         for k in range(a.shape[1]):
    ...             for i in range(k + 1, a.shape[1]):
    ...                 factor = a[c, i, k]
    ...                 for j in range(k, a.shape[2]):
    ...                     a[c, i, j] -= factor * a[c, k, j]
    ... ''', a="complex128[:, :, :]")
    for k from 0 to length(a, 1)
        for i from k + 1 to length(a, 1)
            factor: complex128 = a[c, i, k]
            for j from k to length(a, 2)
                a[c, i, j] = a[c, i, j] - (factor * a[c, k, j])
    ->
    for k from 0 to length(a, 1)
        for i from k + 1 to length(a, 1)
            factor: complex128 = a[c, i, k]
            for j from k to length(a, 2), in vectors
                a[c, i, j] = a[c, i, j] - (factor * a[c, k, j])

LLVM makes vectors of such loops, too, but takes numbers apart into real and imaginary parts at each load and store, and
tests before each loop whether arrays overlap. A vector here has both parts by turns, as memory has.

In are loops that do nothing but to compute complex numbers of one type, from elements that lie side by side and from
what is the same for all trips. Loops and conditions in them are the same for all trips, too. It is done for the
innermost loop of a region, whose trips are independent, and for loops in its body where each trip has elements of
its own, and scalars that nothing else reads. A trip does what it did, in its order: the bits stay.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from somd.transforms.loops.apart import have_their_own, reads_of
from somd.transforms.loops.complex_vectors import computes, made_of_complex
from somd.transforms.loops.program import Loop, Program, Region, Statement
from somd.transforms.loops.rewriting import each_region, each_statement
from somd.transforms.loops.scopes import assigned, exposed_in
from somd.transforms.loops.walking import statements_in, tests_accesses
from somd.transforms.passes.strip_mining import may_take_turns

Block = tuple[Statement, ...]


def vectorization(program: Program) -> Program:
    """The program with the innermost loops of regions in vectors."""
    return each_region(program, _of_region)


def inner_vectorization(program: Program) -> Program:
    """The program with loops inside of regions in vectors."""
    return each_region(program, _inside)


def _of_region(region: Region) -> Region:
    loop = region.loops[-1]
    if not is_plain(region) or region.reductions or not may_take_turns(region) or not gains(loop):
        return region

    def marked(node: Loop) -> Loop:
        if node is loop:
            return replace(node, in_vectors=True)
        [inner] = node.body
        assert isinstance(inner, Loop)
        return replace(node, body=(marked(inner),))

    return replace(region, loop=marked(region.loop))


def is_plain(region: Region) -> bool:
    """Whether a region is run loop by loop, over arrays that are no others."""
    other = region.packed is not None or region.strips is not None or region.chunk is not None
    return not other and not region.aliased and not region.tables and not region.relaxed


def gains(loop: Loop) -> bool:
    """Whether a loop could be in vectors, and computes: what only copies LLVM does well."""
    fits = made_of_complex(loop) is not None and computes(loop) and not tests_accesses(loop.body)
    return fits and exposed_in(loop.body).isdisjoint(assigned(loop.body))


def _inside(region: Region) -> Region:
    if not is_plain(region) or region.loops[-1].in_vectors:
        return region
    body = _marked(region.body)
    tile = region.tile if region.tile is None else replace(region.tile, body=_marked(region.tile.body))
    same = body == region.body and tile == region.tile
    return region if same else replace(region, loop=_with_body(region.loop, region.depth, body), tile=tile)


def _with_body(loop: Loop, depth: int, body: Block) -> Loop:
    if depth == 1:
        return replace(loop, body=body)
    [inner] = loop.body
    assert isinstance(inner, Loop)
    return replace(loop, body=(_with_body(inner, depth - 1, body),))


def _marked(body: Block) -> Block:
    loops = [node for node in statements_in(body) if isinstance(node, Loop)]
    #: how often names are read other than in loops that set them first in each trip
    outside = reads_of(body)
    found = [each for each in loops if gains(each) and have_their_own(each, each.variable.name)]
    within = [inner for each in found for inner in statements_in(each.body)]
    for each in found:
        if any(each is other for other in within):
            continue
        outside -= Counter({name: reads_of(each.body)[name] for name in assigned(each.body)})
    wanted = [each for each in found if not any(outside[name] for name in assigned(each.body))]

    def mark(node: Statement) -> Statement:
        if isinstance(node, Loop) and any(node is each for each in wanted):
            return replace(node, in_vectors=True)
        return node

    return each_statement(body, mark)
