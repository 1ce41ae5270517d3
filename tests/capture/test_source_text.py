"""The text of a function is what its code was compiled from, whatever has become of the file since."""

from __future__ import annotations

import importlib
import importlib.util
import linecache
import os
import py_compile
import sys
import types
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import somd
from somd.capture.source_text import NoSource, source_of

HEAD = "import numpy as np\nfrom somd import dist, somd\n\n"
METHOD = """
@somd
def f(a: dist[np.ndarray]) -> None:
    for i in range(len(a)):
        a[i] = {}
"""
Files = Callable[[str, str], types.ModuleType]


@pytest.fixture
def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Files]:
    """Writes a file and imports it."""
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    names: list[str] = []

    def made(name: str, text: str) -> types.ModuleType:
        path = tmp_path / f"{name}.py"
        path.write_text(text, encoding="utf-8")
        names.append(name)
        importlib.invalidate_caches()
        sys.modules.pop(name, None)
        return importlib.import_module(name)

    yield made
    for name in names:
        sys.modules.pop(name, None)


def edited(made: types.ModuleType, text: str) -> None:
    Path(str(made.__file__)).write_text(text, encoding="utf-8")
    os.utime(str(made.__file__), (1, 1))


def agrees(method: Any, dtype: type = float) -> None:
    ours, plain = np.arange(1, 8, dtype=dtype), np.arange(1, 8, dtype=dtype)
    with somd.use(workers=3):
        method(ours)
    method.sequential(plain)
    assert ours.tolist() == plain.tolist()


@pytest.mark.parametrize("then", ["a[i] * 3", "a[i] * 5 + 1", "syntax error (", ""])
def test_a_file_edited_while_the_program_runs(module: Files, then: str) -> None:
    made = module("edited_one", HEAD + METHOD.format("a[i] * 2"))
    agrees(made.f)
    edited(made, HEAD + METHOD.format(then) if then else "")
    agrees(made.f, int)
    agrees(made.f, np.float32)


def test_a_file_edited_before_the_first_call(module: Files) -> None:
    made = module("edited_two", HEAD + "def g(x):\n    return x + 1\n" + METHOD.format("g(a[i])"))
    edited(made, "# moved\n" * 5 + HEAD + "def g(x):\n    return x + 2\n" + METHOD.format("g(g(a[i]))"))
    agrees(made.f)


def test_a_helpers_file_edited_before_its_text_is_asked_for(module: Files) -> None:
    module("edited_helper", "def g(x):\n    return x + 1\n")
    text = "from edited_helper import g\n" + HEAD + METHOD.format("g(a[i])")
    edited(sys.modules["edited_helper"], "def g(x):\n    return x + 2\n")
    with pytest.raises(somd.SomdCompileError, match="not compiled from the text that its file has now") as caught:
        module("edited_three", text)
    assert caught.value.code == "SOMD104"
    importlib.reload(sys.modules["edited_helper"])
    agrees(module("edited_three", text).f)
    edited(sys.modules["edited_helper"], "def g(x):\n    return x + 3\n")
    agrees(sys.modules["edited_three"].f, int)


def test_functions_that_changed_places(module: Files) -> None:
    texts = [f"def {name}(x):\n    return x {how}\n" for name, how in (("g", "+ 1"), ("g", "* 7"))]
    made = module("swapped_helpers", texts[0] + "first = g\n" + texts[1])
    user = module("swapped", "from swapped_helpers import g, first\n" + HEAD + METHOD.format("g(first(a[i]))"))
    agrees(user.f)
    edited(made, texts[1] + "first = g\n" + texts[0])
    for function in (made.g, made.first):
        source_of(function)  # taken before
    again = types.FunctionType(made.g.__code__, vars(made))
    with pytest.raises(NoSource):
        source_of(again)


def test_reloading_gives_the_new_text(module: Files) -> None:
    made = module("reloaded", HEAD + METHOD.format("a[i] * 2"))
    before = made.f
    agrees(before)
    edited(made, HEAD + METHOD.format("a[i] * 3"))
    importlib.reload(made)
    for method in (before, made.f, before):
        agrees(method, int)
        agrees(method)


