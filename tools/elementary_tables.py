"""Compute the constants, polynomials and tables of `somd/elementary`, and write them to its `tables.py`.

    python tools/elementary_tables.py          (wants mpmath; a minute)

Polynomials interpolate at Chebyshev's points, which is near the best there is; coefficients are found from the lowest
power on, each rounded before the next, where that matters.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import mpmath as mp
import numpy as np

mp.mp.prec = 400
TARGET = Path(__file__).parent.parent / "somd" / "elementary" / "tables.py"
Real = Any


def rounded_to(value: Real, bits_behind_point: int) -> float:
    """The nearest multiple of a power of two."""
    scale = mp.mpf(2) ** bits_behind_point
    return float(mp.nint(value * scale) / scale)


def pair(value: Real) -> tuple[float, float]:
    high = float(value)
    return high, float(value - mp.mpf(high))


def fitted(function: Callable[[Real], Real], low: Real, high: Real, degree: int) -> list[Real]:
    """The coefficients, lowest power first, of the polynomial that is `function` at Chebyshev's points."""
    low, high = mp.mpf(low), mp.mpf(high)
    count = degree + 1
    points = [(low + high) / 2 + (high - low) / 2 * mp.cos(mp.pi * (2 * k + 1) / (2 * count)) for k in range(count)]
    matrix = mp.matrix(count, count)
    for row, point in enumerate(points):
        for column in range(count):
            matrix[row, column] = point**column
    return list(mp.lu_solve(matrix, mp.matrix([function(point) for point in points])))


def polynomial(function: Callable[[Real], Real], low: Real, high: Real, degree: int) -> tuple[float, ...]:
    """The same as float64, the highest power first."""
    return tuple(float(each) for each in reversed(fitted(function, low, high, degree)))


def of_square(function: Callable[[Real], Real]) -> Callable[[Real], Real]:
    """`function` of the root of its argument, for what is even."""
    return lambda square: function(mp.sqrt(square))


def near_zero(function: Callable[[Real], Real], limit: Real) -> Callable[[Real], Real]:
    """`function` with its limit at 0, where it is a quotient of small numbers."""
    return lambda x: limit if abs(x) < mp.mpf(2) ** -90 else function(x)


def exponentials() -> dict[str, object]:
    ln2 = mp.log(2)
    few = rounded_to(ln2, 42)
    rest = ln2 / 2 + mp.mpf("0.001")
    exp = polynomial(near_zero(lambda r: (mp.exp(r) - 1 - r) / r**2, mp.mpf(1) / 2), -rest, rest, 10)
    return {
        "LN2, LN2_REST": pair(ln2),
        "TWICE_LN2, TWICE_LN2_REST": pair(2 * ln2),
        "LN2_FEW, LN2_FEW_REST": (few, float(ln2 - mp.mpf(few))),
        "PER_LN2, PER_LN2_REST": pair(1 / ln2),
        "PER_LN10, PER_LN10_REST": pair(1 / mp.log(10)),
        "EXP": exp,
    }


def bits(value: float) -> int:
    return int(struct.unpack("<q", struct.pack("<d", value))[0])


def logarithms() -> dict[str, object]:
    """log m = log((1 + s) / (1 - s)) = 2 s + s**3 * (2 / 3 + ...), with s = (m - 1) / (m + 1), m to the root of 2."""
    root = mp.sqrt(2)
    end = ((root - 1) / (root + 1)) ** 2 * mp.mpf("1.0001")

    def series(s: Real) -> Real:
        return (mp.log((1 + s) / (1 - s)) / s - 2) / s**2

    def without_first(s: Real) -> Real:
        return (series(s) - mp.mpf(2) / 3) / s**2

    return {
        "ROOT_HALF_BITS": bits(float(mp.sqrt(mp.mpf(1) / 2))),
        "TWO_THIRDS, TWO_THIRDS_REST": pair(mp.mpf(2) / 3),
        "LOG": polynomial(of_square(series), 0, end, 7),
        "LOG_PARTS": polynomial(of_square(without_first), 0, end, 9),
    }


