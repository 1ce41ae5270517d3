"""Names that mean something to C, OpenCL, Numba's modules or our own generated code, as the user's."""

from __future__ import annotations

import math

import numpy as np

from somd import dist, shared, somd, sync
from tests.language.program import SIZES, numbers, program

A = dist[np.ndarray]


def cases(*more):
    return [(numbers(n), numbers(n, seed=1), *more) for n in SIZES]


@program(lambda: cases(3))
@somd
def words_of_c(INT_MAX: A, image1d_t: A, vec_step: int) -> np.ndarray:
    FLT_EPSILON = 0.5
    out = np.empty_like(INT_MAX)
    for event_t in range(len(INT_MAX)):
        M_PI = INT_MAX[event_t] * FLT_EPSILON
        uchar3, LONG_MIN = image1d_t[event_t] + vec_step, M_PI * 2
        _Bool = uchar3 > LONG_MIN
        for vec in range(0, vec_step, 2):
            M_PI += vec
        for __local in range(vec_step):
            if _Bool:
                M_PI -= __local
        out[event_t] = M_PI + uchar3
    return out


def half2(x):
    return x * 2


def vload_half(as_char3, kernel):
    DBL_MAX = half2(as_char3)
    return DBL_MAX, kernel + 1


@program(lambda: cases())
@somd
def functions_of_c(CLK_LOCAL_MEM_FENCE: A, reserve_id_t: A) -> None:
    for linux in range(len(CLK_LOCAL_MEM_FENCE)):
        nullptr, clk_event_t = vload_half(CLK_LOCAL_MEM_FENCE[linux], reserve_id_t[linux])
        CLK_LOCAL_MEM_FENCE[linux] = nullptr - clk_event_t
        reserve_id_t[linux] = half2(nullptr)


@program(lambda: cases())
@somd
def parts_and_their_like(a: A, b: A) -> np.ndarray:
    """`t_0` is another variable than the first part of `t`."""
    out = np.empty_like(a)
    for i in range(len(a)):
        t = (a[i], b[i])
        t_0 = 5.0
        t__0 = t[1] * 2
        a_0, i_stop = t_0 + 1, t[0]
        out[i] = t[0] * t_0 + t[1] + t__0 + a_0 - i_stop
    return out


@program(lambda: cases(4), rtol=1e-12)
@somd
def names_of_kept_scalars(a: A, b: A, n: int) -> tuple:
    """Scalars that a device keeps, under names that its own objects have."""
    buffer, changes, self, function, kept = 0.0, 1.0, 2.0, 3.0, 4.0
    for host_valid in range(n):
        buffer, changes = 0.0, 0.0
        for i in range(len(a)):
            buffer += a[i] * 0.5
            changes = max(changes, b[i])
        self = buffer / 2.0 + function
        function = changes * 0.25 + kept
        kept = self - host_valid
        for i in range(len(a)):
            a[i] = a[i] * 0.5 + self * 0.01
            b[i] = b[i] + function
    return float(self), float(function), float(kept)


@program(lambda: cases())
@somd
def load_double(math: A, b: A) -> tuple:
    """Names of modules and of generated functions, beside those that they would be changed into."""
    load, load_, load__ = 2.0, 3.0, 5.0
    iteration, turn, faults = 0, 1, 2
    out = np.empty_like(math)
    for lane in range(math.shape[0]):
        out[lane] = math[lane] * load + b[lane] * load_ - load__
        iteration += 1
        turn += lane
    return out, int(iteration), int(turn), faults


@program(lambda: [(numbers(n, dtype=np.int64, low=0, high=6),) for n in SIZES])
@somd
def arrays_named_after_kernels(keys: A) -> tuple:
    local: shared[np.ndarray] = np.zeros(7, dtype=np.int64)
    wide: shared[np.ndarray] = np.zeros(7)
    with sync(local, wide, reduce="+"):
        for i in range(len(keys)):
            local[keys[i]] += 1
            wide[keys[i]] += 0.5
    return local, wide


@program(lambda: [(numbers(n), 3) for n in (1, 2, 7, 131)] + [(numbers(9, dtype=np.float32), 2)], rtol=1e-6)
@somd
def names_used_again(a: A, k: int):
    s = 0
    for i in range(len(a)):
        if a[i] > 0:
            s += 1
    positive = s
    s = s / len(a)
    share = s
    s = 2 * k
    for p in range(k):
        k = p // 2
        t = 0
        for i in range(len(a)):
            u = i % 3
            t += u
            u = a[i] * 0.5
            a[i] = u + k
        k = t
        t = 0.25 * t
        share += t
    return positive, share, s, k


@program(lambda: [(numbers(n, dtype=np.float32), numbers(n + 1), 1.1, True) for n in SIZES], rtol=1e-5)
@somd
def arguments_converted(a: A, b: A, scale: float, wanted: bool):
    norm = 0.0
    for i in range(len(b)):
        norm += b[i] * b[i]
    norm = math.sqrt(norm)
    scale = np.float32(scale)
    wanted = np.bool_(wanted)
    for i in range(len(a)):
        wanted = wanted and a[i] > -1.0
        a[i] = a[i] / norm
    for i in range(len(a)):
        scale += a[i]
    return scale, wanted


NUMBER = float


@program(lambda: [(numbers(n), numbers(n, dtype=np.int64, low=0, high=2), 5) for n in SIZES if n], rtol=1e-12)
@somd
def types_of_python(a: A, key: A, n: int):
    int = 0
    bool = NUMBER(n)
    float = np.inf
    complex = 1j
    peak: shared[np.ndarray] = np.full(3, -np.inf)
    turned: shared[np.ndarray] = np.zeros(3, np.complex128)
    while bool > 1.0:
        bool = bool / 2
        for i in range(len(a)):
            int += key[i]
            a[i] += bool
            complex += a[i] * 1j
        for i in range(len(a)):
            float = min(float, a[i])
    with sync(peak, reduce="max"):
        for i in range(len(a)):
            peak[key[i]] = max(peak[key[i]], a[i])
    with sync(turned, reduce="+"):
        for i in range(len(a)):
            turned[key[i]] += a[i] * 1j
    return int, bool, float, complex, peak, turned


@program(lambda: cases(3), rtol=1e-12)
@somd
def functions_of_the_phase(a: A, b: A, n: int) -> None:
    """Names of functions that make tables."""
    for i in range(len(a)):
        functions_of_the_phase_slave_1_table_1 = a[i]
        for k in range(n):
            functions_of_the_phase_slave_1_table_1 += math.exp(k * -0.5) * b[i]
        a[i] = functions_of_the_phase_slave_1_table_1


def named_as_in_c(x: float) -> float:
    half = 1.0 / (1.0 + 0.25 * abs(x))
    int4 = half * half
    local = math.exp(-x * x) * int4
    _1 = local + x
    return 1.0 - _1 if x > 0 else local


@program(lambda: [(numbers(n), numbers(n)) for n in (0, 1, 7, 40)], rtol=1e-12)
@somd
def helper_written_out_twice(a: A, b: A) -> None:
    # what both calls compute is computed once, under names of the helper
    for i in range(len(a)):
        d = a[i] * 0.25 - 1.0
        b[i] = named_as_in_c(d) * a[i] - named_as_in_c(-d) * 2.0
