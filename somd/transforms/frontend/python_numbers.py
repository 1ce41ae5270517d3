"""Elements of the arrays that stand for tuples and lists, as the Python numbers that they are.

    w[k]          ->   float(w[k])                  (where `w` is a tuple of Python's floats)
    places[k][0]  ->   int(places[k, 0])            (where `places` is a tuple of tuples of ints)

A Python number adapts to what it meets, an element of an array does not.
"""

from __future__ import annotations

import builtins
from dataclasses import replace

import libcst as cst

from somd.transforms.stages import Method
from somd.transforms.tree.names import name_for
from somd.transforms.tree.rewriting import MethodRewriter


def python_numbers(method: Method) -> Method:
    """`method` with the elements of `method.kinds` converted."""
    if not method.kinds:
        return method
    rewriter = _Elements(method)
    return replace(rewriter.rewritten(), namespace=rewriter.namespace)


class _Elements(MethodRewriter):
    def __init__(self, method: Method) -> None:
        super().__init__(method)
        self.namespace: dict[str, object] = dict(method.namespace)
        self.inner: set[cst.CSTNode] = set()

    def visit_Subscript(self, node: cst.Subscript) -> None:
        if isinstance(node.value, cst.Subscript) and _root(node) in self.method.kinds:
            self.inner.add(node.value)

    def leave_Subscript(self, original_node: cst.Subscript, updated_node: cst.Subscript) -> cst.BaseExpression:
        kind = self.method.kinds.get(_root(original_node))
        if kind is None:
            return updated_node
        made = updated_node
        if isinstance(made.value, cst.Subscript):
            elements = [e.with_changes(comma=cst.MaybeSentinel.DEFAULT) for e in (*made.value.slice, *made.slice)]
            made = made.with_changes(value=made.value.value, slice=elements)
            self.place(made, self.positions[original_node])
        if original_node in self.inner or not kind:
            return made
        call = cst.Call(cst.Name(self.named(kind)), [cst.Arg(made)])
        self.place(call, self.positions[original_node])
        return call

    def named(self, kind: str) -> str:
        """A name that stands for Python's type of numbers."""
        return name_for(vars(builtins)[kind], kind, self.namespace, self.method.local_names)


def _root(node: cst.BaseExpression) -> str:
    while isinstance(node, cst.Subscript):
        node = node.value
    return node.value if isinstance(node, cst.Name) else ""
