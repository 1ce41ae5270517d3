"""Elements that an iteration makes of the one that the last iteration stored, handed on in scalars.

    for i in range(1, n):                 if 1 < n:
        out[i] = out[i - 1] + a[i]    ->      out__last = out[0]
                                              for i in range(1, n):
                                                  out__last = out__last + a[i]
                                                  out[i] = out__last

So the loop is one that hands on a scalar, a scan perhaps. Where it is not sure that the first iteration reads the
element, the branch asks also whether its index is inside the array, and the loop as it was stands behind `else`. Only
the planner knows where this may be done.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import cast

import libcst as cst

from somd.transforms.frontend.held_elements import tests_inside
from somd.transforms.stages import Method
from somd.transforms.tree.loops import integer_constant, range_of, small_statements, statements_of
from somd.transforms.tree.names import new_name
from somd.transforms.tree.renaming import Renamed, Replaced
from somd.transforms.tree.rewriting import Tracked, parsed, rewritten
from somd.transforms.types.scalars import AUGMENTED


@dataclass(frozen=True)
class Handed:
    """The statement that stores an element, the reads of the one that was stored before, and whether one of them is
    `surely` come to in the first iteration; `before` is the element that this one reads."""

    store: cst.Assign | cst.AugAssign
    reads: tuple[cst.Subscript, ...]
    before: cst.Subscript
    surely: bool


def with_handed_elements(method: Method, handed: Mapping[cst.For, Handed]) -> Method:
    """`method` with these loops handing elements on in scalars."""
    rewriter = _Rewriter(method, handed)
    function = cast(cst.FunctionDef, method.function.visit(rewriter))
    return replace(
        rewritten(method, function, rewriter.positions),
        spelled={**method.spelled, **rewriter.spelled},
        held={**method.held, **rewriter.held},
        held_at=method.held_at | {(method.position(loop), HANDED) for loop in handed},
    )


#: what `Method.held_at` has for a loop whose elements are handed on
HANDED = "handed on"


def was_handed(method: Method, loop: cst.For) -> bool:
    """Whether `loop` is what such a loop became, or what was left of it."""
    return (method.position(loop), HANDED) in method.held_at


class _Rewriter(Tracked):
    def __init__(self, method: Method, handed: Mapping[cst.For, Handed]) -> None:
        super().__init__(dict(method.positions))
        self.method, self.handed = method, handed
        self.taken = set(method.local_names)
        self.spelled: dict[str, str] = {}
        self.held: dict[str, str] = {}

    def leave_For(self, original_node: cst.For, updated_node: cst.For) -> cst.BaseStatement:
        found, header = self.handed.get(original_node), range_of(original_node)
        if found is None or header is None:
            return updated_node
        place = self.positions[original_node]
        array = cst.ensure_type(found.before.value, cst.Name).value
        last = new_name(f"{array}__last", self.taken)
        self.held[last], self.spelled[last] = array, array
        step = cast(int, integer_constant(header.step, self.method))
        tests = [f"({_code(header.start)}) {'<' if step > 0 else '>'} ({_code(header.stop)})"]
        tests += [] if found.surely else tests_inside(found.before)
        otherwise = "" if found.surely else "else:\n    pass\n"
        [made] = parsed(f"if {' and '.join(tests)}:\n    pass\n{otherwise}")
        first = parsed(f"{last} = {_code(found.before)}")
        body = [statement for node in statements_of(original_node.body) for statement in self.parts(node, found, last)]
        loop = original_node.with_changes(body=cst.IndentedBlock(body), leading_lines=())
        self.positions[loop] = place
        branch = cst.ensure_type(made, cst.If).with_changes(
            body=cst.IndentedBlock([*first, loop]), leading_lines=original_node.leading_lines
        )
        if branch.orelse is not None:
            copy = cst.ensure_type(original_node.visit(Renamed(self.method, {}, self.positions)), cst.For)
            branch = branch.with_changes(orelse=cst.Else(cst.IndentedBlock([copy.with_changes(leading_lines=())])))
        self.place(branch, place)
        return branch

    def parts(self, node: cst.CSTNode, found: Handed, last: str) -> list[cst.BaseStatement]:
        """A statement of the body: where it stores the element, the scalar is set first."""
        replaced: dict[cst.CSTNode, cst.BaseExpression] = {read: cst.Name(last) for read in found.reads}
        if found.store not in small_statements([node]):
            return [cast(cst.BaseStatement, node.visit(Replaced(replaced, self.positions)))]
        made: list[cst.BaseStatement] = []
        for each in small_statements([node]):
            if each is not found.store:
                line = each.visit(Replaced(replaced, self.positions))
                made.append(cst.SimpleStatementLine([cast(cst.BaseSmallStatement, line)]))
                continue
            target = found.store.target if isinstance(found.store, cst.AugAssign) else found.store.targets[0].target
            value = cast(cst.BaseExpression, found.store.value.visit(Replaced(replaced, self.positions)))
            if isinstance(found.store, cst.AugAssign):
                old = cast(cst.BaseExpression, target.visit(Renamed(self.method, {}, self.positions)))
                operator = AUGMENTED[type(found.store.operator)]()
                enclosed = value.with_changes(lpar=[cst.LeftParen()], rpar=[cst.RightParen()])
                value = cst.BinaryOperation(old, operator, enclosed)
            [setting] = parsed(f"{last} = 0")
            assign = cst.ensure_type(cst.ensure_type(setting, cst.SimpleStatementLine).body[0], cst.Assign)
            made.append(cst.SimpleStatementLine([assign.with_changes(value=value)]))
            store = cst.Assign([cst.AssignTarget(target)], cst.Name(last))
            made.append(cst.SimpleStatementLine([store]))
        for statement in made:
            self.place(statement, self.positions[found.store])
        return made


def _code(node: cst.BaseExpression) -> str:
    return " ".join(cst.Module([]).code_for_node(node).split())
