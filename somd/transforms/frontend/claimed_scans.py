"""Scans of floats that `with sync(s, scan="+"):` asks for, written out in the language itself.

    with sync(s, scan="+"):       for s__lane in range(s__lanes):            what each lane of 16 trips adds
        for i in range(n):            s__own = -0.0
            s += a[i]                 for i in range(16 * s__lane, min(16 * s__lane + 16, n)):
            out[i] = s        ->          s__own += a[i]
                                      s__before[s__lane] = s__own
                                  for s__block in range(s__blocks):          what stands before each lane in its block
                                      s__own = -0.0
                                      for s__lane in range(1024 * s__block, min(1024 * s__block + 1024, s__lanes)):
                                          s__all = s__before[s__lane]
                                          s__before[s__lane] = s__own
                                          s__own = s__own + s__all
                                      s__base[s__block] = s__own
                                  for s__part in range(1):                   what stands before each block, in order
                                      s__at = s
                                      for s__block in range(s__blocks):
                                          s__all = s__base[s__block]
                                          s__base[s__block] = s__at
                                          s__at = s__at + s__all
                                      s__last[s__part] = s__at
                                  for s__lane in range(s__lanes):            the iterations
                                      ...
                                      out[i] = s__base[...] + (s__before[s__lane] + s__own)
                                  if s__blocks > 0:
                                      s = s__last[0]

One thread alone does all of it in one pass, for it knows what stands before a lane when it comes to it:

    for s__block in range(s__blocks):
        s__all = -0.0
        for s__lane in range(...):
            s__own = -0.0
            ...                               the iterations: s + (s__all + s__own) in place of s
            s__all = s__all + s__own
        s = s + s__all

All carries are folded from left to right, and the lanes depend on the number of trips alone: so there is one bit
pattern for any number of workers on any target, and what is summed up of numbers of one sign never goes back. Where a
value is set anew nothing of what stands before counts: a flag beside each value tells it. By "affine" a lane is known
from what it makes of 0 and from its slope, and runs from the value before it.

Only the planner knows which loops this may be done to.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, cast

import libcst as cst
import numpy as np

from somd.language.scanning import alone, blocks_at_once, in_strips
from somd.transforms.frontend.questions import choice
from somd.transforms.frontend.scan_iterations import Iteration
from somd.transforms.stages import Method
from somd.transforms.tree.loops import opened_statements, range_of, statements_of
from somd.transforms.tree.names import assigned_names, name_for, names_read
from somd.transforms.tree.rewriting import MethodRewriter, code_of, parsed
from somd.transforms.tree.walking import nodes_in
from somd.transforms.types.scalars import FLOAT, ArrayType, ScalarType, Type

#: trips in a lane, and lanes in a block: bits depend on both
LANE, BLOCK = 16, 1024
#: statements of an iteration up to which they are there twice, for full lanes and for the last one
SHORT = 8


@dataclass(frozen=True)
class ClaimedScan:
    """A loop that is scanned by `by`: what its iterations hand on, their slice for that, by the nodes of updates the
    factor that the old value gets, None where it is 1; and by the nodes that set a value anew its name."""

    loop: cst.For
    step: int
    by: str
    names: tuple[str, ...]
    slice: tuple[cst.BaseStatement, ...]
    updates: Mapping[cst.CSTNode, cst.BaseExpression | None]
    resets: Mapping[cst.CSTNode, str]
    #: elements in the slice that may lie outside of their arrays: there the iteration itself fails, if it counts
    failing: frozenset[cst.Subscript]
    #: whether nothing else is handed on, such that one trip may do all iterations
    single: bool


def with_claimed_scans(method: Method, claims: Mapping[cst.With, ClaimedScan], types: Mapping[Any, Type]) -> Method:
    """`method` with these blocks written out; `types` are those of names, as far as they are known."""
    rewriter = _Rewriter(method, claims, types)
    return replace(rewriter.rewritten(), namespace=rewriter.namespace, bases=method.bases | rewriter.bases)


class _Rewriter(MethodRewriter):
    def __init__(self, method: Method, claims: Mapping[cst.With, ClaimedScan], types: Mapping[Any, Type]) -> None:
        super().__init__(method)
        self.claims, self.types = claims, types
        self.namespace = dict(method.namespace)
        self.bases: set[str] = set()

    def leave_With(self, original_node: cst.With, updated_node: cst.With) -> cst.BaseStatement:
        claim = self.claims.get(original_node)
        if claim is None:
            return updated_node
        item = original_node.items[0]
        fence = cst.ensure_type(item.item, cst.Call).func
        place = next(k for k, each in enumerate(statements_of(original_node.body)) if each is claim.loop)
        around = [cast(cst.BaseStatement, each) for each in statements_of(updated_node.body)]
        body = [*around[:place], *Written(self, claim).statements(), *around[place + 1 :]]
        made = updated_node.with_changes(items=[item.with_changes(item=fence)], body=cst.IndentedBlock(body))
        self.place(made, self.positions[claim.loop])
        return made

    def choice(self, asked: Callable[[], bool], yes: list[cst.BaseStatement], no: list[cst.BaseStatement]) -> cst.If:
        return choice(asked, yes, no, self.namespace, self.taken)

    def of_numpy(self, name: str) -> str:
        return name_for(getattr(np, name), f"np_{name}", self.namespace, self.taken)


class _Carried:
    """One scalar that is handed on: the names that stand for its parts, and texts made of them."""

    def __init__(self, name: str, rewriter: _Rewriter, reset: bool) -> None:
        found, self.reset = rewriter.types.get(name, FLOAT), reset
        self.name, self.type = name, found if isinstance(found, ScalarType) else FLOAT
        words: tuple[str, ...] = ("own", "slope", "before", "slopes", "base", "all", "by", "grown")
        new = [rewriter.new(f"{name}__{word}", name) for word in words]
        self.own, self.slope, self.before, self.slopes, self.base, self.all, self.by, self.grown = new
        #: for one trip that comes by all blocks: the value before a block, and behind the last; for one thread also
        #: what a lane makes of 0 and its slope, and that of the lanes so far
        words = ("at", "last", "made", "steep", "wide")
        self.at, self.last, self.made, self.steep, self.wide = [rewriter.new(f"{name}__{word}", name) for word in words]
        #: whether the value has been set anew: so far, in the lanes before in a block, in a block; in one lane; and in
        #: the lanes before that one thread has come by
        words = ("new", "news", "renewed", "was", "passed")
        self.new, self.news, self.renewed, self.was, self.passed = [
            rewriter.new(f"{name}__{word}", name) if reset else "" for word in words
        ]
        self.strong = "" if self.type.weak else rewriter.of_numpy(self.type.dtype)

    def number(self, text: str) -> str:
        return f"{self.strong}({text})" if self.strong else text

    def element(self, array: str, index: str) -> str:
        """An element as the number that was stored there: Python's own, where it was one."""
        return f"{array}[{index}]" if self.strong else f"float({array}[{index}])"

    def chosen(self, flag: str, anew: str, else_: str) -> str:
        """`anew` where the flag tells that the value has been set anew."""
        return f"{anew} if {flag} else {else_}" if self.reset else else_

    def noted(self, *lines: str) -> str:
        """Lines on flags, where there are such."""
        return "".join(f"\n{line}" for line in lines) if self.reset else ""


