"""Scans of floats that `with sync(s, scan="+"):` asks for, written out in the language itself.

    with sync(s, scan="+"):       for s__lane in range(s__lanes):            what each lane of 16 trips adds
        for i in range(n):            s__own = -0.0
            s += a[i]                 for i in range(16 * s__lane, min(16 * s__lane + 16, n)):
            out[i] = s        ->          s__own += a[i]
                                      s__before[s__lane] = s__own
                                  for s__block in range(s__blocks):          what stands before each lane in its block
                                      s__own = -0.0
                                      for s__lane in range(256 * s__block, min(256 * s__block + 256, s__lanes)):
                                          s__all = s__before[s__lane]
                                          s__before[s__lane] = s__own
                                          s__own = s__own + s__all
                                      s__base[s__block] = s__own
                                  for s__block in range(s__blocks):          what stands before each block, in order
                                      s__all = s__base[s__block]
                                      s__base[s__block] = s
                                      s = s + s__all
                                  for s__lane in range(s__lanes):            the iterations
                                      ...
                                      out[i] = s__base[...] + (s__before[s__lane] + s__own)

All carries are folded from left to right, and the lanes depend on the number of trips alone: so there is one bit
pattern for any number of workers on any target, and what is summed up of numbers of one sign never goes back. Where a
value is set anew nothing of what stands before counts: a flag beside each value tells it. By "affine" a lane is known
from what it makes of 0 and from its slope, and runs from the value before it.

Only the planner knows which loops this may be done to.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, cast

import libcst as cst
import numpy as np

from somd.diagnostics.model import Position
from somd.transforms.frontend.held_elements import tests_inside
from somd.transforms.stages import Method
from somd.transforms.tree.loops import range_of, small_statements, statements_of
from somd.transforms.tree.names import assigned_names, name_for, names_read, new_name
from somd.transforms.tree.renaming import Renamed
from somd.transforms.tree.rewriting import Tracked, parsed, rewritten
from somd.transforms.types.scalars import FLOAT, ArrayType, ScalarType, Type

#: trips in a lane, and lanes in a block: bits depend on both
LANE, BLOCK = 16, 256


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


def with_claimed_scans(method: Method, claims: Mapping[cst.With, ClaimedScan], types: Mapping[Any, Type]) -> Method:
    """`method` with these blocks written out; `types` are those of names, as far as they are known."""
    rewriter = _Rewriter(method, claims, types)
    function = cast(cst.FunctionDef, method.function.visit(rewriter))
    return replace(
        rewritten(method, function, rewriter.positions),
        namespace=rewriter.namespace,
        spelled={**method.spelled, **rewriter.spelled},
        bases=method.bases | rewriter.bases,
    )


class _Rewriter(Tracked):
    def __init__(self, method: Method, claims: Mapping[cst.With, ClaimedScan], types: Mapping[Any, Type]) -> None:
        super().__init__(dict(method.positions))
        self.method, self.claims, self.types = method, claims, types
        self.taken = set(method.local_names)
        self.namespace = dict(method.namespace)
        self.spelled: dict[str, str] = {}
        self.bases: set[str] = set()

    def leave_With(self, original_node: cst.With, updated_node: cst.With) -> cst.BaseStatement:
        claim = self.claims.get(original_node)
        if claim is None:
            return updated_node
        item = original_node.items[0]
        fence = cst.ensure_type(item.item, cst.Call).func
        place = next(k for k, each in enumerate(statements_of(original_node.body)) if each is claim.loop)
        around = [cast(cst.BaseStatement, each) for each in statements_of(updated_node.body)]
        body = [*around[:place], *_Written(self, claim).statements(), *around[place + 1 :]]
        made = updated_node.with_changes(items=[item.with_changes(item=fence)], body=cst.IndentedBlock(body))
        self.place(made, self.positions[claim.loop])
        return made

    def new(self, wanted: str, spelled: str) -> str:
        name = new_name(wanted, self.taken)
        self.spelled[name] = spelled
        return name

    def of_numpy(self, name: str) -> str:
        return name_for(getattr(np, name), f"np_{name}", self.namespace, self.taken)


class _Carried:
    """One scalar that is handed on: the names that stand for its parts, and texts made of them."""

    def __init__(self, name: str, rewriter: _Rewriter, reset: bool) -> None:
        found, self.reset = rewriter.types.get(name, FLOAT), reset
        self.name, self.type = name, found if isinstance(found, ScalarType) else FLOAT
        words = ("own", "slope", "before", "slopes", "base", "all", "by", "grown")
        new = [rewriter.new(f"{name}__{word}", name) for word in words]
        self.own, self.slope, self.before, self.slopes, self.base, self.all, self.by, self.grown = new
        #: whether the value has been set anew: so far, in the lanes before in a block, in a block; and in one lane
        flags = (
            [rewriter.new(f"{name}__{word}", name) for word in ("new", "news", "renewed", "was")] if reset else [""] * 4
        )
        self.new, self.news, self.renewed, self.was = flags
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


class _Written:
    """One block written out."""

    def __init__(self, rewriter: _Rewriter, claim: ClaimedScan) -> None:
        self.rewriter, self.claim = rewriter, claim
        self.affine = claim.by == "affine"
        self.carried = [_Carried(name, rewriter, name in claim.resets.values()) for name in claim.names]
        spelled, words = claim.names[0], ("lanes", "full", "blocks", "lane", "block")
        new = [rewriter.new(f"{spelled}__{word}", spelled) for word in words]
        self.lanes, self.full, self.blocks, self.lane, self.block = new
        #: what sets names for the bounds of the loop, where they may not stand where they are wanted
        self.bounds: list[str] = []
        header = range_of(claim.loop)
        assert header is not None
        self.first, self.stop = (self.bound(*each) for each in (("first", header.start), ("stop", header.stop)))
        rewriter.bases.update(each.base for each in self.carried)

    def statements(self) -> list[cst.BaseStatement]:
        lane, lanes, block, blocks = self.lane, self.lanes, self.block, self.blocks
        in_block = f"range({block} * {BLOCK}, min({block} * {BLOCK} + {BLOCK}, {lanes}))"
        around = [f"for {lane} in range({lanes}):", f"for {block} in range({blocks}):", f"for {lane} in {in_block}:"]
        totals = self.over_lanes([self.starts(), self.total_of_lane(), self.each(self.stored)])
        rest = self.over_lanes([self.each(self.taken), self.lane_of(self.iteration())])
        folded = parsed(
            f"{around[1]}\n{_in(self.starts())}\n    {around[2]}\n{_in(_in(self.each(self.within)))}"
            f"\n{_in(self.each(self.left))}\n",
            f"{around[1]}\n{_in(self.each(self.handed_on))}\n",
        )
        return [*self.rooms(), totals, *folded, rest]

    def each(self, text: Any) -> str:
        return "\n".join(text(each) for each in self.carried)

    def over_lanes(self, parts: Sequence[str | cst.BaseStatement]) -> cst.BaseStatement:
        body = [s for part in parts for s in (parsed(*part.split("\n")) if isinstance(part, str) else [part])]
        [made] = parsed(f"for {self.lane} in range({self.lanes}):\n    pass\n")
        return made.with_changes(body=cst.IndentedBlock(body))

    def bound(self, word: str, node: cst.BaseExpression) -> str:
        if not names_read(node) & assigned_names(self.claim.loop):
            return _code(node) if isinstance(node, cst.Integer | cst.Name | cst.Call) else f"({_code(node)})"
        name = self.rewriter.new(f"{self.claim.names[0]}__{word}", self.claim.names[0])
        self.bounds.append(f"{name} = {_code(node)}")
        return name

    def rooms(self) -> list[cst.BaseStatement]:
        step = self.claim.step
        span = f"{self.stop} - {self.first}" if step > 0 else f"{self.first} - {self.stop}"
        made = [
            *self.bounds,
            f"{self.lanes} = (max(0, {span}) + {abs(step) * LANE - 1}) // {abs(step) * LANE}",
            f"{self.full} = max(0, {span}) // {abs(step) * LANE}",
            f"{self.blocks} = ({self.lanes} + {BLOCK - 1}) // {BLOCK}",
        ]
        empty = self.rewriter.of_numpy("empty")
        for each in self.carried:
            dtype = self.rewriter.of_numpy(each.type.dtype)
            rooms = [(each.before, self.lanes), (each.base, self.blocks)]
            rooms += [(each.slopes, self.lanes), (each.grown, self.blocks)] if self.affine else []
            made += [f"{name} = {empty}({length}, {dtype})" for name, length in rooms]
            flags = [(each.news, self.lanes), (each.renewed, self.blocks)] if each.reset else []
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
        made = f"{each.before}[{self.lane}] = {each.own}{each.noted(f'{each.news}[{self.lane}] = {each.new}')}"
        return f"{made}\n{each.slopes}[{self.lane}] = {each.slope}" if self.affine else made

    def within(self, each: _Carried) -> str:
        """A lane of a block: what it gives is replaced by what stands before it."""
        made = f"{each.all} = {each.element(each.before, self.lane)}\n{each.before}[{self.lane}] = {each.own}\n"
        if not self.affine:
            here = f"{each.news}[{self.lane}]"
            flags = each.noted(f"{each.was} = {here}", f"{here} = {each.new}", f"{each.new} = {each.was} or {each.new}")
            value = each.chosen(here, each.all, f"{each.own} + {each.all}")
            return f"{made}{each.own} = {value}{flags}"
        return (
            f"{made}{each.by} = {each.element(each.slopes, self.lane)}\n{each.slopes}[{self.lane}] = {each.slope}\n"
            f"{each.own} = {each.by} * {each.own} + {each.all}\n{each.slope} = {each.by} * {each.slope}"
        )

    def left(self, each: _Carried) -> str:
        made = f"{each.base}[{self.block}] = {each.own}{each.noted(f'{each.renewed}[{self.block}] = {each.new}')}"
        return f"{made}\n{each.grown}[{self.block}] = {each.slope}" if self.affine else made

    def handed_on(self, each: _Carried) -> str:
        """A block: what it gives is replaced by the value before it."""
        block, s = self.block, each.name
        made = f"{each.all} = {each.element(each.base, block)}\n{each.base}[{block}] = {s}\n"
        by = f"{each.element(each.grown, block)} * " if self.affine else ""
        return f"{made}{s} = {each.chosen(f'{each.renewed}[{block}]', each.all, f'{by}{s} + {each.all}')}"

    def taken(self, each: _Carried) -> str:
        """What a lane begins from when the values before it are known."""
        before, base = each.element(each.before, self.lane), each.element(each.base, f"{self.lane} // {BLOCK}")
        if self.affine:
            return f"{each.own} = {each.element(each.slopes, self.lane)} * {base} + {before}"
        base = each.chosen(f"{each.news}[{self.lane}]", each.number("-0.0"), base)
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
        """What a lane adds up to; compilers unroll loops of a number of trips that is known."""
        [made] = parsed(f"if {self.lane} < {self.full}:\n    pass\nelse:\n    pass\n")
        last = cst.Else(cst.IndentedBlock([self.lane_of(self.slice())]))
        return made.with_changes(body=cst.IndentedBlock([self.lane_of(self.slice(), whole=True)]), orelse=last)

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
        return _Updated(self, names, names, True).block(self.claim.slice)

    def iteration(self) -> list[cst.BaseStatement]:
        """The iteration, with the values before its lane."""
        own: dict[str, cst.BaseExpression] = {each.name: cst.Name(each.own) for each in self.carried}
        sums = {
            each.name: cst.parse_expression(f"({each.chosen(each.new, each.own, value)})")
            for each, value in ((each, f"{each.by} + ({each.all} + {each.own})") for each in self.carried)
        }
        return _Updated(self, own if self.affine else sums, own, False).block(statements_of(self.claim.loop.body))


class _Updated:
    """Copies of statements: updates with some names, all else with others."""

    def __init__(
        self,
        written: _Written,
        names: Mapping[str, cst.BaseExpression],
        updated: Mapping[str, cst.BaseExpression],
        sliced: bool,
    ) -> None:
        self.written, self.names, self.updated, self.sliced = written, names, {**names, **updated}, sliced
        self.updates, self.resets = written.claim.updates, written.claim.resets

    def block(self, statements: Sequence[cst.CSTNode]) -> list[cst.BaseStatement]:
        made: list[cst.BaseStatement] = []
        for node in small_statements(statements):
            if node in self.resets:
                made.append(cst.SimpleStatementLine([cast(cst.BaseSmallStatement, self.copied(node, self.updated))]))
                made += parsed(f"{self.written.flag_of(self.resets[node])} = True")
            elif node in self.updates:
                made.append(cst.SimpleStatementLine([cast(cst.BaseSmallStatement, self.copied(node, self.updated))]))
                made += self.slope(node)
            elif isinstance(node, cst.BaseSmallStatement):
                made.append(cst.SimpleStatementLine([cast(cst.BaseSmallStatement, self.copied(node, self.names))]))
            else:
                made.append(cast(cst.BaseStatement, self.opened(node)))
        return made

    def opened(self, node: cst.CSTNode) -> cst.CSTNode:
        """A statement with blocks."""
        if isinstance(node, cst.Else):
            return node.with_changes(body=cst.IndentedBlock(self.block(statements_of(node.body))))
        assert isinstance(node, cst.If | cst.For | cst.While)
        bare = node.with_changes(body=cst.SimpleStatementSuite([cst.Pass()]), orelse=None)
        made = cast(cst.If | cst.For | cst.While, self.copied(bare, self.names))
        body = cst.IndentedBlock(self.block(statements_of(node.body)))
        made = made.with_changes(body=body, orelse=None if node.orelse is None else self.opened(node.orelse))
        self.written.rewriter.positions[made] = self.written.rewriter.positions[self.written.claim.loop]
        return made

    def slope(self, node: cst.CSTNode) -> list[cst.BaseStatement]:
        factor = self.updates[node]
        if not (self.sliced and self.written.affine) or factor is None:
            return []
        [name] = assigned_names(node)
        slope = next(each.slope for each in self.written.carried if each.name == name)
        [made] = parsed(f"{slope} = 0 * {slope}")
        assign = cst.ensure_type(cst.ensure_type(made, cst.SimpleStatementLine).body[0], cst.Assign)
        product = cst.ensure_type(assign.value, cst.BinaryOperation)
        left = cast(cst.BaseExpression, self.copied(factor, self.names))
        value = product.with_changes(left=left.with_changes(lpar=[cst.LeftParen()], rpar=[cst.RightParen()]))
        return [cst.SimpleStatementLine([assign.with_changes(value=value)])]

    def copied(self, node: cst.CSTNode, names: Mapping[str, cst.BaseExpression]) -> cst.CSTNode:
        rewriter = self.written.rewriter
        failing = {each: self.written.zero_of(each) for each in self.written.claim.failing} if self.sliced else {}
        made = node.visit(_Inside(rewriter.method, names, rewriter.positions, failing))
        assert isinstance(made, cst.CSTNode)
        return made


class _Inside(Renamed):
    """Puts a number in place of elements that lie outside of their arrays."""

    def __init__(
        self,
        method: Method,
        names: Mapping[str, cst.BaseExpression],
        positions: dict[cst.CSTNode, Position],
        failing: Mapping[cst.Subscript, str],
    ) -> None:
        super().__init__(method, names, positions)
        self.failing = failing

    def leave_Subscript(self, original_node: cst.Subscript, updated_node: cst.Subscript) -> cst.BaseExpression:
        number = self.failing.get(original_node)
        if number is None:
            return updated_node
        tests = " and ".join(tests_inside(updated_node))
        return cst.parse_expression(f"({_code(updated_node)} if {tests} else {number})")


def _in(text: str) -> str:
    return "\n".join(f"    {line}" for line in text.split("\n"))


def _code(node: cst.BaseExpression) -> str:
    return " ".join(cst.Module([]).code_for_node(node).split())
