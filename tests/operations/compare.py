"""How what a target computed differs from plain Python.

Bit for bit, except for elementary functions and powers of floats: 2 units in the last place of the correctly rounded
value; functions of complex numbers have no bound but where they are infinite or nan.
"""

from __future__ import annotations

import cmath
import math
from functools import cache
from typing import Any

import mpmath as mp
import numpy as np

from somd.elementary.functions import elementary
from somd.transforms.types.literals import plain
from somd.transforms.types.scalars import BOOL, ScalarType
from tests.operations import table
from tests.operations.cases import Case, type_of
from tests.operations.table import Template
from tools import measure_functions as measuring

UNITS = 2.0
#: which of 0.0 and -0.0 NumPy takes depends on the processor, and with `clip` on its version
EITHER_ZERO = ("np.minimum", "np.maximum", "np.fmin", "np.fmax", "np.clip")
#: of a complex number's size, and of one of float32
NEAR = (1e-12, 1e-4)
_WORD = 1 << 64
_POWERS = ("**", "pow", "power")
#: what gives one of its operands, each of which may be of a type of its own
CHOICES = ("min", "max", *table.CHOICES)
_COMPLEX = ("np.", "cmath.", "abs", "**", "pow")
_EXACT_COMPLEX = ("np.conj", "np.real", "np.imag", "np.complex", "np.where")


def differences(case: Case, found: np.ndarray, most: int = 3) -> list[str]:
    """Texts for the first few operands for which `found` is not what plain Python gives."""
    texts: dict[str, None] = {}
    allowed = _allowed(case)
    kinds: dict[type, ScalarType | None] = {}  # by the type of a number, on which alone it depends
    for given, wanted, mine in zip(zip(*case.operands, strict=True), case.expected, found, strict=True):
        if wanted is None:
            continue
        if type(wanted) not in kinds:
            kinds[type(wanted)] = type_of(wanted)
        kind = kinds[type(wanted)]
        if kind not in allowed:
            texts[f"{case.name}: {given} gives {wanted!r}, of {kind}, not of {case.result}"] = None
        elif not agrees(case, given, wanted, mine):
            texts[f"{case.name}: {given} gives {wanted!r}, not {mine!r}"] = None
    return [*list(texts)[:most], *([f"{len(texts)} in all"] if len(texts) > most else [])]


def _allowed(case: Case) -> tuple[ScalarType, ...]:
    """The types that the result may have."""
    if case.template.name in CHOICES:
        return (*case.kinds, ScalarType("bool"), BOOL)
    return (plain(case.result),)


def agrees(case: Case, given: tuple[Any, ...], wanted: Any, mine: Any) -> bool:
    """Whether a number is what it should be, or as near to it as is promised."""
    kind, name = case.result.kind, case.template.name
    if kind in "bui":
        return bool(int(wanted) == int(mine)) or (case.result.weak and (int(wanted) - int(mine)) % _WORD == 0)
    if kind == "c" and _is_power(name) and not _is_moderate(case.template, given, wanted):
        return True
    of_complex = "c" in (kind, *(operand.kind for operand in case.kinds)) or name.startswith("cmath")
    if of_complex and name.startswith(_COMPLEX) and not name.startswith(_EXACT_COMPLEX):
        near = NEAR[case.result.dtype in ("complex64", "float32")]
        return any(_near(complex(each), complex(mine), near) for each in (wanted, *_numpys(name, given)))
    if kind == "c":
        return _same(wanted.real, mine.real) and _same(wanted.imag, mine.imag)
    if _same(float(wanted), float(mine)) or (name in EITHER_ZERO and wanted == mine == 0):
        return True
    own = elementary(name.rpartition(".")[2]) or ("pow" if _is_power(name) else None)
    if own is None:
        return False
    working = "float64" if name.startswith("math") else case.result.dtype
    with np.errstate(all="ignore"):
        arguments = tuple(float(np.dtype(working).type(v)) for v in given)
    if own == "pow" and len(arguments) == 1:
        arguments = tuple(map(float, _sides(case.template, arguments)))
    if own == "pow" and arguments == (-math.inf, 0.5):  # NumPy gives nan on processors with long vectors
        return mine == math.inf
    return _units(own, arguments, float(mine), case.result.dtype) <= UNITS + (own == "log" and len(arguments) == 2)


def _is_power(name: str) -> bool:
    return name.split()[0].rpartition(".")[2] in _POWERS


def _is_moderate(template: Template, given: tuple[Any, ...], wanted: Any) -> bool:
    """Whether a power of complex numbers is one that is promised: nothing is zero, infinite, or near the ends."""
    sizes = [abs(complex(each)) for each in _sides(template, given)]
    return cmath.isfinite(complex(wanted)) and sizes[0] > 0 and sizes[0] < 1e9 and sizes[1] < 64


def _sides(template: Template, given: tuple[Any, ...]) -> tuple[Any, ...]:
    """The operands of an operator, a literal among them."""
    if len(given) == 2:
        return given
    literal = eval(template.name.partition(" ")[2], {"np": np})
    return (given[0], literal) if template.text.startswith("{0}") else (literal, given[0])


def _numpys(name: str, given: tuple[Any, ...]) -> list[Any]:
    """What NumPy has for a function of `cmath`: they differ in some places where nan comes in."""
    if not name.startswith("cmath."):
        return []
    name = name.removeprefix("cmath.")
    with np.errstate(all="ignore"):
        return [getattr(np, "angle" if name == "phase" else name)(*map(np.complex128, given))]


@cache
def _exact(name: str, arguments: tuple[float, ...]) -> Any:
    if name == "log" and len(arguments) == 2:
        values = [_exact(name, (each,)) for each in arguments]
        with mp.workprec(200):
            return None if None in values or values[1] == 0 else values[0] / values[1]
    return measuring.exacts_of(name, tuple(np.array([each]) for each in arguments))[0]


def _units(name: str, arguments: tuple[float, ...], mine: float, dtype: str) -> float:
    """How far a number is from the correctly rounded value, in units in the last place."""
    return measuring.units(mine, _exact(name, arguments), np.dtype(dtype).type)


def _same(wanted: float, mine: float) -> bool:
    if math.isnan(wanted) or math.isnan(mine):
        return math.isnan(wanted) and math.isnan(mine)
    return bool(wanted == mine) and math.copysign(1.0, wanted) == math.copysign(1.0, mine)


def _near(wanted: complex, mine: complex, by: float) -> bool:
    """Whether complex numbers have the same infinite and undefined parts, and are near each other."""
    parts = [(wanted.real, mine.real), (wanted.imag, mine.imag)]
    if not all(math.isfinite(each) for pair in parts for each in pair):
        return all(_same(*pair) or (math.isfinite(pair[0]) and math.isfinite(pair[1])) for pair in parts)
    return abs(wanted - mine) <= by * max(abs(wanted), 1e-300)
