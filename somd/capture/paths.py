"""The paths that a function reads: `self.grid.dx` as `Path("self", ("grid", "dx"))`, `w[1]` as `Path("w", (1,))`.

In: a function object. Out: its paths, each once, in the order in which they are first met. It looks at the text alone,
with `ast`, so that a call that finds its module in the cache does not import libcst. Names that the function assigns
are no roots of paths, unless they are parameters.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from types import CodeType, FunctionType
from weakref import WeakKeyDictionary

from somd.capture.source_text import NoSource, source_of
from somd.diagnostics.model import Position

#: an attribute, the number of an entry, or one of `FOLDS` with `()` behind it
Step = str | int
#: functions of a whole sequence whose value is known when the method starts
FOLDS = ("len", "sum", "min", "max")
#: the step that asks whether what is compared with a text is a number
NUMBER = "number()"
#: methods whose results may be objects with a name in a method: `part = rng.child(k)`
GIVING = ("child",)


@dataclass(frozen=True)
class Path:
    """A name and the steps read from it; `called` where the whole stands before the arguments of a call.

    `arguments` are those of the call, by position or keyword, with the path that each is, if it is one; `tested` where
    it is only asked whether the value is None, and `text` where it is compared with a text.
    """

    root: str
    attributes: tuple[Step, ...]
    called: bool = False
    position: Position | None = field(default=None, compare=False)
    arguments: tuple[tuple[Step, Path | None], ...] = ()
    tested: bool = False
    text: bool = False

    def __str__(self) -> str:
        return text_of((self.root, *self.attributes))


def names_given(count: int, rows: bool = False) -> str:
    """The step that asks whether a sequence has so many entries, or each of its rows."""
    return f"{'rows' if rows else 'entries'}={count}()"


def text_of(steps: Iterable[Step]) -> str:
    """The text that Python reads as these steps.

    >>> text_of(("self", "w", -1)), text_of(("w", "sum()"))
    ('self.w[-1]', 'sum(w)')
    """
    text = ""
    for step in steps:
        if isinstance(step, int):
            text = f"{text}[{step}]"
        elif step.endswith("()"):
            text = f"{step[:-1]}{text})"
        else:
            text = f"{text}.{step}" if text else step
    return text


_known: WeakKeyDictionary[FunctionType, tuple[CodeType, tuple[Path, ...]]] = WeakKeyDictionary()

_objects: WeakKeyDictionary[FunctionType, tuple[CodeType, dict[str, Path]]] = WeakKeyDictionary()


def paths_of(function: FunctionType) -> tuple[Path, ...]:
    """The paths of `function`; none if its source text is not available.

    >>> [str(path) for path in paths_of(paths_of)][:3]
    ['function.__code__', '_known.get', '_known']
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

    >>> from somd.syntax import module_of
    >>> sorted(dotted_names(module_of("np.sin(a[i]).real + x.y.z")))
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


def assigned_names(function: FunctionType) -> frozenset[str]:
    """The names that a function assigns, parameters among them, as far as its text is known."""
    tree = _tree(function)
    return frozenset(_bindings(ast.walk(tree))) if tree is not None else frozenset()


def made_objects(function: FunctionType) -> dict[str, Path]:
    """The locals that are bound once, to what a method gives that may give objects, and the path of the method."""
    code = function.__code__
    found = _objects.get(function)
    if found is None or found[0] is not code:
        tree = _tree(function)
        found = _objects[function] = code, {} if tree is None else dict(_made([*ast.walk(tree)], _Reader(function)))
    return found[1]


