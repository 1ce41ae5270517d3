"""C functions for accesses that are tested where they happen.

The fault record of a call is six longs: a lock, the site, index and length of the axis of a fault, its iteration and
the turn of its launch. A failing work-item takes the lock and enters itself when its iteration is lower than the one
entered; a later fault of the same iteration is not lower, so the first one stays. Launches after the one that failed
return at their beginning, so what they would have computed from wrong values does no harm. The lock needs 32-bit
atomics only, which OpenCL has since 1.1, and is touched only by iterations that fail. It relies on a work-item that
holds the lock going on while others of its group wait, which the form of the loop allows on the devices tried.
"""

from __future__ import annotations

from somd.transforms.opencl.c_types import CTYPES, zero

FAULTS = "__global volatile long *faults, long iteration, long turn"
NOTE = f"""static void fault_note({FAULTS}, long site, long index, long length)
{{
    __global volatile int *lock = (__global volatile int *)faults;
    int waiting = faults[4] > iteration;
    while (waiting) {{
        if (atomic_cmpxchg(lock, 0, 1) == 0) {{
            mem_fence(CLK_GLOBAL_MEM_FENCE);
            if (iteration < faults[4]) {{
                faults[1] = site;
                faults[2] = index;
                faults[3] = length;
                faults[4] = iteration;
                faults[5] = turn;
            }}
            mem_fence(CLK_GLOBAL_MEM_FENCE);
            atomic_xchg(lock, 0);
            waiting = 0;
        }}
    }}
}}

static long fault_place(long index, long length, {FAULTS}, long site)
{{
    if (index >= -length && index < length)
        return index < 0 ? index + length : index;
    fault_note(faults, iteration, turn, site, index, length);
    return -1;
}}"""


def access_name(store: bool, dtype: str, ndim: int, where: str = "") -> str:
    return f"{'store' if store else 'load'}_{f'{where}_' if where else ''}{CTYPES[dtype]}_{ndim}"


def access_text(store: bool, dtype: str, ndim: int, where: str = "") -> str:
    """A load that gives 0, or a store that does nothing, where an index is outside; site + k is that of axis k.

    `where` is "own" for arrays in private memory, "apart" for those whose elements are so many steps apart.
    """
    kind, name = CTYPES[dtype], access_name(store, dtype, ndim, where)
    axes = range(ndim)
    indexes = ", ".join(f"long i{k}, long n{k}" for k in axes)
    places = "\n".join(
        f"    const long p{k} = fault_place(i{k}, n{k}, faults, iteration, turn, site + {k});" for k in axes
    )
    inside = " && ".join(f"p{k} >= 0" for k in axes)
    flat = "p0"
    for k in axes[1:]:
        flat = f"({flat}) * n{k} + p{k}" if k > 1 else f"{flat} * n{k} + p{k}"
    flat = f"({flat}) * step" if where == "apart" else flat
    array = f"{'' if where == 'own' else '__global '}{'' if store else 'const '}{kind} *array"
    head = f"{array}{', long step' if where == 'apart' else ''}, {indexes}, {FAULTS}, long site"
    if store:
        body = f"    if ({inside})\n        array[{flat}] = value;"
        return f"static void {name}({head}, {kind} value)\n{{\n{places}\n{body}\n}}"
    return f"static {kind} {name}({head})\n{{\n{places}\n    return {inside} ? array[{flat}] : {zero(dtype)};\n}}"
