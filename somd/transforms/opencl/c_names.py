"""Names in generated C: the user's own where C allows them, another one where it does not."""

from __future__ import annotations

from collections.abc import Iterable

_KEYWORDS = """auto break case char const continue default do double else enum extern float for goto if inline int long
register restrict return short signed sizeof static struct switch typedef union unsigned void volatile while
bool half uchar ushort uint ulong size_t ptrdiff_t intptr_t uintptr_t event_t sampler_t image2d_t image3d_t quad complex
imaginary kernel global local constant private read_only write_only read_write uniform pipe generic atomic_int
kept_scalars
true false NULL NAN INFINITY MAXFLOAT HUGE_VAL main defined asm typeof"""
_FUNCTIONS = """
abs abs_diff acos acosh acospi add_sat all any as_double as_float as_int as_long as_uint as_ulong asin asinh asinpi
atan atan2 atan2pi atanh atanpi async_work_group_copy atom_add atomic_add atomic_and atomic_cmpxchg atomic_dec
atomic_inc atomic_max atomic_min atomic_or atomic_sub atomic_xchg atomic_xor barrier bitselect cbrt ceil clamp clz
convert_double convert_float convert_int convert_long copysign cos cosh cospi cross degrees distance dot erf erfc exp
exp10 exp2 expm1 fabs fast_distance fast_length fast_normalize fdim floor fma fmax fmin fmod fract frexp get_global_id
get_global_offset get_global_size get_group_id get_local_id get_local_size get_num_groups get_work_dim hadd hypot
ilogb isequal isfinite isgreater isgreaterequal isinf isless islessequal islessgreater isnan isnormal isnotequal
isordered isunordered ldexp length lgamma lgamma_r log log10 log1p log2 logb mad mad24 mad_hi mad_sat max maxmag
mem_fence min minmag mix modf mul24 mul_hi nan native_cos native_divide native_exp native_log native_recip native_sin
native_sqrt nextafter normalize popcount pow pown powr prefetch printf radians read_mem_fence remainder remquo rhadd
rint rootn rotate round rsqrt select shuffle sign signbit sin sincos sinh sinpi smoothstep sqrt step sub_sat tan tanh
tanpi tgamma trunc upsample vload2 vload4 vstore2 vstore4 wait_group_events write_mem_fence linux unix i386"""
_VECTORS = [
    f"{t}{n}"
    for t in ["char", "uchar", "short", "ushort", "int", "uint", "long", "ulong", "float", "double"]
    for n in (2, 3, 4, 8, 16)
]
RESERVED = frozenset((*_KEYWORDS.split(), *_FUNCTIONS.split(), *_VECTORS))
#: beginnings of the names of our own C functions and of the compiler's
_OWN = (
    "python_",
    "numpy_",
    "load_",
    "store_",
    "fault_",
    "_",
    "cl_",
    "CL",
    "FP_",
    "M_",
    "LANES",
    "BLOCKS",
    "ROWS",
    "TILE",
    "GROUP",
    "AHEAD",
    "RUNS",
    "TERMS",
    "GUARDS_END",
    "atomic_",
    "convert_",
    "as_",
)


class Names:
    """Names of one scope: `of` gives the C name of a user's name, always the same; `fresh` a new one."""

    def __init__(self, taken: Iterable[str] = ()) -> None:
        self._taken = {*RESERVED, *taken}
        self._given: dict[str, str] = {}

    def of(self, name: str) -> str:
        if name not in self._given:
            text = "".join(ch if ch.isascii() else f"u{ord(ch):x}" for ch in name)
            clashes = text in self._taken or text.startswith(_OWN)
            self._given[name] = self.fresh(f"v_{text}" if clashes else text)
        return self._given[name]

    def fresh(self, wish: str) -> str:
        name, count = wish, 2
        while name in self._taken:
            name, count = f"{wish}_{count}", count + 1
        self._taken.add(name)
        return name

    def fresh_root(self, wish: str, endings: Iterable[str]) -> str:
        """A beginning for which all of `root_ending` are new."""
        root, count = wish, 2
        wanted = tuple(endings)
        while any(f"{root}_{ending}" in self._taken for ending in wanted):
            root, count = f"{wish}_{count}", count + 1
        self._taken.update(f"{root}_{ending}" for ending in wanted)
        return root
