"""What is stored into parts of arrays: `a[1:] = e`, `a += e`, `a[mask] = e`, `a[index] = e`, and calls that write.

In: small statements of a method. Out: statements with loops; what comes before them is in `Expressions.before`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import cast

import libcst as cst

from somd.language.array_functions import OUT
from somd.language.shapes import INPUT, OUTPUT
from somd.transforms.analysis.aliases import Aliases
from somd.transforms.analysis.parts import ELLIPSIS, NEW_AXIS, items_of
from somd.transforms.arrays.array_functions import written_by
from somd.transforms.arrays.broadcasting import MASK
from somd.transforms.arrays.contracted import Contracted
from somd.transforms.arrays.contraction import Contraction
from somd.transforms.arrays.expressions import Expressions
from somd.transforms.arrays.fitting import test_operands, test_stored
from somd.transforms.arrays.indexed import brings_its_own, fitted, mask_of, test_indexes
from somd.transforms.arrays.nests import Nests
from somd.transforms.arrays.scattering import scattered
from somd.transforms.arrays.values import ONE, Value, View
from somd.transforms.tree.names import names_read
from somd.transforms.tree.rewriting import code_of
from somd.transforms.types.scalars import ArrayType, TupleType

#: what is stored, and its value where that is known
Given = tuple[cst.BaseExpression, Value | None]


class Stores:
    """Lowers the stores of a method."""

    def __init__(self, expressions: Expressions, nests: Nests, contraction: Contraction) -> None:
        self.expressions, self.nests = expressions, nests
        self.contracted = Contracted(expressions, contraction)
        self.names, self.types, self.shapes = expressions.names, expressions.types, expressions.shapes

    def stored(
        self, small: cst.BaseSmallStatement, view: View, value: Value, node: cst.BaseExpression
    ) -> list[cst.BaseStatement]:
        self.shapes.into(INPUT, view.shape, value.shape, small)
        self.test(view, node)
        nest = self.nests.nest(view, value, small)
        if not value.shape or self.nests.goes_in_place(nest, small):
            return nest
        return self.nests.nest(view, self.nests.read_before(value, node), small)

    def updated(self, small: cst.AugAssign) -> list[cst.BaseStatement]:
        """`target op= value`, in place."""
        if self.contracted.updates(small, small.target):
            return []
        mask = mask_of(self.expressions, small.target)
        if mask is not None and not brings_its_own(self.expressions, mask, small.value):
            return self.under_mask(small, cst.ensure_type(small.target, cst.Subscript), mask, small.value)
        if isinstance(small.target, cst.Subscript) and self.is_scatter(small.target) and self.is_sum(small.target):
            return self.scatter(small, small.target, (small.value, None), code_of(small.operator).strip())
        if isinstance(small.target, cst.Subscript) and self.is_scatter(small.target):
            made = self.beside_slices(small, small.target, small.value)
            if made is not None:
                return made
        value, view = self.expressions.value(small.value), self.target_of(small.target)
        self.shapes.into(OUTPUT, view.shape, value.shape, small)
        test_operands(self.expressions, small, (small.target, small.value))
        nest = self.nests.nest(view, value, small)
        if not value.shape or self.nests.goes_in_place(nest, small):
            return nest
        return self.nests.nest(view, self.nests.read_before(value, small.value), small)

    def is_scatter(self, target: cst.Subscript) -> bool:
        """Whether arrays of indexes stand in a target."""
        items = items_of(target, self.names.method)
        kinds = [self.types.nodes.get(i) for i in items if isinstance(i, cst.CSTNode)]
        return any(isinstance(each, ArrayType | TupleType) for each in kinds)

    def scatter(
        self, small: cst.BaseSmallStatement, target: cst.Subscript, given: Given, operator: str
    ) -> list[cst.BaseStatement]:
        """`a[index] = value`, or `op=` for different indexes; the value may be given already."""
        node, value = given
        before = self.changed_by([target.value], [node, *target.slice], small)
        if operator == "=":
            self.test(self.target_of(target.value), node, False)
        else:
            test_operands(self.expressions, small, (target.value, node))
        scattered(self.expressions, target, value or self.expressions.value(node), node, before, operator)
        return []

    def is_sum(self, target: cst.Subscript) -> bool:
        """Whether the indexes of a target are different ones: pairs are, where their first or second entries are."""
        items = items_of(target, self.names.method)
        nodes = [each for each in items if isinstance(each, cst.BaseExpression)]
        kinds = [self.types.nodes.get(each) for each in nodes]
        vectors = all(getattr(kind, "dtype", "") == "bool" or getattr(kind, "ndim", 1) == 1 for kind in kinds)
        alone = NEW_AXIS not in items and vectors
        return alone and any(map(self.expressions.parts.exchanges.is_distinct, nodes))

    def under_mask(
        self, small: cst.BaseSmallStatement, target: cst.Subscript, mask: cst.BaseExpression, node: cst.BaseExpression
    ) -> list[cst.BaseStatement]:
        """`target[mask] = value`, or `op=`: all elements are gone through, and the mask is asked of each."""
        test = self.expressions.value(mask)
        self.expressions.mask = code_of(mask)
        value = self.expressions.value(node)
        self.expressions.mask = None
        if isinstance(small, cst.AugAssign):
            test_operands(self.expressions, small, (target.value, node))
        else:
            self.test(self.target_of(target.value), node, False)
        view = fitted(self.expressions, target, self.target_of(target.value), test, mask)
        assert isinstance(view, View)
        masks = isinstance(self.types.nodes.get(mask), ArrayType)
        return self.where_true(
            small, view, (value, node), test, lambda: self.nests.read_before(test, mask) if masks else test
        )

    def beside_slices(
        self, small: cst.BaseSmallStatement, target: cst.Subscript, node: cst.BaseExpression
    ) -> list[cst.BaseStatement] | None:
        """`a[:, mask] = value`, `a[mask, 1] = value`, or `op=`, of a mask of some axes, and a value that is the same
        all along these: all elements are gone through. None for what is something else."""
        items = items_of(target, self.names.method)
        chosen = [i for i in items if isinstance(i, cst.CSTNode) and isinstance(self.types.nodes.get(i), ArrayType)]
        base = self.expressions.value(target.value)
        kind = self.types.nodes.get(chosen[0]) if len(chosen) == 1 else None
        masks = isinstance(kind, ArrayType) and kind.dtype == "bool"
        if not masks or NEW_AXIS in items or not isinstance(base, View) or not base.written:
            return None
        mask, place, count = cast(cst.BaseExpression, chosen[0]), items.index(chosen[0]), cast(ArrayType, kind).ndim
        value = self.expressions.value(node)
        around = [*items[:place], *[cst.Slice(None, None)] * count, *items[place + 1 :]]
        view = self.expressions.part(target, base, around)
        assert isinstance(view, View)
        before, behind = (sum(isinstance(i, cst.Slice) for i in part) for part in (items[:place], items[place + 1 :]))
        axis = before if ELLIPSIS not in items[:place] else len(view.shape) - count - behind
        own = len(value.shape) - (len(view.shape) - axis - count + 1)  # its axis that goes along the mask
        if own >= 0 and value.shape[own] != ONE:
            return None
        if isinstance(small, cst.AugAssign):
            test_operands(self.expressions, small, (target.value, node))
        else:
            self.test(view, node, False)
        asked = self.expressions.value(mask)
        self.shapes.test(MASK, view.shape[axis : axis + count], asked.shape, target)
        if own >= 0:
            value = _spread(value, own, count)
        self.shapes.into(INPUT, view.shape, value.shape, small)
        test_indexes(self.expressions, target, items, base)

        def along(test: Value) -> Value:
            return Value(view.shape, lambda at: test.element(at[axis : axis + count]))

        return self.where_true(
            small, view, (value, node), along(asked), lambda: along(self.nests.read_before(asked, mask))
        )

    def where_true(
        self,
        small: cst.BaseSmallStatement,
        view: View,
        given: tuple[Value, cst.BaseExpression],
        test: Value,
        before: Callable[[], Value],
    ) -> list[cst.BaseStatement]:
        """A store under a test; what it reads is computed `before` it where it may not be done in place."""
        value, node = given
        nest = self.nests.nest(view, value, small, test)
        if self.nests.goes_in_place(nest, small):
            return nest
        if value.shape:
            value = self.nests.read_before(value, node)
        return self.nests.nest(view, value, small, before())

    def put(self, small: cst.BaseSmallStatement, node: cst.Call) -> list[cst.BaseStatement]:
        """A call that gives nothing: what it writes."""
        given = self.types.calls[node].given
        assert given is not None
        if given.function.name != OUT:
            target, *others = given.nodes
            changed = [name for name in others if self.changed_by(given.nodes[target], given.nodes[name], small)]
            written = written_by(self.expressions, node, changed)
            return [] if written is None else self.stored(small, *written, node)
        self.shapes.waiting, self.shapes.operands = given.nodes["value"][0], ()
        value, view = self.expressions.value(given.nodes["value"][0]), self.target_of(given.nodes["out"][0])
        where = self.expressions.value(given.nodes["where"][0]) if "where" in given.nodes else None
        told = self.shapes.operands or (value.shape,)
        self.shapes.written(view.shape, told, where.shape if where is not None else None, small)
        nest = self.nests.nest(view, value, small, where)
        if self.nests.goes_in_place(nest, small):
            return nest
        value = self.nests.read_before(value, given.nodes["value"][0]) if value.shape else value
        if where is not None and where.shape:
            where = self.nests.read_before(where, given.nodes["where"][0])
        return self.nests.nest(view, value, small, where)

    def changed_by(
        self,
        targets: Sequence[cst.BaseExpression],
        node: cst.CSTNode | Sequence[cst.CSTNode],
        small: cst.BaseSmallStatement,
    ) -> bool:
        """Whether what a value reads may be changed where targets are set."""
        aliases = self.nests.aliases.get(small, Aliases())
        nodes = [node] if isinstance(node, cst.CSTNode) else node
        read = {name for each in nodes for name in self.arrays_of(each)}
        return any(aliases.may_be_one(a, b) for each in targets for a in self.arrays_of(each) for b in read)

    def arrays_of(self, node: cst.CSTNode) -> set[str]:
        """The names that an expression mentions, and the arrays whose parts they are."""
        names = names_read(node)
        for name in names & self.expressions.parts.contracted.keys():
            names |= set(self.expressions.parts.made_of[name])
        parts = [self.expressions.parts.part(name) for name in names]
        return names | {part.array for part in parts if part is not None}

    def test(self, view: View, node: cst.BaseExpression, slices: bool = True) -> None:
        """What is tested of a number before it is stored, where slices tell or indexes."""
        kind = self.types.names.get(view.array)
        if isinstance(kind, ArrayType):
            test_stored(self.expressions, node, kind.dtype, slices)

    def target_of(self, node: cst.BaseExpression) -> View:
        view = self.expressions.value(node)
        if not isinstance(view, View):
            message, helps = "this cannot be written", "name the array that is written"
            if isinstance(node, cst.Subscript):
                message = "NumPy does this once for an index that stands there twice: it is no sum"
                helps = "to add up, write `np.add.at(a, index, e)`, or the loop in `with sync(a, reduce='+'):`"
            raise self.expressions.refuse("SOMD202", message, node, helps)
        if not view.written:
            message = "NumPy raises ValueError here: this part of an array is for reading alone"
            raise self.expressions.refuse("SOMD202", message, node, "write into the array itself, or into a copy")
        return view


def _spread(value: Value, axis: int, count: int) -> Value:
    """A value with so many axes of length 1 in place of one."""
    shape = (*value.shape[:axis], *[ONE] * count, *value.shape[axis + 1 :])
    return Value(shape, lambda at: value.element((*at[: axis + 1], *at[axis + count :])))
