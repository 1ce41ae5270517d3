"""Elements that a trip of a loop stores and the next one reads are handed on in a variable.

    >>> before_and_after(scalar_replacement, '''
    ... def recurrences(a: np.ndarray, p: A):
    ...     for i in range(p.shape[0]):
    ...         for j in range(1, p.shape[1]):
    ...             p[i, j] = 1.0 / (a[i, j] + p[i, j - 1])
    ... ''', a="float64[:, :]", p="float64[:, :]")
    for j from 1 to length(p, 1)
        p[i, j] = 1.0 / (a[i, j] + p[i, j - 1])
    ->
    if 1 < length(p, 1)
        p_before'1: float64 = p[i, 0]
        for j from 1 to length(p, 1)
            p_stored'1: float64 = 1.0 / (a[i, j] + p_before'1)
            p[i, j] = p_stored'1
            p_before'1: float64 = p_stored'1

Each trip of such a loop waits for what the one before has computed. Through memory that takes longer by what a store
and a load cost, and a compiler that cannot rule out two names of one array has to go that way (Callahan, Carr and
Kennedy, *Improving register allocation for subscripted variables*, 1990). The variable has the element's type, so that
each value is rounded as it was.

It is done in innermost loops that do nothing but assign, in which nothing fails; the array is stored to once, in each
trip, and read in each trip at the place before. The first trip's element is read in front of the loop, behind a test
whether there are trips.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from somd.transforms.loops.making import operation, variable, whole_number
from somd.transforms.loops.naming import NewNames
from somd.transforms.loops.program import (
    Assign,
    Choice,
    Constant,
    Element,
    Expression,
    If,
    Loop,
    Operation,
    Origin,
    Program,
    Proved,
    Region,
    Statement,
    Store,
    Variable,
)
from somd.transforms.loops.rewriting import each_region, each_statement, with_bodies, with_expressions, with_operands
from somd.transforms.loops.rows import is_steady
from somd.transforms.loops.scopes import assigned
from somd.transforms.loops.walking import called, expressions, expressions_in, operands, tests_accesses

Block = tuple[Statement, ...]


def scalar_replacement(program: Program) -> Program:
    """The program with such elements in variables."""
    names = NewNames(program)

    def held(node: Statement) -> Statement:
        return (_held(node, names) if isinstance(node, Loop) else None) or node

    def of_region(region: Region) -> Region:
        if region.strips or region.tile or region.packed or region.aliased or region.relaxed:
            return region
        made = with_bodies(region, lambda body: each_statement(body, held))
        assert isinstance(made, Region)
        return made

    return each_region(program, of_region)


def _held(loop: Loop, names: NewNames) -> Statement | None:
    """The loop with all such elements in variables, behind a test whether it has trips; None where it has none."""
    plain = all(isinstance(node, Assign | Store) for node in loop.body)
    if not plain or loop.order == "free" or not isinstance(loop.step, Constant) or loop.step.value not in (1, -1):
        return None
    steady = is_steady(loop.start, set()) and is_steady(loop.stop, set())
    if not steady or called(loop.body) or tests_accesses(loop.body):
        return None
    first: list[Statement] = []
    body, last = loop.body, list[Statement]()
    for store in (node for node in loop.body if isinstance(node, Store)):
        before = _before(store.element, loop)
        if before is None:
            continue
        array, type_ = before.array, before.type
        place, new = (variable(names.name(f"{array}_{word}"), type_) for word in ("before", "stored"))
        first.append(Assign(place, _at_start(before, loop), Origin(store.origin.position)))
        body = _with(body, store.element, before, (place, new))
        last.append(Assign(place, new, Origin(store.origin.position)))
    if not first:
        return None
    test = operation("<" if loop.step.value == 1 else ">", loop.start, loop.stop)
    return If(test, (*first, replace(loop, body=(*body, *last))), (), Origin(loop.origin.position))


def _before(stored: Element, loop: Loop) -> Element | None:
    """The element that the trip before has stored, which each trip reads; None without one."""
    assert isinstance(loop.step, Constant)
    mine = [each for each in expressions_in(loop.body) if isinstance(each, Element) and each.array == stored.array]
    stores = [node for node in loop.body if isinstance(node, Store) and node.element.array == stored.array]
    if len(stores) > 1 or stored.type.kind not in "fc" or not all(isinstance(each.access, Proved) for each in mine):
        return None
    read = (each for node in loop.body for top in expressions(node) for each in _always(top))
    for each in read:
        if isinstance(each, Element) and each.array == stored.array and _follows(each, stored, loop):
            return each
    return None


def _always(node: Expression) -> Iterator[Expression]:
    """What is evaluated wherever an expression is."""
    yield node
    if not isinstance(node, Choice) and not (isinstance(node, Operation) and node.operator in ("and", "or")):
        for each in operands(node):
            yield from _always(each)


def _follows(read: Element, stored: Element, loop: Loop) -> bool:
    """Whether what a trip reads is what the one before has stored: one index is a step behind, the others stay."""
    changed, step = assigned((loop,)), loop.by or 0
    pairs = list(zip(read.indices, stored.indices, strict=True))
    moved = [(_offset(one, loop.variable), _offset(other, loop.variable)) for one, other in pairs if one != other]
    others = [one for one, other in pairs if one == other]
    if len(moved) != 1 or not all(is_steady(each, changed) for each in others):
        return False
    [(one, other)] = moved
    return one is not None and other is not None and one == other - step


def _offset(index: Expression, variable: Variable) -> int | None:
    """What a whole number is added to a variable to make an index; None for other indices."""
    if isinstance(index, Variable):
        return 0 if index.name == variable.name else None
    if not isinstance(index, Operation) or index.operator not in ("+", "-") or len(index.operands) != 2:
        return None
    left, right = index.operands
    if index.operator == "+" and isinstance(left, Constant):
        left, right = right, left
    if not isinstance(right, Constant) or not isinstance(left, Variable) or left.name != variable.name:
        return None
    return int(right.value.real) * (1 if index.operator == "+" else -1)


def _at_start(element: Element, loop: Loop) -> Element:
    """The element that the first trip reads."""

    def index(node: Expression) -> Expression:
        offset = _offset(node, loop.variable)
        if offset is None:
            return node
        if isinstance(loop.start, Constant):
            return whole_number(int(loop.start.value.real) + offset)
        return loop.start if offset == 0 else operation("+", loop.start, whole_number(offset))

    return replace(element, indices=tuple(map(index, element.indices)))


def _with(body: Block, stored: Element, before: Element, variables: tuple[Variable, Variable]) -> Block:
    """The body with variables in place of the element before, and of the stored one behind its store."""
    place, new = variables
    made: list[Statement] = []
    known: dict[Element, Variable] = {before: place}

    def expression(node: Expression) -> Expression:
        return known[node] if isinstance(node, Element) and node in known else with_operands(node, expression)

    for node in body:
        changed = with_expressions(node, expression)
        if isinstance(changed, Store) and changed.element == stored:
            made.append(Assign(new, changed.value, Origin(changed.origin.position, changed.origin.comments)))
            changed = replace(changed, value=new, origin=replace(changed.origin, comments=()))
            known[stored] = new
        made.append(changed)
    return tuple(made)