class Written:
    """One block written out."""

    def __init__(self, rewriter: _Rewriter, claim: ClaimedScan) -> None:
        self.rewriter, self.claim = rewriter, claim
        self.affine = claim.by == "affine"
        self.carried = self.parts()
        spelled, words = claim.names[0], ("lanes", "full", "blocks", "lane", "block", "part")
        new = [rewriter.new(f"{spelled}__{word}", spelled) for word in words]
        self.lanes, self.full, self.blocks, self.lane, self.block, self.part = new
        #: the blocks and the lanes that the passes go over, and the place of a lane among these
        self.passed, self.lanes_passed, self.place = f"range({self.blocks})", f"range({self.lanes})", self.lane
        #: the lanes of a block
        self.in_block = f"range({self.block} * {BLOCK}, min({self.block} * {BLOCK} + {BLOCK}, {self.lanes}))"
        #: what sets names for the bounds of the loop, where they may not stand where they are wanted
        self.bounds: list[str] = []
        header = range_of(claim.loop)
        assert header is not None
        self.first, self.stop = (self.bound(*each) for each in (("first", header.start), ("stop", header.stop)))

    def statements(self) -> list[cst.BaseStatement]:
        whole = [*self.rooms(self.lanes), *self.by_many()]
        if not self.claim.single:
            return [*self.sizes(), *whole]
        in_order = self.in_one_pass()
        many = self.rewriter.choice(in_strips, self.by_strips(), whole)
        return [*self.sizes(), self.rewriter.choice(alone, in_order, [many])]

    def parts(self) -> list[_Carried]:
        claim = self.claim
        found = [_Carried(name, self.rewriter, name in claim.resets.values()) for name in claim.names]
        self.rewriter.bases.update(each.base for each in found)
        return found

    def by_strips(self) -> list[cst.BaseStatement]:
        """The same, strip by strip: the second pass over a strip finds in the cache what the first has read."""
        last = {each.name: each.last for each in self.carried}
        self.carried = self.parts()
        for each in self.carried:
            each.last = last[each.name]
        spelled = self.claim.names[0]
        turn, more, many = (self.rewriter.new(f"{spelled}__{word}", spelled) for word in ("turn", "more", "many"))
        self.passed = f"range({turn}, {more})"
        self.lanes_passed = f"range({turn} * {BLOCK}, min(({turn} + {many}) * {BLOCK}, {self.lanes}))"
        self.place = f"{self.lane} - {turn} * {BLOCK}"
        asked = name_for(blocks_at_once, blocks_at_once.__name__, self.rewriter.namespace, self.rewriter.taken)
        turns = f"while {turn} < {self.blocks}:\n    pass\n"
        [length, first, around] = parsed(f"{many} = {asked}()", f"{turn} = 0", turns)
        [before, behind] = parsed(f"{more} = min({turn} + {many}, {self.blocks})", f"{turn} = {more}")
        rooms = self.rooms(f"min({many} * {BLOCK}, {self.lanes})")
        body = cst.IndentedBlock([before, *self.by_many(), behind])
        return [length, *rooms, first, cst.ensure_type(around, cst.While).with_changes(body=body)]

    def by_many(self) -> list[cst.BaseStatement]:
        """The loops whose iterations are divided."""
        lane, blocks = self.lane, f"for {self.block} in {self.passed}:"
        totals = self.over_lanes([self.starts(), self.total_of_lane(), self.each(self.stored)])
        rest = self.over_lanes([self.each(self.taken), self.trips_of_lane()])
        folded = parsed(
            f"{blocks}\n{_in(self.starts())}\n    for {lane} in {self.in_block}:\n{_in(_in(self.each(self.within)))}"
            f"\n{_in(self.each(self.left))}\n",
            f"for {self.part} in range(1):\n{_in(self.each(self.enters))}\n    {blocks}\n"
            f"{_in(_in(self.each(self.handed_on)))}\n{_in(self.each(self.leaves))}\n",
        )
        return [totals, *folded, rest, self.behind()]

    def enters(self, each: _Carried) -> str:
        """One trip begins from the value before the loop, and leaves that behind it where it can be fetched."""
        return f"{each.at} = {each.name}"

    def leaves(self, each: _Carried) -> str:
        return f"{each.last}[{self.part}] = {each.at}"

    def behind(self) -> cst.BaseStatement:
        """The values behind the loop; where it has no iterations they stay what they are."""
        values = self.each(lambda each: f"{each.name} = {each.element(each.last, '0')}")
        return parsed(f"if {self.blocks} > 0:\n{_in(values)}\n")[0]

    def in_one_pass(self) -> list[cst.BaseStatement]:
        """One trip, which does all iterations."""
        block = self.block
        [loop] = parsed(
            f"for {self.part} in range(1):\n{_in(self.each(self.enters))}\n"
            f"    for {block} in range({self.blocks}):\n        pass\n{_in(self.each(self.leaves))}\n"
        )
        whole = [
            *self.lines(self.each(self.starts_block)),
            *self.lanes_of_one(),
            *self.lines(self.each(self.ends_block)),
        ]
        statements = cst.ensure_type(cst.ensure_type(loop, cst.For).body, cst.IndentedBlock)
        blocks = statements.body[len(self.carried)].with_changes(body=cst.IndentedBlock(whole))
        inside = [blocks if k == len(self.carried) else each for k, each in enumerate(statements.body)]
        made = loop.with_changes(body=statements.with_changes(body=inside))
        return [made, self.behind()]

    def lanes_of_one(self) -> list[cst.BaseStatement]:
        """The lanes of a block in what one thread does: full ones and the last one by themselves, if they are short."""
        if self.is_long():
            return [self.lanes_in(self.in_block, whole=False)]
        first, full = f"{self.block} * {BLOCK}", self.full
        return [
            self.lanes_in(f"range({first}, min({first} + {BLOCK}, {full}))", whole=True),
            self.lanes_in(f"range(max({first}, {full}), min({first} + {BLOCK}, {self.lanes}))", whole=False),
        ]

    def lanes_in(self, lanes: str, whole: bool) -> cst.BaseStatement:
        """Some lanes in what one thread does: their trips, by "affine" behind what a lane makes of any value."""
        totals = [self.lane_of(self.slice(), whole), *self.lines(self.each(self.begins))] if self.affine else []
        trips = self.lane_of(self.again(self.iteration()), whole)
        body = [*self.lines(self.each(self.comes_to)), *totals, trips, *self.lines(self.each(self.goes_by))]
        [made] = parsed(f"for {self.lane} in {lanes}:\n    pass\n")
        return made.with_changes(body=cst.IndentedBlock(body))

    def is_long(self) -> bool:
        return len(list(opened_statements(statements_of(self.claim.loop.body)))) > SHORT

    def trips_of_lane(self) -> cst.BaseStatement:
        """The iterations of a lane."""
        if self.is_long():
            return self.lane_of(self.again(self.iteration()))
        return self.in_lane(self.again(self.iteration()), self.again(self.iteration()))

    def comes_to(self, each: _Carried) -> str:
        """Before a lane: what stands before it in its block is known."""
        if self.affine:
            return f"{each.own} = {each.number('0.0')}\n{each.slope} = {each.number('1.0')}"
        by = each.chosen(each.passed, each.number("-0.0"), each.at)
        fresh = each.noted(f"{each.new} = False")
        return f"{each.by} = {by}\n{each.own} = {each.number('-0.0')}{fresh}"

    def begins(self, each: _Carried) -> str:
        """What a lane makes of 0 and its slope are put aside, and it begins from the value before it."""
        return (
            f"{each.made} = {each.own}\n{each.steep} = {each.slope}\n{each.own} = {each.wide} * {each.at} + {each.all}"
        )

    def goes_by(self, each: _Carried) -> str:
        """Behind a lane: it belongs to what stands before the next one."""
        if self.affine:
            return f"{each.all} = {each.steep} * {each.all} + {each.made}\n{each.wide} = {each.steep} * {each.wide}"
        value = each.chosen(each.new, each.own, f"{each.all} + {each.own}")
        return f"{each.all} = {value}{each.noted(f'{each.passed} = {each.new} or {each.passed}')}"

    def starts_block(self, each: _Carried) -> str:
        if self.affine:
            return f"{each.all} = {each.number('0.0')}\n{each.wide} = {each.number('1.0')}"
        return f"{each.all} = {each.number('-0.0')}{each.noted(f'{each.passed} = False')}"

    def ends_block(self, each: _Carried) -> str:
        by = f"{each.wide} * " if self.affine else ""
        return f"{each.at} = {each.chosen(each.passed, each.all, f'{by}{each.at} + {each.all}')}"

    def lines(self, text: str) -> list[cst.BaseStatement]:
        return parsed(*text.split("\n"))

    def each(self, text: Any) -> str:
        return "\n".join(text(each) for each in self.carried)

    def over_lanes(self, parts: Sequence[str | cst.BaseStatement]) -> cst.BaseStatement:
        body = [s for part in parts for s in (parsed(*part.split("\n")) if isinstance(part, str) else [part])]
        [made] = parsed(f"for {self.lane} in {self.lanes_passed}:\n    pass\n")
        return made.with_changes(body=cst.IndentedBlock(body))

    def bound(self, word: str, node: cst.BaseExpression) -> str:
        if not names_read(node) & assigned_names(self.claim.loop):
            return code_of(node) if isinstance(node, cst.Integer | cst.Name | cst.Call) else f"({code_of(node)})"
        name = self.rewriter.new(f"{self.claim.names[0]}__{word}", self.claim.names[0])
        self.bounds.append(f"{name} = {code_of(node)}")
        return name

    def sizes(self) -> list[cst.BaseStatement]:
        step = self.claim.step
        span = f"{self.stop} - {self.first}" if step > 0 else f"{self.first} - {self.stop}"
        made = [
            *self.bounds,
            f"{self.lanes} = (max(0, {span}) + {abs(step) * LANE - 1}) // {abs(step) * LANE}",
            f"{self.full} = max(0, {span}) // {abs(step) * LANE}",
            f"{self.blocks} = ({self.lanes} + {BLOCK - 1}) // {BLOCK}",
        ]
        empty = self.rewriter.of_numpy("empty")
        made += [f"{each.last} = {empty}(1, {self.rewriter.of_numpy(each.type.dtype)})" for each in self.carried]
        return parsed(*made)

    def rooms(self, lanes: str) -> list[cst.BaseStatement]:
        made: list[str] = []
        empty = self.rewriter.of_numpy("empty")
        for each in self.carried:
            dtype = self.rewriter.of_numpy(each.type.dtype)
            rooms = [(each.before, lanes), (each.base, self.blocks)]
            rooms += [(each.slopes, lanes), (each.grown, self.blocks)] if self.affine else []
            made += [f"{name} = {empty}({length}, {dtype})" for name, length in rooms]
            flags = [(each.news, lanes), (each.renewed, self.blocks)] if each.reset else []
            made += [f"{name} = {empty}({length}, {self.rewriter.of_numpy('bool_')})" for name, length in flags]
        return parsed(*made)

    def starts(self) -> str:
        """What a lane, or a block of lanes, begins from."""
        return "\n".join(
            f"{each.own} = {each.number('0.0')}\n{each.slope} = {each.number('1.0')}"
            if self.affine
            else f"{each.own} = {each.number('-0.0')}{each.noted(f'{each.new} = False')}"
            for each in self.carried
        )

    def stored(self, each: _Carried) -> str:
        made = f"{each.before}[{self.place}] = {each.own}{each.noted(f'{each.news}[{self.place}] = {each.new}')}"
        return f"{made}\n{each.slopes}[{self.place}] = {each.slope}" if self.affine else made

    def within(self, each: _Carried) -> str:
        """A lane of a block: what it gives is replaced by what stands before it."""
        made = f"{each.all} = {each.element(each.before, self.place)}\n{each.before}[{self.place}] = {each.own}\n"
        if not self.affine:
            here = f"{each.news}[{self.place}]"
            flags = each.noted(f"{each.was} = {here}", f"{here} = {each.new}", f"{each.new} = {each.was} or {each.new}")
            value = each.chosen(here, each.all, f"{each.own} + {each.all}")
            return f"{made}{each.own} = {value}{flags}"
        return (
            f"{made}{each.by} = {each.element(each.slopes, self.place)}\n{each.slopes}[{self.place}] = {each.slope}\n"
            f"{each.own} = {each.by} * {each.own} + {each.all}\n{each.slope} = {each.by} * {each.slope}"
        )

    def left(self, each: _Carried) -> str:
        made = f"{each.base}[{self.block}] = {each.own}{each.noted(f'{each.renewed}[{self.block}] = {each.new}')}"
        return f"{made}\n{each.grown}[{self.block}] = {each.slope}" if self.affine else made

    def handed_on(self, each: _Carried) -> str:
        """A block: what it gives is replaced by the value before it."""
        block, s = self.block, each.at
        made = f"{each.all} = {each.element(each.base, block)}\n{each.base}[{block}] = {s}\n"
        by = f"{each.element(each.grown, block)} * " if self.affine else ""
        return f"{made}{s} = {each.chosen(f'{each.renewed}[{block}]', each.all, f'{by}{s} + {each.all}')}"

    def taken(self, each: _Carried) -> str:
        """What a lane begins from when the values before it are known."""
        before, base = each.element(each.before, self.place), each.element(each.base, f"{self.lane} // {BLOCK}")
        if self.affine:
            return f"{each.own} = {each.element(each.slopes, self.place)} * {base} + {before}"
        base = each.chosen(f"{each.news}[{self.place}]", each.number("-0.0"), base)
        fresh = each.noted(f"{each.new} = False")
        return f"{each.all} = {before}\n{each.by} = {base}\n{each.own} = {each.number('-0.0')}{fresh}"

    def lane_of(self, body: list[cst.BaseStatement], whole: bool = False) -> cst.BaseStatement:
        """The loop over the trips of a lane; the last one may not be `whole`."""
        step, first, header = self.claim.step, self.first, range_of(self.claim.loop)
        assert header is not None
        place = f"{self.lane} * {LANE * abs(step)}"
        place = place if (first, step > 0) == ("0", True) else f"{first} {'+' if step > 0 else '-'} {place}"
        behind = f"{place} {'+' if step > 0 else '-'} {LANE * abs(step)}"
        end = behind if whole else f"{'min' if step > 0 else 'max'}({behind}, {self.stop})"
        by = "" if step == 1 else f", {step}"
        [made] = parsed(f"for {header.variable} in range({place}, {end}{by}):\n    pass\n")
        return made.with_changes(body=cst.IndentedBlock(body))

    def total_of_lane(self) -> cst.BaseStatement:
        """What a lane adds up to."""
        return self.in_lane(self.slice(), self.slice())

    def in_lane(self, whole: list[cst.BaseStatement], last: list[cst.BaseStatement]) -> cst.BaseStatement:
        """Statements for the trips of a lane: compilers unroll loops of a number of trips that is known."""
        [made] = parsed(f"if {self.lane} < {self.full}:\n    pass\nelse:\n    pass\n")
        orelse = cst.Else(cst.IndentedBlock([self.lane_of(last)]))
        return made.with_changes(body=cst.IndentedBlock([self.lane_of(whole, whole=True)]), orelse=orelse)

    def again(self, statements: Sequence[cst.BaseStatement]) -> list[cst.BaseStatement]:
        """Copies of statements, at their places."""
        made = [statement.deep_clone() for statement in statements]
        positions = self.rewriter.positions
        for statement, copy in zip(statements, made, strict=True):
            for before, node in zip(nodes_in(statement), nodes_in(copy), strict=True):
                if before in positions:
                    positions[node] = positions[before]
        return made

    def zero_of(self, element: cst.Subscript) -> str:
        """A number of the type of an array's elements."""
        found = self.rewriter.types.get(cst.ensure_type(element.value, cst.Name).value)
        dtype = found.dtype if isinstance(found, ArrayType) else "float64"
        return f"{self.rewriter.of_numpy('bool_' if dtype == 'bool' else dtype)}(0)"

    def flag_of(self, name: str) -> str:
        return next(each.new for each in self.carried if each.name == name)

    def slice(self) -> list[cst.BaseStatement]:
        """What the values are made of, with names of its own, and beside each update that of the slope."""
        names: dict[str, cst.BaseExpression] = {each.name: cst.Name(each.own) for each in self.carried}
        own = frozenset().union(*map(assigned_names, self.claim.slice)) - set(self.claim.names)
        names |= {name: cst.Name(self.rewriter.new(f"{name}__scan", name)) for name in sorted(own)}
        return Iteration(self, names, names, True).block(self.claim.slice)

    def iteration(self) -> list[cst.BaseStatement]:
        """The iteration, with the values before its lane."""
        own: dict[str, cst.BaseExpression] = {each.name: cst.Name(each.own) for each in self.carried}
        sums = {
            each.name: cst.parse_expression(f"({each.chosen(each.new, each.own, value)})")
            for each, value in ((each, f"{each.by} + ({each.all} + {each.own})") for each in self.carried)
        }
        return Iteration(self, own if self.affine else sums, own, False).block(statements_of(self.claim.loop.body))


def _in(text: str) -> str:
    return "\n".join(f"    {line}" for line in text.split("\n"))
