"""The names of a statement: those it reads from outside, those it binds, and those whose objects it may change.

In: a statement at the top level of a module. Out: sets of names. What is local to a function, a comprehension or a
lambda is none of them: the names are those of the compiled code. Quoted annotations count as annotations.
"""

from __future__ import annotations

import ast
import dis
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from types import CodeType

from somd.sources.scan import Definition
from somd.syntax import expression_of


@dataclass(frozen=True)
class Names:
    """What a statement reads, binds (`*`: what a star import gives) and may change in place.

    `sets` are the global names that functions defined in it assign, `alters` the outer names before `.x = ...` and
    `[i] = ...` in it, functions included.
    """

    reads: frozenset[str] = frozenset()
    binds: frozenset[str] = frozenset()
    changes: frozenset[str] = frozenset()
    sets: frozenset[str] = frozenset()
    alters: frozenset[str] = frozenset()
    calls: bool = False


@dataclass
class _Found:
    reads: set[str] = field(default_factory=set)
    binds: set[str] = field(default_factory=set)
    sets: set[str] = field(default_factory=set)


def names_of(statement: ast.stmt) -> Names:
    """The names of one top-level statement.

    >>> from somd.syntax import module_of
    >>> def names(text):
    ...     found = names_of(module_of(text).body[0])
    ...     return sorted(found.reads), sorted(found.binds), sorted(found.changes), sorted(found.sets)
    >>> names("def f(a: 'T', n=N):\\n    for i in range(n):\\n        a[i] = K")
    (['K', 'N', 'T', 'range'], ['f'], [], [])
    >>> names("x[0], y = [z for z in w]")
    (['w', 'x'], ['y'], ['x'], [])
    """
    found = _Found()
    code = compile(ast.Module([statement], []), "<statement>", "exec", dont_inherit=True)
    _of_code(code, found, inside=False)
    nodes = list(ast.walk(statement))
    found.reads.update(_in_annotations(nodes))
    if any(isinstance(node, ast.alias) and node.name == "*" for node in nodes):
        found.binds.add("*")
    changes = set(_changed(statement))
    calls = any(isinstance(node, ast.Call) for node in nodes)
    reads, binds, sets = map(frozenset, (found.reads, found.binds, found.sets))
    alters = frozenset(name for node in nodes for name in _altered(node)) & found.reads
    return Names(reads, binds, frozenset(changes), sets, alters, calls)


def _of_code(code: CodeType, found: _Found, inside: bool) -> None:
    for step in dis.get_instructions(code):
        name = step.argval
        if step.opname in ("LOAD_NAME", "LOAD_GLOBAL", "LOAD_FROM_DICT_OR_GLOBALS"):
            found.reads.add(name)
        elif step.opname in ("STORE_GLOBAL", "DELETE_GLOBAL"):
            (found.sets if inside else found.binds).add(name)
        elif step.opname in ("STORE_NAME", "DELETE_NAME") and not inside:
            found.binds.add(name)
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            _of_code(inner, found, True)


def _changed(statement: ast.stmt) -> Iterator[str]:
    """The names before `.x = ...`, `[i] = ...` and, in a statement that is one call, before `.method(...)`."""
    if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call):
        yield from _root(statement.value.func)
    for node in outside_functions(statement):
        yield from _altered(node)


def _altered(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.Attribute | ast.Subscript) and isinstance(node.ctx, ast.Store | ast.Del):
        yield from _root(node)


def _root(node: ast.expr) -> Iterator[str]:
    named = isinstance(node, ast.Name)
    while isinstance(node, ast.Attribute | ast.Subscript):
        node = node.value
    if isinstance(node, ast.Name) and not named:
        yield node.id


def outside_functions(node: ast.AST) -> Iterator[ast.AST]:
    """The nodes of a tree that are evaluated where it stands: functions are not entered."""
    yield node
    for inner in ast.iter_child_nodes(node) if not isinstance(node, Definition | ast.Lambda) else ():
        yield from outside_functions(inner)


def _in_annotations(nodes: Iterable[ast.AST]) -> Iterator[str]:
    for node in nodes:
        if isinstance(node, ast.arg | ast.AnnAssign) and node.annotation is not None:
            yield from _quoted(node.annotation)
        elif isinstance(node, Definition) and node.returns is not None:
            yield from _quoted(node.returns)


def _quoted(annotation: ast.expr) -> Iterator[str]:
    """All names in an annotation, and in the texts in it."""
    for node in ast.walk(annotation):
        if isinstance(node, ast.Name):
            yield node.id
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            try:
                yield from _quoted(expression_of(node.value).body)
            except (SyntaxError, ValueError, RecursionError):
                continue


def attributes_in(tree: ast.AST) -> frozenset[str]:
    """Every name that stands behind a dot, in quoted annotations too."""
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute):
            found.add(node.attr)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and "." in node.value:
            found.update(part.strip() for part in node.value.replace("[", ".").replace("]", ".").split("."))
    return frozenset(name for name in found if name.isidentifier())
