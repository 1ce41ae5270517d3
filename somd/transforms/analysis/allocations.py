"""Allocations: which calls make an array, and how long it is along each axis."""

from __future__ import annotations

from collections.abc import Mapping

import libcst as cst
import numpy as np

from somd.transforms.access import Affine
from somd.transforms.analysis.affine import Scope, affine, size
from somd.transforms.stages import Method
from somd.transforms.tree.names import evaluate

LIKE = (np.empty_like, np.zeros_like, np.ones_like, np.full_like)
FROM_SHAPE = (np.empty, np.zeros, np.ones, np.full)


def is_allocation(node: cst.BaseExpression, method: Method) -> bool:
    """Whether `node` makes an array from lengths; a copy does not count."""
    if not isinstance(node, cst.Call) or not node.args or node.args[0].keyword is not None:
        return False
    function = evaluate(node.func, method.namespace, method.local_names)
    return any(function is f for f in (*LIKE, *FROM_SHAPE))


def lengths_of(value: cst.BaseExpression, scope: Scope, ranks: Mapping[str, int]) -> list[Affine | None]:
    """The lengths of the array that `value` makes, None where they are not affine; empty if it is no allocation."""
    if not isinstance(value, cst.Call):
        return []
    if isinstance(value.func, cst.Attribute) and value.func.attr.value == "copy" and not value.args:
        return _same_as(value.func.value, scope, ranks)
    function = evaluate(value.func, scope.method.namespace, scope.method.local_names)
    if not value.args or value.args[0].keyword is not None:
        return []
    first = value.args[0].value
    if any(function is f for f in (*LIKE, np.copy)):
        return _same_as(first, scope, ranks)
    if any(function is f for f in FROM_SHAPE):
        if isinstance(first, cst.Attribute) and first.attr.value == "shape":
            return _same_as(first.value, scope, ranks)
        parts = [e.value for e in first.elements] if isinstance(first, cst.Tuple) else [first]
        return [affine(part, scope) for part in parts]
    return []


def _same_as(array: cst.BaseExpression, scope: Scope, ranks: Mapping[str, int]) -> list[Affine | None]:
    if not isinstance(array, cst.Name):
        return []
    name = array.value
    if name in scope.lengths:
        return list(scope.lengths[name])
    names = [size(name, axis) for axis in range(ranks.get(name, 0))]
    return [Affine(text, frozenset({text})) for text in names]
