"""The key of a method in the cache: a hash of all that its generated code depends on.

The source of the method and of every function it reaches through its globals, captured numbers, and the versions of
somd, NumPy, Numba and Python. It is computed without parsing.
"""

from __future__ import annotations

import hashlib
import importlib.metadata
import sys
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from types import CellType, CodeType, FunctionType, ModuleType

import numpy as np

from somd.reach import Call, Constant, Reach
from somd.source_text import NoSource, source_of

#: what a part of a key is about, and the text that is hashed
Part = tuple[str, str]


def source_key(function: FunctionType, found: Reach) -> str | None:
    """The key of `function` as it stands now, with what it reaches; None if its source is not available."""
    parts = key_parts(function, found)
    if parts is None:
        return None
    return hashlib.sha256("\0".join([*versions(), *(text for _, text in parts)]).encode()).hexdigest()


def key_parts(function: FunctionType, found: Reach) -> list[Part] | None:
    """All that the key of `function` is made of, the versions of the tools aside; None if a source is not available."""
    seen: set[FunctionType] = set()
    try:
        return [*(part for each in found.functions for part in _parts(each, seen)), *_reached(found)]
    except NoSource:
        return None


def _reached(found: Reach) -> Iterator[Part]:
    """What the paths of the functions stand for, in a text that another process finds too."""
    frames = {frame: str(number) for number, frame in enumerate(found.meanings)}
    for frame, meanings in found.meanings.items():
        name = frame.function.__qualname__
        yield f"objects of `{name}`", f"{frames[frame]} {name} {[name for name, _ in frame.objects]} {frame.somd}"
        for path, meaning in meanings.items():
            label = f"`{'.'.join(path)}` in `{name}`"
            if isinstance(meaning, Constant):
                yield label, f"{path} = {type(meaning.value).__name__} {meaning.value!r}"
            elif isinstance(meaning, Call):
                yield label, f"{path} calls {frames.get(meaning.frame)} {meaning.getter}"
            else:
                yield label, f"{path} is {found.names[meaning]}: {found.annotation(meaning)!r}"


class Captured:
    """The values that a function and the helpers it reaches take from outside, and whether they are still the same."""

    def __init__(self, functions: Sequence[FunctionType]) -> None:
        self._names: list[tuple[dict[str, object], str, object]] = []
        self._cells: list[tuple[CellType, object]] = []
        #: arrays are passed anew with each call; it matters only that they still are arrays
        self._arrays: list[tuple[dict[str, object], str]] = []
        self._array_cells: list[CellType] = []
        self._seen: set[FunctionType] = set()
        for function in functions:
            self._take(function, self._seen)

    def includes(self, functions: Sequence[FunctionType]) -> bool:
        """Whether these functions are among those looked at."""
        return self._seen.issuperset(functions)

    def extended(self, functions: Sequence[FunctionType]) -> Captured:
        """The same with further functions."""
        return Captured((*self._seen, *functions))

    def unchanged(self) -> bool:
        """Whether every name still stands for the same object."""
        for names, name, value in self._names:
            if names.get(name, _MISSING) is not value:
                return False
        for names, name in self._arrays:
            if not isinstance(names.get(name), np.ndarray):
                return False
        for cell in self._array_cells:
            if not (_filled(cell) and isinstance(cell.cell_contents, np.ndarray)):
                return False
        for cell, value in self._cells:  # noqa: SIM110 - each call asks, and a generator costs more than the answer
            if not (_filled(cell) and cell.cell_contents is value):
                return False
        return True

    def _take(self, function: FunctionType, seen: set[FunctionType]) -> None:
        if function in seen:
            return
        seen.add(function)
        for name in function.__code__.co_names:
            if isinstance(function.__globals__.get(name), np.ndarray):
                self._arrays.append((function.__globals__, name))
            elif name in function.__globals__:
                self._note(function.__globals__, name, function.__code__.co_names, seen)
        for cell in function.__closure__ or ():
            if _filled(cell) and isinstance(cell.cell_contents, np.ndarray):
                self._array_cells.append(cell)
            elif _filled(cell):
                self._cells.append((cell, cell.cell_contents))
                self._follow(cell.cell_contents, seen)

    def _note(self, names: dict[str, object], name: str, attributes: tuple[str, ...], seen: set[FunctionType]) -> None:
        value = names[name]
        self._names.append((names, name, value))
        self._follow(value, seen)
        if isinstance(value, ModuleType) and not _known_module(value.__name__):
            for attribute in attributes:
                if attribute in vars(value):
                    self._names.append((vars(value), attribute, vars(value)[attribute]))
                    self._follow(vars(value)[attribute], seen)

    def _follow(self, value: object, seen: set[FunctionType]) -> None:
        value = getattr(value, "__wrapped__", value)
        if isinstance(value, FunctionType) and not _known_module(value.__module__ or ""):
            self._take(value, seen)


