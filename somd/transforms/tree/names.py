"""Names in a method: which are local, and what the others stand for."""

from __future__ import annotations

from collections.abc import Collection, Container, Iterator, Mapping
from functools import lru_cache

import libcst as cst
import numpy as np

from somd.capture import attributes
from somd.capture.lookups import attribute_of, may_subscript
from somd.transforms.tree.literals import number_of
from somd.transforms.tree.walking import children_of, nodes_of

MISSING = attributes.MISSING

#: of how many nodes, which never change, the names are kept: the planner asks for the same ones again and again
_KEPT = 4096


def unused(wanted: str, *taken: Container[str]) -> str:
    """`wanted`, with as many underscores behind it as make it none of those that are taken.

    >>> unused("row", {"row"}, {"row_"})
    'row__'
    """
    while any(wanted in each for each in taken):
        wanted += "_"
    return wanted


def new_name(wanted: str, taken: set[str]) -> str:
    """`wanted`, or an unused name like it, which is taken from now on."""
    name = unused(wanted, taken)
    taken.add(name)
    return name


def name_for(value: object, wanted: str, namespace: dict[str, object], taken: Container[str]) -> str:
    """The name of a namespace that stands for `value`: the wished one, where it does or is free."""
    while wanted in taken or namespace.get(wanted, value) is not value:
        wanted += "_"
    namespace[wanted] = value
    return wanted


def assigned_names(node: cst.CSTNode) -> set[str]:
    """Names that `node` assigns, loop variables included."""
    return set(_assigned(node))


@lru_cache(maxsize=_KEPT)
def _assigned(node: cst.CSTNode) -> frozenset[str]:
    if isinstance(node, cst.Assign):
        return frozenset(name for each in node.targets for name in target_names(each.target))
    if isinstance(node, cst.AssignTarget | cst.AnnAssign | cst.AugAssign):
        return frozenset(target_names(node.target))
    if isinstance(node, cst.BaseExpression | cst.Expr | cst.Return):
        return frozenset()
    if isinstance(node, cst.For | cst.If):
        own = frozenset(target_names(node.target) if isinstance(node, cst.For) else ())
        return own | _assigned(node.body) | (_assigned(node.orelse) if node.orelse is not None else own)
    return frozenset[str]().union(*map(_assigned, children_of(node)))


def target_parts(target: cst.CSTNode) -> Iterator[cst.CSTNode]:
    """What an assignment to `target` sets, from left to right: names, elements, attributes."""
    if isinstance(target, cst.Tuple | cst.List):
        for element in target.elements:
            yield from target_parts(element.value)
    else:
        yield target


def target_names(target: cst.CSTNode) -> Iterator[str]:
    """The names that an assignment to `target` sets, from left to right."""
    return (part.value for part in target_parts(target) if isinstance(part, cst.Name))


def assigned_place(node: cst.CSTNode) -> cst.BaseExpression | None:
    """The one place that an assignment sets, or changes; None for every other statement."""
    if isinstance(node, cst.Assign) and len(node.targets) == 1:
        return node.targets[0].target
    return node.target if isinstance(node, cst.AugAssign) else None


def annotated_places(node: cst.CSTNode) -> dict[str, cst.Annotation]:
    """The annotation of each name that has one in `node`."""
    places = ((name, each) for each in nodes_of(node, cst.AnnAssign) for name in target_names(each.target))
    return {name: each.annotation for name, each in places}


def evaluate(node: cst.BaseExpression, namespace: Mapping[str, object], local_names: Collection[str] = ()) -> object:
    """The object a name, dotted name or subscript of such stands for; MISSING if it is local or unknown."""
    if isinstance(node, cst.Name):
        return MISSING if node.value in local_names else namespace.get(node.value, MISSING)
    if isinstance(node, cst.Attribute):
        base = evaluate(node.value, namespace, local_names)
        return MISSING if base is MISSING else attribute_of(base, node.attr.value)
    if isinstance(node, cst.Integer):
        return number_of(node)
    if isinstance(node, cst.SimpleString):
        return node.evaluated_value
    if isinstance(node, cst.Tuple):
        return tuple(evaluate(element.value, namespace, local_names) for element in node.elements)
    if isinstance(node, cst.Call):
        return _marker(node, namespace, local_names)
    if isinstance(node, cst.Subscript):
        base = evaluate(node.value, namespace, local_names)
        keys = [
            evaluate(element.slice.value, namespace, local_names)
            for element in node.slice
            if isinstance(element.slice, cst.Index)
        ]
        if any(each is MISSING for each in (base, *keys)) or len(keys) != len(node.slice) or not may_subscript(base):
            return MISSING
        try:
            return base[tuple(keys) if len(keys) > 1 else keys[0]]  # type: ignore[index]
        except (TypeError, KeyError, IndexError):
            return MISSING
    return MISSING


def called(node: cst.Call, namespace: Mapping[str, object], local_names: Collection[str] = ()) -> object:
    """The object that is called, methods of NumPy's ufuncs included; MISSING if it is local or unknown."""
    found = evaluate(node.func, namespace, local_names)
    if found is MISSING and isinstance(node.func, cst.Attribute):
        owner = evaluate(node.func.value, namespace, local_names)
        if isinstance(owner, np.ufunc):
            return getattr(owner, node.func.attr.value, MISSING)
    return found


def _marker(node: cst.Call, namespace: Mapping[str, object], local_names: Collection[str]) -> object:
    """What a call of one of somd's markers makes; MISSING for every other call."""
    function = evaluate(node.func, namespace, local_names)
    values = [evaluate(a.value, namespace, local_names) for a in node.args]
    ours = getattr(function, "__module__", None) in ("somd.language.markers", "somd.language.partitioners")
    if not ours or not callable(function) or MISSING in values or any(a.keyword or a.star for a in node.args):
        return MISSING
    try:
        return function(*values)
    except (TypeError, ValueError):  # of a partitioner
        return MISSING


#: attributes of arrays that tell nothing of their elements
_MEASURES = ("shape", "size", "ndim", "dtype")


def names_read(node: cst.CSTNode) -> set[str]:
    """Names that `node` mentions in value position (attribute and keyword names are not among them)."""
    return set(_read(node))


def values_read(node: cst.CSTNode) -> set[str]:
    """Names that `node` mentions for more than a shape, a length or a type.

    >>> sorted(values_read(cst.parse_expression("a[i] + b.shape[0] * len(c)")))
    ['a', 'i']
    """
    asked = [each.value for each in nodes_of(node, cst.Attribute) if each.attr.value in _MEASURES]
    calls = [call for call in nodes_of(node, cst.Call) if isinstance(call.func, cst.Name) and call.func.value == "len"]
    gone = {name for each in (*asked, *calls) for name in nodes_of(each, cst.Name)}
    return {name.value for name in nodes_of(node, cst.Name) if name not in gone} & names_read(node)


@lru_cache(maxsize=_KEPT)
def _read(node: cst.CSTNode) -> frozenset[str]:
    names: set[str] = set()
    waiting = [node]
    while waiting:
        each = waiting.pop()
        kind = type(each)
        if kind is cst.Name:
            names.add(each.value)  # type: ignore[attr-defined]
        elif kind is cst.Attribute or kind is cst.Arg:
            waiting.append(each.value)  # type: ignore[attr-defined]
        elif kind is not cst.Annotation:
            waiting += children_of(each)
    return frozenset(names)
