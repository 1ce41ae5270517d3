"""A phase whose iterations must keep their order within parts -> a kernel with one work-item for each owner of parts.

for k in range(n): y[row[k]] += v[k]   ->   const long owner = get_global_id(0);
                                            if (owner >= owner_count) return;
                                            for (long part = owners[owner]; part < owners[owner + 1]; ++part)
                                                for (long k = ...; k < min(n, ranges[2 * part + 1]); ++k)
                                                    y[row[k]] += v[k];

It serves partitioners whose promise the phase relies on; with one owner of everything, phases that only a negative
index would make dependent; and phases in which every MI has its own copies of scalars: an owner takes them from its
slots and leaves them there.
"""

from __future__ import annotations

from somd.transforms.emit.c import IN_ORDER, Statements
from somd.transforms.emit.c_declarations import declarations
from somd.transforms.emit.c_scope import Scope
from somd.transforms.emit.c_unit import Unit
from somd.transforms.loops.program import Region
from somd.transforms.opencl.arguments import Argument, Kernel, of_scope
from somd.transforms.opencl.kernels import in_order, kernel_text, own_variables, scope_of
from somd.transforms.opencl.ranges import CRange, range_in_c
from somd.transforms.opencl.rows import rows_of
from somd.transforms.opencl.runs import Run, run_of
from somd.transforms.stages import Nest


def ordered_kernel_of(nest: Nest, region: Region, name: str, unit: Unit, by_ends: bool = False) -> Kernel:
    """The kernel of a nest that runs the parts of each owner in order; with `by_ends` an owner has one part."""
    scope = scope_of(nest, unit)
    declared = own_variables(region, 1)
    own = {**declared.private, **{each.name: each.type.dtype for each in region.handed_on}}
    statements = Statements(scope, unit, declared, next_iteration="continue;")
    bounds: list[Argument] = []
    within = range_in_c(0, region.loop, statements.expressions, bounds)
    owner, part, ranges, owners, count, ends = (
        scope.names.fresh(n) for n in ("owner", "part", "ranges", "owners", "owner_count", "ends")
    )
    statements.line(f"const long {owner} = (long)get_global_id(0);")
    statements.line(f"if ({owner} >= {count})")
    statements.line("    return;")
    statements.guards_end()
    lines, rows = rows_of(scope, owner)
    for declaration in (*lines, *declarations(own, scope)):
        statements.line(declaration)
    update = run_of(region)
    run = None if update is None else Run.of(update, statements)
    if run is not None:
        run.opened()
    slots = _slots(region, scope)
    for slot in slots:
        statements.line(f"{scope.names.of(slot.name)} = {slot.text}[{owner}];")
    low, high = f"{ends}[{owner}]", f"{ends}[{owner} + 1]"
    if not by_ends:
        low, high = f"{ranges}[2 * {part}]", f"{ranges}[2 * {part} + 1]"
        statements.lines.append(IN_ORDER)
        statements.open(f"for (long {part} = {owners}[{owner}]; {part} < {owners}[{owner} + 1]; ++{part})")
    else:
        start, stop = (scope.names.fresh(n) for n in ("part_start", "part_stop"))
        statements.line(f"const long {start} = {low};")
        statements.line(f"const long {stop} = {high};")
        low, high = start, stop
    statements.lines.append(IN_ORDER)
    with statements.braces(_loop(within, nest, low, high, from_zero=by_ends)):
        statements.number(within.trip().text)
        if run is None:
            statements.block(in_order(region, 1))
        else:
            run.update()
    if not by_ends:
        statements.close()
    if run is not None:
        run.closed()
    for slot in slots:
        statements.line(f"{slot.text}[{owner}] = {scope.names.of(slot.name)};")
    arguments = of_scope(scope, frozenset(region.written))
    arguments += [*rows, *slots, *bounds]
    parts = [Argument("ends", ends)] if by_ends else [Argument("ranges", ranges), Argument("owners", owners)]
    arguments += [*parts, Argument("owner_count", count)]
    return Kernel(name, kernel_text(name, arguments, statements.finished(), scope), tuple(arguments))


def _slots(region: Region, scope: Scope) -> list[Argument]:
    """One slot an owner for each scalar that a part hands on."""
    texts = {each.name: scope.names.fresh(f"{scope.names.of(each.name)}_partials") for each in region.handed_on}
    return [Argument("partials", texts[v.name], v.name, dtype=v.type.dtype) for v in region.handed_on]


def _loop(within: CRange, nest: Nest, low: str, high: str, from_zero: bool) -> str:
    """The head of the loop over one range: values of the dimension that lie in it, in their order; `from_zero` tells
    that no range begins below 0."""
    variable, step, start, stop = within.variable, within.step, within.start.text, within.stop.text
    if nest.copies and nest.partition is None:  # the host has cut the dimension into ranges of its own values
        return f"for (long {variable} = {low}; {variable} {'<' if step > 0 else '>'} {high}; {variable} += {step})"
    if step < 0:
        return f"for (long {variable} = {start}; {variable} > {stop}; {variable} -= {-step})"
    if from_zero and step == 1 and within.start.value == 0:
        return f"for (long {variable} = {low}; {variable} < min((long)({stop}), {high}); {variable}++)"
    first = f"{low} <= {start} ? {start} : {start} + ({low} - {start} + {step - 1}) / {step} * {step}"
    return f"for (long {variable} = {first}; {variable} < min((long)({stop}), {high}); {variable} += {step})"
