"""Generated modules as real files in the cache, so that Numba's cache, tracebacks, debuggers and profilers work.

A file is named by the method and a hash of all that its text depends on. A damaged or unreadable file is a miss.
"""

from __future__ import annotations

import importlib.util
import sys
import tempfile
from pathlib import Path
from types import ModuleType

from somd.runtime.folders import cache_folder, read_whole, write_whole

#: last line of a whole file: a file without it was cut off
END = "# end of generated module\n"


def module_path(target: str, name: str, key: str) -> Path:
    """Where the module of method `name` with this key is kept."""
    return cache_folder(target, f"{name}_{key}.py")


def read_module(path: Path) -> str | None:
    """The text of a generated module, or None if there is no whole one."""
    data = read_whole(path)
    if data is None:
        return None
    try:
        text = data.decode()
    except UnicodeDecodeError:
        return None
    return text.removesuffix(END).rstrip("\n") + "\n" if text.endswith(END) else None


def write_module(path: Path, text: str) -> Path:
    """Write a module; where the cache cannot be written, a temporary folder of this process serves."""
    data = (text.rstrip("\n") + "\n\n\n" + END).encode()
    if write_whole(path, data):
        return path
    other = Path(tempfile.mkdtemp(prefix="somd-")) / path.name
    other.write_bytes(data)
    return other


def load_module(path: Path) -> ModuleType:
    """Import a generated module."""
    name = f"somd_generated.{path.stem}"
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise ImportError(f"cannot load {path}")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module
