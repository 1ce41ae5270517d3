"""The files that a command is given: several of them, folders, `FILE:FUNCTION`."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from somd.calls.method import SomdMethod
from somd.cli.output import Problem
from somd.sources.load import Loaded, Method, function_of, load

#: folders that hold no sources of the user's
SKIPPED = ("__pycache__", "node_modules", "site-packages", "__somd__")


def python_files(paths: Sequence[Path]) -> list[Path]:
    """The Python files that are named, and those below the folders that are named, each once.

    Raises:
        Problem: there is no such file or folder, or no Python file in a folder.
    """
    found: dict[Path, None] = {}
    for path in paths:
        if path.is_dir():
            inside = sorted(_below(path))
            if not inside:
                raise Problem(f"{path}: no Python files in this folder")
            found.update(dict.fromkeys(inside))
        elif not path.exists():
            raise Problem(f"{path}: no such file or folder")
        else:
            found[path] = None
    return list(found)


def mentions_somd(path: Path) -> bool:
    """Whether a file can hold a SOMD method: one that cannot be read might."""
    try:
        return b"somd" in path.read_bytes()
    except OSError:
        return True


def split_target(text: str) -> tuple[Path, str | None]:
    """A file and the name behind its colon, or None; `package.module.function` names the file of a module.

    >>> split_target("a/b.py:SOR.run")[1]
    'SOR.run'
    >>> path, name = split_target("somd.cli.files.split_target")
    >>> path.name, name
    ('files.py', 'split_target')
    """
    if os.path.exists(text):
        return Path(text), None
    file, colon, name = text.rpartition(":")
    if colon and file:
        return Path(file), name or None
    return _of_module(text) or (Path(text), None)


def is_dotted(text: str) -> bool:
    """Whether an argument is the dotted name of something rather than a file.

    >>> is_dotted("model.Heat.step"), is_dotted("model.py"), is_dotted("model")
    (True, False, False)
    """
    parts = text.split(".")
    return len(parts) > 1 and parts[-1] != "py" and all(part.isidentifier() for part in parts)


def _of_module(text: str) -> tuple[Path, str | None] | None:
    """The file of the module that a dotted name begins with, here or where Python finds modules, and the rest.

    Nothing is imported: packages are looked for as folders.
    """
    if not is_dotted(text):
        return None
    parts = text.split(".")
    for folder in dict.fromkeys((".", *sys.path)):
        for count in range(len(parts), 0, -1):
            place = Path(folder, *parts[:count])
            for file in (place.with_suffix(".py"), place / "__init__.py"):
                if file.is_file():
                    return file, ".".join(parts[count:]) or None
    return None


def one_method(text: str, *, whole: bool = False) -> tuple[Loaded, Method]:
    """The method that `FILE:FUNCTION` names; the function may be left out where the file has one only.

    Raises:
        Problem: no such file, or no such method in it.
    """
    path, name = split_target(text)
    if path.is_dir() or not path.exists():
        missing = "no such module, and no such file" if is_dotted(text) else "no such file"
        raise Problem(f"{path}: {'a folder, not a file' if path.is_dir() else missing}")
    loaded = load(path, whole=whole)
    return loaded, method_named(loaded, path, name)


def methods_of(text: str, *, whole: bool = False) -> tuple[Loaded, tuple[Method, ...]]:
    """The method that `FILE:FUNCTION` names, or for `FILE` all of them; of several definitions of one name the last.

    Raises:
        Problem: no such file, or no such method in it.
    """
    path, name = split_target(text)
    if name is not None or path.is_dir() or not path.exists():
        loaded, method = one_method(text, whole=whole)
        return loaded, (method,)
    loaded = load(path, whole=whole)
    found = {function_of(method).__qualname__: method for method in loaded.methods}
    return loaded, tuple(found.values()) or (method_named(loaded, path, None),)


def method_named(loaded: Loaded, path: Path, name: str | None) -> Method:
    """The method of a file by its qualified name, or by the end of it.

    Raises:
        Problem: there is none, or more than one.
    """
    names = [function_of(m).__qualname__ for m in loaded.methods]
    handed = vars(loaded.module).get(name) if name is not None and name not in names else None
    if isinstance(handed, SomdMethod):  # what a package takes from its modules
        return handed
    if not names:
        only_called = next((u for u in loaded.unreached if name in (None, u.qualname, u.qualname.split(".")[-1])), None)
        if only_called is not None:
            raise Problem(f"{path}: `{only_called.qualname}` is not looked at: {only_called.why}")
        raise Problem(f"{path}: no SOMD method in this file")
    wanted = [k for k, each in enumerate(names) if name is None or each == name]
    wanted = wanted or [k for k, each in enumerate(names) if name is not None and each.endswith(f".{name}")]
    listed = ", ".join(f"`{each}`" for each in names)
    if not wanted:
        unreached = [u for u in loaded.unreached if name in (u.qualname, u.qualname.split(".")[-1])]
        if unreached:
            raise Problem(f"{path}: `{unreached[0].qualname}` is not looked at: {unreached[0].why}")
        raise Problem(f"{path}: no SOMD method `{name}`; there {'are' if len(names) > 1 else 'is'} {listed}")
    if len({names[k] for k in wanted}) > 1:
        raise Problem(f"{path}: which method? name one: {path}:FUNCTION, of {listed}")
    return loaded.methods[wanted[-1]]  # of several definitions of one name the last one holds


def _below(folder: Path) -> Iterator[Path]:
    for place, folders, files in os.walk(folder):
        folders[:] = [n for n in folders if not n.startswith(".") and n not in SKIPPED and not _is_venv(place, n)]
        yield from (Path(place, name) for name in files if name.endswith(".py") and not _is_special(place, name))


def _is_special(place: str, name: str) -> bool:
    """Whether it is a pipe, a socket or a device."""
    path = os.path.join(place, name)
    return os.path.exists(path) and not os.path.isfile(path)


def _is_venv(place: str, name: str) -> bool:
    return os.path.exists(os.path.join(place, name, "pyvenv.cfg"))
