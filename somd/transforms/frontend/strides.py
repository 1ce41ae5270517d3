"""Loops whose step is no constant, as loops over the numbers of their trips.

    for m in range(s, e, st): A   ->   for m__none in range(s, e, st): break        (fails where the loop would)
                                       m__trips = <how many>
                                       for m__trip in range(m__trips): m = s + m__trip * st; A

`Method.strided` tells what `m` is, so that the analysis takes `m` itself, which differs from trip to trip, for the
variable of the loop. Only loops whose variable stands in an index are written so.
"""

from __future__ import annotations

from dataclasses import replace
from typing import cast

import libcst as cst

from somd.transforms.analysis.accesses import index_expressions
from somd.transforms.analysis.affine import shape_reference
from somd.transforms.stages import Method, Stride
from somd.transforms.tree.loops import integer_constant, range_of, statements_of
from somd.transforms.tree.names import assigned_names, names_read, new_name
from somd.transforms.tree.rewriting import MethodRewriter, parsed
from somd.transforms.tree.walking import nodes_of


def constant_steps(method: Method) -> Method:
    """`method` with the loops of other steps over trip numbers."""
    rewriter = _Rewriter(method)
    made = rewriter.rewritten()
    return replace(made, strided={**method.strided, **rewriter.strided}) if rewriter.strided else made


class _Rewriter(MethodRewriter):
    def __init__(self, method: Method) -> None:
        super().__init__(method)
        self.strided: dict[str, Stride] = {}

    def leave_For(
        self, original_node: cst.For, updated_node: cst.For
    ) -> cst.BaseStatement | cst.FlattenSentinel[cst.BaseStatement]:
        header = range_of(updated_node)
        if header is None or integer_constant(header.step, self.method) is not None:
            return updated_node
        name = header.variable
        if name in assigned_names(updated_node.body) or not _indexes(updated_node.body, name):
            return updated_node
        before: list[cst.BaseStatement] = []
        changed = assigned_names(updated_node)
        start, stop, step = (
            self._bound(name, kind, limit, changed, before)
            for kind, limit in (("start", header.start), ("stop", header.stop), ("step", header.step))
        )
        none, trips, trip = (new_name(f"{name}__{kind}", self.taken) for kind in ("none", "trips", "trip"))
        self.spelled[trip] = name
        self.strided[trip] = Stride(name, start, stop, step)
        low, high, by = (_code(limit) for limit in (start, stop, step))
        low_, high_, by_ = (_whole(limit, self.method) for limit in (start, stop, step))
        up = f"max(0, ({high_} - {low_} + {by_} - 1) // {by_})"
        down = f"max(0, ({low_} - {high_} - {by_} - 1) // -{by_})"
        before += parsed(
            f"for {none} in range({low}, {high}, {by}):\n    break\n",
            f"{trips} = {up} if {by_} > 0 else {down}\n",
        )
        [made] = parsed(f"for {trip} in range({trips}):\n    {name} = {low_} + {trip} * {by_}\n")
        loop = cst.ensure_type(made, cst.For)
        assert isinstance(loop.body, cst.IndentedBlock)
        body = [*loop.body.body, *cast(list[cst.BaseStatement], statements_of(updated_node.body))]
        loop = loop.with_changes(body=loop.body.with_changes(body=body), leading_lines=updated_node.leading_lines)
        place = self.positions[original_node.iter]
        self.place(loop.target, self.positions[original_node.target])
        for node in (*before, loop.iter, body[0]):
            self.place(node, place)
        self.positions[loop] = self.positions[original_node]
        return cst.FlattenSentinel([*before, loop])

    def _bound(
        self, name: str, kind: str, limit: cst.BaseExpression, changed: set[str], before: list[cst.BaseStatement]
    ) -> cst.BaseExpression:
        """`limit`, or the name of a scalar that holds it."""
        stays = isinstance(limit, cst.Name) and limit.value not in changed
        if stays or integer_constant(limit, self.method) is not None or shape_reference(limit) is not None:
            return limit
        own = self.new(f"{name}__{kind}", _code(limit))
        before += parsed(f"{own} = {_code(limit)}")
        return cst.Name(own)


def _indexes(body: cst.BaseSuite, name: str) -> bool:
    return any(name in names_read(index) for node in nodes_of(body, cst.Subscript) for index in index_expressions(node))


def _whole(limit: cst.BaseExpression, method: Method) -> str:
    """`limit` as a Python integer: the difference of two narrow ones could overflow."""
    constant = integer_constant(limit, method)
    if constant is not None:
        return f"({constant})" if constant < 0 else str(constant)
    return _code(limit) if shape_reference(limit) is not None else f"int({_code(limit)})"


def _code(node: cst.BaseExpression) -> str:
    return cst.Module([]).code_for_node(node)
