"""How long the code of statements is, roughly: their operations, each loop run `SOME` times."""

from __future__ import annotations

from collections.abc import Mapping

from somd.elementary.functions import POWERS
from somd.transforms.loops.calls_to_loops import SYMBOLS
from somd.transforms.loops.program import Constant, Expression, Function, HelperCall, Loop, Operation, Statement, While
from somd.transforms.loops.walking import bodies, elements, expressions, inside
from somd.transforms.plan.work import CHEAP, COSTS, DEAREST, QUOTIENT, SOME, WHOLE_QUOTIENT

_SYMBOLS = dict.fromkeys([*SYMBOLS.values(), "<", "<=", ">", ">=", "==", "!="], 1)
_SYMBOLS |= {"/": QUOTIENT, "//": WHOLE_QUOTIENT, "%": WHOLE_QUOTIENT, "and": 0, "or": 0, "not": 0, "neg": 0, "pos": 0}
_SYMBOLS |= {"~": 0}


def operations(body: tuple[Statement, ...], functions: Mapping[str, Function]) -> int:
    """The operations of statements, those of the `functions` that they call included."""
    found = 1
    for node in body:
        found += len(elements(node))
        found += sum(cost(each, functions) for top in expressions(node) for each in inside(top))
        blocks = [operations(block, functions) for block in bodies(node)]
        found += SOME * sum(blocks) if isinstance(node, Loop | While) else sum(blocks) - len(blocks)
    return found


def cost(node: Expression, functions: Mapping[str, Function]) -> int:
    """The operations of one operator or call; those of its operands are left out."""
    if isinstance(node, HelperCall):
        return operations(functions[node.function].body, functions)
    if not isinstance(node, Operation):
        return 0
    symbol = node.operator.removeprefix("python ").removeprefix("joined ")
    if symbol == "**":
        return CHEAP if is_cheap_power(node) else DEAREST
    if symbol in _SYMBOLS:
        return _SYMBOLS[symbol]
    return COSTS.get(symbol.rpartition(".")[2], SOME)


def is_cheap_power(node: Operation) -> bool:
    """Whether a power needs no logarithm: a whole one of an integer, or one that floats have a function for."""
    exponent = node.operands[1]
    return isinstance(exponent, Constant) and (node.type.kind != "f" or exponent.value in (2, *POWERS))
