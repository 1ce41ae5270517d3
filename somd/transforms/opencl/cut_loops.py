"""A loop with an order -> what of its trips may run side by side, and what stays in order (loop distribution).

for k:                                       side by side: e = exp(x[k] - m); out[k] = e; term_1[k] = e / n
    e = exp(x[k] - m)              ->        in order:     s = s * 0.5 + term_1[k]; t = t + out[k]
    out[k] = e
    s = s * 0.5 + e / n
    t += e

Free is what a trip computes of its own elements, and of what the loop does not change. What the rest asks of it is a
*term*, kept from the one to the other, or an element that is stored; what is cheap, the rest computes itself.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Mapping

import numpy as np

from somd.transforms.emit.declared import assigned, read_in, scalars_set
from somd.transforms.loops.program import (
    Assign,
    Choice,
    Constant,
    Element,
    Expression,
    Function,
    Length,
    Loop,
    Operation,
    Statement,
    Store,
    Variable,
)
from somd.transforms.loops.rewriting import with_bodies, with_expressions, with_operands
from somd.transforms.loops.walking import expressions, expressions_in, inside, operands, reads_elements, statements_in
from somd.transforms.loops.work import cost
from somd.transforms.opencl.striped import Key, key_of

#: operations that the rest does itself
CHEAP = 3
#: bytes of the numbers that terms may be
SIZES = (4, 8)
Block = tuple[Statement, ...]


class Cut:
    """A loop with an order, in two: what is `free` of it, with the values that it keeps as `terms`, and the `rest`.
    Elements of `rows` may lie in local memory, `behind` is what follows the loop, `named` names a term of a type; it
    `failed` where a value has no place there."""

    def __init__(
        self,
        loop: Loop,
        behind: Block,
        rows: Collection[Key],
        functions: Mapping[str, Function],
        named: Callable[[Expression], Variable],
    ) -> None:
        self.loop, self.rows, self.functions, self.named = loop, rows, functions, named
        self.changed = assigned(loop.body)
        self.stored = {node.element.array for node in statements_in(loop.body) if isinstance(node, Store)}
        self.private = self.of_a_trip(behind)
        self.free: list[Statement] = []
        #: arrays that the rest touches, and those that it stores
        self.touched: set[str] = set()
        self.rest_stores: set[str] = set()
        #: scalars of a trip that are free, with their values where these may be computed again
        self.values: dict[str, Expression | None] = {}
        #: what elements that are stored are known to be
        self.known: dict[Expression, Element] = {}
        self.terms: dict[Expression, Variable] = {}
        self.failed = False
        left: list[Statement] = []
        for node in loop.body:
            self.take(node, left)
        self.rest = tuple(self.without(node, True) for node in left)

    def of_a_trip(self, behind: Block) -> set[str]:
        """The scalars that a trip sets once, before it reads them, and nobody reads behind the loop."""
        times = Counter(name for name, _ in scalars_set(self.loop.body))
        later = {name for node in statements_in(behind) for each in expressions(node) for name in read_in(each)}
        found, read = set[str](), set[str]()
        for node in self.loop.body:
            read |= {name for each in statements_in((node,)) for e in expressions(each) for name in read_in(e)}
            if isinstance(node, Assign) and node.target.name not in read and times[node.target.name] == 1:
                found.add(node.target.name)
        return found - later

    def take(self, node: Statement, left: list[Statement]) -> None:
        """Enter a statement of the body among those that are free, or in what is `left`."""
        if isinstance(node, Assign) and node.target.name in self.private and self.is_free(node.value):
            self.free.append(node)
            value = self.inlined(node.value)
            again = value is not None and not any(
                isinstance(e, Element) and e.array in self.stored for e in inside(value)
            )
            self.values[node.target.name] = value if again else None
        elif isinstance(node, Store) and self.is_own(node.element) and self.is_free(node.value):
            self.free.append(node)
            once = sum(isinstance(n, Store) and n.element.array == node.element.array for n in self.loop.body) == 1
            again = any(isinstance(each, Element) and each.array in self.stored for each in inside(node.value))
            if once and not again and node.value.type.dtype == node.element.type.dtype:
                self.known[node.value] = node.element
        else:
            left.append(node)
            within = [e for e in expressions_in((node,)) if isinstance(e, Element)]
            self.touched |= {each.array for each in within}
            self.rest_stores |= {each.element.array for each in statements_in((node,)) if isinstance(each, Store)}

    def is_own(self, node: Element) -> bool:
        """Whether no other trip touches an element, nor the rest what came before."""
        mine = key_of(node) in self.rows and node.indices[-1] == self.loop.variable
        alike = all(
            e.indices[-1] == self.loop.variable
            for e in expressions_in(self.loop.body)
            if isinstance(e, Element) and e.array == node.array
        )
        return mine and alike and node.array not in self.touched

    def is_free(self, node: Expression) -> bool:
        """Whether a value is the same whatever other trips, and the rest of its own, do."""
        if read_in(node) & (self.changed - self.values.keys()):
            return False
        within = [each for each in inside(node) if isinstance(each, Element)]
        return all(each.array not in self.stored or self.is_own(each) for each in within)

    def inlined(self, node: Expression) -> Expression | None:
        """The value without scalars of the trip; None where it has to be kept."""
        if isinstance(node, Variable) and node.name in self.values:
            return self.values[node.name]
        made = [self.inlined(each) for each in operands(node)]
        if any(each is None for each in made):
            return None
        parts = iter(made)
        return with_operands(node, lambda _: next(parts))  # type: ignore[arg-type, return-value]

    # --- the rest ---------------------------------------------------------------------------------------------------

    def without(self, node: Statement, always: bool) -> Statement:
        """A statement of the rest, with terms for what is free in it; only scalars where it is not `always` run."""
        made = with_expressions(node, lambda each: self.with_terms(each, always))
        return with_bodies(made, lambda block: tuple(self.without(each, False) for each in block))

    def with_terms(self, node: Expression, always: bool) -> Expression:
        if not self.is_steady(node):
            chosen = isinstance(node, Choice) or (isinstance(node, Operation) and node.operator in ("and", "or"))
            always = always and not chosen and not isinstance(node, Element)
            return with_operands(node, lambda each: self.with_terms(each, always))
        if node in self.known:
            return self.known[node]
        if isinstance(node, Constant | Length) or (isinstance(node, Variable) and node.name not in self.values):
            return node
        inlined = self.inlined(node)
        if inlined is not None and self.is_cheap(inlined) and (always or not reads_elements(inlined)):
            return inlined
        if not always and not isinstance(node, Variable):
            return with_operands(node, lambda each: self.with_terms(each, always))
        return self.kept(node)

    def is_steady(self, node: Expression) -> bool:
        """Whether a value is the same before the rest of its trip is run."""
        within = [each for each in inside(node) if isinstance(each, Element)]
        names = read_in(node) & (self.changed - self.values.keys())
        return not names and not any(
            e.array in self.rest_stores or (e.array in self.stored and e.indices[-1] != self.loop.variable)
            for e in within
        )

    def is_cheap(self, node: Expression) -> bool:
        here = all(key_of(e) in self.rows for e in inside(node) if isinstance(e, Element))
        return here and sum(cost(each, self.functions) for each in inside(node)) <= CHEAP

    def kept(self, node: Expression) -> Expression:
        dtype = np.dtype(node.type.dtype)
        if dtype.kind not in "iuf" or dtype.itemsize not in SIZES:
            self.failed = True
            return node
        if node not in self.terms:
            self.terms[node] = self.named(node)
        return self.terms[node]
