"""Whether strips gain: LLVM does not vectorise a loop's body as it is, and will vectorise the pieces.

The body as it is has a loop inside that hands a scalar from trip to trip, with more trips than LLVM unrolls (what it
unrolls whole it vectorises by itself). The pieces in such loops must be made of what processors do with several numbers
at once: arithmetic without 64-bit division, square roots, and elements that lie side by side for neighbouring lanes or
are the same for all of them. What stands outside inner loops runs once an iteration and may be anything.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from somd.transforms.loops.operators import OPERATORS
from somd.transforms.loops.program import (
    Assign,
    Cast,
    Choice,
    Constant,
    Element,
    Evaluate,
    Expression,
    If,
    Length,
    Loop,
    Operation,
    Statement,
    Store,
    Variable,
)
from somd.transforms.loops.scopes import set_by
from somd.transforms.loops.varying import Varying, of_lanes
from somd.transforms.loops.walking import expressions, inside, outside_indexes, reads_elements, statements_in
from somd.transforms.passes.strip_pieces import Around, Group, Piece, Uniform, groups_in_loops

#: arithmetic operations up to which inner loops are unrolled whole, as measured
UNROLLED = 80
#: exponents up to which a power is a few products
POWER = 4
#: operations of lanes that an element must serve which does not lie beside its neighbour's
OPERATIONS = 16
DIVIDING = ("//", "%")
#: what processors do with several numbers at once, beside comparisons
OF_VECTORS = frozenset(
    (
        *("+", "-", "*", "/", "&", "|", "^", "<<", ">>", "neg", "pos", "~", "min", "max", "abs", "and", "or", "not"),
        *("fma", "high product", "fermat product", "fermat remainder"),
        *("math.sqrt", "np.sqrt", "math.fabs", "np.fabs", "np.abs"),
        *("np.minimum", "np.maximum", "np.where"),
    )
)
COMPARING = frozenset(("<", "<=", ">", ">=", "==", "!="))


@dataclass(frozen=True)
class Shape:
    """How elements lie for neighbouring lanes: the loop's `variable` differs by `step` from lane to lane."""

    varying: Varying
    variable: str
    step: int

    def side_by_side(self, node: Element) -> bool:
        """Whether an element is that of the neighbouring lane's neighbour, or the same for all lanes."""
        *before, last = node.indices
        if any(map(self.varying, before)):
            return False
        return not self.varying(last) or self._next(last)

    def _next(self, index: Expression) -> bool:
        if isinstance(index, Variable):
            return index.name == self.variable and abs(self.step) == 1
        if not isinstance(index, Operation) or index.operator not in ("+", "-"):
            return False
        left, right = index.operands
        if index.operator == "+" and not self.varying(left):
            return self._next(right)
        return not self.varying(right) and self._next(left)


def carries(pieces: Sequence[Piece], kept: frozenset[str], laned: frozenset[str]) -> bool:
    """Whether an inner loop hands scalars of a lane, those `kept`, from trip to trip, or adds to an element or to an
    accumulator that is `laned`."""
    groups = groups_in_loops(pieces)
    return any(group.loaded & group.stored & kept or group.possible & laned or _accumulates(group) for group in groups)


def _accumulates(group: Group) -> bool:
    stores = (node for node in statements_in(group.statements) if isinstance(node, Store))
    return any(store.element in inside(store.value) for store in stores)


def unrolls(pieces: Sequence[Piece], varying: Varying) -> bool:
    """Whether inner loops are few operations, by constant numbers of trips, and none that is not vectorised."""
    counted = list(_operations(list(_loops(pieces)), varying))
    return sum(times for times, _ in counted) <= UNROLLED and not any(hindered for _, hindered in counted)


def _loops(pieces: Sequence[Piece]) -> Iterator[Around]:
    """The outermost loops, those under conditions too."""
    for piece in pieces:
        if isinstance(piece, Around):
            yield from (piece,) if isinstance(piece.node, Loop) else _loops((*piece.body, *piece.orelse))


