"""Arrays of each iteration that have no place in private memory: rows of a buffer in global memory, one a work-item.

    for i in range(len(a)):        __global double *w = w_rows + item * w_row;
        w = np.empty(n)            ...
        w[k] = a[i]                w[k * w_step] = a[i];

Row and step come from the host: on a GPU neighbouring work-items have neighbouring elements, elsewhere a row is one run
of memory. A work-item has its row for one iteration after the other.
"""

from __future__ import annotations

from somd.transforms.emit.c_scope import Scope
from somd.transforms.emit.c_types import CTYPES
from somd.transforms.opencl.arguments import Argument


def rows_of(scope: Scope, item: str) -> tuple[list[str], list[Argument]]:
    """The lines that declare the arrays of the work-item with the number `item`, and the arguments that they need."""
    lines: list[str] = []
    arguments: list[Argument] = []
    for name, step in scope.apart.items():
        array, kind = scope.names.of(name), scope.array_type(name)
        rows, row = (scope.names.fresh(f"{array}_{what}") for what in ("rows", "row"))
        arguments.append(Argument("rows", rows, name, dtype=kind.dtype))
        arguments += [Argument("row", row, name), Argument("step", step, name)]
        lines.append(f"__global {CTYPES[kind.dtype]} *{array} = {rows} + {item} * {row};")
    return lines, arguments
