"""A function's body with one way out, at its end.

    for k in range(3):               done = False
        if w[k] > x:                 result = 0
            return k                 for k in range(3):
    return -1                            if w[k] > x:
                                             result = k
                                             done = True
                                             break
                                     if not done:
                                         result = -1
                                     -> result

Where no `return` stands in a loop, `if` and `else` are enough, and there is no `done`. Tuples that are written out in
every `return` become one name a part.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import cast

import libcst as cst

from somd.diagnostics.model import Position
from somd.transforms.stages import Method
from somd.transforms.tree.loops import else_statements, small_statements, statements_of
from somd.transforms.tree.names import new_name
from somd.transforms.tree.rewriting import Tracked, parsed
from somd.transforms.tree.walking import holds, nodes_in, nodes_of


@dataclass(frozen=True)
class Body:
    """The statements of a function without `return`, and the value that they leave; `method` knows their names.

    `own_value` tells that the value stands in the function as it was written.
    """

    method: Method
    statements: tuple[cst.BaseStatement, ...]
    value: cst.BaseExpression | None
    own_value: bool = True


def single_exit(method: Method) -> Body | None:
    """The body of `method` with one way out; None if it returns a value on some paths only, or inside a `with`."""
    body = [cast(cst.BaseStatement, s) for s in statements_of(method.function.body)]
    found = returns_in(body)
    last = body[-1] if body else None
    if not found:
        return Body(method, tuple(body), None)
    if len(found) == 1 and isinstance(last, cst.SimpleStatementLine) and tuple(last.body) == (found[0],):
        return Body(method, tuple(body[:-1]), found[0].value)
    values = [node.value for node in found if node.value is not None]
    if values and (len(values) < len(found) or not always_returns(body)):
        return None
    if any(isinstance(node, cst.With) and returns_in([node]) for node in _within(body)):
        return None
    return _Exits(method, values).body(body)


def returns_in(statements: Sequence[cst.CSTNode]) -> list[cst.Return]:
    """The `return` statements among and inside `statements`."""
    return [node for statement in statements for node in nodes_of(statement, cst.Return)]


def always_returns(statements: Sequence[cst.CSTNode]) -> bool:
    """Whether no path through `statements` comes to their end: it returns or raises before, or turns for ever."""
    for node in small_statements(statements):
        if isinstance(node, cst.Return | cst.Raise):
            return True
        if isinstance(node, cst.If) and node.orelse is not None:
            if always_returns(statements_of(node.body)) and always_returns(else_statements(node)):
                return True
        elif isinstance(node, cst.While) and _true(node.test) and not _breaks(node):
            return True
    return False


def _true(node: cst.BaseExpression) -> bool:
    return (isinstance(node, cst.Name) and node.value == "True") or (
        isinstance(node, cst.Integer) and node.value != "0"
    )


def _breaks(loop: cst.While) -> bool:
    return holds(loop.body, cst.Break)


def _within(statements: Sequence[cst.CSTNode]) -> list[cst.CSTNode]:
    return [node for s in statements for node in nodes_in(s)]


def _branches(node: cst.If) -> tuple[list[cst.BaseStatement], list[cst.BaseStatement]]:
    taken, other = statements_of(node.body), else_statements(node)
    return [cast(cst.BaseStatement, s) for s in taken], [cast(cst.BaseStatement, s) for s in other]


class _Exits:
    """Rewrites one body. `END`: a `return` stands where nothing follows; `MARK`: `done` must tell the rest;
    `LEAVE`: besides, a loop is to be left."""

    END, MARK, LEAVE = range(3)

    def __init__(self, method: Method, values: Sequence[cst.BaseExpression]) -> None:
        self.method = method
        self.tracked = Tracked(dict(method.positions))
        self.taken = set(method.local_names)
        self.done = new_name("done", self.taken)
        self.flagged = False
        counts = {len(v.elements) if isinstance(v, cst.Tuple) else 0 for v in values}
        count = counts.pop() if len(counts) == 1 else 0
        wanted = [f"result_{k}" for k in range(count)] or (["result"] if values else [])
        self.results = [new_name(name, self.taken) for name in wanted]
        self.as_tuple = count > 0

    def place_of(self, node: cst.CSTNode) -> Position:
        return self.tracked.positions.get(node) or self.method.position(self.method.function.name)

    def body(self, statements: Sequence[cst.BaseStatement]) -> Body:
        made = self.block(statements, self.END)
        first: list[cst.BaseStatement] = []
        if self.flagged:
            first = parsed(f"{self.done} = False", *(f"{name} = 0" for name in self.results))
        value: cst.BaseExpression | None = None
        if self.results:
            names = [cst.Name(name) for name in self.results]
            value = cst.Tuple([cst.Element(name) for name in names]) if self.as_tuple else names[0]
        for node in (*first, value):
            if node is not None:
                self.tracked.place(node, self.method.position(self.method.function.name))
        names_now = self.method.local_names | set(self.results) | ({self.done} if self.flagged else set())
        method = replace(self.method, positions=self.tracked.positions, local_names=frozenset(names_now))
        return Body(method, (*first, *made), value, own_value=False)

    def block(self, statements: Sequence[cst.BaseStatement], mode: int) -> list[cst.BaseStatement]:
        """The statements without `return`."""
        made: list[cst.BaseStatement] = []
        for k, node in enumerate(statements):
            rest = statements[k + 1 :]
            if not returns_in([node]):
                made.append(node)
            elif isinstance(node, cst.SimpleStatementLine):
                return [*made, *self.returned(node, mode)]
            elif isinstance(node, cst.If) and mode == self.LEAVE:
                taken, other = (self.block(branch, mode) for branch in _branches(node))
                made.append(self.branched(node, taken, other))
            elif isinstance(node, cst.If):
                return [*made, *self.alternatives(node, rest, mode)]
            else:
                made.append(self.loop(cast(cst.For | cst.While, node)))
                if mode == self.LEAVE:
                    made += self.tested(f"if {self.done}:\n    break\n", node)
                    continue
                return [*made, *self.unless_done(node, rest, mode)]
        return made

    def alternatives(self, node: cst.If, rest: Sequence[cst.BaseStatement], mode: int) -> list[cst.BaseStatement]:
        """An `if` outside of loops with what follows it: `rest` moves into the branch that goes on."""
        taken, other = _branches(node)
        if always_returns(taken):
            return [self.branched(node, self.block(taken, mode), self.block([*other, *rest], mode))]
        if always_returns(other):
            return [self.branched(node, self.block([*taken, *rest], mode), self.block(other, mode))]
        branched = self.branched(node, self.block(taken, self.MARK), self.block(other, self.MARK))
        return [branched, *self.unless_done(node, rest, mode)]

    def unless_done(self, node: cst.CSTNode, rest: Sequence[cst.BaseStatement], mode: int) -> list[cst.BaseStatement]:
        if not rest:
            return []
        [test] = self.tested(f"if not {self.done}:\n    pass\n", node)
        return [self.branched(cst.ensure_type(test, cst.If), self.block(rest, mode), [])]

    def tested(self, text: str, node: cst.CSTNode) -> list[cst.BaseStatement]:
        made = parsed(text)
        self.tracked.place(made[0], self.place_of(node))
        return made

    def returned(self, node: cst.SimpleStatementLine, mode: int) -> list[cst.BaseStatement]:
        """What a line with a `return` becomes."""
        place = self.place_of(node)
        kept = [small for small in node.body if not isinstance(small, cst.Return)]
        value = next(small.value for small in node.body if isinstance(small, cst.Return))
        made: list[cst.BaseStatement] = []
        if kept:
            kept = [small.with_changes(semicolon=cst.MaybeSentinel.DEFAULT) for small in kept]
            made.append(node.with_changes(body=kept))
        if value is not None:
            names = [cst.Name(name) for name in self.results]
            target = cst.Tuple([cst.Element(n) for n in names], lpar=[], rpar=[]) if self.as_tuple else names[0]
            made.append(cst.SimpleStatementLine([cst.Assign([cst.AssignTarget(target)], value)]))
        if mode != self.END:
            self.flagged = True
            made += parsed(f"{self.done} = True")
        if mode == self.LEAVE:
            made += parsed("break")
        for each in made:
            self.tracked.place(each, place)
        return made

    def branched(
        self, node: cst.If, taken: Sequence[cst.BaseStatement], other: Sequence[cst.BaseStatement]
    ) -> cst.BaseStatement:
        body = cst.IndentedBlock(list(taken) or parsed("pass"))
        orelse = cst.Else(cst.IndentedBlock(list(other))) if other else None
        return self.changed(node, node.with_changes(body=body, orelse=orelse))

    def loop(self, node: cst.For | cst.While) -> cst.BaseStatement:
        body = [cast(cst.BaseStatement, s) for s in statements_of(node.body)]
        self.flagged = True
        return self.changed(node, node.with_changes(body=cst.IndentedBlock(self.block(body, self.LEAVE))))

    def changed(self, node: cst.CSTNode, made: cst.BaseStatement) -> cst.BaseStatement:
        self.tracked.place(made, self.place_of(node))
        return made
