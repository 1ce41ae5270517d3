"""Numba's compiler with our passes over its representation of a function, right after it is made."""

from __future__ import annotations

from typing import Any, ClassVar

from numba.core import compiler as _compiler
from numba.core import typed_passes as _typed_passes
from numba.core import untyped_passes as _untyped_passes

from somd.runtime.multicore.numba_internals.extremes import Extremes
from somd.runtime.multicore.numba_internals.needless_passes import Closures, WholeArrays
from somd.runtime.multicore.numba_internals.quotients import Quotients
from somd.runtime.multicore.numba_internals.settings_apart import SettingsApart
from somd.runtime.multicore.numba_internals.short_code import ShortLowering

compiler: Any = _compiler
typed_passes: Any = _typed_passes
untyped_passes: Any = _untyped_passes

#: passes of Numba's, and ours in their place
_OURS = {
    untyped_passes.InlineClosureLikes: Closures,
    typed_passes.NopythonRewrites: WholeArrays,
    typed_passes.NativeLowering: ShortLowering,
}


class Compiler(compiler.Compiler):  # type: ignore[misc]
    """Numba's compiler with the passes that all functions have, behind those that some have."""

    first: ClassVar[tuple[Any, ...]] = ()

    def define_pipelines(self) -> Any:
        pipelines = super().define_pipelines()
        for pipeline in pipelines:
            before = untyped_passes.IRProcessing
            for each in (*self.first, Extremes, Quotients, SettingsApart):
                pipeline.add_pass_after(each, before)
                before = each
            pipeline.passes = [(_OURS.get(each, each), said) for each, said in pipeline.passes]
            pipeline.finalize()
        return pipelines
