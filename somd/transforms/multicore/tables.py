"""Tables of what no distributed iteration changes: expensive functions in inner loops, computed once by an MI.

    for i in range(lo, hi):                 power_table = f_table_1(table_length(trips(lo, hi, 1), trips(0, n, 1)))
        x = 0.0                             for i in range(lo, hi):
        for k in range(n):                      x = 0.0
            x += STEP                           for k in range(n):
            s += math.exp(x) * a[i]                 x += STEP
                                                    e = exp_table[k] if k < len(exp_table) else math.exp(x)
                                                    s += e * a[i]

In: the body of a distributed loop as the slave has it. Out: the body with look-ups, the functions that fill the tables
and their calls. What is looked up depends on the inner loop's trip alone: on names whose every assignment does (a
recurrence like that of `x` too). A table is filled by the statements of the body that its expression needs, in their
order, so it holds the same bits. It has no entries where there are few iterations, and a limited number of them: what
is not in it is computed where it stands.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import libcst as cst

from somd.transforms.multicore.counters import Counters, code
from somd.transforms.multicore.flow import (
    Statements,
    Varying,
    all_small,
    assigned,
    read,
    small_of,
    straight,
    target_names,
    targets,
)
from somd.transforms.multicore.names import Fresh
from somd.transforms.multicore.nodes import parenthesised
from somd.transforms.multicore.repeated import Facts, Finder, Place
from somd.transforms.tree.loops import else_statements, statements_of
from somd.transforms.tree.rewriting import inside, parsed, transformed_block
from somd.transforms.tree.walking import Transformer


@dataclass
class Tabled:
    """A body with look-ups, what goes before the loop, and the functions that it calls."""

    body: list[cst.BaseStatement]
    before: list[cst.BaseStatement] = field(default_factory=list)
    functions: list[cst.FunctionDef] = field(default_factory=list)
    #: the types of the names that are new in the body
    types: dict[str, str] = field(default_factory=dict)


def tables_of(body: Statements, facts: Facts, name: str, fresh: Fresh) -> Tabled | None:
    """The body with look-ups; None where nothing is worth one. `name` begins the names of the functions."""
    if not straight(body):
        return None
    finder = Finder(Varying(body, facts.seeds, facts.written), facts)
    finder.block(body, ())
    counters = Counters(fresh)
    counted = counters.block(body, {place.loops for place in finder.found})
    writer = _Writer(counted, finder.varying, facts, name, fresh)
    for place in finder.found:
        writer.table(place, counters.trips[place.loops], counters.count(place.loops, assigned(body)))
    if not writer.lookups:
        return None
    lookups = _LookUps(writer.lookups, finder.varying, fresh)
    made = transformed_block(counted, lookups)
    types = {**dict.fromkeys(counters.own_names(), "int64"), **dict.fromkeys(lookups.entries, "float64")}
    return Tabled(made, parsed(*writer.calls), writer.functions, types)


class _Writer:
    """Makes tables for expressions of a body."""

    def __init__(self, body: Statements, varying: Varying, facts: Facts, name: str, fresh: Fresh) -> None:
        self.body = body
        self.varying = varying
        self.facts = facts
        self.name = name
        self.fresh = fresh
        self.functions: list[cst.FunctionDef] = []
        self.calls: list[str] = []
        self.lookups: dict[cst.CSTNode, cst.BaseExpression] = {}
        #: by the text of a function with its names numbered: the table that it fills
        self.known: dict[str, str] = {}

    def table(self, place: Place, trip: str, count: str | None) -> None:
        """A table for an expression, or one that is there already; none where it cannot be filled before the loop."""
        length, table = self.fresh.name("length"), self.fresh.name("table")
        stored = parsed(
            f"if {trip} >= {length}:\n    return {table}\n",
            f"{table}[{trip}] = {code(place.node)}",
        )
        needed = {trip, *read(place.node)}
        body = self.needed(self.body, place.node, stored, needed)
        while not _names(body) <= needed:
            needed |= _names(body)
            body = self.needed(self.body, place.node, stored, needed)
        if count is None or not self.possible(body):
            return
        made = [*parsed(f"{table} = room({length}, np.float64)"), *body, *parsed(f"return {table}")]
        key = _numbered(made, assigned(body))
        if key not in self.known:
            number = len(self.functions) + 1
            self.known[key] = self.fresh.name(f"table_{number}")
            arguments = [name for name in self.facts.arguments if name in needed - assigned(body)]
            function_name = self.fresh.name(f"{self.name}_table_{number}")
            self.functions.append(_function(function_name, [length, *arguments], made, place))
            given = ", ".join([f"table_length({self.facts.iterations}, {count})", *arguments])
            self.calls.append(f"{self.known[key]} = {function_name}({given})")
        name = self.known[key]
        lookup = f"{name}[{trip}] if {trip} < len({name}) else {code(place.node)}"
        self.lookups[place.node] = cst.parse_expression(lookup)

    def needed(
        self, statements: Statements, node: cst.CSTNode, stored: list[cst.BaseStatement], names: set[str]
    ) -> list[cst.BaseStatement]:
        """The statements that assign `names`, with `stored` before the one that evaluates `node`."""
        made: list[cst.BaseStatement] = []
        for statement in statements:
            assert isinstance(statement, cst.BaseStatement)
            if isinstance(statement, cst.If):
                if inside(node, [statement.test]):
                    made += stored
                body = self.needed(statements_of(statement.body), node, stored, names)
                orelse = self.needed(else_statements(statement), node, stored, names)
                if self.varying(statement.test):
                    made += [*body, *orelse]  # nothing but what is stored: all that is assigned here varies
                elif body or orelse:
                    rest = cst.Else(cst.IndentedBlock(orelse)) if orelse else None
                    made.append(statement.with_changes(body=cst.IndentedBlock(body or parsed("pass")), orelse=rest))
            elif isinstance(statement, cst.For):
                body = self.needed(statements_of(statement.body), node, stored, names)
                if body:
                    made.append(statement.with_changes(body=cst.IndentedBlock(body)))
            else:
                made += stored if inside(node, [statement]) else []
                if any(not names.isdisjoint(target_names(small)) for small in small_of(statement)):
                    made.append(statement)
        return made

    def possible(self, body: Statements) -> bool:
        """Whether statements may be run before the loop: they store no elements, and read none that may be outside."""
        own = {self.fresh.name("table")}
        read_arrays = _names(body) & self.facts.arrays
        stores = [t for small in all_small(body) for t in targets(small) if not isinstance(t, cst.Name)]
        foreign = [t for t in stores if not own & read(t)]
        return not foreign and (self.facts.reading or not read_arrays)


class _LookUps(Transformer):
    """Puts look-ups in place of expressions: as values of names of their own, but for what a test asks."""

    def __init__(self, lookups: Mapping[cst.CSTNode, cst.BaseExpression], varying: Varying, fresh: Fresh) -> None:
        super().__init__()
        self.lookups = lookups
        self.varying = varying
        self.fresh = fresh
        self.before: list[cst.BaseStatement] = []
        self.entries: list[str] = []

    def on_leave(self, original_node: cst.CSTNode, updated_node: cst.CSTNode) -> cst.CSTNode:  # type: ignore[override]
        made = self.lookups.get(original_node)
        if made is None:
            return super().on_leave(original_node, updated_node)  # type: ignore[return-value]
        if not self.in_line:
            return parenthesised(made)
        self.entries.append(self.fresh.name(f"entry_{len(self.entries) + 1}"))
        name = cst.Name(self.entries[-1])
        self.before.append(cst.SimpleStatementLine([cst.Assign([cst.AssignTarget(name)], made)]))
        return name

    def visit_SimpleStatementLine(self, node: cst.SimpleStatementLine) -> None:
        only = node.body[0]
        whole = isinstance(only, cst.Assign) and only.value in self.lookups
        self.in_line = not whole or not self.varying.names.isdisjoint(target_names(only))

    def leave_SimpleStatementLine(
        self, original_node: cst.SimpleStatementLine, updated_node: cst.SimpleStatementLine
    ) -> cst.BaseStatement | cst.FlattenSentinel[cst.BaseStatement]:
        only = updated_node.body[0]
        if not self.in_line and isinstance(only, cst.Assign):  # a name that is the same for all iterations, too
            return updated_node.with_changes(body=[only.with_changes(value=only.value.with_changes(lpar=[], rpar=[]))])
        before, self.before, self.in_line = self.before, [], False
        return cst.FlattenSentinel([*before, updated_node]) if before else updated_node

    in_line = False


def _function(name: str, parameters: Sequence[str], body: Sequence[cst.BaseStatement], place: Place) -> cst.FunctionDef:
    text = f"@slave\ndef {name}({', '.join(parameters)}):\n    pass\n"
    comment = cst.EmptyLine(comment=cst.Comment(f"# `{code(place.node)}`, by trips of its loop"))
    return cst.ensure_type(cst.parse_statement(text), cst.FunctionDef).with_changes(
        body=cst.IndentedBlock(list(body)), leading_lines=[cst.EmptyLine(), cst.EmptyLine(), comment]
    )


def _names(statements: Statements) -> set[str]:
    """The names whose values statements need."""
    return {name for statement in statements for name in read(statement)}


def _numbered(body: Sequence[cst.BaseStatement], names: set[str]) -> str:
    """The text of statements with `names` numbered in the order in which they come."""
    numbers: dict[str, str] = {}

    def number(found: re.Match[str]) -> str:
        return numbers.setdefault(found[0], f"#{len(numbers)}") if found[0] in names else found[0]

    return re.sub(r"\w+", number, "".join(code(statement) for statement in body))
