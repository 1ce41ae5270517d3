"""Walks go where those of libcst go, layout left out, and transformers make what those of libcst make."""

from __future__ import annotations

from pathlib import Path

import libcst as cst
import pytest

import somd
from somd.transforms.tree import walking

LAYOUT = (cst.BaseParenthesizableWhitespace, cst.TrailingWhitespace, cst.EmptyLine, cst.Newline, cst.Comment)
#: statements and expressions of many kinds, some of a class without what others have
TEXT = """
from . import *
from a.b import (c as d, e)
def f(x, /, y: int = 1, *args, z=2, **more) -> "text":  # comment
    for i, (j, k) in enumerate(range(3)):
        a[i, ::2], b.c = (x if y else y), f"{x}" f"{x!r:>{y}}"
    else:
        w = u = not -x ** 2 @ y <= z in [*args, (yield)]
    try: pass
    except (A, B) as error: raise C from error
    finally: del x
    with p as q, r: return lambda *v: {**m, 1: [n for n in o if n if not n]}
    while True:
        if x and y or y: x += y; continue
        elif (s := await_(t, *u, k=v, **w)): break
"""


def modules() -> list[cst.Module]:
    paths = sorted((Path(somd.__file__).parent / "transforms" / "frontend").glob("*.py"))[:12]
    return [cst.parse_module(text) for text in (TEXT, *(path.read_text(encoding="utf-8") for path in paths))]


def test_children_are_those_of_libcst() -> None:
    for module in modules():
        for node in walking.nodes_in(module):
            wanted = [child for child in node.children if not isinstance(child, LAYOUT)]
            found = walking.children_of(node)
            assert len(found) == len(wanted) and all(a is b for a, b in zip(found, wanted, strict=True)), node


def hooks(base: type) -> type:
    """A visitor that notes the calls of some hooks, on top of `base`."""

    class Noting(base):  # type: ignore[misc,valid-type]
        def __init__(self) -> None:
            super().__init__()
            self.calls: list[tuple[str, cst.CSTNode]] = []

        def visit_Name(self, node: cst.Name) -> None:
            self.calls.append(("visit", node))

        def visit_For(self, node: cst.For) -> bool:
            self.calls.append(("visit", node))
            node.body.visit(self)
            return False

        def leave_For(self, node: cst.For) -> None:
            self.calls.append(("leave", node))

        def leave_BinaryOperation(self, node: cst.BinaryOperation) -> None:
            self.calls.append(("leave", node))

    class More(Noting):
        def leave_Module(self, node: cst.Module) -> None:
            self.calls.append(("leave", node))

    return More


def test_hooks_are_called_in_the_order_of_libcst() -> None:
    for module in modules():
        ours, theirs = hooks(walking.Reader)(), hooks(cst.CSTVisitor)()
        assert module.visit(ours) is module
        module.visit(theirs)
        assert ours.calls == theirs.calls and ours.calls[-1] == ("leave", module)


def changes(base: type) -> type:
    """A transformer that replaces, doubles, removes and leaves nodes alone, on top of `base`."""

    class Changing(base):  # type: ignore[misc,valid-type]
        def leave_Name(self, original_node: cst.Name, updated_node: cst.Name) -> cst.BaseExpression:
            known = {"x": "self", "y": "part"}
            return updated_node.with_changes(value=known.get(updated_node.value, updated_node.value))

        def visit_Call(self, node: cst.Call) -> bool:
            return len(node.args) != 2

        def leave_Raise(self, original_node: cst.Raise, updated_node: cst.Raise) -> cst.RemovalSentinel:
            return cst.RemoveFromParent()

        def visit_While(self, node: cst.While) -> bool:
            node.test.visit(self)  # which begins anew, inside
            return True

        def leave_Assign(self, original_node: cst.Assign, updated_node: cst.Assign) -> cst.FlattenSentinel:
            return cst.FlattenSentinel([updated_node, cst.Pass()])

    return Changing


def test_transformers_make_what_those_of_libcst_make() -> None:
    for module in modules():
        found, wanted = (module.visit(changes(base)()) for base in (walking.Transformer, cst.CSTTransformer))
        assert found.code == wanted.code
        kept = set(map(id, walking.nodes_in(found))) & set(map(id, walking.nodes_in(module)))
        calls = [node for node in walking.nodes_in(module) if isinstance(node, cst.Call) and len(node.args) == 2]
        assert kept <= {id(part) for call in calls for part in walking.nodes_in(call)}, "a node was not made anew"


def test_a_reader_has_no_hooks_for_attributes() -> None:
    with pytest.raises(AssertionError, match="never called"):

        class Wrong(walking.Reader):
            def visit_For_iter(self, node: cst.For) -> None: ...
