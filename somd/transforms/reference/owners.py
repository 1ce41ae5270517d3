"""Who writes an element: the phase, the iteration, the line and the method instance.

In: a plan and arguments. Out: the reference run of the plan, which changes the arguments, with a note of every write.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from somd.language.partitioners import Partitioner
from somd.transforms.reference.run import Reference
from somd.transforms.reference.witness import Write, address_of
from somd.transforms.stages import Nest, Plan


class Owners:
    """One run of a plan with `workers` method instances; `result` is what it gives."""

    def __init__(
        self, plan: Plan, arguments: Mapping[str, object], partitioners: Mapping[str, Partitioner], workers: int
    ) -> None:
        self.plan = plan
        self.workers = workers
        self.writes: dict[int, Write] = {}
        self.result: Any = Reference(plan).run(arguments, 0, partitioners, workers, self.writes)

    def of(self, array: np.ndarray[Any, Any], index: tuple[int, ...], work_items: bool = False) -> str | None:
        """What wrote an element of an array of the run last, in words; None if no phase did. With `work_items` each
        iteration is an MI of its own."""
        write = self.writes.get(address_of(array, index))
        if write is None:
            return None
        phase = next(phase for phase in self.plan.phases() if phase.number == write.phase)
        values = ", ".join(f"{d.variable} = {v}" for d, v in zip(phase.nest.dims, write.iteration, strict=True))
        line = write.line or phase.nest.position.line
        owner = "a work-item" if work_items else f"MI {self._rank(phase.nest, write)} of {self.workers}"
        return f"written in line {line} by iteration {values} of {phase.nest.place}: {owner}"

    def _rank(self, nest: Nest, write: Write) -> int:
        """The MI, from 0, that the iteration belongs to: blocks of the outermost loop, or parts of a partitioner."""
        if nest.partition is not None or nest.relaxed is not None:
            return write.block
        place, count = write.trip
        share, rest = divmod(count, self.workers)
        border = rest * (share + 1)
        return place // (share + 1) if place < border else rest + (place - border) // max(share, 1)
