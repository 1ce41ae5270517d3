"""All cores of this machine, by way of Numba."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

from somd.errors import SomdRuntimeError
from somd.runtime.numba_here import without_numba
from somd.settings.targets import Runnable, Target

if TYPE_CHECKING:
    from somd.transforms.pipeline import Compiled


class Multicore(Target):
    settings = ("small_work",)
    libraries = ("numba", "llvmlite")
    tools = ("numba",)
    rooms = ("runtime/multicore",)
    kept = "modules for multicore, with their machine code"
    files: Mapping[str, str] = {"__pycache__": r"[\w.]+\.[0-9a-f]{32}\.nbc"}

    def problem(self) -> str | None:
        return without_numba()

    def check_importable(self) -> None:
        reason = without_numba()
        if reason is not None:
            raise SomdRuntimeError(reason, "SOMD505")

    def reserved(self) -> Collection[str]:
        from somd.transforms.multicore.names import MODULES, offered_names

        return (*offered_names(), *MODULES, "prange")

    def text(self, compiled: Compiled) -> str:
        from somd.transforms.multicore.plan_to_multicore import module_text, plan_to_multicore

        return module_text(plan_to_multicore(compiled.plan, compiled.types))

    def profiled_text(self, compiled: Compiled) -> str:
        from somd.transforms.multicore.plan_to_multicore import module_text, plan_to_multicore

        return module_text(plan_to_multicore(compiled.plan, compiled.types, with_profile=True))

    def load(self, module: ModuleType, name: str, device: Any, *how: Any, **named: Any) -> Runnable:
        if hasattr(module, "PROFILED"):
            from somd.runtime.multicore.profiled_call import ProfiledCall

            return ProfiledCall(module, name, *how, **named)
        from somd.runtime.multicore.call import MulticoreCall

        return MulticoreCall(module, name, *how, **named)

    def not_cached(self, module: Path) -> str | None:
        there = any((module.parent / "__pycache__").glob(f"{module.stem}.*.nbc"))
        return None if there else "machine code: none yet, Numba compiles it at the next call"


TARGET: Target = Multicore()
