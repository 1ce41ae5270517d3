"""Locals that are nothing but a shorter name of an attribute: `u = self.u` at the head of a method.

In: the body of a function. Out: for each such local the path that it stands for, and the statements that say so. The
attribute is not assigned and the local only once, so that both stand for one value throughout.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence

import libcst as cst

from somd.capture.paths import Step
from somd.transforms.tree.loops import small_statements
from somd.transforms.tree.names import assigned_names, names_read
from somd.transforms.tree.walking import nodes_in, nodes_of

PathOf = Callable[[cst.CSTNode], "tuple[Step, ...] | None"]


def short_names(
    statements: Sequence[cst.BaseStatement], path_of: PathOf
) -> tuple[dict[str, tuple[Step, ...]], frozenset[cst.CSTNode]]:
    """The path for each such local, and the lines that assign them and nothing else; `path_of` tells which expressions
    are values that may have a second name.
    """
    names: dict[str, tuple[Step, ...]] = {}
    lines: set[cst.CSTNode] = set()
    counts = _assignments(statements)
    arrays = _used_as_arrays(statements)
    read: set[str] = set()
    for statement in statements:
        pairs = _pairs(statement)
        paths = [path_of(value) for _, value in pairs]
        wanted = [name for name, _ in pairs if name in arrays and counts[name] == 1 and name not in read]
        if pairs and len(wanted) == len(pairs) and None not in paths:
            names.update((name, path) for name, path in zip(wanted, paths, strict=True) if path is not None)
            lines.add(statement)
        elif _unpacks(statement):  # the others are given their values there
            names.update((name, path) for (name, _), path in zip(pairs, paths, strict=True) if name in wanted and path)
        read |= names_read(statement)
    return names, frozenset(lines)


def _pairs(statement: cst.BaseStatement) -> list[tuple[str, cst.BaseExpression]]:
    """Names and values of `u = x`, `u, v = x, y` and `u, v = w`, `u, (v, x) = w` on a line of their own."""
    small = list(small_statements([statement]))
    if len(small) != 1 or not isinstance(small[0], cst.Assign) or len(small[0].targets) != 1:
        return []
    target, value = small[0].targets[0].target, small[0].value
    if isinstance(target, cst.Name):
        return [(target.value, value)]
    if isinstance(target, cst.Tuple) and isinstance(value, cst.Tuple) and len(target.elements) == len(value.elements):
        both = zip(target.elements, value.elements, strict=True)
        pairs = [(left.value.value, right.value) for left, right in both if isinstance(left.value, cst.Name)]
        return pairs if len(pairs) == len(value.elements) else []
    return list(_entries(target, value)) if isinstance(target, cst.Tuple) and _of_names(target) else []


def _of_names(target: cst.Tuple) -> bool:
    """Whether a target consists of names alone, and of tuples of names."""
    parts = [each.value for each in target.elements if isinstance(each, cst.Element)]
    named = [isinstance(p, cst.Name) or (isinstance(p, cst.Tuple) and _of_names(p)) for p in parts]
    return len(parts) == len(target.elements) and all(named)


def _entries(target: cst.Tuple, value: cst.BaseExpression) -> Iterator[tuple[str, cst.BaseExpression]]:
    """Names and the entries of a tuple or list that they get, of its tuples too: `u, (v, w) = x`."""
    for k, element in enumerate(target.elements):
        if isinstance(element.value, cst.Name):
            yield element.value.value, _entry(value, k)
        elif isinstance(element.value, cst.Tuple):
            yield from _entries(element.value, _entry(value, k))


def _unpacks(statement: cst.BaseStatement) -> bool:
    small = list(small_statements([statement]))
    assigned = len(small) == 1 and isinstance(small[0], cst.Assign)
    return assigned and not isinstance(cst.ensure_type(small[0], cst.Assign).value, cst.Tuple)


def _entry(value: cst.BaseExpression, number: int) -> cst.BaseExpression:
    return cst.Subscript(value, [cst.SubscriptElement(cst.Index(cst.Integer(str(number))))])


def _assignments(statements: Sequence[cst.CSTNode]) -> Counter[str]:
    counts: Counter[str] = Counter()

    for node in (node for statement in statements for node in nodes_in(statement)):
        if isinstance(node, cst.AssignTarget | cst.AnnAssign | cst.AugAssign):
            counts.update(assigned_names(node))
        elif isinstance(node, cst.For):
            counts.update(assigned_names(node.with_changes(body=cst.IndentedBlock([]), orelse=None)))
    return counts


def _used_as_arrays(statements: Sequence[cst.CSTNode]) -> set[str]:
    found: set[str] = set()
    for node in (each for statement in statements for each in nodes_of(statement, cst.Subscript, cst.For)):
        if isinstance(node, cst.For):
            found |= names_read(node.iter)
        elif isinstance(node.value, cst.Name):
            found.add(node.value.value)
    return found
