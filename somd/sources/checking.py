"""What the compiler says of the methods of a file, without running them.

Everything that the source shows is checked, as at decoration: markers, the language, dependences, bounds. What depends
on the types of arguments is checked for the signatures that `@somd` declares; other types are checked by a call.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from somd.cache.keys import missing_globals, source_key
from somd.calls.method import is_checked, mark_checked
from somd.capture.attributes import NotKnownYet
from somd.capture.reach import Reach
from somd.capture.reaching import reach_of_source
from somd.diagnostics.model import Diagnostic, Label
from somd.diagnostics.render import position_of_line
from somd.errors import SomdCompileError
from somd.sources.load import Loaded, Method, function_of
from somd.sources.problems import FileProblem


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
        return MethodCheck(*place, unknown=path.why)
    except SomdCompileError as error:
        return MethodCheck(*place, error.diagnostics)
    except AttributeError as error:
        raise FileProblem(place[1], f"`{place[0]}`: {error}", place[2]) from None
    missing = next((name for each in found.functions for name in missing_globals(each)), None)
    if missing is not None:
        return MethodCheck(*place, unknown=f"`{missing}` is not defined")
    key = source_key(function, found)
    passed = key is not None and is_checked(key)
    diagnostics = {} if passed else dict.fromkeys(_of_source(method, found))
    if not passed and not diagnostics and key is not None:
        mark_checked(key)
    if not diagnostics:
        for text in method.signatures:
            diagnostics.update(dict.fromkeys(_of_signature(method, found, text)))
    return MethodCheck(*place, tuple(diagnostics), len(method.signatures))


def _of_source(method: Method, found: Reach) -> Iterable[Diagnostic]:
    from somd.transforms.pipeline import check_source

    try:
        check_source(function_of(method), found)
    except SomdCompileError as error:
        return error.diagnostics
    except Exception as error:
        return (_bug(method, error),)
    return ()


def _bug(method: Method, error: Exception) -> Diagnostic:
    """A crash of the compiler, so that the other methods are checked all the same."""
    function = function_of(method)
    place = position_of_line(function.__code__.co_filename, function.__code__.co_firstlineno)
    message = f"the compiler failed on `{function.__qualname__}`: {type(error).__name__}: {error}"
    helps = ("please report it, with the source of the function",)
    return Diagnostic("SOMD901", message, (Label(place, "this method", True),), helps)


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
