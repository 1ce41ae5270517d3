"""The paths of `capture.paths` in a libcst tree: `self.w[1]` is `("self", "w", 1)`, `len(w)` is `("w", "len()")`."""

from __future__ import annotations

import libcst as cst

from somd.capture.paths import FOLDS, Step, mangled


def path_of(node: cst.CSTNode, owner: str | None) -> tuple[Step, ...] | None:
    """The path of an expression, if it is one; `owner` is the name of the class that the function stands in."""
    last: tuple[Step, ...] = ()
    if isinstance(node, cst.Call) and isinstance(node.func, cst.Name) and node.func.value in FOLDS:
        if len(node.args) != 1 or node.args[0].keyword is not None or node.args[0].star:
            return None
        last, node = (f"{node.func.value}()",), node.args[0].value
    steps: list[Step] = []
    while True:
        number = entry_of(node)
        if isinstance(node, cst.Attribute):
            steps.append(mangled(node.attr.value, owner))
            node = node.value
        elif isinstance(node, cst.Subscript) and number is not None:
            steps.append(number)
            node = node.value
        else:
            break
    return (node.value, *reversed(steps), *last) if isinstance(node, cst.Name) else None


def entry_of(node: cst.CSTNode) -> int | None:
    """The number in `w[2]` or `w[-1]`."""
    if not isinstance(node, cst.Subscript) or len(node.slice) != 1:
        return None
    element = node.slice[0]
    if not isinstance(element.slice, cst.Index) or not isinstance(element.comma, cst.MaybeSentinel):
        return None
    index, sign = element.slice.value, 1
    if isinstance(index, cst.UnaryOperation) and isinstance(index.operator, cst.Minus):
        index, sign = index.expression, -1
    return sign * int(index.evaluated_value) if isinstance(index, cst.Integer) else None