def _operations(pieces: Sequence[Piece], varying: Varying) -> Iterator[tuple[int, bool]]:
    """The arithmetic operations of pieces but for those of indexes: how often each is run, and whether it is what LLVM
    does not vectorise."""
    for often, piece in _counted(pieces):
        body = piece.statements if isinstance(piece, Group) else (piece.node,)
        for node in statements_in(body):
            if of_lanes(node):
                yield often, True
            values = (node.value,) if isinstance(node, Store) else expressions(node)
            for each in (each for value in values for each in outside_indexes(value)):
                if (
                    isinstance(each, Operation)
                    and len(each.operands) == 2
                    and (each.operator in OF_VECTORS or OPERATORS[each.operator].takes == "one type")
                ):
                    yield often, each.operator in DIVIDING and varying(each)


def _counted(pieces: Sequence[Piece], times: int = 1) -> Iterator[tuple[int, Group | Uniform]]:
    """Groups and what is the same for all lanes, with how often each is run."""
    for piece in pieces:
        if isinstance(piece, Around):
            trips = _trips(piece.node) if isinstance(piece.node, Loop) else 1
            yield from _counted((*piece.body, *piece.orelse), times * trips)
        else:
            yield times, piece


def _trips(node: Loop) -> int:
    """How often a loop turns; more than may be unrolled where that is not constant."""
    limits = [limit.range for limit in (node.start, node.stop, node.step)]
    ends = [found.low for found in limits if found is not None and found.low == found.high]
    return len(range(*ends)) if len(ends) == len(limits) and ends[2] else UNROLLED + 1


def vectorises(pieces: Sequence[Piece], shape: Shape, shared: frozenset[str] = frozenset()) -> bool:
    """Whether the groups in inner loops are of what vectorises, but for some that load what does not lie side by side,
    for many operations each; what sets `shared` names is loaded for several rows at once."""
    loads = [group for group in groups_in_loops(pieces) if not all(_goes_in_lanes(each, shape) for each in group.all)]
    if not all(isinstance(node, Assign) and _loads(node.value) for group in loads for node in group.statements):
        return False
    work = sum(times for times, _ in _operations(list(_loops(pieces)), shape.varying)) if loads else 0
    alone = [(each, sum(not set_by(node) & shared for node in each.all)) for each in loads]
    taken = [times * n for times, piece in _counted(list(_loops(pieces))) for each, n in alone if piece is each]
    return OPERATIONS * sum(taken) <= work


def _goes_in_lanes(node: Statement, shape: Shape) -> bool:
    return of_lanes(node) or _vectorised(node, shape)


def _loads(node: Expression) -> bool:
    """Whether a value is an element of another type at most, of an array that has numbers which vectors hold."""
    held = node.operand if isinstance(node, Cast) else node
    return isinstance(held, Element) and held.type.kind != "c" and not any(map(reads_elements, held.indices))


def _vectorised(node: Statement, shape: Shape) -> bool:
    if not isinstance(node, Assign | Store | Evaluate | If):
        return False
    values = [*expressions(node), *([node.element] if isinstance(node, Store) else [])]
    return all(_suits(each, shape) for value in values for each in inside(value))


def _suits(node: Expression, shape: Shape) -> bool:
    """Whether an expression is of what processors do with several numbers at once, its parts left out."""
    if node.type.kind == "c":
        return False
    if isinstance(node, Element):
        return shape.side_by_side(node)
    if not isinstance(node, Operation):
        return isinstance(node, Constant | Variable | Length | Cast | Choice)
    if node.operator in DIVIDING and shape.varying(node):
        return node.type.dtype in ("uint16", "uint32")
    if node.operator in ("**", "python **"):
        exponent = node.operands[1]
        return isinstance(exponent, Constant) and exponent.value in range(1, POWER + 1)
    return node.operator in OF_VECTORS or node.operator in COMPARING or not shape.varying(node)
