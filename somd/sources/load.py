"""A user's file as a module, and the SOMD methods in it.

In: a path. Out: `Loaded`, its methods not yet checked. The file gets the module name, and relative imports the
package, that Python would give it; its folder (that of its outermost package) comes first in `sys.path`, as for a
script. The program is not run: what the methods need of it is evaluated (`excerpt`). `whole` imports the file instead;
what it prints goes to standard error.
"""

from __future__ import annotations

import ast
import contextlib
import importlib
import importlib.machinery
import importlib.util
import io
import linecache
import sys
import warnings
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import Any

from somd.calls.method import SomdMethod, gathering
from somd.capture.attributes import NotRun
from somd.diagnostics.model import Label
from somd.diagnostics.render import position_of_line
from somd.errors import SomdCompileError, SomdError
from somd.sources.excerpt.modules import Program
from somd.sources.excerpt.places import Places, installed
from somd.sources.excerpt.selection import Source, check_dropped_imports
from somd.sources.problems import FileProblem
from somd.sources.scan import Marked, marked_functions, names_made, read_source
from somd.syntax import module_of

Method = SomdMethod[..., Any]


def function_of(method: Method) -> FunctionType:
    """The function as written."""
    function: Any = method.somd_function  # type checkers take a function that is an attribute for a bound one
    return function  # type: ignore[no-any-return]


@dataclass(frozen=True)
class Unreached:
    """A method that only running more of the program would define; `why` completes "not checked: ..."."""

    qualname: str
    line: int
    why: str


@dataclass(frozen=True)
class Loaded:
    """A file with its methods in the order of the text.

    `others` are methods of the user's other files, which it imports.
    """

    path: Path
    module: ModuleType
    methods: tuple[Method, ...]
    unreached: tuple[Unreached, ...]
    others: tuple[Method, ...] = ()


@dataclass
class _Session:
    """The modules that files of one root have imported in this process: those of two roots are not mixed. `parts` are
    modules of which a part was evaluated, for the file before."""

    root: Path | None = None
    modules: set[str] = field(default_factory=set)
    parts: dict[str, ModuleType] = field(default_factory=dict)


_session = _Session()


def load(path: Path, *, whole: bool = False) -> Loaded:
    """The methods of a file.

    Raises:
        FileProblem: it cannot be read, is not Python, or raises when it is imported.
        SomdError: what it calls when it is imported is refused.
    """
    path = path.absolute()
    tree = read_source(path)
    return _loaded(path, tree, str(path), whole)


def load_text(path: Path, text: str, file: str, *, whole: bool = False) -> Loaded:
    """The methods of `text`, were it that of the file `path`; its code and its lines go by the name `file`, such as
    `<changed model.py>`.

    Raises:
        FileProblem, SomdError: as for `load`.
    """
    tree = module_of(text, file)
    lines = list(io.StringIO(text, newline=None))  # as of a file: `splitlines` ends lines at form feeds, too
    linecache.cache[file] = (len(text), None, lines, file)
    return _loaded(path.absolute(), tree, file, whole)


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


def _loaded(path: Path, tree: ast.Module, file: str, whole: bool) -> Loaded:
    root, name = module_name(path)
    marked = marked_functions(tree)
    gathered: list[Method] = []
    with _imports_from(root), gathering(gathered):
        module = _module(path, name)
        if whole:
            _execute(_compiled(path, tree, file), module, path, name)
        else:
            _evaluate(path, tree, file, module, marked)
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
    unreached = (Unreached(m.qualname, m.line, _why(m, module)) for m in marked if m.qualname not in found)
    return Loaded(path, module, methods, tuple(unreached), tuple(users))


def _compiled(path: Path, tree: ast.Module, file: str) -> CodeType:
    try:
        return compile(tree, file, "exec", dont_inherit=True)
    except (SyntaxError, ValueError) as error:
        raise FileProblem(str(path), f"importing it raised {_said(error)}", getattr(error, "lineno", None)) from None


def _why(marked: Marked, module: ModuleType) -> str:
    """Why a method is not defined."""
    if marked.nested:
        return "defined when the function around it is called"
    names: Any = vars(module)
    for part in marked.qualname.split("."):
        value = names.get(part)
        if isinstance(value, NotRun):
            return value.why
        names = vars(value) if isinstance(value, type) else {}
    return "not defined by importing"


def _evaluate(path: Path, tree: ast.Module, file: str, module: ModuleType, marked: tuple[Marked, ...]) -> None:
    """Evaluate what the methods need of a file."""
    _compiled(path, tree, file)
    root, name = module_name(path)
    places = Places(root)
    source = Source(name, path, tree, file, frozenset(each.line for each in marked))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SyntaxWarning)  # the whole has been compiled above
        program = Program(places, source, names_made(tree))
    check_dropped_imports(source, places)
    before, argv = sys.modules.get(name), sys.argv
    try:
        sys.argv = [str(path)]
        with contextlib.redirect_stdout(sys.stderr):
            program.run_main(module)
    except (KeyboardInterrupt, GeneratorExit):
        raise
    except BaseException as error:  # whatever a user's program does when it is imported
        lines = program.failed[1] if program.failed is not None and program.failed[0] is error else {}
        if isinstance(error, SomdCompileError):
            raise _placed(error, file, lines.get(file)) from None
        if isinstance(error, SomdError):
            raise
        raise FileProblem(str(path), f"importing it raised {_said(error)}", lines.get(file)) from None
    finally:
        sys.argv = argv
        _session.parts = {each: part for each, part in program.modules.items() if part is not module}
        if before is None:
            sys.modules.pop(name, None)
        else:
            sys.modules[name] = before


def _placed(error: SomdCompileError, file: str, line: int | None) -> SomdCompileError:
    """The error of a statement that was read, with its line where it has none."""
    if line is None:
        return error
    labels = (Label(position_of_line(file, line), "marked here", True),)
    return SomdCompileError(tuple(each if each.labels else replace(each, labels=labels) for each in error.diagnostics))


def _module(path: Path, name: str) -> ModuleType:
    loader: Any = importlib.machinery.SourceFileLoader(name, str(path))  # stubs want `load_module`, which 3.15 lacks
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
    for name, part in _session.parts.items():
        if sys.modules.get(name) is part:
            del sys.modules[name]
    _session.parts = {}
    importlib.invalidate_caches()
    if _session.root != root:
        for name in _session.modules:
            module = sys.modules.get(name)
            if not installed(getattr(module, "__file__", None) or ""):
                sys.modules.pop(name, None)
        _session.root, _session.modules = root, set()
    before = set(sys.modules)
    sys.path.insert(0, str(root))
    try:
        yield
    finally:
        _session.modules |= set(sys.modules) - before
        with contextlib.suppress(ValueError):
            sys.path.remove(str(root))
