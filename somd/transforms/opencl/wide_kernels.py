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

from somd.transforms.opencl.arguments import Argument, Kernel, of_scope
from somd.transforms.opencl.c_expressions import Expressions
from somd.transforms.opencl.c_statements import Statements
from somd.transforms.opencl.c_tree import C
from somd.transforms.opencl.c_types import CTYPES
from somd.transforms.opencl.guards import GUARDS_END
from somd.transforms.opencl.kernels import kernel_text, scope_of
from somd.transforms.opencl.locals import declarations, loop_scoped
from somd.transforms.opencl.ranges import range_in_c
from somd.transforms.opencl.scope import Scope
from somd.transforms.opencl.unit import Unit
from somd.transforms.stages import Method, Nest
from somd.transforms.tree.loops import integer_constant, range_of, small_statements, statements_of
from somd.transforms.tree.names import assigned_names
from somd.transforms.tree.rewriting import inside
from somd.transforms.tree.walking import Reader, children_of
from somd.transforms.types.scalars import TupleType
from somd.transforms.types.typing_table import Types

BARRIER = "barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);"


@dataclass(frozen=True)
class Segment:
    """An independent loop, or statements between such loops."""

    statements: tuple[cst.CSTNode, ...]
    loop: cst.For | None = None

    @property
    def writes(self) -> bool:
        """Whether elements of arrays are written."""
        found = _Written()
        for statement in self.statements:
            statement.visit(found)
        return found.found

    @property
    def assigned(self) -> set[str]:
        return {name for statement in self.statements for name in assigned_names(statement)}


class _Written(Reader):
    found = False

    def visit_AssignTarget(self, node: cst.AssignTarget) -> None:
        self._look(node.target)

    def visit_AugAssign(self, node: cst.AugAssign) -> None:
        self._look(node.target)

    def _look(self, target: cst.BaseExpression) -> None:
        parts = [e.value for e in target.elements] if isinstance(target, cst.Tuple) else [target]
        self.found = self.found or any(isinstance(part, cst.Subscript) for part in parts)


def segments_of(nest: Nest) -> tuple[Segment, ...]:
    """The segments of a nest that a work-group an iteration can run; none where it cannot."""
    other = nest.reductions or nest.combined or nest.copies or nest.in_order_if or nest.local_arrays
    if (
        len(nest.dims) != 1
        or not nest.independent
        or nest.raises
        or other
        or nest.relaxed is not None
        or nest.partition is not None
    ):
        return ()
    found: list[Segment] = []
    between: list[cst.CSTNode] = []
    for node in small_statements(nest.body):
        if node in nest.independent and isinstance(node, cst.For):
            if any(inside(guarded, (node,)) for guarded in nest.guarded):
                return ()
            found += [Segment(tuple(between)), Segment((node,), node)] if between else [Segment((node,), node)]
            between = []
        elif _leaves(node):
            return ()
        else:
            between.append(node)
    return (*found, *([Segment(tuple(between))] if between else []))


def _leaves(node: cst.CSTNode) -> bool:
    """Whether a statement holds a loop, or goes on with the next iteration."""
    if isinstance(node, cst.For | cst.While | cst.Continue):
        return True
    return any(_leaves(child) for child in children_of(node))


def wide_kernel_of(nest: Nest, name: str, method: Method, types: Types, unit: Unit) -> Kernel | None:
    """The kernel of a work-group an iteration, for a nest that has segments."""
    segments = segments_of(nest)
    if not segments:
        return None
    scope = scope_of(nest, method, types, unit)
    write = Statements(Expressions(scope, unit), loop_scoped(nest.body))
    lane, lanes = scope.names.fresh("lane"), scope.names.fresh("lanes")
    bounds: list[Argument] = []
    within = range_in_c(0, nest.dims[0], write.expressions, bounds)
    write.line(GUARDS_END)
    write.line(f"const long {lane} = get_local_id(0);")
    write.line(f"const long {lanes} = get_local_size(0);")
    write.line(f"const long {within.variable} = {within.value(C('(long)get_group_id(0)', 'int64', 14))};")
    write.number("get_group_id(0)")
    for line in declarations(set(nest.privates) - write.scoped, scope):
        write.line(line)
    passed: list[str] = []
    for segment in segments:
        slots: Sequence[tuple[str, str, str]] = ()
        if segment.loop is not None:
            _spread(segment.loop, lane, lanes, write, method)
        elif segment.writes:
            slots = _slots(segment, scope)
            _alone(segment, slots, lane, write)
        else:
            write.block(segment.statements)
        passed += [f"    __local {kind} {slot};" for _, slot, kind in slots]
        if segment is not segments[-1]:
            write.line(BARRIER)
            for text, slot, _ in slots:
                write.line(f"{text} = {slot};")
    write.lines[:0] = passed
    arguments = of_scope(scope, frozenset(nest.arrays_written))
    place = next((k for k, a in enumerate(arguments) if a.kind in ("scalar", "kept", "faults")), len(arguments))
    arguments[place:place] = bounds
    return Kernel(name, kernel_text(name, arguments, write.finished(), scope), tuple(arguments))


def _spread(loop: cst.For, lane: str, lanes: str, write: Statements, method: Method) -> None:
    """A loop whose trips the work-items of a group share out among them, one after the other."""
    header = range_of(loop)
    assert header is not None
    step = integer_constant(header.step, method)
    assert step is not None
    variable = write.scope.names.of(header.variable)
    start, stop = (write.expressions.of_type(limit, "int64") for limit in (header.start, header.stop))
    own, by = (lane, lanes) if step == 1 else (f"{lane} * {step}", f"{lanes} * {step}")
    first = own if start.value == 0 else f"{start.loose} + {own}" if start.level > 11 else f"({start.text}) + {own}"
    limit = stop.loose if stop.level > 10 else f"({stop.text})"
    write.open(f"for (long {variable} = {first}; {variable} {'<' if step > 0 else '>'} {limit}; {variable} += {by})")
    write.loops += 1
    write.block(statements_of(loop.body))
    write.loops -= 1
    write.close()


def _alone(segment: Segment, slots: Sequence[tuple[str, str, str]], lane: str, write: Statements) -> None:
    """Statements that the first work-item runs, and what it passes on."""
    write.open(f"if ({lane} == 0)")
    write.block(segment.statements)
    for text, slot, _ in slots:
        write.line(f"{slot} = {text};")
    write.close()


def _slots(segment: Segment, scope: Scope) -> list[tuple[str, str, str]]:
    """C names of the scalars that a segment sets and of their places in local memory, and their types."""
    found = []
    for name in sorted(segment.assigned):
        kind = scope.types.names[name]
        if isinstance(kind, TupleType):
            parts = {scope.names.of(name, k): part.dtype for k, part in enumerate(kind.elements)}
        else:
            parts = {scope.names.of(name): kind.dtype}
        found += [(text, scope.names.fresh(f"{text}_passed"), CTYPES[dtype]) for text, dtype in parts.items()]
    return found
