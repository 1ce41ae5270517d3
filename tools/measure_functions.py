"""Print how far elementary functions are from the correctly rounded value: the worst found, for each function, dtype
and target.

    python tools/measure_functions.py [--count 2000] [--targets multicore,opencl] [--dtypes float64,float32] [names]

A unit is the distance of neighbouring numbers where the correctly rounded value lies. Arguments are random, over all
magnitudes and where a function is steep or small, and hard ones: next to zeros, poles and the ends of what is finite.
The same arguments for the same seed. It wants mpmath.
"""

from __future__ import annotations

import argparse
import importlib.util
import math
import sys
import tempfile
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import mpmath as mp
import numpy as np

from somd.elementary.functions import FUNCTIONS

Array = Any
#: intervals of interest; `every` stands for all magnitudes
RANGES: dict[str, list[tuple[float, float]]] = {
    "sqrt": [(0.0, 4.0), (0.0, 1e300)],
    "exp": [(-1.0, 1.0), (-745.0, 709.7), (-745.2, -700.0)],
    "exp2": [(-1.0, 1.0), (-1074.0, 1023.9), (-1075.0, -1020.0)],
    "expm1": [(-1.0, 1.0), (-40.0, 709.7), (-0.4, 0.4)],
    "log": [(0.9, 1.1), (0.0, 10.0), (0.99, 1.01)],
    "log2": [(0.9, 1.1), (0.0, 10.0), (0.99, 1.01)],
    "log10": [(0.9, 1.1), (0.0, 10.0), (0.99, 1.01)],
    "log1p": [(-0.1, 0.1), (-1.0, 10.0), (-0.01, 0.01), (-1.0, -0.9)],
    "sin": [(-4.0, 4.0), (-1e3, 1e3), (-1e9, 1e9), (1e9, 1e10)],
    "cos": [(-4.0, 4.0), (-1e3, 1e3), (-1e9, 1e9), (1e9, 1e10)],
    "tan": [(-4.0, 4.0), (-1e3, 1e3), (-1e9, 1e9), (1e9, 1e10)],
    "asin": [(-1.0, 1.0), (0.49, 0.51), (0.99, 1.0)],
    "acos": [(-1.0, 1.0), (-0.51, -0.49), (0.99, 1.0)],
    "atan": [(-3.0, 3.0), (-0.5, 0.5), (2.0, 3.0)],
    "sinh": [(-1.0, 1.0), (-710.4, 710.4), (-3.0, 3.0)],
    "cosh": [(-1.0, 1.0), (-710.4, 710.4), (-3.0, 3.0)],
    "tanh": [(-1.0, 1.0), (-25.0, 25.0), (-0.4, 0.4)],
    "asinh": [(-1.0, 1.0), (-1e3, 1e3), (-0.1, 0.1)],
    "acosh": [(1.0, 1.01), (1.0, 3.0), (1.0, 1e6)],
    "atanh": [(-1.0, 1.0), (-0.1, 0.1), (0.9, 1.0)],
    "cbrt": [(-8.0, 8.0), (1.0, 8.0)],
    "erf": [(-1.0, 1.0), (-6.0, 6.0), (0.8, 0.9)],
    "erfc": [(-1.0, 1.0), (-6.0, 28.0), (0.4, 1.0), (24.0, 27.5)],
    "gamma": [(0.0, 5.0), (-20.0, 20.0), (19.0, 171.7), (-185.0, -19.0), (-1.0, 1.0)],
    "lgamma": [(0.5, 3.0), (-20.0, 20.0), (19.0, 1e3), (-300.0, -19.0), (0.99, 1.01), (1.99, 2.01), (-3.2, -2.0)],
    "degrees": [(-10.0, 10.0)],
    "radians": [(-1000.0, 1000.0)],
}
#: of two numbers: intervals of both
PAIRS: dict[str, list[tuple[tuple[float, float], tuple[float, float]]]] = {
    "pow": [
        ((0.0, 3.0), (-20.0, 20.0)),
        ((0.5, 1.5), (-1700.0, 1700.0)),
        ((0.0, 1e3), (-3.0, 3.0)),
        ((0.999, 1.001), (-1e5, 1e5)),
    ],
    "atan2": [((-1.0, 1.0), (-1.0, 1.0)), ((-1e3, 1e3), (-1.0, 1.0)), ((-1.0, 1.0), (-1e3, 1e3))],
    "hypot": [((-1.0, 1.0), (-1.0, 1.0)), ((-1e-3, 1e-3), (-1.0, 1.0))],
}
#: powers with literal exponents are functions of one number here
LITERALS = (2, -1, 0.5, 3, 4, 5, 10, -2, 1.5)
WITHOUT_MAGNITUDES = ("exp", "exp2", "expm1", "asin", "acos", "sinh", "cosh", "acosh", "atanh", "erfc")
#: the names that NumPy has for them
OF_NUMPY = {each.math: each.numpy for each in FUNCTIONS if each.math and each.numpy}
NAMES = (*RANGES, *PAIRS, *(f"x ** {e}" for e in LITERALS))
_EXACT: dict[str, Callable[..., Any]] = {
    "exp2": lambda x: mp.power(2, x),
    "log2": lambda x: mp.log(x) / mp.log(2),
    "log10": lambda x: mp.log(x) / mp.log(10),
    "cbrt": lambda x: mp.sign(x) * mp.cbrt(abs(x)),
    "lgamma": lambda x: mp.log(abs(mp.gamma(x))) if x < 1e3 else mp.loggamma(x),
    "pow": mp.power,
    "logaddexp": lambda x, y: max(x, y) + mp.log1p(mp.exp(-abs(x - y))),
    "logaddexp2": lambda x, y: max(x, y) + mp.log1p(mp.power(2, -abs(x - y))) / mp.log(2),
    "degrees": lambda x: x * 180 / mp.pi,
    "radians": lambda x: x * mp.pi / 180,
}


