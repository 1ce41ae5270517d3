"""Reads that every trip of a loop makes, of elements that only the trip decides: they may be made ahead of time."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import libcst as cst

from somd.transforms.analysis.accesses import index_expressions
from somd.transforms.stages import Nest
from somd.transforms.tree.loops import small_statements
from somd.transforms.tree.names import names_read
from somd.transforms.tree.walking import children_of
from somd.transforms.types.scalars import ArrayType
from somd.transforms.types.typing_table import Types


def steady_reads(
    statements: Sequence[cst.CSTNode],
    nest: Nest,
    variables: set[str],
    types: Types,
    wanted: Callable[[tuple[cst.BaseExpression, ...]], bool] = lambda indexes: True,
) -> dict[str, list[cst.Subscript]]:
    """Text of a read -> all reads of that text in `statements`: first one that every trip makes untested, then others.

    Indexes consist of `variables` and of what is the same for all trips; nothing in the nest writes the array. Indexes
    that are tested where they happen, or count from the end, are left out.
    """
    if nest.raises:  # behind a `raise` it may be that no trip makes them
        return {}
    steady = {*nest.scalars, *nest.arrays, *variables}
    found: dict[str, list[cst.Subscript]] = {}
    for node in _always(statements):
        array = array_of(node, types)
        indexes = tuple(index_expressions(node)) if array is not None else ()
        names = {name for index in indexes for name in names_read(index)}
        if array is None or node in nest.guarded or node in nest.wrapping:
            continue
        if _name(node) not in nest.arrays:  # an iteration's own, made anew in it
            continue
        if _written(node, array, bool(names & {dim.variable for dim in nest.dims}), nest, types):
            continue
        if names <= steady and not any(reads_elements(index, types) for index in indexes) and wanted(indexes):
            found.setdefault(_text(node), [node])
    for node in (each for statement in statements for each in subscripts(statement)):
        made = found.get(_text(node))
        if made is not None and node not in (*nest.wrapping, made[0]):
            made.append(node)
    return found


def array_of(node: cst.Subscript, types: Types) -> ArrayType | None:
    """The type of the array that `node` takes an element from."""
    found = types.names.get(node.value.value) if isinstance(node.value, cst.Name) else None
    return found if isinstance(found, ArrayType) else None


def reads_elements(node: cst.CSTNode, types: Types) -> bool:
    """Whether an element of an array stands in `node`."""
    return any(array_of(each, types) is not None for each in subscripts(node))


def subscripts(node: cst.CSTNode) -> Iterator[cst.Subscript]:
    """All subscripts in `node`."""
    if isinstance(node, cst.Subscript):
        yield node
    for child in children_of(node):
        yield from subscripts(child)


def _written(node: cst.Subscript, array: ArrayType, own: bool, nest: Nest, types: Types) -> bool:
    """Whether the nest may write the array: under its name, or another one for the same memory. An element that is not
    an iteration's `own` is read by all of them, so that they were no nest if one wrote it."""
    if _name(node) in nest.arrays_written:
        return True
    return own and any(types.names.get(name) == array for name in nest.arrays_written)


def _name(node: cst.Subscript) -> str:
    assert isinstance(node.value, cst.Name)
    return node.value.value


def _text(node: cst.Subscript) -> str:
    return cst.Module([]).code_for_node(node)


def _always(statements: Sequence[cst.CSTNode]) -> Iterator[cst.Subscript]:
    """The subscripts that are evaluated whatever happens."""
    for node in small_statements(statements):
        if isinstance(node, cst.If):
            yield from _evaluated(node.test)
            if _goes_on(node):
                return
        elif isinstance(node, cst.Assign | cst.AnnAssign | cst.AugAssign) and node.value is not None:
            yield from _evaluated(node.value)
            targets = [t.target for t in node.targets] if isinstance(node, cst.Assign) else [node.target]
            for target in targets:
                if isinstance(target, cst.Subscript) and isinstance(target.value, cst.Name):
                    for index in index_expressions(target):
                        yield from _evaluated(index)
        elif isinstance(node, cst.Continue):
            return


def _goes_on(node: cst.CSTNode) -> bool:
    return isinstance(node, cst.Continue) or any(_goes_on(child) for child in children_of(node))


def _evaluated(node: cst.CSTNode) -> Iterator[cst.Subscript]:
    if isinstance(node, cst.BooleanOperation):
        yield from _evaluated(node.left)
        return
    if isinstance(node, cst.IfExp):
        yield from _evaluated(node.test)
        return
    if isinstance(node, cst.Comparison):
        yield from _evaluated(node.left)
        yield from _evaluated(node.comparisons[0].comparator)
        return
    if isinstance(node, cst.Subscript):
        yield node
    for child in children_of(node):
        yield from _evaluated(child)
