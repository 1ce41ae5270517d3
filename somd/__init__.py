"""Single Operation, Multiple Data: annotated Python functions that run on all cores and on GPUs.

    from somd import dist, somd

    @somd
    def vector_add(a: dist[np.ndarray], b: dist[np.ndarray]) -> np.ndarray: ...

The function means what it means without the annotations; the compiler proves it, or refuses. libcst, islpy, Numba and
pyopencl are imported when a method first needs them.
"""

import sys
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any

from somd.arguments.device_arrays import to_device
from somd.calls.decorator import somd
from somd.calls.method import SomdMethod
from somd.calls.profile import Profile, profile
from somd.diagnostics.refusals import hidden as __tracebackhide__  # noqa: F401 - pytest asks for it
from somd.errors import (
    SomdCacheWarning,
    SomdCompileError,
    SomdConfigError,
    SomdError,
    SomdFallbackWarning,
    SomdInternalError,
    SomdRuntimeError,
)
from somd.language.markers import dim, dist, like, partition, polyview, reduce, shared, single, sync, view
from somd.language.partitioners import Block, BlockBlock, ByKey, Chunked, Cyclic, Weighted
from somd.runtime.mpi.making import empty, full, gather, load, save, scatter, zeros
from somd.settings.config import use
from somd.settings.targets import targets

if TYPE_CHECKING:
    from somd import random as random

__version__ = "0.1.0"


def load_ipython_extension(shell: object) -> None:
    """`%load_ext somd` in IPython and notebooks: adds `%%somd`."""
    from somd.notebook import add_magic

    add_magic(shell)


class _Package(ModuleType):
    """The package, which decorates as well: ``import somd`` and ``@somd``."""

    def __call__(self, *args: Any, **options: Any) -> Any:
        return somd(*args, **options)

    def __getattr__(self, name: str) -> Any:
        if name == "random":  # imported when it is first read
            return import_module("somd.random")
        raise AttributeError(f"module {self.__name__!r} has no attribute {name!r}")


sys.modules[__name__].__class__ = _Package

__all__ = [
    "Block",
    "BlockBlock",
    "ByKey",
    "Chunked",
    "Cyclic",
    "Profile",
    "SomdCacheWarning",
    "SomdCompileError",
    "SomdConfigError",
    "SomdError",
    "SomdFallbackWarning",
    "SomdInternalError",
    "SomdMethod",
    "SomdRuntimeError",
    "Weighted",
    "dim",
    "dist",
    "empty",
    "full",
    "gather",
    "like",
    "load",
    "partition",
    "polyview",
    "profile",
    "reduce",
    "save",
    "scatter",
    "shared",
    "single",
    "somd",
    "sync",
    "targets",
    "to_device",
    "use",
    "view",
    "zeros",
]
