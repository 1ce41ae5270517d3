"""The machine code of masters on disk, serialised by Numba, in files of our own.

Numba's own cache enters numbered files into an index: two processes that fill it at once can give one number to two
signatures, what cannot be read or written ends the user's call, and damage that still unpickles is run. Here an entry
is one file, named by a hash of all that it depends on; it is written whole or not at all, and what is damaged is a
miss.
"""

from __future__ import annotations

import functools
import hashlib
import pickle
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import llvmlite
import numba
from numba.core import caching as _caching
from numba.core import compiler as _compiler
from numba.core import serialize as _serialize

from somd.runtime.contents import BITS, content_of_rooms
from somd.runtime.folders import read_checked, read_whole, write_checked
from somd.runtime.modules import TEXT_HASH
from somd.runtime.multicore.cpu_levels import compiled_for, usable
from somd.runtime.multicore.numba_internals.parts import load
from somd.runtime.recording import making

caching: Any = _caching
compiler: Any = _compiler
serialize: Any = _serialize


class MachineCode(caching._Cache):  # type: ignore[misc]
    """What a Numba dispatcher asks for compiled code, and gives it to: that of one master, by signature."""

    def __init__(self, function: Callable[..., Any]) -> None:
        path = Path(function.__code__.co_filename)
        self._folder = path.parent / "__pycache__"
        self._stem = f"{path.stem}.{function.__name__}"
        text = _text_hash(function, path)
        self._depends = (*_versions(), text, *_constants(function))
        self._enabled = text is not None

    @property
    def cache_path(self) -> str:
        return str(self._folder)

    def enable(self) -> None:
        self._enabled = True

    def disable(self) -> None:
        self._enabled = False

    def flush(self) -> None:
        """Nothing to do: entries of another text have other names."""

    def load_overload(self, signature: Any, target: Any) -> Any:
        """The compiled function for a signature, or None."""
        with making("loading"):
            target.refresh()
            data = self._data(signature, target.codegen().magic_tuple()) if self._enabled else None
            if data is None:
                return None
            try:
                parts, reduced = pickle.loads(data)
                for code in parts:
                    load(target.codegen(), code)
                return compiler.CompileResult._rebuild(target, *reduced)
            except Exception:  # whatever another version of Numba made of it: it is compiled again
                return None

    def save_overload(self, signature: Any, compiled: Any) -> None:
        """Keep a compiled function, if that can be done."""
        if not self._enabled or compiled.lifted or compiled.library.has_dynamic_globals:
            return
        try:
            *reduced, _ = compiled._reduce()  # the last are the environments of the master's own module
            environments = tuple(each for each in compiled.library.environments() if each.can_cache())
            data = serialize.dumps((compiled.library.code_of_parts(), (*reduced, environments)))
        except (pickle.PicklingError, TypeError, AttributeError):
            return
        write_checked(self._path(signature, compiled.codegen.magic_tuple()), data)

    def _data(self, signature: Any, processor: tuple[str, str, str]) -> bytes | None:
        """What is kept for this processor, or came with a package for a level that it has."""
        data = read_checked(self._path(signature, processor))
        for level in usable() if data is None else ():
            data = read_checked(self._path(signature, (processor[0], *compiled_for(level))))
            if data is not None:
                break
        return data

    def _path(self, signature: Any, processor: tuple[str, str, str]) -> Path:
        depends = (*self._depends, signature, processor)
        key = hashlib.sha256("\0".join(map(str, depends)).encode()).hexdigest()[:32]
        return self._folder / f"{self._stem}.{key}.nbc"


def _text_hash(function: Callable[..., Any], path: Path) -> str | None:
    """A hash of the text of the module of `function`; None where it is not known."""
    known: str | None = function.__globals__.get(TEXT_HASH)
    if known is None:
        text = read_whole(path)
        known = None if text is None else hashlib.sha256(text).hexdigest()
    return known


def _constants(function: Callable[..., Any]) -> Iterator[str]:
    """The numbers that the module holds, those of the runtime too: they are frozen into machine code."""
    for name, value in sorted(function.__globals__.items()):
        if isinstance(value, int | float | complex):
            yield f"{name}={value!r}"


@functools.cache
def _versions() -> tuple[str, ...]:
    """The compilers, and the state of the functions that are compiled into masters."""
    state = content_of_rooms("elementary", *BITS, "runtime/multicore")
    return numba.__version__, llvmlite.__version__, str(sys.implementation.cache_tag), state
