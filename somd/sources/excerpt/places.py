"""Where a module comes from: the user's own text, or an installed package, which is imported as ever.

In: a module's name and the folder that comes first in `sys.path`. Out: a `Place`. Nothing is imported to find it.
"""

from __future__ import annotations

import importlib.util
import os
import site
import sys
import sysconfig
from dataclasses import dataclass
from importlib.machinery import BuiltinImporter, FrozenImporter, ModuleSpec, PathFinder
from pathlib import Path

_FOLDERS = {sysconfig.get_path(name) for name in ("stdlib", "platstdlib", "purelib", "platlib")}
_FOLDERS |= {site.getusersitepackages(), str(Path(__file__).parents[2])}
_PLACES = (*(folder + os.sep for folder in _FOLDERS), "<")
#: what somd has imported itself; it may lie in a folder of PYTHONPATH, as `pip install --target` puts it
_NEEDED = frozenset({"numpy", "numba", "llvmlite"})


@dataclass(frozen=True)
class Place:
    """A module: `path` of its text where it is the user's own and has one, `folders` of its submodules if it is a
    package. `mine` tells that it is the user's own, `found` that there is such a module at all."""

    found: bool
    mine: bool = False
    path: Path | None = None
    folders: tuple[str, ...] | None = None


_INSTALLED = Place(True)
_NOWHERE = Place(False)


class Places:
    """The places of modules, seen from the files of one folder."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self._known: dict[str, Place] = {}

    def of(self, name: str) -> Place:
        """Where the module of this full name is."""
        if name not in self._known:
            self._known[name] = self._find(name)
        return self._known[name]

    def _find(self, name: str) -> Place:
        package, _, last = name.rpartition(".")
        if package:
            around = self.of(package)
            if not around.mine:
                return around
            # by its last name: for a folder without `__init__.py` the full one is looked up in `sys.modules`
            return _place(PathFinder.find_spec(last, list(around.folders or ())))
        if BuiltinImporter.find_spec(name) is not None or FrozenImporter.find_spec(name) is not None:
            return _INSTALLED
        if name in _NEEDED and name in sys.modules:
            return _INSTALLED
        loaded = sys.modules.get(name) if name in sys.stdlib_module_names else None
        if loaded is not None and installed(getattr(loaded, "__file__", None) or ""):
            return _INSTALLED  # a file beside with this name, such as `types.py`, comes too late in the program, too
        here = _place(PathFinder.find_spec(name, [str(self.root)]))
        if here.mine and here.path is None and here.folders is not None:  # any folder is a package: others come first
            elsewhere = _elsewhere(name)
            return elsewhere if elsewhere.found and (not elsewhere.mine or elsewhere.path is not None) else here
        return here if here.found else _elsewhere(name)


def _elsewhere(name: str) -> Place:
    try:
        return _place(importlib.util.find_spec(name))
    except (ImportError, ValueError, AttributeError):
        return _INSTALLED if name in sys.modules else _NOWHERE


def _place(spec: ModuleSpec | None) -> Place:
    if spec is None:
        return _NOWHERE
    folders = None if spec.submodule_search_locations is None else tuple(spec.submodule_search_locations)
    origin = spec.origin if spec.has_location else None
    if origin is None and not folders:
        return _INSTALLED
    if installed(origin if origin is not None else os.path.join((folders or ("",))[0], "")):
        return _INSTALLED
    path = Path(origin) if origin is not None and origin.endswith(".py") else None
    return Place(True, True, path, folders)


def installed(file: str) -> bool:
    """Whether a file is of an installed package, the standard library or somd."""
    return "site-packages" in file or "dist-packages" in file or file.startswith(_PLACES)