def exact(name: str, *arguments: float) -> Any:
    """The value with a few hundred bits; infinity at poles, None where there is none."""
    given = [mp.mpf(float(each)) for each in arguments]
    if name.startswith("x **"):
        name, given = "pow", [*given, mp.mpf(float(name[4:]))]
    bits = 200
    if name in ("sin", "cos", "tan"):
        bits += max(0, math.frexp(arguments[0])[1])
    if name in ("lgamma", "gamma", "expm1", "log1p", "asinh", "acosh", "atanh", "sinh", "tanh", "erfc"):
        like_x = name in ("expm1", "log1p", "asinh", "atanh", "sinh", "tanh")
        bits += 1100 if like_x and abs(arguments[0]) < 1e-20 else 200
    with mp.workprec(bits):
        try:
            value = (_EXACT.get(name) or getattr(mp, name))(*given)
        except (ValueError, ZeroDivisionError, OverflowError):
            return None
        return None if isinstance(value, mp.mpc) or mp.isnan(value) else value


def arguments_of(name: str, dtype: Any, count: int, seed: int = 1) -> tuple[Array, ...]:
    """About so many arguments, or pairs of them."""
    rng = np.random.default_rng([seed, *name.encode()])
    if name in PAIRS:
        parts = [[rng.uniform(*ends, count // 4 + 1) for ends in both] for both in PAIRS[name]]
        parts.append(_hard_pairs(name, rng, count))
        return tuple(np.concatenate([part[k] for part in parts]).astype(dtype) for k in (0, 1))
    ranges = RANGES.get(name, [(0.0, 2.0), (0.5, 100.0)])
    found = [rng.uniform(low, high, count // 4 + 1) for low, high in ranges]
    found.append(_hard(name, rng, count))
    if name not in WITHOUT_MAGNITUDES:
        found.append(_magnitudes(rng, count // 4, np.finfo(dtype)))
    with np.errstate(over="ignore"):
        made = np.concatenate(found).astype(dtype)
    ends = [np.finfo(dtype).tiny, np.finfo(dtype).max, np.finfo(dtype).smallest_subnormal, 0.0, -0.0, np.inf, -np.inf]
    return (np.concatenate([made, np.array(ends, dtype), -made[: count // 8]]),)


def _magnitudes(rng: Any, count: int, info: Any) -> Array:
    exponents = rng.uniform(info.minexp - 20, info.maxexp - 0.01, count)
    return rng.choice([-1.0, 1.0], count) * np.exp2(exponents)


def _hard(name: str, rng: Any, count: int) -> Array:
    """Multiples of pi / 2, zeros and poles, and their neighbours."""
    whole = rng.integers(1, 1 << 40, count // 8)
    if name in ("sin", "cos", "tan"):
        # the last but one is the float64 that is nearest to a multiple of pi / 2
        known = [1e22, 2.0**1000, 6381956970095103.0 * 2.0**797, 2.0**30 + 1]
        quarters = [whole * (math.pi / 2), np.arange(1, 200) * (math.pi / 2)]
        return np.concatenate([*quarters, known, np.exp2(rng.uniform(30, 1023, count // 4))])
    if name in ("gamma", "lgamma"):
        whole = -np.arange(0.0, 30.0)
        near = [whole + side * 2.0**-p for p in range(2, 52, 5) for side in (-1, 1)]
        if name == "lgamma":
            near += [_zeros(rng, max(1, count // 400))]
        return np.concatenate(near)
    small = np.exp2(rng.uniform(-60, 0, count // 8))
    if name.startswith("log") and name != "log1p":
        return np.concatenate([1.0 + small, 1.0 - small / 2, np.exp2(np.arange(-1070.0, 1020.0, 90.0))])
    if name == "acosh":
        return 1.0 + small
    return np.concatenate([small, -small, 1.0 - small / 2])


def _zeros(rng: Any, count: int) -> Array:
    """Numbers about the zeros of the logarithm of the gamma function."""
    sys.path.insert(0, str(Path(__file__).parent.parent))
    from somd.elementary.tables import LOG_GAMMA_ZEROS

    zeros = np.array(LOG_GAMMA_ZEROS).reshape(-1, 13)[:, 0]
    zeros = np.array([1.0, 2.0, *zeros[zeros != 0]])
    near, far = rng.integers(-(1 << 20), 1 << 20, count), rng.integers(-(1 << 44), 1 << 44, count)
    apart = np.array([0, 1, -1, 2, -2, *near, *far])
    return (zeros[:, None] + apart[None, :] * np.spacing(np.abs(zeros))[:, None]).ravel()


def _hard_pairs(name: str, rng: Any, count: int) -> list[Array]:
    sizes = np.exp2(rng.uniform(-1000, 1000, count // 4))
    if name == "pow":
        return [sizes, rng.uniform(-1.0, 1.0, count // 4) * 744.0 / np.abs(np.log(sizes))]
    signs = rng.choice([-1.0, 1.0], count // 4)
    return [sizes * signs, sizes * np.exp2(rng.uniform(-60, 60, count // 4))]


def units(found: float, value: Any, dtype: Any) -> float:
    """How many places a found number is from the exact value; infinite where one is nan or infinite."""
    info = np.finfo(dtype)
    found = float(found)
    if value is None:
        return 0.0 if math.isnan(found) else math.inf
    if mp.isinf(value):
        return 0.0 if found == float(value) else math.inf
    if math.isnan(found):
        return math.inf
    size = abs(value)
    limit = mp.mpf(2) ** int(info.maxexp)
    if math.isinf(found):  # what comes next to the greatest number
        found = math.copysign(2.0, found) * 2.0 ** (int(info.maxexp) - 1) if info.maxexp < 1024 else found
        place = limit * mp.mpf(2) ** -int(info.nmant + 1)
        return 0.0 if size >= limit - place / 2 and (value > 0) == (found > 0) else float((limit - size) / place)
    exponent = max(mp.frexp(size)[1] - 1, int(info.minexp)) if size else int(info.minexp)
    place = mp.mpf(2) ** (min(exponent, int(info.maxexp) - 1) - int(info.nmant))
    return float(abs(mp.mpf(found) - value) / place)


def worst(name: str, found: Array, arguments: tuple[Array, ...], exacts: list[Any]) -> tuple[float, tuple[float, ...]]:
    """The greatest distance, and where."""
    most, where = 0.0, tuple(float(each[0]) for each in arguments)
    for row, value in enumerate(exacts):
        distance = units(found[row], value, found.dtype.type)
        if not distance <= most:
            most, where = distance, tuple(float(each[row]) for each in arguments)
    return most, where


def exacts_of(name: str, arguments: tuple[Array, ...]) -> list[Any]:
    """The exact values; a value that is not defined but has a limit in C is that: infinity at poles."""
    return [_limited(name, values) for values in zip(*(each.tolist() for each in arguments), strict=True)]


def _limited(name: str, values: tuple[float, ...]) -> Any:
    """The value, by the conventions of C for zeros and infinities."""
    if (len(values) == 1 and not math.isfinite(values[0])) or values[0] == 0.0 or name in ("log1p", "atanh"):
        with np.errstate(all="ignore"):
            made = _of_numpy(name, values)
        if made is not None and (not math.isfinite(made) or not math.isfinite(values[0]) or values[0] == 0.0):
            return None if math.isnan(made) else mp.mpf(made)
    if name == "erfc" and abs(values[0]) > 1e6:  # for which mpmath has too few digits
        return mp.mpf(0.0 if values[0] > 0 else 2.0)
    if name in ("gamma", "lgamma") and values[0] < 0 and values[0] == math.floor(values[0]):
        return mp.inf if name == "lgamma" else None
    return exact(name, *values)


def _of_numpy(name: str, values: tuple[float, ...]) -> float | None:
    special = {
        ("gamma", math.inf): math.inf,
        ("gamma", -math.inf): math.nan,
        ("lgamma", -math.inf): math.inf,
        ("lgamma", math.inf): math.inf,
        ("lgamma", 0.0): math.inf,
        ("erf", math.inf): 1.0,
        ("erf", -math.inf): -1.0,
        ("erfc", math.inf): 0.0,
        ("erfc", -math.inf): 2.0,
    }
    if name == "gamma" and values[0] == 0.0:
        return math.copysign(math.inf, values[0])
    if (name, values[0]) in special:
        return special[name, values[0]]
    if name.startswith("x **"):
        return float(np.float64(values[0]) ** float(name[4:]))
    function = getattr(np, OF_NUMPY.get(name, name), None)
    return None if function is None else float(function(*map(np.float64, values)))


def method_text(name: str, dtype: str) -> str:
    """A method that takes a function of every element."""
    two = name in PAIRS
    arguments = "a[i], b[i]" if two else "a[i]"
    renamed = OF_NUMPY.get(name, name)
    if name.startswith("x **"):
        expression = f"a[i] **{name[4:]}"
    elif dtype == "float32" and hasattr(np, renamed):
        expression = f"np.{renamed}({arguments})"
    else:
        expression = f"math.{name}({arguments})"
    parameters = "a: dist[np.ndarray], " + ("b: dist[np.ndarray], " if two else "") + "c: dist[np.ndarray]"
    return (
        "import math\nimport numpy as np\nfrom somd import dist, somd\n\n\n@somd\n"
        f"def measured({parameters}) -> None:\n    for i in range(len(a)):\n        c[i] = {expression}\n"
    )


def computed(name: str, arguments: tuple[Array, ...], folder: Path, target: str, workers: int = 2) -> Array:
    """The function of all arguments, on a target."""
    import somd

    dtype = arguments[0].dtype
    words = "".join(ch if ch.isalnum() else f"_{ord(ch)}" for ch in name)
    file = folder / f"measured_{words}_{dtype.name}.py"
    if not file.exists():
        file.write_text(method_text(name, dtype.name))
    spec = importlib.util.spec_from_file_location(file.stem, file)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    out = np.zeros(len(arguments[0]), dtype)
    with somd.use(target=target, workers=workers), warnings.catch_warnings():
        warnings.simplefilter("error", somd.SomdFallbackWarning)
        module.measured(*arguments, out)
    return out


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", help="functions; all of them if none is given")
    parser.add_argument("--count", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--targets", default="multicore,opencl")
    parser.add_argument("--dtypes", default="float64,float32")
    given = parser.parse_args()
    targets = given.targets.split(",")
    print(f"{'function':10} {'dtype':8} " + " ".join(f"{target:>28}" for target in targets))
    with tempfile.TemporaryDirectory() as folder:
        for name in given.names or NAMES:
            for dtype in given.dtypes.split(","):
                arguments = arguments_of(name, np.dtype(dtype).type, given.count, given.seed)
                exacts = exacts_of(name, arguments)
                row = []
                for target in targets:
                    most, where = worst(name, computed(name, arguments, Path(folder), target), arguments, exacts)
                    row.append(f"{most:10.4g} at {', '.join(f'{each:.9g}' for each in where):>14}")
                print(f"{name:10} {dtype:8} " + " ".join(f"{each:>28}" for each in row), flush=True)


if __name__ == "__main__":
    main()
