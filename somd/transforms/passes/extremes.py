"""Loops that keep the largest or the smallest float look for it as if there were no nan, and see afterwards.

    >>> before_and_after(extremes, '''
    ... def largest(a: A, b: A):
    ...     for i in range(a.shape[0]):
    ...         m = b[i]
    ...         for j in range(a.shape[1]):
    ...             m = np.maximum(m, a[i, j])
    ...         b[i] = m
    ... ''', a="float64[:, :]", b="float64[:]")
    m: float64 = b[i]
    for j from 0 to length(a, 1)
        m: float64 = np.maximum(m, a[i, j])
    b[i] = m
    ->
    m: float64 = b[i]
    m_quick'1: float64 = m
    m_odd'1: bool = m != m
    for j from 0 to length(a, 1)
        m_new'1: float64 = a[i, j]
        m_quick'1: float64 = quick maximum(m_new'1, m_quick'1)
        m_odd'1: bool = m_odd'1 | (m_new'1 != m_new'1)
    if m_odd'1
        for j from 0 to length(a, 1)
            m: float64 = np.maximum(m, a[i, j])
    else
        if m_quick'1 == 0.0
            for j from length(a, 1) - 1 to 0 - 1 by -1
                m_new'1: float64 = a[i, j]
                if m_new'1 == 0.0
                    m: float64 = m_new'1
                    break
        else
            m: float64 = m_quick'1
    b[i] = m

The order of such a loop matters for nan, and for which of several zeros is kept; else a compiler may keep several
elements at once, which it does where it is told that neither counts. With a nan the loop runs as it was written. A zero
is looked for, from the end where the later one of equal elements is kept, else from the start. So all bits are kept.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from somd.transforms.loops.making import constant, operation, variable, whole_number
from somd.transforms.loops.naming import NewNames
from somd.transforms.loops.program import (
    Assign,
    Break,
    Constant,
    Element,
    Expression,
    HelperCall,
    If,
    Loop,
    Operation,
    Origin,
    Program,
    Region,
    Statement,
    Tested,
    Variable,
)
from somd.transforms.loops.rewriting import each_region, with_bodies
from somd.transforms.loops.rows import moves_with
from somd.transforms.loops.scopes import read
from somd.transforms.loops.walking import inside
from somd.transforms.types.scalars import ScalarType

Block = tuple[Statement, ...]
#: the fewest trips, where their number is known
FEWEST = 16
QUICK = {"np.maximum": "quick maximum", "max": "quick maximum", "np.minimum": "quick minimum", "min": "quick minimum"}
BOOL = ScalarType("bool")


def extremes(program: Program) -> Program:
    """The program with such loops in their quick form."""
    names = NewNames(program)

    def block(body: Block) -> Block:
        made: list[Statement] = []
        for node in body:
            kept = extreme_of(node) if isinstance(node, Loop) and _counts(node) else None
            quick = () if kept is None or not isinstance(node, Loop) else _quick(node, kept, names)
            made += quick or (with_bodies(node, block),)
        return body if all(new is old for new, old in zip(made, body, strict=False)) else tuple(made)

    def of_region(region: Region) -> Region:
        if region.relaxed:
            return region
        made = with_bodies(region, block)
        assert isinstance(made, Region)
        return made

    return each_region(program, of_region)


@dataclass(frozen=True)
class Extreme:
    """The scalar that a loop keeps the extreme of `element` in, and whether the last of equal ones is kept."""

    variable: Variable
    element: Expression
    quick: str
    last: bool


def extreme_of(loop: Loop) -> Extreme | None:
    """What a loop does if it does no more than that, of elements that lie in rows."""
    if len(loop.body) != 1:
        return None
    node = loop.body[0]
    found = None
    if isinstance(node, Assign) and isinstance(node.value, Operation) and node.value.operator in QUICK:
        found = _of_call(node.target, node.value)
    elif isinstance(node, If) and isinstance(node.test, Operation) and not node.orelse and len(node.body) == 1:
        found = _of_test(node.test, node.body[0])
    if found is None or found.variable.type.kind != "f" or found.element.type != found.variable.type:
        return None
    parts, name = list(inside(found.element)), loop.variable.name
    elements = [each for each in parts if isinstance(each, Element)]
    rows = [each for each in elements if moves_with(each.indices[-1], name)]
    plain = all(not isinstance(each.access, Tested) and each.relaxed is None for each in elements)
    others = [index for each in elements for index in (each.indices[:-1] if each in rows else each.indices)]
    if not rows or not plain or name in read(*others) or any(isinstance(each, HelperCall) for each in parts):
        return None
    return None if found.variable.name in read(found.element) else found


def _of_call(target: Variable, value: Operation) -> Extreme | None:
    """`m = max(m, e)`: of equal ones Python's functions give the first, NumPy's the second."""
    if len(value.operands) != 2:
        return None
    left, right = value.operands
    is_left = isinstance(left, Variable) and left.name == target.name
    if not is_left and not (isinstance(right, Variable) and right.name == target.name):
        return None
    of_numpy = value.operator.startswith("np.")
    return Extreme(target, right if is_left else left, QUICK[value.operator], is_left == of_numpy)


def _of_test(test: Operation, body: Statement) -> Extreme | None:
    """`if e > m: m = e`"""
    if test.operator not in ("<", "<=", ">", ">=") or not isinstance(body, Assign):
        return None
    left, right = test.operands
    turned = isinstance(left, Variable) and left.name == body.target.name
    kept, element = (left, right) if turned else (right, left)
    if not isinstance(kept, Variable) or kept.name != body.target.name or element != body.value:
        return None
    quick = "quick maximum" if (test.operator[0] == ">") != turned else "quick minimum"
    return Extreme(body.target, element, quick, test.operator.endswith("="))


def _counts(loop: Loop) -> bool:
    """Whether a loop counts up by 1, and not to few trips."""
    one = loop.by == 1
    if isinstance(loop.start, Constant) and isinstance(loop.stop, Constant):
        return one and loop.stop.value.real - loop.start.value.real >= FEWEST
    return one


def _quick(loop: Loop, kept: Extreme, names: NewNames) -> Block:
    target, origin = kept.variable, Origin(loop.origin.position)
    quick, new = (variable(names.name(f"{target.name}_{wish}"), target.type) for wish in ("quick", "new"))
    odd = variable(names.name(f"{target.name}_odd"), BOOL)
    zero = constant(0.0, target.type)

    def is_zero(node: Expression) -> Expression:
        return operation("==", node, zero)

    element = Assign(new, kept.element, origin)
    search = If(is_zero(new), (Assign(target, new, origin), Break(origin)), (), origin)
    looking = replace(loop, body=(element, search), order="in order", hull=None, origin=origin)
    find: Statement = If(operation("!=", target, zero), (looking,), (), origin)
    if kept.last:
        first, last = (operation("-", each, whole_number(1)) for each in (loop.stop, loop.start))
        find = replace(looking, start=first, stop=last, step=whole_number(-1))
    body = (
        element,
        Assign(quick, operation(kept.quick, new, quick), origin),
        Assign(odd, operation("|", odd, operation("!=", new, new)), origin),
    )
    return (
        Assign(quick, target, origin),
        Assign(odd, operation("!=", target, target), origin),
        replace(loop, body=body, order="in order"),
        If(
            odd,
            (replace(loop, origin=origin),),
            (If(is_zero(quick), (find,), (Assign(target, quick, origin),), origin),),
            origin,
        ),
    )
