"""The plain function of a generated text: without `@somd`, with what docs/limits.md says of numbers.

Its elementary functions and powers are the compiler's own texts run by Python, so that results agree to the last bit.
Where Python's ints may leave 64 bits, literals, int arguments and what becomes an int are `Wrapped`, which wrap there;
that a float beyond 64 bits became one is noted in `BEYOND`.
"""

from __future__ import annotations

import ast
import linecache
import math
import operator
import struct
import warnings
from collections.abc import Callable, Sequence
from types import FunctionType
from typing import Any

import numpy as np

from somd.compiling.one_at_a_time import many_calls
from somd.elementary.functions import ALL, POWERS, SINGLES, elementary
from tests.property.mixed import Mixed

#: bits of an int that plain Python is let make
MOST_BITS = 1 << 32


class Wrapped(int):
    """One of Python's ints as docs/limits.md has it: 64 bits wide, wrapping."""

    __array_ufunc__ = None


def _wrapping(symbol: Callable[..., Any], name: str, reflected: bool = False) -> None:
    plain = getattr(int, name)

    def method(self: Wrapped, *others: Any) -> Any:
        if any(isinstance(other, np.generic | float | complex) for other in others):
            if not isinstance(others[0], np.generic):
                return NotImplemented
            return symbol(others[0], int(self)) if reflected else symbol(int(self), others[0])
        if name.endswith("lshift__") and int(self if reflected else others[0]) > MOST_BITS:
            raise MemoryError  # as Python does at once on a machine that has no room; others would work at it for hours
        found = plain(self, *others)
        if type(found) is tuple:
            return tuple(map(wrapped, found))
        return wrapped(found) if type(found) is int else found

    setattr(Wrapped, name, method)


for _name in ("add", "sub", "mul", "floordiv", "mod", "divmod", "pow", "lshift", "rshift", "and", "or", "xor"):
    _symbol = divmod if _name == "divmod" else getattr(operator, f"__{_name}__")
    _wrapping(_symbol, f"__{_name}__")
    _wrapping(_symbol, f"__r{_name}__", reflected=True)
for _name in ("neg", "pos", "abs", "invert"):
    _wrapping(getattr(operator, _name), f"__{_name}__")


def _compared(symbol: Callable[..., Any], name: str) -> None:
    plain = getattr(int, name)

    def method(self: Wrapped, other: Any) -> Any:
        return symbol(int(self), other) if isinstance(other, np.generic) else plain(self, other)

    setattr(Wrapped, name, method)


for _name in ("lt", "le", "gt", "ge", "eq", "ne"):
    _compared(getattr(operator, _name), f"__{_name}__")
Wrapped.__hash__ = int.__hash__  # type: ignore[method-assign]
Wrapped.__truediv__ = lambda self, other: int(self) / other  # type: ignore[method-assign,misc,assignment]
Wrapped.__rtruediv__ = lambda self, other: other / int(self)  # type: ignore[method-assign,misc,assignment]


def wrapped(value: int) -> Wrapped:
    return Wrapped((value + 2**63) % 2**64 - 2**63)


#: floats beyond 64 bits that became ints, whose values are the processor's (docs/limits.md); callers empty it
BEYOND: list[float] = []


def whole(function: Callable[[Any], Any], value: Any) -> Any:
    """`value` as an int by `int`, `round`, `math.floor` or their like, wrapping."""
    if isinstance(value, float | np.floating) and not -(2.0**63) <= value < 2.0**63:
        BEYOND.append(float(value))
    made = function(value)
    return wrapped(made) if type(made) is int else made


def of_numpy(function: Callable[..., Any], *arguments: Any) -> Any:
    """What a function of NumPy makes of arguments among which Python's ints are those of NumPy's rules."""
    return function(*(int(each) if type(each) is Wrapped else each for each in arguments))


def own_function(module: str, name: str) -> Callable[..., Any]:
    """The function of `math` or NumPy, with the bits that somd's own text gives."""
    own = str(elementary(name))
    real, mine = getattr(np if module == "np" else math, name), ALL[own]

    def function(*arguments: Any) -> Any:
        exact = real(*arguments)
        if isinstance(exact, complex):
            return exact
        if name == "log" and len(arguments) == 2:
            return mine(float(arguments[0])) / mine(float(arguments[1]))
        if type(exact) is np.float32 and own in SINGLES:
            with np.errstate(all="ignore"):
                return SINGLES[own](*arguments)
        return _of_text(mine, exact, arguments)

    return function


