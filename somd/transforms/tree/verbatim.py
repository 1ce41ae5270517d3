"""Statements that stand in a tree as their text, since nearly always it is only printed again.

In: lines of Python. Out: a statement that libcst prints as these lines, without having parsed them. What looks into it
(`walking.children_of`, visitors) finds the statements that they mean: they are parsed then.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, cast

import libcst as cst
from libcst._nodes.internal import CodegenState, visit_sequence

from somd.transforms.tree.walking import has_children

#: in texts whose layout libcst may change when it prints them at another indentation, or that begin with a comment
_PARSED = re.compile(r"\A[\s#]|\n[ \t]*\n|\\\n|\t|\"\"\"|'''")


@dataclass(frozen=True)
class Verbatim(cst.BaseStatement):
    """Statements by their text, or as they were `made` of it, then without regard to the text."""

    text: str
    leading_lines: Sequence[cst.EmptyLine] = ()
    made: Sequence[cst.BaseStatement] | None = None

    def statements(self) -> list[cst.BaseStatement]:
        """What the text means."""
        if self.made is None:
            object.__setattr__(self, "made", tuple(_parsed(self.text)))
        return list(cast(Sequence[cst.BaseStatement], self.made))

    def _visit_and_replace_children(self, visitor: Any) -> Verbatim:
        self.statements()
        assert self.made is not None
        return Verbatim(self.text, self.leading_lines, visit_sequence(self, "made", self.made, visitor))

    def _codegen_impl(self, state: CodegenState) -> None:
        for line in self.leading_lines:
            line._codegen(state)
        for made in self.made or ():
            made._codegen(state)
        for text in self.text.split("\n") if self.made is None else ():
            state.add_indent_tokens()
            state.add_token(text)
            state.add_token(state.default_newline)


has_children(Verbatim, "made", Verbatim.statements)


def verbatim(*texts: str) -> list[cst.BaseStatement]:
    """Statements, one for each text.

    >>> print(cst.Module(verbatim("a = 1", "if b:\\n    c = 2\\n")).code, end="")
    a = 1
    if b:
        c = 2
    """
    made: list[cst.BaseStatement] = []
    for text in texts:
        text = text.rstrip("\n")
        made += _parsed(text) if _PARSED.search(text) else [Verbatim(text)]
    return made


def _parsed(text: str) -> list[cst.BaseStatement]:
    """The statements of a text."""
    module = cst.parse_module(f"pass\n{text}\n")  # comments at the top would be the module's
    return list(cast(Sequence[cst.BaseStatement], module.body))[1:]
