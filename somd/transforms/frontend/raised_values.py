"""Which parts of a `raise` or `assert` statement a method computes; the rest of the statement is plain Python's.

    raise Bad(f"{a[i]:.3f} at {i} of {len(a)}")   ->   a[i], i, len(a)

In: the statement, parsed by `ast`, and the local names of its function. Out: the expressions, each once, in the order
in which Python evaluates them: locals, elements and shapes of arrays, attributes and calls of methods of locals. What
is made of them, texts above all, is made by Python itself when the exception is raised (`somd.language.raising`).
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Collection, Iterator, Mapping

import numpy as np

from somd.language.raising import BOUND, statement_of

Statement = ast.Raise | ast.Assert


#: attributes and methods of numbers
OF_NUMBERS = frozenset(
    [
        "as_integer_ratio",
        "astype",
        "bit_count",
        "bit_length",
        "conjugate",
        "dtype",
        "hex",
        "imag",
        "is_integer",
        "item",
        "itemsize",
        "real",
        "tolist",
    ]
)


class NotTaken(Exception):
    """A part whose value cannot be had when the statement is reached; the text says why, `node` is the part."""

    def __init__(self, node: ast.AST, why: str, instead: str) -> None:
        super().__init__(why)
        self.node, self.why, self.instead = node, why, instead


class Choice(Exception):
    """A conditional expression, which makes two statements of the one that holds it."""

    def __init__(self, node: ast.IfExp) -> None:
        super().__init__(node)
        self.node = node


def with_arm(statement: Statement, choice: ast.IfExp, arm: ast.expr) -> Statement:
    """The statement with an arm of a conditional expression in its place.

    Raises:
        NotTaken: Python cannot write it.
    """
    made = copy.deepcopy(statement, {id(choice): arm})
    if ast.dump(statement_of(ast.unparse(made))) != ast.dump(made):
        why = "a conditional expression in a text of this form"
        raise NotTaken(choice, why, "write `if` and `else` around two statements")
    return made


def values_of(
    statement: Statement, local: Collection[str], names: Mapping[str, object], owner: str | None
) -> dict[str, ast.expr]:
    """The expressions by their text; `owner` is the parameter that is the object of a method.

    Raises:
        NotTaken: a part is of a form that has no value ahead of the statement.
        Choice: only one of two parts has one.
    """
    finder = _Finder(local, names, owner)
    if isinstance(statement, ast.Assert):
        parts = [] if statement.msg is None else [statement.msg]
    else:
        parts = [part for part in (statement.exc, statement.cause) if part is not None]
    for part in parts:
        finder.visit(part, True)
    return finder.found


class _Finder:
    def __init__(self, local: Collection[str], names: Mapping[str, object], owner: str | None) -> None:
        self.local = local
        self.owner = owner
        self.names = names
        self.found: dict[str, ast.expr] = {}

    def visit(self, node: ast.AST, sure: bool) -> None:
        """Collect what is in `node`; `sure` where nothing keeps Python from evaluating it."""
        if isinstance(node, ast.NamedExpr | ast.Await | ast.Yield | ast.YieldFrom):
            raise NotTaken(node, "an assignment or `yield` in a `raise` or `assert`", "assign in a statement before")
        if isinstance(node, ast.Name) and node.id in ("super", "__class__") and node.id not in self.local:
            raise NotTaken(node, f"`{node.id}` in a `raise` or `assert`", "name the class")
        if isinstance(node, BOUND):
            self.check_bound(node)
        if isinstance(node, ast.IfExp) and sure and self.offers_elements(node):
            raise Choice(node)
        if isinstance(node, ast.expr) and self.is_value(node):
            if not sure and any(isinstance(inner, ast.Subscript | ast.Call) for inner in ast.walk(node)):
                why = "an element in a part of a `raise` or `assert` that Python may not evaluate"
                raise NotTaken(node, why, "assign it to a name before")
            self.found.setdefault(ast.unparse(node), node)
            return
        for child, certain in _children(node):
            self.visit(child, sure and certain)

    def is_value(self, node: ast.expr) -> bool:
        """Whether the method computes the whole of `node`."""
        if isinstance(node, ast.Name):
            return node.id in self.local
        if isinstance(node, ast.Subscript):
            root = _root(node)
            captured = root is not None and root not in self.local and isinstance(self.named(node.value), np.ndarray)
            return root in self.local or captured
        if isinstance(node, ast.Attribute):
            return self.is_attribute(node)
        if not isinstance(node, ast.Call):
            return False
        if isinstance(node.func, ast.Attribute):
            return self.is_attribute(node.func)
        plain = isinstance(node.func, ast.Name) and node.func.id == "len" and "len" not in self.local
        return plain and len(node.args) == 1 and not node.keywords and _root(node.args[0]) in self.local

    def is_attribute(self, node: ast.Attribute) -> bool:
        """Whether an attribute is one of an array or object; those of numbers are Python's matter."""
        inner: ast.expr = node
        while isinstance(inner, ast.Attribute):
            inner = inner.value
        if not isinstance(inner, ast.Name) or inner.id not in self.local:
            return False
        return not (inner is node.value and node.attr in OF_NUMBERS and inner.id != self.owner)

    def offers_elements(self, node: ast.IfExp) -> bool:
        """Whether an arm of a conditional expression has values that must not be taken if it is not the one."""
        inner = [each for arm in (node.body, node.orelse) for each in ast.walk(arm)]
        return any(isinstance(each, ast.Subscript | ast.Call) and self.is_value(each) for each in inner)

    def named(self, node: ast.expr) -> object:
        """What a name, or a dotted one, stands for outside the function."""
        if isinstance(node, ast.Name):
            return self.names.get(node.id)
        return getattr(self.named(node.value), node.attr, None) if isinstance(node, ast.Attribute) else None

    def check_bound(self, node: ast.AST) -> None:
        """Refuse names that a comprehension or `lambda` shares with the function."""
        own = {n.id for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
        own |= {n.arg for n in ast.walk(node) if isinstance(n, ast.arg)}
        shared = sorted(own & set(self.local))
        if shared:
            why = f"`{shared[0]}` stands for two things in a `raise` or `assert`"
            raise NotTaken(node, why, "give the inner one another name")
        for inner in ast.walk(node):
            mentioned = {n.id for n in ast.walk(inner) if isinstance(n, ast.Name)}
            if isinstance(inner, ast.Subscript | ast.Call) and own & mentioned and self.is_value(inner):
                why = "elements of arrays in a comprehension or `lambda` of a `raise` or `assert`"
                raise NotTaken(inner, why, "name the elements one by one")


def _root(node: ast.expr) -> str | None:
    """The name that an element or attribute is read from."""
    while isinstance(node, ast.Subscript | ast.Attribute):
        node = node.value
    return node.id if isinstance(node, ast.Name) else None


def _children(node: ast.AST) -> Iterator[tuple[ast.AST, bool]]:
    """The parts of an expression in the order of evaluation, and whether each is evaluated if the whole is."""
    if isinstance(node, ast.IfExp):
        yield from ((node.test, True), (node.body, False), (node.orelse, False))
    elif isinstance(node, ast.BoolOp):
        yield from ((value, k == 0) for k, value in enumerate(node.values))
    elif isinstance(node, ast.Compare):
        yield from ((value, k < 2) for k, value in enumerate((node.left, *node.comparators)))
    elif isinstance(node, ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp):
        yield node.generators[0].iter, True
        parts: list[ast.expr | None] = [node.key, node.value] if isinstance(node, ast.DictComp) else [node.elt]
        rest = [part for part in parts if part is not None]  # there is no value in `{**each for each in these}`
        for k, each in enumerate(node.generators):
            rest += [*([each.iter] if k else []), *each.ifs]
        yield from ((part, False) for part in rest)
    elif isinstance(node, ast.Lambda):
        yield node.body, False
    else:
        yield from ((child, True) for child in ast.iter_child_nodes(node))
