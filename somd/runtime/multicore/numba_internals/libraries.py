"""The LLVM code of what is compiled into a master: optimised, and made machine code, once, in the master.

Numba gives every function a library of its own. A library is linked with those of all functions that it calls,
optimised, and made machine code, before a caller is linked with it, and optimised again: at five levels of calls that
is most of the time that a master takes to compile. Functions that only masters call need no machine code. So their
libraries keep what Numba made of their own text, and that of a master takes in all that it reaches, each once; but for
functions that stay functions, which become machine code by themselves, beside Numba (see `parts`).

Vectors are as wide as the processor has them, where it is no slower for that (`with_wide_vectors`).

Integers wrap: Numba promises LLVM that sums, differences and products of signed ones never overflow (`nsw`), so that
LLVM may make `True` of `x + 1 > x`. That promise is taken back here. What is proved of indexes, `assume` tells.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cache
from typing import Any

import numba as _numba
from llvmlite import binding as _binding
from numba.core import codegen as _codegen
from numba.core import compiler as _compiler
from numba.core.environment import lookup_environment as _lookup

from somd.compiling.one_at_a_time import collect_meanwhile
from somd.runtime.multicore.numba_internals.huge_pages import ask_for_huge_pages
from somd.runtime.multicore.numba_internals.parts import Part, make_waiting, part_of

binding: Any = _binding
codegen: Any = _codegen
compiler: Any = _compiler
lookup_environment: Any = _lookup
numba: Any = _numba

_ENVIRONMENT = "_ZN08NumbaEnv"
#: how Numba calls what stands for an address in this process
_DYNAMIC = "numba.dynamic.globals"
_LINKED = "linkonce_odr"
#: what LLVM is told of a function for which it may use vectors of 64 bytes; and a feature of the first processors that
#: did not slow down for them
_WIDE, _AT_ONCE = '"prefer-vector-width"="512"', "avx512vbmi2"
#: instructions that wrap unless a flag promises that they need not
_WRAPPING, _NO_WRAP = ("add", "sub", "mul", "shl"), "nsw"


class _Plain(codegen.JITCodeLibrary):  # type: ignore[misc]
    """A library whose own functions are not optimised one by one before they are linked."""

    _linking_libraries: list[Any]
    _shared_module: Any

    def _optimize_functions(self, ll_module: Any) -> None:
        ll_module.data_layout = self._codegen._data_layout

    def add_ir_module(self, ir_module: Any) -> None:
        let_wrap(ir_module)
        with_wide_vectors(ir_module)
        super().add_ir_module(ir_module)

    def reload_with(self, libraries: Iterable[Any]) -> None:
        """Let what must be called when these libraries are loaded be called when this one is; Numba 0.61 has no such
        thing."""
        for library in libraries:
            for function in getattr(library, "_reload_init", ()):
                self._reload_init.add(function)


class NativeLibrary(_Plain):
    """The library of a function that is only called by compiled code."""

    #: whether the function stays one in machine code
    stays = False
    #: the function by itself, if it becomes machine code beside Numba
    part: Part | None = None

    @property
    def codegen(self) -> Any:
        """The code generator, without machine code in which an environment could be set."""
        return _WithoutMachineCode(self._codegen)

    def add_ir_module(self, ir_module: Any) -> None:
        if self.stays:  # here and not in LLVM's module, where llvmlite 0.44 says it of what the function returns
            for function in ir_module.functions:
                if function.blocks and not function.linkage:
                    function.attributes.add("noinline")
        super().add_ir_module(ir_module)

    def add_linking_library(self, library: Any) -> None:
        self._linking_libraries.append(library)

    def finalize(self) -> None:
        """Nothing but the names is needed from now on."""
        self._raise_if_finalized()
        self.reload_with(self._linking_libraries)
        self._finalize_dynamic_globals()
        self._finalized = True
        if self.stays:
            self.part = part_of(self._codegen, self._by_itself, self._named)

    def get_pointer_to_function(self, name: str) -> int:
        """No function of the library can be called from Python: 0."""
        self._ensure_finalized()
        return 0

    def own_module(self) -> Any:
        """What Numba made of the function's own text, for linking."""
        self._ensure_finalized()
        for function in self._final_module.functions:
            if not function.is_declaration and function.linkage == binding.Linkage.external:
                function.linkage = _LINKED
        return self._final_module

    def _named(self) -> list[str]:
        """What others call."""
        functions = self._final_module.functions
        return [each.name for each in functions if each.linkage == binding.Linkage.external and not each.is_declaration]

    def _by_itself(self) -> Any:
        """The function with all that is written into it."""
        module = self._final_module.clone()
        _link(module, written_into(self._linking_libraries))
        ask_for_huge_pages(module)
        return module

    def _get_module_for_linking(self) -> Any:
        """The function with all that it calls, for a library of Numba's own that calls it."""
        if self._shared_module is None:
            module = self.own_module().clone()
            _link(module, [library for library in reached([self]) if library is not self])
            self._shared_module = module
        return self._shared_module


