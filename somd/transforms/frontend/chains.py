"""Loops with a chain, as three loops for each strip of iterations: what it is made of, the chain, and the rest.

    for i in range(n):                  s__at = 0
        s = s * 0.5 + f(x[i])   ->      while s__at < n:
        out[i] = s                          for i in range(max(s__at, 0), min(s__at + 196608, n)):
                                                s__term[i - s__at] = f(x[i])
                                            for s__k in range(min(196608, n - s__at)):
                                                s__value[s__k] = s
                                                s = s * 0.5 + s__term[s__k]
                                            s__value[min(196608, n - s__at)] = s
                                            for i in range(max(s__at, 0), min(s__at + 196608, n)):
                                                s__now = s__value[i - s__at + 1]
                                                out[i] = s__now
                                            s__at = s__at + 196608

The chain does what the loop did, in its order, with its types; one that adds up is run from guesses
(`guessed_chains.py`), on cores in a pipeline: one phase has the rest of the last strip and the terms and blocks of this
one. Only the planner knows where this may be done.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, cast

import libcst as cst
import numpy as np

from somd.language.scanning import alone, in_strips
from somd.transforms.analysis.slices import slice_of
from somd.transforms.frontend.guessed_chains import Guessed, step_of
from somd.transforms.frontend.questions import choice
from somd.transforms.stages import Method
from somd.transforms.tree.loops import Range, range_of, statements_of
from somd.transforms.tree.names import assigned_names, name_for, names_read
from somd.transforms.tree.renaming import Renamed
from somd.transforms.tree.rewriting import MethodRewriter, code_of, parsed
from somd.transforms.types.scalars import FLOAT, ScalarType, Type

#: iterations in a strip: what the chain is made of stays in the cache. 2, 3, 4, 6, 8, 12, 16 and 24 threads have whole
#: pairs of blocks of it each, so that each finds in its own cache what it has stored before
STRIP = 3 << 16
#: those of them in the first strip of a chain that is run from guesses
FIRST = STRIP >> 3
#: the form of loops that are taken apart
CHAINED = "chain"


@dataclass(frozen=True)
class Chain:
    """The scalar that a loop hands on, the statement that does it, and the parts of it that do not wait."""

    name: str
    update: cst.CSTNode
    terms: tuple[cst.BaseExpression, ...]
    #: whether one thread takes less time for the loop as it is
    alone: bool = False
    #: whether all it does is to add up
    sums: bool = False


def with_chains(
    method: Method, chains: Mapping[cst.For, Chain], types: Mapping[Any, Type], pipelined: bool = False
) -> Method:
    """`method` with these loops taken apart; `types` are those of names and expressions, as far as they are known.
    Strips of chains that are run from guesses may be `pipelined`."""
    rewriter = _Rewriter(method.with_form(CHAINED, chains), chains, types, pipelined)
    return replace(
        rewriter.rewritten(),
        namespace=rewriter.namespace,
        chained=method.chained | rewriter.rooms,
        within=method.within | rewriter.within,
    )


class _Rewriter(MethodRewriter):
    def __init__(
        self, method: Method, chains: Mapping[cst.For, Chain], types: Mapping[Any, Type], pipelined: bool
    ) -> None:
        super().__init__(method)
        self.chains, self.types, self.pipelined = chains, types, pipelined
        self.namespace = dict(method.namespace)
        self.rooms: set[str] = set()
        self.within: set[str] = set()

    def leave_For(
        self, original_node: cst.For, updated_node: cst.For
    ) -> cst.BaseStatement | cst.FlattenSentinel[cst.BaseStatement]:
        header = range_of(original_node)
        if original_node not in self.chains or header is None:
            return updated_node
        chain = self.chains[original_node]
        made = _Apart(self, original_node, chain, header).statements()
        if chain.alone:
            made = [self.choice(alone, [updated_node.with_changes(leading_lines=())], made)]
        made[0] = made[0].with_changes(leading_lines=original_node.leading_lines)
        for statement in made:
            self.place(statement, self.positions[original_node])
        return cst.FlattenSentinel(made)

    def choice(self, asked: Callable[[], bool], yes: list[cst.BaseStatement], no: list[cst.BaseStatement]) -> cst.If:
        return choice(asked, yes, no, self.namespace, self.taken)

    def type_of(self, key: object) -> ScalarType:
        found = self.types.get(key, FLOAT)
        return found if isinstance(found, ScalarType) else FLOAT


class _Apart:
    """One loop taken apart."""

    def __init__(self, rewriter: _Rewriter, loop: cst.For, chain: Chain, header: Range) -> None:
        self.rewriter, self.loop, self.chain, self.header = rewriter, loop, chain, header
        s = chain.name
        self.at, self.k, self.value, self.now = (rewriter.new(f"{s}__{w}", s) for w in ("at", "k", "value", "now"))
        self.terms = [rewriter.new(f"{s}__term", s) for _ in chain.terms]
        rewriter.rooms.update(self.terms)
        self.guessed = self.from_guesses()
        rewriter.within.update(() if self.guessed is None else [self.guessed.names["which"]])

    def from_guesses(self) -> Guessed | None:
        """How the chain is run from guesses, if it is one of sums."""
        kind, [term, *more] = self.rewriter.type_of(self.chain.name), self.chain.terms
        given = self.type_of(term)
        step = step_of(self.chain.update, self.chain.name, term, kind, given)
        if step is None or more:
            return None
        return Guessed(
            (self.chain.name, self.terms[0], self.value),
            step,
            kind,
            lambda word: self.rewriter.new(f"{self.chain.name}__{word}", self.chain.name),
            lambda text: text if kind.weak else f"{self.of_numpy(kind.dtype)}({text})",
            lambda element: self.taken_from(element, kind),
            lambda element: self.taken_from(element, given),
        )

    def statements(self) -> list[cst.BaseStatement]:
        s, at, value, first = self.chain.name, self.at, self.value, f"({code_of(self.header.start)})"
        stop = f"({code_of(self.header.stop)})"
        count, i = f"min({STRIP}, {stop} - {at})", self.header.variable
        strip = f"for {i} in range(max({at}, {first}), min({at} + {STRIP}, {stop})):\n        pass\n"
        rooms = [
            self.room(name, STRIP, self.type_of(term)) for name, term in zip(self.terms, self.chain.terms, strict=True)
        ]
        if self.guessed is not None:
            return self.in_guessed_strips(self.guessed, rooms, count, strip)
        rooms.append(self.room(value, STRIP + 1, self.rewriter.type_of(s)))
        made = parsed(
            *rooms,
            f"{at} = {first}",
            f"while {at} < {stop}:\n"
            f"    {strip}"
            f"    for {self.k} in range({count}):\n        {value}[{self.k}] = {s}\n"
            f"    {value}[{count}] = {s}\n"
            f"    {strip}"
            f"    {at} = {at} + {STRIP}\n",
        )
        around = cst.ensure_type(made[-1], cst.While)
        block = cst.ensure_type(around.body, cst.IndentedBlock)
        before, chain, last, rest, step = block.body
        body = [self.filled(before, self.before()), self.filled(chain, self.links(chain)), last]
        body += [self.filled(rest, self.rest()), step]
        made[-1] = around.with_changes(body=block.with_changes(body=body))
        return made

    def in_guessed_strips(self, guessed: Guessed, rooms: list[str], count: str, strip: str) -> list[cst.BaseStatement]:
        """Strips whose chain is run from guesses."""
        kind, stop = self.rewriter.type_of(self.chain.name), f"({code_of(self.header.stop)})"
        rooms.append(self.room(self.value, STRIP, kind))
        rooms += guessed.rooms(
            lambda name, length: self.room(name, length, kind),
            lambda name, length: self.room(name, length, ScalarType("int64")),
            STRIP,
        )
        first, rest, blocks = parsed(strip, strip, guessed.blocks(STRIP))
        apart, rest = [self.filled(first, self.before()), blocks], self.filled(rest, self.rest())
        if not self.rewriter.pipelined:
            rest = self.in_strips([self.rest_by_blocks(guessed, self.at, stop)], [rest])
            return [*parsed(*rooms), *self.turns(guessed, count, apart, [rest])]
        last = self.rest_by_blocks(guessed, f"({self.at} - {STRIP})", stop)
        through = [*self.turns(guessed, count, [self.pipeline(guessed, stop)], []), last]
        return [*parsed(*rooms), self.in_strips(through, self.turns(guessed, count, apart, [rest]))]

    def turns(
        self, guessed: Guessed, count: str, made: list[cst.BaseStatement], rest: list[cst.BaseStatement]
    ) -> list[cst.BaseStatement]:
        """A loop over the strips, with what is done before and behind their chains. The first, of which nothing can be
        guessed, is run in order: it is short, as it begins before the loop does."""
        at, begin, stop = self.at, f"({code_of(self.header.start)})", f"({code_of(self.header.stop)})"
        before, behind = guessed.before(count, STRIP), guessed.behind(count, f"{begin} - {at}", STRIP)
        body = [*parsed(*before), *made, *parsed(*behind), *rest, *parsed(f"{at} = {at} + {STRIP}")]
        [begun, around] = parsed(
            f"{at} = {begin} - {STRIP - FIRST} if {begin} >= 0 else {begin}",  # which never wraps
            f"while max({at}, {begin}) < {stop}:\n    pass\n",
        )
        return [begun, cst.ensure_type(around, cst.While).with_changes(body=cst.IndentedBlock(body))]

    def in_strips(self, yes: Sequence[cst.BaseStatement], no: Sequence[cst.BaseStatement]) -> cst.If:
        return self.rewriter.choice(in_strips, [*yes], [*no])

    def rest_by_blocks(self, guessed: Guessed, at: str, stop: str) -> cst.BaseStatement:
        """The rest of the strip at `at`, by parts of blocks: what one begins with is at hand, so trips make vectors."""
        first = f"({code_of(self.header.start)})"
        [made] = parsed(guessed.over_blocks(self.header.variable, at, first, stop, STRIP))
        return _with_loops(made, iter([self.rest_in_blocks(at)]))

    def pipeline(self, guessed: Guessed, stop: str) -> cst.BaseStatement:
        """The rest of the last strip, and the terms and blocks of this one."""
        first = f"({code_of(self.header.start)})"
        [made] = parsed(guessed.in_pipeline(self.header.variable, self.at, first, stop, STRIP))
        return _with_loops(made, iter([self.rest_in_blocks(f"({self.at} - {STRIP})"), self.before()]))

    def filled(self, loop: cst.BaseStatement, body: list[cst.BaseStatement]) -> cst.BaseStatement:
        return loop.with_changes(body=cst.IndentedBlock(body))

    def room(self, name: str, length: int, kind: ScalarType) -> str:
        empty, dtype = self.of_numpy("empty"), self.of_numpy("bool_" if kind.dtype == "bool" else kind.dtype)
        return f"{name} = {empty}({length}, {dtype})"

    def of_numpy(self, name: str) -> str:
        return name_for(getattr(np, name), f"np_{name}", self.rewriter.namespace, self.rewriter.taken)

    def type_of(self, node: cst.BaseExpression) -> ScalarType:
        return self.rewriter.type_of(node)

    def taken_from(self, element: str, kind: ScalarType) -> str:
        """An element as the number that was stored there: Python's own, where it was one."""
        word = {"f": "float", "i": "int", "b": "bool"}.get(kind.kind, "") if kind.weak else ""
        return f"{word}({element})" if word else element

    def copied(self, node: cst.CSTNode, names: Mapping[str, cst.BaseExpression] | None = None) -> cst.CSTNode:
        made = node.visit(Renamed(self.rewriter.method, names or {}, self.rewriter.positions))
        assert isinstance(made, cst.CSTNode)
        return made

    def before(self) -> list[cst.BaseStatement]:
        """What the terms need, and the terms."""
        body = statements_of(self.loop.body)
        needed = frozenset[str]().union(*(names_read(term) for term in self.chain.terms)) & assigned_names(
            self.loop.body
        )
        kept = slice_of(body, needed).statements if needed else ()
        made = [cast(cst.BaseStatement, self.copied(each)) for each in kept]
        place = f"{self.header.variable} - {self.at}"
        for name, term in zip(self.terms, self.chain.terms, strict=True):
            [line] = parsed(f"{name}[{place}] = 0")
            assign = cst.ensure_type(cst.ensure_type(line, cst.SimpleStatementLine).body[0], cst.Assign)
            value = cast(cst.BaseExpression, self.copied(term))
            made.append(cst.SimpleStatementLine([assign.with_changes(value=value)]))
        return made

    def links(self, loop: cst.BaseStatement) -> list[cst.BaseStatement]:
        """The chain: the value before each link is kept."""
        pairs = zip(self.terms, self.chain.terms, strict=True)
        elements = {
            term: cst.parse_expression(self.taken_from(f"{name}[{self.k}]", self.type_of(term))) for name, term in pairs
        }
        update = _replaced(self.chain.update, elements)
        kept = statements_of(cst.ensure_type(loop, cst.For).body)
        line = cst.SimpleStatementLine([cast(cst.BaseSmallStatement, self.copied(update))])
        return [*cast(tuple[cst.BaseStatement, ...], kept), line]

    def rest(self) -> list[cst.BaseStatement]:
        """The iteration with the values that the chain left."""
        kind, place = self.rewriter.type_of(self.chain.name), f"{self.header.variable} - {self.at}"
        if self.guessed is not None:
            return self.rest_from(place, *self.guessed.value(place))
        found = [f"{self.now} = {self.taken_from(f'{self.value}[{place}{more}]', kind)}" for more in ("", " + 1")]
        return self.rest_with(found)

    def rest_in_blocks(self, at: str) -> list[cst.BaseStatement]:
        """The iteration where what a part of a block begins with is at hand, in the strip at `at`."""
        place = f"{self.header.variable} - {at}"
        assert self.guessed is not None
        return self.rest_from(place, self.guessed.value_in_block(place))

    def rest_from(self, place: str, *value: str) -> list[cst.BaseStatement]:
        """The iteration at a place of a strip: what `value` ends with is the sum before it."""
        guessed, kind = self.guessed, self.rewriter.type_of(self.chain.name)
        assert guessed is not None
        step = guessed.step.format(self.now, guessed.term(f"{self.terms[0]}[{place}]"))
        return self.rest_with([*value[:-1], f"{self.now} = {self.taken_from(value[-1], kind)}", f"{self.now} = {step}"])

    def rest_with(self, found: list[str]) -> list[cst.BaseStatement]:
        """The iteration behind what finds the value before it; the last line of `found` is its update."""
        *made, behind = parsed(*found)
        names = {self.chain.name: cst.Name(self.now)}
        for statement in statements_of(self.loop.body):
            if isinstance(statement, cst.SimpleStatementLine) and any(e is self.chain.update for e in statement.body):
                for each in statement.body:
                    line = cst.SimpleStatementLine([each])
                    made.append(
                        behind if each is self.chain.update else cast(cst.BaseStatement, self.copied(line, names))
                    )
                continue
            made.append(cast(cst.BaseStatement, self.copied(statement, names)))
        return made


