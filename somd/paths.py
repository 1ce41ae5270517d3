"""The dotted names that a function reads: `self.grid.dx` as `Path("self", ("grid", "dx"))`.

In: a function object. Out: its paths, each once, in the order in which they are first met. It looks at the text alone,
with `ast`, so that a call that finds its module in the cache does not import libcst. Names that the function assigns
are no roots of paths, unless they are parameters.
"""

from __future__ import annotations

import ast
import inspect
from dataclasses import dataclass, field
from types import FunctionType
from weakref import WeakKeyDictionary

from somd.diagnostics.model import Position
from somd.indentation import at_the_margin


@dataclass(frozen=True)
class Path:
    """A name and the attributes read from it; `called` where the whole stands before the arguments of a call."""

    root: str
    attributes: tuple[str, ...]
    called: bool = False
    position: Position | None = field(default=None, compare=False)

    def __str__(self) -> str:
        return ".".join((self.root, *self.attributes))


_known: WeakKeyDictionary[FunctionType, tuple[Path, ...]] = WeakKeyDictionary()


def paths_of(function: FunctionType) -> tuple[Path, ...]:
    """The paths of `function`; none if its source text is not available.

    >>> import textwrap
    >>> [str(path) for path in paths_of(textwrap.dedent)][:3]
    ['_whitespace_only_re.sub', 'text', '_leading_whitespace_re.findall']
    """
    found = _known.get(function)
    if found is None:
        found = _known[function] = tuple(_read(function))
    return found


def parameters_of(function: FunctionType) -> tuple[str, ...]:
    """The names of the parameters that are no `*args` or `**kwargs`."""
    code = function.__code__
    return code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]


def class_name_of(function: FunctionType) -> str | None:
    """The name of the class in whose body the function was defined, as far as its qualified name tells."""
    around = function.__qualname__.rpartition(".")[0]
    name = around.rpartition(".")[2]
    return name if name and name != "<locals>" else None


def mangled(attribute: str, class_name: str | None) -> str:
    """The attribute that `self.__x` reads in the body of a class.

    >>> mangled("__x", "_Grid"), mangled("__len__", "_Grid"), mangled("x", "_Grid")
    ('_Grid__x', '__len__', 'x')
    """
    if class_name is None or not attribute.startswith("__") or attribute.endswith("__"):
        return attribute
    stripped = class_name.lstrip("_")
    return f"_{stripped}{attribute}" if stripped else attribute


def returned_path(function: FunctionType) -> Path | None:
    """The path in `return self.a.b` where that is all that the function does."""
    tree = _tree(function)
    if tree is None:
        return None
    body = [s for s in tree[0].body if not (isinstance(s, ast.Expr) and isinstance(s.value, ast.Constant))]
    if len(body) != 1 or not isinstance(body[0], ast.Return) or body[0].value is None:
        return None
    reader = _Reader(function, *tree)
    return reader.path(body[0].value)


def _read(function: FunctionType) -> list[Path]:
    tree = _tree(function)
    if tree is None:
        return []
    reader = _Reader(function, *tree)
    for statement in tree[0].body:
        reader.visit(statement)
    return list(dict.fromkeys(reader.found))


def _tree(function: FunctionType) -> tuple[ast.FunctionDef, int, int] | None:
    """The definition, and by how many lines and columns it stands further down and right in its file."""
    try:
        lines, first_line = inspect.getsourcelines(function)
        module = ast.parse(at_the_margin(lines))
    except (OSError, TypeError, SyntaxError):
        return None
    node = module.body[0] if module.body else None
    indent = len(lines[0]) - len(lines[0].lstrip())
    return (node, max(first_line, 1) - 1, indent) if isinstance(node, ast.FunctionDef) else None


class _Reader(ast.NodeVisitor):
    def __init__(self, function: FunctionType, tree: ast.FunctionDef, lines: int, columns: int) -> None:
        self.file = function.__code__.co_filename
        self.class_name = class_name_of(function)
        code = function.__code__
        self.assigned = set(code.co_varnames) - set(parameters_of(function))
        self.lines, self.columns = lines, columns
        self.found: list[Path] = []

    def path(self, node: ast.expr, called: bool = False) -> Path | None:
        attributes: list[str] = []
        inner = node
        while isinstance(inner, ast.Attribute) and isinstance(inner.ctx, ast.Load):
            attributes.append(mangled(inner.attr, self.class_name))
            inner = inner.value
        if not isinstance(inner, ast.Name) or not isinstance(inner.ctx, ast.Load) or inner.id in self.assigned:
            return None
        last_line, last_column = node.end_lineno or node.lineno, node.end_col_offset or node.col_offset
        place = Position(
            self.file,
            node.lineno + self.lines,
            node.col_offset + self.columns,
            last_line + self.lines,
            last_column + self.columns,
        )
        return Path(inner.id, tuple(reversed(attributes)), called, place)

    def visit_Attribute(self, node: ast.Attribute) -> None:
        self._reading(node)

    def visit_Name(self, node: ast.Name) -> None:
        self._reading(node)

    def _reading(self, node: ast.expr, called: bool = False) -> None:
        found = self.path(node, called)
        if found is not None:
            self.found.append(found)
        else:
            self.generic_visit(node)

    def visit_Call(self, node: ast.Call) -> None:
        if isinstance(node.func, ast.Attribute | ast.Name):
            self._reading(node.func, called=True)
        else:
            self.visit(node.func)
        for argument in (*node.args, *node.keywords):
            self.visit(argument)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        self.visit(node.target)
        if node.value is not None:
            self.visit(node.value)
