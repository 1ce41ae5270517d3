"""Which phases that follow on each other a kernel may run together, a work-group a row.

largest = x.max(axis=1, keepdims=True)         phase 1: for r: for k: largest[r] = ...
e = np.exp(x - largest)                        phase 2: for r: for k: e[r, k] = ... largest[r]
return e / e.sum(axis=1, keepdims=True)        phases 3, 4: for r: ... e[r, k];   phase 5: ... e[r, k] / whole[r]

Each of them goes over the same rows, and what one has written another one touches in its own row alone: so a row can go
through all of them before the next one does, and what is asked for nowhere else never leaves local memory. What the
master does between the phases makes arrays and numbers of shapes; it is done before.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import libcst as cst
import numpy as np

from somd.transforms.analysis.affine import shape_reference
from somd.transforms.emit.declared import assigned, loop_scoped, read_in
from somd.transforms.loops.program import Constant, Element, Loop, Raise, Region, Return, Statement
from somd.transforms.loops.walking import expressions_in, goes_on, statements_in, tests_accesses
from somd.transforms.opencl.kernels import is_plain
from somd.transforms.opencl.locals import own_arrays
from somd.transforms.passes.extremes import Extreme, extreme_of
from somd.transforms.stages import Phase, Plan, Serial, Step, Uniform, nested_steps, swaps
from somd.transforms.tree.names import names_read
from somd.transforms.tree.walking import nodes_of
from somd.transforms.types.scalars import ArrayType
from somd.transforms.types.typing_table import Types

#: trips of a loop that every work-item may run as well, where their number is known
FEW = 16
#: what the master may call between two phases, besides what makes arrays
CALLED = ("int", "len", "min", "max")


@dataclass(frozen=True)
class Together:
    """Phases of the steps `first` to `last` of a plan, in order: those that run where each of the `tests` is as said.
    The arrays `inside` are for them alone."""

    first: int
    last: int
    phases: tuple[Phase, ...]
    tests: tuple[tuple[cst.If, bool], ...]
    inside: tuple[str, ...]

    @property
    def number(self) -> int:
        return self.phases[0].number


def together(plan: Plan, regions: Mapping[int, Region], types: Types) -> list[Together]:
    """The phases of a plan that run together, from the first on."""
    if swaps(plan):
        return []
    found, at, look = list[Together](), 0, _Look(plan, regions, types)
    while at < len(plan.body):
        made = look.longest(at)
        if made is not None:
            found.append(made)
        at = at + 1 if made is None else made.last + 1
    return found


class _Look:
    def __init__(self, plan: Plan, regions: Mapping[int, Region], types: Types) -> None:
        self.plan, self.regions, self.types = plan, regions, types

    def longest(self, first: int) -> Together | None:
        """The most steps from `first` on whose phases run together; None for fewer than two phases."""
        found: Together | None = None
        taken: list[Phase] = []
        tests: list[tuple[cst.If, bool]] = []
        for last in range(first, len(self.plan.body)):
            step = self.plan.body[last]
            if isinstance(step, Serial):
                if last == first or not self.is_of_shapes(step):
                    break
                continue
            way = self.way(step)
            if way is None:
                break
            phases, test = way
            if not self.is_by_rows([*taken, *phases]) or not self.may_come_first(first, last):
                break
            taken, tests = [*taken, *phases], [*tests, *test]
            if len(taken) > 1:
                inside = self.inside(first, last, taken)
                found = Together(first, last, tuple(taken), tuple(tests), inside)
        return found if found is not None and found.inside else None

    def way(self, step: Step) -> tuple[list[Phase], list[tuple[cst.If, bool]]] | None:
        """The phases that run together in a step, and the test with which they do: of two ways that with more of them,
        as for long rows."""
        if isinstance(step, Phase):
            return ([step], []) if self.runs(step) else None
        if not isinstance(step, Uniform) or not isinstance(step.node, cst.If) or step.guarded:
            return None
        if not _asks_shapes(step.node.test):
            return None
        for body, taken in sorted(((step.body, True), (step.orelse, False)), key=lambda each: -len(each[0])):
            phases = [each for each in body if isinstance(each, Phase)]
            others = [each for each in body if not isinstance(each, Phase)]
            if phases and all(map(self.runs, phases)) and all(map(self.is_of_shapes, others)):
                return phases, [(step.node, taken)]
        return None

    def runs(self, phase: Phase) -> bool:
        """Whether a work-group can run a row of a phase by itself."""
        nest, region = phase.nest, self.regions[phase.number]
        told = nest.checks or nest.raises or nest.tests or nest.in_order_if or nest.relaxed or nest.partition
        plain = (
            is_plain(replace(region, local_arrays=())) and not told and not nest.copies and nest.near == (None, None)
        )
        if not plain or region.aliased or nest.aliased or region.depth > 2 or region.pieces or region.tables:
            return False
        if any(loop.hull is not None for loop in region.loops) or len(own_arrays(nest, self.types.names)) < len(
            nest.local_arrays
        ):
            return False
        rows, body = region.loop, region.loop.body
        if _number(rows.start) != 0 or _number(rows.step) != 1 or rows.variable.name in assigned(body):
            return False
        leaves = any(isinstance(node, Raise | Return) for node in statements_in(body)) or any(map(goes_on, region.body))
        tested = tests_accesses(body)
        if leaves or tested:
            return False
        alone = region.depth == 1 and bool(nest.local_arrays)
        if region.depth == 2:
            return not reads_matrix_for_each_row(region)
        return not (alone or any(self.is_long(node, region) for node in statements_in(body)))

    def is_long(self, node: Statement, region: Region) -> bool:
        """Whether a loop may be as long as a row, and is no matter for all work-items together."""
        if not isinstance(node, Loop) or is_shared(node, region):
            return False
        start, stop = _number(node.start), _number(node.stop)
        if start is not None and stop is not None:
            return abs(stop - start) > FEW
        # what an iteration itself counts down to is short
        given = {*region.scalars, *region.arrays, region.loop.variable.name}
        return read_in(node.start) | read_in(node.stop) <= given

    def is_by_rows(self, phases: Sequence[Phase]) -> bool:
        """Whether what phases write they touch in their own rows alone, and names mean one thing in all of them."""
        nests, regions = [phase.nest for phase in phases], [self.regions[phase.number] for phase in phases]
        written = {name for region in regions for name in region.written}
        if any(name in self.plan.method.param_names or not self.has_rows(name) for name in written):
            return False
        own = {name for nest in nests for name in (*nest.privates, *(local.name for local in nest.local_arrays))}
        own |= {dim.variable for nest in nests for dim in nest.dims}
        given = {name for region in regions for name in (*region.scalars, *region.arrays)}
        if own & given:
            return False
        for region in regions:
            row = region.loop.variable
            for node in expressions_in(region.loop.body):
                if isinstance(node, Element) and node.array in written and node.indices[0] != row:
                    return False
        return True

    def has_rows(self, name: str) -> bool:
        """Whether an array has numbers, in rows, that may lie in local memory."""
        kind = self.types.names.get(name)
        return isinstance(kind, ArrayType) and kind.ndim <= 2 and np.dtype(kind.dtype).kind in "biuf"

    def may_come_first(self, first: int, last: int) -> bool:
        """Whether what the master does between the steps may be done before all of them: it gives no name of theirs to
        something else."""
        before = set[str]()
        for step in nested_steps(self.plan.body[first : last + 1]):
            if isinstance(step, Phase):
                limits = (name for dim in step.nest.dims for name in names_read(dim.node.iter))
                before |= {*step.nest.arrays, *step.nest.scalars, *limits}
            elif isinstance(step, Uniform):
                before |= names_read(step.node.test) if isinstance(step.node, cst.If) else set()
            elif isinstance(step, Serial) and names_set(step) & before:
                return False
        return True

    def inside(self, first: int, last: int, phases: Sequence[Phase]) -> tuple[str, ...]:
        """The arrays that are made between the steps, and asked for nowhere else."""
        body = self.plan.body
        made = {n for s in nested_steps(body[first : last + 1]) if isinstance(s, Serial) for n in names_set(s)}
        made |= self.just_before(first)
        others = set[str]()
        for step in nested_steps((*body[:first], *body[last + 1 :])):
            if isinstance(step, Phase):
                others |= {*step.nest.arrays}
            else:
                others |= self.names_of(step)
        written = {name for phase in phases for name in self.regions[phase.number].written}
        return tuple(sorted((written & made) - others))

    def just_before(self, first: int) -> set[str]:
        """What the master has made in the step before."""
        step = self.plan.body[first - 1] if first else None
        return self.names_made(step) if isinstance(step, Serial) else set()

    # --- what the master does --------------------------------------------------------------------------------------

    def is_of_shapes(self, step: Step) -> bool:
        """Whether the master makes arrays and numbers there of shapes and numbers, and does nothing besides."""
        if not isinstance(step, Serial) or step.arrays_read or step.arrays_written or step.guarded or step.swaps:
            return False
        others = (cst.Return, cst.For, cst.Del, cst.Assert, cst.Expr, cst.AugAssign, cst.Call)
        raised = [node for statement in step.statements for node in nodes_of(statement, cst.Raise)]
        exceptions = {id(call) for node in raised for call in nodes_of(node, cst.Call)}
        for node in (each for statement in step.statements for each in nodes_of(statement, *others)):
            if not isinstance(node, cst.Call):
                return False
            if id(node) in exceptions:
                continue
            if not self.makes(node) and (not isinstance(node.func, cst.Name) or node.func.value not in CALLED):
                return False
        return True

    def makes(self, node: cst.BaseExpression) -> bool:
        """Whether an array is made there whose elements have no values."""
        callee = self.types.calls.get(node) if isinstance(node, cst.Call) else None
        return callee is not None and callee.name in ("empty", "empty_like")

    def names_made(self, step: Serial) -> set[str]:
        """The arrays that it makes so."""
        assigns = [node for statement in step.statements for node in nodes_of(statement, cst.Assign)]
        targets = [node.targets[0].target for node in assigns if self.makes(node.value)]
        return {target.value for target in targets if isinstance(target, cst.Name)}

    def names_of(self, step: Step) -> set[str]:
        """The names that a step mentions that is no phase; of an array that it makes, only those besides."""
        if isinstance(step, Serial):
            names = {node.value for statement in step.statements for node in nodes_of(statement, cst.Name)}
            return names - self.names_made(step)
        return {node.value for node in nodes_of(step.node, cst.Name)} if isinstance(step, Uniform) else set()


def reads_matrix_for_each_row(region: Region) -> bool:
    """Whether the loops of an iteration go over rows or columns of a matrix that are not its own row, as in products of
    matrices: other kernels read them once for the rows of a tile."""
    row = region.loop.variable.name
    for loop in (node for node in statements_in(region.body) if isinstance(node, Loop)):
        for node in expressions_in(loop.body):
            if isinstance(node, Element) and len(node.indices) > 1:
                names = {name for index in node.indices for name in read_in(index)}
                if loop.variable.name in names and row not in names:
                    return True
    return False


def is_shared(node: Statement, region: Region) -> bool:
    """Whether work-items share out the trips of a loop that an iteration runs."""
    if not isinstance(node, Loop) or _number(node.step) is None or node.variable.name not in loop_scoped(region.body):
        return False
    return any(each is node for each in region.body) and (node.order == "free" or shared_extreme(node) is not None)


def shared_extreme(node: Statement) -> Extreme | None:
    """The extreme that a loop keeps, where its trips follow each other by 1."""
    return extreme_of(node) if isinstance(node, Loop) and _number(node.step) == 1 else None


def _asks_shapes(test: cst.BaseExpression) -> bool:
    """Whether a test asks for numbers and shapes alone."""
    shapes = [shape_reference(node) for node in nodes_of(test, cst.Subscript)]
    return all(each is not None for each in shapes) and not any(True for _ in nodes_of(test, cst.Call))


def names_set(step: Serial) -> set[str]:
    """The names that the master sets there."""
    assigns = [node for statement in step.statements for node in nodes_of(statement, cst.Assign)]
    return {name.value for node in assigns for each in node.targets for name in nodes_of(each.target, cst.Name)}


def _number(node: object) -> int | None:
    return int(node.value.real) if isinstance(node, Constant) else None
