"""All cores of this machine, by way of Numba."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, suppress
from pathlib import Path
from types import FunctionType, ModuleType
from typing import TYPE_CHECKING, Any

from somd.errors import SomdRuntimeError
from somd.runtime.mpi import launched
from somd.runtime.numba_here import without_numba
from somd.settings.targets import Reckoning, Runnable, Target, TargetLacks

if TYPE_CHECKING:
    from somd.transforms.pipeline import Compiled


class Multicore(Target):
    settings = ("small_work",)
    libraries = ("numba", "llvmlite")
    tools = ("numba",)
    rooms = ("runtime/multicore", "runtime/mpi")
    kept = "modules for multicore, with their machine code"
    code = ("__pycache__", ".nbc")
    knows_ranks = True
    files: Mapping[str, str] = {"__pycache__": r"[\w.]+\.[0-9a-f]{32}\.nbc"}

    def variant(self) -> str:
        return "for ranks" if launched.several_ranks() else ""

    def in_turn(self, method: str) -> AbstractContextManager[None]:
        return launched.in_turn(method)

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

        if launched.several_ranks():
            with suppress(TargetLacks):  # every rank runs all of it then
                return module_text(plan_to_multicore(compiled.plan, compiled.types, ranked=True))
        return module_text(plan_to_multicore(compiled.plan, compiled.types))

    def profiled_text(self, compiled: Compiled) -> str:
        if launched.several_ranks():
            return self.text(compiled)  # calls are told as a whole: a rank does not run all of a phase
        from somd.transforms.multicore.plan_to_multicore import module_text, plan_to_multicore

        return module_text(plan_to_multicore(compiled.plan, compiled.types, with_profile=True))

    def load(self, module: ModuleType, name: str, device: Any, *how: Any, **named: Any) -> Runnable:
        if hasattr(module, "PROFILED"):
            from somd.runtime.multicore.profiled_call import ProfiledCall

            return ProfiledCall(module, name, *how, **named)
        if launched.several_ranks():
            from somd.runtime.multicore.ranked_call import RankedCall

            return RankedCall(module, name, *how, **named)
        from somd.runtime.multicore.call import MulticoreCall

        return MulticoreCall(module, name, *how, **named)

    def explained(self, compiled: Compiled) -> Iterable[str]:
        from somd.transforms.multicore.rank_shares import of_ranks

        return ("among ranks, on multicore", *(f"  {line}" for line in of_ranks(compiled.plan)))

    def reckoning(
        self,
        compiled: Compiled,
        function: FunctionType,
        partitioners: Mapping[int, Any],
        functions: Sequence[FunctionType],
    ) -> Reckoning:
        from somd.language.combining import joins_of
        from somd.runtime.multicore.dry_call import DryCall, dry_module
        from somd.transforms.multicore.plan_to_multicore import module_text, plan_to_multicore

        text = module_text(plan_to_multicore(compiled.plan, compiled.types, ranked=True))
        module = dry_module(text, function.__name__)
        joins = joins_of(function, getattr(module, "FENCES", ()))
        name = getattr(module, "MASTER", function.__name__)
        return DryCall(module, name, partitioners, joins, functions).reckon

    def levels(self) -> Mapping[str, Mapping[str, str]]:
        from somd.runtime.multicore.cpu_levels import LEVELS, compiled_for

        names = ("NUMBA_CPU_NAME", "NUMBA_CPU_FEATURES")
        return {level: dict(zip(names, compiled_for(level), strict=True)) for level in LEVELS}

    def not_cached(self, module: Path) -> str | None:
        there = any((module.parent / "__pycache__").glob(f"{module.stem}.*.nbc"))
        return None if there else "machine code: none yet, Numba compiles it at the next call"


TARGET: Target = Multicore()
