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

from somd.transforms.frontend.held_elements import inside_of_all
from somd.transforms.stages import Method
from somd.transforms.tree.loops import range_of, small_statements, statements_of
from somd.transforms.tree.renaming import Renamed, Replaced
from somd.transforms.tree.rewriting import MethodRewriter, code_of, parsed
from somd.transforms.types.scalars import AUGMENTED

#: the form of loops whose elements are handed on
HANDED = "handed on"


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
    rewriter = _Rewriter(method.with_form(HANDED, handed), handed)
    return replace(rewriter.rewritten(), held={**method.held, **rewriter.held})


class _Rewriter(MethodRewriter):
    def __init__(self, method: Method, handed: Mapping[cst.For, Handed]) -> None:
        super().__init__(method)
        self.handed = handed
        self.held: dict[str, str] = {}

    def leave_For(self, original_node: cst.For, updated_node: cst.For) -> cst.BaseStatement:
        found, header = self.handed.get(original_node), range_of(original_node)
        if found is None or header is None:
            return updated_node
        place = self.positions[original_node]
        array = cst.ensure_type(found.before.value, cst.Name).value
        last = self.new(f"{array}__last", array)
        self.held[last] = array
        first = parsed(f"{last} = {code_of(found.before)}")
        body = [statement for node in statements_of(original_node.body) for statement in self.parts(node, found, last)]
        loop = original_node.with_changes(body=cst.IndentedBlock(body), leading_lines=())
        self.positions[loop] = place
        unsure = [] if found.surely else [found.before]
        branch = inside_of_all(self, original_node, header, unsure, [*first, loop])
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
