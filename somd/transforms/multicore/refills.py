"""Arrays that each iteration of a nest has for itself: allocated once by an MI, and filled anew in every iteration.

    w = np.zeros(8)        ->   w = np.empty(8, np.float64)         at the top of the slave
                                w[:] = 0.0                          where the allocation stood

Nothing of an array outlives its iteration, so the next one may have its memory. A length that may be negative is taken
as 0 at the top, and noted as a fault in the iteration that would have allocated.
"""

from __future__ import annotations

from collections.abc import Callable

import libcst as cst

from somd.transforms.multicore.casts import attribute, call, converted
from somd.transforms.stages import LocalArray
from somd.transforms.tree.rewriting import parsed
from somd.transforms.types.scalars import ArrayType, ScalarType
from somd.transforms.types.typing_table import Types

FILLS = {"b": ("False", "True"), "i": ("0", "1"), "u": ("0", "1"), "f": ("0.0", "1.0"), "c": ("0j", "1 + 0j")}
Rewrite = Callable[[cst.BaseExpression], cst.BaseExpression]


def allocated_once(local: LocalArray, types: Types, rewrite: Rewrite) -> list[cst.BaseStatement]:
    """The statement at the top of a slave that makes the array, without content."""
    kind = types.names[local.name]
    assert isinstance(kind, ArrayType)
    made = rewrite(local.allocations[0])
    assert isinstance(made, cst.Call) and isinstance(made.func, cst.Attribute)
    shape = made.args[0].with_changes(comma=cst.MaybeSentinel.DEFAULT)
    like = made.func.attr.value.endswith("_like")
    if local.sites and not like:
        shape = shape.with_changes(value=_natural(shape.value))
    dtype = cst.Arg(attribute("np", "bool_" if kind.dtype == "bool" else kind.dtype))
    function = attribute("np", "empty_like" if like else "empty")
    target = [cst.AssignTarget(cst.Name(local.name))]
    return [cst.SimpleStatementLine([cst.Assign(target, cst.Call(function, [shape, dtype]))])]


def refill(local: LocalArray, node: cst.Call, made: cst.Call, types: Types) -> cst.Assign | None:
    """What stands in place of the allocation `node`, rewritten as `made`; None where its content does not matter."""
    kind = types.names[local.name]
    assert isinstance(kind, ArrayType)
    function = types.calls[node].name.removesuffix("_like")
    if function == "empty":
        return None
    value = cst.parse_expression(FILLS[kind.element.kind][function == "ones"])
    if function == "full":
        given = types.nodes.get(node.args[1].value)
        value = converted(made.args[1].value, given if isinstance(given, ScalarType) else None, kind.dtype)
    everything = cst.SubscriptElement(cst.Slice(lower=None, upper=None))
    return cst.Assign([cst.AssignTarget(cst.Subscript(cst.Name(local.name), [everything]))], value)


def negative_lengths(local: LocalArray, made: cst.Call, noted: tuple[str, str, str]) -> list[cst.BaseStatement]:
    """Statements that end the MI's share with a fault if a length that the allocation `made` is given is negative."""
    faults, rank, place = noted
    code = cst.Module([]).code_for_node
    found: list[cst.BaseStatement] = []
    for site, length in zip(local.sites, _lengths(made.args[0].value), strict=False):
        if isinstance(length, cst.Integer):
            continue
        text = code(length)
        found += parsed(f"if {text} < 0:\n    note({faults}, {rank}, {site.number}, {text}, {place})\n    return\n")
    return found


def _lengths(shape: cst.BaseExpression) -> list[cst.BaseExpression]:
    return [e.value for e in shape.elements] if isinstance(shape, cst.Tuple) else [shape]


def _natural(shape: cst.BaseExpression) -> cst.BaseExpression:
    """A shape with 0 in place of negative lengths."""
    if isinstance(shape, cst.Tuple):
        return shape.with_changes(elements=[e.with_changes(value=_natural(e.value)) for e in shape.elements])
    return shape if isinstance(shape, cst.Integer) else call("max", cst.Integer("0"), shape)
