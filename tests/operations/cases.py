"""Expressions of the table for given kinds of operands: what the compiler takes, and what plain Python gives.

In: templates and kinds. Out: `Case`, and for each of them the numbers that plain Python gives.
"""

from __future__ import annotations

import cmath
import linecache
import math
import re
import warnings
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from types import FunctionType
from typing import Any

import numpy as np

from somd.errors import SomdCompileError
from somd.transforms.frontend.source_to_method import method_of
from somd.transforms.types.infer import infer_types
from somd.transforms.types.scalars import NotTyped, ScalarType, type_of_value
from tests.operations.hard_numbers import Kind, scalars
from tests.operations.table import Template

OPERANDS = ("x", "y", "z")
HEADER = "import cmath\nimport math\nimport numpy as np\n\n\n"
#: what NumPy has in the place of functions of Python that raise
NUMPY_NAMES = {"pow": "power", "phase": "angle", "atan2": "arctan2"}
NUMPY_NAMES |= {f"a{name}": f"arc{name}" for name in ("sin", "cos", "tan", "sinh", "cosh", "tanh")}
#: a count that moves all bits of a number out, and no more
FAR = 256
#: what makes a float of an integer first
OF_FLOATS = ("math.floor", "math.ceil")
FAR_COUNT = re.compile(r"<< \d{4,}")


@dataclass(frozen=True)
class Case:
    """A template on operands of these kinds; its result is of type `result`."""

    template: Template
    kinds: tuple[Kind, ...]
    result: ScalarType

    @property
    def name(self) -> str:
        kinds = ", ".join(f"Python {kind}" if kind.weak else str(kind) for kind in self.kinds)
        return f"{self.template.text} of {kinds}"

    @property
    def operands(self) -> list[list[Any]]:
        return [scalars(kind, place) for place, kind in enumerate(self.kinds)]

    @cached_property
    def expected(self) -> list[Any]:
        """What plain Python gives for the operands; None where it raises, and where it gives no number."""
        return plain(self.template, self.kinds, self.result)


@dataclass(frozen=True)
class Refused:
    """A template on operands of these kinds that the compiler does not take."""

    template: Template
    kinds: tuple[Kind, ...]
    code: str
    message: str


def typed(templates: Iterable[Template], kinds: tuple[Kind, ...]) -> tuple[list[Case], list[Refused]]:
    """Those of the templates for so many operands that the compiler takes, and the others."""
    kept = [template for template in templates if template.count == len(kinds)]
    names = OPERANDS[: len(kinds)]
    refused: list[Refused] = []
    while kept:
        texts = [f"    r_{k} = {template.text.format(*names)}\n" for k, template in enumerate(kept)]
        text = f"{HEADER}def method({', '.join(names)}):\n{''.join(texts)}"
        try:
            types = infer_types(method_of(_function(text)), dict(zip(names, kinds, strict=True)))
        except SomdCompileError as error:
            lines = {each.labels[0].position.line - HEADER.count("\n") - 2: each for each in error.diagnostics}
            assert lines and all(0 <= line < len(kept) for line in lines), error
            refused += [Refused(kept[k], kinds, each.code, each.message) for k, each in lines.items()]
            kept = [template for k, template in enumerate(kept) if k not in lines]
            continue
        found = [types.names.get(f"r_{k}") for k in range(len(kept))]
        taken = [Case(t, kinds, f) for t, f in zip(kept, found, strict=True) if isinstance(f, ScalarType)]
        return taken, refused
    return [], refused


def _function(text: str) -> FunctionType:
    file = "<operations>"
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    namespace: dict[str, Any] = {"__name__": "generated"}
    exec(compile(text, file, "exec"), namespace)
    found = namespace["method"]
    assert isinstance(found, FunctionType)
    return found


