"""Whether loops over lanes gain: LLVM does not vectorise the body as it is, and will vectorise the pieces.

The body as it is has a loop inside that hands a scalar from trip to trip, with more trips than LLVM unrolls (what it
unrolls whole it vectorises by itself). The pieces in such loops must be made of what
processors do with several numbers at once: arithmetic without 64-bit division, square roots, and elements that lie side
by side for neighbouring lanes or are the same for all of them. What stands outside inner loops runs once an iteration
and may be anything.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import libcst as cst

from somd.transforms.analysis.accesses import index_expressions
from somd.transforms.multicore.flow import Varying, all_small
from somd.transforms.multicore.intervals import Intervals
from somd.transforms.multicore.narrowing import DIVIDING, Narrowing
from somd.transforms.multicore.pieces import Around, Group, LaneCall, Piece, groups_in
from somd.transforms.tree.loops import range_of
from somd.transforms.tree.walking import Reader
from somd.transforms.types.scalars import AUGMENTED, REALS

FUNCTIONS = frozenset(("min", "max", "abs", "int", "assume", "shift_left", "shift_right"))
MATH = frozenset(("sqrt", "fabs"))
#: arithmetic operations up to which inner loops are unrolled whole, as measured
UNROLLED = 80
#: exponents up to which a power is a few products
POWER = 4


@dataclass(frozen=True)
class Shape:
    """How elements lie for neighbouring lanes: `steps` are what variables differ by from lane to lane."""

    varying: Varying
    steps: Mapping[str, int]

    def side_by_side(self, node: cst.Subscript) -> bool:
        """Whether an element is that of the neighbouring lane's neighbour, or the same for all lanes."""
        *before, last = index_expressions(node)
        if any(self.varying(index) for index in before):
            return False
        return not self.varying(last) or self._next(last)

    def _next(self, index: cst.BaseExpression) -> bool:
        if isinstance(index, cst.Name):
            return abs(self.steps.get(index.value, 0)) == 1
        if not isinstance(index, cst.BinaryOperation):
            return False
        if isinstance(index.operator, cst.Add) and not self.varying(index.left):
            return self._next(index.right)
        return (
            isinstance(index.operator, cst.Add | cst.Subtract)
            and not self.varying(index.right)
            and self._next(index.left)
        )


def carries(pieces: Sequence[Piece], private: set[str]) -> bool:
    """Whether an inner loop hands scalars of a lane from trip to trip, or adds to an element."""
    return any(group.loaded & group.stored & private or _accumulates(group) for group in _inner(pieces))


def _accumulates(group: Group) -> bool:
    smalls = (small for small in all_small(group.statements) if isinstance(small, cst.AugAssign))
    return any(isinstance(small.target, cst.Subscript) for small in smalls)


def unrolls(pieces: Sequence[Piece], shape: Shape, intervals: Intervals) -> bool:
    """Whether inner loops are few operations, by constant numbers of trips, and none that is not vectorised."""
    count = _Operations(shape.varying)
    total = 0
    for piece in pieces:
        if isinstance(piece, Around) and isinstance(piece.node, cst.For):
            total += count.of([piece], intervals)
    return total <= UNROLLED and not count.hindered


def vectorises(pieces: Sequence[Piece], shape: Shape, narrowing: Narrowing) -> bool:
    """Whether the groups in inner loops are of what vectorises."""
    check = _Check(shape, narrowing)
    for group in _inner(pieces):
        for statement in group.statements:
            statement.visit(check)
    return check.passed


def _inner(pieces: Sequence[Piece]) -> Iterator[Group]:
    """The groups in loops."""
    for piece in pieces:
        if isinstance(piece, Around):
            inside = [*piece.body, *piece.orelse]
            yield from groups_in(inside) if isinstance(piece.node, cst.For) else _inner(inside)


class _Check(Reader):
    def __init__(self, shape: Shape, narrowing: Narrowing) -> None:
        super().__init__()
        self.shape = shape
        self.narrowing = narrowing
        self.passed = True

    def visit_Call(self, node: cst.Call) -> None:
        if isinstance(node.func, cst.Name):
            self.passed &= node.func.value in FUNCTIONS
        elif isinstance(node.func, cst.Attribute):
            name = node.func.attr.value
            self.passed &= name in MATH or name in REALS or name == "bool_"

    def visit_Subscript(self, node: cst.Subscript) -> None:
        if isinstance(node.value, cst.Name):
            self.passed &= self.shape.side_by_side(node)

    def visit_BinaryOperation(self, node: cst.BinaryOperation) -> None:
        if isinstance(node.operator, cst.Power):
            exponent = node.right
            self.passed &= isinstance(exponent, cst.Integer) and 0 < exponent.evaluated_value <= POWER
        elif isinstance(node.operator, DIVIDING) and self.shape.varying(node):
            self.passed &= self.narrowing.divides(node)

    def visit_AugAssign(self, node: cst.AugAssign) -> None:
        kind = AUGMENTED[type(node.operator)]
        if kind in (*DIVIDING, cst.Power):
            operation = cst.BinaryOperation(node.target, kind(), node.value)
            self.visit_BinaryOperation(operation)


class _Operations(Reader):
    """Counts arithmetic operations but for those of indexes, and notes what keeps LLVM from vectorising them."""

    def __init__(self, varying: Varying) -> None:
        super().__init__()
        self.varying = varying
        self.found = 0
        self.hindered = False

    def of(self, pieces: Sequence[Piece], intervals: Intervals) -> int:
        """The operations of pieces, those in loops as often as they are run."""
        total = 0
        for piece in pieces:
            if isinstance(piece, Around):
                inside = self.of([*piece.body, *piece.orelse], intervals)
                total += inside * (_trips(piece.node, intervals) if isinstance(piece.node, cst.For) else 1)
            elif isinstance(piece, LaneCall):
                self.hindered = True
            else:
                self.found = 0
                for statement in piece.statements if isinstance(piece, Group) else [piece]:
                    statement.visit(self)
                total += self.found
        return total

    def visit_Subscript(self, node: cst.Subscript) -> bool:
        return False

    def visit_BinaryOperation(self, node: cst.BinaryOperation) -> None:
        self.found += 1
        self.hindered |= isinstance(node.operator, DIVIDING) and self.varying(node)

    def visit_AugAssign(self, node: cst.AugAssign) -> None:
        self.found += 1
        self.hindered |= isinstance(node.operator, cst.ModuloAssign | cst.FloorDivideAssign)


def _trips(node: cst.For, intervals: Intervals) -> int:
    """How often a loop turns; more than may be unrolled where that is not constant."""
    header = range_of(node)
    assert header is not None
    limits = [intervals.of(limit) for limit in (header.start, header.stop, header.step)]
    ends = [found.low for found in limits if found is not None and found.low == found.high]
    return len(range(*ends)) if len(ends) == len(limits) and ends[2] else UNROLLED + 1
