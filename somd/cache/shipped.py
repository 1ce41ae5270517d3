"""Generated modules that come with a package: in a folder `__somd__` beside its sources, made by `somdc build --wheel`.

They are found where the cache has nothing, if source, captured values and the compiler are what they were when the
package was built, on whatever machine that was; what does not fit is compiled as ever. In: a method and a
specialisation. Out: the text, or None.
"""

from __future__ import annotations

import hashlib
import importlib.metadata
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from types import FunctionType

from somd.cache.keys import entry_key, key_parts
from somd.capture.reach import Reach
from somd.runtime.contents import COMPILER, content_of_rooms
from somd.runtime.folders import read_whole, write_whole
from somd.runtime.modules import marked_whole, read_module
from somd.settings.targets import target_of

FOLDER = "__somd__"


def shipped_text(
    function: FunctionType,
    found: Reach,
    target: str,
    signature: tuple[str, ...],
    aliases: tuple[tuple[str, str], ...],
) -> str | None:
    """The module that came with the function's package for this specialisation, if any."""
    folder = _folder(function)
    key = _key(function, found) if folder is not None else None
    if folder is None or key is None:
        return None
    # whoever may write it may write the package's own files, too
    return read_module(folder / _name(function, key, entry_key(key, target, signature, aliases)), read_whole)


def keep_shipped_code(
    function: FunctionType,
    found: Reach,
    target: str,
    signature: tuple[str, ...],
    aliases: tuple[tuple[str, str], ...],
    module: Path,
) -> None:
    """Put machine code that came with the module of `shipped_text` where the target looks for that of `module`, a file
    in the cache."""
    folder = _folder(function)
    key = _key(function, found) if folder is not None else None
    place = target_of(target).code
    if folder is None or key is None or place is None:
        return
    stem = _name(function, key, entry_key(key, target, signature, aliases)).removesuffix(".py")
    for file in folder.glob(f"{stem}.*{place[1]}"):
        data = read_whole(file)
        if data is not None:
            write_whole(module.parent / place[0] / (module.stem + file.name.removeprefix(stem)), data)


def came_checked(function: FunctionType, found: Reach) -> bool:
    """Whether the compiler has looked at this source when the package was built."""
    folder = _folder(function)
    key = _key(function, found) if folder is not None else None
    return folder is not None and key is not None and any(folder.glob(_name(function, key, "*")))


def shipped_files(function: FunctionType, found: Reach) -> tuple[list[Path], bool]:
    """The modules that came with the function's package for the source as it is, and whether there are others of it."""
    folder, key = _folder(function), _key(function, found)
    if folder is None or key is None:
        return [], False
    every = sorted(folder.glob(f"{function.__name__}_*.py"))
    mine = sorted(folder.glob(_name(function, key, "*")))
    return mine, len(mine) < len(every)


def shipped_file(
    function: FunctionType, found: Reach, target: str, signature: Sequence[str], text: str
) -> tuple[str, str] | None:
    """The name and content of the file in which `text` comes with a package; None where its key is not known."""
    key = _key(function, found)
    if key is None:
        return None
    name = _name(function, key, entry_key(key, target, tuple(signature), ()))
    return name, marked_whole(text.rstrip("\n") + "\n")


def _folder(function: FunctionType) -> Path | None:
    folder = Path(function.__code__.co_filename).parent / FOLDER
    return folder if folder.is_dir() else None


def _name(function: FunctionType, key: str, entry: str) -> str:
    return f"{function.__name__}_{key[:16]}_{entry}.py"


def _key(function: FunctionType, found: Reach) -> str | None:
    """The key of a function on any machine."""
    parts = key_parts(function, found)
    if parts is None:
        return None
    return hashlib.sha256("\0".join([_compiler(), *(text for _, text in parts)]).encode()).hexdigest()


@cache
def _compiler() -> str:
    """The version of somd and the content of all that generated text depends on."""
    state = content_of_rooms(*COMPILER, "runtime")
    try:
        version = importlib.metadata.version("somd")
    except importlib.metadata.PackageNotFoundError:
        version = "?"
    return f"somd {version} {state}"
