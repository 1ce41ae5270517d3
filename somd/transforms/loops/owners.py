"""Who writes an element: the region, the iteration, the line and the method instance.

In: a program and arguments. Out: its run in the interpreter, which changes the arguments, with a note of every write.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from somd.language.partitioners import Partitioner
from somd.transforms.loops.interpret import Interpreter
from somd.transforms.loops.program import Program, Region
from somd.transforms.loops.witness import Write, address_of


class Owners:
    """One run of a program with `workers` method instances; `result` is what it gives."""

    def __init__(
        self, program: Program, arguments: Mapping[str, object], partitioners: Mapping[str, Partitioner], workers: int
    ) -> None:
        self.workers = workers
        self.writes: dict[int, Write] = {}
        interpreter = Interpreter(program)
        self.regions = {number: code.region for number, code in interpreter.regions.items()}
        self.result: Any = interpreter.run(arguments, 0, partitioners, workers, self.writes)

    def of(self, array: np.ndarray[Any, Any], index: tuple[int, ...], work_items: bool = False) -> str | None:
        """What wrote an element of an array of the run last, in words; None if no region did. With `work_items` each
        iteration is an MI of its own."""
        write = self.writes.get(address_of(array, index))
        if write is None:
            return None
        region = self.regions[write.region]
        names = [loop.variable.name for loop in region.loops]
        values = ", ".join(f"{name} = {value}" for name, value in zip(names, write.iteration, strict=True))
        position = region.origin.position
        assert position is not None
        line = write.line or position.line
        owner = "a work-item" if work_items else f"part {self._rank(region, write) + 1} of {self.workers}"
        place = f"the loop over {', '.join(names)} at line {position.line}"
        return f"written in line {line} by iteration {values} of {place}: {owner}"

    def _rank(self, region: Region, write: Write) -> int:
        """The MI, from 0, that the iteration belongs to: blocks of the outermost loop, or parts of a partitioner."""
        if region.partition is not None or region.relaxed:
            return write.block
        place, count = write.trip
        share, rest = divmod(count, self.workers)
        border = rest * (share + 1)
        return place // (share + 1) if place < border else rest + (place - border) // max(share, 1)
