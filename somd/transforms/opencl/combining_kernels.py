"""A phase that updates arrays in private copies -> a kernel with one work-item a logical block, and one that combines.

for i in range(n): h[a[i]] += w[i]   ->   const long block = get_global_id(0);
                                          if (block >= blocks) return;
                                          __global double *h = h_copies + block * h_row;
                                          for (long trip = ...; trip < ...; trip++) h[a[i]] += w[i];

                                     ->   h[element] = h[element] + (h_copies[element] + ...);

A block runs in order, so the association of floating-point sums is that of the multicore target, bit for bit.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace

from somd.language.operators import OPERATORS
from somd.transforms.emit.c import IN_ORDER, Statements
from somd.transforms.emit.c_declarations import declarations
from somd.transforms.emit.c_reductions import combined as joined
from somd.transforms.emit.c_reductions import identity
from somd.transforms.emit.c_taking import Taker, flag_name, flagged, takes
from somd.transforms.emit.c_tree import C
from somd.transforms.emit.c_types import CTYPES, kind_of, literal
from somd.transforms.emit.c_unit import Unit
from somd.transforms.loops.program import Region
from somd.transforms.opencl.arguments import Argument, Kernel, of_scope
from somd.transforms.opencl.kernels import flags_of, in_order, kernel_text, own_variables, scope_of
from somd.transforms.opencl.ranges import range_in_c
from somd.transforms.opencl.rows import rows_of
from somd.transforms.stages import Combined, Nest, Reduction
from somd.transforms.types.scalars import ArrayType, ScalarType, Type


def combining_kernel_of(nest: Nest, region: Region, name: str, unit: Unit) -> Kernel:
    """The kernel that runs the blocks of a nest, each with its own copies of the combined arrays."""
    scope = scope_of(nest, unit)
    declared = own_variables(region, 1)
    write = Statements(scope, unit, declared, next_iteration="continue;")
    fresh = scope.names.fresh
    block, blocks, length, trips, trip = (fresh(n) for n in ("block", "blocks", "block_trips", "all_trips", "trip"))
    write.line(f"const long {block} = (long)get_global_id(0);")
    write.line(f"if ({block} >= {blocks})")
    write.line("    return;")
    write.guards_end()
    copies: list[Argument] = []
    for each in nest.combined:
        array, dtype = scope.array(each.array), element_type(each.array, unit.types)
        row, rows = fresh(f"{array}_row"), fresh(f"{array}_copies")
        copies += [Argument("copies", rows, each.array, dtype=dtype), Argument("row", row, each.array)]
        write.line(f"__global {CTYPES[dtype]} *{array} = {rows} + {block} * {row};")
    own, own_rows = rows_of(scope, block)
    for line in (*own, *declarations(declared.private, scope)):
        write.line(line)
    partials = [_accumulator(each, op, write) for each, op in _accumulated(nest)]
    takers = [_taker(each, write) for each in nest.reductions if OPERATORS[each.op].better]
    write.takes = takes(takers)
    write.flags = flags_of(region)
    bounds: list[Argument] = []
    within = range_in_c(0, region.loop, write.expressions, bounds)
    write.lines.append(IN_ORDER)
    with write.braces(
        f"for (long {trip} = {block} * {length}; {trip} < min(({block} + 1) * {length}, {trips}); {trip}++)"
    ):
        if within.stop.value is None and within.invariant:
            bounds.pop()  # the number of trips stands for it
        write.line(f"const long {within.variable} = {within.value(C(trip, 'int64'))};")
        write.number(trip)
        write.block(in_order(region, 1))
    for partial in partials:
        write.line(f"{partial.text}[{block}] = {scope.names.of(partial.name)};")
    for taker in takers:
        if taker.flag:
            partials.append(
                Argument("partials", fresh(f"{taker.flag}_partials"), flag_name(taker.reduction), None, "bool")
            )
            write.line(f"{partials[-1].text}[{block}] = {taker.flag};")
    found = of_scope(scope, frozenset(region.written))
    private = {each.array for each in nest.combined}
    arguments = [a for a in found if a.kind == "array" and a.name not in private]
    arguments += [*own_rows, *copies, *partials]
    arguments += [Argument("blocks", blocks), Argument("block", length), Argument("trips", trips)]
    arguments += [*bounds, *(a for a in found if a.kind != "array")]
    return Kernel(name, kernel_text(name, arguments, write.finished(), scope), tuple(arguments))


def _accumulated(nest: Nest) -> list[tuple[str, str]]:
    """The scalars that the nest reduces, each with its operator; what is set with an extremum starts at zero."""
    return [(name, r.op if name == r.name else "or") for r in nest.reductions for name in (r.name, *r.companions)]


def _accumulator(name: str, op: str, write: Statements) -> Argument:
    found, names = write.scope.types[name], write.scope.names
    assert isinstance(found, ScalarType)
    write.line(f"{CTYPES[found.dtype]} {names.of(name)} = {identity(op, found.dtype).loose};")
    return Argument("partials", names.fresh(f"{names.of(name)}_partials"), name, dtype=found.dtype)


def _taker(reduction: Reduction, write: Statements) -> Taker:
    found, names = write.scope.types[reduction.name], write.scope.names
    assert isinstance(found, ScalarType)
    text = names.of(reduction.name)
    taker = Taker(reduction, found.dtype, text)
    if taker.taking.unordered:
        write.line(f"{text} = {literal(math.nan, found.dtype).loose};")
    if not flagged(reduction, found.dtype):
        return taker
    flag = names.fresh(f"{text}_taken")
    write.line(f"uchar {flag} = 0;")
    return replace(taker, flag=flag)


def element_type(array: str, types: Mapping[str, Type]) -> str:
    """The dtype of an array's elements."""
    found = types[array]
    assert isinstance(found, ArrayType)
    return found.dtype


