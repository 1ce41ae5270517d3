"""Calls of NumPy's functions of whole arrays -> values, each an index and what it gives.

In: a call and what it gives for each parameter. Out: its value; what has to be computed or tested before the statement
comes before it. `TABLE` says what each function means; `creation`, `rearranging` and `products` have the meanings.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import TYPE_CHECKING

import libcst as cst

from somd.language.array_functions import OUT, TRIANGLES
from somd.transforms.arrays import creation, diagonals, indexed, products, rearranging, scattering
from somd.transforms.arrays.arguments import Arguments
from somd.transforms.arrays.values import At, Value, View

if TYPE_CHECKING:
    from somd.transforms.arrays.expressions import Expressions

Meaning = Callable[[Arguments], Value]
TABLE: Mapping[str, Meaning] = {
    "arange": creation.arange,
    "array": rearranging.array,
    "bincount": scattering.bincount,
    "broadcast_to": creation.broadcast_to,
    "diagonal": diagonals.diagonal,
    "einsum": products.einsum,
    "eye": creation.eye,
    "identity": creation.identity,
    "flatnonzero": indexed.flat_places,
    "inner": products.inner,
    "lib.stride_tricks.sliding_window_view": rearranging.windows,
    "linalg.norm": products.norm,
    "linspace": creation.linspace,
    "concatenate": rearranging.concatenate,
    "cross": products.cross,
    "cumprod": rearranging.accumulated,
    "cumsum": rearranging.accumulated,
    "diff": rearranging.diff,
    **dict.fromkeys(("flip", "fliplr", "flipud"), rearranging.flip),
    **dict.fromkeys(("hstack", "vstack", "column_stack"), rearranging.stacked),
    "pad": rearranging.pad,
    "repeat": rearranging.repeat,
    "roll": rearranging.roll,
    "stack": rearranging.stack,
    "swapaxes": rearranging.swapaxes,
    "tile": rearranging.tile,
    "nonzero": indexed.not_zero,
    "outer": products.outer,
    "tensordot": products.tensordot,
    "trace": diagonals.trace,
    "tri": creation.tri,
    "tril": diagonals.tril,
    "triu": diagonals.triu,
    **dict.fromkeys(TRIANGLES, diagonals.where),
}
#: functions that write into their first argument: what is stored where; those that emit their loops give None
WRITERS: Mapping[str, Callable[[Arguments], tuple[View, Value] | None]] = {
    "fill_diagonal": diagonals.fill_diagonal,
    **{f"{name}.at": scattering.at for name in ("add", "subtract", "multiply", "minimum", "maximum")},
}


def value_of(expressions: Expressions, node: cst.Call) -> Value:
    """The value of a call.

    Raises:
        NotTaken: it gives nothing, or its arguments are not taken; reported.
    """
    arguments = Arguments(expressions, node)
    if arguments.function.name == OUT and (made := stored_in_new(arguments)) is not None:
        return made
    if arguments.function.writes:
        message = f"`{cst.Module([]).code_for_node(node.func)}` writes into an array, and gives nothing here"
        raise expressions.refuse("SOMD202", message, node, "let it stand in a statement of its own")
    return TABLE[arguments.function.name](arguments)


def stored_in_new(given: Arguments) -> Value | None:
    """The value of `np.divide(a, b, out=np.zeros_like(a), where=b > 0)`: that of the ufunc where the test holds, else
    what the new array was filled with. None for an array that is there already."""
    out, expressions = given.nodes["out"][0], given.expressions
    callee = expressions.types.calls.get(out) if isinstance(out, cst.Call) else None
    filler = {"zeros": "0", "ones": "1"}.get(callee.name.removesuffix("_like")) if callee is not None else None
    if filler is None or callee is None or callee.kind not in ("allocate", "like"):
        return None
    like = callee.kind == "like"
    shape = expressions.value(cst.ensure_type(out, cst.Call).args[0].value if like else out).shape
    expressions.shapes.waiting, expressions.shapes.operands = given.nodes["value"][0], ()
    value, where = given.value("value"), given.value("where") if given.has("where") else None
    told = expressions.shapes.operands or (value.shape,)
    expressions.shapes.written(shape, told, where.shape if where is not None else None, given.call)
    dtype = given.names.dtype(given.dtype)

    def element(at: At) -> cst.BaseExpression:
        made = f"{dtype}({given.code(value.at(at, shape))})"
        test = "True" if where is None else given.code(where.at(at, shape))
        return given.chosen(test, made, f"{dtype}({filler})")

    return Value(shape, element)


def written_by(expressions: Expressions, node: cst.Call, changed: Collection[str]) -> tuple[View, Value] | None:
    """What a call that gives nothing writes, and the value that it stores there; None where that has been done. The
    values of parameters that are `changed` may lie in what is written."""
    arguments = Arguments(expressions, node, changed)
    return WRITERS[arguments.function.name](arguments)
