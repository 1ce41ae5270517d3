"""All that depends on Numba's inner parts, which may change from one version to the next without a word.

    lowering      its helpers for writing LLVM code, for modules of the runtime that bring functions of their own
    native        functions that only compiled code calls
    extremes      a pass: `min` and `max` of int64, and `range`
    ranges        what stands for `range`
    outlining     a pass: `prange` loops become functions
    regions       what runs these functions on threads
    libraries     LLVM code of a master, optimised once
    lifetimes     which variables are live where, found only when something asks
    machine_code  the same on disk
    locations     places in source text, where there is no working folder
    layer         the threads, and what becomes of them in a fork

Nothing outside of this folder imports more than Numba's and llvmlite's public names (`make lint` sees to that). For
each inner part that is used here there is a canary in `tests/runtime/multicore/numba_internals`, which tells after an
update of Numba what has changed. The versions that the tests have run on are the bounds in `pyproject.toml`.
"""
