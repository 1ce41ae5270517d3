"""A user's file as a module, and the SOMD methods in it.

In: a path. Out: `Loaded`, its methods not yet checked. The file gets the module name, and relative imports the
package, that Python would give it; its folder (that of its outermost package) comes first in `sys.path`, as for a
script. What it prints goes to standard error. By default only the part runs that the methods need (`excerpt`); `whole`
imports all.
"""

from __future__ import annotations

import ast
import contextlib
import importlib
import importlib.machinery
import importlib.util
import io
import linecache
import os
import sys
import sysconfig
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import Any

from somd.errors import SomdError
from somd.keys import missing_globals
from somd.method import SomdMethod, gathering
from somd.sources.excerpt import binds_names_elsewhere, dropped_imports, excerpt
from somd.sources.problems import FileProblem
from somd.sources.scan import Marked, marked_functions, names_made, read_source

Method = SomdMethod[..., Any]


def function_of(method: Method) -> FunctionType:
    """The function as written."""
    function: Any = method.somd_function  # type checkers take a function that is an attribute for a bound one
    return function  # type: ignore[no-any-return]


@dataclass(frozen=True)
class Loaded:
    """A file with its methods in the order of the text; `unreached` are those that only a call would define.

    `others` are methods of the user's other files, which it imports.
    """

    path: Path
    module: ModuleType
    methods: tuple[Method, ...]
    unreached: tuple[Marked, ...]
    others: tuple[Method, ...] = ()


@dataclass
class _Session:
    """The modules that files of one root have imported in this process: those of two roots are not mixed."""

    root: Path | None = None
    modules: set[str] = field(default_factory=set)


_session = _Session()


def load(path: Path, *, whole: bool = False, wanted: Iterable[str] = ()) -> Loaded:
    """The methods of a file; `wanted` are further names of the module that the caller needs.

    Raises:
        FileProblem: it cannot be read, is not Python, or raises when it is imported.
        SomdError: what it calls when it is imported is refused.
    """
    path = path.absolute()
    tree = read_source(path)
    marked = marked_functions(tree)
    if whole:
        return _run(path, tree, marked)
    part = excerpt(tree, marked, {*wanted, *names_made(tree)})
    for name, line in dropped_imports(tree, part):
        _check_found(path, name, line)
    try:
        loaded = _run(path, part, marked)
    except (FileProblem, SomdError):
        return _run(path, tree, marked)
    incomplete = any(missing_globals(function_of(method)) for method in loaded.methods)
    return _run(path, tree, marked) if incomplete and binds_names_elsewhere(tree) else loaded


def load_text(path: Path, text: str, file: str) -> Loaded:
    """The methods of `text`, were it that of the file `path`; its code and its lines go by the name `file`, such as
    `<changed model.py>`.

    Raises:
        FileProblem, SomdError: as for `load`.
    """
    tree = ast.parse(text, file)
    lines = list(io.StringIO(text, newline=None))  # as of a file: `splitlines` ends lines at form feeds, too
    linecache.cache[file] = (len(text), None, lines, file)
    marked = marked_functions(tree)
    return _run(path.absolute(), excerpt(tree, marked), marked, file)


def module_name(path: Path) -> tuple[Path, str]:
    """The folder from which a file is imported, and its name there.

    >>> module_name(Path(__file__))[1]
    'somd.sources.load'
    """
    root, parts = path.parent, [] if path.name == "__init__.py" else [path.stem]
    while (root / "__init__.py").is_file() and root != root.parent:
        parts.insert(0, root.name)
        root = root.parent
    return root, ".".join(parts) or path.stem


def _run(path: Path, tree: ast.Module, marked: tuple[Marked, ...], file: str | None = None) -> Loaded:
    file = str(path) if file is None else file
    root, name = module_name(path)
    gathered: list[Method] = []
    with _imports_from(root), gathering(gathered):
        module = _module(path, name)
        code = compile(tree, file, "exec", dont_inherit=True)
        _execute(code, module, path, name)
    mine: dict[int, Method] = {}
    users: list[Method] = []
    for method in gathered:
        where = function_of(method).__code__
        if where.co_filename == file:
            mine[where.co_firstlineno] = method
        elif not installed(where.co_filename):
            users.append(method)
    methods = tuple(mine[line] for line in sorted(mine))
    found = {function_of(method).__qualname__ for method in methods}
    return Loaded(path, module, methods, tuple(m for m in marked if m.qualname not in found), tuple(users))


def _module(path: Path, name: str) -> ModuleType:
    loader = importlib.machinery.SourceFileLoader(name, str(path))
    folders = [str(path.parent)] if path.name == "__init__.py" else None
    spec = importlib.util.spec_from_file_location(name, path, loader=loader, submodule_search_locations=folders)
    if spec is None:
        raise FileProblem(str(path), "not a Python file")
    return importlib.util.module_from_spec(spec)


def _execute(code: CodeType, module: ModuleType, path: Path, name: str) -> None:
    """Run a module's code under its name, as importing it would."""
    before, argv = sys.modules.get(name), sys.argv
    try:
        sys.argv = [str(path)]
        package = name.rpartition(".")[0]
        if package:
            importlib.import_module(package)
            before = sys.modules.get(name)
        sys.modules[name] = module
        with contextlib.redirect_stdout(sys.stderr):
            exec(code, vars(module))
    except SomdError:
        raise
    except (KeyboardInterrupt, GeneratorExit):
        raise
    except BaseException as error:  # whatever a user's program does when it is imported
        raise FileProblem(str(path), f"importing it raised {_said(error)}", _line_in(error, str(path))) from None
    finally:
        sys.argv = argv
        if before is None:
            sys.modules.pop(name, None)
        else:
            sys.modules[name] = before


def _said(error: BaseException) -> str:
    """An exception on one line."""
    text = " ".join(str(error).split())
    if isinstance(error, SyntaxError) and error.filename:
        return f"SyntaxError: {error.msg} ({Path(error.filename).name}, line {error.lineno})"
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


def _line_in(error: BaseException, file: str) -> int | None:
    """The line of `file` at which it came, the innermost one."""
    line, trace = None, error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == file:
            line = trace.tb_lineno
        trace = trace.tb_next
    return line


@contextlib.contextmanager
def _imports_from(root: Path) -> Iterator[None]:
    """A block that finds modules in `root` first, and none that another root's files have left."""
    if _session.root != root:
        for name in _session.modules:
            module = sys.modules.get(name)
            if not installed(getattr(module, "__file__", None) or ""):
                sys.modules.pop(name, None)
        importlib.invalidate_caches()
        _session.root, _session.modules = root, set()
    before = set(sys.modules)
    sys.path.insert(0, str(root))
    try:
        yield
    finally:
        _session.modules |= set(sys.modules) - before
        with contextlib.suppress(ValueError):
            sys.path.remove(str(root))


def installed(file: str) -> bool:
    """Whether a file is of an installed package, the standard library or somd."""
    return "site-packages" in file or file.startswith(_PLACES)


_PLACES = (str(Path(__file__).parents[1]) + os.sep, sysconfig.get_path("stdlib"), "<")


def _check_found(path: Path, name: str, line: int) -> None:
    """An import that the part does without must not fail in the whole either, as far as looking can tell."""
    top = name.partition(".")[0]
    if (path.parent / f"{top}.py").exists() or (module_name(path)[0] / top).exists():
        return
    try:
        found = importlib.util.find_spec(top) is not None
    except (ImportError, ValueError):
        found = top in sys.modules
    if not found:
        message = f"importing it raised ModuleNotFoundError: No module named {top!r}"
        raise FileProblem(str(path), message, line)
