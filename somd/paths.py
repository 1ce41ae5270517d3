"""The dotted names that a function reads: `self.grid.dx` as `Path("self", ("grid", "dx"))`.

In: a function object. Out: its paths, each once, in the order in which they are first met. It looks at the text alone,
with `ast`, so that a call that finds its module in the cache does not import libcst. Names that the function assigns
are no roots of paths, unless they are parameters.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field
from types import CodeType, FunctionType
from weakref import WeakKeyDictionary

from somd.diagnostics.model import Position
from somd.source_text import NoSource, source_of


@dataclass(frozen=True)
class Path:
    """A name and the attributes read from it; `called` where the whole stands before the arguments of a call."""

    root: str
    attributes: tuple[str, ...]
    called: bool = False
    position: Position | None = field(default=None, compare=False)

    def __str__(self) -> str:
        return ".".join((self.root, *self.attributes))


_known: WeakKeyDictionary[FunctionType, tuple[CodeType, tuple[Path, ...]]] = WeakKeyDictionary()


def paths_of(function: FunctionType) -> tuple[Path, ...]:
    """The paths of `function`; none if its source text is not available.

    >>> import textwrap
    >>> [str(path) for path in paths_of(textwrap.dedent)][:3]
    ['_whitespace_only_re.sub', 'text', '_leading_whitespace_re.findall']
    """
    code = function.__code__
    found = _known.get(function)
    if found is None or found[0] is not code:
        found = _known[function] = code, tuple(_read(function))
    return found[1]


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


def names_of(function: FunctionType, tree: ast.FunctionDef | ast.AsyncFunctionDef) -> tuple[tuple[str, ...], ...]:
    """All dotted names in the body of a function that do not begin with one of its own variables, annotations included.

    Attributes are those that Python reads: the private ones of a class by their full names.
    """
    code = function.__code__
    own = {*code.co_varnames, *code.co_cellvars}
    class_name = class_name_of(function)
    found = (path for statement in tree.body for path in dotted_names(statement))
    return tuple(dict.fromkeys((p[0], *(mangled(a, class_name) for a in p[1:])) for p in found if p[0] not in own))


def dotted_names(node: ast.AST) -> Iterator[tuple[str, ...]]:
    """The names, and attributes of names, in a tree: the longest ones.

    >>> sorted(dotted_names(ast.parse("np.sin(a[i]).real + x.y.z")))
    [('a',), ('i',), ('np', 'sin'), ('x', 'y', 'z')]
    """
    waiting: list[ast.AST] = [node]
    while waiting:
        node = waiting.pop()
        attributes: list[str] = []
        inner = node
        while isinstance(inner, ast.Attribute):
            attributes.append(inner.attr)
            inner = inner.value
        if isinstance(inner, ast.Name):
            yield (inner.id, *reversed(attributes))
        else:
            waiting += ast.iter_child_nodes(inner)


def returned_path(function: FunctionType) -> Path | None:
    """The path in `return self.a.b` where that is all that the function does."""
    tree = _tree(function)
    if tree is None:
        return None
    body = [s for s in tree.body if not (isinstance(s, ast.Expr) and isinstance(s.value, ast.Constant))]
    if len(body) != 1 or not isinstance(body[0], ast.Return) or body[0].value is None:
        return None
    reader = _Reader(function)
    return reader.path(body[0].value)


def _read(function: FunctionType) -> list[Path]:
    tree = _tree(function)
    if tree is None:
        return []
    reader = _Reader(function)
    for statement in tree.body:
        reader.visit(statement)
    return list(dict.fromkeys(reader.found))


def _tree(function: FunctionType) -> ast.FunctionDef | None:
    """The definition, where it stands in its file."""
    try:
        tree = source_of(function).tree
    except NoSource:
        return None
    return tree if isinstance(tree, ast.FunctionDef) else None


class _Reader(ast.NodeVisitor):
    def __init__(self, function: FunctionType) -> None:
        self.file = function.__code__.co_filename
        self.class_name = class_name_of(function)
        code = function.__code__
        self.assigned = set(code.co_varnames) - set(parameters_of(function))
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
        place = Position(self.file, node.lineno, node.col_offset, last_line, last_column)
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
