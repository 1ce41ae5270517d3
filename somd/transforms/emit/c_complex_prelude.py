"""C functions of complex numbers, added to a program where it uses them.

`@T` is the vector type of two, `@P` the type of a part, `@W` that of its bits; `@N` and `@M` are the bits of
`NO_PRODUCT`. Arithmetic is NumPy's, or Python's where the name says so;
functions have the special values and branch cuts of C99's Annex G. They are those of the multicore target, line by
line, so that the bits are the same: so are those of the functions of real numbers that they call.
"""

from __future__ import annotations

import re

from somd.language.operators import NO_PRODUCT

#: A product is written by vectors: Intel's compiler for CPUs knows the usual form, and drops a part that is 0 from it,
#: though infinity times 0 is nan.
ARITHMETIC = {
    "multiply": """static @T numpy_multiply_@T(@T a, @T b)
{
    const @T real = a.x * b, imaginary = a.y * b.yx;
    return (@T)(real.x - imaginary.x, real.y + imaginary.y);
}""",
    "join_products": """static @T numpy_join_products_@T(@T a, @T b)
{
    if (as_@W(a.x) == @N && as_@W(a.y) == @M)
        return b;
    if (as_@W(b.x) == @N && as_@W(b.y) == @M)
        return a;
    return numpy_multiply_@T(a, b);
}""",
    "divide": """static @T numpy_divide_@T(@T a, @T b)
{
    if (fabs(b.x) >= fabs(b.y)) {
        if (b.x == 0 && b.y == 0)
            return (@T)(a.x / fabs(b.x), a.y / fabs(b.x));
        const @P ratio = b.y / b.x;
        const @P scale = 1 / (b.x + b.y * ratio);
        return (@T)((a.x + a.y * ratio) * scale, (a.y - a.x * ratio) * scale);
    }
    const @P ratio = b.x / b.y;
    const @P scale = 1 / (b.y + b.x * ratio);
    return (@T)((a.x * ratio + a.y) * scale, (a.y * ratio - a.x) * scale);
}""",
    "python_divide": """static @T python_divide_@T(@T a, @T b)
{
    if (fabs(b.x) >= fabs(b.y)) {
        if (b.x == 0 && b.y == 0)
            return (@T)(a.x / fabs(b.x), a.y / fabs(b.x));
        const @P ratio = b.y / b.x;
        const @P divisor = b.x + b.y * ratio;
        return (@T)((a.x + a.y * ratio) / divisor, (a.y - a.x * ratio) / divisor);
    }
    if (fabs(b.y) >= fabs(b.x)) {
        const @P ratio = b.x / b.y;
        const @P divisor = b.x * ratio + b.y;
        return (@T)((a.x * ratio + a.y) / divisor, (a.y * ratio - a.x) / divisor);
    }
    return (@T)(NAN, NAN);
}""",
    "squarings": """static @T numpy_squarings_@T(@T base, int count)
{
    @T result = (@T)(1, 0), factor = base;
    while (count > 0) {
        if (count & 1)
            result = numpy_multiply_@T(result, factor);
        count >>= 1;
        if (count > 0)
            factor = numpy_multiply_@T(factor, factor);
    }
    return result;
}""",
    "whole_power": """static @T numpy_whole_power_@T(@T base, int count)
{
    if (count == 0)
        return (@T)(1, 0);
    if (base.x == 0 && base.y == 0)
        return count > 0 ? (@T)(0, 0) : (@T)(NAN, NAN);
    if (count == 1)
        return base;
    if (count == 2)
        return numpy_multiply_@T(base, base);
    if (count == 3)
        return numpy_multiply_@T(base, numpy_multiply_@T(base, base));
    const @T result = numpy_squarings_@T(base, abs(count));
    return count < 0 ? numpy_divide_@T((@T)(1, 0), result) : result;
}""",
    "python_whole_power": """static @T python_whole_power_@T(@T base, int count)
{
    const @T result = numpy_squarings_@T(base, abs(count));
    return count > 0 ? result : python_divide_@T((@T)(1, 0), result);
}""",
    "power": """static @T numpy_power_@T(@T base, @T exponent)
{
    if (exponent.y == 0 && fabs(exponent.x) < 100 && exponent.x == floor(exponent.x))
        return numpy_whole_power_@T(base, (int)exponent.x);
    if (base.x == 0 && base.y == 0)
        return exponent.x > 0 ? (@T)(0, 0) : (@T)(NAN, NAN);
    const double2 wide = (double2)(exponent.x, exponent.y);
    const double2 product = numpy_multiply_double2(wide, numpy_log_double2((double2)(base.x, base.y)));
    const double2 result = numpy_exp_double2(product);
    return (@T)(result.x, result.y);
}""",
    "python_power": """static @T python_power_@T(@T base, @T exponent)
{
    if (exponent.y == 0 && fabs(exponent.x) <= 100 && exponent.x == floor(exponent.x))
        return python_whole_power_@T(base, (int)exponent.x);
    if (base.x == 0 && base.y == 0)
        return exponent.x > 0 && exponent.y == 0 ? (@T)(0, 0) : (@T)(NAN, NAN);
    const @P size = numpy_abs_@T(base), angle = somd_atan2(base.y, base.x);
    @P length = somd_pow(size, exponent.x), phase = angle * exponent.x;
    if (exponent.y != 0) {
        length /= somd_exp(angle * exponent.y);
        phase += exponent.y * somd_log(size);
    }
    return (@T)(length * somd_cos(phase), length * somd_sin(phase));
}""",
    "where": """static @T numpy_where_@T(uchar test, @T yes, @T no)
{
    return test ? yes : no;
}""",
    "conj": """static @T numpy_conj_@T(@T a)
{
    return (@T)(a.x, -a.y);
}""",
}
#: of float32, in double precision, as the C library has it
ABS_SINGLE = """static float numpy_abs_float2(float2 a)
{
    if (isinf(a.x) || isinf(a.y))
        return INFINITY;
    return (float)sqrt((double)a.x * a.x + (double)a.y * a.y);
}"""
#: by an algorithm of C. Borges (ACM TOMS 1014), as the C library has it: within one place, and the same everywhere
HYPOT = """static double numpy_hypot_near(double x, double y)
{
    const double h = sqrt(x * x + y * y);
    if (h <= 2.0 * y) {
        const double delta = h - y;
        return h - (x * (2.0 * delta - x) + (delta - 2.0 * (x - y)) * delta) / (2.0 * h);
    }
    const double delta = h - x;
    return h - (2.0 * delta * (x - 2.0 * y) + ((4.0 * delta - y) * y + delta * delta)) / (2.0 * h);
}"""
ABS_DOUBLE = """static double numpy_abs_double2(double2 a)
{
    if (isinf(a.x) || isinf(a.y))
        return INFINITY;
    if (isnan(a.x) || isnan(a.y))
        return NAN;
    const double x = fmax(fabs(a.x), fabs(a.y)), y = fmin(fabs(a.x), fabs(a.y));
    if (x > 0x1p+511)
        return y <= x * 0x1p-54 ? x + y : numpy_hypot_near(x * 0x1p-600, y * 0x1p-600) / 0x1p-600;
    if (y < 0x1p-459)
        return x >= y / 0x1p-54 ? x + y : numpy_hypot_near(x / 0x1p-600, y / 0x1p-600) * 0x1p-600;
    return y <= x * 0x1p-54 ? x + y : numpy_hypot_near(x, y);
}"""
FUNCTIONS = {
    "polar": """static double2 numpy_polar_double2(double x, double cosine, double sine, double factor)
{
    if (isfinite(x) && x > 709.0) {
        cosine *= somd_exp(709.0);
        sine *= somd_exp(709.0);
        x -= 709.0;
        if (x > 709.0) {
            cosine *= somd_exp(709.0);
            sine *= somd_exp(709.0);
            x -= 709.0;
        }
    }
    const double size = somd_exp(x);
    return (double2)(size * (cosine * factor), size * (sine * factor));
}""",
    "exp": """static double2 numpy_exp_double2(double2 z)
{
    if (z.y == 0)
        return (double2)(somd_exp(z.x), z.y);
    if (isfinite(z.y))
        return numpy_polar_double2(z.x, somd_cos(z.y), somd_sin(z.y), 1.0);
    if (isinf(z.x) && z.x < 0)
        return (double2)(0.0, numpy_copysign_double(0.0, z.y));
    return (double2)(isinf(z.x) ? z.x : (double)NAN, NAN);
}""",
    "log": """static double2 numpy_log_double2(double2 z)
{
    const double x = fabs(z.x), y = fabs(z.y);
    const double larger = y > x ? y : x, smaller = y < x ? y : x;
    double size;
    if (isnan(x) || isnan(y))
        size = somd_log(numpy_abs_double2((double2)(x, y)));
    else if (0.5 < larger && larger < 2.0)
        size = 0.5 * somd_log1p((larger - 1.0) * (larger + 1.0) + smaller * smaller);
    else if (isfinite(larger) && larger > 0x1p+1020)
        size = somd_log(numpy_abs_double2((double2)(x * 0.25, y * 0.25))) + 2.0 * somd_log(2.0);
    else if (larger < 0x1p-1020 && larger > 0)
        size = somd_log(numpy_abs_double2((double2)(x * 0x1p+80, y * 0x1p+80))) - 80.0 * somd_log(2.0);
    else
        size = somd_log(numpy_abs_double2((double2)(x, y)));
    return (double2)(size, somd_atan2(z.y, z.x));
}""",
    "log10": """static double2 numpy_log10_double2(double2 z)
{
    const double2 found = numpy_log_double2(z);
    return (double2)(found.x * 0.4342944819032518, found.y * 0.4342944819032518);
}""",
    "sqrt": """static double2 numpy_sqrt_double2(double2 z)
{
    double x = z.x, y = z.y, scale = 1.0;
    if (isinf(y))
        return (double2)(INFINITY, y);
    if (isinf(x)) {
        const double other = isnan(y) ? (double)NAN : 0.0;
        if (x > 0)
            return (double2)(x, numpy_copysign_double(other, y));
        return (double2)(other, numpy_copysign_double((double)INFINITY, y));
    }
    if (isnan(x))
        return (double2)(x, NAN);
    if (y == 0) {
        const double root = sqrt(fabs(x));
        return x < 0 ? (double2)(0.0, numpy_copysign_double(root, y)) : (double2)(root, y);
    }
    if (fabs(x) > 0x1p+1020 || fabs(y) > 0x1p+1020) {
        x *= 0.25;
        y *= 0.25;
        scale = 2.0;
    } else if (fabs(x) < 0x1p-1020 && fabs(y) < 0x1p-1020) {
        x *= 0x1p+80;
        y *= 0x1p+80;
        scale = 0x1p-40;
    }
    if (x == 0) {
        const double half_root = sqrt(0.5 * fabs(y));
        return (double2)(scale * half_root, scale * numpy_copysign_double(half_root, y));
    }
    const double root = sqrt(0.5 * (fabs(x) + numpy_abs_double2((double2)(x, y))));
    if (x > 0)
        return (double2)(scale * root, scale * (0.5 * (y / root)));
    return (double2)(scale * fabs(0.5 * (y / root)), scale * numpy_copysign_double(root, y));
}""",
    "sinh": """static double2 numpy_sinh_double2(double2 z)
{
    const double x = z.x, y = z.y;
    if (isfinite(x)) {
        if (!isfinite(y))
            return (double2)(x == 0 ? x : (double)NAN, NAN);
        if (y == 0)
            return (double2)(somd_sinh(x), y);
        if (fabs(x) > 709.0)
            return numpy_polar_double2(fabs(x), numpy_copysign_double(1.0, x) * somd_cos(y), somd_sin(y), 0.5);
        return (double2)(somd_sinh(x) * somd_cos(y), somd_cosh(x) * somd_sin(y));
    }
    if (isnan(x))
        return (double2)(x, y == 0 ? y : (double)NAN);
    if (y == 0)
        return (double2)(x, y);
    if (!isfinite(y))
        return (double2)(INFINITY, NAN);
    return (double2)(x * somd_cos(y), INFINITY * somd_sin(y));
}""",
    "cosh": """static double2 numpy_cosh_double2(double2 z)
{
    const double x = z.x, y = z.y;
    if (isfinite(x)) {
        if (!isfinite(y))
            return (double2)(NAN, x == 0 ? 0.0 : (double)NAN);
        if (y == 0)
            return (double2)(somd_cosh(x), numpy_copysign_double(1.0, x) * y);
        if (fabs(x) > 709.0)
            return numpy_polar_double2(fabs(x), somd_cos(y), numpy_copysign_double(1.0, x) * somd_sin(y), 0.5);
        return (double2)(somd_cosh(x) * somd_cos(y), somd_sinh(x) * somd_sin(y));
    }
    if (isnan(x))
        return (double2)(x, y == 0 ? y : (double)NAN);
    if (y == 0)
        return (double2)(INFINITY, y * numpy_copysign_double(1.0, x));
    if (!isfinite(y))
        return (double2)(INFINITY, NAN);
    return (double2)(INFINITY * somd_cos(y), x * somd_sin(y));
}""",
    "tanh": """static double2 numpy_tanh_double2(double2 z)
{
    const double x = z.x, y = z.y;
    if (!isfinite(x)) {
        if (isnan(x))
            return (double2)(x, y == 0 ? y : (double)NAN);
        const double sign = isfinite(y) ? somd_sin(y) * somd_cos(y) : y;
        return (double2)(numpy_copysign_double(1.0, x), numpy_copysign_double(0.0, sign));
    }
    if (!isfinite(y))
        return (double2)(x == 0 ? x : (double)NAN, NAN);
    if (fabs(x) >= 22.0) {
        const double small = somd_exp(-fabs(x));
        return (double2)(numpy_copysign_double(1.0, x), 4.0 * somd_sin(y) * somd_cos(y) * small * small);
    }
    const double tangent = somd_tan(y), sine = somd_sinh(x);
    const double beta = 1.0 + tangent * tangent, rho = sqrt(1.0 + sine * sine);
    const double divisor = 1.0 + beta * sine * sine;
    return (double2)(beta * rho * sine / divisor, tangent / divisor);
}""",
    "sin": """static double2 numpy_sin_double2(double2 z)
{
    if (isinf(z.y) && !isfinite(z.x))
        return (double2)(NAN, INFINITY);
    const double2 found = numpy_sinh_double2((double2)(-z.y, z.x));
    return (double2)(found.y, -found.x);
}""",
    "cos": """static double2 numpy_cos_double2(double2 z)
{
    return numpy_cosh_double2((double2)(-z.y, z.x));
}""",
    "tan": """static double2 numpy_tan_double2(double2 z)
{
    const double2 found = numpy_tanh_double2((double2)(-z.y, z.x));
    return (double2)(found.y, -found.x);
}""",
    "angle": """static double numpy_angle_double2(double2 z)
{
    return somd_atan2(z.y, z.x);
}""",
}
#: the functions that a function calls, each of its own type or, with a `!`, of float64
_CALLS = {
    "join_products": ("multiply",),
    "squarings": ("multiply",),
    "whole_power": ("multiply", "squarings", "divide"),
    "python_whole_power": ("squarings", "python_divide"),
    "power": ("whole_power", "multiply!", "log!", "exp!"),
    "python_power": ("python_whole_power", "abs"),
    "exp": ("polar",),
    "log": ("abs",),
    "log10": ("log",),
    "sqrt": ("abs",),
    "sinh": ("polar",),
    "cosh": ("polar",),
    "sin": ("sinh",),
    "cos": ("cosh",),
    "tan": ("tanh",),
}