def single(value: Real) -> float:
    """The nearest float32."""
    return float(np.float32(float(value)))


def singles() -> dict[str, object]:
    """For functions that are computed in float32."""
    ln2 = mp.log(2)
    few = rounded_to(ln2, 14)
    rest = ln2 / 2 + mp.mpf("0.001")
    exp = polynomial(near_zero(lambda r: (mp.exp(r) - 1 - r) / r**2, mp.mpf(1) / 2), -rest, rest, 5)
    root = mp.sqrt(2)
    log = polynomial(
        near_zero(lambda f: (mp.log(1 + f) - f + f**2 / 2) / f**3, mp.mpf(1) / 3), 1 / root - 1, root - 1, 8
    )
    tanh = polynomial(of_square(lambda x: (mp.tanh(x) / x - 1) / x**2), 0, mp.mpf("0.626") ** 2, 5)
    return {
        "SINGLE_LN2_FEW, SINGLE_LN2_REST": (few, single(ln2 - mp.mpf(few))),
        "SINGLE_ROOT_HALF_BITS": int(np.float32(single(1 / root)).view(np.int32)),
        "SINGLE_EXP": tuple(map(single, exp)),
        "SINGLE_LOG": tuple(map(single, log)),
        "SINGLE_TANH": tuple(map(single, tanh)),
    }


def circles() -> dict[str, object]:
    quarter = mp.pi / 2
    first, second = pair(quarter)
    third = float(quarter - mp.mpf(first) - mp.mpf(second))
    end = (mp.pi / 4 + mp.mpf("0.001")) ** 2
    sine = polynomial(of_square(lambda r: (mp.sin(r) / r - 1) / r**2), 0, end, 6)
    cosine = polynomial(of_square(lambda r: (mp.cos(r) - 1 + r * r / 2) / r**4), 0, end, 6)
    whole = mp.mpf(2) / mp.pi
    turn = mp.pi
    high, low = pair(turn)
    half_end = (mp.pi / 2 + mp.mpf("0.001")) ** 2
    sixth = float(mp.mpf(-1) / 6)
    half_sine = polynomial(of_square(lambda r: (mp.sin(r) / r - 1) / r**2 - sixth), 0, half_end, 8)
    with mp.workprec(2000):
        digits, left = [0, 0, 0], 2 / mp.pi
        while len(digits) < 46:
            left *= 2**28
            digits.append(int(left))
            left -= int(left)
    arc_sine = polynomial(of_square(lambda x: (mp.asin(x) / x - 1) / x**2), 0, mp.mpf("0.2501"), 12)
    arc_tangent = polynomial(of_square(lambda x: (mp.atan(x) / x - 1) / x**2), 0, mp.mpf("0.4376") ** 2, 11)
    return {
        "PI, PI_REST, PI_THIRD": (high, low, float(turn - mp.mpf(high) - mp.mpf(low))),
        "PER_HALF": float(1 / turn),
        "MINUS_SIXTH": sixth,
        "HALF_SINE": half_sine,
        "QUARTER, QUARTER_REST, QUARTER_THIRD": (first, second, third),
        "PER_QUARTER": float(whole),
        "PER_QUARTER_DIGITS": tuple(digits),
        "SINE": sine,
        "COSINE": cosine,
        "ARC_SINE": arc_sine,
        "ARC_TANGENT": arc_tangent,
        "ARC_OF_HALF, ARC_OF_HALF_REST": pair(mp.atan(mp.mpf("0.5"))),
        "ARC_OF_ONE, ARC_OF_ONE_REST": pair(mp.atan(1)),
        "ARC_OF_THREE_HALVES, ARC_OF_THREE_HALVES_REST": pair(mp.atan(mp.mpf("1.5"))),
    }


def errors() -> dict[str, object]:
    error = polynomial(of_square(lambda x: mp.erf(x) / x - 1), 0, mp.mpf("0.876") ** 2, 14)
    rows: list[float] = []
    for octave in range(-1, 5):
        for eighth in range(8):
            low = mp.mpf(2) ** octave * (1 + mp.mpf(eighth) / 8)
            width = mp.mpf(2) ** octave / 8
            if low > 28:
                break
            middle = low + width / 2
            found = fitted(lambda u, m=middle: mp.erfc(m + u) * mp.exp((m + u) ** 2), -width / 2, width / 2, 10)
            rows += [*pair(found[0]), *(float(each) for each in reversed(found[1:]))]
    return {"ERROR": error, "SCALED_COMPLEMENTS": tuple(rows)}


