"""How a launch may be cut for several devices: `run.split("name", dimension, lambda first, last: (...))`.

The lambda tells which rows of which array the work-items (or work-groups) from `first` to `last` touch, and write. It
is asked at a launch, so it sees what names stand for then. A kernel without one runs whole on one device.
"""

from __future__ import annotations

from collections.abc import Mapping

import libcst as cst

from somd.transforms.analysis.touched_rows import Rows, touched_rows
from somd.transforms.opencl import host_tree as tree
from somd.transforms.opencl.arguments import Kernel
from somd.transforms.stages import Nest
from somd.transforms.tree.names import names_read
from somd.transforms.tree.walking import Transformer

#: kinds of arguments whose content does not depend on the device
SIZES = ("length", "start", "stop", "trips", "extent", "tile", "block", "blocks", "dealt")
SHARED = ("array", "partials", *SIZES, "scalar", "kept")
FAULTS = ("faults", "turn")


class Blocks:
    """The cut of one nest. `limits` are names that the master does not use, for the first and the last work-item;
    `kept` those of scalars that stay on a device: asking for them would wait."""

    def __init__(self, nest: Nest, run: str, limits: tuple[str, str], kept: frozenset[str]) -> None:
        self.nest, self.run, self.kept = nest, run, kept
        self.first, self.last = limits

    def of_items(self, kernel: Kernel) -> cst.BaseStatement | None:
        """The cut of a kernel with a work-item for each iteration."""
        tested = any(argument.kind in FAULTS for argument in kernel.arguments)
        # Faults are compared by the places of iterations, which need the whole of the inner dimensions.
        for number in range(len(kernel.order))[: 1 if tested else None]:
            found = self._split(kernel, number, kernel.order.index(number), {}, ())
            if found is not None:
                return found
        return None

    def of_groups(self, kernel: Kernel, per: str, partials: tuple[str, ...] = ()) -> cst.BaseStatement | None:
        """The cut of a kernel with a work-group for `per` trips (Python text) of the outermost loop; `partials` have an
        element for each group."""
        if per == "1":
            return self._split(kernel, 0, 0, {}, partials)
        trips = {self.first: f"{self.first} * {per}", self.last: f"({self.last} + 1) * {per} - 1"}
        return self._split(kernel, 0, 0, trips, partials)

    def _split(
        self, kernel: Kernel, number: int, dimension: int, trips: Mapping[str, str], partials: tuple[str, ...]
    ) -> cst.BaseStatement | None:
        nest = self.nest
        special = nest.combined or nest.copies or nest.relaxed is not None or nest.in_order_if
        if special or any(a.kind not in (*SHARED, *FAULTS) for a in kernel.arguments):
            return None
        rows = touched_rows(nest, nest.dims[number], f"v_{self.first}", f"v_{self.last}")
        if rows is None:
            return None
        entries = [_entry(array, found, trips) for array, found in rows.items()]
        entries += [_entry(name, Rows((self.first, self.last), (self.first, self.last)), {}) for name in partials]
        table = tree.tuple_of(entries)
        if not entries or names_read(table) & self.kept:
            return None
        params = cst.Parameters([cst.Param(cst.Name(name)) for name in (self.first, self.last)])
        told = cst.Lambda(params, table, whitespace_after_lambda=cst.SimpleWhitespace(" "))
        name = cst.SimpleString(f'"{kernel.name}"')
        return tree.line(tree.call(tree.attribute(self.run, "split"), name, tree.integer(dimension), told))


def _entry(array: str, rows: Rows, trips: Mapping[str, str]) -> cst.BaseExpression:
    """`(a, (low, high))` or `(a, (low, high), (low, high))`"""
    whole = ("0", f"{array}.shape[0] - 1")
    pairs = [rows.touched or whole, *([rows.written] if rows.written else [])]
    texts = [f"({', '.join(_in_trips(text, trips) for text in pair)})" for pair in pairs]
    return cst.parse_expression(f"({array}, {', '.join(texts)})")


def _in_trips(text: str, trips: Mapping[str, str]) -> str:
    """Text over trips, in the numbers of work-groups."""
    if not trips:
        return text

    class Groups(Transformer):
        def leave_Name(self, original_node: cst.Name, updated_node: cst.Name) -> cst.BaseExpression:
            found = trips.get(original_node.value)
            return updated_node if found is None else cst.parse_expression(f"({found})")

    made = cst.parse_expression(text).visit(Groups())
    assert isinstance(made, cst.BaseExpression)
    return cst.Module([]).code_for_node(made)
