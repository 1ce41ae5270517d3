"""Elements that a loop reads before it changes them, read from a copy: array renaming.

    for i in range(m):                              b__old = b.copy()
        for j in range(n):                          for i in range(m):
            for k in range(i + 1, m):       ->          for j in range(n):
                b[i, j] += a[k, i] * b[k, j]                for k in range(i + 1, m):
                                                                b[i, j] += a[k, i] * b__old[k, j]

Only the planner knows where this is so, and where it lets loops be distributed: it names the loops and the reads.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import libcst as cst

from somd.transforms.stages import Method
from somd.transforms.tree.rewriting import MethodRewriter, parsed

#: by loop: the reads of elements that no earlier iteration, nor the same one, stores
OldValues = Mapping[cst.For, Sequence[cst.Subscript]]
#: the form of loops that read from copies
RENAMED = "renamed"


def with_old_values(method: Method, old: OldValues) -> Method:
    """`method` with copies in front of the loops, from which these elements are read."""
    return _Rewriter(method.with_form(RENAMED, old), old).rewritten()


class _Rewriter(MethodRewriter):
    def __init__(self, method: Method, old: OldValues) -> None:
        super().__init__(method)
        self.old = old
        #: of the loops around: the copy of each array, and the reads from it
        self.inside: list[tuple[dict[str, str], Sequence[cst.Subscript]]] = []

    def visit_For(self, node: cst.For) -> None:
        reads = self.old.get(node, ())
        names: dict[str, str] = {}
        for read in reads:
            array = cst.ensure_type(read.value, cst.Name).value
            if array not in names:
                names[array] = self.new(f"{array}__old", array)
        self.inside.append((names, reads))

    def leave_Subscript(self, original_node: cst.Subscript, updated_node: cst.Subscript) -> cst.BaseExpression:
        for names, reads in self.inside:
            if any(original_node is each for each in reads):
                array = cst.ensure_type(original_node.value, cst.Name).value
                name = cst.Name(names[array])
                self.positions[name] = self.positions[original_node]
                return updated_node.with_changes(value=name)
        return updated_node

    def leave_For(
        self, original_node: cst.For, updated_node: cst.For
    ) -> cst.BaseStatement | cst.FlattenSentinel[cst.BaseStatement]:
        names, _ = self.inside.pop()
        if not names:
            return updated_node
        copies = parsed(*(f"{copy} = {array}.copy()\n" for array, copy in names.items()))
        for each in copies:
            self.place(each, self.positions[original_node])
        self.positions[updated_node] = self.positions[original_node]
        return cst.FlattenSentinel([*copies, updated_node])
