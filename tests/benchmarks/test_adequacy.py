"""The annotated functions are the plain ones with markers added, and the count of what was added is right."""

from __future__ import annotations

import ast
import importlib.util
from pathlib import Path

import pytest

from benchmarks.javagrande.adequacy import Adequacy, adequacy, count
from benchmarks.javagrande.registry import BENCHMARKS, Entry
from benchmarks.javagrande.runner import main

SOURCE = '''
from typing import Annotated
from somd import dist, reduce, somd, sync

def example_plain(a: list, n: int) -> float:
    """Plain."""
    total = 0.0
    for i in range(n):
        a[i] = 1
    return total

@somd
def example(
    a: Annotated[list, dist],
    n: int,
) -> Annotated[float, reduce("+")]:
    # A comment.
    total: shared[float] = 0.0
    with sync:
        for i in range(n):
            a[i] = 1
    return total
'''


class Elision(ast.NodeTransformer):
    """Takes decorators, annotations and `with sync:` away."""

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.FunctionDef:
        self.generic_visit(node)
        node.decorator_list, node.returns, node.name = [], None, "f"
        node.body = node.body[1:] if ast.get_docstring(node) is not None else node.body
        return node

    def visit_arg(self, node: ast.arg) -> ast.arg:
        node.annotation = None
        return node

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.stmt:
        assert node.value is not None
        return ast.Assign([node.target], node.value)

    def visit_With(self, node: ast.With) -> list[ast.stmt]:
        self.generic_visit(node)
        return node.body


def test_count() -> None:
    source = SOURCE.replace("sync\n", "shared, sync\n", 1)
    assert count(source, "example") == Adequacy(annotations=3, lines=2)
    assert count(source, "missing") is None


@pytest.mark.parametrize("entry", BENCHMARKS)
def test_ours_need_no_more_annotations_than_the_papers(entry: Entry) -> None:
    ours = adequacy(entry)
    assert ours is not None and ours.annotations <= entry.paper_annotations


@pytest.mark.parametrize("entry", BENCHMARKS)
def test_only_markers_are_added(entry: Entry) -> None:
    spec = importlib.util.find_spec(entry.qualified_module)
    assert spec is not None and spec.origin is not None
    module = ast.parse(Path(spec.origin).read_text(encoding="utf-8"))
    functions = {node.name: node for node in module.body if isinstance(node, ast.FunctionDef)}
    plain, annotated = (
        ast.unparse(ast.fix_missing_locations(Elision().visit(functions[name])))
        for name in (f"{entry.module}_plain", entry.module)
    )
    assert annotated == plain


def test_the_table_is_shown(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--adequacy"]) == 0
    assert "SparseMatmult" in capsys.readouterr().out
