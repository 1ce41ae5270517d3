"""What the compiler says of the methods of a file, without running them.

Everything that the source shows is checked, as at decoration: markers, the language, dependences, bounds. What depends
on the types of arguments is checked for the signatures that `@somd` declares; other types are checked by a call.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from types import FunctionType

from somd.arguments.instead import is_random
from somd.cache.keys import missing_globals, source_key
from somd.calls.method import is_checked, mark_checked
from somd.capture.attributes import NotKnownYet
from somd.capture.reach import Reach
from somd.capture.reaching import reach_of_source
from somd.diagnostics.model import Diagnostic, Label
from somd.diagnostics.render import position_of_line
from somd.errors import SomdCompileError, SomdError
from somd.sources.load import Loaded, Method, function_of
from somd.sources.problems import FileProblem

#: markers that methods want unless a call gives them whole arrays, which is not kept on disk as that all is well is
_doubted: dict[str | None, str] = {}


@dataclass(frozen=True)
class MethodCheck:
    """One method: its place, what was found, and what could not be looked at, in words."""

    qualname: str
    file: str
    line: int
    diagnostics: tuple[Diagnostic, ...] = ()
    signatures: int = 0
    unknown: str = ""


@dataclass
class Checked:
    """What has been checked in this process; a method that several files import is checked once."""

    methods: dict[tuple[str, int], MethodCheck] = field(default_factory=dict)

    def add(self, loaded: Loaded) -> Iterator[MethodCheck]:
        """Check the methods of a file, and those that it imports; those not checked before come out."""
        for method in (*loaded.methods, *loaded.others):
            code = function_of(method).__code__
            key = (code.co_filename, code.co_firstlineno)
            if key not in self.methods:
                self.methods[key] = check_method(method)
                yield self.methods[key]
        for each in loaded.unreached:
            yield MethodCheck(each.qualname, str(loaded.path), each.line, unknown=each.why)


def check_method(method: Method) -> MethodCheck:
    """All that the source of a method, and its declared signatures, show."""
    function = function_of(method)
    code = function.__code__
    place = (function.__qualname__, code.co_filename, code.co_firstlineno)
    try:
        found = reach_of_source(function, method.owner)
        found.complete()
    except NotKnownYet as path:
        anyhow = _whatever_is_unpacked(method)
        return MethodCheck(*place, anyhow, unknown="" if anyhow else path.why)
    except SomdCompileError as error:
        return MethodCheck(*place, error.diagnostics)
    except AttributeError as error:
        raise FileProblem(place[1], f"`{place[0]}`: {error}", place[2]) from None
    missing = next((name for each in found.functions for name in missing_globals(each)), None)
    if missing is not None:
        return MethodCheck(*place, unknown=f"`{missing}` is not defined")
    key = source_key(function, found)
    passed = key is not None and is_checked(key)
    diagnostics: dict[Diagnostic, None] = {}
    wanted = _doubted.get(key, "")
    if not passed and not wanted:
        errors, doubts = _of_source(method, found)
        diagnostics = dict.fromkeys(errors)
        wanted = "" if diagnostics or method.signatures else _mark(doubts)
    if wanted:
        if key is not None:
            _doubted[key] = wanted
        why = f"only a call tells whether it has statements of whole arrays; if not, {wanted}"
        return MethodCheck(*place, unknown=why)
    if not passed and not diagnostics and key is not None:
        mark_checked(key)
    if not diagnostics:
        diagnostics = dict.fromkeys(_refused_when_called(function, found))
    if not diagnostics:
        for text in method.signatures:
            diagnostics.update(dict.fromkeys(_of_signature(method, found, text)))
    else:
        diagnostics.update(dict.fromkeys(_misfits(method, found)))
    return MethodCheck(*place, tuple(diagnostics), len(method.signatures))


def _mark(doubts: Iterable[Diagnostic]) -> str:
    """The marker that is wanted, if that is what is wrong."""
    return next((text for each in doubts for text in each.helps if text.startswith("mark the array")), "")


def _whatever_is_unpacked(method: Method) -> tuple[Diagnostic, ...]:
    """What is wrong with loops and dependences of a method whose parameters are unpacked (`low, high = limits`), which
    is the same for tuples of numbers, tuples of arrays and arrays."""
    with suppress(NotKnownYet, SomdError, AttributeError):
        found = reach_of_source(function_of(method), method.owner, pairs=True)
        found.complete()
        if not any(missing_globals(each) for each in found.functions):
            errors, _ = _of_source(method, found)
            return tuple(each for each in errors if each.code.startswith(("SOMD2", "SOMD3")))
    return ()


def _of_source(method: Method, found: Reach) -> tuple[tuple[Diagnostic, ...], tuple[Diagnostic, ...]]:
    """What is wrong, and what is unless a call gives arrays where the text may mean numbers."""
    from somd.transforms.pipeline import check_source

    try:
        return (), check_source(function_of(method), found)
    except SomdCompileError as error:
        return tuple(error.diagnostics), ()
    except Exception as error:
        return (_bug(method, error),), ()


def _refused_when_called(function: FunctionType, found: Reach) -> tuple[Diagnostic, ...]:
    names = function.__code__.co_names
    drawn = "random" in names or any(is_random(function.__globals__.get(name)) for name in names)
    if "print" not in names and not drawn:
        return ()
    from somd.transforms.pipeline import refused_when_called

    return refused_when_called(function, found)


def _bug(method: Method, error: Exception) -> Diagnostic:
    """A crash of the compiler, so that the other methods are checked all the same."""
    function = function_of(method)
    place = position_of_line(function.__code__.co_filename, function.__code__.co_firstlineno)
    message = f"the compiler failed on `{function.__qualname__}`: {type(error).__name__}: {error}"
    helps = ("please report it, with the source of the function",)
    return Diagnostic("SOMD901", message, (Label(place, "this method", True),), helps)


def _misfits(method: Method, found: Reach) -> Iterator[Diagnostic]:
    """The declared signatures that are none of a method that is refused anyhow."""
    from somd.calls.specialisations import declared_arguments

    for text in method.signatures:
        try:
            declared_arguments(function_of(method), found, text)
        except SomdCompileError as error:
            yield from (each for each in error.diagnostics if each.code == "SOMD102")
        except Exception as error:
            yield _bug(method, error)


def _of_signature(method: Method, found: Reach, text: str) -> Iterable[Diagnostic]:
    from somd.calls.specialisations import declared_arguments
    from somd.transforms.pipeline import compile_for

    try:
        compile_for(function_of(method), declared_arguments(function_of(method), found, text), {}, found)
    except SomdCompileError as error:
        return error.diagnostics
    except Exception as error:
        return (_bug(method, error),)
    return ()
