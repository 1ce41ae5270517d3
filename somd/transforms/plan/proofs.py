"""What the compiler has proved of a plan, in sentences for people."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from somd.capture.source_text import line_of
from somd.transforms.stages import Dim, Nest, Plan, Uniform, all_steps


def proofs(plan: Plan, shift: int = 0) -> Iterator[str]:
    """A sentence for each thing that holds for every input; line numbers are moved by `shift`."""
    code = cst.Module([]).code_for_node
    for step in all_steps(plan):
        if isinstance(step, Uniform) and isinstance(step.node, cst.For):
            line = plan.method.positions[step.node].line if step.node in plan.method.positions else None
            where = f"line {line + shift}: " if line is not None else ""
            yield f"{where}`for {code(step.node.target)} in {code(step.node.iter)}` is taken by all together, in order"
    for phase in plan.phases():
        nest = phase.nest
        loops = ", ".join(f"`{_header(plan, dim)}`" for dim in nest.dims)
        yield f"line {nest.position.line + shift}: the iterations of {loops} may run in any order: {_why(nest)}"
        for reduction in nest.reductions:
            yield f"  `{reduction.name}` is reduced by {reduction.op}"
        yield f"  {_bounds(nest)}"


def _header(plan: Plan, dim: Dim) -> str:
    """A loop as the user wrote it."""
    if dim.variable in plan.method.spelled:  # a pass made it of another form
        position = plan.method.position(dim.node.iter)
        return line_of(position.file, position.line).strip().rstrip(":")
    code = cst.Module([]).code_for_node
    return f"for {code(dim.node.target)} in {code(dim.node.iter)}"


def _why(nest: Nest) -> str:
    written = ", ".join(f"`{name}`" for name in nest.arrays_written)
    if not written:
        return "they write no array"
    return f"no iteration reads or writes an element of {written} that another writes"


def _bounds(nest: Nest) -> str:
    if nest.guarded:
        tested = dict.fromkeys(f"`{sites[0].text}`" for sites in nest.guarded.values())
        return f"tested where it happens, since the index comes from data: {', '.join(tested)}"
    if nest.checks:
        checks = dict.fromkeys(f"`{check.site.text}`" for check in nest.checks)
        return f"inside its array is every access but for {', '.join(checks)}, tested once before the loop"
    return "every access is inside its array"