class MasterLibrary(_Plain):
    """The library of a function that is called from Python, with all that it reaches."""

    #: what becomes machine code by itself, those first that others call
    _parts: Sequence[Part] = ()

    def finalize(self) -> None:
        """Link, optimise and make machine code."""
        linked = reached(self._linking_libraries)
        self.reload_with(linked)
        _link(self._final_module, written_into(self._linking_libraries))
        ask_for_huge_pages(self._final_module)
        # Numba's way from here on, with nothing left to link
        self._linking_libraries = []
        found = {library.part for library in linked if isinstance(library, NativeLibrary) and library.part}
        self._parts = sorted(found, key=lambda part: part.number)
        super().finalize()
        for environment in self.environments():
            self._codegen.set_env(environment.env_name, environment)

    def environments(self) -> list[Any]:
        """What the functions in the machine code, that of parts too, know of Python: their constants."""
        names = [variable.name for variable in self._final_module.global_variables]
        names += [name for part in self._parts for name in part.variables]
        found = (lookup_environment(name) for name in dict.fromkeys(names) if name.startswith(_ENVIRONMENT))
        return [environment for environment in found if environment is not None]

    def _optimize_final_module(self) -> None:
        """Numba's way; what the module calls is there before it is."""
        super()._optimize_final_module()
        if any(part.is_begun() for part in self._parts):
            collect_meanwhile()
        make_waiting()
        for part in self._parts:
            part.load()

    def _finalize_dynamic_globals(self) -> None:
        super()._finalize_dynamic_globals()
        self._dynamic_globals += [name for part in self._parts for name in part.variables if name.startswith(_DYNAMIC)]

    def code_of_parts(self) -> list[bytes]:
        """The machine code of the parts, in the order in which it is loaded, before the rest."""
        return [part.code() for part in self._parts]

    def serialize_using_object_code(self) -> tuple[str, str, tuple[bytes, bytes]]:
        """As Numba does it; nothing links with a master, so in place of its LLVM code there are the names that its
        machine code defines, which Numba asks for."""
        self._ensure_finalized()
        module = self._final_module
        named = [each for group in (module.functions, module.global_variables) for each in group]
        text = "\n".join(f'@"{each.name}" = global i8 0' for each in named if not each.is_declaration)
        return self.name, "object", (self._get_compiled_object(), binding.parse_assembly(text).as_bitcode())


def let_wrap(ir_module: Any) -> None:
    """Let signed integers wrap in all functions of a module of llvmlite's."""
    for function in ir_module.functions:
        for block in function.blocks:
            for instruction in block.instructions:
                if instruction.opname in _WRAPPING and _NO_WRAP in instruction.flags:
                    instruction.flags = [flag for flag in instruction.flags if flag != _NO_WRAP]


def with_wide_vectors(ir_module: Any) -> None:
    """Let LLVM use the widest vectors of this processor in all functions of a module of llvmlite's: it prefers those of
    32 bytes on all of Intel's, for the first that had wider ones lowered their clock in using them."""
    if has_wide_vectors():
        for function in ir_module.functions:
            if function.blocks:
                set.add(function.attributes, _WIDE)  # the method knows attributes without a value alone


@cache
def has_wide_vectors() -> bool:
    """Whether vectors of 64 bytes are quicker than two of 32, if code is compiled for this processor at all."""
    if numba.config.CPU_NAME is not None or numba.config.CPU_FEATURES is not None:
        return False
    try:
        return bool(binding.get_host_cpu_features().get(_AT_ONCE))
    except RuntimeError:  # LLVM cannot tell
        return False


def reached(libraries: Iterable[Any]) -> list[Any]:
    """The libraries, and those that they link with, each once. Numba's own hold what they link with."""
    return _found(libraries, lambda library: isinstance(library, NativeLibrary))


def written_into(libraries: Iterable[Any]) -> list[Any]:
    """Those of them that a module takes in, which reaches these: without parts, and what these alone reach."""
    found = _found(libraries, lambda library: isinstance(library, NativeLibrary) and library.part is None)
    return [library for library in found if not (isinstance(library, NativeLibrary) and library.part)]


def _found(libraries: Iterable[Any], goes_on: Callable[[Any], bool]) -> list[Any]:
    found: dict[Any, None] = {}
    waiting = list(libraries)[::-1]
    while waiting:
        library = waiting.pop()
        if library not in found:
            found[library] = None
            if goes_on(library):
                waiting.extend(reversed(library._linking_libraries))
    return list(found)


def _link(module: Any, libraries: Iterable[Any]) -> None:
    for library in libraries:
        own = isinstance(library, NativeLibrary)
        module.link_in(library.own_module() if own else library._get_module_for_linking(), preserve=True)


class _WithoutMachineCode:
    """A code generator for a library that has no machine code."""

    def __init__(self, generator: Any) -> None:
        self._generator = generator

    def __getattr__(self, name: str) -> Any:
        return getattr(self._generator, name)

    def set_env(self, name: str, environment: Any) -> None:
        """The master's library does it."""