def joining_kernel_of(combined: Combined, name: str, unit: Unit) -> Kernel:
    """The kernel that combines all copies of an array with the array, a work-item for each element.

    Floating-point sums and products are taken by pairs of neighbours, level by level, the rest in order of the blocks.
    """
    dtype = element_type(combined.array, unit.types)
    arguments = [
        Argument("array", "array", combined.array, dtype=dtype),
        Argument("copies", "copies", combined.array, dtype=dtype),
        *(Argument(kind, kind) for kind in ("count", "row", "size")),
    ]
    lines = [
        "    const long element = (long)get_global_id(0);",
        "    if (element >= size)",
        "        return;",
    ]
    mine, other, kind = "copies[copy * row + element]", "copies[(copy + width) * row + element]", CTYPES[dtype]
    given = "array[element] != 0" if dtype == "bool" else "array[element]"  # memory of a bool may be any byte
    if OPERATORS[combined.op].ordered and kind_of(dtype) in "fc":
        lines += [
            "    for (long width = 1; width < count; width *= 2)",
            "        for (long copy = 0; copy + width < count; copy += 2 * width)",
            f"            {mine} = {_join(combined.op, mine, other, dtype, unit)};",
            f"    array[element] = {_join(combined.op, 'array[element]', 'copies[element]', dtype, unit)};",
        ]
    else:
        lines += [
            f"    {kind} value = {given};",
            "    for (long copy = 0; copy < count; copy++) {",
            f"        const {kind} other = {mine};",
            f"        value = {_join(combined.op, 'value', 'other', dtype, unit)};",
            "    }",
            "    array[element] = value;",
        ]
    return Kernel(name, kernel_text(name, arguments, lines), tuple(arguments))


def _join(op: str, left: str, right: str, dtype: str, unit: Unit) -> str:
    if OPERATORS[op].better:
        return f"{right} {OPERATORS[op].better} {left} ? {right} : {left}"
    return joined(op, C(left, dtype), C(right, dtype), dtype, unit).loose
