"""The master's statements for phases that may run together, a work-group a row.

e = run.empty((x.shape[0], x.shape[1]), np.float64)          what stood between the phases
room = None
if not (e.shape[1] <= 128):
    room = run.room_of_rows("softmax_1_rows", (x.shape[0], e.shape[0]), (e.shape[1],), (e.shape[1] * 8,))
if room:
    run.launch_groups("softmax_1_rows", x.shape[0], room.lanes, (x, ..., room), reads=(x,), writes=(y,))
else:
    ...                                                      the phases one by one
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

import libcst as cst

from somd.transforms.opencl import host_tree as tree
from somd.transforms.opencl.launches import Launch
from somd.transforms.opencl.row_kernels import RowKernel
from somd.transforms.stages import Phase, Step, Uniform


def made_before(steps: Sequence[Step]) -> list[Step]:
    """The steps without their phases."""
    return [each for step in steps for each in _parted(step, phases=False)]


def phases_of(steps: Sequence[Step]) -> list[Step]:
    """The phases of the steps, behind their tests."""
    return [each for step in steps for each in _parted(step, phases=True)]


def _parted(step: Step, phases: bool) -> list[Step]:
    if not isinstance(step, Uniform):
        return [step] if isinstance(step, Phase) == phases else []
    body, orelse = (tuple(e for s in way for e in _parted(s, phases)) for way in (step.body, step.orelse))
    if not body and not orelse:
        return []
    return [replace(step, body=body, orelse=orelse)]


def launched_by_rows(
    found: RowKernel, launches: Sequence[Launch], room: str, otherwise: Sequence[cst.BaseStatement]
) -> list[cst.BaseStatement]:
    """The launch of the kernel where it pays, else what is done `otherwise`; the launches are those of its phases."""
    kernel, first, phases = found.kernel, launches[0], found.together.phases
    name = cst.SimpleString(f'"{kernel.name}"')
    nests = [phase.nest for phase in phases]
    code = first.code
    rows = _different(launch.extent(launch.nest.dims[0], exact=True) for launch in launches)
    inner = _different(e.extent(e.nest.dims[1], exact=True) for e in launches if len(e.nest.dims) > 1)
    widths = [_bytes(array, size, code.types.names[array].ndim) for array, size in found.room]  # type: ignore[union-attr]
    asked = [name, tree.tuple_of(rows), tree.tuple_of(inner), tree.tuple_of(widths)]
    chosen: cst.BaseStatement = tree.assign(
        tree.name(room), tree.call(tree.attribute(code.run, "room_of_rows"), *asked)
    )
    before: list[cst.BaseStatement] = []
    for node, wanted in found.together.tests:
        test = code.expression(node.test)
        test = test if wanted else tree.negated(test)
        chosen = cst.If(test, tree.block([chosen]))
        before = [tree.assign(tree.name(room), tree.name("None"))]
    passed = [tree.name(room) if a.kind == "own" else first.passed(a) for a in kernel.arguments]
    arrays = [a.name for a in kernel.arguments if a.kind == "array"]
    written = {name for nest in nests for name in nest.arrays_written}
    sides = {"reads": [n for n in arrays if n not in written], "writes": [n for n in arrays if n in written]}
    given = {side: tree.tuple_of([tree.name(n) for n in names]) for side, names in sides.items() if names}
    launched = tree.call(
        tree.attribute(code.run, "launch_groups"),
        name,
        rows[0],
        tree.attribute(room, "lanes"),
        tree.tuple_of(passed),
        **given,
    )
    either = cst.If(tree.name(room), tree.block([tree.line(launched)]), cst.Else(tree.block(otherwise)))
    return [*before, chosen, either]


def _different(nodes: Iterable[cst.BaseExpression]) -> list[cst.BaseExpression]:
    """Those of the expressions that read differently."""
    return list({cst.Module([]).code_for_node(node): node for node in nodes}.values())


def _bytes(array: str, size: int, axes: int) -> cst.BaseExpression:
    if axes == 1:
        return tree.integer(size)
    return cst.BinaryOperation(tree.shape(array, 1), cst.Multiply(), tree.integer(size))
