"""NumPy's grids, and Python's `map` over what is written out, as calls that are taken.

    g = np.mgrid[:n, :m]                  ->   g = np.indices((n, m))
    y, x = np.mgrid[-r:r + 1, :m]         ->   y, x = np.indices((r + 1 - -r, m)); y += -r
    y, x = np.mgrid[0:1:5j, a:b:9j]       ->   y, x = np.meshgrid(np.arange(5.0) * (1 / 4.0) + 0, ..., indexing="ij")
    y, x = np.ogrid[:n, :m]               ->   y, x = (np.arange(n) + 0 * m)[:, None], (np.arange(m) + 0 * n)[None, :]
    a, b = map(np.radians, (a, b))        ->   a, b = np.radians(a), np.radians(b)

In: a `Method`. Out: the `Method` with such calls. Grids whose limits are no integers are refused where they are typed,
but for those with a number of points, `5j`; grids with other steps stay.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import libcst as cst
import numpy as np

from somd.transforms.stages import Method
from somd.transforms.tree.names import assigned_names, evaluate, name_for, names_read
from somd.transforms.tree.rewriting import MethodRewriter, code_of


def plain_grids(method: Method) -> Method:
    """`method` with such grids and values; others stay as they are."""
    rewriter = _Grids(method)
    made = rewriter.rewritten()
    return made if made is method else replace(made, namespace=rewriter.namespace)


@dataclass(frozen=True)
class _Limits:
    """The limits of an axis as texts; `points` is the number of them that a step like `5j` tells."""

    start: str
    stop: str
    points: int | None

    @property
    def length(self) -> str:
        return self.stop if self.start == "0" else f"{self.stop} - {self.start}"


class _Grids(MethodRewriter):
    def __init__(self, method: Method) -> None:
        super().__init__(method)
        self.namespace: dict[str, object] = dict(method.namespace)

    def leave_Assign(
        self, original_node: cst.Assign, updated_node: cst.Assign
    ) -> cst.BaseSmallStatement | cst.FlattenSentinel[cst.BaseSmallStatement]:
        target, value = updated_node.targets[0].target, updated_node.value
        if len(updated_node.targets) > 1 or not isinstance(target, cst.Tuple):
            return updated_node
        names = [each.value.value for each in target.elements if isinstance(each.value, cst.Name)]
        mapped = self._mapped(value, len(target.elements))
        if mapped is not None:
            return self._given(original_node, updated_node, mapped)
        grid, limits = self._grid(value), _limits(value)
        if grid is None or not limits or not len(names) == len(target.elements) == len(limits):
            return updated_node
        read = names_read(value)
        numbers = all(each.points for each in limits)
        if any(each.points for each in limits) and not numbers:
            return updated_node
        if numbers or grid is np.ogrid:
            axes = [self._along(each, limits) for each in limits]
            if grid is np.mgrid:
                made = f'{self._numpy("meshgrid")}({", ".join(axes)}, indexing="ij")'
            else:
                stretched = [["None"] * k + [":"] + ["None"] * (len(axes) - 1 - k) for k in range(len(axes))]
                made = ", ".join(f"({e})[{', '.join(items)}]" for e, items in zip(axes, stretched, strict=True))
            return self._given(original_node, updated_node, f"({made},)" if grid is np.ogrid else made)
        moved = [(name, each.start) for name, each in zip(names, limits, strict=True) if each.start != "0"]
        if not moved or read & assigned_names(updated_node):
            return updated_node
        first = self._given(original_node, updated_node, self._indices(limits))
        others = [cst.AugAssign(cst.Name(n), cst.AddAssign(), cst.parse_expression(start)) for n, start in moved]
        for each in others:
            self.place(each, self.positions[original_node])
        return cst.FlattenSentinel([first, *others])

    def leave_Subscript(self, original_node: cst.Subscript, updated_node: cst.Subscript) -> cst.BaseExpression:
        limits = _limits(updated_node)
        if self._grid(updated_node) is not np.mgrid or any(e.points or e.start != "0" for e in limits) or not limits:
            return updated_node
        made = cst.parse_expression(self._indices(limits))
        self.place(made, self.positions[original_node])
        return made

    def _given(self, original: cst.Assign, node: cst.Assign, value: str) -> cst.Assign:
        made = cst.parse_expression(value)
        self.place(made, self.positions[original.value])
        return node.with_changes(value=made)

    def _grid(self, node: cst.BaseExpression) -> object:
        """`np.mgrid` or `np.ogrid`, if a grid of one is made here."""
        if not isinstance(node, cst.Subscript):
            return None
        found = evaluate(node.value, self.method.namespace, self.method.local_names)
        return found if found is np.mgrid or found is np.ogrid else None

    def _numpy(self, name: str) -> str:
        own = name_for(getattr(np, name), f"np_{name}", self.namespace, self.method.local_names)
        self.spelled[own] = f"np.{name}"
        return own

    def _indices(self, limits: Sequence[_Limits]) -> str:
        return f"{self._numpy('indices')}(({''.join(f'{each.length}, ' for each in limits)}))"

    def _along(self, own: _Limits, limits: Sequence[_Limits]) -> str:
        """What an axis of a grid is gone along by; all axes have one type."""
        if own.points:
            step = "1" if own.points == 1 else f"(({own.length}) / {float(own.points - 1)})"
            return f"{self._numpy('arange')}({float(own.points)}) * {step} + {own.start}"
        others = [f"0 * {text}" for each in limits if each is not own for text in (each.start, each.stop)]
        return " + ".join((f"{self._numpy('arange')}({own.length})", own.start, *others))

    def _mapped(self, node: cst.BaseExpression, count: int) -> str | None:
        """The values of `map(f, (x, y))`, for so many names."""
        if not isinstance(node, cst.Call) or any(each.star or each.keyword is not None for each in node.args):
            return None
        function = evaluate(node.func, {"map": map, **self.method.namespace}, self.method.local_names)
        if function is not map:
            return None
        called, *given = (each.value for each in node.args)
        listed = given[0] if len(given) == 1 else None
        if not isinstance(called, cst.Name | cst.Attribute) or not isinstance(listed, cst.Tuple | cst.List):
            return None
        if len(listed.elements) != count or any(isinstance(e, cst.StarredElement) for e in listed.elements):
            return None
        return f"({''.join(f'{code_of(called)}({code_of(each.value)}), ' for each in listed.elements)})"


def _limits(node: cst.BaseExpression) -> list[_Limits]:
    """The limits of a grid of several axes; none where one is left out, or has a step that is not taken."""
    found = []
    for each in node.slice if isinstance(node, cst.Subscript) else ():
        part = each.slice
        if not isinstance(part, cst.Slice) or part.upper is None:
            return []
        step = part.step
        points = None if step is None else step.evaluated_value if isinstance(step, cst.Imaginary) else 0j
        if points is not None and int(abs(points)) < 1:
            return []
        start = "0" if part.lower is None else _enclosed(part.lower)
        found.append(_Limits(start, _enclosed(part.upper), None if points is None else int(abs(points))))
    return found if len(found) > 1 else []


def _enclosed(node: cst.BaseExpression) -> str:
    simple = isinstance(node, cst.Name | cst.Integer | cst.Float | cst.Attribute | cst.Subscript | cst.Call)
    return code_of(node) if simple or node.lpar else f"({code_of(node)})"
