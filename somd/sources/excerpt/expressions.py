"""The value of an expression, computed without effects, or `Refused`.

In: an `ast.expr` and the scope in which it stands. Out: its value. Each step looks at the values that it works with
(`allowed`): what an operator, an attribute or a call would run is known, or it is not run. Functions of the user's are
not called but read, statement by statement (`statements`).
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from typing import Any, Protocol

import numpy as np

from somd.capture.attributes import NotRun
from somd.sources.excerpt.allowed import is_known, is_large, is_long, may_subscript
from somd.sources.excerpt.operators import BINARY, COMPARED, UNARY
from somd.sources.excerpt.scope import Refused, Scope

#: elements that comprehensions may go through, all together
MOST_STEPS = 100_000


class World(Protocol):
    """What expressions need of the modules around them."""

    steps: int

    def attribute(self, value: Any, name: str) -> Any:
        """`value.name`."""

    def call(self, function: Any, args: list[Any], keywords: dict[str, Any]) -> Any:
        """`function(*args, **keywords)`."""

    def lambda_function(self, node: ast.Lambda, scope: Scope) -> Any:
        """The function that a lambda makes."""


class Expressions:
    """Evaluates the expressions of one scope."""

    def __init__(self, world: World, scope: Scope) -> None:
        self.world = world
        self.scope = scope

    def value(self, node: ast.expr) -> Any:
        """The value of an expression.

        Raises:
            Refused: it may have effects, or take long.
            Exception: what Python raises.
        """
        method = getattr(self, f"_{type(node).__name__.lower()}", None)
        if method is None:
            raise Refused(_WORDS.get(type(node), f"`{ast.unparse(node)[:40]}`"))
        found = method(node)
        if isinstance(found, NotRun):
            raise Refused("", found)
        return found

    def known(self, value: Any, doing: str) -> Any:
        """A value of which operators are known."""
        if not is_known(value):
            raise Refused(f"the use of {doing} of a `{type(value).__name__}`")
        if isinstance(value, np.ndarray) and value.dtype.hasobject:
            raise Refused("the use of an array of objects")
        if is_long(value):
            raise Refused("a long loop")
        return value

    def truth(self, node: ast.expr) -> bool:
        """Whether an expression counts as true."""
        return bool(self.known(self.value(node), "the truth"))

    def binary(self, kind: type[ast.operator], left: Any, right: Any, in_place: bool = False) -> Any:
        """An operator between two values."""
        operation: Callable[[Any, Any], Any] = BINARY[kind][1 if in_place else 0]
        for value in (left, right):
            self.known(value, "an operator")
        if is_large(operation, left, right):
            raise Refused("a computation with very large values")
        return operation(left, right)

    # --- one kind of node each ------------------------------------------------------------------------------------

    def _constant(self, node: ast.Constant) -> Any:
        return node.value

    def _name(self, node: ast.Name) -> Any:
        return self.scope.value(node.id)

    def _attribute(self, node: ast.Attribute) -> Any:
        return self.world.attribute(self.value(node.value), node.attr)

    def _binop(self, node: ast.BinOp) -> Any:
        return self.binary(type(node.op), self.value(node.left), self.value(node.right))

    def _unaryop(self, node: ast.UnaryOp) -> Any:
        if isinstance(node.op, ast.Not):
            return not self.truth(node.operand)
        return UNARY[type(node.op)](self.known(self.value(node.operand), "an operator"))

    def _boolop(self, node: ast.BoolOp) -> Any:
        found: Any = None
        for each in node.values:
            found = self.value(each)
            if bool(self.known(found, "the truth")) == isinstance(node.op, ast.Or):
                break
        return found

    def _compare(self, node: ast.Compare) -> Any:
        left = self.value(node.left)
        found: Any = True
        for number, (kind, other) in enumerate(zip(node.ops, node.comparators, strict=True)):
            if number and not bool(self.known(found, "the truth")):
                return found
            right = self.value(other)
            if not isinstance(kind, ast.Is | ast.IsNot):
                for value in (left, right):
                    if not isinstance(value, range):
                        self.known(value, "a comparison")
            found = COMPARED[type(kind)](left, right)
            left = right
        return found

    def _ifexp(self, node: ast.IfExp) -> Any:
        return self.value(node.body if self.truth(node.test) else node.orelse)

    def _subscript(self, node: ast.Subscript) -> Any:
        owner = self.value(node.value)
        if isinstance(owner, type) and not may_subscript(owner):
            raise Refused(f"`{ast.unparse(node.value)[:40]}[...]`")
        return self.known(owner, "an element")[self.value(node.slice)]

    def _slice(self, node: ast.Slice) -> slice:
        return slice(*(None if each is None else self.value(each) for each in (node.lower, node.upper, node.step)))

    def _tuple(self, node: ast.Tuple) -> tuple[Any, ...]:
        return tuple(self.elements(node.elts))

    def _list(self, node: ast.List) -> list[Any]:
        return list(self.elements(node.elts))

    def _set(self, node: ast.Set) -> set[Any]:
        return set(self.elements(node.elts))

    def _dict(self, node: ast.Dict) -> dict[Any, Any]:
        made: dict[Any, Any] = {}
        for key, value in zip(node.keys, node.values, strict=True):
            if key is None:
                made.update(self.known(self.value(value), "an entry"))
            else:
                made[self.value(key)] = self.value(value)
        return made

    def elements(self, nodes: list[ast.expr]) -> Iterator[Any]:
        """The values of a display or of arguments, with those behind `*`."""
        for node in nodes:
            if isinstance(node, ast.Starred):
                yield from self.iterated(self.value(node.value))
            else:
                yield self.value(node)

    def iterated(self, value: Any) -> Iterator[Any]:
        """What a loop over a value gives, as long as that is not too long."""
        for each in self.known(value, "elements"):
            self.world.steps += 1
            if self.world.steps > MOST_STEPS:
                raise Refused("a long loop")
            yield each

    def _joinedstr(self, node: ast.JoinedStr) -> str:
        return "".join(str(self.value(each)) for each in node.values)

    def _formattedvalue(self, node: ast.FormattedValue) -> str:
        value = self.known(self.value(node.value), "the text")
        text = "" if node.format_spec is None else self.value(node.format_spec)
        return format(_CONVERSIONS[node.conversion](value), text)

    def _namedexpr(self, node: ast.NamedExpr) -> Any:
        found = self.value(node.value)
        self.scope.around().bind(node.target.id, found)
        return found

    def _lambda(self, node: ast.Lambda) -> Any:
        return self.world.lambda_function(node, self.scope)

    def _call(self, node: ast.Call) -> Any:
        function = self.value(node.func)
        args: list[Any] = []
        for each in node.args:
            if isinstance(each, ast.Starred):
                args += self.iterated(self.value(each.value))
            else:
                args.append(self.value(each))
        keywords: dict[str, Any] = {}
        for keyword in node.keywords:
            if keyword.arg is None:
                keywords.update(self.known(self.value(keyword.value), "an entry"))
            else:
                keywords[keyword.arg] = self.value(keyword.value)
        return self.called(function, args, keywords, node.func)

    def called(self, function: Any, args: list[Any], keywords: dict[str, Any], text: ast.expr) -> Any:
        """What a call gives of the function that `text` stands for."""
        try:
            return self.world.call(function, args, keywords)
        except Refused as why:
            if why.what != CALL:
                raise
            raise Refused(f"a call of `{ast.unparse(text)[:40]}`") from None

    # --- comprehensions -------------------------------------------------------------------------------------------

    def _listcomp(self, node: ast.ListComp) -> list[Any]:
        return [each for inner in self._loops(node.generators) for each in inner.elements([node.elt])]

    def _setcomp(self, node: ast.SetComp) -> set[Any]:
        return {each for inner in self._loops(node.generators) for each in inner.elements([node.elt])}

    def _dictcomp(self, node: ast.DictComp) -> dict[Any, Any]:
        made: dict[Any, Any] = {}
        value: ast.expr | None = node.value
        for inner in self._loops(node.generators):
            if value is None:  # `{**each for each in these}`, from Python 3.15 on
                made.update(self.known(inner.value(node.key), "an entry"))
            else:
                made[inner.value(node.key)] = inner.value(value)
        return made

    def _generatorexp(self, node: ast.GeneratorExp) -> Iterator[Any]:
        return iter([each for inner in self._loops(node.generators) for each in inner.elements([node.elt])])

    def _loops(self, generators: list[ast.comprehension]) -> Iterator[Expressions]:
        """For each turn of the loops a scope with their variables."""
        first = self.value(generators[0].iter)
        yield from self._turns(generators, first, Expressions(self.world, self.scope.inner()))

    def _turns(self, generators: list[ast.comprehension], over: Any, inner: Expressions) -> Iterator[Expressions]:
        head, *rest = generators
        if head.is_async:
            raise Refused("an asynchronous loop")
        for each in self.iterated(over):
            inner.assign(head.target, each)
            if all(inner.truth(test) for test in head.ifs):
                if rest:
                    yield from self._turns(rest, inner.value(rest[0].iter), inner)
                else:
                    yield inner

    # --- targets --------------------------------------------------------------------------------------------------

    def assign(self, target: ast.expr, value: Any) -> None:
        """Bind a value to what stands on the left of `=`."""
        if isinstance(target, ast.Name):
            self.scope.bind(target.id, value)
        elif isinstance(target, ast.Tuple | ast.List):
            self._unpack(target.elts, list(self.iterated(value)))
        elif isinstance(target, ast.Subscript):
            owner = self.known(self.value(target.value), "an element")
            if isinstance(owner, type):
                raise Refused("an element of a class")
            owner[self.value(target.slice)] = value
        else:
            raise Refused(f"an assignment to `{ast.unparse(target)[:40]}`")

    def _unpack(self, targets: list[ast.expr], values: list[Any]) -> None:
        starred = next((k for k, each in enumerate(targets) if isinstance(each, ast.Starred)), None)
        if starred is not None:
            after = len(targets) - starred - 1
            if len(values) < len(targets) - 1:
                raise ValueError(f"not enough values to unpack (expected at least {len(targets) - 1})")
            end = len(values) - after
            values = [*values[:starred], values[starred:end], *values[end:]]
            targets = [each.value if isinstance(each, ast.Starred) else each for each in targets]
        if len(values) != len(targets):
            raise ValueError(f"{len(values)} values to unpack into {len(targets)} names")
        for target, value in zip(targets, values, strict=True):
            self.assign(target, value)


_CONVERSIONS: dict[int, Callable[[Any], Any]] = {-1: lambda value: value, 115: str, 114: repr, 97: ascii}
#: what `World.call` refuses without more to say
CALL = "a call"
_WORDS: dict[type[ast.expr], str] = {ast.Await: "`await`", ast.Yield: "`yield`", ast.YieldFrom: "`yield from`"}
