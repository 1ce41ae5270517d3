"""Every operator and function that methods may use, as templates of expressions: from the compiler's own tables."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import libcst as cst
import numpy as np

from somd.transforms.types import functions
from somd.transforms.types.expressions import COMPARISONS
from somd.transforms.types.scalars import BINARY, UNARY

MOST = 3
WHOLE = (0, 1, -1, 2, 3, -3, 7, 31, 63, 100, 200, -129, 2**31, 2**53 + 1, 2**63 - 1, -(2**63), 2**63, 2**64 - 1)
REAL = ("0.0", "-0.0", "0.5", "2.5", "-1.5", "0.1", "1e39", "1e300", "1e-320", "True", "2j")
#: exponents that have functions of their own
REAL += ("1.0", "-1.0", "2.0", "3.0", "4.0", "np.float32(2)")
#: what has a form of its own: places are literals
PLACES = ("round({0}, 0)", "round({0}, 2)", "np.round({0}, 1)", "np.around({0}, 3)")
CHOICES = ("{0} if {1} else {2}", "{0} and {1}", "{0} or {1}", "{0} <= {1} < {2}")


@dataclass(frozen=True)
class Template:
    """`text` has `{0}`, `{1}` and `{2}` for its operands; `name` is that of the function or operator that it shows."""

    text: str
    count: int
    name: str


def templates() -> list[Template]:
    """One for each operator, and for each function and number of operands that it takes."""
    found = [Template(f"{{0}}{_code(kind)}{{1}}", 2, _code(kind).strip()) for kind in (*BINARY, *COMPARISONS)]
    found += [Template(f"{_code(kind)}{{0}}", 1, _code(kind).strip()) for kind in UNARY]
    tables = {
        "": functions.BUILTIN,
        "math.": functions.MATH,
        "cmath.": functions.CMATH,
        "np.": {**functions.CASTS, **functions.NUMPY},
    }
    for module, table in tables.items():
        for function in table:
            name = f"{module}{table[function]}" if table is not functions.CASTS else ""
            name = module + str(getattr(function, "__name__", name)) if function in functions.CASTS else name
            counts = [count for count in range(1, MOST + 1) if _takes(function, count)]
            found += [Template(f"{name}({', '.join(f'{{{k}}}' for k in range(n))})", n, name) for n in counts]
    found += [Template(f"{{0}}.{name}()", 1, name) for name in functions.METHODS]
    found += [Template(f"{{0}}.{name}", 1, name) for name in functions.PARTS]
    found += [Template(f"divmod({{0}}, {{1}})[{k}]", 2, "divmod") for k in range(2)]
    found += [Template(text, 1, text.partition("(")[0]) for text in PLACES]
    found += [Template(text, text.count("{"), text) for text in CHOICES]
    return list(dict.fromkeys(found))


def with_literals() -> list[Template]:
    """Operators and comparisons that have a literal on one side."""
    found = []
    for kind in (*BINARY, *COMPARISONS):
        for number in (*map(str, WHOLE), *REAL):
            literal = f"({number})" if number.startswith("-") and kind is cst.Power else number
            sides = f"{{0}}{_code(kind)}{literal}", f"{literal}{_code(kind)}{{0}}"
            found += [Template(text, 1, f"{_code(kind).strip()} {number}") for text in sides]
    return found


def _code(kind: type[cst.CSTNode]) -> str:
    return cst.Module([]).code_for_node(kind())


def _takes(function: Callable[..., Any], count: int) -> bool:
    """Whether some numbers of so many are what a function takes, and gives a number for."""
    if function is len or function is divmod:
        return False
    for number in (2.0, 2, True, 2j):
        try:
            with np.errstate(all="ignore"):
                found = function(*[number] * count)
        except (TypeError, ValueError, ArithmeticError, np.exceptions.ComplexWarning):
            continue
        if np.ndim(found) == 0:
            return True
    return False
