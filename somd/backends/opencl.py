"""OpenCL devices, by way of pyopencl."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from types import ModuleType
from typing import TYPE_CHECKING, Any

from somd.runtime.mpi import launched
from somd.settings.targets import Device, Runnable, Target

if TYPE_CHECKING:
    from somd.transforms.pipeline import Compiled


class OpenCL(Target):
    uses_workers = False
    settings = ("device",)
    leading = 1  # the run, by which the master launches kernels
    apart: Mapping[str, str] = {"KERNELS": ".cl"}
    libraries = ("pyopencl",)
    rooms = ("runtime/opencl", "runtime/mpi")
    kept = "modules for OpenCL, built programs"
    files: Mapping[str, str] = {
        "programs": r"[0-9a-f]{32}\.bin",
        "refused": r"[0-9a-f]{16}\.cl",
        "beside": r"[0-9a-f]{16}",
        "trials": r"[0-9a-f]{16}",
        r"vendors-[0-9a-f]{16}": r"[\w.+-]+\.icd",
    }
    foreign: Mapping[str, str] = {"pocl": "PoCL's own files"}
    device_kind = "OpenCL"
    knows_ranks = True
    arrays = (("somd.runtime.opencl.device_array", "DeviceArray"), ("pyopencl.array", "Array"))

    def variant(self) -> str:
        return "for ranks" if launched.several_ranks() else ""

    def problem(self) -> str | None:
        if importlib.util.find_spec("pyopencl") is None:
            return "pyopencl is not installed: pip install 'somd[opencl]'"
        from somd.runtime.opencl import NoDevice, select

        try:
            select(None)
        except NoDevice as error:
            return error.message
        return None

    def in_turn(self, method: str) -> AbstractContextManager[None]:
        return launched.in_turn(method)

    def reserved(self) -> tuple[str, ...]:
        return ("run",)

    def text(self, compiled: Compiled) -> str:
        from somd.transforms.opencl.plan_to_opencl import module_text, plan_to_opencl

        if not launched.several_ranks():  # which share out the rows of each phase
            compiled = compiled.launched() or compiled
        return module_text(plan_to_opencl(compiled.plan, compiled.types))

    def load(self, module: ModuleType, name: str, device: Any, *how: Any, **named: Any) -> Runnable:
        if launched.several_ranks():
            from somd.runtime.opencl.ranks.call import RankedOpenCLCall

            return RankedOpenCLCall(module, name, device, *how, **named)
        from somd.runtime.opencl.execute import OpenCLCall

        return OpenCLCall(module, name, device, *how, **named)

    def explained(self, compiled: Compiled) -> Iterable[str]:
        from somd.transforms.opencl.transfers import transfers

        made = compiled.launched()
        if made is not None:
            yield "on one device, two launches for some turns of a loop that reads a row and a column which it changes:"
            yield "  the first finds what these are before and after each turn, the second changes all elements by that"
        yield "transfers of opencl"
        yield from (f"  {line}" for line in transfers((made or compiled).plan))

    def devices(self, wanted: Any) -> tuple[Sequence[Device], Sequence[str]]:
        from somd.runtime.opencl import NoDevice, select
        from somd.runtime.opencl import devices as every
        from somd.runtime.opencl.devices import problem

        wish = wanted[0] if isinstance(wanted, tuple) else wanted
        chosen, said = None, ""
        try:
            chosen = select(wish).info
        except NoDevice as error:
            said = error.message
        found = []
        for info in every():
            why = problem(info)
            state = "chosen" if info == chosen else "" if why is None else f"cannot be used: {' '.join(why.split())}"
            name = f"{info.driver}: {info.name}"
            found.append(Device(info.kind, name, info.doubles, info.compute_units, info.global_memory, state))
        return found, [line for line in said.splitlines() if not line.strip().startswith("found:")]

    def to_device(self, array: Any, device: Any) -> Any:
        from somd.runtime.opencl import to_device

        return to_device(array, device)


TARGET: Target = OpenCL()
