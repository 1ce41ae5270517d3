"""The part of a module that its SOMD methods need: what a check runs instead of the whole program.

In: a syntax tree and its methods. Out: the tree with those top-level statements only that bind, directly or not, a
name that the methods read, and those that cannot do anything but fail: they hold no call, loop or name. Definitions
stay on their lines. What a dropped statement would have done to other names is not seen; a name that is missing
afterwards tells the caller to run the whole.
"""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterable, Iterator

from somd.sources.scan import Definition, Marked

_COSTLY = (
    ast.Call,
    ast.For,
    ast.AsyncFor,
    ast.While,
    ast.With,
    ast.AsyncWith,
    ast.comprehension,
    ast.Await,
    ast.Import,
    ast.ImportFrom,
    ast.ClassDef,
    ast.FunctionDef,
    ast.AsyncFunctionDef,
    ast.Name,
)


def excerpt(tree: ast.Module, methods: Iterable[Marked], wanted: Iterable[str] = ()) -> ast.Module:
    """The statements that define `methods`, and the names `wanted`, with all that they need."""
    lines = {method.line for method in methods}
    statements = list(_flat(tree.body, lines))
    kept = {k for k, s in enumerate(statements) if _holds(s, lines) or _harmless(s)}
    needed = {name for k in kept for name in _read(statements[k])} | set(wanted)
    bound = [_bound(s) for s in statements]
    while True:
        more = {k for k, names in enumerate(bound) if k not in kept and ("*" in names or names & needed)}
        if not more:
            break
        kept |= more
        needed |= {name for k in more for name in _read(statements[k])}
    return ast.Module([statements[k] for k in sorted(kept)], tree.type_ignores)


def dropped_imports(tree: ast.Module, part: ast.Module) -> Iterator[tuple[str, int]]:
    """The modules, each with its line, that `tree` imports at the top and `part` does not."""
    kept = set(map(id, part.body))
    for node in tree.body:
        if id(node) in kept:
            continue
        if isinstance(node, ast.Import):
            yield from ((alias.name, node.lineno) for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
            yield node.module, node.lineno


def binds_names_elsewhere(tree: ast.Module) -> bool:
    """Whether names of the module may be bound by something else than its top-level statements."""
    dynamic = ("globals", "exec", "setattr", "vars")
    for node in ast.walk(tree):
        if isinstance(node, ast.Global) or (isinstance(node, ast.Name) and node.id in dynamic):
            return True
    return False


def _flat(body: list[ast.stmt], lines: set[int]) -> Iterator[ast.stmt]:
    """The statements, with those under `if __name__ == "__main__":` where methods are defined there."""
    for node in body:
        if isinstance(node, ast.If) and _main_guard(node.test) and _holds(node, lines):
            yield from node.body
        else:
            yield node


def _main_guard(test: ast.expr) -> bool:
    return isinstance(test, ast.Compare) and isinstance(test.left, ast.Name) and test.left.id == "__name__"


def _holds(node: ast.AST, lines: set[int]) -> bool:
    """Whether a method is defined in `node`, functions aside."""
    if isinstance(node, Definition):
        return node.lineno in lines
    return any(_holds(inner, lines) for inner in ast.iter_child_nodes(node) if isinstance(inner, ast.stmt))


def _harmless(node: ast.stmt) -> bool:
    """Whether a statement can be run at no cost and without effect, if it does not fail."""
    if isinstance(node, ast.Raise):
        names = set(_read(node))
        return "SystemExit" not in names and all(hasattr(builtins, name) for name in names)
    if isinstance(node, ast.ImportFrom) and node.module == "__future__":
        return True
    return not any(isinstance(inner, _COSTLY) for inner in ast.walk(node))


def _bound(node: ast.stmt) -> set[str]:
    """The names that a top-level statement binds or changes; `*` for those that are not known."""
    if isinstance(node, Definition | ast.ClassDef):
        return {node.name}
    names: set[str] = set()
    for inner in ast.walk(node):
        if isinstance(inner, ast.Name) and isinstance(inner.ctx, ast.Store | ast.Del):
            names.add(inner.id)
        elif isinstance(inner, ast.Attribute | ast.Subscript) and isinstance(inner.ctx, ast.Store | ast.Del):
            names.update(_root(inner))
        elif isinstance(inner, ast.Import | ast.ImportFrom):
            names.update((a.asname or a.name).partition(".")[0] for a in inner.names)
        elif isinstance(inner, Definition | ast.ClassDef | ast.ExceptHandler) and inner.name:
            names.add(inner.name)
    return names


def _root(node: ast.expr) -> Iterator[str]:
    while isinstance(node, ast.Attribute | ast.Subscript):
        node = node.value
    if isinstance(node, ast.Name):
        yield node.id


def _read(node: ast.AST) -> Iterator[str]:
    """Every name that stands in a statement, in quoted annotations too."""
    for inner in ast.walk(node):
        if isinstance(inner, ast.Name):
            yield inner.id
        elif isinstance(inner, ast.arg | ast.AnnAssign) and inner.annotation is not None:
            yield from _quoted(inner.annotation)
        elif isinstance(inner, Definition) and inner.returns is not None:
            yield from _quoted(inner.returns)


def _quoted(annotation: ast.expr) -> Iterator[str]:
    for inner in ast.walk(annotation):
        if isinstance(inner, ast.Constant) and isinstance(inner.value, str):
            try:
                yield from _read(ast.parse(inner.value, mode="eval"))
            except (SyntaxError, ValueError):
                continue
