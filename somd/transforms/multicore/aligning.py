"""Inner loops from where vectors begin in memory.

    for i in range(k + 1, n):              middle = aligned_from(a[j], k + 1, n)
        a[j, i] += f * a[k, i]             for i in range(k + 1, middle):
                                               a[j, i] += f * a[k, i]
                                           for i in range(middle, n):
                                               a[j, i] += f * a[k, i]

In: the body of a slave. Out: the same with loops cut in two that write element after element of a row, from a place
that differs from turn to turn, as in triangular loops. Of vectors that begin anywhere half straddle two cache lines,
and take two accesses. The order of iterations stays.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

import libcst as cst

from somd.transforms.multicore.flow import assigned, targets
from somd.transforms.multicore.names import Fresh
from somd.transforms.tree.loops import range_of
from somd.transforms.tree.names import names_read
from somd.transforms.tree.rewriting import parsed, transformed_block
from somd.transforms.tree.walking import Transformer

#: types whose elements are as long as a vector, or a part of it
FLOATS = frozenset(("float32", "float64"))


def aligned(
    body: Sequence[cst.BaseStatement], arrays: Mapping[str, str], ranges: Collection[str], fresh: Fresh
) -> list[cst.BaseStatement]:
    """The statements with such loops cut; `arrays` gives dtypes, `ranges` are the names that tell an MI its share."""
    return transformed_block(body, _Aligning(arrays, frozenset(ranges), fresh))


class _Aligning(Transformer):
    def __init__(self, arrays: Mapping[str, str], ranges: frozenset[str], fresh: Fresh) -> None:
        super().__init__()
        self.arrays = arrays
        self.ranges = ranges
        self.fresh = fresh
        self.depth = 0

    def visit_For(self, node: cst.For) -> None:
        self.depth += 1

    def leave_For(
        self, original_node: cst.For, updated_node: cst.For
    ) -> cst.For | cst.FlattenSentinel[cst.BaseStatement]:
        self.depth -= 1
        header = range_of(original_node)
        if not self.depth or header is None or original_node.orelse is not None or not _by_one(header.step):
            return updated_node
        row = self.row(original_node, header.variable)
        start = header.start
        fixed = names_read(header.start) | names_read(header.stop)
        varies = isinstance(start, cst.Name | cst.BinaryOperation) and self.ranges.isdisjoint(fixed)
        if row is None or not varies or not fixed.isdisjoint(assigned(original_node.body.body)):
            return updated_node
        code = cst.Module([]).code_for_node
        middle = self.fresh.name("middle")
        text = f"{middle} = aligned_from({row}, {code(header.start)}, {code(header.stop)})"
        first, second = (
            updated_node.with_changes(iter=cst.parse_expression(f"range({limits})"), leading_lines=[])
            for limits in (f"{code(header.start)}, {middle}", f"{middle}, {code(header.stop)}")
        )
        (begin,) = parsed(text)
        begin = begin.with_changes(leading_lines=updated_node.leading_lines)
        return cst.FlattenSentinel([begin, first, second])

    def row(self, loop: cst.For, variable: str) -> str | None:
        """The row that a loop writes element after element, as text; None where it does more than assignments."""
        statements = loop.body.body
        if not all(isinstance(s, cst.SimpleStatementLine) for s in statements):
            return None
        changed = assigned(statements) | {variable}
        for statement in statements:
            for small in cst.ensure_type(statement, cst.SimpleStatementLine).body:
                for target in targets(small):
                    row = self.row_of(target, variable, changed)
                    if row is not None:
                        return row
        return None

    def row_of(self, target: cst.BaseExpression, variable: str, changed: Collection[str]) -> str | None:
        if not isinstance(target, cst.Subscript) or not isinstance(target.value, cst.Name):
            return None
        indexes = [e.slice.value for e in target.slice if isinstance(e.slice, cst.Index)]
        last = indexes[-1] if len(indexes) == len(target.slice) else None
        if (
            self.arrays.get(target.value.value) not in FLOATS
            or not isinstance(last, cst.Name)
            or last.value != variable
        ):
            return None
        if any(not names_read(index).isdisjoint(changed) for index in indexes[:-1]):
            return None
        code = cst.Module([]).code_for_node
        others = ", ".join(code(index) for index in indexes[:-1])
        return f"{target.value.value}[{others}]" if others else target.value.value


def _by_one(step: cst.BaseExpression) -> bool:
    return isinstance(step, cst.Integer) and step.evaluated_value == 1
