"""The SOMD methods that a source text shows, without running any of it.

In: the bytes of a Python file. Out: its syntax tree, and a `Marked` for each function under `@somd`, however the
decorator was imported: `from somd import somd as parallel`, `import somd as s`, `gpu = somd.somd(target="opencl")`.
"""

from __future__ import annotations

import ast
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from somd.sources.problems import FileProblem
from somd.syntax import module_of

Definition = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True)
class Marked:
    """A function under `@somd`: its qualified name, the line of its `def`, and whether it stands in a function."""

    qualname: str
    line: int
    nested: bool


def read_source(path: Path) -> ast.Module:
    """The syntax tree of a file.

    Raises:
        FileProblem: it cannot be read, or is not Python.
    """
    try:
        if not stat.S_ISREG(path.stat().st_mode):  # reading a pipe would wait for ever
            raise FileProblem(str(path), "a folder, not a file" if path.is_dir() else "not a regular file")
        data = path.read_bytes()
    except OSError as error:
        raise FileProblem(str(path), f"cannot read the file: {error.strerror or error}") from None
    try:
        return module_of(data, str(path))
    except SyntaxError as error:
        raise FileProblem(str(path), f"not valid Python: {error.msg}", error.lineno or None) from None
    except ValueError as error:  # zero bytes
        raise FileProblem(str(path), f"not a Python file: {error}") from None
    except (RecursionError, MemoryError):
        raise FileProblem(str(path), "nested too deeply to be parsed") from None


def marked_functions(tree: ast.Module) -> tuple[Marked, ...]:
    """The functions under `@somd`, in the order of the text.

    >>> tree = module_of("import somd as s\\nclass A:\\n    @s.somd\\n    def f(self, a): ...")
    >>> marked_functions(tree)
    (Marked(qualname='A.f', line=4, nested=False),)
    """
    names = _decorator_names(tree)
    return tuple(_marked(tree.body, names, (), False))


def names_made(tree: ast.Module) -> frozenset[str]:
    """The top-level names that the decorator makes otherwise: by a call (`f = somd(g)`), or of a class."""
    names = _decorator_names(tree)
    made = {name for node in tree.body for name in _aliases(node, set(names))}
    classes = (node for node in tree.body if isinstance(node, ast.ClassDef))
    return frozenset(made.union(node.name for node in classes if is_marked(node, names)))


def is_marked(node: Definition | ast.ClassDef, names: frozenset[str]) -> bool:
    """Whether one of the decorators of `node` is one of `names`, or a call of one."""
    return any(_dotted(d.func if isinstance(d, ast.Call) else d) in names for d in node.decorator_list)


def _marked(body: list[ast.stmt], names: frozenset[str], around: tuple[str, ...], nested: bool) -> Iterator[Marked]:
    for node in body:
        if isinstance(node, Definition):
            if is_marked(node, names):
                yield Marked(".".join((*around, node.name)), node.lineno, nested)
            yield from _marked(node.body, names, (*around, node.name, "<locals>"), True)
        elif isinstance(node, ast.ClassDef):
            yield from _marked(node.body, names, (*around, node.name), nested)
        else:
            for inner in _blocks(node):
                yield from _marked(inner, names, around, nested)


def _blocks(node: ast.stmt) -> Iterator[list[ast.stmt]]:
    """The statement lists inside a compound statement."""
    for _, value in ast.iter_fields(node):
        for each in value if isinstance(value, list) else ():
            if isinstance(each, ast.ExceptHandler | ast.match_case):
                yield each.body
        if isinstance(value, list) and value and isinstance(value[0], ast.stmt):
            yield value


def _decorator_names(tree: ast.Module) -> frozenset[str]:
    """The dotted names in this module that stand for `somd.somd`."""
    names: set[str] = set()
    nodes = [node for node in ast.walk(tree) if isinstance(node, ast.Import | ast.ImportFrom | ast.Assign)]
    for node in nodes:
        if isinstance(node, ast.ImportFrom) and node.level == 0 and node.module in ("somd", "somd.calls.decorator"):
            names.update(a.asname or a.name for a in node.names if a.name == "somd")
            names.update({"somd"} if any(a.name == "*" for a in node.names) else ())
        elif isinstance(node, ast.Import):
            names.update(f"{a.asname or a.name}.somd" for a in node.names if a.name in ("somd", "somd.calls.decorator"))
            names.update(a.asname or a.name for a in node.names if a.name == "somd")  # the package decorates, too
            names.update({"somd.somd"} if any(a.name.startswith("somd.") and not a.asname for a in node.names) else ())
    found = -1
    while found != len(names):
        found = len(names)
        names.update(name for node in nodes for name in _aliases(node, names))
    return frozenset(names)


def _aliases(node: ast.AST, names: set[str]) -> Iterator[str]:
    """The names that an assignment gives to the decorator, with options or without."""
    if isinstance(node, ast.Assign):
        value = node.value
        inside: list[ast.expr] = [value]
        while isinstance(value, ast.Call):  # somd(target="opencl")(f), too
            inside += [value.func, *value.args]
            value = value.func
        if any(_dotted(each) in names for each in inside):
            yield from (target.id for target in node.targets if isinstance(target, ast.Name))


def _dotted(node: ast.expr) -> str:
    if isinstance(node, ast.Name):
        return node.id
    return f"{_dotted(node.value)}.{node.attr}" if isinstance(node, ast.Attribute) else ""
