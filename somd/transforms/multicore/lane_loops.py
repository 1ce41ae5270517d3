"""Sums and products of floats in lanes: the innermost loop in strips of LANES trips, one lane each.

for k in range(lo, hi): total += a[k] * b[k]   ->   edge = lo + trips(lo, hi, 1) // LANES * LANES
                                                     for base in range(lo, edge, LANES):
                                                         for lane in range(LANES):
                                                             k = base + lane
                                                             total_lanes[lane] += a[k] * b[k]
                                                     for lane in range(hi - edge):
                                                         k = edge + lane
                                                         total_lanes[lane] += a[k] * b[k]

LLVM knows how many trips a whole strip has, so it unrolls what it made vectors of, and keeps the lanes in registers
from strip to strip. A body that is longer stands once, in strips that may be cut short.
"""

from __future__ import annotations

from collections.abc import Sequence

import libcst as cst

from somd.language.operators import OPERATORS
from somd.transforms.emit.python_text import numpy_name
from somd.transforms.loops.program import Assign, HelperCall, Region
from somd.transforms.loops.walking import expressions_in, tests_accesses
from somd.transforms.loops.work import operations
from somd.transforms.multicore.identities import identity, neutral_text
from somd.transforms.multicore.names import LANES, Fresh
from somd.transforms.stages import Dim, Reduction
from somd.transforms.tree.verbatim import verbatim
from somd.transforms.types.scalars import ScalarType

#: operations of a body whose text may stand twice
SHORT = 12


def lane_loops(
    dim: Dim, limits: tuple[str, str], body: Sequence[cst.BaseStatement], region: Region, fresh: Fresh
) -> list[cst.BaseStatement]:
    """The innermost loop of a slave, with its `body` once or twice."""
    (start, stop), step, name = limits, dim.step, dim.variable
    base, lane = fresh.name("base"), fresh.name("lane")
    stride = LANES if step == 1 else f"{LANES} * {step}"

    def left(first: str) -> str:
        return f"{stop} - {first}" if step == 1 else f"trips({first}, {stop}, {step})"

    def strip(first: str, count: str) -> cst.For:
        value = f"{first} + {lane}" if step == 1 else f"{first} + {lane} * {step}"
        return _filled(f"for {lane} in range({count}):\n    {name} = {value}\n", [each.deep_clone() for each in body])

    def strips(end: str, count: str) -> cst.For:
        made = _filled(f"for {base} in range({start}, {end}, {stride}):\n", [strip(base, count)])
        return made.with_changes(leading_lines=dim.node.leading_lines)

    if not _is_short(region):
        return [strips(stop, f"min({LANES}, {left(base)})")]
    edge = fresh.name("edge")
    whole = f"{edge} = {start} + trips({start}, {stop}, {step}) // {LANES} * {stride}"
    return [*verbatim(whole), strips(edge, LANES), strip(edge, left(edge))]


def lanes_made(reduction: Reduction, scalar: ScalarType, lanes: str, lane: str) -> list[str]:
    """The lanes of a reduction, each with what is neutral."""
    start = identity(reduction.op, scalar) if scalar.kind == "c" else neutral_text(reduction.op, scalar)
    made = f"{lanes} = lane_array({LANES}, np.{numpy_name(scalar.dtype)})"
    return [made, f"for {lane} in range({LANES}):\n    {lanes}[{lane}] = {start}\n"]


def of_lanes(reduction: Reduction, scalar: ScalarType, lanes: str) -> str:
    """What the lanes of a reduction are together: a tree."""
    operator = OPERATORS[reduction.op].of_kind(scalar.kind)
    return f"{'lanes' if scalar.kind == 'f' and reduction.op in '+*' else 'reduce'}_{operator.short}({lanes})"


def _is_short(region: Region) -> bool:
    """Whether the body is a few sums and products."""
    body = region.body
    if tests_accesses(body) or any(isinstance(each, HelperCall) for each in expressions_in(body)):
        return False
    return all(isinstance(each, Assign) for each in body) and operations(body, {}) <= SHORT


def _filled(header: str, body: list[cst.BaseStatement]) -> cst.For:
    loop = cst.ensure_type(cst.parse_statement(header if header.count("\n") > 1 else f"{header}    pass\n"), cst.For)
    own = [] if header.count("\n") == 1 else list(cst.ensure_type(loop.body, cst.IndentedBlock).body)
    return loop.with_changes(body=cst.IndentedBlock([*own, *body]))
