"""Loops whose iterations do several things, in one loop for each of them: loop distribution.

    for i in range(m):                             for i in range(m):
        for j in range(n):                             for j in range(n):
            t[i] += a[i, j] * x[j]        ->               t[i] += a[i, j] * x[j]
        for j in range(n):                         for i in range(m):
            y[j] += a[i, j] * t[i]                     for j in range(n):
                                                           y[j] += a[i, j] * t[i]

Each statement stands in one of the loops, in as many loops inside as before; those of the same loops perhaps in another
order of these (*interchange*), where the loop goes inside, or two loops of a triangle change places:

    for i in range(n):                             for k in range(0, n - 1):
        for k in range(i):                ->           for i in range(k + 1, n):
            c[k] += a[i, k]                                c[k] += a[i, k]

Only the planner knows where this keeps
what depends on what in order, and where it lets loops be distributed: it names the loops, and the statements of each
part.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import cast

import libcst as cst

from somd.transforms.stages import Method
from somd.transforms.tree.loops import range_of, statements_of
from somd.transforms.tree.names import names_read
from somd.transforms.tree.renaming import Renamed
from somd.transforms.tree.rewriting import MethodRewriter, code_of


@dataclass(frozen=True)
class Part:
    """Statements of a loop; `order` is that of the loops around all of them, if it is another one."""

    statements: tuple[cst.CSTNode, ...]
    order: tuple[cst.For, ...] = ()


#: by loop: its parts in their order
Parts = Mapping[cst.For, Sequence[Part]]
#: the form of loops that are several ones
DISTRIBUTED = "distributed"


def with_distributed_loops(method: Method, parts: Parts) -> Method:
    """`method` with each of the loops as several ones."""
    return _Rewriter(method.with_form(DISTRIBUTED, parts), parts).rewritten()


def leaves_of(loop: cst.For) -> list[tuple[cst.CSTNode, tuple[cst.For, ...]]]:
    """The statements in a loop that are no loops, each with the loops around it, outermost first."""
    found: list[tuple[cst.CSTNode, tuple[cst.For, ...]]] = []
    for node in statements_of(loop.body):
        if isinstance(node, cst.For):
            found += [(leaf, (loop, *around)) for leaf, around in leaves_of(node)]
        else:
            found.append((node, (loop,)))
    return found


class _Rewriter(MethodRewriter):
    def __init__(self, method: Method, parts: Parts) -> None:
        super().__init__(method)
        self.parts = parts

    def visit_For(self, node: cst.For) -> bool:
        return node not in self.parts

    def leave_For(
        self, original_node: cst.For, updated_node: cst.For
    ) -> cst.BaseStatement | cst.FlattenSentinel[cst.BaseStatement]:
        parts = self.parts.get(original_node)
        if parts is None:
            return updated_node
        made = [
            self._ordered(original_node, part) if part.order else self._part(original_node, part.statements)
            for part in parts
        ]
        loops = [each for each in made if each is not None]
        first = loops[0].with_changes(leading_lines=original_node.leading_lines)
        self.positions[first] = self.positions[original_node]
        return cst.FlattenSentinel([first, *loops[1:]])

    def _part(self, loop: cst.For, part: Sequence[cst.CSTNode]) -> cst.For | None:
        """A copy of the loop with these statements alone; None where it has none of them."""
        body: list[cst.BaseStatement] = []
        for node in statements_of(loop.body):
            if isinstance(node, cst.For):
                inner = self._part(node, part)
                body += [] if inner is None else [inner]
            elif any(node is each for each in part):
                body.append(cast(cst.BaseStatement, node))
        return self._copy(loop, body) if body else None

    def _ordered(self, loop: cst.For, part: Part) -> cst.For:
        """The loops around statements in another order."""
        first = part.order[0]
        outer, inner = range_of(loop), range_of(first)
        assert outer is not None and inner is not None
        limits: dict[cst.For, str] = {}
        if outer.variable in names_read(inner.stop):
            limits[loop] = f"range({inner.variable} + 1, {code_of(outer.stop)})"
            limits[first] = f"range({code_of(inner.start)}, ({code_of(outer.stop)}) - 1)"
        made = [cast(cst.BaseStatement, each) for each in part.statements]
        for each in reversed(part.order):
            made = [self._copy(each, made, limits.get(each))]
        return cst.ensure_type(made[0], cst.For)

    def _copy(self, loop: cst.For, body: list[cst.BaseStatement], iterated: str | None = None) -> cst.For:
        """A copy of a loop with another body, and perhaps over another range."""
        if iterated is None:
            over = cast(cst.BaseExpression, loop.iter.visit(Renamed(self.method, {}, self.positions)))
        else:
            over = cst.parse_expression(iterated)
            self.place(over, self.positions[loop.iter])
        return self.loop_over(loop, over, body)
