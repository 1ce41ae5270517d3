"""A sum or product of floats in one loop: the lanes of a logical block as a vector.

    for block in range(first, last):
        lo, hi = block_range(0, len(a), 1, block, length)
        edge = lo + (hi - lo) // LANES * LANES
        total_vector = vector_filled(LANES, -0.0)
        for k in range(lo, edge, LANES):
            total_vector = vector_sum(total_vector, vector_at(LANES, a, k))
        if edge < hi:                                     the trips that are left take lanes one by one
            put_vector(total_vector, total_lanes, 0)
            for lane in range(hi - edge):
                k = edge + lane
                total_lanes[lane] += a[k]
            total_vector = vector_at(LANES, total_lanes, 0)
        total_partials[block] = lanes_sum(total_vector)

Of a short sum each block has LANES trips, and no loop.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import libcst as cst

from somd.transforms.emit.lane_vectors import lanes_taken, takes_lanes
from somd.transforms.emit.python import Statements
from somd.transforms.emit.python_text import indented, numpy_name
from somd.transforms.multicore.identities import identity
from somd.transforms.multicore.lane_loops import of_lanes
from somd.transforms.multicore.names import FAR, LANES
from somd.transforms.multicore.printing import parsed_lines
from somd.transforms.types.scalars import ScalarType

if TYPE_CHECKING:
    from somd.transforms.multicore.slaves import SlaveBuilder


def lanes_are_vectors(builder: SlaveBuilder) -> bool:
    """Whether all that a slave does is to add to one float, or to multiply it by, what may be vectors."""
    nest, region = builder.nest, builder.region
    if builder.pieces or builder.chunk or region.strips or region.tile or region.packed or nest.combined:
        return False
    if len(nest.reductions) != 1 or len(builder.dims) != 1 or builder.dims[0].step != 1:
        return False
    return builder.laned(nest.reductions[0]) and takes_lanes(region.body, region.loop.variable)


def vector_blocks(builder: SlaveBuilder) -> list[cst.BaseStatement]:
    """The loop over the logical blocks."""
    [reduction], fresh, region = builder.nest.reductions, builder.fresh.name, builder.region
    first, last, length = builder.range_names()
    block, lo, hi, edge, lane = map(fresh, ("block", "lo", "hi", "edge", "lane"))
    lanes, total = builder.lane_names(reduction), fresh(f"{reduction.name}_vector")
    scalar, variable = builder.types.names[reduction.name], builder.dims[0].variable
    assert isinstance(scalar, ScalarType)
    printer = Statements(builder.scope(), frozenset(region.local_arrays), FAR)
    named, value = lanes_taken(printer.expressions, region.body[0], region.loop.variable, LANES, total)
    start = builder.text(builder.dims[0].start)
    begin = f"{total} = vector_filled({LANES}, {identity(reduction.op, scalar)})"
    assumed = printer.assumed(region.loop)
    step = [*assumed, *named, f"{total} = {value}"]
    end = f"{builder.partials(reduction.name)}[{block}] = {of_lanes(reduction, scalar, total)}"
    begun = "" if start == "0" else f"{start} + "
    alone = [f"{variable} = {begun}{block} * {LANES}", begin, *step, end]
    left = [f"{variable} = {edge} + {lane}", *assumed, *printer.lines(region.body)]
    left = [f"for {lane} in range({hi} - {edge}):", *indented(left)]
    left = [f"{lanes} = lane_array({LANES}, np.{numpy_name(scalar.dtype)})", f"put_vector({total}, {lanes}, 0)", *left]
    left += [f"{total} = vector_at({LANES}, {lanes}, 0)"]
    trip = [f"{lo}, {hi} = block_range({builder.bounds()}, {block}, {length})"]
    trip += [f"{edge} = {lo} + ({hi} - {lo}) // {LANES} * {LANES}", begin]
    trip += [f"for {variable} in range({lo}, {edge}, {LANES}):", *indented(step)]
    trip += [f"if {edge} < {hi}:", *indented(left), end]
    whole = f"{edge} = max({first}, min({last}, trips({builder.bounds()}) // {LANES}))"
    short = [whole, f"for {block} in range({first}, {edge}):", *indented(alone), f"{first} = {edge}"]
    lines = [f"if {length} == {LANES}:", *indented(short), f"for {block} in range({first}, {last}):", *indented(trip)]
    return [*builder.lowest(), *parsed_lines(lines)]
