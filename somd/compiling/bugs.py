"""Failures that are no user's fault: what the compiler and the libraries under it raise becomes SOMD9xx.

Out: a `SomdInternalError` that says what to report, with the first exception as its cause. Exceptions of the user's
own program, which come with other blocks than these, pass.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from somd.errors import SomdError, SomdInternalError
from somd.settings.targets import TARGETS, target_of

#: of the machine, or with a meaning of its own, wherever they come from
_OTHERS = (SomdError, MemoryError, RecursionError)


@contextmanager
def compiler_bugs(name: str) -> Iterator[None]:
    """A block in which the compiler works on the method `name`.

    Raises:
        SomdInternalError: SOMD901, for what it does not raise on purpose.
    """
    try:
        yield
    except _OTHERS:
        raise
    except Exception as error:
        what = str(error) if isinstance(error, AssertionError) else said(error)
        message = f"the compiler failed on `{name}`: {what or 'a broken invariant'}"
        helps = ("please report it, with the source of the function, and run `.sequential(...)` of it until then",)
        raise _internal("SOMD901", message, helps) from error


@contextmanager
def library_bugs(library: str, name: str, file: str) -> Iterator[None]:
    """A block in which a library compiles what was generated for the method `name`, and kept in `file`.

    Raises:
        SomdInternalError: SOMD902, for whatever the library raises.
    """
    try:
        yield
    except _OTHERS:
        raise
    except Exception as error:
        raise refused_code(library, name, file, error) from error


def refused_code(library: str, name: str, file: str, error: BaseException) -> SomdInternalError:
    """A library failed on generated code."""
    helps = (
        f"please report it, with the source of the function and the generated module {file}",
        "until then, run `.sequential(...)` of the method, or another target",
    )
    return _internal("SOMD902", f"{library} failed on the code generated for `{name}`: {said(error)}", helps)


def is_of_library(error: BaseException) -> bool:
    """Whether an exception is one of the libraries' own."""
    return any(base.__module__.partition(".")[0] in _libraries() for base in type(error).__mro__)


def _libraries() -> tuple[str, ...]:
    """Whose exceptions no user meets as themselves."""
    return ("libcst", "islpy", *(library for name in TARGETS for library in target_of(name).libraries))


def said(error: BaseException) -> str:
    """The type of an exception and the first line that it says."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    first = next((line for line in lines if not line.startswith("Failed in nopython mode")), "")
    return f"{type(error).__name__}: {first}" if first else type(error).__name__


def _internal(code: str, message: str, helps: tuple[str, ...]) -> SomdInternalError:
    from somd.diagnostics.model import Diagnostic

    return SomdInternalError((Diagnostic(code, message, (), helps, (_versions(),)),))


def _versions() -> str:
    import platform
    from importlib.metadata import PackageNotFoundError, version

    found = [f"Python {platform.python_version()} on {platform.system()} {platform.machine()}"]
    for name in ("somd", "numpy", *_libraries()):
        try:
            found.append(f"{name} {version(name)}")
        except PackageNotFoundError:
            continue
    return ", ".join(found)
