"""Filters without branches: a strip of iterations is counted first, so that it is known which places it fills.

    >>> from functools import partial
    >>> before_and_after(partial(compaction, lanes=1024), '''
    ... def positive(a: A, out: A):
    ...     k = 0
    ...     for i in range(len(a)):
    ...         if a[i] > 0.0:
    ...             out[k] = a[i]
    ...             k += 1
    ...     return k
    ... ''', a="float64[:]", out="float64[:]")
    if a[i] > 0.0
        out[test k] = a[i]
        k: int64 = k + 1
    ->
    if a[i] > 0.0
        out[test k] = a[i]
        k: int64 = k + 1
    in strips of 1024
        k'1: int64 = k
        each lane
            k: int64 = k + int64(a[i] > 0.0)
        k'2: int64 = k
        k: int64 = k'1
        if ((0 <= k'1) and (k'1 <= k'2)) and (k'2 <= length(out, 0))
            each lane
                if k < k'2
                    out[k] = a[i]
                    k: int64 = k + int64(a[i] > 0.0)
        else
            each lane
                if a[i] > 0.0
                    out[test k] = a[i]
                    k: int64 = k + 1

In are scans whose iterations store where counters point that they then step up by one, under a condition. In a strip
the conditions are counted, which takes vectors. Then every iteration stores at the counter's place as long as there is
one of the strip's to be filled, and steps up by the condition as a number: what a place gets last is what the loop as
it is puts there, and no place is touched that it does not fill. A condition that changes at random costs a branch more
than all of this. Where places lie outside, the strip is run as it is, and fails as it does.

Conditions and values are evaluated once more, or where they were not before. So they read no array that is stored, and
elements of which the condition reads some in each iteration; they are quick, and have no test that may fail.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from somd.transforms.loops.accesses import PROVED
from somd.transforms.loops.making import INT64, cast, comparison, length, operation, truth, variable, whole_number
from somd.transforms.loops.naming import NewNames
from somd.transforms.loops.program import (
    Assign,
    Cast,
    Constant,
    Element,
    Expression,
    If,
    Lanes,
    Operation,
    Program,
    Region,
    Scan,
    Statement,
    Store,
    Strips,
    Variable,
)
from somd.transforms.loops.rewriting import of_master
from somd.transforms.loops.scopes import named
from somd.transforms.loops.walking import inside, operands, tested_in

Block = tuple[Statement, ...]
#: operations of conditions and values, and how many of them at most
QUICK = ("+", "-", "*", "neg", "<", "<=", ">", ">=", "==", "!=", "and", "or", "not", "&", "|", "^", "~", "abs", "fma")
OF_CONDITIONS = ("%", "//", "/", "**", "<<", ">>")
MOST = 12


@dataclass(frozen=True)
class Kept:
    """What iterations of a kind do: stores at the place of a counter, which then goes up by one."""

    counter: Variable
    stores: tuple[Store, ...]
    test: Expression


def compaction(program: Program, lanes: int) -> Program:
    """The program with such filters in strips of so many iterations."""
    names = NewNames(program)

    def scan(node: Statement) -> Statement | None:
        return replace(node, region=_in_strips(node.region, names, lanes)) if isinstance(node, Scan) else None

    return of_master(program, scan)


def _in_strips(region: Region, names: NewNames, lanes: int) -> Region:
    taken = region.relaxed or region.combined or region.reductions or region.local_arrays or region.tables
    other = region.strips or region.tile or region.pieces or region.partition is not None
    if region.depth != 1 or region.aliased or taken or other:
        return region
    *before, last = region.body
    if not isinstance(last, If):
        return region
    first = [node.value for node in before if isinstance(node, Assign)]
    own = {node.target.name for node in before if isinstance(node, Assign)}
    found, handed = [*kinds_of(last)], {each.name for each in region.handed_on}
    values = [store.value for each in found for store in each.stores]
    alone = sorted(each.counter.name for each in found) == sorted(handed) and found
    if not alone or len(first) < len(before) or handed & (own | named(*first, last.test, *values)):
        return region
    if not _is_quick([*first, last.test], values, region):
        return region
    body = _strip(tuple(before), found, region.body, names)
    return replace(region, strips=Strips(body, lanes))


def kinds_of(node: If) -> Iterator[Kept]:
    """What the two branches do; nothing where one of them does something else."""
    made: list[Kept] = []
    for body, test in ((node.body, truth(node.test)), (node.orelse, operation("not", truth(node.test)))):
        if not body:
            continue
        *stores, step = body
        if not isinstance(step, Assign) or step.target.type.dtype != "int64":
            return
        if step.value != operation("+", step.target, whole_number(1)):
            return
        plain = [each for each in stores if isinstance(each, Store) and each.element.indices == (step.target,)]
        if len(plain) < len(stores) or any(each.element.relaxed is not None for each in plain):
            return
        made.append(Kept(step.target, tuple(plain), test))
    yield from made


def _is_quick(always: list[Expression], values: list[Expression], region: Region) -> bool:
    """Whether conditions, with what stands before them, may be evaluated twice, and values in all iterations."""
    of_each = [part for node in always for part in inside(node)]
    of_values = [part for node in values for part in inside(node)]
    read = {part.array for part in (*of_each, *of_values) if isinstance(part, Element)}
    tested = any(tested_in((*of_each, *of_values)))
    sure = [part for node in always for part in _always(node) if isinstance(part, Element)]
    elements = [part for part in of_values if isinstance(part, Element)]
    known = (Variable, Constant, Cast, Element, Operation)
    parts = [*of_each, *of_values]
    plain = all(isinstance(part, known) for part in parts) and all(each in sure for each in elements)
    quick = all(part.operator in QUICK for part in of_values if isinstance(part, Operation)) and all(
        part.operator in (*QUICK, *OF_CONDITIONS) for part in of_each if isinstance(part, Operation)
    )
    few = sum(isinstance(part, Operation) for part in parts) <= MOST
    return plain and quick and few and not tested and read.isdisjoint(region.written)


def _always(node: Expression) -> Iterator[Expression]:
    """The parts of an expression that are evaluated whatever others give."""
    yield node
    parts = operands(node)
    for part in parts[:1] if isinstance(node, Operation) and node.operator in ("and", "or") else parts:
        yield from _always(part)


def _strip(before: Block, found: list[Kept], whole: Block, names: NewNames) -> Block:
    firsts = [variable(names.name(each.counter.name), INT64) for each in found]
    ends = [variable(names.name(each.counter.name), INT64) for each in found]
    counted = [Assign(each.counter, operation("+", each.counter, cast(each.test, INT64))) for each in found]
    inside_: list[Expression] = []
    for each, first, end in zip(found, firsts, ends, strict=True):
        inside_ += [_compared("<=", whole_number(0), first), _compared("<=", first, end)]
        inside_ += [_compared("<=", end, length(store.element.array, 0)) for store in each.stores]
    test = inside_[0]
    for each_test in inside_[1:]:
        test = operation("and", test, each_test)
    filling: list[Statement] = []
    for each, end, step in zip(found, ends, counted, strict=True):
        stores = [replace(each_store, element=replace(each_store.element, access=PROVED)) for each_store in each.stores]
        filling.append(If(_compared("<", each.counter, end), (*stores, step)))
    return (
        *(Assign(first, each.counter) for first, each in zip(firsts, found, strict=True)),
        Lanes((), (), (*before, *counted)),
        *(Assign(end, each.counter) for end, each in zip(ends, found, strict=True)),
        *(Assign(each.counter, first) for first, each in zip(firsts, found, strict=True)),
        If(test, (Lanes((), (), (*before, *filling)),), (Lanes((), (), whole),)),
    )


def _compared(symbol: str, left: Expression, right: Expression) -> Expression:
    return comparison(symbol, left, right, (INT64, INT64))
