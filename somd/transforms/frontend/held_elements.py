"""Elements that a loop only accumulates into, held in scalars while it runs.

    for k in range(j):                        if 0 < j:
        a[i, j] -= a[i, k] * b[k]     ->          a__held = a[i, j]
                                                  for k in range(j):
                                                      a__held -= a[i, k] * b[k]
                                                  a[i, j] = a__held

Where it is not sure that the loop comes to an element, the branch also asks whether its index is inside the array, and
the loop as it was stands behind `else`, where it is not held again. Only the planner knows where this may be done: it
names the loops and their elements.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import cast

import libcst as cst

from somd.transforms.analysis.accesses import index_expressions
from somd.transforms.analysis.reductions import normalised
from somd.transforms.stages import Method
from somd.transforms.tree.loops import Range, integer_constant, range_of
from somd.transforms.tree.renaming import Renamed
from somd.transforms.tree.rewriting import MethodRewriter, code_of, parsed


@dataclass(frozen=True)
class Element:
    """An element that a loop accumulates into, `surely` in its first iteration."""

    node: cst.Subscript
    surely: bool


Elements = Mapping[cst.For, Sequence[Element]]


def with_held_elements(method: Method, elements: Elements) -> Method:
    """`method` with scalars in place of `elements`, by loop; each loop has a constant step."""
    for loop, held in elements.items():
        for each in held:
            method = method.with_form(normalised(each.node), (loop,))
    rewriter = _Rewriter(method, elements)
    return replace(rewriter.rewritten(), held={**method.held, **rewriter.held})


def was_held(method: Method, loop: cst.For, element: Element) -> bool:
    """Whether `loop` is one that was left, or made, when the element was held in a scalar."""
    return method.has_form(normalised(element.node), loop)


class _Rewriter(MethodRewriter):
    def __init__(self, method: Method, elements: Elements) -> None:
        super().__init__(method)
        self.elements = elements
        self.held: dict[str, str] = {}
        #: of the loops around: the scalar for each element, by its normalised text
        self.inside: list[dict[str, str]] = []

    def visit_For(self, node: cst.For) -> None:
        found = self.elements.get(node, ())
        self.inside.append({normalised(each.node): self._name(each.node) for each in found})

    def leave_Subscript(self, original_node: cst.Subscript, updated_node: cst.Subscript) -> cst.BaseExpression:
        if not any(self.inside):
            return updated_node
        text = normalised(original_node)
        return next((cst.Name(names[text]) for names in self.inside if text in names), updated_node)

    def leave_For(self, original_node: cst.For, updated_node: cst.For) -> cst.BaseStatement:
        names = self.inside.pop()
        header = range_of(updated_node)
        if not names or header is None:
            return updated_node
        elements = self.elements[original_node]
        pairs = [(names[normalised(each.node)], code_of(each.node)) for each in elements]
        unsure = [each.node for each in elements if not each.surely]
        before = parsed(*(f"{name} = {text}\n" for name, text in pairs))
        after = parsed(*(f"{text} = {name}\n" for name, text in pairs))
        loop = updated_node.with_changes(leading_lines=())
        self.positions[loop] = self.positions[original_node]
        branch = inside_of_all(self, original_node, header, unsure, [*before, loop, *after])
        self.place(branch, self.positions[elements[0].node])
        return branch

    def _name(self, element: cst.Subscript) -> str:
        array = cst.ensure_type(element.value, cst.Name).value
        name = self.new(f"{array}__held", code_of(element))
        self.held[name] = array
        return name


def inside_of_all(
    rewriter: MethodRewriter,
    loop: cst.For,
    header: Range,
    elements: Sequence[cst.Subscript],
    body: Sequence[cst.BaseStatement],
) -> cst.If:
    """`body` in place of a loop where that has iterations and `elements` lie inside their arrays; behind `else` stands
    the loop as it was, if there are such."""
    step = cast(int, integer_constant(header.step, rewriter.method))
    tests = [f"({code_of(header.start)}) {'<' if step > 0 else '>'} ({code_of(header.stop)})"]
    tests += [test for element in elements for test in tests_inside(element)]
    [made] = parsed(f"if {' and '.join(tests)}:\n    pass\n")
    branch = cst.ensure_type(made, cst.If).with_changes(body=cst.IndentedBlock(body), leading_lines=loop.leading_lines)
    if not elements:
        return branch
    copy = cst.ensure_type(loop.visit(Renamed(rewriter.method, {}, rewriter.positions)), cst.For)
    return branch.with_changes(orelse=cst.Else(cst.IndentedBlock([copy.with_changes(leading_lines=())])))


def tests_inside(element: cst.Subscript) -> list[str]:
    """Tests that the indexes of `element` lie inside its array."""
    array, indexes = code_of(element.value), map(code_of, index_expressions(element))
    pairs = [(f"({index})", f"{array}.shape[{axis}]") for axis, index in enumerate(indexes)]
    return [test for index, length in pairs for test in (f"-{length} <= {index}", f"{index} < {length}")]
