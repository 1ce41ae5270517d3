"""Some rows of sums of complex numbers at once: in vectors, which stay in registers for a whole sum.

    >>> from functools import partial
    >>> before_and_after(partial(row_jamming, rows=2), '''
    ... def products(a: A, b: np.ndarray, c: A):
    ...     for i in range(len(a)):
    ...         last = a.shape[1]
    ...         for x in range(last):
    ...             for z in range(a.shape[2]):
    ...                 for y in range(b.shape[1]):
    ...                     c[i, x, y] += a[i, x, z] * b[z, y]
    ... ''', a="complex128[:, :, :]", b="complex128[:, :]", c="complex128[:, :, :]")
    last: int64 = length(a, 1)
    for x from 0 to last
        for z from 0 to length(a, 2)
            for y from 0 to length(b, 1)
                c[i, x, y] = c[i, x, y] + (a[i, x, z] * b[z, y])
    ->
    last: int64 = length(a, 1)
    for x from 0 to max(0, last) - 1 by 2
        if 0 < length(a, 2)
            for y from 0 to length(b, 1), in vectors
                c_held'1: complex128 = c[i, x, y]
                c_held'2: complex128 = c[i, x + 1, y]
                for z from 0 to length(a, 2)
                    c_held'1: complex128 = c_held'1 + (a[i, x, z] * b[z, y])
                    c_held'2: complex128 = c_held'2 + (a[i, x + 1, z] * b[z, y])
                c[i, x, y] = c_held'1
                c[i, x + 1, y] = c_held'2
    for x from (max(0, last) // 2) * 2 to last
        if 0 < length(a, 2)
            for y from 0 to length(b, 1), in vectors
                c_held'1: complex128 = c[i, x, y]
                for z from 0 to length(a, 2)
                    c_held'1: complex128 = c_held'1 + (a[i, x, z] * b[z, y])
                c[i, x, y] = c_held'1

What all rows read, such as `b[z, y]`, is loaded, and its parts exchanged, once for them. It is done inside of an
iteration, where each trip of the loop over rows has elements and scalars of its own, and so has each trip of the loop
over columns: then neither the rows that go along together nor the columns that go through a whole sum see anything of
each other. Each sum sees its operands in their order, so the bits stay. A sum without operands is not touched.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from somd.transforms.loops.apart import have_their_own, reads_of, stored_in
from somd.transforms.loops.complex_vectors import made_of_complex
from somd.transforms.loops.making import operation, variable, whole_number
from somd.transforms.loops.naming import NewNames
from somd.transforms.loops.program import (
    Assign,
    Element,
    Expression,
    HelperCall,
    If,
    Loop,
    Origin,
    Program,
    Region,
    Statement,
    Store,
)
from somd.transforms.loops.rewriting import each_region, renamed, with_bodies
from somd.transforms.loops.rows import is_steady
from somd.transforms.loops.scopes import assigned, exposed_in, read
from somd.transforms.loops.varying import limits
from somd.transforms.loops.walking import expressions_in, statements_in, tests_accesses
from somd.transforms.passes.register_accumulation import with_variable
from somd.transforms.passes.unroll_and_jam import again, counts_by_one, cut, updated
from somd.transforms.passes.vectorization import gains, is_plain

Block = tuple[Statement, ...]
#: what scalars are called in one of the trips at once, and what stands for the loop's variable
Time = tuple[dict[str, str], dict[str, Expression]]
#: the most statements in a row that goes along with others
LONGEST = 16


def row_jamming(program: Program, rows: int) -> Program:
    """The program with so many rows of such sums at once."""
    names = NewNames(program)

    def of_region(region: Region) -> Region:
        if not is_plain(region) or region.loops[-1].in_vectors:
            return region
        made = with_bodies(region, lambda body: _Jamming(names, rows, reads_of(body)).block(body))
        assert isinstance(made, Region)
        return made

    return each_region(program, of_region)


class _Jamming:
    """The loops of a region's body."""

    def __init__(self, names: NewNames, rows: int, reads: Counter[str]) -> None:
        self.names, self.rows = names, rows
        #: how often each scalar is read in the body
        self.reads = reads

    def block(self, body: Block) -> Block:
        made: list[Statement] = []
        for node in body:
            inner = with_bodies(node, self.block)
            made += (self.jammed(inner) if isinstance(inner, Loop) and inner is node else ()) or (inner,)
        return body if all(new is old for new, old in zip(made, body, strict=False)) else tuple(made)

    def jammed(self, loop: Loop) -> Block:
        """Some trips of a loop over rows at once, then those that are left; nothing where it is no such loop."""
        known = loop.variable.range
        if known is None or known.high - known.low < self.rows or not counts_by_one(loop) or not self.are_apart(loop):
            return ()
        body = self.by_columns(loop.body)
        inside = list(statements_in(body))
        columns = [node for node in inside if isinstance(node, Loop) and node.in_vectors]
        sums = [each for each in columns if any(isinstance(node, Loop) for node in each.body)]
        if len(inside) > LONGEST or not any(_have_in_common(each, loop) for each in sums):
            return ()
        whole, upto = cut(loop, self.rows)
        own = sorted({node.target.name for node in inside if isinstance(node, Assign)})
        first = replace(loop.variable, range=replace(known, high=known.high - (self.rows - 1)))
        times: list[Time] = [({}, {first.name: first})]
        for k in range(1, self.rows):
            names = {name: self.names.name(name.partition("'")[0]) for name in own}
            times.append((names, {first.name: operation("+", first, whole_number(k))}))
        step = whole_number(self.rows)
        made = replace(loop, variable=first, stop=whole, step=step, hull=None, body=_at_once(body, times))
        return made, replace(loop, start=upto, body=again(body), hull=None, origin=Origin(loop.origin.position))

    # --- whether it may be done -----------------------------------------------------------------------------------

    def are_apart(self, loop: Loop) -> bool:
        """Whether the trips of a loop over rows have elements and scalars of their own, and do the same in the same
        order."""
        name, inside, changed = loop.variable.name, list(statements_in(loop.body)), assigned((loop,))
        loops = [node for node in inside if isinstance(node, Loop)]
        if not loops or not all(isinstance(node, Assign | Store | Loop | If) for node in inside):
            return False
        headers = [each for node in loops for each in limits(node)]
        headers += [node.test for node in inside if isinstance(node, If)]
        if tests_accesses(loop.body) or any(isinstance(each, HelperCall) for each in expressions_in(loop.body)):
            return False
        set_here = {node.target.name for node in inside if isinstance(node, Assign)}
        counters = {node.variable.name for node in loops}
        mine = reads_of(loop.body)
        if set_here & {*counters, name} or any(mine[each] != self.reads[each] for each in set_here):
            return False
        if self.reads[name] or exposed_in(loop.body) & set_here or not have_their_own(loop, name):
            return False
        return all(is_steady(each, changed - counters) for each in headers) and name not in counters

    def by_columns(self, body: Block) -> Block:
        """The statements, with loops over columns around sums in place of sums around columns."""

        def turned(node: Statement) -> Statement:
            if not isinstance(node, Loop):
                return with_bodies(node, lambda inner: tuple(map(turned, inner)))
            if _stores_alone(node):
                return replace(node, in_vectors=True)  # what is stored one by one is not loaded as a vector at once
            return self.turned(node) or with_bodies(node, lambda inner: tuple(map(turned, inner)))

        return tuple(map(turned, body))

    def turned(self, loop: Loop) -> Statement | None:
        """A sum around columns as columns around a sum, where it has trips; None where it is no such sum."""
        [inner, *others] = loop.body or (None,)
        if others or not isinstance(inner, Loop) or not counts_by_one(loop) or not gains(inner):
            return None
        if not all(isinstance(node, Store) for node in inner.body) or not have_their_own(loop, inner.variable.name):
            return None
        changed = assigned((loop,))
        elements = list(updated(inner.body, {loop.variable.name}))
        if len(elements) != len(inner.body) or not all(is_steady(each, changed) for each in limits(inner)):
            return None
        work = inner.body
        loads, stores = [], []
        for element in elements:
            place = variable(self.names.name(f"{element.array}_held"), element.type)
            work = with_variable(work, element, place)
            loads.append(Assign(place, element))
            stores.append(Store(element, place))
        columns = replace(inner, body=(*loads, replace(loop, body=work), *stores), in_vectors=True, origin=loop.origin)
        return If(operation("<", loop.start, loop.stop), (columns,), (), Origin(loop.origin.position))


