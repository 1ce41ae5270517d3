"""Tables of a region -> arrays in local memory, which each work-group fills before its iterations.

    __local double table_[2048];
    const long table_length = get_local_size(0) < 4 ? 0 : min(python_trips_long(0, n, 1), 2048L);
    spectrum_1_table_1(table_, table_length, get_local_id(0), get_local_size(0));
    barrier(CLK_LOCAL_MEM_FENCE);

The work-items of a group share the entries out; where a recurrence runs through them, the first one fills them all. A
kernel of another form than those that call `fill_tables` computes in its place what is looked up: `without_tables`.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from somd.transforms.emit.c import Statements
from somd.transforms.emit.c_declarations import declarations
from somd.transforms.emit.c_names import Names
from somd.transforms.emit.c_scope import LocalTable, Scope
from somd.transforms.emit.c_types import CTYPES
from somd.transforms.emit.declared import declared_in
from somd.transforms.loops.program import (
    Assign,
    Choice,
    Constant,
    Element,
    Expression,
    If,
    Loop,
    Region,
    Store,
    Table,
    Variable,
)
from somd.transforms.loops.rewriting import each_statement, with_bodies, with_expressions, with_operands
from somd.transforms.loops.scopes import assigned, read, set_by
from somd.transforms.loops.walking import expressions, statements_in
from somd.transforms.opencl.shared_loops import spread
from somd.transforms.types.scalars import ScalarType

#: bytes of local memory that the tables of a kernel may take: half of what every device has
MOST_LOCAL = 1 << 14
#: iterations of a group for which a table pays that all work-items fill, or one: it fills while others wait
SHARED_OUT, FILLED_BY_ONE = 4, 32


def without_tables(region: Region) -> Region:
    """The region with what its tables hold computed in its place."""
    if not region.tables:
        return region
    tables = {table.array for table in region.tables}

    def computed(node: Expression) -> Expression:
        if isinstance(node, Choice) and isinstance(node.yes, Element) and node.yes.array in tables:
            return node.no
        return with_operands(node, computed)

    body = each_statement(region.body, lambda node: with_expressions(node, computed))
    made = with_bodies(region, lambda _: body)
    assert isinstance(made, Region)
    return replace(made, tables=())


def fill_tables(region: Region, name: str, write: Statements, iterations: str = "") -> None:
    """Enter the tables into the scope of the kernel `name`, and write what fills them: all work-items of a group come
    there. `iterations` is how many the group has, if not one for each work-item."""
    if not region.tables:
        return
    scope, fresh = write.scope, write.scope.names.fresh
    entries = MOST_LOCAL // sum(np.dtype(table.type.dtype).itemsize for table in region.tables)
    lane, lanes = _place_in_group(1 if iterations else region.depth)
    for number, table in enumerate(region.tables, 1):
        made = LocalTable(fresh("table_"), fresh("table_length"), table.type)
        shared = shared_out(table) is not None
        known = table.count.value.real if isinstance(table.count, Constant) else entries
        room = int(min(known, entries))
        write.local.append(f"    __local {CTYPES[table.type.dtype]} {made.text}[{room}];")
        fewest, count = SHARED_OUT if shared else FILLED_BY_ONE, write.value(table.count).text
        most = f"{room}" if room < entries else f"min({count}, {entries}L)"
        write.line(f"const long {made.length} = {iterations or lanes} < {fewest} ? 0 : {most};")
        function, arguments = _filling(table, f"{name}_table_{number}", write)
        given = ", ".join([made.text, made.length, *([lane, lanes] if shared else []), *arguments])
        if not shared:
            write.line(f"if ({lane} == 0)")
        write.line(f"{'' if shared else '    '}{function}({given});")
        scope.tables[table.array] = made
    write.line("barrier(CLK_LOCAL_MEM_FENCE);")


def _place_in_group(depth: int) -> tuple[str, str]:
    """The number of a work-item in its group, and how many there are, as C."""
    lane, lanes = "get_local_id(0)", "get_local_size(0)"
    for k in range(1, depth):
        lane = f"{lane} + {lanes} * get_local_id({k})"
        lanes = f"{lanes} * get_local_size({k})"
    return lane, lanes


def shared_out(table: Table) -> Loop | None:
    """The loop that fills a table if its trips hand nothing on, so that they can be shared out."""
    loop = table.body[0]
    if len(table.body) != 2 or not isinstance(loop, Loop) or not isinstance(loop.step, Constant):
        return None
    own, known = assigned(loop.body), {loop.variable.name}
    for node in loop.body:
        if not isinstance(node, Assign | If | Store) or loop.variable.name in set_by(node):
            return None
        if isinstance(node, If) and any(isinstance(each, Assign | If | Loop) for each in (*node.body, *node.orelse)):
            return None
        if read(*expressions(node)) & own - known:
            return None
        known |= set_by(node)
    return loop


def _filling(table: Table, wish: str, kernel: Statements) -> tuple[str, list[str]]:
    """The function that fills a table, and the kernel's names for what it is made of."""
    unit = kernel.unit
    scope = Scope(Names(unit.taken), unit.types, kernel.scope.outer, counted=unit.counted)
    text, length, lane, lanes = (scope.names.fresh(each) for each in ("table_", "length", "lane", "lanes"))
    scope.tables[table.array] = LocalTable(text, length, table.type)
    loop = shared_out(table)
    declared = declared_in(table.body)
    write = Statements(scope, unit, declared)
    write.line(f"if ({length} <= 0)")  # perhaps there are no iterations
    write.line("    return;")
    if loop is None:
        write.block(table.body[:-1])
    else:
        spread(loop, lane, lanes, write)
    lines = [f"    {line}" for line in declarations(declared.private, scope)] + write.finished()
    [stored] = [node for node in statements_in(table.body) if isinstance(node, Store)]
    comment = f"// `{write.value(stored.value).text}`, by trips of its loop"
    parameters = [f"__local {CTYPES[table.type.dtype]} *{text}", f"long {length}"]
    parameters += [f"long {lane}", f"long {lanes}"] if loop is not None else []
    given = _given(scope, kernel.scope)
    head = f"static void {wish}({', '.join([*parameters, *(declaration for declaration, _ in given)])})"
    unit.helpers[f"fill {wish}"] = "\n".join([comment, head, "{", *lines, "}"])
    return wish, [argument for _, argument in given]


def _given(scope: Scope, kernel: Scope) -> list[tuple[str, str]]:
    """The parameters for what a function mentions, and what a kernel passes for them."""
    found = []
    for array, text in sorted(scope.arrays.items()):
        kind = CTYPES[scope.array_type(array).dtype]
        found.append((f"__global const {kind} *{text}", kernel.array(array)))
    for (array, axis), text in sorted(scope.lengths.items()):
        found.append((f"long {text}", kernel.length(array, axis).text))
    for (name, part), (text, dtype) in sorted(scope.inputs.items(), key=lambda item: item[1][0]):
        whole = Variable(name if part is None else f"{name}.{part}", ScalarType(dtype))
        found.append((f"{CTYPES[dtype]} {text}", kernel.value(whole).text))
    return found
