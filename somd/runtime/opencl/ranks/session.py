"""RankedRun: one call on the devices of several ranks. Generated masters use it as they use a `Run`.

Whatever the master does every rank does at the same place, so exchanges and the faults of kernels are agreed upon where
they come. Nothing of that may depend on what this rank alone knows, such as where its rows lie.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from somd.language.raising import fault_row
from somd.runtime.intervals import missing
from somd.runtime.mpi.holders import Ranges, everywhere
from somd.runtime.mpi.ledger import SERIAL
from somd.runtime.mpi.session import Session, Shared, address_of
from somd.runtime.opencl.arrays import Managed
from somd.runtime.opencl.device_array import DeviceArray
from somd.runtime.opencl.failures import device_errors
from somd.runtime.opencl.fault_record import First
from somd.runtime.opencl.kept import Kept
from somd.runtime.opencl.programs import Kernel, Program
from somd.runtime.opencl.ranks.arrays import Ranked
from somd.runtime.opencl.ranks.crossing import Crossing
from somd.runtime.opencl.several.group import Group
from somd.runtime.opencl.several.parts import BORDERS, Borders, Part, Touched
from somd.runtime.opencl.several.session import SpreadRun

NO_ROWS = (0, 0)


class RankedRun(SpreadRun):
    """One call: its arrays by identity, and its kernels, of whose launches this rank runs a part."""

    def __init__(self, session: Session, group: Group, program: Program, kernel_names: Sequence[str]) -> None:
        super().__init__(group, [program], kernel_names)
        self.session = session
        self.crossing = Crossing(self.context)
        self._leaving: list[Ranked] = []
        #: by the name of a kernel, how much at the ends of its part waited for rows when it was launched last
        self._borders: dict[str, Borders] = {}

    @property
    def sharers(self) -> int:
        return self.session.world.size

    def array(self, array: Any, *, overwritten: bool = False) -> Managed:
        """An argument, of which the session knows who holds which rows."""
        known = self._arrays.get(id(array))
        if known is not None:
            return known[1]
        if not array.size or not array.ndim:
            made = Managed.of(self.context, array)
        else:
            shared = self.session.arrays[address_of(array)]
            made = Ranked(self.session, self.group, self.crossing, array.shape, array.dtype, shared)
        made.settle = self.settle
        managed = self._named_before(array, made)
        if managed is made and isinstance(made, Ranked):
            self._leaving.append(made)
        self._arrays[id(array)] = (array, managed)
        return managed

    def empty(self, shape: int | tuple[int, ...], dtype: Any) -> Managed:
        """A new array, of undefined content."""
        extents = (shape,) if isinstance(shape, (int, np.integer)) else tuple(int(extent) for extent in shape)
        if any(extent < 0 for extent in extents):
            raise ValueError("negative dimensions are not allowed")
        if not extents or not math.prod(extents):
            made = Managed(self.context, extents, dtype)
            made.device_valid = True
        else:
            made = Ranked(self.session, self.group, self.crossing, extents, dtype)
        made.settle = self.settle
        return made

    def from_host(self, array: np.ndarray[Any, Any]) -> Managed:
        """A new array that the masters of all ranks have made alike."""
        made = self.empty(array.shape, array.dtype)
        if not isinstance(made, Ranked):
            return super().from_host(array) if array.ndim else made
        made.shared.array[...] = array
        made.shared.holders = everywhere(len(array), self.session.world.size)
        made.arrived(0, len(array))
        return made

    def keep(self, types: Mapping[str, type]) -> Kept:
        """Scalars that stay on the device. Every rank has them; one whose kernel has failed has others."""
        return Kept(self.context, types, self.settle, settled=1)

    def finish(self, written: tuple[Managed, ...] = ()) -> None:
        """Waits for the kernels. What they changed stays where it is, until the session has brought it to who needs it.

        Raises:
            BaseException: a kernel of some rank has failed.
        """
        self.context.finish()
        self.settle()

    def lowest(self, found: list[First]) -> list[First]:
        """The faults of all ranks."""
        mine = np.zeros(2 + fault_row(self.raises.slots), np.int64)
        if found:
            turn, row = found[0]
            mine[:] = [1, turn, *row]
        words = self.session.alike(SERIAL, mine.view(np.uint8)).view(np.int64).tolist()
        return [(turn, row) for there, turn, *row in words if there]

    def result(self, managed: Managed, on_device: bool = False) -> np.ndarray[Any, Any] | DeviceArray:
        """The array that a call has made, of which this rank has some rows."""
        if not isinstance(managed, Ranked):
            return managed.to_host()
        self.session.given(managed.shared)
        self._leaving.append(managed)
        return managed.shared.array

    def let_go(self) -> None:
        """Rows of arguments and results that only devices have come to the hosts."""
        for managed in self._leaving:
            managed.let_go()
        self._leaving.clear()

    def _run_parts(self, kernel: Kernel, parts: list[Part], args: tuple[Any, ...]) -> None:
        """While rows are on their way, the device runs what needs none of them."""
        whole, rank = len(parts) == 1, self.session.world.rank
        waiting = [parts[0]] if whole else parts[rank : rank + 1]
        arrays = [array for part in waiting for array, _ in part.touched if isinstance(array, Ranked)]
        middle: Part | None = None
        held = {id(array): array.shared.holders[rank] for array in arrays}

        def meanwhile() -> None:
            nonlocal middle
            if whole or not waiting:
                return
            borders = self._borders.get(kernel.name, BORDERS[0])
            found = waiting[0].inner(lambda a, *rows: not missing(held[id(a)], *rows), borders)
            if found is not None:
                middle, waiting[:], self._borders[kernel.name] = found
                self.crossing.begin()
                if any(isinstance(array, Ranked) and array.leaving(*rows) for array, rows in middle.written):
                    self.crossing.left()
                self._run_part(kernel, middle, args)

        with self.crossing.opened():
            self.session.phase(kernel.name, _phase_of(parts, self.sharers), meanwhile)
            if middle is not None:
                for part in waiting:
                    self._run_part(kernel, part, args, beside=True)
                return
        for part in waiting:
            self._run_part(kernel, part, args)

    def _run_part(self, kernel: Kernel, part: Part, args: tuple[Any, ...], beside: bool = False) -> None:
        """Launch a part; `beside` what is at work on other parts of the same launch, when rows have arrived."""
        with self.context.lock:
            for array, (low, high) in part.touched:
                array.need(0, low, high)
            given = tuple([self._side(value, 0) for value in args])
            with device_errors(f"launching {kernel.name} over {part.size}", str(self.context.device)):
                launch = partial(self._on[0][kernel.name].launch_part, given, part.first, part.size, part.local)
                if beside:
                    self.crossing.launch(launch)
                else:
                    launch()
                    self.context.queue.flush()
            self.context.launched()
            for array, (low, high) in part.written:
                array.written(0, low, high)


def _phase_of(parts: Sequence[Part], ranks: int) -> list[tuple[Shared, int, Ranges, Ranges]]:
    """What the session is told before a launch: of each array what every rank touches, and writes. A launch in one part
    every rank runs whole, and all have written the same."""
    if len(parts) == 1:
        touched = _by_shared(parts[0].touched)
        return [(shared, 0, (rows,) * ranks, (NO_ROWS,) * ranks) for shared, rows in touched.values()]
    touched_by = [_by_shared(part.touched) for part in parts]
    written_by = [_by_shared(part.written) for part in parts]
    rest = (NO_ROWS,) * (ranks - len(parts))
    return [
        (
            shared,
            0,
            (*(found[key][1] for found in touched_by), *rest),
            (*(found.get(key, (shared, NO_ROWS))[1] for found in written_by), *rest),
        )
        for key, (shared, _) in touched_by[0].items()
    ]


def _by_shared(rows: Touched) -> dict[int, tuple[Shared, tuple[int, int]]]:
    """The rows of each array; one that has two names is one."""
    found: dict[int, tuple[Shared, tuple[int, int]]] = {}
    for array, (low, high) in rows:
        assert isinstance(array, Ranked)
        shared = array.shared
        _, known = found.get(id(shared), (shared, NO_ROWS))
        if known[0] < known[1] and low < high:
            low, high = min(low, known[0]), max(high, known[1])
        found[id(shared)] = (shared, (low, high) if low < high else known)
    return found
