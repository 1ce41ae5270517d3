"""A phase whose iterations have independent loops in them -> a kernel of one work-group an iteration.

for i in range(n):          ->   const long i = (long)get_group_id(0);
    f = a[i, p]                  f = a[i * a_1 + p];
    for j in range(m):           for (long j = lane; j < m; j += lanes)
        b[i, j] = f * c[j]           b[i * b_1 + j] = f * c[j];

Neighbouring work-items take neighbouring elements of a row, and few long rows fill a device. What stands between the
loops is done by every work-item, or, where it writes elements, by the first one, which passes on the scalars that it
sets. The kernel of one work-item an iteration stays beside it, for short loops: the runtime chooses.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import libcst as cst

from somd.transforms.emit.c import Statements
from somd.transforms.emit.c_declarations import declarations
from somd.transforms.emit.c_scope import Scope
from somd.transforms.emit.c_tree import C
from somd.transforms.emit.c_types import CTYPES
from somd.transforms.emit.c_unit import Unit
from somd.transforms.emit.declared import OWN, scalars_set
from somd.transforms.loops.program import Continue, Loop, Region, Statement, Store, While
from somd.transforms.loops.walking import statements_in, tests_accesses
from somd.transforms.opencl.arguments import Argument, Kernel, of_scope
from somd.transforms.opencl.kernels import is_plain, kernel_text, own_variables, scope_of, with_bounds
from somd.transforms.opencl.ranges import range_in_c
from somd.transforms.opencl.shared_loops import spread
from somd.transforms.stages import Nest

BARRIER = "barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);"


@dataclass(frozen=True)
class Segment:
    """An independent loop, or statements between such loops."""

    statements: tuple[Statement, ...]
    loop: Loop | None = None

    @property
    def writes(self) -> bool:
        """Whether elements of arrays are written."""
        return any(isinstance(node, Store) for node in statements_in(self.statements))


def segments_of(nest: Nest, region: Region) -> tuple[Segment, ...]:
    """The segments of a nest that a work-group an iteration can run; none where it cannot."""
    if region.depth != 1 or nest.raises or not is_plain(region) or not free_loops(region):
        return ()
    found: list[Segment] = []
    between: list[Statement] = []
    for node in region.body:
        if isinstance(node, Loop) and node.order == "free":
            if tests_accesses((node,)):
                return ()
            found += [Segment(tuple(between)), Segment((node,), node)] if between else [Segment((node,), node)]
            between = []
        elif any(isinstance(each, Loop | While | Continue) for each in statements_in((node,))):
            return ()
        else:
            between.append(node)
    return (*found, *([Segment(tuple(between))] if between else []))


def free_loops(region: Region) -> list[Loop]:
    """The loops directly in an iteration whose trips are independent."""
    return [node for node in region.body if isinstance(node, Loop) and node.order == "free"]


def wide_kernel_of(nest: Nest, region: Region, name: str, unit: Unit) -> Kernel | None:
    """The kernel of a work-group an iteration, for a nest that has segments."""
    segments = segments_of(nest, region)
    if not segments:
        return None
    scope = scope_of(nest, unit)
    declared = own_variables(region)
    write = Statements(scope, unit, declared)
    lane, lanes = scope.names.fresh("lane"), scope.names.fresh("lanes")
    bounds: list[Argument] = []
    within = range_in_c(0, region.loop, write.expressions, bounds)
    write.guards_end()
    write.line(f"const long {lane} = get_local_id(0);")
    write.line(f"const long {lanes} = get_local_size(0);")
    write.line(f"const long {within.variable} = {within.value(C('(long)get_group_id(0)', 'int64', 14))};")
    write.number("get_group_id(0)")
    for line in declarations(declared.private, scope):
        write.line(line)
    for segment in segments:
        slots: Sequence[tuple[str, str, str]] = ()
        if segment.loop is not None:
            spread(segment.loop, lane, lanes, write)
        elif segment.writes:
            slots = _slots(segment, scope)
            _alone(segment, slots, lane, write)
        else:
            write.block(segment.statements)
        write.local += [f"    __local {kind} {slot};" for _, slot, kind in slots]
        if segment is not segments[-1]:
            write.line(BARRIER)
            for text, slot, _ in slots:
                write.line(f"{text} = {slot};")
    arguments = with_bounds(of_scope(scope, frozenset(region.written)), bounds)
    text = kernel_text(name, arguments, write.finished(), scope, local=write.local)
    shared_out = (loop.origin.node for loop in free_loops(region))
    return Kernel(name, text, tuple(arguments), tuple(each for each in shared_out if isinstance(each, cst.For)))


def _alone(segment: Segment, slots: Sequence[tuple[str, str, str]], lane: str, write: Statements) -> None:
    """Statements that the first work-item runs, and what it passes on."""
    with write.braces(f"if ({lane} == 0)"):
        write.block(segment.statements)
        for text, slot, _ in slots:
            write.line(f"{slot} = {text};")


def _slots(segment: Segment, scope: Scope) -> list[tuple[str, str, str]]:
    """C names of the scalars that a segment sets and of their places in local memory, and their types."""
    found = []
    for name, dtype in sorted(set(scalars_set(segment.statements))):
        if OWN not in name:
            text = scope.text_of(name)
            found.append((text, scope.names.fresh(f"{text}_passed"), CTYPES[dtype]))
    return found
