"""Running a plan by its definition."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any

import libcst as cst
import numpy as np

from somd.compiling.one_at_a_time import many_calls
from somd.language.combining import joined
from somd.language.partitioners import Block, Partitioner
from somd.language.raising import AS_IT_IS, Raises
from somd.transforms.reference.accumulators import combine_copy, combined, fresh_copy, start
from somd.transforms.reference.plan_to_python import (
    CLAIM,
    PLACE,
    RELAXED,
    IterationCode,
    handed_on,
    iteration_code,
    master_text,
)
from somd.transforms.reference.witness import PlanViolation, Witness, Write, address_of, claim, outside
from somd.transforms.stages import NEAR, Dim, Joined, Near, Nest, Phase, Plan, Raising, all_steps

#: iterations in a logical block, at most
BLOCK = 5
#: method instances of a partition, at most
PARTS = 4
Values = Mapping[str, Any]


def run_reference(
    plan: Plan,
    arguments: Mapping[str, object],
    seed: int,
    partitioners: Mapping[str, Partitioner] | None = None,
    workers: int | None = None,
) -> Any:
    """The result of the method for `arguments`, with the iterations of every phase in an order that `seed` chooses.

    `partitioners` are those of the parameters that have one of their own; `workers` the number of MIs of relaxed
    phases, which `seed` chooses otherwise.

    Raises:
        IndexError: an access leaves its array, found before a phase or in it.
        BaseException: what the method raises.
        PlanViolation: a claim of the plan does not hold.
    """
    return Reference(plan).run(arguments, seed, partitioners, workers)


class Reference:
    """A plan made ready to be run several times."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        known = {k: v for k, v in plan.method.namespace.items() if k not in plan.method.local_names}
        self.names = {k: partial(_raised, v) if isinstance(v, Raising) else v for k, v in known.items()}
        with many_calls():
            self.phases = [(phase, iteration_code(phase, plan.method.positions)) for phase in plan.phases()]
            self.master = compile(master_text(plan), f"<reference: {plan.method.name}>", "exec")

    def run(
        self,
        arguments: Mapping[str, object],
        seed: int,
        partitioners: Mapping[str, Partitioner] | None = None,
        workers: int | None = None,
        writes: dict[int, Write] | None = None,
    ) -> Any:
        """As `run_reference`; `writes` takes the last write of each element, by its address."""
        order = random.Random(seed)
        names: dict[str, Any] = dict(self.names)
        for phase, code in self.phases:
            partitioner = (partitioners or {}).get(phase.nest.partition or "")
            names[f"phase_{phase.number}"] = _Runner(phase, code, self.names, order, partitioner, workers, writes).run
        for fence in (step for step in all_steps(self.plan) if isinstance(step, Joined)):
            names[f"joined_{fence.phase.number}"] = partial(_joined, fence, self.plan.method.name)
        exec(self.master, names)
        method = self.plan.method
        with np.errstate(all="ignore"):
            given = [arguments[name] for name in method.param_names]
            carried: list[BaseException] = []
            try:
                result = names[method.name](*given)
            except _Carried as raised:
                carried.append(raised.error)
            for error in carried:  # not inside `except`: it has the context that it has in Python
                raise error
            return result if method.combine is None else method.combine(result, given)


