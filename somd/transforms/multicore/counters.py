"""Names for the trips that inner loops have made, by which tables are indexed."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import libcst as cst

from somd.transforms.multicore.flow import Statements, assigned, read
from somd.transforms.multicore.names import Fresh
from somd.transforms.multicore.repeated import Loops
from somd.transforms.tree.loops import else_statements, range_of, statements_of
from somd.transforms.tree.rewriting import parsed


class Counters:
    """Names for the trips that loops have made: the variable of a loop from 0 by 1, or a counter beside the loops."""

    def __init__(self, fresh: Fresh) -> None:
        self.fresh = fresh
        self.trips: dict[Loops, str] = {}
        #: those that have a counter
        self.own: list[Loops] = []

    def block(self, statements: Statements, wanted: Collection[Loops], around: Loops = ()) -> list[cst.BaseStatement]:
        """The statements with counters for the loops that are `wanted`, and nothing else changed."""
        made: list[cst.BaseStatement] = []
        for statement in statements:
            assert isinstance(statement, cst.BaseStatement)
            if isinstance(statement, cst.If):
                body = self.block(statements_of(statement.body), wanted, around)
                orelse = self.block(else_statements(statement), wanted, around)
                rest = cst.Else(cst.IndentedBlock(orelse)) if orelse else None
                made.append(statement.with_changes(body=suite(statement.body, body), orelse=rest))
            elif isinstance(statement, cst.For):
                made += self._loop(statement, wanted, (*around, statement))
            else:
                made.append(statement)
        return made

    def _loop(self, node: cst.For, wanted: Collection[Loops], loops: Loops) -> list[cst.BaseStatement]:
        body = self.block(statements_of(node.body), wanted, loops)
        if loops in wanted and not self._counts(loops):
            self.trips[loops] = self.fresh.name(f"trip_{len(self.trips) + 1}")
            self.own.append(loops)
            body += parsed(f"{self.trips[loops]} += 1")
        made = node.with_changes(body=suite(node.body, body))
        before = [f"{self.trips[inner]} = 0" for inner in self.own if inner[0] is node and len(loops) == 1]
        return [*parsed(*before), made]

    def _counts(self, loops: Loops) -> bool:
        """Whether the variable of a loop is the number of its trip."""
        header = range_of(loops[0])
        assert header is not None
        zero = isinstance(header.start, cst.Integer) and header.start.evaluated_value == 0
        one = isinstance(header.step, cst.Integer) and header.step.evaluated_value == 1
        if len(loops) > 1 or not zero or not one or header.variable in assigned(statements_of(loops[0].body)):
            return False
        self.trips[loops] = header.variable
        return True

    def own_names(self) -> list[str]:
        """The counters that are names of their own."""
        return [self.trips[loops] for loops in self.own]

    def count(self, loops: Loops, changing: set[str]) -> str | None:
        """Text for how many trips loops make in all; None if their limits are names in `changing`."""
        factors = []
        for loop in loops:
            header = range_of(loop)
            assert header is not None
            limits = (header.start, header.stop, header.step)
            if any(not changing.isdisjoint(read(limit)) for limit in limits):
                return None
            factors.append(f"trips({', '.join(map(code, limits))})")
        return " * ".join(factors)


def code(node: cst.CSTNode) -> str:
    return cst.Module([]).code_for_node(node)


def suite(old: cst.BaseSuite, statements: Sequence[cst.BaseStatement]) -> cst.BaseSuite:
    """A suite with other statements."""
    return old.with_changes(body=statements) if isinstance(old, cst.IndentedBlock) else cst.IndentedBlock(statements)
