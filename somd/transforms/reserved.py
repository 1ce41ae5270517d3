"""Names that generated modules have themselves. What a user calls something is told apart from them, whatever it is.

Each comes from one place: targets tell what their modules import, and the tables that the runtime reads in a module are
listed here, for every target.
"""

from __future__ import annotations

import builtins
import keyword
from collections.abc import Container
from functools import cache

from somd.settings.targets import TARGETS, target_of

#: begins names that generators write until they know which of them clash with the user's; no user's name does
MARK = "_somd_"
#: what the runtime looks up in a module, besides the master; MASTER is its name where it is not that of the method
TABLES = (
    "COUNTED",
    "DOUBLES",
    "FENCES",
    "HAS_FAULTS",
    "IN_PIECES",
    "KERNELS",
    "KERNEL_NAMES",
    "MASTER",
    "PARTITIONS",
    "RAISES",
    "RANKED",
    "RESULT",
    "SITES",
    "UNEVEN",
    "WRITTEN",
)
#: Python's own names; without `_`, which an interactive session and doctest put there
BUILTINS = frozenset(name for name in vars(builtins) if not name.startswith("_"))


def reserved() -> frozenset[str]:
    """The names of generated modules, whatever their target."""
    return _reserved(tuple(TARGETS))


@cache
def _reserved(targets: tuple[str, ...]) -> frozenset[str]:
    return frozenset((*TABLES, *(name for target in targets for name in target_of(target).reserved())))


def apart(name: str, taken: Container[str] = ()) -> str:
    """A function's name in a generated module: its own, where that means nothing else there.

    >>> [apart(name) for name in ("step", "trips", "max", "__doc__", "_somd_x")]
    ['step', 'trips_', 'max_', 'f__doc__', 'f_somd_x']
    """
    made = f"f{name}" if name.startswith((MARK, "__")) else name
    while made in reserved() or made in BUILTINS or keyword.iskeyword(made) or made in taken:
        made += "_"
    return made