def _known_module(name: str) -> bool:
    return name.partition(".")[0] in ("numpy", "math", "somd")


_MISSING = object()


def entry_key(source: str, target: str, signature: tuple[str, ...], aliases: tuple[tuple[str, str], ...]) -> str:
    """The short key of one specialisation."""
    text = "\0".join([source, target, *signature, "|", *(f"{a}={b}" for a, b in aliases)])
    return hashlib.sha256(text.encode()).hexdigest()[:16]


@cache
def versions() -> tuple[str, ...]:
    names = ("somd", "numba", "numpy", "libcst", "islpy")
    found = []
    for name in names:
        try:
            found.append(f"{name} {importlib.metadata.version(name)}")
        except importlib.metadata.PackageNotFoundError:
            found.append(f"{name} ?")
    return (*found, f"{sys.version}, asserts {__debug__}", _compiler_state())


def _compiler_state() -> str:
    """Sizes and times of the compiler's files, and of what is compiled into masters: working on them never meets old
    output."""
    root = Path(__file__).parent
    state = hashlib.sha256()
    for path in sorted([*root.glob("transforms/**/*.py"), *root.glob("runtime/multicore/*.py")]):
        status = path.stat()
        state.update(f"{path.name} {status.st_size} {status.st_mtime_ns}\0".encode())
    return state.hexdigest()


def missing_globals(function: FunctionType) -> bool:
    """Whether the function mentions a global that is not defined yet."""
    import builtins

    known = function.__globals__
    return any(name not in known and not hasattr(builtins, name) for name in _global_names(function.__code__))


def _global_names(code: CodeType) -> Iterator[str]:
    import dis

    for instruction in dis.get_instructions(code):
        if instruction.opname in ("LOAD_GLOBAL", "LOAD_NAME"):
            yield instruction.argval


def _parts(function: FunctionType, seen: set[FunctionType]) -> Iterator[Part]:
    if function in seen:
        return
    seen.add(function)
    name = function.__qualname__
    text = source_of(function)
    yield f"place of `{name}`", f"{name}:{function.__code__.co_filename}:{text.first_line}:"
    yield f"source of `{name}`", "".join(text.lines)
    yield f"defaults of `{name}`", repr((function.__defaults__, function.__kwdefaults__))
    yield f"annotations of `{name}`", repr(function.__annotations__)
    captured = [(name, function.__globals__.get(name)) for name in function.__code__.co_names]
    cells = zip(function.__code__.co_freevars, function.__closure__ or (), strict=False)
    captured += [(name, cell.cell_contents) for name, cell in cells if _filled(cell)]
    for name, value in sorted(captured, key=lambda pair: pair[0]):
        yield from _captured(name, value, function.__code__.co_names, seen)


def _filled(cell: object) -> bool:
    try:
        cell.cell_contents  # type: ignore[attr-defined]  # noqa: B018
    except ValueError:
        return False
    return True


def _captured(name: str, value: object, names: tuple[str, ...], seen: set[FunctionType]) -> Iterator[Part]:
    wrapped = getattr(value, "__wrapped__", None)
    label = f"value of `{name}`"
    if isinstance(wrapped, FunctionType):
        value = wrapped
    if isinstance(value, FunctionType):
        if not _known_module(value.__module__ or ""):
            yield from _parts(value, seen)
    elif isinstance(value, bool | int | float | complex | str | tuple | np.generic):
        yield label, f"{name}={type(value).__name__}:{value!r}"
    elif isinstance(value, ModuleType) and not _known_module(value.__name__):
        for attribute in names:
            inner = getattr(value, attribute, None)
            if isinstance(inner, bool | int | float | complex | np.generic | FunctionType):
                yield from _captured(f"{name}.{attribute}", inner, names, seen)
    else:
        what = getattr(value, "__qualname__", type(value).__name__)
        yield label, f"{name}:{getattr(value, '__module__', '')}.{what}"
