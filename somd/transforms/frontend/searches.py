"""Loops that end at the first iteration that finds something, as searches and what remains of the loop.

    for i in range(n):              i__found = i__stop = max(0, min(n, a.shape[0]))
        if a[i] < 0.0:        ->    while i__next < i__stop and i__found == i__stop:
            first = i                   for i in range(max(i__next, 0), min(i__next + i__width, n, a.shape[0])):
            break                           if a[i] < 0.0:
                                                i__found = min(i__found, i)
                                                continue
                                        i__next += i__width
                                        i__width = min(2 * i__width, 1048576)
                                    for i in range(i__found, n):
                                        if a[i] < 0.0:
                                            first = i
                                            break

Strips of iterations, ever longer ones, are searched side by side for the lowest one that would end the loop; then the
loop begins there, in order: it ends at once, or goes on where arrays may be left. So an early hit costs little, and
what the last iteration does happens once. Of a loop that steps down the trips are searched, with `n - 1 - i__trip` in
place of `i`. Only the planner knows which loops do nothing but look.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import libcst as cst

from somd.diagnostics.model import Position
from somd.transforms.analysis.slices import slice_of
from somd.transforms.stages import Method
from somd.transforms.tree.loops import Range, range_of, statements_of
from somd.transforms.tree.renaming import Renamed
from somd.transforms.tree.rewriting import MethodRewriter, code_of, parsed
from somd.transforms.tree.walking import Transformer

#: iterations in the first strip, and in the longest one
FIRST, LONGEST = 1 << 14, 1 << 20
#: the form of loops that are searched
SEARCHED = "search"


@dataclass(frozen=True)
class Search:
    """A loop that may be searched, which steps up or down by 1; `lengths` are texts of what its variable must stay
    below."""

    lengths: tuple[str, ...]
    down: bool = False


def with_searches(method: Method, searches: Mapping[cst.For, Search]) -> Method:
    """`method` with each of these loops searched before it runs."""
    rewriter = _Rewriter(method.with_form(SEARCHED, searches), searches)
    return replace(rewriter.rewritten(), searches=method.searches | rewriter.found)


class _Rewriter(MethodRewriter):
    def __init__(self, method: Method, searches: Mapping[cst.For, Search]) -> None:
        super().__init__(method)
        self.searches = searches
        self.found: set[str] = set()
        #: the names of the loop at hand
        self.names: dict[str, str] = {}

    def leave_For(
        self, original_node: cst.For, updated_node: cst.For
    ) -> cst.BaseStatement | cst.FlattenSentinel[cst.BaseStatement]:
        header = range_of(updated_node)
        if original_node not in self.searches or header is None:
            return updated_node
        place, search = self.positions[original_node], self.searches[original_node]
        if search.down:
            before = self.before_down(updated_node, header, place)
            rest = f"({code_of(header.start)}) - {self.names['found']}, {code_of(header.stop)}, -1"
        else:
            before = self.before(updated_node, header, search.lengths, place)
            rest = f"{self.names['found']}, {code_of(header.stop)}"
        rest_of = cst.parse_expression(f"range({rest})")
        left = updated_node.with_changes(iter=rest_of, leading_lines=())
        self.place(left, place)
        self.found.add(self.names["found"])
        return cst.FlattenSentinel([*before, left])

    def before_down(self, loop: cst.For, header: Range, place: Position) -> list[cst.BaseStatement]:
        """The search of a loop that steps down: of its trips, from 0 on."""
        trip = self.new(f"{header.variable}__trip", header.variable)
        value = cst.parse_expression(f"(({code_of(header.start)}) - {trip})")
        body = loop.body.visit(Renamed(self.method, {header.variable: value}, self.positions))
        trips = cst.parse_expression(f"({code_of(header.start)}) - ({code_of(header.stop)})")
        upward = loop.with_changes(target=cst.Name(trip), body=body)
        made = self.before(upward, Range(trip, cst.Integer("0"), trips, cst.Integer("1")), (), place)
        self.spelled.update(dict.fromkeys(self.names.values(), header.variable))
        return made

    def before(self, loop: cst.For, header: Range, lengths: Sequence[str], place: Position) -> list[cst.BaseStatement]:
        """The search."""
        variable = header.variable
        names = [self.new(f"{variable}__{what}", variable) for what in ("found", "stop", "next", "width")]
        found, stop, next_, width = names
        self.names = dict(zip(("found", "stop", "next", "width"), names, strict=True))
        first, limits = code_of(header.start), list(dict.fromkeys((code_of(header.stop), *lengths)))
        first = first if isinstance(header.start, cst.Integer | cst.Name) else f"({first})"
        limit = f"min({', '.join(limits)})" if len(limits) > 1 else limits[0]
        known = isinstance(header.start, cst.Integer)
        low = first if known else f"{first}, 0"
        made = parsed(
            f"{stop} = max({first}, {limit})",
            *([] if known else [f"if {first} < 0:\n    {stop} = {first}\n"]),  # indexes would count from the end
            f"{found} = {stop}",
            f"{next_} = {first}",
            f"{width} = {FIRST}",
            f"while {next_} < {stop} and {found} == {stop}:\n"
            f"    for {variable} in range(max({next_}, {low}), min({', '.join([f'{next_} + {width}', *limits])})):\n"
            f"        pass\n"
            f"    {next_} = {next_} + {width}\n"
            f"    {width} = min(2 * {width}, {LONGEST})\n",
        )
        around = cst.ensure_type(made[-1], cst.While)
        block = cst.ensure_type(around.body, cst.IndentedBlock)
        inner = cst.ensure_type(block.body[0], cst.For)
        copy = cst.ensure_type(loop.visit(Renamed(self.method, {}, self.positions)), cst.For)
        looking = cst.ensure_type(copy.visit(_Looking(variable, found)), cst.For)
        kept = slice_of(statements_of(looking.body), frozenset((found,))).statements
        inner = inner.with_changes(body=cst.IndentedBlock(kept))
        around = around.with_changes(body=block.with_changes(body=[inner, *block.body[1:]]))
        statements = [*made[:-1], around]
        statements[0] = statements[0].with_changes(leading_lines=loop.leading_lines)
        for statement in statements:
            self.place(statement, place)
        return statements


class _Looking(Transformer):
    """Notes the lowest iteration that ends the loop, in place of ending it."""

    _anew = False

    def __init__(self, variable: str, found: str) -> None:
        super().__init__()
        self.noted = f"{found} = min({found}, {variable})"
        self.depth = 0

    def visit_For(self, node: cst.For) -> None:
        self.depth += 1

    def leave_For(self, original_node: cst.For, updated_node: cst.For) -> cst.For:
        self.depth -= 1
        return updated_node

    def visit_While(self, node: cst.While) -> None:
        self.depth += 1

    def leave_While(self, original_node: cst.While, updated_node: cst.While) -> cst.While:
        self.depth -= 1
        return updated_node

    def leave_SimpleStatementLine(
        self, original_node: cst.SimpleStatementLine, updated_node: cst.SimpleStatementLine
    ) -> cst.SimpleStatementLine:
        return updated_node.with_changes(body=self.noting(updated_node.body))

    def leave_SimpleStatementSuite(
        self, original_node: cst.SimpleStatementSuite, updated_node: cst.SimpleStatementSuite
    ) -> cst.SimpleStatementSuite:
        return updated_node.with_changes(body=self.noting(updated_node.body))

    def noting(self, body: Sequence[cst.BaseSmallStatement]) -> list[cst.BaseSmallStatement]:
        made: list[cst.BaseSmallStatement] = []
        for node in body:
            if isinstance(node, cst.Return) or (isinstance(node, cst.Break) and self.depth == 1):
                [line] = parsed(self.noted)
                made += [*cst.ensure_type(line, cst.SimpleStatementLine).body, cst.Continue()]
            else:
                made.append(node)
        return made
