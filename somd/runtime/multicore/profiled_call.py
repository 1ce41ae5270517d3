"""Calls a generated module whose master keeps time of its phases, and notes what it tells."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from somd.runtime.multicore.call import MulticoreCall, Share
from somd.runtime.multicore.fences import Functions
from somd.runtime.multicore.partition import PER_WORKER
from somd.runtime.multicore.profiling import BYTES, INTEGERS, OPERATIONS, RANKS, RUNS, TIME, tables
from somd.runtime.recording import Part, Recording, clock, current, making


class ProfiledCall(MulticoreCall):
    """A loaded module that `transforms.multicore.profiled` made; else like `MulticoreCall`."""

    def __init__(self, module: Any, *given: Any, **named: Any) -> None:
        super().__init__(module, *given, **named)
        self.special = True
        #: number of a phase -> its line and loops
        self.phases: dict[int, tuple[int, str]] = module.PROFILED

    def __call__(self, args: tuple[Any, ...], workers: int, small_work: int | None = None) -> Any:
        recording = current() or Recording()
        before, begun = sum(recording.compiling.values()), clock()
        first = len(recording.tables)
        try:
            return super().__call__(args, workers, small_work)
        finally:
            recording.inside += clock() - begun - (sum(recording.compiling.values()) - before)
            with making("the profile itself"):
                for table, events in recording.tables[first:]:
                    recording.parts += self._parts(table, events, workers)
            del recording.tables[first:]

    def compile(self, args: Sequence[Any]) -> None:
        raise NotImplementedError("what is profiled is compiled by its first call")

    def _extra(
        self, args: Sequence[Any], workers: int, share: Share
    ) -> tuple[tuple[Any, ...], np.ndarray[Any, Any] | None, Functions | None]:
        extra, faults, functions = super()._extra(args, workers, share)
        lengths = [len(each) for each in extra if isinstance(each, np.ndarray)]
        made = tables(max(self.phases, default=0), max(workers * PER_WORKER, *lengths, 1))
        recording = current()
        if recording is not None:
            recording.tables.append(made)
        return (*extra, *made), faults, functions

    def _parts(self, table: Any, events: Any, workers: int) -> list[Part]:
        found = []
        listed = events[1 : 1 + int(events[0, 0])]
        for number, row in enumerate(table):
            if row[TIME] == 0 and row[RUNS] == 0:
                continue
            line, name = self.phases.get(number, (None, "copies and combining"))
            part = Part("phase", name if number == 0 else f"phase {number}: {name}", line)
            part.runs, part.time = int(row[RUNS]), int(row[TIME])
            part.operations = None if row[OPERATIONS] < 0 else int(row[OPERATIONS])
            part.integers = None if row[INTEGERS] < 0 else int(row[INTEGERS])
            part.bytes, part.busy, part.workers = int(row[BYTES]), int(row[RANKS:].sum()), workers
            part.events = [(begun, ended) for begun, ended in listed[listed[:, 0] == number, 1:].tolist()]
            found.append(part)
        return found
