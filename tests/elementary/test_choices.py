"""`a if test else b`, `and` and `or` compute both sides where a text becomes LLVM code: what may not be computed stands
in branches."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator

import pytest

from somd.elementary import functions
from somd.elementary.texts import BUILTINS, PRIMITIVES, text_of


def all_texts() -> dict[str, Callable[..., object]]:
    """The functions, and what they call."""
    found: dict[str, Callable[..., object]] = {}
    waiting = [*functions.ALL.values()]
    while waiting:
        each = waiting.pop()
        if each.__name__ not in found:
            found[each.__name__] = each
            waiting += text_of(each).called()
    return found


TEXTS = all_texts()


def sides(tree: ast.AST) -> Iterator[ast.expr]:
    """What is computed though a test may be against it."""
    for node in ast.walk(tree):
        if isinstance(node, ast.IfExp):
            yield from (node.body, node.orelse)
        elif isinstance(node, ast.BoolOp):
            yield from node.values[1:]


def body(name: str) -> ast.Module:
    return ast.Module(text_of(TEXTS[name]).tree.body, [])


def is_for_some(node: ast.AST) -> str | None:
    """Why a part of a text is not for all numbers: a place of a table, or a loop."""
    for each in ast.walk(node):
        if isinstance(each, ast.Subscript) and not isinstance(each.slice, ast.Constant):
            return ast.unparse(each)
        if isinstance(each, ast.While):
            return "a loop"
        if isinstance(each, ast.Call) and isinstance(each.func, ast.Name):
            name = each.func.id
            if name == "row_polynomial":
                return ast.unparse(each)
            if name not in PRIMITIVES | BUILTINS and (inner := is_for_some(body(name))):
                return f"{name}: {inner}"
    return None


@pytest.mark.parametrize("name", TEXTS)
def test_both_sides_of_a_choice_are_for_all_numbers(name: str) -> None:
    assert [found for side in sides(body(name)) if (found := is_for_some(side))] == []


def test_a_row_of_a_table_is_for_some_numbers() -> None:
    (side,) = list(sides(ast.parse("y = x if x < 0.0 else log_gamma_near_zero(x, whole)")))[1:]
    assert is_for_some(side) is not None
