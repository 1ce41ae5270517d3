"""What a block of iterations makes of a scalar that iterations hand on: one table, which all targets ask.

Each kind of scan is a set of functions of one value that is closed under composition, and whose members are known from
what they give for a few `points`. So a block is understood by running it from those points, whatever it does besides:

    for i in block:                    f(s) = f(0) + (f(1) - f(0)) * s,  modulo 2**64
        s = s * a[i] + b[i]            or f(s) = min(max(s, f(lowest)), f(highest)) of minima and maxima

Python's `text` is what the value behind a block is: {0} stands for the one before it, {1} and {2} for what the block
gives for the points. All are exact: the value is the one that the iterations give in order.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from somd.language.operators import OPERATORS, all_bits, extreme
from somd.syntax import expression_of

Point = Callable[[np.dtype[Any]], Any]


@dataclass(frozen=True)
class ScanOperator:
    """A kind of scan; `SCANS` has them by their symbols."""

    #: of a type of NumPy's: the numbers of Python's that a block is started from
    points: tuple[Point, ...]
    text: str
    #: what it is to a user
    words: str = ""

    def of(self, value: str, *given: str) -> str:
        """The text for these values."""
        return self.text.format(value, *given)

    @cached_property
    def after(self) -> Callable[..., Any]:
        """The value behind a block, as a function."""
        names = ("value", "first", "second")[: 1 + len(self.points)]
        made: Callable[..., Any] = eval(f"lambda {', '.join(names)}: {self.of(*names)}", {})
        return made

    @cached_property
    def of_arrays(self) -> Callable[..., Any]:
        """The same for arrays, element by element."""
        names = ("value", "first", "second")[: 1 + len(self.points)]
        made = expression_of(f"lambda {', '.join(names)}: {self.of(*names)}")
        code = compile(ast.fix_missing_locations(_OfArrays().visit(made)), "<scan>", "eval")
        function: Callable[..., Any] = eval(code, {"np": np})
        return function


class _OfArrays(ast.NodeTransformer):
    """NumPy's functions of arrays in place of what Python does to one number."""

    def visit_IfExp(self, node: ast.IfExp) -> ast.expr:
        return self.call("where", node.test, node.body, node.orelse)

    def visit_BoolOp(self, node: ast.BoolOp) -> ast.expr:
        return self.call("logical_and" if isinstance(node.op, ast.And) else "logical_or", *node.values)

    def visit_Call(self, node: ast.Call) -> ast.expr:
        assert isinstance(node.func, ast.Name)
        return self.call(f"{node.func.id}imum", *node.args)

    def call(self, name: str, *operands: ast.expr) -> ast.expr:
        function = ast.Attribute(ast.Name("np", ast.Load()), name, ast.Load())
        return ast.Call(function, [self.visit(each) for each in operands], [])


def _number(value: int) -> Point:
    return lambda dtype: dtype.type(value).item()


_ZERO, _ONE = _number(0), _number(1)
#: operators of the table whose order shows in floats are scanned in integers alone
SCANS: dict[str, ScanOperator] = {
    **{symbol: ScanOperator((known.neutral,), known.text) for symbol, known in OPERATORS.items()},
    "min, equal": ScanOperator((extreme(True),), "{1} if {1} <= {0} else {0}", "min"),
    "max, equal": ScanOperator((extreme(False),), "{1} if {1} >= {0} else {0}", "max"),
    "affine": ScanOperator((_ZERO, _ONE), "{1} + ({2} - {1}) * {0}", "sums and products"),
    "bits": ScanOperator((_ZERO, all_bits), "({1} & ~{0}) | ({2} & {0})", "bit operators"),
    "clamp": ScanOperator((extreme(False), extreme(True)), "min(max({0}, {1}), {2})", "min and max"),
    "state": ScanOperator((_ZERO, _ONE), "{2} if {0} else {1}", "truth values"),
    "latest": ScanOperator((_ZERO, _ONE), "{0} if ({1} == 0) & ({2} == 1) else {1}", "the latest value"),
}


def alone() -> bool:
    """Whether one thread runs all of a scan. The compiler asks it in what it writes; either way gives the same."""
    return True


def in_strips() -> bool:
    """Whether a scan goes strip by strip, for what it reads twice to stay in the cache. The compiler asks it in what it
    writes; either way gives the same."""
    return False


def blocks_at_once() -> int:
    """How many blocks of a scan are a strip, where it goes by strips. The compiler asks it in what it writes; any
    number above 0 gives the same."""
    return 1


#: what `with sync(s, scan=...)` may name: scans of floats in an association of their own
CLAIMED = ("+", "affine")


def no_such_scan() -> str:
    """What helps where `scan=` names none."""
    listed = " and ".join(f'"{each}"' for each in CLAIMED)
    return f"there are {listed}; scans of integers, minima, maxima and truth values need no `scan`"


def words_of(symbol: str) -> str:
    """What a scan combines by, for people."""
    return SCANS[symbol].words or symbol
