"""C functions with Python's and NumPy's meaning, added to a program where it uses them.

`@T` is the C type, `@U` the unsigned one of the same width, `@W` one of at least 32 bits, `@B` the width in bits.
Division follows NumPy's scalars: an integer divided by 0 is 0; the one of floats is NumPy's `npy_divmod`.
"""

from __future__ import annotations

from somd.transforms.emit import c_complex_prelude
from somd.transforms.emit.c_complex_prelude import complex_function_text
from somd.transforms.emit.c_guards import SHORT
from somd.transforms.emit.c_tree import DOUBLES, OF_DOUBLES
from somd.transforms.emit.c_types import CTYPES, bits, kind_of

SIGNED = {
    "trips": """static @T python_trips_@T(@T start, @T stop, @T step)
{
    if (step > 0)
        return start < stop ? (@T)(((@U)stop - (@U)start - 1) / (@U)step) + 1 : 0;
    return start > stop ? (@T)(((@U)start - (@U)stop - 1) / (0 - (@U)step)) + 1 : 0;
}""",
    "rounded": """static @T python_rounded_@T(@T a, @T factor)
{
    @T count = a / factor - (a % factor < 0);
    const @T rest = (@T)((@U)a - (@U)count * (@U)factor), left = factor - rest;
    if (rest > left || (rest == left && count % 2 != 0))
        count += 1;
    return (@T)((@U)count * (@U)factor);
}""",
    "reciprocal": """static @T numpy_reciprocal_@T(@T a, @T by_zero)
{
    return a == 0 ? by_zero : a == 1 || a == -1 ? a : 0;
}""",
    "floor_div": """static @T python_floor_div_@T(@T a, @T b)
{
    if (b == 0)
        return 0;
    if (b == -1)
        return (@T)(0 - (@U)a);
    const @T q = a / b;
    return a % b != 0 && (a < 0) != (b < 0) ? q - 1 : q;
}""",
    "mod": """static @T python_mod_@T(@T a, @T b)
{
    if (b == 0 || b == -1)
        return 0;
    const @T r = a % b;
    return r != 0 && (r < 0) != (b < 0) ? r + b : r;
}""",
    "shift_right": """static @T python_shift_right_@T(@T a, @T b)
{
    return b >= 0 && b < @B ? a >> b : a < 0 ? -1 : 0;
}""",
    "abs": """static @T python_abs_@T(@T a)
{
    return a < 0 ? (@T)(0 - (@U)a) : a;
}""",
    "fmod": """static @T numpy_fmod_@T(@T a, @T b)
{
    return b == 0 || b == -1 ? 0 : a % b;
}""",
    "bitwise_count": """static uchar numpy_bitwise_count_@T(@T a)
{
    return (uchar)popcount(a < 0 ? (@U)(0 - (@U)a) : (@U)a);
}""",
    "gcd": """static @T python_gcd_@T(@T a, @T b)
{
    while (b != 0) {
        const @T rest = b == -1 ? 0 : a % b;
        a = b;
        b = rest;
    }
    return a < 0 ? (@T)(0 - (@U)a) : a;
}""",
    "quotient": """static double python_quotient_@T(@T a, @T b)
{
    const @T near = 1L << 53;
    if (a == 0 || b == 0 || (a >= -near && a <= near && b >= -near && b <= near))
        return (double)a / (double)b;
    @U rest = a < 0 ? 0 - (@U)a : (@U)a, by = b < 0 ? 0 - (@U)b : (@U)b, digits = 0;
    int carried = 0;
    const int exponent = (int)clz(by) - (int)clz(rest) - 56;
    rest <<= clz(rest);
    by <<= clz(by);
    for (int k = 0; k <= 56; k++) {
        digits += digits;
        if (carried || rest >= by) {
            rest -= by;
            digits += 1;
        }
        carried = (int)(rest >> 63);
        rest += rest;
    }
    digits |= (@U)(carried || rest != 0);
    const double size = ldexp((double)digits, exponent);
    return (a < 0) != (b < 0) ? -size : size;
}""",
    "compare": """static double python_compare_@T(@T whole, double number)
{
    const double nearest = (double)whole;
    if (nearest != number || number == 9223372036854775808.0)
        return nearest <= number ? -1.0 : nearest > number ? 1.0 : number;
    const @T exact = (@T)number;
    return whole < exact ? -1.0 : whole > exact ? 1.0 : 0.0;
}""",
    "isqrt": """static @T python_isqrt_@T(@T a)
{
    if (a <= 0)
        return 0;
    @T root = (@T)sqrt((double)a);
    while (root > 3037000499 || root * root > a)
        root -= 1;
    while (root < 3037000499 && (root + 1) * (root + 1) <= a)
        root += 1;
    return root;
}""",
}
UNSIGNED = {
    "gcd": """static @T python_gcd_@T(@T a, @T b)
{
    while (b != 0) {
        const @T rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}""",
    "isqrt": """static @T python_isqrt_@T(@T a)
{
    const @T last = 4294967295ul;
    const double near = sqrt((double)a);
    @T root = near < 4294967295.0 ? (@T)near : last;
    while (root * root > a)
        root -= 1;
    while (root < last && (root + 1) * (root + 1) <= a)
        root += 1;
    return root;
}""",
    "fermat_mod": """static @T python_fermat_mod_@T(@T a, @T k)
{
    const @T high = a >> k, low = a - (high << k);
    return low - high + (low < high ? ((@T)1 << k) + 1 : 0);
}""",
    "reciprocal": """static @T numpy_reciprocal_@T(@T a, @T by_zero)
{
    return a == 0 ? by_zero : a == 1 ? 1 : 0;
}""",
    "floor_div": """static @T python_floor_div_@T(@T a, @T b)
{
    return b == 0 ? 0 : a / b;
}""",
    "mod": """static @T python_mod_@T(@T a, @T b)
{
    return b == 0 ? 0 : a % b;
}""",
    "shift_right": """static @T python_shift_right_@T(@T a, @T b)
{
    return b < @B ? a >> b : 0;
}""",
    "abs": """static @T python_abs_@T(@T a)
{
    return a;
}""",
    "fmod": """static @T numpy_fmod_@T(@T a, @T b)
{
    return b == 0 ? 0 : a % b;
}""",
    "bitwise_count": """static uchar numpy_bitwise_count_@T(@T a)
{
    return (uchar)popcount(a);
}""",
}
INTEGER = {
    "square": """static @T python_square_@T(@T a)
{
    return (@T)((@W)a * (@W)a);
}""",
    "fmin": """static @T numpy_fmin_@T(@T a, @T b)
{
    return a <= b ? a : b;
}""",
    "fmax": """static @T numpy_fmax_@T(@T a, @T b)
{
    return a >= b ? a : b;
}""",
    "clip": """static @T numpy_clip_@T(@T a, @T low, @T high)
{
    const @T raised = a > low ? a : low;
    return raised < high ? raised : high;
}""",
    "signbit": """static uchar numpy_signbit_@T(@T a)
{
    return a < 0;
}""",
    "shift_left": """static @T python_shift_left_@T(@T a, @T b)
{
    return b >= 0 && b < @B ? (@T)((@U)a << b) : 0;
}""",
    "power": """static @T python_power_@T(@T base, @T exponent)
{
    @W result = 1, factor = (@W)base;
    for (; exponent > 0; exponent >>= 1) {
        if (exponent & 1)
            result *= factor;
        factor *= factor;
    }
    return (@T)result;
}""",
    "minimum": """static @T numpy_minimum_@T(@T a, @T b)
{
    return a < b ? a : b;
}""",
    "maximum": """static @T numpy_maximum_@T(@T a, @T b)
{
    return a > b ? a : b;
}""",
    "sign": """static @T numpy_sign_@T(@T a)
{
    return a > 0 ? 1 : a < 0 ? -1 : 0;
}""",
}
FLOAT = {
    "angle": """static @T numpy_angle_@T(@T a)
{
    return atan2((@T)0, a);
}""",
    "fmin": """static @T numpy_fmin_@T(@T a, @T b)
{
    return a <= b || isnan(b) ? a : b;
}""",
    "fmax": """static @T numpy_fmax_@T(@T a, @T b)
{
    return a >= b || isnan(b) ? a : b;
}""",
    "clip": """static @T numpy_clip_@T(@T a, @T low, @T high)
{
    const @T raised = a < low || (isnan(low) && !isnan(a)) ? low : a;
    return raised > high || (isnan(high) && !isnan(raised)) ? high : raised;
}""",
    "fmod": """static @T numpy_fmod_@T(@T a, @T b)
{
    return fmod(a, b);
}""",
    "copysign": """static @T numpy_copysign_@T(@T a, @T b)
{
    return as_@T((as_@I(a) & @I_MAX) | (as_@I(b) & @I_MIN));
}""",
    "signbit": """static uchar numpy_signbit_@T(@T a)
{
    return signbit(a) != 0;
}""",
    "floor_div": """static @T python_floor_div_@T(@T a, @T b)
{
    if (b == 0)
        return a / b;
    const @T r = fmod(a, b);
    @T q = (a - r) / b;
    if (r != 0 && (b < 0) != (r < 0))
        q -= 1;
    if (q == 0)
        return (@T)0 * (a / b);
    const @T whole = floor(q);
    return q - whole > (@T)0.5f ? whole + 1 : whole;
}""",
    "mod": """static @T python_mod_@T(@T a, @T b)
{
    const @T r = fmod(a, b);
    if (b == 0)
        return r;
    if (r == 0)
        return b < 0 ? -(@T)0 : (@T)0;
    return (b < 0) != (r < 0) ? r + b : r;
}""",
    "square": """static @T python_square_@T(@T a)
{
    return a * a;
}""",
    "minimum": """static @T numpy_minimum_@T(@T a, @T b)
{
    return a < b || isnan(a) ? a : b;
}""",
    "maximum": """static @T numpy_maximum_@T(@T a, @T b)
{
    return a > b || isnan(a) ? a : b;
}""",
    "sign": """static @T numpy_sign_@T(@T a)
{
    return a > 0 ? 1 : a < 0 ? -1 : a == 0 ? 0 : a;
}""",
}
ANY = {
    "imag": """static @T numpy_imag_@T(@T a)
{
    return 0;
}""",
    "where": """static @T numpy_where_@T(uchar test, @T yes, @T no)
{
    return test ? yes : no;
}""",
    "min": """static @T python_min_@T(@T a, @T b)
{
    return b < a ? b : a;
}""",
    "max": """static @T python_max_@T(@T a, @T b)
{
    return b > a ? b : a;
}""",
}
COMPARE = """static int python_compare_long_ulong(long a, ulong b)
{
    return a < 0 || (ulong)a < b ? -1 : (ulong)a > b;
}"""
#: whether another iteration than `own` may write what iteration `at` writes
ANOTHER = """static int python_another(long at, long own, long start, long stop, long step)
{
    if (at == own)
        return 0;
    return step > 0 ? at >= start && at < stop && (at - start) % step == 0
                    : at <= start && at > stop && (start - at) % -step == 0;
}"""
FROM_END = """static long python_from_end(long index, long length)
{
    return index < 0 ? index + length : index;
}"""
PYTHON = (
    "square",
    "floor_div",
    "mod",
    "fermat_mod",
    "shift_left",
    "shift_right",
    "abs",
    "power",
    "gcd",
    "isqrt",
    "min",
    "max",
    "rounded",
    "quotient",
    "compare",
    "trips",
)


