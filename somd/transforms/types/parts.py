"""Types of parts of arrays that are arrays: slices, rows, new axes, and elements that other arrays choose."""

from __future__ import annotations

from typing import TYPE_CHECKING

import libcst as cst

from somd.language.array_functions import TRIANGLES
from somd.transforms.analysis.parts import NEW_AXIS, Item, Mark, is_none, items_of
from somd.transforms.stages import Method
from somd.transforms.types.scalars import ArrayType, ScalarType, TupleType, Type

if TYPE_CHECKING:
    from somd.transforms.types.expressions import Expressions


class Parts:
    """Types the subscripts among `expressions` that are arrays."""

    def __init__(self, expressions: Expressions) -> None:
        self.expressions = expressions
        self.method: Method = expressions.method
        self.report = expressions.report

    def part(self, node: cst.Subscript, base: ArrayType) -> ArrayType | None:
        """The type of `base[...]` if it is an array; None also where something was reported."""
        self.expressions.types.whole = True
        items = items_of(node, self.method)
        count = sum(not isinstance(item, Mark) for item in items)
        if count > base.ndim:
            message = f"an array of {base.ndim} dimensions is indexed with {count}"
            self.report("SOMD403", message, node, "give at most one index for each dimension")
            return None
        ndim = base.ndim
        for item in items:
            if isinstance(item, cst.Slice):
                if not self.is_slice(item, node):
                    return None
            elif isinstance(item, cst.BaseExpression):
                index = self.expressions.any(item)
                if isinstance(index, TupleType):
                    return self.in_triangle(node, base, index, items)
                if isinstance(index, ArrayType):
                    return self.at_array(node, base, item, index, items)
                if not self.is_index(index, item):
                    return None
                ndim -= 1
            elif item is NEW_AXIS:
                ndim += 1
        if ndim < 1:
            self.report("SOMD403", "an array without dimensions is not supported", node, "leave `...` out")
            return None
        return ArrayType(base.dtype, ndim)

    def is_slice(self, item: cst.Slice, node: cst.Subscript) -> bool:
        """Whether a slice has integers as limits, and a constant step; what has not is reported."""
        for limit in (item.lower, item.upper, item.step):
            found = None if limit is None or is_none(limit, self.method) else self.expressions.scalar(limit)
            if found is not None and found.kind not in "iu":
                self.report("SOMD402", f"a slice takes integers, this is `{found}`", node, "convert it with `int()`")
                return False
        if item.step is not None and not is_none(item.step, self.method):
            step = self.expressions.literal(item.step)
            if not isinstance(step, int) or step == 0:
                self.report("SOMD402", "the step of a slice is a constant here", item.step, "write a loop over a range")
                return False
        return True

    def is_index(self, found: Type | None, item: cst.BaseExpression) -> bool:
        if found is None or (isinstance(found, ScalarType) and found.kind in "iu"):
            return found is not None
        self.report("SOMD402", f"an index is an integer, this is `{found}`", item, "convert it with `int()`")
        return False

    def in_triangle(
        self, node: cst.Subscript, base: ArrayType, index: TupleType, items: list[Item]
    ) -> ArrayType | None:
        """The elements of a matrix in a triangle, whose rows and columns a name stands for, or a call gives."""
        called = self.expressions.types.calls.get(items[0]) if isinstance(items[0], cst.Call) else None
        triangle = called is not None and called.given is not None and called.given.function.name in TRIANGLES
        if not isinstance(items[0], cst.Name) and not triangle:
            count = len(index.elements)
            if len(items) == 1 and called is not None and count <= base.ndim:
                return ArrayType(base.dtype, base.ndim - count + 1)
            message = "the places of a mask stand in brackets alone, for as many axes as it has"
            self.report("SOMD403", message, node, "write the mask: `a[mask]`, or name each: `i, j = np.nonzero(mask)`")
            return None
        if len(items) == 1 and base.ndim == 2 and index.elements == (ArrayType("int64", 1),) * 2:
            return ArrayType(base.dtype, 1)
        self.report("SOMD403", f"`{base}` is not indexed with a tuple of this kind here", node, "write the indexes out")
        return None

    def at_array(
        self, node: cst.Subscript, base: ArrayType, item: cst.BaseExpression, index: ArrayType, items: list[Item]
    ) -> ArrayType | None:
        """The elements at indexes, or under a mask, that an array holds."""
        others = [each for each in items if each is not item]
        if index.dtype == "bool" and not others and index.ndim == base.ndim:
            return ArrayType(base.dtype, 1)
        places = [k for k, each in enumerate(items) if isinstance(each, cst.BaseExpression)]
        found = [self.expressions.any(each) for each in items if isinstance(each, cst.BaseExpression)]
        masks = [kind.ndim for kind in found if isinstance(kind, ArrayType) and kind.dtype == "bool"]
        for kind, each in zip(found, (items[k] for k in places), strict=True):
            is_mask = isinstance(kind, ArrayType) and kind.dtype == "bool"
            dtype = "int64" if is_mask else getattr(kind, "dtype", "")
            one = ScalarType(dtype) if isinstance(kind, ArrayType) else kind
            if not isinstance(each, cst.BaseExpression) or not self.is_index(one, each):
                return None
        slices = [each for each in items if isinstance(each, cst.Slice)]
        count = len(places) + sum(masks) - len(masks)
        if count + len(slices) > base.ndim:
            message = f"an array of {base.ndim} dimensions is indexed with {count + len(slices)}"
            self.report("SOMD403", message, node, "let the axes of a mask be those that it stands for")
            return None
        if NEW_AXIS in items or places[-1] - places[0] >= len(places):
            message = "arrays of indexes stand side by side, with slices alone around them, here"
            self.report("SOMD403", message, node, "write the loop over the indexes out")
            return None
        if not all(self.is_slice(each, node) for each in others if isinstance(each, cst.Slice)):
            return None
        kinds = [kind for kind in found if isinstance(kind, ArrayType)]
        most = max(1 if kind.dtype == "bool" else kind.ndim for kind in kinds)
        return ArrayType(base.dtype, base.ndim - count + most)