def complex_function_text(kind: str, dtype: str) -> str:
    """The definition of the function of that kind for operands of `dtype`; those that it calls stand before it."""
    if kind == "abs":
        return ABS_SINGLE if dtype == "complex64" else f"{HYPOT}\n\n{ABS_DOUBLE}"
    vector, part = ("float2", "float") if dtype == "complex64" else ("double2", "double")
    text = (ARITHMETIC.get(kind) or FUNCTIONS[kind]).replace("@T", vector).replace("@P", part)
    real, imaginary = (f"0x{bits:x}u" + "l" * (part == "double") for bits in NO_PRODUCT[dtype])
    return text.replace("@W", "ulong" if part == "double" else "uint").replace("@N", real).replace("@M", imaginary)


def elementary_of(text: str) -> list[str]:
    """The functions of real numbers that a text calls."""
    return list(dict.fromkeys(re.findall(r"\bsomd_(\w+)\(", text)))


def called(kind: str, dtype: str) -> list[tuple[str, str]]:
    """Kind and dtype of the functions that a function of complex numbers calls."""
    found = [(name.rstrip("!"), "complex128" if name[-1] == "!" else dtype) for name in _CALLS.get(kind, ())]
    return [*found, ("copysign", "float64")] if "numpy_copysign_double(" in FUNCTIONS.get(kind, "") else found
