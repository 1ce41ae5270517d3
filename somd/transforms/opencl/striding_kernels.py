"""A phase whose iterations have arrays in rows of global memory -> a kernel whose work-items take them in turns.

for i in range(n):        const long item = get_global_id(0);
    w = np.empty(m)       if (item >= items) return;
    ...                   __global double *w = w_rows + item * w_row;
                          for (long trip = item; trip < all_trips; trip += items) { const long i = trip; ... }

There are as many work-items as keep a device busy, so that the rows of all of them take little memory.
"""

from __future__ import annotations

from somd.transforms.emit.c import IN_ORDER, Statements
from somd.transforms.emit.c_declarations import declarations
from somd.transforms.emit.c_tree import C
from somd.transforms.emit.c_unit import Unit
from somd.transforms.loops.program import Region
from somd.transforms.opencl.arguments import Argument, Kernel, of_scope
from somd.transforms.opencl.kernels import iterating, kernel_text, own_variables, scope_of
from somd.transforms.opencl.locals import own_arrays
from somd.transforms.opencl.ranges import range_in_c
from somd.transforms.opencl.rows import rows_of
from somd.transforms.stages import Nest


def needs_rows(nest: Nest, unit: Unit) -> bool:
    """Whether an array of the iterations has no place in private memory."""
    return len(own_arrays(nest, unit.types)) < len(nest.local_arrays)


def striding_kernel_of(nest: Nest, region: Region, name: str, unit: Unit) -> Kernel:
    """The kernel of a nest without reductions whose iterations need rows."""
    scope = scope_of(nest, unit)
    declared, fresh = own_variables(region), scope.names.fresh
    write = Statements(scope, unit, declared, next_iteration="continue;")
    item, items, trip, trips = (fresh(n) for n in ("item", "items", "trip", "all_trips"))
    bounds: list[Argument] = []
    ranges = [range_in_c(number, loop, write.expressions, bounds) for number, loop in enumerate(region.loops)]
    extents = [
        Argument("extent", fresh(f"{within.variable}_trips"), number=number) for number, within in enumerate(ranges)
    ][1:]
    iterating(scope, region, ranges[0])
    write.line(f"const long {item} = (long)get_global_id(0);")
    write.line(f"if ({item} >= {items})")
    write.line("    return;")
    write.guards_end()
    lines, rows = rows_of(scope, item)
    for line in (*lines, *declarations(declared.private, scope)):
        write.line(line)
    write.lines.append(IN_ORDER)  # one row after the other
    with write.braces(f"for (long {trip} = {item}; {trip} < {trips}; {trip} += {items})"):
        rest = trip
        places: list[str] = []
        for extent in reversed(extents):
            places.insert(0, f"{rest} % {extent.text}" if rest == trip else f"({rest}) % {extent.text}")
            rest = f"{rest} / {extent.text}"
        for within, place in zip(ranges, [rest, *places], strict=True):
            number = C(place, "int64", 16 if place == trip else 13)
            write.line(f"const long {within.variable} = {within.value(number)};")
            if not within.invariant:
                write.line(f"if ({within.beyond(number)})")
                write.line("    continue;")
        if not region.relaxed and ranges[0].stop.value is None and ranges[0].step > 0:
            bounds[:] = [bound for bound in bounds if not (bound.kind == "stop" and bound.number == 0)]
        write.number(trip)
        write.block(region.body)
    found = of_scope(scope, frozenset(region.written))
    arguments = [a for a in found if a.kind == "array"] + rows
    arguments += [Argument("items", items), Argument("trips", trips), *extents, *bounds]
    arguments += [a for a in found if a.kind != "array"]
    return Kernel(name, kernel_text(name, arguments, write.finished(), scope), tuple(arguments))
