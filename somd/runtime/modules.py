"""Generated modules as real files in the cache, so that tracebacks, debuggers and profilers work.

A file is named by the method and a hash of all that its text depends on, and ends with a hash of its text. A damaged or
unreadable file is a miss. What runs is the text in memory: a cache that cannot be written, or is deleted while the
program runs, costs time and nothing else.
"""

from __future__ import annotations

import hashlib
import linecache
import sys
from collections.abc import Callable
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType

from somd.runtime.folders import cache_folder, read_own, write_whole

#: how the last line of a whole file begins; the hash of the text above follows
END = "# end of generated module "
#: the global of a loaded module that names its text
TEXT_HASH = "__somd_text__"


def module_path(target: str, name: str, key: str) -> Path:
    """Where the module of method `name` with this key is kept."""
    return cache_folder(target, f"{name}_{key}.py")


def text_hash(text: str) -> str:
    """A hash that tells texts apart."""
    return hashlib.sha256(text.encode()).hexdigest()[:32]


def read_module(path: Path, read: Callable[[Path], bytes | None] = read_own) -> str | None:
    """The text of a generated module, or None if there is no whole one, or one that others may have written."""
    data = read(path)
    if data is None:
        return None
    try:
        text, found, end = data.decode().rpartition("\n\n\n" + END)
    except UnicodeDecodeError:
        return None
    text += "\n"
    return text if found and end == text_hash(text) + "\n" else None


def marked_whole(text: str) -> str:
    """The content of the file for a text, which ends with one line end."""
    return f"{text}\n\n{END}{text_hash(text)}\n"


def write_module(path: Path, text: str) -> bool:
    """Write a module. False where the cache cannot be written."""
    return write_whole(path, marked_whole(text).encode())


def load_module(path: Path, text: str) -> ModuleType:
    """The module of `text`, which is kept, if the cache works, in `path`.

    Compiled from the text: reading bytecode of Python's would be no quicker, and could be damaged.
    """
    name = f"somd_generated.{path.stem}"
    module = ModuleType(name)
    module.__file__ = str(path)
    module.__spec__ = ModuleSpec(name, None, origin=str(path))
    setattr(module, TEXT_HASH, text_hash(text))
    linecache.cache[str(path)] = (len(text), None, text.splitlines(keepends=True), str(path))
    sys.modules[name] = module
    exec(compile(text, str(path), "exec"), module.__dict__)
    return module
