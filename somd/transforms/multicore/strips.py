"""A distributed loop in strips: so many iterations side by side, each statement for all of them before the next.

    for i in range(lo, hi):                 for base in range(lo, hi, 256):
        x = a[i]                                count = min(256, trips(base, hi, 1))
        for k in range(n):                      for lane in range(count):
            x = x * x + c[k]                        i = base + lane
        b[i] = x                                    x = a[i]
                                                    x_lanes[lane] = x
                                                for k in range(n):
                                                    for lane in range(count):
                                                        x = x_lanes[lane]
                                                        x = x * x + c[k]
                                                        x_lanes[lane] = x
                                                for lane in range(count):
                                                    i = base + lane
                                                    x = x_lanes[lane]
                                                    b[i] = x

A scalar that lives from one group of statements to the next has a place for each lane. LLVM does not vectorise the loop
on the left, whose innermost loop is a chain; it does those on the right. Iterations are independent, and within one the
order stays, so the results are the same bits.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import libcst as cst
import numpy as np

from somd.transforms.emit.python_text import numpy_name
from somd.transforms.multicore.flow import Statements, Varying, assigned, constant_types, straight
from somd.transforms.multicore.intervals import WORD, Interval, Intervals, of_dtype
from somd.transforms.multicore.lane_functions import LaneFunctions
from somd.transforms.multicore.names import Fresh
from somd.transforms.multicore.narrowing import Narrowing, word_bits
from somd.transforms.multicore.pieces import Around, Group, LaneCall, Piece, note_needs, pieces_of
from somd.transforms.multicore.vectorised import Shape, carries, unrolls, vectorises
from somd.transforms.tree.loops import else_statements, statements_of
from somd.transforms.tree.rewriting import parsed
from somd.transforms.types.scalars import REALS

#: bytes that the lanes of a strip may take: well inside the first cache
ROOM = 1 << 14
LONGEST, SHORTEST = 1024, 64
#: what elements of an array are taken for, where that is asked of them at run time
SHORT = Interval(0, 0xFFFF)


@dataclass(frozen=True)
class Loop:
    """A distributed loop and what is known of the names in its body.

    `scalars` and `arrays` give dtypes, `constants` the values of captured numbers; `written` are the arrays it writes,
    `private` the scalars that an iteration sets before it reads them, `carried` those that are accumulated.
    """

    variable: str
    step: int
    limits: tuple[str, str]
    scalars: Mapping[str, str]
    arrays: Mapping[str, str]
    written: frozenset[str]
    private: frozenset[str]
    carried: frozenset[str]
    constants: Mapping[str, object]
    #: the length of strips, where it is given, as text
    length: str | None = None
    #: whether elements of arrays may be looked at before the loop
    assuming: bool = True


@dataclass(frozen=True)
class Strips:
    """The loop over strips, the statements that make the arrays of lanes, and what it takes elements of arrays for."""

    loop: cst.BaseStatement
    lanes: tuple[cst.BaseStatement, ...]
    assumed: Mapping[str, Interval]


def strips_of(
    loop: Loop, body: Sequence[cst.BaseStatement], head: Sequence[cst.BaseStatement], fresh: Fresh
) -> Strips | None:
    """The loop around `body` in strips, `head` being what stands at its top; None where the body is not understood, or
    would not gain."""
    if not straight(body) or not assigned(body) <= loop.private | loop.carried:
        return None
    seeds = {loop.variable, fresh.name("lane"), *loop.carried}
    numbers = {**constant_types(loop.constants), **loop.scalars}
    functions = LaneFunctions(Varying(body, seeds, loop.written), numbers, loop.arrays, fresh)
    body = functions.block(body)
    new = dict.fromkeys(functions.new, "float64")
    loop = replace(loop, scalars={**loop.scalars, **new}, private=loop.private | frozenset(new))
    varying = Varying(body, seeds, loop.written)
    pieces = pieces_of(body, varying)
    if pieces is None:
        return None
    note_needs(pieces, set())
    private = varying.names & assigned(body) & loop.private
    if not carries(pieces, private):
        return None
    shape = Shape(varying, {loop.variable: loop.step, fresh.name("lane"): 1})
    assumptions = [{}, _assumable(loop, body, varying)] if loop.assuming else [{}]
    for assumed in assumptions:
        narrowing = _narrowing(loop, body, private, assumed)
        if unrolls(pieces, shape, narrowing.intervals):
            return None
        if vectorises(pieces, shape, narrowing):
            return _Writer(loop, head, private, narrowing, fresh).strips(pieces, assumed)
    return None


def _assumable(loop: Loop, body: Statements, varying: Varying) -> dict[str, Interval]:
    """The arrays of integers whose elements may be looked at before the loop: those that it only reads, anywhere."""
    kinds = {name: of_dtype(dtype) for name, dtype in loop.arrays.items() if name not in loop.written}
    wide = {name for name, kind in kinds.items() if kind is not None and not kind.within(SHORT)}
    return {name: SHORT for name in sorted(wide) if not varying.indexes(body, name)}


def _narrowing(loop: Loop, body: Statements, private: set[str], assumed: Mapping[str, Interval]) -> Narrowing:
    intervals = Intervals(loop.scalars, loop.arrays, loop.constants, assumed)
    intervals.learn(body, set(loop.carried))
    integers = [name for name in private if loop.scalars.get(name) == "int64"]
    words = {name: word_bits(intervals.names[name]) for name in integers if intervals.names[name].within(WORD)}
    return Narrowing(intervals, words, loop.arrays)


class _Writer:
    """Writes the loops over lanes."""

    def __init__(
        self, loop: Loop, head: Sequence[cst.BaseStatement], private: set[str], narrowing: Narrowing, fresh: Fresh
    ) -> None:
        self.loop = loop
        self.head = head
        self.private = private
        self.narrowing = narrowing
        self.fresh = fresh
        self.lane, self.base, self.count = map(fresh.name, ("lane", "base", "count"))
        #: the names with a place for each lane, and their types there
        self.dtypes: dict[str, str] = {}

    def strips(self, pieces: Sequence[Piece], assumed: Mapping[str, Interval]) -> Strips | None:
        body = self.block(pieces)
        if any(dtype not in REALS for dtype in self.dtypes.values()):
            return None
        length = self.loop.length or str(self._length())
        (start, stop), step = self.loop.limits, self.loop.step
        stride = length if step == 1 else f"{length} * {step}"
        made = parsed(
            f"for {self.base} in range({start}, {stop}, {stride}):\n"
            f"    {self.count} = min({length}, trips({self.base}, {stop}, {step}))\n"
        )[0]
        outer = cst.ensure_type(made, cst.For)
        block = cst.ensure_type(outer.body, cst.IndentedBlock)
        outer = outer.with_changes(body=block.with_changes(body=[*block.body, *body]))
        lanes = parsed(
            *(f"{self._lanes(n)} = lane_array({length}, np.{numpy_name(d)})" for n, d in sorted(self.dtypes.items()))
        )
        return Strips(outer, tuple(lanes), assumed)

    def _length(self) -> int:
        bytes_a_lane = sum(np.dtype(dtype).itemsize for dtype in self.dtypes.values())
        length = LONGEST
        while length > SHORTEST and length * bytes_a_lane > ROOM:
            length //= 2
        return length

    def block(self, pieces: Sequence[Piece]) -> list[cst.BaseStatement]:
        found: list[cst.BaseStatement] = []
        for piece in pieces:
            if isinstance(piece, Group):
                found.append(self.group(piece))
            elif isinstance(piece, Around):
                found.append(self.around(piece))
            elif isinstance(piece, LaneCall):
                found += parsed(f"{piece.function}({self._lanes(piece.name)}, {self.count})")
            else:
                found.append(piece)
        return found

    def around(self, piece: Around) -> cst.BaseStatement:
        node = piece.node.with_changes(body=_suite(piece.node.body, self.block(piece.body) or parsed("pass")))
        if isinstance(node, cst.If) and piece.orelse:
            return node.with_changes(orelse=cst.Else(cst.IndentedBlock(self.block(piece.orelse))))
        return node

    def group(self, group: Group) -> cst.BaseStatement:
        """The loop over the lanes that runs a group."""
        loaded, stored = group.loaded & self.private, group.stored & self.private
        head = parsed(*(f"{name} = {self._lanes(name)}[{self.lane}]" for name in sorted(loaded)))
        tail = parsed(*(f"{self._lanes(name)}[{self.lane}] = {name}" for name in sorted(stored)))
        body = [self.narrowed(statement) for statement in group.statements]
        if self.loop.variable in group.exposed:
            step = "" if self.loop.step == 1 else f" * {self.loop.step}"
            head = [*parsed(f"{self.loop.variable} = {self.base} + {self.lane}{step}"), *self.head, *head]
        header = cst.ensure_type(parsed(f"for {self.lane} in range({self.count}):\n    pass\n")[0], cst.For)
        return header.with_changes(body=cst.IndentedBlock([*head, *body, *tail]))

    def _lanes(self, name: str) -> str:
        if name not in self.dtypes:
            bits = self.narrowing.words.get(name)
            self.dtypes[name] = f"uint{bits}" if bits else self.loop.scalars.get(name, "")
        return self.fresh.name(f"{name}_lanes")

    def narrowed(self, statement: cst.BaseStatement) -> cst.BaseStatement:
        if isinstance(statement, cst.SimpleStatementLine):
            body = [
                self.narrowing.assigned(small) if isinstance(small, cst.Assign | cst.AugAssign) else small
                for small in statement.body
            ]
            return statement.with_changes(body=body)
        assert isinstance(statement, cst.If)
        inner = [self.narrowed(s) for s in _block(statements_of(statement.body))]
        node = statement.with_changes(test=self.narrowing.wide(statement.test), body=_suite(statement.body, inner))
        if statement.orelse is None:
            return node
        other = [self.narrowed(s) for s in _block(else_statements(statement))]
        return node.with_changes(orelse=cst.Else(cst.IndentedBlock(other)))


def _suite(old: cst.BaseSuite, statements: Sequence[cst.BaseStatement]) -> cst.BaseSuite:
    """A suite with other statements, and the comments of the old one."""
    return old.with_changes(body=statements) if isinstance(old, cst.IndentedBlock) else cst.IndentedBlock(statements)


def _block(statements: Statements) -> list[cst.BaseStatement]:
    return [s for s in statements if isinstance(s, cst.BaseStatement)]
