"""Which accesses of loops may reach one element: questions about a body put to isl.

In: loops of a region's body with the accesses in them. Out: whether two trips, or two accesses of a trip, never meet;
what is not affine, or too much for isl, is taken for a meeting, and so is an access that may count from the end.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from somd.transforms.access import Affine
from somd.transforms.analysis.affine import variable
from somd.transforms.analysis.sets import Sets, TooComplex
from somd.transforms.loops.program import (
    Constant,
    Element,
    Expression,
    Length,
    Loop,
    Operation,
    Proved,
    Statement,
    Store,
    Variable,
)
from somd.transforms.loops.ranges import whole
from somd.transforms.loops.scopes import assigned, read, set_by
from somd.transforms.loops.walking import bodies, elements, statements_in

Block = tuple[Statement, ...]


class _NotAffine(Exception):
    """An expression that isl cannot be asked about."""


def apart(loop: Loop, late: Block, early: Block) -> bool:
    """Whether the later part of a trip and the earlier part of a trip behind it reach no element in common of which one
    of them is stored."""
    stored = [{node.element.array for node in statements_in(part) if isinstance(node, Store)} for part in (late, early)]
    pairs = [
        (one, other)
        for one in _placed(late, ())
        for other in _placed(early, ())
        if one[0].array == other[0].array and one[0].array in stored[0] | stored[1]
    ]
    if loop.by != 1:
        return False
    name, changed = loop.variable.name, assigned((replace(loop, body=(*late, *early)),))
    others = _set_otherwise((*late, *early))
    try:
        for (one, around), (other, beside) in pairs:
            formulas = [*_bounds((loop, *around), "__a", changed), *_bounds((loop, *beside), "__b", changed)]
            formulas.append(
                _formula(f"{variable(name)}__a < {variable(name)}__b", f"{variable(name)}__a", f"{variable(name)}__b")
            )
            mine, its = ({each.variable.name for each in (loop, *loops)} for loops in (around, beside))
            free = read(*one.indices) - mine | read(*other.indices) - its
            if free & changed or (mine | its) & others or not _count_from_the_start(one, other):
                return False
            for left, right in zip(one.indices, other.indices, strict=True):
                first, second = _affine(left, mine, "__a"), _affine(right, its, "__b")
                formulas.append(_formula(f"{first.text} = {second.text}", *first.names, *second.names))
            if not Sets().empty((), formulas):
                return False
    except (_NotAffine, TooComplex):
        return False
    return True


def is_alone(element: Element, loop: Loop, around: tuple[Loop, ...], body: Block) -> bool:
    """Whether no other element of its array that a loop accesses is an element that stays; `around` are the loops that
    the loop stands in, in a body."""
    changed, inside_it = assigned(body), assigned((loop,))
    others = _set_otherwise(body)
    try:
        for other, inner in _placed(loop.body, ()):
            if other.array != element.array or other == element:
                continue
            loops = (*around, loop, *inner)
            free = read(*other.indices) - {each.variable.name for each in (loop, *inner)}
            if free & inside_it or {each.variable.name for each in loops} & others:
                return False
            if not _count_from_the_start(element, other):
                return False
            formulas = [*_bounds(loops, "", changed)]
            for left, right in zip(element.indices, other.indices, strict=True):
                first, second = _affine(left, set(), ""), _affine(right, set(), "")
                formulas.append(_formula(f"{first.text} = {second.text}", *first.names, *second.names))
            if not Sets().empty((), formulas):
                return False
    except (_NotAffine, TooComplex):
        return False
    return True


def never_meet(one: tuple[Element, tuple[Loop, ...]], other: tuple[Element, tuple[Loop, ...]], body: Block) -> bool:
    """Whether two elements of an array are never one, whichever trips of the loops around each reach them. What tells
    which elements they are is, of what a body sets, variables of loops alone."""
    changed, formulas = assigned(body), list[Affine]()
    places: list[list[Affine]] = []
    try:
        for (element, loops), suffix in ((one, "__a"), (other, "__b")):
            mine = {each.variable.name for each in loops}
            if (read(*element.indices) - mine) & changed or mine & _set_otherwise(body):
                return False
            formulas += _bounds(loops, suffix, changed)
            places.append([_affine(each, mine, suffix) for each in element.indices])
        for first, second in zip(*places, strict=True):
            formulas.append(_formula(f"{first.text} = {second.text}", *first.names, *second.names))
        return _count_from_the_start(one[0], other[0]) and Sets().empty((), formulas)
    except (_NotAffine, TooComplex):
        return False


def _count_from_the_start(*accesses: Element) -> bool:
    return all(isinstance(each.access, Proved) for each in accesses)


def _set_otherwise(body: Block) -> set[str]:
    """The names that statements other than loops set."""
    return {name for node in statements_in(body) if not isinstance(node, Loop) for name in set_by(node)}


def _placed(part: Block, around: tuple[Loop, ...]) -> Iterator[tuple[Element, tuple[Loop, ...]]]:
    """The elements of a part, with the loops around them in it."""
    for node in part:
        inner = (*around, node) if isinstance(node, Loop) else around
        for block in bodies(node):
            yield from _placed(block, inner)
        yield from ((each, around) for each in elements(node))


def _bounds(loops: tuple[Loop, ...], suffix: str, changed: set[str]) -> Iterator[Affine]:
    """Between what the variables of loops lie, as far as limits are known: none that has something `changed`, but for
    these variables."""
    known: set[str] = set()
    if len({each.variable.name for each in loops}) < len(loops):
        raise _NotAffine
    for loop in loops:
        name = f"{variable(loop.variable.name)}{suffix}"
        try:
            if (read(loop.start, loop.stop) - known).isdisjoint(changed) and isinstance(loop.step, Constant):
                up = loop.step.value.real > 0
                natural = up and loop.variable.range is not None and loop.variable.range.low >= 0
                start, stop = (_affine(each, known, suffix, natural) for each in (loop.start, loop.stop))
                ends = f"{start.text} <= {name} < {stop.text}" if up else f"{stop.text} < {name} <= {start.text}"
                yield _formula(ends, name, *start.names, *stop.names)
        except _NotAffine:
            pass
        known.add(loop.variable.name)


def _affine(node: Expression, own: set[str], suffix: str, natural: bool = False) -> Affine:
    """An expression in isl's notation, the names of one trip with a suffix; one that counts only where it is `natural`
    may be a sum that wraps to what is below 0 if it does."""
    if isinstance(node, Constant) and isinstance(node.value, int):
        return _formula(str(int(node.value)))
    if isinstance(node, Variable):
        name = variable(node.name) + (suffix if node.name in own else "")
        return _formula(name, name)
    if isinstance(node, Length):
        name = f"s_{variable(node.array)}_{node.axis}"
        return _formula(name, name)
    if (
        isinstance(node, Operation)
        and node.operator in ("+", "-", "*")
        and (node.range != whole(node.type) or (natural and _wraps_below(node)))
    ):
        left, right = (_affine(each, own, suffix) for each in node.operands)
        if node.operator != "*" or not left.names or not right.names:
            return _formula(f"({left.text} {node.operator} {right.text})", *left.names, *right.names)
    raise _NotAffine


def _wraps_below(node: Operation) -> bool:
    """Whether a sum of 64 bits is none of whole numbers that are not below 0, or is below 0."""
    ranges = [each.range for each in node.operands]
    natural = all(each is not None and each.low >= 0 for each in ranges)
    return natural and node.operator == "+" and node.type.dtype == "int64"


def _formula(text: str, *names: str) -> Affine:
    return Affine(text, frozenset(names))
