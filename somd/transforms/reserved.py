"""Names that generated modules have themselves. What a user calls something is told apart from them, whatever it is.

Each comes from one place: what multicore modules import is what `somd.runtime.multicore` offers, and the tables that
the runtime reads in a module are listed here, for every target.
"""

from __future__ import annotations

import ast
import builtins
import keyword
from collections.abc import Container
from functools import cache
from pathlib import Path

import somd.runtime
from somd.language.operators import JOINED, OPERATORS

#: begins names that generators write until they know which of them clash with the user's; no user's name does
MARK = "_somd_"


@cache
def _offered(room: str) -> tuple[str, ...]:
    """`__all__` of a room of the runtime, which is not imported for that."""
    assert somd.runtime.__file__ is not None
    text = Path(somd.runtime.__file__).with_name(room).joinpath("__init__.py").read_text(encoding="utf-8")
    (value,) = (node.value for node in ast.parse(text).body if isinstance(node, ast.Assign))
    return tuple(ast.literal_eval(value))


def multicore_names() -> tuple[str, ...]:
    """The names that a generated multicore module may import from the runtime, in the order of imports."""
    of_operators = (f"{kind}_{each.short}" for each in (*OPERATORS.values(), JOINED) for kind in ("reduce", "combine"))
    return tuple(sorted((*_offered("multicore"), *of_operators), key=lambda name: (not name.isupper(), name)))


#: the modules whose functions generated multicore modules call
MODULES = ("np", "math", "elementary")
#: what the runtime looks up in a module, besides the master; MASTER is its name where it is not that of the method
TABLES = (
    "DOUBLES",
    "FENCES",
    "HAS_FAULTS",
    "IN_PIECES",
    "KERNELS",
    "KERNEL_NAMES",
    "MASTER",
    "PARTITIONS",
    "RAISES",
    "RESULT",
    "SITES",
    "UNEVEN",
    "WRITTEN",
)
RESERVED = frozenset((*multicore_names(), *MODULES, *TABLES, "prange", "run"))
#: Python's own names; without `_`, which an interactive session and doctest put there
BUILTINS = frozenset(name for name in vars(builtins) if not name.startswith("_"))


#: numbers that multicore modules import; functions need no mark, for no variable of the user's is called
FAR, NEAR, LANES = (MARK + name for name in ("FAR", "NEAR", "LANES"))


def apart(name: str, taken: Container[str] = ()) -> str:
    """A function's name in a generated module: its own, where that means nothing else there.

    >>> [apart(name) for name in ("step", "trips", "max", "__doc__", "_somd_x")]
    ['step', 'trips_', 'max_', 'f__doc__', 'f_somd_x']
    """
    made = f"f{name}" if name.startswith((MARK, "__")) else name
    while made in RESERVED or made in BUILTINS or keyword.iskeyword(made) or made in taken:
        made += "_"
    return made
