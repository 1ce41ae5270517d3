"""Functions that are defined in a method, and called there: they are written out where they are called.

    def f(A, B):                          ->   step of A, B: B[1:-1] = A[2:] - A[:-2]
        def step(old, new):                    step of B, A: ...
            new[1:-1] = old[2:] - old[:-2]
        step(A, B)
        step(B, A)

In: the tree of a function. Out: the tree without such definitions, and a `Nested` for each. What they read of the
method are its variables as they are when they are called, which is what Python does. Definitions of other forms stay,
and are refused as all that is not in the language.
"""

from __future__ import annotations

import ast
import inspect
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import CodeType, FunctionType

import libcst as cst

from somd.diagnostics.model import Collector, Diagnostic, Label, Position
from somd.transforms.tree.names import assigned_names, names_read
from somd.transforms.tree.walking import children_of, nodes_in, nodes_of

NUMBERS = (bool, int, float, complex)
KINDS = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
#: what binds names
BINDING = (cst.FunctionDef, cst.Param, cst.For, cst.Assign, cst.AnnAssign, cst.AugAssign, cst.NamedExpr)


@dataclass(frozen=True, eq=False)
class Nested:
    """A function in a function: its definition, and what names mean in it that are not its own.

    `around` are the variables of the function around it.
    """

    tree: cst.FunctionDef
    outer: FunctionType
    positions: Mapping[cst.CSTNode, Position]
    namespace: Mapping[str, object]
    around: frozenset[str]

    @property
    def __name__(self) -> str:
        return self.tree.name.value

    @property
    def __code__(self) -> CodeType:
        return self.outer.__code__

    @property
    def __signature__(self) -> inspect.Signature:
        signature = signature_of(self.tree)
        assert signature is not None
        return signature

    def __call__(self, *args: object) -> object:
        raise NotImplementedError


def signature_of(tree: cst.FunctionDef) -> inspect.Signature | None:
    """The parameters of a definition; None where it has some that take any number, or defaults that are no numbers."""
    given = tree.params
    if given.star_kwarg is not None or isinstance(given.star_arg, cst.Param):
        return None
    found: list[inspect.Parameter] = []
    for kind, params in zip(KINDS, (given.posonly_params, given.params, given.kwonly_params), strict=True):
        for param in params:
            default: object = inspect.Parameter.empty
            if param.default is not None:
                try:
                    default = ast.literal_eval(cst.Module([]).code_for_node(param.default))
                except ValueError:
                    return None
                if type(default) not in NUMBERS:
                    return None
            found.append(inspect.Parameter(param.name.value, kind, default=default))
    return inspect.Signature(found)


def without_nested(
    tree: cst.FunctionDef, positions: dict[cst.CSTNode, Position], collector: Collector
) -> tuple[cst.FunctionDef, dict[str, cst.FunctionDef]]:
    """The tree without the definitions that are written out, and these by name."""
    if not isinstance(tree.body, cst.IndentedBlock):
        return tree, {}
    bound = Counter(name for node in nodes_of(tree, *BINDING) for name in bound_names(node))
    found: dict[str, cst.FunctionDef] = {}
    rest: list[cst.BaseStatement] = []
    for statement in tree.body.body:
        definition = _definition(statement, positions)
        if definition is None or bound[definition.name.value] != 1:
            rest.append(statement)
        else:
            found[definition.name.value] = definition
    if not found:
        return tree, {}
    _check_uses(tree.body.body, found, positions, collector)
    made = tree.with_changes(body=tree.body.with_changes(body=rest))
    positions[made], positions[made.body] = positions[tree], positions[tree.body]
    return made, found


def _definition(statement: cst.BaseStatement, positions: dict[cst.CSTNode, Position]) -> cst.FunctionDef | None:
    """The function that a statement defines, by `def` or as `name = lambda ...`, if it is one that is written out."""
    if isinstance(statement, cst.FunctionDef):
        plain = not statement.decorators and statement.asynchronous is None
        return statement if plain and signature_of(statement) is not None else None
    small = statement.body[0] if isinstance(statement, cst.SimpleStatementLine) and len(statement.body) == 1 else None
    if not isinstance(small, cst.Assign) or len(small.targets) != 1 or not isinstance(small.value, cst.Lambda):
        return None
    target = small.targets[0].target
    if not isinstance(target, cst.Name):
        return None
    value = small.value
    body = cst.IndentedBlock([cst.SimpleStatementLine([cst.Return(value.body)])])
    made = cst.FunctionDef(cst.Name(target.value), value.params, body)
    for node in nodes_in(made):
        positions.setdefault(node, positions[value])
    return made if signature_of(made) is not None else None


def bound_names(node: cst.CSTNode) -> Sequence[str]:
    """The names that a node itself binds: none if it is not of `BINDING`."""
    if isinstance(node, cst.FunctionDef | cst.Param):
        return [node.name.value]
    if isinstance(node, cst.For):
        return list(names_read(node.target))
    return list(assigned_names(node)) if isinstance(node, BINDING) else []


def _check_uses(
    statements: Sequence[cst.BaseStatement],
    found: Mapping[str, cst.FunctionDef],
    positions: Mapping[cst.CSTNode, Position],
    collector: Collector,
) -> None:
    """Report functions that are called before all are defined, or stand where they are not called."""
    waiting = set(found)
    for statement in statements:
        name = _defined(statement, found)
        waiting -= {name}
        for node, called in _mentions(statement, found):
            if called and (not waiting or name):
                continue
            message = f"`{node.value}`, a function of the method, is called before all of them are defined"
            helps = "define the functions first"
            if not called:
                message = f"`{node.value}`, a function of the method, is handed on"
                helps = "call it where it is needed; what a method hands on are numbers and arrays"
            collector.add(Diagnostic("SOMD201", message, (Label(positions[node], "here", True),), (helps,)))


def _defined(statement: cst.BaseStatement, found: Mapping[str, cst.FunctionDef]) -> str:
    if isinstance(statement, cst.FunctionDef):
        return statement.name.value if statement.name.value in found else ""
    names = assigned_names(statement) & set(found)
    return next(iter(names), "")


def _mentions(node: cst.CSTNode, found: Mapping[str, cst.FunctionDef]) -> list[tuple[cst.Name, bool]]:
    """Where functions are named, and whether they are called there."""
    made: list[tuple[cst.Name, bool]] = []
    waiting: list[cst.CSTNode] = [node]
    while waiting:
        each = waiting.pop()
        if isinstance(each, cst.Call) and isinstance(each.func, cst.Name) and each.func.value in found:
            made.append((each.func, True))
            waiting += each.args
        elif isinstance(each, cst.Name) and each.value in found:
            made.append((each, False))
        elif isinstance(each, cst.FunctionDef):
            waiting.append(each.body)
        elif isinstance(each, cst.Assign) and isinstance(each.value, cst.Lambda):
            waiting.append(each.value.body)
        elif isinstance(each, cst.Attribute | cst.Arg):
            waiting.append(each.value)
        elif not isinstance(each, cst.Annotation):
            waiting += children_of(each)
    return made