def _made(nodes: Sequence[ast.AST], reader: _Reader) -> Iterator[tuple[str, Path]]:
    counts = Counter(_bindings(nodes))
    for node in nodes:
        if not isinstance(node, ast.Assign) or len(node.targets) != 1 or not isinstance(node.value, ast.Call):
            continue
        target, called = node.targets[0], node.value.func
        if isinstance(target, ast.Name) and isinstance(called, ast.Attribute) and called.attr in GIVING:
            path = reader.path(called, called=True)
            if path is not None and counts[target.id] == 1:
                reader.assigned.discard(target.id)
                yield target.id, path


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
    nodes = list(ast.walk(tree))
    reader = _Reader(function, set(_bindings(nodes)))
    reader.made = set(dict(_made(nodes, reader)))
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
    def __init__(self, function: FunctionType, stored: Iterable[str] = ()) -> None:
        self.file = function.__code__.co_filename
        self.class_name = class_name_of(function)
        code = function.__code__
        self.variables = set(code.co_varnames)
        self.assigned = self.variables - set(parameters_of(function))
        #: parameters that are given other values
        self.stored = set(stored)
        #: locals that may be objects
        self.made: set[str] = set()
        self.found: list[Path] = []

    def path(self, node: ast.expr, *more: Step, called: bool = False) -> Path | None:
        steps: list[Step] = []
        inner = node
        while True:
            number = _entry(inner)
            if isinstance(inner, ast.Attribute) and isinstance(inner.ctx, ast.Load):
                steps.append(mangled(inner.attr, self.class_name))
            elif number is not None:
                steps.append(number)
            else:
                break
            inner = inner.value  # type: ignore[attr-defined]
        if not isinstance(inner, ast.Name) or not isinstance(inner.ctx, ast.Load) or inner.id in self.assigned:
            return None
        last_line, last_column = node.end_lineno or node.lineno, node.end_col_offset or node.col_offset
        place = Position(self.file, node.lineno, node.col_offset, last_line, last_column)
        return Path(inner.id, (*reversed(steps), *more), called, place)

    def visit_Attribute(self, node: ast.Attribute) -> None:
        self.reading(node)

    def visit_Name(self, node: ast.Name) -> None:
        self.reading(node)

    def visit_Subscript(self, node: ast.Subscript) -> None:
        self.reading(node)

    def reading(self, node: ast.expr) -> None:
        found = self.path(node)
        if found is not None:
            self.found.append(found)
        else:
            self.generic_visit(node)

    def visit_Call(self, node: ast.Call) -> None:
        name = node.func.id if isinstance(node.func, ast.Name) and node.func.id not in self.variables else ""
        if name in FOLDS and len(node.args) == 1 and not node.keywords:
            found = self.path(node.args[0], f"{name}()")
            if found is not None:
                self.found.append(found)
                return
        called = self.path(node.func, called=True) if isinstance(node.func, ast.Attribute | ast.Name) else None
        if called is None:
            for part in (node.func, *node.args, *node.keywords):
                self.visit(part)
            return
        place = len(self.found)
        self.found.append(called)
        given: list[tuple[Step, Path | None]] = []
        pairs: list[tuple[Step, ast.expr]] = [*enumerate(node.args)]
        pairs += [(each.arg or "**", each.value) for each in node.keywords]
        for key, value in pairs:
            path = self.path(value)
            if isinstance(value, ast.Constant) and value.value is None:
                path = Path("None", ())
            if isinstance(value, ast.Constant) and isinstance(value.value, str):
                path = Path(repr(value.value), ())
            kept = path if path is not None and path.root not in self.stored - self.made else None
            given.append((key, kept))
            if kept is None:
                self.visit(value)
        self.found[place] = replace(called, arguments=tuple(given))

    def visit_Compare(self, node: ast.Compare) -> None:
        """What is only compared with None may be anything."""
        right = node.comparators[0]
        none = isinstance(right, ast.Constant) and right.value is None
        found = self.path(node.left) if none and isinstance(node.ops[0], ast.Is | ast.IsNot) else None
        if found is not None:
            self.found.append(replace(found, tested=True))
            return
        sides = (node.left, *node.comparators)
        if any(_is_text(each) for each in sides):
            self.found += [replace(path, text=True) for each in sides if (path := self.path(each)) is not None]
        self.generic_visit(node)

    def visit_Assign(self, node: ast.Assign) -> None:
        if len(node.targets) == 1:
            self.given(node.targets[0], node.value)
        else:
            self.generic_visit(node)

    def given(self, target: ast.expr, value: ast.expr) -> None:
        """What is read where a target is given a value."""
        names = target if isinstance(target, ast.Tuple | ast.List) else None
        if names is not None and isinstance(value, ast.Tuple) and len(value.elts) == len(names.elts):
            for each, part in zip(names.elts, value.elts, strict=True):
                self.given(each, part)
            return
        self.visit(target)
        if names is not None and self.path(value) is not None:
            self.unpacked(names, value, ())
            return
        self.visit(value)
        if names is not None and isinstance(value, ast.Subscript):
            self.rows(names, value.value)

    def visit_For(self, node: ast.For) -> None:
        self.generic_visit(node)
        if isinstance(node.target, ast.Tuple):
            self.rows(node.target, node.iter)

    def unpacked(self, target: ast.Tuple | ast.List, value: ast.expr, steps: tuple[Step, ...]) -> None:
        """The entries that names are given, and how many there are: `n, m = shape`."""
        for number, each in enumerate((*target.elts, None)):
            if isinstance(each, ast.Tuple | ast.List):
                self.unpacked(each, value, (*steps, number))
                continue
            found = self.path(value, *steps, number if each is not None else names_given(number))
            assert found is not None
            self.found.append(found)

    def rows(self, target: ast.Tuple | ast.List, value: ast.expr) -> None:
        """How many entries each row of a sequence has: `for x, y in places`, `x, y = places[k]`."""
        found = self.path(value, names_given(len(target.elts), rows=True))
        if found is not None:
            self.found.append(found)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        self.visit(node.target)
        if node.value is not None:
            self.visit(node.value)


def _is_text(node: ast.expr) -> bool:
    """Whether an expression is a text, or some texts that are written out."""
    if isinstance(node, ast.Tuple | ast.List | ast.Set):
        return bool(node.elts) and all(map(_is_text, node.elts))
    return isinstance(node, ast.Constant) and isinstance(node.value, str)


def _entry(node: ast.expr) -> int | None:
    """The number in `w[2]` or `w[-1]`, where the element is read."""
    if not isinstance(node, ast.Subscript) or not isinstance(node.ctx, ast.Load):
        return None
    index, sign = node.slice, 1
    if isinstance(index, ast.UnaryOp) and isinstance(index.op, ast.USub):
        index, sign = index.operand, -1
    return sign * index.value if isinstance(index, ast.Constant) and type(index.value) is int else None


def _bindings(nodes: Iterable[ast.AST]) -> Iterator[str]:
    """The names that are given values, once for each time."""
    return (node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store))
