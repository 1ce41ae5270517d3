"""Runs a generated OpenCL module as one of several ranks, which all make the same call.

Each rank has a device of its machine: where there are several alike, another one than its neighbours. Ranks share a
call if their devices are alike and no argument lives on one; else every rank runs all of it.
"""

from __future__ import annotations

import zlib
from types import ModuleType
from typing import Any

from somd.errors import SomdRuntimeError
from somd.runtime.mpi import launched
from somd.runtime.mpi.calling import Begun, begin, ranks_for
from somd.runtime.mpi.returned import arrays_of, returned
from somd.runtime.opencl.context import Context
from somd.runtime.opencl.device_array import is_device_array
from somd.runtime.opencl.devices import Device, select_alike
from somd.runtime.opencl.execute import OpenCLCall, run_master
from somd.runtime.opencl.failures import of_driver
from somd.runtime.opencl.programs import build
from somd.runtime.opencl.ranks.session import RankedRun
from somd.runtime.opencl.several.group import Group, group_for


class RankedOpenCLCall(OpenCLCall):
    """A loaded module, called by all ranks; `OpenCLCall` says what with."""

    def __init__(self, module: ModuleType, name: str, device: Any, *how: Any, **named: Any) -> None:
        alike = select_alike(device)
        self.name = name
        super().__init__(module, name, alike[launched.place() % len(alike)], *how, **named)

    @property
    def group(self) -> Group:
        """The one device, as one that runs parts of launches."""
        assert isinstance(self.device, Device)
        return group_for((self.device,))

    def _contexts(self) -> tuple[Context, ...]:
        return self.group.contexts

    def called(self, args: tuple[Any, ...], workers: int) -> Any:
        """Run this rank's share of a call.

        Raises:
            SomdRuntimeError: other ranks make another call (SOMD611), one has left (SOMD612), or this is not the main
                thread of one, and an argument has rows on others (SOMD613).
            As `OpenCLCall`: what an iteration raises, on all ranks.
        """
        world = ranks_for(args)
        if world is None:
            return super().called(args, workers)
        assert isinstance(self.device, Device)
        kind = zlib.crc32(repr(self.device.info).encode())
        words = kind, int(any(map(is_device_array, args)))
        call = begin(world, self.name, " on opencl", args, words, self.written)
        session = call.session
        if call.together[:, 1].any() or (call.together[:, 0] != kind).any():
            session.whole(arrays_of(call.args))
            result = super().called(call.args, workers)
            return returned(session, result, call.args, call.given, ())
        session.whole(call.args[k] for k in self.partitioners)  # they look at them
        return self._shared(call)

    def _shared(self, call: Begun) -> Any:
        """Run the master for ranks, and make what it leaves behind what programs expect."""
        session, args, given = call.session, call.args, call.given
        written = [args[k] for k in self.written if not given.has(args[k])]
        program = build(self.group.lead, self.kernels)
        with RankedRun(session, self.group, program, self.kernel_names) as run:
            try:
                result = run_master(run, self.master, args, self.partitioners, self.joins, self.raises)
            except BaseException as error:
                if _is_of_this_rank(error):
                    session.world.astray = True
                else:
                    session.whole(written, given.shown())
                    run.let_go()
                raise
            result = returned(session, result, args, given, written)
            run.let_go()
        session.arrays.clear()
        return result


def _is_of_this_rank(error: BaseException) -> bool:
    """Whether other ranks may know nothing of an error: it is none of the method's own."""
    if not isinstance(error, Exception) or isinstance(error, MemoryError) or of_driver(error):
        return True
    return isinstance(error, SomdRuntimeError) and error.code != "SOMD309"
