"""Names that mean something elsewhere: in C, in generated code, in the runtime; and names that are not ASCII."""

from __future__ import annotations

import random
import re
from collections.abc import Iterable

WORDS = """
double long short unsigned signed register restrict auto static struct union void char half volatile const switch case default
goto typedef extern sizeof enum inline kernel global_ local private constant read_only NULL INFINITY NAN M_PI MAXFLOAT
barrier get_global_id get_local_id convert_int as_int select clamp mix step sign dot cross length normalize fract exp2 printf
int8 ulong uint uchar bool_ true_ image2d_t event_t size_t ptrdiff_t double2 float4 vload4 atomic_add mad fma
lo hi rank n_slaves small_work trips slave_range assume master slave run prange place first last index_error i_stop fault row site
SITES KERNELS RESULT WRITTEN PARTITIONS HAS_FAULTS FAR partial partials copies block blocks lanes acc out state numba njit np_ np_1
method_slave_1 method_1 a_0 a_shape_0 s_a_0 v_i e_0 a_1 x_stop x_start n_0 i__2 t_1 w_0 tmp temp stride base part parts share crew turn
given arguments result results function names self cls args kwargs number_ group item get_num_groups lid gid id_ type_ input_ object_
λ µ μ Ω é ñ ﬁ naïve α_1 Ａ ª ℎ ſ __x _ __ _1 x__y __kernel_ __global_ _Bool _Complex _x_ I complex_ errno stdin main y0 y1 j0 jn gamma signbit
""".split()
METHODS = (
    "method",
    "method",
    "master",
    "run",
    "main",
    "kernel",
    "slave",
    "prange",
    "index_error",
    "trips",
    "method_slave_1",
    "λ",
    "double",
    "np_",
    "x",
    "lo",
)


def renamed(text: str, names: Iterable[str], pick: random.Random) -> tuple[str, dict[str, str]]:
    """`text` with some of `names` exchanged for such words; and which."""
    import unicodedata

    free = [word for word in WORDS if not re.search(rf"\b{word}\b", text)]
    pick.shuffle(free)
    given: dict[str, str] = {}
    used: set[str] = set()
    for name in names:
        if pick.random() < 0.6 and free:
            word = free.pop()
            if unicodedata.normalize("NFKC", word) not in used:
                used.add(unicodedata.normalize("NFKC", word))
                given[name] = word
    for name, word in given.items():
        text = re.sub(rf"\b{re.escape(name)}\b", word, text)
    return text, given