def function_name(kind: str, dtype: str) -> str:
    if kind_of(dtype) == "c":
        return f"{kind if kind.startswith('python_') else f'numpy_{kind}'}_{CTYPES[dtype]}"
    return f"{'python' if kind in PYTHON else 'numpy'}_{kind}_{CTYPES[dtype]}"


def _template(kind: str, dtype: str) -> str:
    tables = {"f": (FLOAT, ANY), "i": (SIGNED, INTEGER, ANY)}.get(kind_of(dtype), (UNSIGNED, INTEGER, ANY))
    return next(table[kind] for table in tables if kind in table)


def needs(kind: str, dtype: str) -> set[str]:
    """What the function of that kind asks of the head of the program."""
    text = complex_function_text(kind, dtype) if kind_of(dtype) == "c" else _template(kind, dtype)
    found = {DOUBLES} if dtype in OF_DOUBLES or "double" in text else set()
    return found | ({SHORT} if dtype == "int16" and "(@T)(" in text else set())


def function_text(kind: str, dtype: str) -> str:
    """The definition of the function of that kind for operands of `dtype`."""
    letter = kind_of(dtype)
    if letter == "c":
        return complex_function_text(kind, dtype)
    text = _template(kind, dtype)
    if letter == "f":
        word = "int" if dtype == "float32" else "long"
        return text.replace("@T", CTYPES[dtype]).replace("@I_M", f"{word.upper()}_M").replace("@I", word)
    unsigned = f"uint{bits(dtype)}"
    if letter != "i" and kind in ("shift_left", "sign"):
        text = text.replace("b >= 0 && ", "").replace(" : a < 0 ? -1", "")
    wide = "ulong" if bits(dtype) == 64 else "uint"
    if dtype == "int16":
        text = text.replace("(@T)(", f"{SHORT}(")
    for mark, value in (("@T", CTYPES[dtype]), ("@U", CTYPES[unsigned]), ("@W", wide), ("@B", str(bits(dtype)))):
        text = text.replace(mark, value)
    return text


def called(kind: str, dtype: str) -> list[tuple[str, str]]:
    """Kind and dtype of the functions that this one calls."""
    return c_complex_prelude.called(kind, dtype) if kind_of(dtype) == "c" else []
