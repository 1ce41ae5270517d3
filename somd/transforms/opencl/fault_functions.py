"""C functions for accesses that are tested where they happen.

The fault record of a call is six longs: a lock, the site, index and length of the axis of a fault, its iteration and
the turn of its launch. A failing work-item takes the lock and enters itself when its iteration is lower than the one
entered; a later fault of the same iteration is not lower, so the first one stays. Launches after the one that failed
return at their beginning, so what they would have computed from wrong values does no harm. The lock needs 32-bit
atomics only, which OpenCL has since 1.1, and is touched only by iterations that fail. It relies on a work-item that
holds the lock going on while others of its group wait, which the form of the loop allows on the devices tried.

In kernels whose loops a compiler must be free to unroll, a work-item keeps its first fault to itself until its end.
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


LATER = """typedef struct {
    long site, index, length, iteration;
} fault_first;

static long fault_later(long index, long length, fault_first *noted, long iteration, long site)
{
    if ((ulong)index < (ulong)length)
        return index;
    if (index < 0 && index >= -length)
        return index + length;
    if (noted->site == 0 || iteration < noted->iteration) {
        noted->site = site;
        noted->index = index;
        noted->length = length;
        noted->iteration = iteration;
    }
    return -1;
}"""


def access_name(store: bool, dtype: str, ndim: int, where: str = "", later: bool = False) -> str:
    kind = f"{f'{where}_' if where else ''}{'later_' if later else ''}"
    return f"{'store' if store else 'load'}_{kind}{CTYPES[dtype]}_{ndim}d"


def access_text(store: bool, dtype: str, ndim: int, where: str = "", later: bool = False) -> str:
    """A load that gives 0, or a store that does nothing, where an index is outside; site + k is that of axis k.

    `where` is "own" for arrays in private memory, "apart" for those whose elements are so many steps apart; `later` is
    for kernels that note faults at their end.
    """
    kind, name = CTYPES[dtype], access_name(store, dtype, ndim, where, later)
    function, passed, taken = "fault_place", "faults, iteration, turn", FAULTS
    if later:
        function, passed, taken = "fault_later", "noted, iteration", "fault_first *noted, long iteration"
    axes = range(ndim)
    indexes = ", ".join(f"long i{k}, long n{k}" for k in axes)
    places = "\n".join(f"    const long p{k} = {function}(i{k}, n{k}, {passed}, site + {k});" for k in axes)
    inside = " && ".join(f"p{k} >= 0" for k in axes)
    flat = "p0"
    for k in axes[1:]:
        flat = f"({flat}) * n{k} + p{k}" if k > 1 else f"{flat} * n{k} + p{k}"
    flat = f"({flat}) * step" if where == "apart" else flat
    array = f"{'' if where == 'own' else '__global '}{'' if store else 'const '}{kind} *array"
    head = f"{array}{', long step' if where == 'apart' else ''}, {indexes}, {taken}, long site"
    if store:
        body = f"    if ({inside})\n        array[{flat}] = value;"
        return f"static void {name}({head}, {kind} value)\n{{\n{places}\n{body}\n}}"
    return f"static {kind} {name}({head})\n{{\n{places}\n    return {inside} ? array[{flat}] : {zero(dtype)};\n}}"
