"""Loops that keep the extreme of a row, and behind each a search for its first place -> one loop for both.

    >>> before_and_after(places, '''
    ... def first_largest(a: A):
    ...     return a.argmax(axis=1)
    ... ''', a="int64[:, :]")  # doctest: +ELLIPSIS
    value__best: int64 = a[at__out, 0]
    value__best_: int64 = 0
    for at__in from 0 to length(a, 1)
        value__best: int64 = np.maximum(value__best, a[at__out, at__in])
    if value__best != value__best
        for at__in_ from 0 to length(a, 1)
            if a[at__out, at__in_] != a[at__out, at__in_]
                value__best_: int64 = at__in_
                break
    else
        for at__group from 0 to ((length(a, 1) - 0) + 63) // 64
            value__best_: int64 = length(a, 1)
            for at__in_ from 64 * at__group to min(length(a, 1), (64 * at__group) + 64)
                value__best_: int64 = min(value__best_, at__in_ if (a[at__out, at__in_] == value__best) else ...)
            if value__best_ < length(a, 1)
                break
    value__whole[at__out] = value__best_
    ->
    value__best: int64 = a[at__out, 0]
    value__best_: int64 = 0
    for at__in from 0 to length(a, 1)
        if a[at__out, at__in] > value__best
            value__best: int64 = a[at__out, at__in]
            value__best_: int64 = at__in
    value__whole[at__out] = value__best_

The two loops are what array statements become: devices share out both. Where code is printed for Numba, one loop over
a row of numbers that lies straight goes through it once, in vectors (`loops/extreme_rows.py`); others stay as they are.
"""

from __future__ import annotations

from dataclasses import replace

from somd.transforms.loops.extreme_rows import better, place_in_row
from somd.transforms.loops.making import choice, operation, whole_number
from somd.transforms.loops.program import (
    Assign,
    Break,
    Constant,
    Element,
    Expression,
    If,
    Loop,
    Operation,
    Program,
    Region,
    Statement,
    Variable,
)
from somd.transforms.loops.rewriting import each_region, renamed, with_bodies

Block = tuple[Statement, ...]
#: what is better than what an operator keeps
SYMBOLS = {"np.maximum": ">", "np.minimum": "<"}


def places(program: Program) -> Program:
    """The program with one loop for both, where rows are looked at in vectors."""

    def block(body: Block) -> Block:
        made: list[Statement] = []
        for node in body:
            one = _joined(made, node) if isinstance(node, If) else None
            if one is None:
                made.append(with_bodies(node, block))
            else:
                made[-1] = one
        return body if all(new is old for new, old in zip(made, body, strict=False)) else tuple(made)

    def of_region(region: Region) -> Region:
        made = with_bodies(region, block)
        assert isinstance(made, Region)
        return region if region.relaxed else made

    return each_region(program, of_region)


def _joined(before: list[Statement], search: If) -> Loop | None:
    """One loop for the last of some statements, which keeps an extreme, and a search for its place."""
    match before[-3:]:
        case [
            Assign(best, Element() as first),
            Assign(place, Constant() as zero),
            Loop(body=(Assign(kept, Operation(operator=operator, operands=(old, Element() as element))),)) as loop,
        ] if operator in SYMBOLS and kept == best == old:
            pass
        case _:
            return None
    begins = zero == loop.start == whole_number(0) and first == _at(loop, element, loop.start)
    if not begins or not _looks_for(search, loop, element, best, place):
        return None
    found = If(
        better(SYMBOLS[operator], element, best, element.type.kind == "f"),
        (Assign(best, element, loop.origin), Assign(place, loop.variable, loop.origin)),
        (),
        loop.origin,
    )
    made = replace(loop, body=(found,))
    return made if place_in_row(made) is not None else None


def _at(loop: Loop, element: Element, index: Expression) -> Element:
    """An element that a loop reads, in the trip of this index."""
    [made] = renamed((Assign(loop.variable, element),), {}, {loop.variable.name: index})
    assert isinstance(made, Assign) and isinstance(made.value, Element)
    return made.value


def _looks_for(search: If, loop: Loop, element: Element, best: Variable, place: Variable) -> bool:
    """Whether a statement finds the first place of the best element of the row, which is there."""
    match search:
        case If(
            body=(Loop() as odd,),
            orelse=(Loop(stop=Operation(operands=(_, Constant() as size)), body=(_, Loop() as step, _)) as groups,),
        ):
            pass
        case _:
            return False
    end, group, one = loop.stop, groups.variable, whole_number(1)
    new, other = _at(loop, element, odd.variable), _at(loop, element, step.variable)
    low = operation("*", size, group)
    kept = operation("min", place, choice(operation("==", other, best), step.variable, end))
    high = operation("min", end, operation("+", low, size))
    look = (
        Assign(place, end),
        replace(step, start=low, stop=high, step=one, body=(Assign(place, kept),)),
        If(operation("<", place, end), (Break(),)),
    )
    is_odd = If(operation("!=", new, new), (Assign(place, odd.variable), Break()))
    more = operation("+", operation("-", end, loop.start), whole_number(int(size.value.real) - 1))
    made = If(
        operation("!=", best, best),
        (replace(odd, start=loop.start, stop=end, step=one, body=(is_odd,)),),
        (replace(groups, start=loop.start, stop=operation("//", more, size), step=one, body=look),),
    )
    return made == search
