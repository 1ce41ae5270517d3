"""`float("inf")` and its like: numbers that Python writes as a text."""

from __future__ import annotations

import libcst as cst

from somd.transforms.stages import Method
from somd.transforms.tree.names import evaluate


def number_of_text(node: cst.CSTNode, method: Method) -> float | None:
    """The number that `node` makes of a text, or None where it does something else."""
    if not isinstance(node, cst.Call) or len(node.args) != 1 or node.args[0].keyword or node.args[0].star:
        return None
    text = node.args[0].value
    if not isinstance(text, cst.SimpleString) or not isinstance(text.evaluated_value, str):
        return None
    if evaluate(node.func, method.namespace, method.local_names) is not float:
        return None
    try:
        return float(text.evaluated_value)
    except ValueError:
        return None