def roots() -> dict[str, object]:
    return {"CUBE_ROOT": polynomial(lambda m: mp.cbrt(m), 1, 8, 5)}


def gammas() -> dict[str, object]:
    series = mp.taylor(lambda d: mp.loggamma(2 + d), 0, 6)[1:]
    leading = [float(part) for each in series[:4] for part in pair(each)]

    def remaining(d: Real) -> Real:
        whole = mp.loggamma(2 + d) / d
        return (whole - sum((c * d**k for k, c in enumerate(series[:4])), mp.mpf(0))) / d**4

    half = mp.mpf("0.5001")
    stirling = [mp.bernoulli(2 * k) / (2 * k * (2 * k - 1)) for k in range(1, 9)]
    return {
        "LOG_GAMMA": polynomial(near_zero(remaining, series[4]), -half, half, 17),
        "LOG_GAMMA_FIRST": tuple(leading),
        "STIRLING": tuple(float(each) for each in reversed(stirling)),
        "ROOT_LOG, ROOT_LOG_REST": pair(mp.log(2 * mp.pi) / 2),
        "LOG_GAMMA_ZEROS": tuple(zeros()),
    }


def size_of_log_gamma(x: Real) -> Real:
    return mp.log(abs(mp.gamma(x)))


def zeros() -> list[float]:
    """The rows of the zeros of log |gamma| below -2: at each negative integer first the one below it, then the one
    above: the zero and its rest, the slope and its rest, and a series in distance times slope, highest power first."""
    rows: list[float] = []
    for whole in range(2, 20):
        for above in (False, True):
            if whole == 2 and above:
                rows += [0.0] * 13
                continue
            rows += zero_row(whole, above)
    return rows


def zero_row(whole: int, above: bool) -> list[float]:
    with mp.workprec(900):
        sign = 1 if above else -1
        near, far = mp.mpf(2) ** -120, mp.mpf("0.4999")
        if whole <= 3:  # the least |gamma| of an interval lies near its middle
            far = mp.mpf("0.4999") if not (whole == 3 and above) else mp.mpf("0.3")
        low, high = near, far
        for _ in range(600):
            middle = (low + high) / 2
            if size_of_log_gamma(-whole + sign * middle) > 0:
                low = middle
            else:
                high = middle
        zero = -whole + sign * (low + high) / 2
        count = 12
        slope = mp.digamma(zero)
        # log |gamma| is a series of polygammas about the zero
        terms = [mp.psi(k - 1, zero) / mp.factorial(k) / slope**k for k in range(2, count)]
    found = [*pair(zero), *pair(slope), *(float(each) for each in reversed(terms[:9]))]
    assert len(found) == 13
    return found


def written(name: str, value: object) -> str:
    if not isinstance(value, tuple) or "," in name:
        text = ", ".join(map(repr, value)) if isinstance(value, tuple) else repr(value)
        return f"{name} = {text}"
    lines = [f"{name} = ("]
    line = "   "
    for each in value:
        if len(line) + len(repr(each)) + 2 > 116:
            lines.append(line)
            line = "   "
        line += f" {each!r},"
    return "\n".join([*lines, line, ")"])


def main() -> None:
    parts = {**exponentials(), **logarithms(), **circles(), **errors(), **roots(), **gammas(), **singles()}
    for name, value in parts.items():
        numbers: Sequence[object] = value if isinstance(value, tuple) else (value,)
        assert all(math.isfinite(each) for each in numbers if isinstance(each, float)), name
    head = '"""Numbers for the functions of this room, written by `tools/elementary_tables.py`."""\n'
    TARGET.write_text("\n".join([head, *(written(name, value) for name, value in parts.items())]) + "\n")


if __name__ == "__main__":
    main()
