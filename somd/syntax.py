"""Syntax trees of Python text, whatever other threads do.

In: text. Out: `ast` nodes, or the SyntaxError of `ast.parse`. CPython before 3.13 counts the depth of the tree that it
makes in one place for all threads, so where a finaliser lets another thread parse in between, `ast.parse` raises
SystemError or RecursionError for text that is right. The other thread may be anybody's: a lock of ours would not do.
"""

from __future__ import annotations

import ast
from typing import cast

#: the share of attempts that fail was one in twenty with six threads and a finaliser that never lets go
ATTEMPTS = 20


def module_of(text: str | bytes, file: str = "<unknown>") -> ast.Module:
    """The tree of a module's text.

    >>> ast.unparse(module_of("a=1"))
    'a = 1'
    """
    return cast("ast.Module", _tree(text, file, "exec"))


def expression_of(text: str) -> ast.Expression:
    """The tree of an expression's text; blanks around it do not count.

    >>> ast.unparse(expression_of(" a+1 "))
    'a + 1'
    """
    return cast("ast.Expression", _tree(text.strip(), "<unknown>", "eval"))


def _tree(text: str | bytes, file: str, mode: str) -> ast.AST:
    for attempt in range(ATTEMPTS):
        try:
            return ast.parse(text, file, mode)
        except (SystemError, RecursionError):
            if attempt == ATTEMPTS - 1:
                raise
    raise AssertionError("unreachable")