def own_power(base: Any, exponent: Any, literal: bool) -> Any:
    """`base ** exponent`; what plain Python makes complex of two real numbers is not defined (docs/limits.md)."""
    exact = base**exponent
    if isinstance(exact, complex) and not isinstance(base, complex) and not isinstance(exponent, complex):
        raise FloatingPointError("a power of Python's numbers that is complex")
    if not isinstance(exact, float | np.floating):
        return exact
    if literal and float(exponent) in POWERS:
        return _of_text(POWERS[float(exponent)], exact, (base,))
    return _of_text(ALL["pow"], exact, (base, exponent))


def _of_text(function: Callable[..., float], exact: Any, arguments: Sequence[Any]) -> Any:
    """What a text gives, as what NumPy or Python gave; that itself where the text raises in Python alone, for infinity
    and nan."""
    kind = type(exact)
    try:
        return kind(function(*(float(kind(each)) for each in arguments)))
    except (ArithmeticError, ValueError, struct.error):
        return exact


class _Own(ast.NodeTransformer):
    """Powers and elementary functions as calls of those above."""

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        self.generic_visit(node)
        return self._power(node, node.left, node.right) if isinstance(node.op, ast.Pow) else node

    def visit_AugAssign(self, node: ast.AugAssign) -> ast.AST:
        self.generic_visit(node)
        if not isinstance(node.op, ast.Pow) or not isinstance(node.target, ast.Name):
            return node
        found = self._power(node, ast.Name(node.target.id, ast.Load()), node.value)
        return ast.fix_missing_locations(ast.copy_location(ast.Assign([node.target], found), node))

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        match node.func:
            case ast.Name("pow") if len(node.args) == 2:
                return self._power(node, *node.args)
            case ast.Attribute(ast.Name("np" | "math" as module), name) if elementary(name) and name not in (
                "pow",
                "power",
            ):
                node.func = ast.copy_location(ast.Name(f"__own_{module}_{name}", ast.Load()), node.func)
        return node

    def _power(self, node: ast.AST, base: ast.expr, exponent: ast.expr) -> ast.expr:
        try:
            literal = ast.Constant(isinstance(ast.literal_eval(exponent), int | float))
        except ValueError:
            literal = ast.Constant(False)
        made = ast.Call(ast.Name("__own_power", ast.Load()), [base, exponent, literal], [])
        return ast.fix_missing_locations(ast.copy_location(made, node))


class _Literals(ast.NodeTransformer):
    """Python's ints as `Wrapped`."""

    def visit_Constant(self, node: ast.Constant) -> ast.AST:
        if type(node.value) is not int:
            return node
        made = ast.Call(ast.Name("__wrapped", ast.Load()), [node], [])
        return ast.fix_missing_locations(ast.copy_location(made, node))

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        match node:
            case ast.Call(ast.Name("int" | "round"), [value], []):
                pass
            case ast.Call(ast.Attribute(ast.Name("math"), "floor" | "ceil" | "trunc"), [value], []):
                pass
            case ast.Call(ast.Attribute(ast.Name("np"), _), values, []):
                made = ast.Call(ast.Name("__of_numpy", ast.Load()), [node.func, *values], [])
                return ast.fix_missing_locations(ast.copy_location(made, node))
            case _:
                return node
        made = ast.Call(ast.Name("__whole", ast.Load()), [node.func, value], [])
        return ast.fix_missing_locations(ast.copy_location(made, node))

    def visit_arguments(self, node: ast.arguments) -> ast.AST:
        node.defaults = [self.visit(each) for each in node.defaults]
        return node


#: what transformed texts call
OWN: dict[str, Any] = {
    "__wrapped": lambda value: wrapped(value),
    "__whole": whole,
    "__of_numpy": of_numpy,
    "__own_power": own_power,
    **{
        f"__own_{module}_{name}": own_function(module, name)
        for module, room in (("np", np), ("math", math))
        for name in dir(room)
        if elementary(name) and name not in ("pow", "power", "round")
    },
}


def namespace_of(text: str, file: str, own: bool = False, wide: bool = False) -> dict[str, Any]:
    """The names that `text` defines, its lines known to `inspect` under the name `file`; with somd's `own` elementary
    functions, and with ints that wrap if `wide`."""
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    names: dict[str, Any] = {"__name__": "generated", **OWN}
    with many_calls(), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        tree: Any = ast.parse(text, file)
        tree = _Own().visit(tree) if own else tree
        tree = _Literals().visit(tree) if wide else tree
        exec(compile(tree if own or wide else text, file, "exec"), names)
    return names


def plain_function(made: Mixed, file: str, own: bool, wide: bool) -> FunctionType:
    """The method as plain Python, and what it calls too."""
    text = "\n".join("" if line.startswith("@somd") else line for line in made.text.split("\n"))
    return namespace_of(text, file, own, wide)[made.name]  # type: ignore[no-any-return]
