"""Functions that Numba compiles once for given types: not anew for each constant that they are called with.

Numba gives the call `f(0, n)` a signature of its own, for the literal 0, and compiles it besides that of `f(m, n)`.
LLVM propagates constants anyway, so nothing is lost by compiling one for both.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, TypeVar

import numba
from numba.core import types

from somd.compiling.signals import answer
from somd.errors import SomdRuntimeError
from somd.runtime.multicore.numba_internals.libraries import NativeLibrary
from somd.runtime.multicore.numba_internals.pipeline import Compiler
from somd.runtime.numba_here import without_numba

njit: Any = numba.njit
unliteral: Any = types.unliteral


Function = TypeVar("Function", bound=Callable[..., Any])


class NativeCompiler(Compiler):
    """Numba's compiler for functions that only compiled code calls: they get no machine code of their own."""

    #: whether LLVM leaves calls of them calls
    stays = False

    def compile_extra(self, function: Callable[..., Any]) -> Any:
        answer()
        self.state.library = NativeLibrary(self.state.targetctx.codegen(), function.__qualname__)
        self.state.library.stays = self.stays
        self.state.library.enable_object_caching()
        return super().compile_extra(function)

    def compile_ir(self, func_ir: Any, *args: Any, **named: Any) -> Any:
        self.state.library = NativeLibrary(self.state.targetctx.codegen(), func_ir.func_id.func_qualname)
        self.state.library.stays = self.stays
        self.state.library.enable_object_caching()
        return super().compile_ir(func_ir, *args, **named)


class CompilerApart(NativeCompiler):
    """The same for functions that have work enough to stay functions in machine code."""

    stays = True


def native(function: Function, *, stays: bool = False) -> Function:
    """Compile a function that compiled code calls; division follows NumPy. Python can call it, too: then it is compiled
    once more. One that `stays` is not written into its callers by LLVM, which would optimise each copy.

    Raises:
        SomdRuntimeError: SOMD505, Numba is switched off.
    """
    reason = without_numba()
    if reason is not None:
        raise SomdRuntimeError(reason, "SOMD505")
    made: Any = njit(
        error_model="numpy",
        no_cpython_wrapper=True,
        no_cfunc_wrapper=True,
        pipeline_class=CompilerApart if stays else NativeCompiler,
    )(function)
    template = made.get_call_template
    known: dict[tuple[Any, ...], Any] = {}

    def template_of_types(args: Any, kws: Any) -> Any:
        kinds = tuple(map(unliteral, args))
        if kws:
            return template(kinds, {name: unliteral(kind) for name, kind in kws.items()})
        if kinds not in known:
            known[kinds] = template(kinds, kws)
        return known[kinds]

    def add_overload(compiled: Any) -> None:
        # not where Numba looks when Python calls: there is no machine code
        made.overloads[tuple(compiled.signature.args)] = compiled

    called_from_python = functools.cache(lambda: njit(error_model="numpy")(function))
    made.get_call_template = template_of_types
    made.add_overload = add_overload
    made._compile_for_args = lambda *args, **kws: called_from_python()
    compiled: Function = made
    return compiled
