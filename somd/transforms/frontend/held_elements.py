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

from somd.diagnostics.model import Position
from somd.transforms.analysis.accesses import index_expressions
from somd.transforms.analysis.reductions import normalised
from somd.transforms.stages import Method
from somd.transforms.tree.loops import integer_constant, range_of
from somd.transforms.tree.names import new_name
from somd.transforms.tree.renaming import Renamed
from somd.transforms.tree.rewriting import Tracked, parsed, rewritten


@dataclass(frozen=True)
class Element:
    """An element that a loop accumulates into, `surely` in its first iteration."""

    node: cst.Subscript
    surely: bool


Elements = Mapping[cst.For, Sequence[Element]]


def with_held_elements(method: Method, elements: Elements) -> Method:
    """`method` with scalars in place of `elements`, by loop; each loop has a constant step."""
    rewriter = _Rewriter(method, elements)
    function = cast(cst.FunctionDef, method.function.visit(rewriter))
    return replace(
        rewritten(method, function, rewriter.positions),
        spelled={**method.spelled, **rewriter.spelled},
        held={**method.held, **rewriter.held},
        held_at=method.held_at | {_site(method, loop, each) for loop in elements for each in elements[loop]},
    )


def was_held(method: Method, loop: cst.For, element: Element) -> bool:
    """Whether `loop` is one that was left, or made, when the element was held in a scalar."""
    return _site(method, loop, element) in method.held_at


def _site(method: Method, loop: cst.For, element: Element) -> tuple[Position, str]:
    return method.position(loop), normalised(element.node)


class _Rewriter(Tracked):
    def __init__(self, method: Method, elements: Elements) -> None:
        super().__init__(dict(method.positions))
        self.method = method
        self.elements = elements
        self.taken = set(method.local_names)
        self.spelled: dict[str, str] = {}
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
        pairs = [(names[normalised(each.node)], _code(each.node)) for each in elements]
        step = cast(int, integer_constant(header.step, self.method))
        tests = [f"({_code(header.start)}) {'<' if step > 0 else '>'} ({_code(header.stop)})"]
        tests += [test for each in elements if not each.surely for test in tests_inside(each.node)]
        otherwise = "" if all(each.surely for each in elements) else "else:\n    pass\n"
        [made] = parsed(f"if {' and '.join(tests)}:\n    pass\n{otherwise}")
        before = parsed(*(f"{name} = {text}\n" for name, text in pairs))
        after = parsed(*(f"{text} = {name}\n" for name, text in pairs))
        loop = updated_node.with_changes(leading_lines=())
        self.positions[loop] = self.positions[original_node]
        branch = cst.ensure_type(made, cst.If).with_changes(
            body=cst.IndentedBlock([*before, loop, *after]), leading_lines=updated_node.leading_lines
        )
        if branch.orelse is not None:
            copy = cst.ensure_type(original_node.visit(Renamed(self.method, {}, self.positions)), cst.For)
            branch = branch.with_changes(orelse=cst.Else(cst.IndentedBlock([copy.with_changes(leading_lines=())])))
        self.place(branch, self.positions[elements[0].node])
        return branch

    def _name(self, element: cst.Subscript) -> str:
        array = cst.ensure_type(element.value, cst.Name).value
        name = new_name(f"{array}__held", self.taken)
        self.held[name] = array
        self.spelled[name] = _code(element)
        return name


def tests_inside(element: cst.Subscript) -> list[str]:
    """Tests that the indexes of `element` lie inside its array."""
    array = _code(element.value)
    indexes = [(f"({_code(index)})", f"{array}.shape[{axis}]") for axis, index in enumerate(index_expressions(element))]
    return [test for index, length in indexes for test in (f"-{length} <= {index}", f"{index} < {length}")]


def _code(node: cst.BaseExpression) -> str:
    return " ".join(cst.Module([]).code_for_node(node).split())