class _Runner:
    """Runs one phase, as often as the master comes to it."""

    def __init__(
        self,
        phase: Phase,
        code: IterationCode,
        names: Values,
        order: random.Random,
        partitioner: Partitioner | None,
        workers: int | None,
        writes: dict[int, Write] | None,
    ) -> None:
        self.number = phase.number
        self.writes = writes
        self.nest: Nest = phase.nest
        #: the iteration that runs now, and where its outermost variable stands among the values of that
        self.point: tuple[int, ...] = ()
        self.trips: dict[int, int] = {}
        self.names = names
        self.order = order
        self.partitioner = partitioner
        self.workers = workers
        self.snapshots: Values = {}
        #: the MI that each value of the outermost variable belongs to
        self.owner: dict[int, int] = {}
        self.witness = Witness()
        self.code = code
        watched = {**names, PLACE: self._place, RELAXED: self._relaxed, CLAIM: claim}
        exec(code.code, watched)
        self.iteration = watched[f"iteration_{phase.number}"]
        self.limits = [(_expression(dim.start), _expression(dim.stop)) for dim in phase.nest.dims]
        self.handed_on = handed_on(phase.nest)

    def _place(self, number: int, mode: str, array: Any, *indexes: Any) -> tuple[int, ...]:
        access = self.code.accesses[number]
        where = self.witness.place(access, mode, array, *indexes)
        if self.writes is not None and "w" in mode:
            outermost = self.point[0]
            trip = self.trips[outermost], len(self.trips)
            write = Write(self.number, self.point, access.line, trip, self.owner.get(outermost, 0))
            self.writes[address_of(array, where)] = write
        return where

    def _relaxed(self, number: int, array: Any, *indexes: Any) -> Any:
        """The element that a relaxed read sees."""
        read, access = self.code.relaxed[number], self.code.accesses[number]
        where = self.witness.place(access, "", array, *indexes)
        owners = {self.owner.get(where[read.axis] - c, self.witness.iteration) for c in read.writes}
        if owners - {self.witness.iteration}:
            return self.snapshots[read.array][where]
        return array[self.witness.place(access, "r", array, *indexes)]

    def run(self, state: Values) -> Any:
        """Run the nest on the master's names; the reduced scalars, or the copies of each MI in rank order."""
        self._near(self.nest.near[0], state)
        exact = {k: int(v) if isinstance(v, np.integer) else v for k, v in state.items()}
        for check in self.nest.checks:
            if self._evaluate(check.condition, exact):
                raise outside(check.site)
        self._near(self.nest.near[1], state)
        points = list(self._points(state, ()))
        if points:
            self._claims(state, points)
        self.witness = Witness()
        if self.nest.relaxed is not None:
            copies = self.nest.relaxed.snapshots.items()
            fresh = self.nest.relaxed.fresh
            self.snapshots = {array: state[array].copy() if fresh else state[copy] for array, copy in copies}
        partials = self._blocks(state, points)
        if self.nest.copies:
            return partials
        found: list[Any] = []
        place = 0
        for reduction in self.nest.reductions:
            values = tuple(state.get(name) for name in (reduction.name, *reduction.companions))
            width = len(start(reduction, values))
            for each in partials:
                values = combined(reduction, values, each[place : place + width])
            found += values
            place += width
        return tuple(found)

    def _blocks(self, state: Values, points: Sequence[tuple[int, ...]]) -> list[tuple[Any, ...]]:
        """The partial results of the blocks: each runs its iterations in order, chance decides which comes next."""
        blocks = [block for block in self._cut(state, points) if len(block)]
        alone = any(self._evaluate(condition, state) for condition in self.nest.in_order_if)
        first = tuple(
            value
            for r in self.nest.reductions
            for value in start(r, [state.get(name) for name in (r.name, *r.companions)])
        )
        first += tuple(state[name] for name in self.nest.copies)
        if self.nest.copies and (alone or not blocks):
            blocks = [range(len(points))]
        partials = [first for _ in blocks]
        self.owner = {points[number][0]: 0 if alone else k for k, block in enumerate(blocks) for number in block}
        if self.writes is not None:
            self.trips = {value: k for k, value in enumerate(dict.fromkeys(point[0] for point in points))}
        turns = [k for k, block in enumerate(blocks) for _ in block]
        if not alone:
            self.order.shuffle(turns)
        waiting = [iter(block) for block in blocks]
        common = {name: state[name] for name in self.code.parameters if name in state}
        copies = [{c.array: fresh_copy(c.op, state[c.array]) for c in self.nest.combined} for _ in blocks]
        failures: dict[int, Exception] = {}
        for block in turns:
            number = next(waiting[block])
            self.point = points[number]
            parts = self.nest.partition is not None or self.nest.relaxed is not None
            self.witness.iteration = 0 if alone else block if parts else number
            own = dict(zip(self.handed_on, partials[block], strict=True))
            try:
                partials[block] = self.iteration(*points[number], **{**common, **own, **copies[block]})
            except (NameError, TypeError) as error:
                raise PlanViolation(f"iteration {points[number]}: {error}") from error
            except (ArithmeticError, LookupError, ValueError, _Carried) as error:
                failures[number] = error
        if failures:
            raise failures[min(failures)]
        for shared in self.nest.combined:
            for copy in copies:
                combine_copy(shared.op, state[shared.array], copy[shared.array])
        return partials

    def _cut(self, state: Values, points: Sequence[tuple[int, ...]]) -> Iterator[Sequence[int]]:
        """The iterations, by number, that run in order: a partition's parts, or else blocks of neighbours."""
        if self.nest.partition is not None:
            yield from self._parts(state[self.nest.partition], points)
            return
        if self.nest.relaxed is not None:
            values = sorted({point[0] for point in points}, reverse=self.nest.dims[0].step < 0)
            for low, high in Block()(np.array(values), self.workers or self.order.randint(1, PARTS)):
                mine = set(values[low:high])
                yield [k for k, point in enumerate(points) if point[0] in mine]
            return
        first, most = 0, BLOCK if self.handed_on or self.nest.combined else 1
        while first < len(points):
            last = min(len(points), first + self.order.randint(1, most))
            yield range(first, last)
            first = last

    def _parts(self, array: Any, points: Sequence[tuple[int, ...]]) -> Iterator[Sequence[int]]:
        partitioner = self.partitioner or Block()
        left = set(range(len(points)))
        for part in partitioner(array, self.workers or self.order.randint(1, PARTS)):
            ranges = [each for each in (part if isinstance(part, list) else [part]) if isinstance(each[0], int)]
            mine = [k for k in sorted(left) if any(low <= points[k][0] < high for low, high in ranges)]
            left -= set(mine)
            yield mine
        claim(not left, f"the partition of `{self.nest.partition}` covers the loop")

    def _points(self, state: Values, outer: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
        """The iterations in the order of the loops as written."""
        depth = len(outer)
        if depth == len(self.nest.dims):
            yield outer
            return
        known = {**state, **dict(zip((d.variable for d in self.nest.dims), outer, strict=False))}
        start, stop = (self._evaluate(limit, known) for limit in self.limits[depth])
        for value in range(start, stop, self.nest.dims[depth].step):
            yield from self._points(state, (*outer, value))

    def _near(self, near: Near | None, state: Values) -> None:
        if near is not None and any(abs(int(state[name])) > NEAR for name in near.scalars):
            raise outside(near.site)

    def _evaluate(self, text: str, state: Values) -> Any:
        # limits and conditions are said of whole numbers, which have no width in the plan
        numbers = {name: int(value) for name, value in state.items() if isinstance(value, np.integer)}
        return eval(text, {**self.names, **state, **numbers})

    def _claims(self, state: Values, points: list[tuple[int, ...]]) -> None:
        """What the plan says of the values of scalars and of loop variables."""
        for name, lowest in self.nest.lowest_scalars.items():
            claim(name not in state or state[name] >= lowest, f"lowest value of {name}")
        for k, dim in enumerate(self.nest.dims):
            values = [point[k] for point in points]
            claim(min(values) >= self.nest.lowest.get(dim.node, min(values)), f"lowest value of {dim.variable}")
            if not dim.invariant:
                self._hull(dim, values, state)

    def _hull(self, dim: Dim, values: list[int], state: Values) -> None:
        low, high = self._evaluate(dim.low, state), self._evaluate(dim.high, state)
        claim(low <= min(values) and max(values) <= high, f"{dim.variable} lies from {dim.low} to {dim.high}")


class _Carried(Exception):
    """What the method raises, told apart from what goes wrong in its plan."""

    def __init__(self, error: BaseException) -> None:
        super().__init__(error)
        self.error = error


def _raised(raising: Raising, *values: Any) -> _Carried:
    """What a `raise` of the plain form raises."""
    place = raising.position
    kinds = tuple((text, AS_IT_IS) for text in raising.values)
    row = (place.file, place.line, place.column, raising.function.__name__, raising.text, 0, kinds)
    return _Carried(Raises({0: row}, (raising.function,)).exception(0, values))


def _joined(fence: Joined, method: str, partials: Sequence[tuple[Any, ...]]) -> tuple[Any, ...]:
    """One value of the copies of each name of a fence."""
    columns = dict(zip(fence.phase.nest.copies, zip(*partials, strict=True), strict=True))
    return tuple(joined(fence.function, list(columns[name]), fence.text, method) for name in fence.names)


def _expression(node: cst.BaseExpression) -> str:
    return cst.Module([]).code_for_node(node)
