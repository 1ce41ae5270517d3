"""What an iteration assigns a second time it takes from the first; a sign is no difference, if it is made up for.

    >>> before_and_after(common_subexpressions, '''
    ... def tail(x):
    ...     k = 1.0 / (1.0 + 0.25 * abs(x))
    ...     found = k * np.exp(-0.5 * x * x)
    ...     return found
    ...
    ... def both(a: A, b: A):
    ...     for i in range(len(a)):
    ...         x = a[i]
    ...         b[i] = tail(x) - tail(-x)
    ... ''', a="float64[:]", b="float64[:]")
    x: float64 = a[i]
    b[i] = tail(x) - tail(neg(x))
    ->
    x: float64 = a[i]
    k''1: float64 = 1.0 / (1.0 + (0.25 * abs(x)))
    found''1: float64 = k''1 * np.exp((-0.5 * x) * x)
    x''1: float64 = neg(x)
    k''2: float64 = k''1
    found''2: float64 = found''1
    b[i] = found''1 - found''2

Helpers are written out where that shows such expressions (`inlining`). It is done only where an expensive one is saved:
compilers find what is the same, but not what differs in signs on the way. The sign of a product or quotient is that of
its operands, and rounding to nearest does not ask for it; the sign of a nan means nothing. What is in loops and under
conditions is left alone, and so is what reads elements.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping
from dataclasses import replace

from somd.transforms.loops.making import negated
from somd.transforms.loops.naming import NewNames
from somd.transforms.loops.program import (
    Assign,
    Cast,
    Choice,
    Constant,
    Element,
    Expression,
    Function,
    HelperCall,
    Length,
    Operation,
    Program,
    Region,
    Statement,
    Variable,
)
from somd.transforms.loops.rewriting import each_region, with_bodies
from somd.transforms.loops.scopes import assigned
from somd.transforms.loops.walking import inside, operands
from somd.transforms.loops.work import cost
from somd.transforms.passes.inlining import Inliner

Block = tuple[Statement, ...]
#: what an operator costs that makes it worth the while, in sums of floats
EXPENSIVE = 20
#: operators of floats whose result has the sign of one operand times that of the other; and those that ask for none
SIGNED, EVEN = ("*", "/"), ("abs", "math.fabs", "np.abs", "np.absolute", "np.fabs", "np.square")


def common_subexpressions(program: Program) -> Program:
    """The program without what would be computed again."""
    names = NewNames(program)
    functions = {function.name: function for function in program.functions}

    def of_region(region: Region) -> Region:
        for body in (Inliner(program, names).block(region.body), region.body):
            numbering = _Numbering(functions)
            made = numbering.block(body)
            if numbering.saves:
                changed = with_bodies(region, lambda _, made=made: made)  # type: ignore[misc]
                assert isinstance(changed, Region)
                return changed
        return region

    return each_region(program, of_region)


class _Numbering:
    """Numbers the values of one body: a value is a sign and a key, equal keys are equal values but for the sign."""

    def __init__(self, functions: Mapping[str, Function]) -> None:
        self.functions = functions
        #: how often a name has been set so far
        self.times: dict[str, int] = {}
        #: the values of names that are other names, or these with the other sign
        self.copies: dict[Hashable, tuple[bool, Hashable]] = {}
        #: by key: the variable that has the value, and with which sign
        self.known: dict[Hashable, tuple[Variable, Hashable, bool]] = {}
        #: whether something expensive is not computed again
        self.saves = False

    def block(self, body: Block) -> Block:
        made = []
        for node in body:
            found = self.assignment(node) if isinstance(node, Assign) else node
            for name in assigned((node,)):
                self.times[name] = self.times.get(name, 0) + 1
            if isinstance(node, Assign):
                self.enter(node)
            made.append(found)
        return tuple(made)

    def assignment(self, node: Assign) -> Assign:
        """The assignment, from a variable that has the value."""
        self.found = self.value(node.value)
        sign, key = self.found
        if isinstance(node.value, Variable | Constant) or key not in self.known:
            return node
        variable, named, other = self.known[key]
        if named != self.name(variable.name) or variable.type != node.value.type:
            return node
        parts = list(inside(node.value))
        if any(cost(each, self.functions) >= EXPENSIVE for each in parts):
            self.saves = True
        taken = replace(variable, range=node.value.range)
        return replace(node, value=taken if sign == other else negated(taken))

    def enter(self, node: Assign) -> None:
        """Know what an assigned variable has for a value, read before it was set."""
        sign, key = self.found
        name = self.name(node.target.name)
        if isinstance(key, tuple) and key[0] == "name":
            self.copies[name] = sign, key
            return
        if key in self.known and self.known[key][1] == self.name(self.known[key][0].name):
            variable, named, other = self.known[key]
            if variable.type == node.target.type:
                self.copies[name] = sign != other, named
            return
        if node.target.type == node.value.type:
            self.known[key] = node.target, name, sign

    def name(self, name: str) -> Hashable:
        """The key of a variable as it is now."""
        return "name", name, self.times.get(name, 0)

    def value(self, node: Expression) -> tuple[bool, Hashable]:
        """Sign and key of an expression."""
        signed = node.type.kind == "f"
        if isinstance(node, Variable):
            name = self.name(node.name)
            return self.copies.get(name, (False, name))
        if isinstance(node, Constant):
            below = signed and math.copysign(1.0, node.value.real) < 0
            return below, ("number", node.type.dtype, repr(abs(node.value) if below else node.value))
        if isinstance(node, Element) or not isinstance(node, Operation | Cast | Choice | HelperCall | Length):
            return False, ("element", object())
        parts = [self.value(each) for each in operands(node)]
        if isinstance(node, Operation) and signed:
            if node.operator == "neg":
                return not parts[0][0], parts[0][1]
            if node.operator in SIGNED:
                return parts[0][0] != parts[1][0], self.key(node, [(False, key) for _, key in parts])
            if node.operator in EVEN:
                return False, self.key(node, [(False, key) for _, key in parts])
        return False, self.key(node, parts)

    def key(self, node: Expression, parts: list[tuple[bool, Hashable]]) -> Hashable:
        what: tuple[Hashable, ...] = ()
        if isinstance(node, Operation):
            what = (node.operator,)
        elif isinstance(node, HelperCall):
            what = node.function, node.part
        elif isinstance(node, Length):
            what = node.array, node.axis
        return type(node).__name__, node.type.dtype, *what, *parts