def _with_loops(loop: cst.BaseStatement, bodies: Iterator[list[cst.BaseStatement]]) -> cst.BaseStatement:
    """`loop` with these bodies in the loops of it that have none, one after the other."""
    if not isinstance(loop, cst.For):
        return loop
    body = cst.ensure_type(loop.body, cst.IndentedBlock).body
    if isinstance(body[0], cst.SimpleStatementLine) and isinstance(body[0].body[0], cst.Pass):
        return loop.with_changes(body=cst.IndentedBlock(next(bodies)))
    return loop.with_changes(body=cst.IndentedBlock([_with_loops(each, bodies) for each in body]))


def _replaced(node: cst.CSTNode, elements: Mapping[cst.BaseExpression, cst.BaseExpression]) -> cst.CSTNode:
    """`node` with other expressions in place of some, which are told by their nodes."""
    if node in elements:
        return elements[cast(cst.BaseExpression, node)]
    changes: dict[str, object] = {}
    for part in fields(node):
        value = getattr(node, part.name)
        if isinstance(value, cst.CSTNode):
            made: object = _replaced(value, elements)
        elif isinstance(value, tuple | list):
            made = [_replaced(each, elements) if isinstance(each, cst.CSTNode) else each for each in value]
            made = value if all(new is old for new, old in zip(made, value, strict=True)) else made
        else:
            continue
        changes |= {} if made is value else {part.name: made}
    return node.with_changes(**changes) if changes else node
