"""Loops over arrays as loops over indexes.

    for v in a: ...                      ->   for v__at in range(len(a)): v = a[v__at]; ...
    for i, v in enumerate(a): ...        ->   for i in range(len(a)): v = a[i]; ...
    for x, y in zip(a, b): ...           ->   for x__at in range(min(len(a), len(b))): x = a[x__at]; y = b[x__at]; ...

What is made stands where the loop's header stood.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import cast

import libcst as cst

from somd.diagnostics.model import Position
from somd.transforms.frontend.loops import statements_of
from somd.transforms.frontend.names import assigned_names
from somd.transforms.stages import Method


def loops_over_indexes(method: Method) -> Method:
    """`method` with `for` over arrays, `enumerate` and `zip` written with `range`; other loops stay as they are."""
    rewriter = _Loops(method)
    function = cast(cst.FunctionDef, method.function.visit(rewriter))
    if not rewriter.changed:
        return method
    return replace(
        method,
        function=function,
        positions=rewriter.positions,
        local_names=frozenset(assigned_names(function.body) | set(method.param_names)),
    )


class _Loops(cst.CSTTransformer):
    def __init__(self, method: Method) -> None:
        super().__init__()
        self.method = method
        self.positions: dict[cst.CSTNode, Position] = dict(method.positions)
        self.changed = False

    def on_leave(self, original_node: cst.CSTNode, updated_node: cst.CSTNode) -> cst.CSTNode:  # type: ignore[override]
        made = super().on_leave(original_node, updated_node)
        if isinstance(made, cst.CSTNode) and original_node in self.positions:
            self.positions[made] = self.positions[original_node]
        return made  # type: ignore[return-value]

    def leave_For(self, original_node: cst.For, updated_node: cst.For) -> cst.For:
        loop = self._over_arrays(updated_node)
        if loop is None:
            return updated_node
        index, length, elements = loop
        self.changed = True
        lines = [f"{target} = {array}[{index}]\n" for target, array in elements]
        header = cst.ensure_type(cst.parse_statement(f"for {index} in range({length}):\n    pass\n"), cst.For)
        body = [*(cst.parse_statement(line) for line in lines), *statements_of(updated_node.body)]
        made = updated_node.with_changes(
            target=header.target,
            iter=header.iter,
            body=cst.IndentedBlock(cast(Sequence[cst.BaseStatement], body)),
        )
        place = self.positions[original_node.target]
        for part in (made.target, made.iter, *body[: len(lines)]):
            part.visit(_Placed(place, self.positions))
        return made

    def _over_arrays(self, node: cst.For) -> tuple[str, str, list[tuple[str, str]]] | None:
        """Index name, text of the length, and (target, array) pairs; None if the loop is of another form."""
        target, iterated = node.target, node.iter
        if isinstance(iterated, cst.Name) and isinstance(target, cst.Name):
            if iterated.value not in self.method.local_names:
                return None
            return self._own(target.value), f"len({iterated.value})", [(target.value, iterated.value)]
        if not (isinstance(iterated, cst.Call) and isinstance(iterated.func, cst.Name)):
            return None
        given = [a for a in iterated.args if not _not_strict(a)]
        arguments = [a.value for a in given if a.keyword is None and not a.star]
        if iterated.func.value == "enumerate" and len(given) == len(arguments) == 1:
            parts = _names(target, 2)
            if parts is None or not isinstance(parts[0], cst.Name):
                return None
            inner = self._over_arrays(node.with_changes(target=parts[1], iter=arguments[0]))
            if inner is None:
                return None
            _, length, elements = inner
            return parts[0].value, length, elements
        if iterated.func.value == "zip" and len(given) == len(arguments) and arguments:
            targets = _names(target, len(arguments))
            plain = [t.value for t in targets or () if isinstance(t, cst.Name)]
            arrays = [a.value for a in arguments if isinstance(a, cst.Name)]
            if len(plain) != len(arguments) or len(arrays) != len(arguments):
                return None
            lengths = ", ".join(f"len({a})" for a in arrays)
            length = f"min({lengths})" if len(arrays) > 1 else lengths
            return self._own(plain[0]), length, list(zip(plain, arrays, strict=True))
        return None

    def _own(self, name: str) -> str:
        own = f"{name}__at"
        while own in self.method.local_names:
            own += "_"
        return own


class _Placed(cst.CSTVisitor):
    """Gives every node below a new one its place."""

    def __init__(self, place: Position, positions: dict[cst.CSTNode, Position]) -> None:
        super().__init__()
        self.place = place
        self.positions = positions

    def on_visit(self, node: cst.CSTNode) -> bool:
        self.positions.setdefault(node, self.place)
        return True


def _not_strict(arg: cst.Arg) -> bool:
    """`strict=False`, which is what `zip` does anyway."""
    named = arg.keyword is not None and arg.keyword.value == "strict"
    return named and isinstance(arg.value, cst.Name) and arg.value.value == "False"


def _names(target: cst.BaseExpression, count: int) -> list[cst.BaseExpression] | None:
    if isinstance(target, cst.Tuple) and len(target.elements) == count:
        return [element.value for element in target.elements]
    return None
