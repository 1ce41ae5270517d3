"""A name that stands for several variables one after the other, each with a type of its own, as several names.

    s = 0                           s = 0
    for i in range(n): s += 1       for i in range(n): s += 1
    count = s                  ->   count = s
    s = 0.0                         s_2 = 0.0
    for i in range(n): s += a[i]    for i in range(n): s_2 += a[i]

In: a `Method` and the names in question. Where such a name is set by a statement of a block, and not read behind the
block before it is set again, what follows in the block is about a variable of its own.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import cast

import libcst as cst

from somd.transforms.analysis.liveness import Liveness, Names
from somd.transforms.stages import Method
from somd.transforms.tree.loops import small_statements, statements_of
from somd.transforms.tree.names import annotated_places, assigned_names, names_read, target_parts
from somd.transforms.tree.rewriting import Tracked, rewritten, with_own_label
from somd.transforms.tree.walking import nodes_of


def names_apart(method: Method, names: Collection[str]) -> Method:
    """`method` with new names where one of `names` begins to stand for something else."""
    annotated = {*annotated_places(method.function.body), *method.shared}
    apart = _Apart(method, set(names) - annotated)
    body = apart.block(statements_of(method.function.body), frozenset(), frozenset(), True)
    if not apart.spelled:
        return method
    function = method.function.with_changes(body=cst.IndentedBlock(body))
    apart.positions[function] = method.position(method.function)
    return replace(
        rewritten(method, function, apart.positions),
        spelled={**method.spelled, **{new: method.spelled.get(old, old) for new, old in apart.spelled.items()}},
    )


class _Apart:
    def __init__(self, method: Method, names: set[str]) -> None:
        self.method = method
        self.names = names
        self.positions = dict(method.positions)
        self.mentions = Counter(each.value for each in nodes_of(method.function.body, cst.Name))
        #: the new names, and what each of them was called
        self.spelled: dict[str, str] = {}

    def block(
        self, statements: Sequence[cst.CSTNode], live: Names, leave: Names, outermost: bool = False
    ) -> list[cst.BaseStatement]:
        """The statements of a block; `live` is read behind it, `leave` where a jump out of it goes."""
        lines = [cast(cst.BaseStatement, statement) for statement in statements]
        for name in sorted(self.names - live - leave):
            lines = self.segments(name, lines, outermost)
        return [
            self.inside(line, Liveness().before(lines[number:], live, leave), leave)
            for number, line in enumerate(lines, 1)
        ]

    def segments(self, name: str, lines: list[cst.BaseStatement], outermost: bool) -> list[cst.BaseStatement]:
        """`lines` with a new name from each line on that sets `name`; its first value in the method keeps the name."""
        made: list[cst.BaseStatement] = []
        here = sum(each.value == name for line in lines for each in nodes_of(line, cst.Name))
        now, free = name, (outermost or here == self.mentions[name]) and name not in self.method.param_names
        for line in lines:
            mentioned = name in names_read(line) | assigned_names(line)
            before = now
            if _sets(line, name):
                now = now if free else self.fresh(name)
            free = free and not mentioned
            if now != name and mentioned:
                line = self.renamed(line, name, before, now)
            made.append(line)
        return made

    def renamed(self, line: cst.BaseStatement, name: str, before: str, now: str) -> cst.BaseStatement:
        """`line` with `now` in place of `name`; what is read to set it is still called `before`."""
        if not _sets(line, name):
            before = now
        return cast(cst.BaseStatement, line.visit(_Renamed(self.positions, name, before, now)))

    def fresh(self, name: str) -> str:
        stem, count = self.spelled.get(name, name), 2
        taken = {*self.method.local_names, *self.method.namespace, *self.spelled}
        while f"{stem}_{count}" in taken:
            count += 1
        new = f"{stem}_{count}"
        self.spelled[new] = stem
        self.names.add(new)
        return new

    def inside(self, line: cst.BaseStatement, live: Names, leave: Names) -> cst.BaseStatement:
        """A statement with the blocks in it done; `live` is read behind it."""
        made: cst.BaseStatement
        if isinstance(line, cst.If):
            made = line.with_changes(body=self.suite(line.body, live, leave))
            if isinstance(line.orelse, cst.If):
                made = made.with_changes(orelse=self.inside(line.orelse, live, leave))
            elif line.orelse is not None:
                made = made.with_changes(
                    orelse=line.orelse.with_changes(body=self.suite(line.orelse.body, live, leave))
                )
        elif isinstance(line, cst.For | cst.While):
            around = Liveness().around(line, live)
            made = line.with_changes(body=self.suite(line.body, around, around))
        elif isinstance(line, cst.With):
            made = line.with_changes(body=self.suite(line.body, live | names_read(line.items[0].item), leave))
        else:
            return line
        self.positions[made] = self.positions.get(line, self.method.position(self.method.function))
        return made

    def suite(self, body: cst.BaseSuite, live: Names, leave: Names) -> cst.BaseSuite:
        before = len(self.spelled)
        made = self.block(statements_of(body), live, leave)
        return body if len(self.spelled) == before else cst.IndentedBlock(made)


class _Renamed(Tracked):
    """Another name in place of one; as the target of an assignment a third."""

    def __init__(self, positions: dict, name: str, read: str, assigned: str) -> None:  # type: ignore[type-arg]
        super().__init__(positions)
        self.name, self.read, self.assigned = name, read, assigned
        self.targets: set[cst.Name] = set()

    def visit_AssignTarget(self, node: cst.AssignTarget) -> None:
        self.targets |= {part for part in target_parts(node.target) if isinstance(part, cst.Name)}

    def leave_Name(self, original_node: cst.Name, updated_node: cst.Name) -> cst.Name:
        if original_node.value != self.name:
            return updated_node
        return updated_node.with_changes(value=self.assigned if original_node in self.targets else self.read)

    def leave_Attribute(self, original_node: cst.Attribute, updated_node: cst.Attribute) -> cst.Attribute:
        return with_own_label(original_node, updated_node)

    def leave_Arg(self, original_node: cst.Arg, updated_node: cst.Arg) -> cst.Arg:
        return with_own_label(original_node, updated_node)


def _sets(line: cst.CSTNode, name: str) -> bool:
    """Whether a statement gives `name` a new value, whatever it was."""
    [*small] = small_statements((line,))
    return isinstance(small[0], cst.Assign) and name in assigned_names(small[0])
