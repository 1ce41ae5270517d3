"""The key of a method in the cache: a hash of all that its generated code depends on.

The source of the method and of every function it reaches, what was looked up for them (`lookups`), and the versions of
somd, NumPy, Python and what else the compiler or the target rests on. It is computed without the compiler.
"""

from __future__ import annotations

import hashlib
import importlib.metadata
import sys
from collections.abc import Iterator
from functools import cache, lru_cache
from os.path import basename
from types import CodeType, FunctionType

from somd.capture.attributes import MISSING, is_imported
from somd.capture.describing import Descriptions
from somd.capture.paths import text_of
from somd.capture.reach import Call, Constant, Reach, Refused
from somd.capture.source_text import NoSource, source_of
from somd.runtime.contents import COMPILER, content_of_rooms
from somd.settings.targets import target_of

#: what a part of a key is about, and the text that is hashed
Part = tuple[str, str]


def source_key(function: FunctionType, found: Reach) -> str | None:
    """The key of `function` as it stands now, with what it reaches; None if its source is not available."""
    parts = key_parts(function, found)
    if parts is None:
        return None
    return hashlib.sha256("\0".join([text for _, text in (*versions(), *parts)]).encode()).hexdigest()


def key_parts(function: FunctionType, found: Reach) -> list[Part] | None:
    """All that the key of `function` is made of, `versions` aside; None if a source is not available."""
    found.complete()
    words = Descriptions()
    try:
        parts = [part for each in found.functions for part in _parts(each, found, words)]
        options = [("options", "fastmath")] if found.fastmath else []
        return [*parts, *_reached(found, words), *options]
    except NoSource:
        return None


def _parts(function: FunctionType, found: Reach, words: Descriptions) -> Iterator[Part]:
    """The text of a function, and what it mentions."""
    name, text = function.__qualname__, source_of(function)
    seen = found.lookups.functions[function]
    yield f"place of `{name}`", f"{name}:{basename(function.__code__.co_filename)}:{text.first_line}"
    yield f"source of `{name}`", "".join(text.lines)
    keyword = sorted((function.__kwdefaults__ or {}).items())
    yield f"defaults of `{name}`", f"{words.of(function.__defaults__)} {words.of(keyword)}"
    yield f"annotations of `{name}`", words.of(seen.annotations)
    for path, value in sorted(seen.paths.items(), key=lambda pair: pair[0]):
        dotted = ".".join(path)
        yield (
            f"value of `{dotted}`" if function is found.top.function else f"value of `{dotted}` in `{name}`",
            (f"{dotted}={words.of(value)}"),
        )


def _reached(found: Reach, words: Descriptions) -> Iterator[Part]:
    """What the paths of the functions stand for, in a text that another process finds too."""
    frames = {frame: str(number) for number, frame in enumerate(found.meanings)}
    for frame, meanings in found.meanings.items():
        name = frame.function.__qualname__
        yield f"objects of `{name}`", f"{frames[frame]} {name} {[name for name, _ in frame.objects]} {frame.somd}"
        for path, meaning in meanings.items():
            label = f"`{text_of(step for step in path if not isinstance(step, tuple))}` in `{name}`"
            if isinstance(meaning, Constant):
                yield label, f"{path} = {words.of(meaning.value)}"
            elif isinstance(meaning, Call):
                yield label, f"{path} calls {frames.get(meaning.frame)} {meaning.getter}"
            elif isinstance(meaning, Refused):
                yield label, f"{path} is refused: {meaning.why}"
            else:
                kind = words.of(found.kinds.get(meaning, MISSING))
                yield label, f"{path} is {found.names[meaning]}: {words.of(found.annotation(meaning))} {kind}"


def module_key(source: str, target: str, signature: tuple[str, ...], aliases: tuple[tuple[str, str], ...]) -> str:
    """The key of a module in the cache: that of one specialisation, with all that its text depends on."""
    variant = target_of(target).variant()
    parts = (source, *(text for _, text in versions_of(target)), *([variant] if variant else []))
    return entry_key("\0".join(parts), target, signature, aliases)


def entry_key(source: str, target: str, signature: tuple[str, ...], aliases: tuple[tuple[str, str], ...]) -> str:
    """The short key of one specialisation."""
    text = "\0".join([source, target, *signature, "|", *(f"{a}={b}" for a, b in aliases)])
    return hashlib.sha256(text.encode()).hexdigest()[:16]


@cache
def versions() -> tuple[Part, ...]:
    """What all that the compiler makes depends on."""
    python = ("version of Python", f"{sys.version}, asserts {__debug__}")
    files = ("version of the files of somd", content_of_rooms(*COMPILER))
    return (*map(_version, ("somd", "numpy", "libcst", "islpy")), python, files)


@cache
def versions_of(target: str) -> tuple[Part, ...]:
    """What the text for a target depends on besides."""
    known = target_of(target)
    return (*map(_version, known.tools), (f"version of the files of {target}", content_of_rooms(*known.rooms)))


def _version(name: str) -> Part:
    try:
        return f"version of {name}", f"{name} {importlib.metadata.version(name)}"
    except importlib.metadata.PackageNotFoundError:
        return f"version of {name}", f"{name} ?"


def missing_globals(function: FunctionType) -> tuple[str, ...]:
    """The globals that the function mentions and that are not defined, or not imported, yet."""
    import builtins

    known = function.__globals__
    names = dict.fromkeys(_global_names(function.__code__))
    undefined = {name for name in names if name not in known and not hasattr(builtins, name)}
    return tuple(name for name in names if name in undefined or not is_imported(known.get(name)))


@lru_cache(maxsize=4096)  # an editor asks again for the functions of a file, most of which are as they were
def _global_names(code: CodeType) -> tuple[str, ...]:
    import dis

    reading = ("LOAD_GLOBAL", "LOAD_NAME")
    return tuple(step.argval for step in dis.get_instructions(code) if step.opname in reading)