def _stores_alone(loop: Loop) -> bool:
    """Whether the trips of a loop over columns do nothing but to store complex numbers, each elements of its own."""
    alone = all(isinstance(node, Store) for node in loop.body) and made_of_complex(loop) is not None
    return alone and not tests_accesses(loop.body) and have_their_own(loop, loop.variable.name)


def _have_in_common(columns: Loop, rows: Loop) -> bool:
    """Whether all rows read a vector of elements alike."""
    own = {node.target.name for node in statements_in(columns.body) if isinstance(node, Assign)}
    stored = stored_in(rows.body)
    elements = [each for each in expressions_in(columns.body) if isinstance(each, Element) and each.array not in stored]
    found = [read(each) for each in elements]
    return any(columns.variable.name in names and names.isdisjoint({rows.variable.name, *own}) for names in found)


def _at_once(body: Block, times: list[Time]) -> Block:
    """Statements for several trips, each for all of them before the next; loops and conditions are the same for all."""
    made: list[Statement] = []
    for node in body:
        if isinstance(node, Loop | If):
            made.append(with_bodies(node, lambda inner: _at_once(inner, times) if inner else inner))
            continue
        for k, (names, values) in enumerate(times):
            copy = renamed((node,), names, values)
            made += again(copy) if k else copy
    return tuple(made)
