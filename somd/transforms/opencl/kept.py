"""`Plan` -> what of the master's work the device does, so that a loop around phases needs no round trip to the host.

    for k in range(n):              for k in range(n):
        d = a[k, k]                     run.launch("f_once_1", (1,), (a, kept, k, ...))
        for i in range(n):              run.launch("f_1", (n,), (a, kept, k, ...))
            a[k, i] /= d

In a loop that the master takes, straight-line code moves to a kernel of one work-item where it touches elements that
kernels write, or scalars that are on the device. What it assigns stays there, as do reductions that only kernels use.
Code with loops of its own stays on the host, and so does what Python may refuse (`straight_line`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import libcst as cst
import numpy as np

from somd.runtime.blocks import BLOCKS
from somd.settings.targets import TargetLacks
from somd.transforms.emit.c_taking import flagged_in
from somd.transforms.emit.c_unit import Unit
from somd.transforms.frontend.raises import raises_in
from somd.transforms.loops.program import Program
from somd.transforms.opencl.once_kernels import once_kernel_of
from somd.transforms.opencl.straight_line import is_straight_line
from somd.transforms.stages import Phase, Plan, Serial, Step, Uniform, all_steps, nested_steps, swaps
from somd.transforms.tree.names import assigned_names, names_read
from somd.transforms.types.scalars import ScalarType
from somd.transforms.types.typing_table import Types

#: bytes of local memory that ending a reduction on the device may take
MOST_LOCAL = 24576
#: what the runtime's object that holds the scalars has besides them
OF_THE_RUNTIME = ("buffer", "writeable", "overlaps", "device_valid", "host_valid", "written_on_device")


@dataclass(frozen=True)
class Kept:
    """`moved`: the serial steps that kernels run, in order; `ended`: the numbers of the phases whose reductions end on
    the device; `names`: the scalars that stay there."""

    moved: tuple[Serial, ...]
    ended: frozenset[int]
    names: Mapping[str, ScalarType]

    def number(self, step: Serial) -> int | None:
        """The number of a serial step among those that kernels run, from 1; None if the master runs it."""
        return next((k for k, moved in enumerate(self.moved, 1) if moved is step), None)


def kept_on_device(plan: Plan, types: Types, program: Program) -> Kept:
    """What of `plan` the device does."""
    if any(phase.nest.copies for phase in plan.phases()):
        return Kept((), frozenset(), {})
    return _Choice(plan, types, program).made()


class _Choice:
    def __init__(self, plan: Plan, types: Types, program: Program) -> None:
        self.plan, self.types, self.program = plan, types, program
        headers = [step.node for step in all_steps(plan) if isinstance(step, Uniform)]
        self.masters = {*plan.method.param_names, *(n for node in headers for n in _variable(node))}
        inside = tuple(_in_loops(plan.body))
        serials = [step for step in inside if isinstance(step, Serial)]
        phases = [step for step in inside if isinstance(step, Phase)]
        self.candidates = [step for step in serials if self.movable(step)]
        self.reducing = [phase for phase in phases if self.can_end(phase)]
        stay = [step for step in serials if not _among(self.candidates, step)]
        self.asked = {name for node in headers for name in _asked(node)}
        self.asked |= {name for step in stay for name in _names(step.statements)}
        self.asked |= {n for p in phases for dim in p.nest.dims for n in names_read(dim.node.iter)}

    def made(self) -> Kept:
        """Steps move as long as there are some that touch what is on the device already."""
        arrays = {name for phase in self.plan.phases() for name in phase.nest.arrays_written}
        if swaps(self.plan) and arrays:
            arrays = set(self.plan.arrays)
        ended = {phase.number: phase for phase in self.reducing if not self.asked & set(reduced_names(phase))}
        names = {name for phase in ended.values() for name in reduced_names(phase)}
        moved: list[Serial] = []
        while True:
            more = [s for s in self.candidates if not _among(moved, s) and _touches(s, arrays, names)]
            joining = [p for p in self.reducing if p.number not in ended and names & set(reduced_names(p))]
            if not more and not joining:
                break
            moved += more
            arrays |= {array for step in more for array in step.arrays_written}
            names |= {name for step in more for name in self.assigned(step)}
            names |= {name for phase in joining for name in reduced_names(phase)}
            ended |= {phase.number: phase for phase in joining}
        in_order = tuple(s for s in all_steps(self.plan) if isinstance(s, Serial) and _among(moved, s))
        return Kept(in_order, frozenset(ended), {name: self.scalar(name) for name in sorted(names)})

    def movable(self, step: Serial) -> bool:
        """Whether a kernel of one work-item can do what the master does in `step`."""
        if step.swaps or raises_in(step.statements) or not is_straight_line(step.statements, self.types):
            return False
        if not all(self.may_stay(name) for name in self.assigned(step)):
            return False
        scalars = {name: kind for name, kind in self.types.names.items() if isinstance(kind, ScalarType)}
        try:
            once_kernel_of(step, "trial", Unit((), self.program, self.types.names, scalars))
        except TargetLacks:
            return False
        return True

    def can_end(self, phase: Phase) -> bool:
        """Whether the reductions of a phase can end on the device."""
        nest = phase.nest
        names = reduced_names(phase)
        if not names or nest.combined or not all(self.may_stay(name) for name in names):
            return False
        if flagged_in(nest, self.types):
            return False
        places = sum(8 for reduction in nest.reductions if reduction.companions)
        return (
            BLOCKS * (places + sum(np.dtype(self.scalar(r.name).dtype).itemsize for r in nest.reductions)) <= MOST_LOCAL
        )

    def may_stay(self, name: str) -> bool:
        """Whether a variable is a scalar that the master need not have."""
        found = self.types.names.get(name)
        known = isinstance(found, ScalarType) and name not in self.masters
        return known and name not in OF_THE_RUNTIME and not name.startswith("_")

    def assigned(self, step: Serial) -> set[str]:
        return {name for statement in step.statements for name in assigned_names(statement)}

    def scalar(self, name: str) -> ScalarType:
        found = self.types.names[name]
        assert isinstance(found, ScalarType)
        return found


def reduced_names(phase: Phase) -> tuple[str, ...]:
    """The scalars that a phase reduces, and those that are set together with them."""
    return tuple(name for r in phase.nest.reductions for name in (r.name, *r.companions))


def _in_loops(steps: Sequence[Step]) -> Iterator[Step]:
    """The steps inside loops that the master takes."""
    for step in steps:
        if isinstance(step, Uniform) and isinstance(step.node, cst.If):
            yield from _in_loops((*step.body, *step.orelse))
        elif isinstance(step, Uniform):
            yield from nested_steps(step.body)


def _variable(node: cst.For | cst.While | cst.If) -> set[str]:
    return names_read(node.target) if isinstance(node, cst.For) else set()


def _asked(node: cst.For | cst.While | cst.If) -> set[str]:
    """What the master must know to take a loop or a branch."""
    return names_read(node.iter if isinstance(node, cst.For) else node.test)


def _names(statements: Iterable[cst.CSTNode]) -> set[str]:
    return {name for s in statements for name in names_read(s) | assigned_names(s)}


def _touches(step: Serial, arrays: set[str], names: set[str]) -> bool:
    return bool(arrays & {*step.arrays_read, *step.arrays_written} or names & _names(step.statements))


def _among(steps: Sequence[Step], step: Step) -> bool:
    return any(each is step for each in steps)
