"""C functions for accesses that are tested where they happen.

The fault record of a call begins with the lowest iteration that failed (an int, INT_MAX for none), the number of rows
in use (an int), and the turn of the launch that noted them (a long). Behind them come the rows, FAULT_ROW longs each:
iteration, site, and the index or the values of a `raise`. A work-item that fails takes a row if no lower iteration has
failed yet; of all rows, that of the lowest iteration counts, the first one if an iteration has several. There is no
lock, which compilers that make vectors of work-items get wrong in loops, and 32-bit atomics are all it takes. Launches
after the one that failed return at their beginning, so what they would have computed from wrong values does no harm.

An access that failed gives 0, with which loops could go on for ever: `c_leaving` has what ends them.
An index that has wrapped has, to a compiler, the sign that it would have without: so no test asks for its sign.

In kernels whose loops a compiler must be free to unroll, a work-item keeps its first fault to itself until its end.
"""

from __future__ import annotations

from somd.transforms.emit.c_types import CTYPES, zero

FAULTS = "__global volatile long *faults, long iteration, long turn"
ROW = f"""static __global volatile long *fault_row({FAULTS})
{{
    __global volatile int *head = (__global volatile int *)faults;
    const int place = (int)min(iteration, (long)INT_MAX - 1);
    const int lowest = atomic_min(head, place);
    if (lowest < place || (lowest == place && place < INT_MAX - 1))
        return 0;
    faults[1] = turn;
    const int row = atomic_inc(head + 1);
    return row < FAULT_ROWS ? faults + 2 + row * FAULT_ROW : 0;
}}"""


def _note(name: str, values: tuple[str, ...]) -> str:
    """A function that enters a site, and what it takes besides, in a row of the record."""
    taken = "".join(f", long {value}" for value in values)
    entered = "".join(f"\n        row[{place}] = {value};" for place, value in enumerate(values, 2))
    return f"""static void {name}({FAULTS}, long site{taken})
{{
    __global volatile long *row = fault_row(faults, iteration, turn);
    if (row) {{
        row[0] = iteration;
        row[1] = site;{entered}
    }}
}}"""


NOTE = f"""{_note("fault_note", ("index",))}

static long fault_place(long index, long length, {FAULTS}, long site)
{{
    if ((ulong)index < (ulong)length)
        return index;
    if ((ulong)index + (ulong)length < (ulong)length)
        return index + length;
    fault_note(faults, iteration, turn, site, index);
    return -1;
}}"""


#: whether an iteration may go on: neither it nor a lower one has failed
WELL = """static int fault_none(__global volatile long *faults, long iteration)
{
    return *(__global volatile int *)faults > (int)min(iteration, (long)INT_MAX - 1);
}"""


LATER = """typedef struct {
    long site, index, iteration;
} fault_first;

static long fault_later(long index, long length, fault_first *noted, long iteration, long site)
{
    if ((ulong)index < (ulong)length)
        return index;
    if ((ulong)index + (ulong)length < (ulong)length)
        return index + length;
    if (noted->site == 0 || iteration < noted->iteration) {
        noted->site = site;
        noted->index = index;
        noted->iteration = iteration;
    }
    return -1;
}"""


#: an index of an array with elements as it is, or one that is inside
NEAR = """static long place_near(long index, long length, int *outside)
{
    const int beyond = (ulong)index >= (ulong)length;
    *outside |= beyond;
    return beyond ? 0 : index;
}"""


#: whether two numbers are more than 2**most apart
FAR_APART = """static int far_apart(long a, long b, int most)
{
    return (ulong)max(a, b) - (ulong)min(a, b) > 1UL << most;
}"""


#: quotients and roots that are rounded right, in steps without a branch, where a device has reciprocals that are near
#: enough and no step leaves the normal numbers; of others they tell. The steps are those of NVIDIA's own quotients and
#: roots, whose rare cases are calls that no load is moved across.
QUOTIENT = """static float quotient_near(float a, float b, int *outside)
{
#ifdef NEAR_RECIPROCALS
    const float large = 4.611686e18f, small = 2.1684043e-19f, first = recip_near(b);
    const float inverse = fma(first, fma(-b, first, 1.0f), first);
    const float coarse = a * inverse, near = fma(inverse, fma(-b, coarse, a), coarse);
    *outside |= !(fabs(a) >= small & fabs(a) <= large & fabs(b) >= small & fabs(b) <= large);
    return fma(inverse, fma(-b, near, a), near);
#else
    return a / b;
#endif
}"""
ROOT = """static float root_near(float a, int *outside)
{
#ifdef NEAR_RECIPROCALS
    const float inverse = rsqrt_near(a), near = a * inverse;
    *outside |= !(a >= 2.1684043e-19f & a <= 4.611686e18f);
    return fma(fma(-near, near, a), inverse * 0.5f, near);
#else
    return sqrt(a);
#endif
}"""
#: the same of doubles, whose exponents are tested: from -500 to 500. The inverse is 1 / b rounded right, unless all
#: digits of b are ones, and `near` is beside the quotient, so that the last step rounds right (Markstein's theorem,
#: *Computation of elementary functions on the IBM RISC System/6000 processor*, 1990)
QUOTIENT_OF_DOUBLES = """static double quotient_near_double(double a, double b, int *outside)
{
#ifdef NEAR_RECIPROCALS
    double near;
    RECIPROCAL_NEAR(near, b);
    const double missing = fma(-b, near, 1.0);
    near = fma(near, fma(missing, missing, missing), near);
    const double inverse = fma(near, fma(-b, near, 1.0), near), coarse = a * inverse;
    near = fma(inverse, fma(-b, coarse, a), coarse);
    *outside |= (as_uint2(a).y & 0x7fffffff) - 0x20b00000 > 0x3e800000;
    *outside |= (as_uint2(b).y & 0x7fffffff) - 0x20b00000 > 0x3e800000 | as_uint2(b).x == 0xffffffff;
    return fma(inverse, fma(-b, near, a), near);
#else
    return a / b;
#endif
}"""
ROOT_OF_DOUBLES = """static double root_near_double(double a, int *outside)
{
#ifdef NEAR_RECIPROCALS
    double near;
    ROOT_RECIPROCAL_NEAR(near, a);
    const double missing = fma(a, -(near * near), 1.0);
    const double inverse = fma(fma(missing, 0.375, 0.5), near * missing, near), coarse = a * inverse;
    *outside |= as_uint2(a).y - 0x20b00000 > 0x3e800000;
    return fma(fma(-coarse, coarse, a), inverse * 0.5, coarse);
#else
    return sqrt(a);
#endif
}"""


def raise_name(words: int) -> str:
    return f"fault_raise_{words}"


def raise_text(words: int) -> str:
    """A function that notes a `raise` with so many words."""
    return _note(raise_name(words), tuple(f"value_{k}" for k in range(words)))


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
