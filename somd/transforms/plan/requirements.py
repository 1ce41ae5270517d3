"""What must hold for a phase to run, in sentences that say it positively.

In: a check of a plan, whose condition is true where an access would leave its array. Out: what is needed instead.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable

from somd.syntax import expression_of
from somd.transforms.stages import Check

_OPPOSITES: dict[type[ast.cmpop], str] = {ast.GtE: "<", ast.Gt: "<=", ast.LtE: ">", ast.Lt: ">="}
_NOUNS = {1: ("elements",), 2: ("rows", "columns")}


def requirements(checks: Iterable[Check], ranks: dict[str, int]) -> list[str]:
    """Sentences about arrays, each once, those about one array together; `ranks` are numbers of dimensions."""
    found: dict[str, list[str]] = {}
    for check in checks:
        found.setdefault(check.site.array, []).append(requirement(check.condition, check.site.array, ranks))
    return [sentence for sentences in found.values() for sentence in dict.fromkeys(sentences)]


def requirement(condition: str, array: str, ranks: dict[str, int]) -> str:
    """What `array` needs so that a condition is false.

    >>> requirement("a.shape[0] >= b.shape[0] + 1", "b", {"a": 1, "b": 1})
    '`b` needs as many elements as `a`'
    >>> requirement("u.shape[0] >= 3 and u.shape[0] >= v.shape[0] + 2", "v", {"u": 1, "v": 1})
    'if `u.shape[0] >= 3`: `v` needs at least `u.shape[0] - 1` elements'
    >>> requirement("n >= a.shape[1] + 1", "a", {"a": 2})
    '`a` needs at least `n` columns'
    >>> requirement("out[:m].shape[0] >= a.shape[0] + 1", "out", {"a": 1})
    '`out[:m].shape[0] <= a.shape[0]`'
    >>> requirement("n >= 1 and a.shape[0] + k <= -1", "a", {"a": 1})
    'if `n >= 1`: `a.shape[0] + k > -1`'
    """
    try:
        tree = expression_of(condition).body
    except SyntaxError:
        return f"not `{condition}`"
    tests = tree.values if isinstance(tree, ast.BoolOp) and isinstance(tree.op, ast.And) else [tree]
    for test in tests:
        needed = _needed(test, array, ranks)
        if needed is not None:
            others = " and ".join(ast.unparse(each) for each in tests if each is not test)
            return f"if `{others}`: {needed}" if others else needed
    return _other_way_round(tests) or f"not `{condition}`"


def _other_way_round(tests: list[ast.expr]) -> str | None:
    """What must hold for the last one of some comparisons to be false, if those before it are true."""
    *others, last = tests
    if not isinstance(last, ast.Compare) or len(last.ops) != 1 or type(last.ops[0]) not in _OPPOSITES:
        return None
    operator, right = _OPPOSITES[type(last.ops[0])], ast.unparse(last.comparators[0])
    if operator == "<" and right.endswith(" + 1"):
        operator, right = "<=", right.removesuffix(" + 1")
    needed = f"`{ast.unparse(last.left)} {operator} {right}`"
    return f"if `{' and '.join(map(ast.unparse, others))}`: {needed}" if others else needed


def _needed(test: ast.expr, array: str, ranks: dict[str, int]) -> str | None:
    """What a comparison asks of the length of an axis, if it is `other >= array.shape[axis] + number`."""
    if not isinstance(test, ast.Compare) or len(test.ops) != 1 or not isinstance(test.ops[0], ast.GtE):
        return None
    given, more = test.comparators[0], 0
    length = given
    if isinstance(given, ast.BinOp) and isinstance(given.op, ast.Add) and isinstance(given.right, ast.Constant):
        length, more = given.left, ast.literal_eval(given.right)
    axis = _axis(length)
    if axis is None or axis[0] != array or not isinstance(more, int):
        return None
    least, less = ast.unparse(test.left), more - 1
    other = _axis(test.left)
    noun = _noun(axis[1], ranks.get(array, 0))
    if less == 0 and other is not None and _noun(other[1], ranks.get(other[0], 0)) == noun:
        return f"`{array}` needs as many {noun} as `{other[0]}`"
    if less:
        least += f" - {less}" if less > 0 else f" + {-less}"
    return f"`{array}` needs at least `{least}` {noun}"


def _axis(node: ast.expr) -> tuple[str, int] | None:
    """The array and the axis of `array.shape[axis]`."""
    if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Attribute) and node.value.attr == "shape":
        place = node.slice
        if isinstance(place, ast.Constant) and isinstance(place.value, int):
            return ast.unparse(node.value.value), place.value
    return None


def _noun(axis: int, rank: int) -> str:
    nouns = _NOUNS.get(rank, ())
    return nouns[axis] if axis < len(nouns) else f"elements along axis {axis}"
