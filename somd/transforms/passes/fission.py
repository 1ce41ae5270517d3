"""A region's body cut into pieces, each run for all iterations before the next, where that leaves a nest whose inner
loop may run in strips.

    >>> before_and_after(fission, '''
    ... def product(beta: float, c: A, a: np.ndarray, b: np.ndarray):
    ...     for i in range(c.shape[0]):
    ...         for j in range(c.shape[1]):
    ...             c[i, j] *= beta
    ...         for k in range(a.shape[1]):
    ...             for j in range(c.shape[1]):
    ...                 c[i, j] += a[i, k] * b[k, j]
    ... ''', master=True, beta="float64", c="float64[:, :]", a="float64[:, :]", b="float64[:, :]")  # doctest: +ELLIPSIS
    region 1, line 2
        ...
        free i from 0 to length(c, 0)
            free j from 0 to length(c, 1)
                c[i, j] = c[i, j] * beta
            for k from 0 to length(a, 1)
                for j from 0 to length(c, 1)
                    c[i, j] = c[i, j] + (a[i, k] * b[k, j])
    ->
    region 1, line 2
        ...
        free i from 0 to length(c, 0)
            free j from 0 to length(c, 1)
                c[i, j] = c[i, j] * beta
            for k from 0 to length(a, 1)
                for j from 0 to length(c, 1)
                    c[i, j] = c[i, j] + (a[i, k] * b[k, j])
            piece 1
                free i from 0 to length(c, 0)
                    free j from 0 to length(c, 1)
                        c[i, j] = c[i, j] * beta
            piece 2
                free i from 0 to length(c, 0)
                    free j from 0 to length(c, 1)
                        for k from 0 to length(a, 1)
                            c[i, j] = c[i, j] + (a[i, k] * b[k, j])

Iterations of a region share nothing that one of them stores, so of one piece all may run before those of the next
(*distribution* of the loop), if no scalar goes from a piece to another one. Nothing in the region may fail: the lowest
iteration that does would be another one.

A nest is a loop whose trips are independent, too, as isl finds; or a loop around one that reaches elements of its own
in all trips of it, which then goes outside (*interchange*), with what is computed before it in each trip of the outer
one. Each element sees its operands in their order, so that the bits stay.

It is done where the loop inside the nest adds to elements or scalars, all its accesses lie in a row along the loop that
becomes free, or stay, and one of them is the same for all trips of the loop around: strips of it and tiles of these
trips then share what they load.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from somd.transforms.loops.apart import have_their_own, reads_of
from somd.transforms.loops.naming import NewNames
from somd.transforms.loops.program import Assign, Element, Loop, Program, Region, Scan, Statement, Store
from somd.transforms.loops.rewriting import of_master
from somd.transforms.loops.rows import is_steady
from somd.transforms.loops.scopes import assigned, exposed_in, read
from somd.transforms.loops.varying import Varying, is_straight, limits
from somd.transforms.loops.walking import called, expressions_in, statements_in, tests_accesses
from somd.transforms.passes.interchange import claims_what_limits_say
from somd.transforms.passes.meeting import apart
from somd.transforms.passes.strip_gains import Shape, carries, unrolls, vectorises
from somd.transforms.passes.strip_loads import Loads
from somd.transforms.passes.strip_pieces import note_needs, pieces_of

Block = tuple[Statement, ...]


def fission(program: Program) -> Program:
    """The program with such regions in pieces."""

    names = NewNames(program)

    def of_statement(node: Statement) -> Statement | None:
        return node if isinstance(node, Scan) else _in_pieces(node, names) if isinstance(node, Region) else None

    return of_master(program, of_statement)


def _in_pieces(region: Region, names: NewNames) -> Region:
    if region.local_arrays or not may_be_cut(region) or not any(isinstance(node, Loop) for node in region.body):
        return region
    pieces = pieces_where(region, lambda piece: _gains(piece, names))
    return replace(region, pieces=pieces) if pieces else region


def pieces_where(region: Region, gains: Callable[[Region], bool]) -> tuple[Region, ...]:
    """The pieces of a region that may be cut, some of which are nests that gain; none without such."""
    made = [(id(node), _nest(region, node, gains)) for node in region.body if isinstance(node, Loop)]
    nests = {node: nest for node, nest in made if nest is not None}
    if not nests:
        return ()
    blocks: list[Block] = []
    for node in region.body:
        alone = id(node) in nests or not blocks or id(blocks[-1][0]) in nests
        blocks = [*blocks, (node,)] if alone else [*blocks[:-1], (*blocks[-1], node)]
    set_before: set[str] = set()
    for block in blocks:
        if set_before & set(reads_of(block)):
            return ()
        set_before |= assigned(block)
    return tuple(nests.get(id(block[0])) or _with_loops(region, block) for block in blocks)


def may_be_cut(region: Region) -> bool:
    """Whether iterations are independent one by one and cannot fail."""
    dependent = region.aliased or region.relaxed or region.ordered_if or region.carried or region.combined
    if dependent or region.tables or region.partition is not None:
        return False
    return is_straight(region.body) and not called(region.body) and not tests_accesses(region.body)


def _with_loops(region: Region, body: Block, *inner: Loop) -> Region:
    """A piece: a body in the loops of the region, and perhaps in some more."""
    for loop in reversed((*region.loops, *inner)):
        body = (replace(loop, body=body, order="free"),)
    [outermost] = body
    assert isinstance(outermost, Loop)
    return replace(region, checks=(), loop=outermost, depth=region.depth + len(inner))


def _nest(region: Region, loop: Loop, gains: Callable[[Region], bool]) -> Region | None:
    """The piece that a loop of the body makes, with one more free loop; None where it makes none that gains."""
    reads = reads_of(region.body)
    for free, body in _freed(loop):
        mine = reads_of((loop,))
        own = {*assigned((loop,)), loop.variable.name}
        alone = all(mine[name] == reads[name] for name in own) and not exposed_in(body) & assigned(body)
        alone = alone and not reads[loop.variable.name] and not reads[free.variable.name]
        piece = _with_loops(region, body, free)
        if alone and free.by == 1 and gains(piece):
            return piece
    return None


def _freed(loop: Loop) -> list[tuple[Loop, Block]]:
    """Loops whose trips are independent, in place of a loop: with what they do for each."""
    [*before, last] = loop.body or (loop,)
    if isinstance(last, Loop) and last is not loop and _may_go_outside(loop, before, last):
        return [(last, (replace(loop, body=(*before, *last.body), hull=None),))]
    return [(loop, loop.body)] if apart(loop, loop.body, loop.body) else []


def _may_go_outside(loop: Loop, before: list[Statement], inner: Loop) -> bool:
    """Whether each trip of the inner loop may run in all trips of the outer one before the next, with what these
    compute first: of what the inner loop leaves alone."""
    first, nodes, changed = tuple(before), list(statements_in(inner.body)), assigned((loop,))
    stored = {node.element.array for node in nodes if isinstance(node, Store)}
    read_first = {each.array for each in expressions_in(first) if isinstance(each, Element)}
    if any(isinstance(node, Loop) for node in nodes) or not all(isinstance(node, Assign) for node in first):
        return False
    if read_first & stored or assigned(first) & assigned((inner,)) or not claims_what_limits_say(inner):
        return False
    steady = all(is_steady(each, changed) for each in (*limits(loop), *limits(inner)))
    return steady and not exposed_in(inner.body) & assigned(inner.body) and have_their_own(loop, inner.variable.name)


# --- whether it gains ---------------------------------------------------------------------------------------------


def _gains(piece: Region, names: NewNames) -> bool:
    """Whether strips of the innermost free loop vectorise, and trips of the one around share what they load."""
    outer, loop = piece.loops[-2:]
    loads = Loads(piece, piece.body, names)
    varying = Varying(piece, loads.body, loop=loop)
    pieces = pieces_of(loads.body, varying, loads.names)
    if pieces is None:
        return False
    note_needs(pieces, set())
    if not carries(pieces, frozenset(varying.names), frozenset()) or unrolls(pieces, varying):
        return False
    shape = Shape(varying, loop.variable.name, 1)
    return vectorises(pieces, shape, loads.names) and _shares(piece, outer.variable.name)


def _shares(piece: Region, outer: str) -> bool:
    """Whether elements in loops of the body are the same for all trips of the loop around the innermost free one, and
    differ for those."""
    name = piece.loops[-1].variable.name
    loops = [node for node in statements_in(piece.body) if isinstance(node, Loop)]
    elements = {each for loop in loops for each in expressions_in(loop.body) if isinstance(each, Element)}
    return any(name in read(each) and outer not in read(each) and each.array not in piece.written for each in elements)