def test_texts_under_one_name() -> None:
    """What `exec` runs under a name that was used before, as shells do with their cells."""

    def ran(expression: str) -> Any:
        text = HEAD + "def g(x):\n    return x * 2\n" + METHOD.format(expression)
        linecache.cache["<cell of a test>"] = (len(text), None, text.splitlines(keepends=True), "<cell of a test>")
        names: dict[str, Any] = {"__name__": "cell_of_a_test"}
        exec(compile(text, "<cell of a test>", "exec"), names)
        return names["f"]

    methods = [ran("g(a[i]) + 1"), ran("g(a[i]) + 2"), ran("a[i]")]
    for method in (*methods, *methods):
        agrees(method)


def test_bytecode_of_another_text(tmp_path: Path) -> None:
    """A stale .pyc, which Python runs where it is told not to check, and one without a text."""
    path = tmp_path / "compiled.py"
    path.write_text(HEAD + METHOD.format("a[i] * 2"), encoding="utf-8")
    code = py_compile.compile(str(path), invalidation_mode=py_compile.PycInvalidationMode.UNCHECKED_HASH)
    for text in (HEAD + METHOD.format("a[i] * 3"), None):
        path.unlink() if text is None else path.write_text(text, encoding="utf-8")
        linecache.clearcache()
        spec = importlib.util.spec_from_file_location("compiled", str(code))
        assert spec is not None and spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        with pytest.raises(somd.SomdCompileError) as caught:
            spec.loader.exec_module(module)
        assert caught.value.code == "SOMD104"
        assert ("file has now" in str(caught.value)) == (text is not None)


def outside(k: float) -> list[Callable[..., object]]:
    class Private:
        __hidden = 3

        def read(self, x: float) -> float:
            return self.__hidden * x + k

        def with_class(self) -> object:
            return (__class__, [y + 1 for y in (1, 2)], lambda: self.__hidden + k)  # type: ignore[name-defined]

    def asserting(x: float) -> str:
        """Rewritten by pytest.

        indented
        """
        assert x > 0, f"not {x}"
        assert os.path.basename("x") != "y" and x < k
        return f"{x:>{5}} {os.path.basename('x')} {somd.use}"

    return [Private.read, Private.with_class, asserting, *Private().with_class()[2:]]  # type: ignore[index]


@pytest.mark.parametrize("name", ["inspect", "typing", "unittest.case", "dataclasses", "tokenize", "json.decoder"])
def test_the_standard_library_is_what_its_files_say(name: str) -> None:
    module = importlib.import_module(name)
    functions = [value for value in vars(module).values() if isinstance(value, types.FunctionType)]
    classes = [value for value in vars(module).values() if isinstance(value, type) and value.__module__ == name]
    functions += [value for kind in classes for value in vars(kind).values() if isinstance(value, types.FunctionType)]
    mine = [function for function in functions if function.__code__.co_filename == module.__file__]
    assert len(mine) > 5
    for function in mine:
        assert source_of(function).first_line == function.__code__.co_firstlineno


def test_functions_inside_functions_and_classes() -> None:
    for function in outside(2.0):
        text = source_of(function)  # type: ignore[arg-type]
        assert function.__name__ == "<lambda>" or f"def {function.__name__}" in "".join(text.lines)


@pytest.mark.parametrize(
    "change",
    [("x + 1", "x + 2"), ("x + 1", "1 + x"), ("x + 1", "x - 1"), ("x + 1", "x  + 1"), ("x + 1", "x + 1.0")],
)
def test_small_differences_are_seen(module: Files, change: tuple[str, str]) -> None:
    text = "def g(x):\n    if x == 0.0:\n        return -0.0\n    return x + 1\n"
    made = module("small", text)
    edited(made, text.replace(*change))
    with pytest.raises(NoSource):
        source_of(made.g)
    edited(made, text.replace("-0.0", "0.0") + "# more")
    linecache.clearcache()
    with pytest.raises(NoSource):
        source_of(made.g)
    edited(made, text + "# more")
    assert source_of(made.g).lines == tuple(text.splitlines(keepends=True))
