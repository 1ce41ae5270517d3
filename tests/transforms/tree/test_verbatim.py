"""Statements that stand as their text are printed and seen as if they had been parsed."""

from __future__ import annotations

import libcst as cst
import pytest

from somd.transforms.tree.verbatim import Verbatim, verbatim
from somd.transforms.tree.walking import Transformer, nodes_of

TEXTS = (
    "a = 1",
    "if a:\n    b = 'c'\nelse:\n    for i in range(a):\n        b[i] = (a +\n            i)",
    "a = 1; b = 2\nc = 3  # three",
    "# first\na = 1",
    "if a:\n\n    b = 1",
    'a = """one\ntwo"""',
    "if a: b = 1",
)


class _Other(Transformer):
    _anew = False

    def leave_Name(self, original_node: cst.Name, updated_node: cst.Name) -> cst.Name:
        return updated_node.with_changes(value="x") if updated_node.value == "a" else updated_node

    def leave_SimpleStatementLine(
        self, original_node: cst.SimpleStatementLine, updated_node: cst.SimpleStatementLine
    ) -> cst.BaseStatement | cst.FlattenSentinel[cst.BaseStatement]:
        lines = [cst.SimpleStatementLine([small]) for small in updated_node.body]
        return updated_node if len(lines) == 1 else cst.FlattenSentinel(lines)


def function_of(body: list[cst.BaseStatement]) -> cst.FunctionDef:
    made = cst.ensure_type(cst.parse_statement("def f():\n    while True:\n        pass\n"), cst.FunctionDef)
    loop = cst.ensure_type(made.body.body[0], cst.While)
    return made.with_deep_changes(loop, body=cst.IndentedBlock(body))


@pytest.mark.parametrize("text", TEXTS)
def test_as_parsed(text: str) -> None:
    written = function_of(verbatim(text))
    parsed = function_of(list(cst.parse_module(f"pass\n{text}\n").body)[1:])
    assert cst.Module([written]).code == cst.Module([parsed]).code
    assert [n.value for n in nodes_of(written, cst.Name)] == [n.value for n in nodes_of(parsed, cst.Name)]
    assert cst.Module([written]).code == cst.Module([parsed]).code
    written, parsed = (cst.ensure_type(f.visit(_Other()), cst.FunctionDef) for f in (written, parsed))
    assert "a" not in {n.value for n in nodes_of(written, cst.Name)}
    assert cst.Module([written]).code == cst.Module([parsed]).code


def test_lines_above() -> None:
    """They can be given to what is text, and stay when it is changed."""
    [made] = verbatim("a = 1\nb = a")
    assert type(made) is Verbatim
    made = made.with_changes(leading_lines=[cst.EmptyLine(comment=cst.Comment("# here"))])
    changed = cst.ensure_type(function_of([made]).visit(_Other()), cst.FunctionDef)
    assert "        # here\n        x = 1\n        b = x\n" in cst.Module([changed]).code