def plain(template: Template, kinds: tuple[Kind, ...], result: ScalarType) -> list[Any]:
    """The template computed by Python, number by number."""
    names = OPERANDS[: len(kinds)]
    operands = [scalars(kind, place) for place, kind in enumerate(kinds)]
    text = FAR_COUNT.sub(f"<< {FAR}", template.text.format(*names))
    whole = _makes_whole(template, kinds, result)
    known: dict[tuple[Any, ...], Any] = {}
    with (
        warnings.catch_warnings(),
        np.errstate(all="ignore", invalid="raise" if whole else "ignore"),
    ):
        warnings.simplefilter("ignore")
        function, instead = (
            eval(f"lambda {', '.join(names)}: {each}", dict(NAMES)) for each in (text, _of_numpy(text))
        )
        shifts = template.text.endswith("<< {1}") or text.endswith("<< x")
        found = []
        for given in zip(*operands, strict=True):
            key = tuple(map(repr, given))
            if key not in known:
                known[key] = _computed(function, instead, given, shifts, result)
                if type(known[key]) is int and not -(1 << 63) <= known[key] < 1 << 63 and whole:
                    known[key] = None
            found.append(known[key])
        return found


def _makes_whole(template: Template, kinds: tuple[Kind, ...], result: ScalarType) -> bool:
    """Whether integers are made of floats, some of which lie beyond those of Python here."""
    floats = template.name in OF_FLOATS or any(kind.kind in "fc" for kind in kinds)
    return result.kind in "iu" and floats


def _computed(function: Any, instead: Any, given: tuple[Any, ...], shifts: bool, result: ScalarType) -> Any:
    if shifts and all(isinstance(v, int) for v in given) and given[-1] >= FAR:
        given = (*given[:-1], FAR)
    try:
        found = function(*given)
    except FloatingPointError:
        return None
    except (ArithmeticError, ValueError, TypeError) as error:
        found = _without_raising(instead, given, error, result)
    if type(found) is complex and result.kind == "f":
        found = _without_raising(instead, given, ValueError(), result)
    return found[()] if isinstance(found, np.ndarray) else found


def _without_raising(instead: Any, given: tuple[Any, ...], error: Exception, result: ScalarType) -> Any:
    """What NumPy's scalars give where Python's numbers raise, of the type that it would have been."""
    if "out of bounds for" in str(error):
        return None
    if (
        any(isinstance(v, np.generic) for v in given)
        and "math" not in str(error)
        and not isinstance(error, ValueError | ZeroDivisionError)
    ):
        return None
    kinds = {float: np.float64, int: np.int64, bool: np.int64, complex: np.complex128}
    numpys = [kinds.get(type(v), type(v))(v) for v in given]
    working: Any = {"c": np.complex128, "f": np.float64}.get(result.kind if result.weak else "")
    try:
        found = instead(*(map(working, numpys) if working is not None else numpys))
    except (ArithmeticError, ValueError, TypeError, AttributeError):
        return None
    if result.kind in "iu" and not isinstance(found, int | np.integer):
        return None
    return found.item() if result.weak and isinstance(found, np.generic) else found


class _Own:
    """What functions that NumPy lacks give where Python's raise."""

    @staticmethod
    def gamma(x: float) -> float:
        if x == 0:
            return math.copysign(math.inf, x)
        return math.inf if x > 1 else math.nan

    @staticmethod
    def lgamma(x: float) -> float:
        return math.inf


def _of_numpy(text: str) -> str:
    """The text with NumPy's functions in the place of those of `math` and `cmath`."""

    def renamed(match: re.Match[str]) -> str:
        name = match[1]
        if hasattr(_Own, name):
            return f"own.{name}"
        return f"np.{NUMPY_NAMES.get(name, name)}"

    return re.sub(r"\bc?math\.(\w+)", renamed, text)


NAMES: dict[str, Any] = {"math": math, "cmath": cmath, "np": np, "own": _Own}


def type_of(value: Any) -> ScalarType | None:
    """The type that the compiler has for a number, integers of Python being of any size."""
    try:
        return type_of_value(0 if type(value) is int else value)
    except NotTyped:
        return None
