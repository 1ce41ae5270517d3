"""The master's statements for arrays of each iteration that lie in global memory.

w_0 = a.shape[1]
items = work_items(run, trips(0, a.shape[0], 1), w_0 * 8)
w_rows, w_row, w_step = rows(run, items, (w_0,), np.float64)
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import libcst as cst
import numpy as np

from somd.transforms.analysis.affine import shape_reference
from somd.transforms.emit.c_names import Names
from somd.transforms.opencl import host_tree as tree
from somd.transforms.opencl.arguments import Argument, Kernel
from somd.transforms.opencl.host_code import HostCode
from somd.transforms.stages import LocalArray, Nest
from somd.transforms.tree.walking import Transformer
from somd.transforms.types.scalars import ArrayType, ScalarType


def launched_with_rows(
    kernel: Kernel,
    run: str,
    trips: tuple[cst.BaseExpression, cst.BaseExpression],
    names: tuple[cst.Name, cst.Name],
    launched: cst.BaseStatement,
    otherwise: Sequence[cst.BaseStatement],
) -> list[cst.BaseStatement]:
    """A kernel `launched` whose groups keep rows, so many trips by so many, where there is room; else what is done
    `otherwise`. The names are those of the room and of how many rows a group has.

    room = run.room_for_rows("softmax_1_staged", n, m, 128, 32, ((4, x.shape[1]),))
    if room:
        group_rows = room.rows
        run.launch_groups("softmax_1_staged", tiles(n, group_rows), room.lanes, (x, ..., group_rows, room), ...)
    else:
        ...
    """
    room, rows = names
    widths = [
        tree.tuple_of([tree.integer(size), *(tree.shape(array, axis) for array, axis in axes)])
        for size, axes in kernel.staged
    ]
    numbers = [tree.integer(each) for each in (kernel.lanes, kernel.rows)]
    asked = [cst.SimpleString(f'"{kernel.name}"'), *trips, *numbers, tree.tuple_of(widths)]
    chosen = tree.call(tree.attribute(run, "room_for_rows"), *asked)
    known = tree.assign(rows, tree.attribute(room, "rows"))
    either = cst.If(room, tree.block([known, launched]), cst.Else(tree.block(otherwise)))
    return [tree.assign(room, chosen), either]


class HostRows:
    """The rows of one phase: nothing where its kernel needs none."""

    def __init__(self, nest: Nest, kernel: Kernel, code: HostCode, names: Names) -> None:
        wanted = {argument.name for argument in kernel.arguments if argument.kind == "rows"}
        self.code = code
        self.arrays = [local for local in nest.local_arrays if local.name in wanted]
        self.lengths: dict[str, list[cst.BaseExpression]] = {}
        self.assigned: list[cst.BaseStatement] = []
        for local in self.arrays:
            self.lengths[local.name] = self._lengths(local, names)
        self.names = {
            local.name: {what: names.fresh(f"{local.name}_{what}") for what in ("rows", "row", "step")}
            for local in self.arrays
        }

    def __bool__(self) -> bool:
        return bool(self.arrays)

    def _lengths(self, local: LocalArray, names: Names) -> list[cst.BaseExpression]:
        """What stands for the lengths: numbers, or names that are assigned before."""
        found: list[cst.BaseExpression] = []
        for axis, node in enumerate(self._written(local)):
            known = local.extents[axis]
            if known is not None:
                found.append(tree.integer(known))
                continue
            name = tree.name(names.fresh(f"{local.name}_{axis}"))
            self.assigned.append(tree.assign(name, node))
            found.append(name)
        return found

    def _written(self, local: LocalArray) -> list[cst.BaseExpression]:
        """The lengths as the allocation has them, for the master."""
        call = local.allocations[0]
        first, ndim = call.args[0].value, len(local.extents)
        if self.code.types.calls[call].name.endswith("_like"):
            first = cst.Attribute(first, cst.Name("shape"))
        if isinstance(first, cst.Attribute) and first.attr.value == "shape" and isinstance(first.value, cst.Name):
            array = first.value.value
            return [self.lengths[array][k] if array in self.lengths else tree.shape(array, k) for k in range(ndim)]
        parts = [element.value for element in first.elements] if isinstance(first, cst.Tuple) else [first]
        return [self._of_master(part) for part in parts]

    def _of_master(self, node: cst.BaseExpression) -> cst.BaseExpression:
        value = self.code.expression(node).visit(_Known(self.lengths))
        assert isinstance(value, cst.BaseExpression)
        found = self.code.types.nodes.get(node)
        python = isinstance(node, cst.Integer) or (isinstance(found, ScalarType) and found.dtype == "int64")
        return value if python else tree.call(tree.brought("int"), value)

    def nbytes(self) -> cst.BaseExpression:
        """The bytes that a work-item needs."""
        code, sizes = cst.Module([]).code_for_node, []
        for local in self.arrays:
            lengths = " * ".join(code(length) for length in self.lengths[local.name])
            sizes.append(f"{lengths} * {np.dtype(self._dtype(local.name)).itemsize}")
        return cst.parse_expression(" + ".join(sizes))

    def made(self, items: cst.BaseExpression) -> list[cst.BaseStatement]:
        """The buffers for so many work-items."""
        found: list[cst.BaseStatement] = []
        for local in self.arrays:
            names = [cst.Element(tree.name(text)) for text in self.names[local.name].values()]
            lengths = tree.tuple_of(self.lengths[local.name])
            dtype = tree.dtype(self._dtype(local.name))
            value = tree.call(tree.brought("rows"), tree.name(self.code.run), items, lengths, dtype)
            found.append(tree.assign(cst.Tuple(names, lpar=[], rpar=[]), value))
        return found

    def passed(self, argument: Argument) -> cst.BaseExpression | None:
        """What the master passes for an argument that has to do with rows."""
        if argument.name not in self.lengths:
            return None
        if argument.kind == "length" and argument.number is not None:
            return self.lengths[argument.name][argument.number]
        names: Mapping[str, str] = self.names[argument.name]
        return tree.name(names[argument.kind]) if argument.kind in names else None

    def _dtype(self, name: str) -> str:
        found = self.code.types.names[name]
        assert isinstance(found, ArrayType)
        return found.dtype


class _Known(Transformer):
    """Puts the lengths of other arrays of the iteration in place of `v.shape[0]`."""

    def __init__(self, lengths: Mapping[str, list[cst.BaseExpression]]) -> None:
        super().__init__()
        self.lengths = lengths

    def leave_Subscript(self, original_node: cst.Subscript, updated_node: cst.Subscript) -> cst.BaseExpression:
        reference = shape_reference(original_node)
        if reference is None or reference[0] not in self.lengths:
            return updated_node
        return self.lengths[reference[0]][reference[1]]
