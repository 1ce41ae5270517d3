"""A method compiled for one target and signature: found in the cache, or made by the compiler.

The compiler (libcst, islpy) is imported only when the cache does not have the module.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from types import FunctionType
from typing import TYPE_CHECKING, Any

from somd.cache.files import note_written
from somd.cache.keys import module_key
from somd.cache.records import keep_record
from somd.cache.shipped import keep_shipped_code, shipped_text
from somd.capture.annotations import annotation_of
from somd.capture.lookups import looking_in
from somd.capture.reach import Reach
from somd.compiling.one_at_a_time import room_for_nesting
from somd.errors import SomdCompileError, SomdRuntimeError
from somd.language.combining import Combine, combine_of, joins_of
from somd.runtime.modules import load_module, module_path, read_module, write_module
from somd.runtime.recording import making
from somd.settings.targets import TARGETS, Runnable, TargetLacks, target_of

if TYPE_CHECKING:
    from somd.transforms.types.scalars import Type


#: the name in generated modules for what `Entry.takes_ints` tells
_TAKES_INTS = "TAKES_INTS"


class TargetUnavailable(Exception):
    """The target cannot run this method here; `code` is SOMD5xx."""

    def __init__(self, message: str, code: str) -> None:
        super().__init__(message)
        self.code = code


class ConstructMissing(TargetUnavailable):
    """The target has no form for something in the method: so it will be for all calls with such arguments."""


@dataclass(frozen=True)
class Entry:
    """What a call needs: the callable `(values, workers) -> result`, which parameters are arrays, which are written."""

    call: Runnable
    text: str
    arrays: tuple[int, ...]
    written: tuple[int, ...]
    #: what makes the result of partial results, where that is a function or the method itself
    combine: Combine | None = None
    #: positions of floats for which an int may stand, `with_floats`
    takes_ints: tuple[int, ...] = ()
    #: what its parameters are called, in its text and in messages
    parameters: tuple[tuple[str, str], ...] = ()


def compile_entry(
    function: FunctionType,
    found: Reach,
    names: Sequence[str],
    key: str | None,
    target: str,
    signature: tuple[str, ...],
    aliases: tuple[tuple[str, str], ...],
    device: Any,
    partitioners: Mapping[int, Any],
    profiled: bool = False,
    texts: Sequence[str] = (),
) -> Entry:
    """The entry for a signature, that of the parameters `names`: the method's own, and what the call reaches besides;
    `profiled` asks for code that keeps time of its phases.

    Raises:
        SomdCompileError: the method is refused.
        TargetUnavailable: the target lacks a device or a construct.
    """
    text_key = module_key((key or repr(id(function))) + "profiled" * profiled, target, signature, aliases)
    path = module_path(target, function.__name__, text_key)
    text = read_module(path) if key is not None else None
    if text is None and key is not None and not profiled and not target_of(target).variant():
        text = shipped_text(function, found, target, signature, aliases)
        if text is not None:
            keep_shipped_code(function, found, target, signature, aliases, path)
            _keep(path, text, function, found, target, signature, aliases)
    if text is None:
        given = dict(zip(names, signature, strict=True))
        with making("translating"):
            made = _generate(function, found, target, given, dict(aliases), profiled)
        text = made.rstrip("\n") + "\n"
        _keep(path, text, function, found, target, signature, aliases)
    arrays = tuple(k for k, described in enumerate(signature) if described.endswith("]"))
    with looking_in(found.lookups):
        loaded = load_entry(target, path, text, function, arrays, device, partitioners, found.functions)
    return replace(loaded, parameters=tuple(zip(names, texts or names, strict=True)))


def _keep(path: Path, text: str, function: FunctionType, found: Reach, *rest: Any) -> None:
    """Write a module with its record, and keep to the limits of the cache."""
    if write_module(path, text):
        keep_record(path, function, found, *rest)
        note_written()


def load_entry(
    target: str,
    path: Any,
    text: str,
    function: FunctionType,
    arrays: tuple[int, ...],
    device: Any,
    partitioners: Mapping[int, Any],
    functions: Sequence[FunctionType],
) -> Entry:
    """Load a generated module and wrap it for its target; `functions` are those that a call reaches.

    Raises:
        TargetUnavailable: the target lacks a device, or what generated modules import.
    """
    known = target_of(target)
    with _unavailable():
        known.check_importable()
    module = load_module(path, text)
    name = getattr(module, "MASTER", function.__name__)
    joins = joins_of(function, getattr(module, "FENCES", ()))
    with _unavailable():
        call = known.load(module, name, device, partitioners, joins, functions)
    takes_ints = getattr(module, _TAKES_INTS, ())
    return Entry(call, text, arrays, module.WRITTEN, combine_of(function), takes_ints)


def is_ready(
    function: FunctionType,
    found: Reach,
    key: str | None,
    target: str,
    signature: tuple[str, ...],
    profiled: bool = False,
) -> bool:
    """Whether `compile_entry` finds the module for a signature in the cache or with the package."""
    if key is None:
        return False
    path = module_path(target, function.__name__, module_key(key + "profiled" * profiled, target, signature, ()))
    shipped = not profiled and not target_of(target).variant()
    return read_module(path) is not None or (
        shipped and shipped_text(function, found, target, signature, ()) is not None
    )


@contextmanager
def _unavailable() -> Iterator[None]:
    try:
        yield
    except SomdRuntimeError as error:
        raise TargetUnavailable(error.message, error.code or "SOMD501") from error


def source_text(function: FunctionType, found: Reach, target: str, signatures: Sequence[str]) -> str:
    """The generated text for the first declared signature, or for arrays of float64."""
    arguments = declared_arguments(function, found, signatures[0] if signatures else None)
    return generated_text(function, found, target, arguments)


def generated_text(function: FunctionType, found: Reach, target: str, arguments: Mapping[str, Type]) -> str:
    """The generated text for arguments of these types.

    Raises:
        SomdCompileError: the method is refused.
        TargetUnavailable: the target lacks a construct.
    """
    return _text(function, found, target, arguments, {})


def declared_arguments(function: FunctionType, found: Reach, signature: str | None) -> dict[str, Type]:
    """Argument types by parameter: those of a declared signature, or for None the ones that the source suggests.

    Raises:
        SomdCompileError: the method is refused, or the signature is none of it (SOMD102).
    """
    from somd.transforms import pipeline
    from somd.transforms.signature_text import parse_signature, parse_type
    from somd.transforms.types.scalars import ScalarType

    arguments = pipeline.default_arguments(function, found)
    for name, parameter in inspect.signature(function).parameters.items():
        if type(parameter.default) in (bool, float, complex) and isinstance(arguments.get(name), ScalarType):
            arguments[name] = parse_type(type(parameter.default).__name__)
    if signature is None:
        return _first_that_compiles(function, found, arguments)
    try:
        given = parse_signature(signature)
        own = len(arguments) - len(found.needs(found.top))
        if len(given) != len(arguments) and not own - len(function.__defaults__ or ()) <= len(given) <= own:
            raise ValueError(f"{_counted(len(given), 'type')} for {_counted(own, 'parameter')}")
    except ValueError as error:
        raise _wrong_signature(function, signature, str(error)) from None
    return arguments | dict(zip(arguments, given, strict=False))


def _counted(number: int, what: str) -> str:
    return f"{number} {what}{'s' if number != 1 else ''}"


def _first_that_compiles(function: FunctionType, found: Reach, arguments: dict[str, Type]) -> dict[str, Type]:
    """The types as suggested, or with arrays of integers or truth values if the method is taken for those alone."""
    from somd.transforms import pipeline
    from somd.transforms.types.scalars import ArrayType

    for dtype in ("float64", "int64", "bool"):
        tried = {
            name: ArrayType(dtype, kind.ndim) if isinstance(kind, ArrayType) and kind.dtype == "float64" else kind
            for name, kind in arguments.items()
        }
        try:
            pipeline.compile_for(function, tried, {}, found)
        except SomdCompileError:
            continue
        return tried
    return arguments


def _wrong_signature(function: FunctionType, signature: str, why: str) -> SomdCompileError:
    from somd.diagnostics.model import Diagnostic, Label
    from somd.diagnostics.render import position_of_line

    place = position_of_line(function.__code__.co_filename, function.__code__.co_firstlineno)
    message = f"the signature `{signature}` does not fit `{function.__name__}`: {why}"
    helps = ("one type a parameter, as Numba writes them: `float64[:, :], int64`",)
    return SomdCompileError((Diagnostic("SOMD102", message, (Label(place, "declared here", True),), helps),))


def _generate(
    function: FunctionType,
    found: Reach,
    target: str,
    signature: Mapping[str, str],
    aliases: Mapping[str, str],
    profiled: bool,
) -> str:
    from somd.transforms.signature_text import parse_type

    arguments = {name: parse_type(text) for name, text in signature.items()}
    return _text(function, found, target, arguments, aliases, profiled)


def _text(
    function: FunctionType,
    found: Reach,
    target: str,
    arguments: Mapping[str, Type],
    aliases: Mapping[str, str],
    profiled: bool = False,
) -> str:
    from somd.transforms import pipeline

    if target not in TARGETS:
        raise SomdRuntimeError(f"no text is generated for target {target!r}", "SOMD603")
    try:
        with room_for_nesting(function):
            compiled = pipeline.compile_for(function, arguments, aliases, found)
            text = pipeline.module_text(compiled, target, profiled)
            floats = any(annotation_of(function, name) is float for name in inspect.signature(function).parameters)
            ints = pipeline.takes_ints(compiled, arguments) if floats else ()
            return f"{text.rstrip()}\n\n\n{_TAKES_INTS} = {ints}\n" if ints else text
    except TargetLacks as lack:
        raise ConstructMissing(str(lack), lack.code) from lack
