"""Levels of processors by name, as x86-64's ABI defines them: what machine code that is shipped may use.

In: the name of a level. Out: what Numba is told to compile for it, and whether this processor has all of it.
"""

from __future__ import annotations

import functools
import platform
from collections.abc import Mapping

_V2 = ("cx16", "popcnt", "sahf", "sse3", "sse4.1", "sse4.2", "ssse3")
_V3 = (*_V2, "avx", "avx2", "bmi", "bmi2", "f16c", "fma", "lzcnt", "movbe")
_V4 = (*_V3, "avx512bw", "avx512cd", "avx512dq", "avx512f", "avx512vl")
#: the levels, the highest first, with their features in LLVM's words
LEVELS: Mapping[str, tuple[str, ...]] = {"x86-64-v4": _V4, "x86-64-v3": _V3, "x86-64-v2": _V2}


def compiled_for(level: str) -> tuple[str, str]:
    """The processor and the features for which a level's code is compiled: NUMBA_CPU_NAME, NUMBA_CPU_FEATURES."""
    return level, ",".join(f"+{feature}" for feature in LEVELS[level])


@functools.cache
def usable() -> tuple[str, ...]:
    """The levels whose code runs on this processor, the highest first."""
    if platform.machine().lower() not in ("x86_64", "amd64"):
        return ()
    from llvmlite import binding

    try:
        here = binding.get_host_cpu_features()
    except RuntimeError:  # LLVM cannot tell
        return ()
    return tuple(level for level, features in LEVELS.items() if all(here.get(each) for each in features))
