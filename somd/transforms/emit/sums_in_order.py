"""A loop that adds up floats in source order, as long as data says, in Python for Numba.

                                          j_first, j_stop = start[i], start[i + 1]
                                          if j_stop - j_first >= 2048:
                                              s_terms = lane_array(2048, np.float64)
                                              for j_strip in range(j_first, j_stop, 2048):
                                                  j_count = min(2048, j_stop - j_strip)
    for j in range(start[i], start[i + 1]):       for j_term in range(j_count):
        s += x[j] * y[j]                  ->          j = j_strip + j_term
                                                      s_terms[j_term] = x[j] * y[j]
                                                  s = added_in_order(s, s_terms, 0, j_count)
                                          else:
                                              for j in range(j_first, j_stop):
                                                  s += x[j] * y[j]

`added_in_order` has the bits of the loop and does not wait for each addition. Elements that lie side by side need no
room for the terms: `s = added_in_order(s, x, j_first, j_stop)`. In are loops that count by one, and whose trips do
nothing with a sum but add to it, once, or take from it. A trip that adds nothing adds -0.0, which changes no number.

Loops of a length that is no element of an array are left alone: rows of one length go side by side. So are those that
test an access: the test takes as long as the addition.
"""

from __future__ import annotations

from collections.abc import Container, Iterator
from dataclasses import replace

from somd.transforms.loops.making import constant, operation
from somd.transforms.loops.origins import Origin
from somd.transforms.loops.program import (
    Assign,
    Element,
    Evaluate,
    Expression,
    If,
    Loop,
    Operation,
    Proved,
    Statement,
    Store,
    Unpack,
    Variable,
)
from somd.transforms.loops.rewriting import each_statement
from somd.transforms.loops.scopes import named, variables_set
from somd.transforms.loops.walking import expressions, inside, statements_in, tests_accesses

#: the trips from which on it gains, and the terms at a time
LONG, TERMS = 2048, 2048
#: sums of a loop, at most: several wait side by side
SUMS = 3


def long_sums(loop: Loop, from_data: Container[str]) -> tuple[Variable, ...]:
    """The sums of a loop whose terms may come first; none for other loops. `from_data` are scalars that elements of
    arrays choose."""
    one = loop.by == 1 and not loop.aligned and loop.order == "in order"
    if not one or not any(comes_from_data(each, from_data) for each in (loop.start, loop.stop)):
        return ()
    nodes = list(statements_in(loop.body))
    if not all(isinstance(node, Assign | Store | If | Unpack | Evaluate) for node in nodes) or tests_accesses(
        loop.body
    ):
        return ()
    sums = {node.target.name: node.target for node in nodes if isinstance(node, Assign) and term_of(node) is not None}
    for node in nodes:
        for name in _named(node):
            sums.pop(name, None)
    times = [each.name for node in nodes for each in variables_set(node)]
    found = tuple(each for name, each in sums.items() if times.count(name) == 1)
    return found if len(found) <= SUMS else ()


def comes_from_data(node: Expression, from_data: Container[str]) -> bool:
    """Whether elements of arrays choose a value."""
    return any(isinstance(e, Element) or (isinstance(e, Variable) and e.name in from_data) for e in inside(node))


def row_of(loop: Loop) -> Element | None:
    """What is left of the elements that a loop adds up when its variable, their last index, is taken away; None where
    it adds up something else."""
    if len(loop.body) > 1:
        return None
    term = term_of(loop.body[0])
    if not isinstance(term, Element) or term.relaxed is not None or not isinstance(term.access, Proved):
        return None
    *others, last = term.indices
    along = isinstance(last, Variable) and last.name == loop.variable.name and last.name not in named(*others)
    return replace(term, indices=tuple(others)) if along else None


def term_of(node: Statement) -> Expression | None:
    """What a statement adds to a sum of floats, if that is all it does."""
    if not isinstance(node, Assign) or node.target.type.dtype not in ("float32", "float64"):
        return None
    value, name = node.value, node.target.name
    if not isinstance(value, Operation) or value.operator not in ("+", "-") or len(value.operands) != 2:
        return None
    left, right = value.operands
    if any(each.type.dtype != node.target.type.dtype for each in (value, left, right)):
        return None
    if isinstance(left, Variable) and left.name == name and name not in named(right):
        return right if value.operator == "+" else operation("neg", right)
    if isinstance(right, Variable) and right.name == name and name not in named(left) and value.operator == "+":
        return left
    return None


def _named(node: Statement) -> Iterator[str]:
    """The names that a statement reads, but for a sum to which it adds."""
    term = term_of(node)
    for each in expressions(node) if term is None else (term,):
        yield from named(each)


def terms_of(loop: Loop, sums: tuple[Variable, ...]) -> tuple[Statement, ...]:
    """The trip of a loop that gives each sum its term, in place of adding it."""
    names = {each.name for each in sums}

    def given(node: Statement) -> Statement:
        term = term_of(node) if isinstance(node, Assign) and node.target.name in names else None
        if term is None or not isinstance(node, Assign):
            return node
        return replace(node, value=term, origin=Origin(node.origin.position))

    always = {node.target.name for node in loop.body if isinstance(node, Assign)}
    nothing = [Assign(each, constant(-0.0, each.type)) for each in sums if each.name not in always]
    return (*nothing, *each_statement(loop.body, given))
