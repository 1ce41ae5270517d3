"""Shapes that are broadcast together, and the tests before a loop of those that are not known to fit."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from itertools import zip_longest

import libcst as cst

from somd.diagnostics.model import Collector, Diagnostic, Label
from somd.language.shapes import (
    ADDED,
    CHOSEN,
    INDEXES,
    INPUT,
    MASK,
    OPERANDS,
    OUTPUT,
    REQUESTED,
    UNDER,
    WRITTEN,
    misfit,
)
from somd.transforms.analysis.affine import shape_reference
from somd.transforms.arrays.linear import Linear
from somd.transforms.arrays.names import Names
from somd.transforms.arrays.values import ONE
from somd.transforms.tree.names import names_read

Shape = tuple[Linear, ...]
__all__ = ["INPUT", "MASK", "OPERANDS", "OUTPUT", "Broadcasting"]


@dataclass
class Broadcasting:
    """Broadcasts shapes and emits tests. `equal` has the pairs of lengths that were tested on the way here; `natural`
    tells which are never negative; `lasts` are names that are bound once, and in no loop."""

    names: Names
    collector: Collector
    natural: Callable[[Linear], bool] = lambda length: length.is_natural(())
    equal: dict[frozenset[str], frozenset[str]] = field(default_factory=dict)
    before: list[cst.BaseStatement] = field(default_factory=list)
    #: the tests that were made
    tests: set[cst.CSTNode] = field(default_factory=set)
    #: the call of a function with `out=`, and the shapes of its operands, which are tested with what it writes
    waiting: cst.CSTNode | None = None
    operands: tuple[Shape, ...] = ()
    lasts: Collection[str] = ()

    def together(self, shapes: Sequence[Shape], node: cst.CSTNode, what: str = OPERANDS) -> Shape:
        """The shape of what is made of values of these shapes, element by element."""
        whole: Shape = ()
        waits = node is self.waiting
        self.operands = tuple(shapes) if waits else self.operands
        for shape in shapes:
            if whole and shape and not waits:
                self.test(what, whole, shape, node, shapes if len(shapes) > 2 and what == OPERANDS else ())
            whole = _joined(whole, shape)
        return whole

    def written(self, target: Shape, operands: Sequence[Shape], where: Shape | None, node: cst.CSTNode) -> None:
        """Test that the operands of a function go together, and with what it writes and where."""
        told = (*operands, target, *([] if where is None else [where]))
        named = f"{WRITTEN}{len(operands)}"
        whole: Shape = ()
        for shape in operands:
            if whole and shape:
                self.test(OPERANDS, whole, shape, node, told, named)
            whole = _joined(whole, shape)
        for shape in (whole, where or ()):
            if shape:
                self.test(OUTPUT, target, shape, node, told, named)

    def into(self, what: str, target: Shape, value: Shape, node: cst.CSTNode) -> None:
        """Test that a value fits into a target."""
        if value:
            self.test(what, *((target, value) if what == OUTPUT else (value, target)), node)

    def test(
        self, what: str, first: Shape, second: Shape, node: cst.CSTNode, told: Sequence[Shape] = (), named: str = ""
    ) -> None:
        """Emit a test of the lengths of two shapes that are not known to fit; `told` are those that NumPy tells of, if
        there are more, and `named` what they are."""
        stretched = {
            OPERANDS: (True, True),
            INDEXES: (True, True),
            INPUT: (True, False),
            ADDED: (True, False),
            CHOSEN: (True, False),
            UNDER: (True, False),
            REQUESTED: (True, False),
            OUTPUT: (False, True),
        }.get(what, (False, False))
        unknown: list[tuple[Linear, Linear]] = []
        tests: list[str] = []
        for a, b in zip(reversed(first), reversed(second), strict=False):
            known = a == b or (a == ONE and stretched[0]) or (b == ONE and stretched[1])
            if known or self.are_equal(a, b):
                continue
            if a.is_short != b.is_short and stretched[0 if a.is_short else 1]:
                tests.append("{} < 1 and {} > 0".format(*((a.text, b.text) if a.is_short else (b.text, a.text))))
                continue
            unknown.append((a, b))
            tests.append(self.differ(a, b))
        if any(a.is_constant and b.is_constant for a, b in unknown):
            self.refuse(what, first, second, node)
            return
        if not tests:
            return
        test = " or ".join(f"({each})" if len(tests) > 1 else each for each in tests)
        raising = self.names.raising(named or what, list(told) or [first, second], node)
        made = self.names.line(f"if {test}:\n    {raising}", node)
        self.before.append(made)
        self.tests.add(made)
        for a, b in unknown:
            self.know(a, b)

    def are_equal(self, a: Linear, b: Linear) -> bool:
        """Whether two lengths are known to be equal, maybe by others that both are equal to."""
        return a == b or b.text in self.equal_to(a)

    def equal_to(self, length: Linear) -> set[str]:
        """The texts of all lengths that are known to be equal to one."""
        found, waiting = {length.text}, [length.text]
        while waiting:
            one = waiting.pop()
            new = {each for pair in self.equal if one in pair for each in pair} - found
            found |= new
            waiting += new
        return found

    def lasting(self, length: Linear) -> Linear:
        """A length that is equal and lasts, if there is one: a name, or the length of an array."""
        for text in sorted(self.equal_to(length)):
            node = cst.parse_expression(text)
            array = shape_reference(node)
            if (node.value if isinstance(node, cst.Name) else array and array[0]) in self.lasts:
                return Linear.of(text)
        return length

    def know(self, a: Linear, b: Linear) -> None:
        """Two lengths are equal."""
        self.equal[frozenset((a.text, b.text))] = frozenset(names_read(cst.parse_expression(f"{a.text}, {b.text}")))

    def differ(self, a: Linear, b: Linear) -> str:
        """The test whether two lengths are not equal, where those below 0 count as 0."""
        if self.natural(a) and self.natural(b):
            return f"{a.text} != {b.text}"
        return f"{a.text} != {b.text} and ({a.text} > 0 or {b.text} > 0)"

    def demand(self, what: str, a: Linear, b: Linear, shapes: Sequence[Shape], node: cst.CSTNode) -> None:
        """Emit a test that two lengths of some shapes are equal."""
        if self.are_equal(a, b):
            return
        raising = self.names.raising(what, list(shapes), node)
        self.before.append(self.names.line(f"if {self.differ(a, b)}:\n    {raising}", node))
        self.know(a, b)

    def refuse(self, what: str, first: Shape, second: Shape, node: cst.CSTNode) -> None:
        """Report shapes of which the text shows that they do not fit."""
        told = ", ".join(f"({', '.join(each.text for each in shape)})" for shape in (first, second))
        message = f"these shapes do not go together: {told}"
        constants = [tuple(each.constant for each in shape) for shape in (first, second)]
        if all(each.is_constant for shape in (first, second) for each in shape):
            message = str(misfit(what, *constants)).strip()
        label = Label(self.names.position(node), "here", True)
        self.collector.add(Diagnostic("SOMD403", message, (label,), ("NumPy raises ValueError here",)))

    def forget(self, names: Collection[str]) -> None:
        """Names are assigned: what was tested of them holds no longer."""
        self.equal = {pair: read for pair, read in self.equal.items() if not read & set(names)}


def _joined(whole: Shape, shape: Shape) -> Shape:
    """The shape of what has one of two shapes that go together along each axis."""
    pairs = zip_longest(reversed(whole), reversed(shape), fillvalue=ONE)
    return tuple(reversed([b if _gives_way(a, b) else a for a, b in pairs]))


def _gives_way(a: Linear, b: Linear) -> bool:
    """Whether of two lengths that go together the second is that of the whole."""
    return a == ONE or (b.is_constant and b != ONE) or (a.is_short and not b.is_short)
