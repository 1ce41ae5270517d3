import pickle
import subprocess
import sys

import pytest

from somd import errors
from somd.diagnostics.model import Diagnostic, Label, Position

ONE = Diagnostic("SOMD301", "first", (Label(Position("nowhere.py", 3, 4, 3, 9), "read"),))
TWO = Diagnostic("SOMD302", "second")


def test_a_compile_error_shows_all_its_diagnostics() -> None:
    error = errors.SomdCompileError((ONE, TWO))
    assert error.code == "SOMD301"
    assert str(error) == (
        "error[SOMD301]: first\n --> nowhere.py:3:5\n  = note: line 3: read\n  = more: somdc explain SOMD301\n\n"
        "error[SOMD302]: second\n  = more: somdc explain SOMD302"
    )


def test_a_config_error_shows_file_and_line() -> None:
    error = errors.SomdConfigError("bad value", "missing.toml", 7, "SOMD604", ("try 3",))
    assert (error.file, error.line, error.code) == ("missing.toml", 7, "SOMD604")
    assert (
        str(error)
        == "error[SOMD604]: bad value\n --> missing.toml:7:1\n  = help: try 3\n  = more: somdc explain SOMD604"
    )


def test_a_config_error_without_a_file() -> None:
    assert str(errors.SomdConfigError("bad value", code="SOMD604")) == (
        "error[SOMD604]: bad value\n  = more: somdc explain SOMD604"
    )


def test_a_runtime_error_with_and_without_code() -> None:
    assert str(errors.SomdRuntimeError("lost")) == "lost"
    assert str(errors.SomdRuntimeError("overlap", "SOMD309")) == (
        "error[SOMD309]: overlap\n = more: somdc explain SOMD309"
    )


def test_families() -> None:
    for kind in (errors.SomdCompileError, errors.SomdConfigError, errors.SomdRuntimeError):
        assert issubclass(kind, errors.SomdError)
    assert issubclass(errors.SomdInternalError, errors.SomdCompileError)
    assert issubclass(errors.SomdFallbackWarning, UserWarning)


@pytest.mark.parametrize(
    "error",
    [
        errors.SomdCompileError((ONE, TWO)),
        errors.SomdConfigError("m", "f", 1, "SOMD602", ("h",)),
        errors.SomdRuntimeError("m", "SOMD309"),
    ],
)
def test_errors_survive_pickling(error: errors.SomdError) -> None:
    again = pickle.loads(pickle.dumps(error))
    assert type(again) is type(error)
    assert str(again) == str(error)


def test_errors_and_diagnostics_import_nothing_heavy() -> None:
    code = (
        "import sys, types; p = types.ModuleType('somd'); p.__path__ = [sys.argv[1]]; sys.modules['somd'] = p\n"
        "import somd.errors, somd.diagnostics.render, somd.settings.config\n"
        "print([m for m in ('libcst', 'numba', 'numpy', 'pyopencl', 'rich', 'islpy') if m in sys.modules])"
    )
    folder = str(errors.__file__).rsplit("errors", 1)[0]
    done = subprocess.run([sys.executable, "-c", code, folder], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
