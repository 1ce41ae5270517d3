"""What assignments do with array values: names for new arrays and for parts, stores into parts of arrays.

In: small statements of a method. Out: statements with loops; what comes before them is in `Expressions.before`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import cast

import libcst as cst

from somd.language.array_functions import OUT, TRIANGLES
from somd.language.shapes import INPUT, OUTPUT, UNPACKED
from somd.transforms.analysis.aliases import Aliases
from somd.transforms.analysis.parts import ELLIPSIS, NEW_AXIS, items_of
from somd.transforms.arrays.arguments import Arguments
from somd.transforms.arrays.array_functions import written_by
from somd.transforms.arrays.broadcasting import MASK
from somd.transforms.arrays.contracted import Contracted
from somd.transforms.arrays.contraction import Contraction
from somd.transforms.arrays.diagonals import where
from somd.transforms.arrays.expressions import Expressions
from somd.transforms.arrays.fitting import test_operands, test_stored
from somd.transforms.arrays.indexed import brings_its_own, entries_of, fitted, mask_of, test_indexes
from somd.transforms.arrays.library import library_call
from somd.transforms.arrays.linear import Linear
from somd.transforms.arrays.made_under import made_under
from somd.transforms.arrays.nests import Nests
from somd.transforms.arrays.plain import plain
from somd.transforms.arrays.scattering import scattered
from somd.transforms.arrays.values import ONE, Value, View
from somd.transforms.tree.names import names_read
from somd.transforms.tree.rewriting import code_of
from somd.transforms.types.scalars import ArrayType, TupleType

#: what is stored, and its value where that is known
Given = tuple[cst.BaseExpression, Value | None]


class Assignments:
    """Lowers the assignments of a method."""

    def __init__(self, expressions: Expressions, nests: Nests, contraction: Contraction) -> None:
        self.expressions, self.nests = expressions, nests
        self.contracted = Contracted(expressions, contraction)
        self.names, self.types, self.shapes = expressions.names, expressions.types, expressions.shapes
        #: the lengths of arrays that a statement has made
        self.lengths: dict[str, tuple[Linear, ...]] = {}

    def assigned(self, small: cst.BaseSmallStatement) -> list[cst.BaseStatement]:
        """`name = value`, `part = value`, or several of them at once."""
        handed = self.expressions.parts.exchanges.handed.get(small)
        if handed is not None:
            return [self.exchange(small, *handed)]
        target = small.targets[0].target if isinstance(small, cst.Assign) and len(small.targets) == 1 else None
        target = small.target if isinstance(small, cst.AnnAssign) else target
        value = getattr(small, "value", None)
        if isinstance(target, cst.Tuple) and isinstance(value, cst.Tuple):
            return self.together(small, target, value)
        if isinstance(target, cst.Tuple) and isinstance(value, cst.Call) and self.gives_several(value):
            return self.results(small, target, value)
        if isinstance(target, cst.Tuple) and isinstance(value, cst.BaseExpression):
            return self.unpacked(small, target, value)
        if isinstance(target, cst.Name) and isinstance(value, cst.Call) and self.is_triangle(value):
            return self.triangle(target, value)
        if isinstance(target, cst.Name) and isinstance(value, cst.Call) and self.gives_places(value):
            self.expressions.triangles[target.value] = self.expressions.value(value)  # what follows is no other error
            message = "a name for the places of all axes is not kept"
            raise self.expressions.refuse("SOMD202", message, small, "name each: `i, j = np.nonzero(a)`, or take `[0]`")
        if isinstance(target, cst.Name) and isinstance(value, cst.BaseExpression):
            made = self.expressions.value(value)
            if small in self.expressions.parts.exchanges.copied:
                made = self.expressions.copied(made)
            if self.contracted.binds(small, target.value, made, value):
                return []
            return self.bound(small, target.value, made, value)
        if isinstance(target, cst.Subscript) and isinstance(value, cst.BaseExpression):
            if isinstance(small, cst.Assign) and self.contracted.updates(small, target):
                return []
            mask = mask_of(self.expressions, target)
            if mask is not None and not brings_its_own(self.expressions, mask, value):
                return self.under_mask(small, target, mask, value)
            if self.is_scatter(target):
                masked = self.beside_slices(small, target, value)
                return self.scatter(small, target, (value, None), "=") if masked is None else masked
            return self.stored(small, self.target_of(target), self.expressions.value(value), value)
        raise self.expressions.refuse("SOMD202", "this is not supported of arrays", small, "write the loop out")

    def is_scatter(self, target: cst.Subscript) -> bool:
        """Whether arrays of indexes stand in a target."""
        items = items_of(target, self.names.method)
        return any(isinstance(i, cst.CSTNode) and isinstance(self.types.nodes.get(i), ArrayType) for i in items)

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
        vectors = all(getattr(self.types.nodes.get(each), "ndim", 1) == 1 for each in nodes)
        return vectors and nodes == items and any(map(self.expressions.parts.exchanges.is_distinct, nodes))

    def is_triangle(self, node: cst.Call) -> bool:
        given = self.types.calls[node].given if node in self.types.calls else None
        return given is not None and given.function.name in TRIANGLES

    def gives_places(self, node: cst.Call) -> bool:
        """Whether a call gives an array of indexes for each axis."""
        return isinstance(self.types.nodes.get(node), TupleType)

    def triangle(self, target: cst.Name, node: cst.Call) -> list[cst.BaseStatement]:
        """`lower = np.tril_indices(n)`: nothing is made before it is known what lies there."""
        if target.value not in self.expressions.parts.steady:
            message = "a name for the indexes of a triangle is bound once"
            raise self.expressions.refuse("SOMD202", message, target, "give each its own name")
        self.expressions.triangles[target.value] = where(Arguments(self.expressions, node))
        return []

    # --- names ---------------------------------------------------------------------------------------------------

    def exchange(self, small: cst.BaseSmallStatement, names: Sequence[str], given: Sequence[str]) -> cst.BaseStatement:
        """Arrays go from name to name."""
        for name in names:
            self.expressions.parts.bind(name, None)
        return self.names.line(f"{', '.join(names)} = {', '.join(given)}", small)

    def bound(
        self, small: cst.BaseSmallStatement, name: str, value: Value, node: cst.BaseExpression
    ) -> list[cst.BaseStatement]:
        """`name = value`, which is a new array, or a part of another one."""
        if isinstance(value, View) and value.array not in self.names.spelled:
            if value.array != name or not value.whole:
                self.named(name, value, node)
            return []
        self.check_choice(node)
        if small in self.expressions.parts.exchanges.shared:
            message = f"`{name}` may be the same memory as another array, which is written or returned"
            raise self.expressions.refuse("SOMD202", message, node, "copy it: `.copy()` behind it")
        other = self.expressions.parts.part(name) is not None  # what the value reads under this name is elsewhere
        self.expressions.parts.bind(name, self.own(name, value.shape, node))
        self.lengths[name] = value.shape
        called = isinstance(value, View) and value.whole and value.array in self.expressions.called
        if isinstance(value, View) and called and name not in names_read(node):
            self.expressions.before.pop()  # the call itself, which gives the name what it makes
            return [self.names.line(f"{name} = {self.expressions.called[value.array]}", small)]
        alone = isinstance(small, cst.Assign) and name not in names_read(node)
        if alone and isinstance(value, View) and value.whole and made_under(self.expressions, value.array, name):
            return []
        kind = cast(ArrayType, self.types.nodes[node])
        lengths = cst.parse_expression(f"({''.join(f'{length.text}, ' for length in value.shape)})")
        if (other or name not in names_read(node)) and name not in names_read(lengths):
            allocation = self.names.expression(self.nests.allocation(value.shape, kind), small)
            target = cst.Name(name)
            line = cst.SimpleStatementLine([cst.Assign([cst.AssignTarget(target)], allocation)])
            if isinstance(small, cst.AnnAssign):
                line = cst.SimpleStatementLine([cst.AnnAssign(target, small.annotation, allocation)])
            self.names.place(line, small)
            return [line, *self.nests.nest(self.nests.target(name, value.shape, node), value, small)]
        made = self.nests.computed(value, node, small)
        return [self.names.line(f"{name}, {made} = {made}, {name}", small)]

    def gives_several(self, node: cst.Call) -> bool:
        """Whether a call of the library gives a tuple."""
        return node in self.types.calls and self.types.calls[node].kind == "library"

    def results(self, small: cst.BaseSmallStatement, target: cst.Tuple, node: cst.Call) -> list[cst.BaseStatement]:
        """`values, counts = np.unique(a, return_counts=True)`: names that the call reads are exchanged behind it."""
        names = [each.value.value for each in target.elements if isinstance(each.value, cst.Name)]
        kind = self.types.nodes.get(node)
        if not isinstance(kind, TupleType):
            return self.unpacked(small, target, node)
        if len({*names}) < len(kind.elements) or self.expressions.parts.exchanges.may_share(node):
            message = "what this call gives gets names of its own here"
            raise self.expressions.refuse("SOMD202", message, target, "name each result once, and store it behind")
        own = {name: self.names.new("value__once", name) for name in names if name in names_read(node)}
        call = library_call(self.expressions, node, kind.elements)
        targets = [own.get(name, name) for name in names]
        made = [self.names.line(f"{', '.join(targets)}{',' * (len(names) == 1)} = {call}", small)]
        for name, each in zip(names, kind.elements, strict=True):
            if isinstance(each, ArrayType):
                shape = tuple(Linear.of(f"{name}.shape[{axis}]") for axis in range(each.ndim))
                self.expressions.parts.bind(name, self.own(name, shape, node))
            if name in own:
                swap = f"{name}, {own[name]} = {own[name]}, {name}" if isinstance(each, ArrayType) else ""
                made.append(self.names.line(swap or f"{name} = {own[name]}", small))
        return made

    def named(self, name: str, part: View, node: cst.BaseExpression) -> None:
        """`name` stands for a part from here on."""
        if part.array == name:
            message = f"`{name}` would go on as a part of what it was"
            raise self.expressions.refuse("SOMD202", message, node, "give the part a name of its own, or copy it")
        lasting = self.expressions.lasting(part, node)
        self.expressions.parts.bind(name, lasting)

    def check_choice(self, node: cst.BaseExpression) -> None:
        """Refuse a name for one array or another: what is written through it would be written there."""
        if isinstance(node, cst.IfExp) and self.is_choice(node):
            message = "which array this stands for is known at the call alone"
            raise self.expressions.refuse("SOMD202", message, node, "copy both: `.copy()` behind each")
        if isinstance(node, cst.IfExp):
            self.check_choice(node.body)
            self.check_choice(node.orelse)

    def is_choice(self, node: cst.IfExp) -> bool:
        """Whether one of two arrays may be one that has a name, or a part of one."""
        arms = (node.body, node.orelse)
        gathers = self.expressions.parts.exchanges.gathers
        named = any(isinstance(each, cst.Name | cst.Subscript | cst.Attribute) and not gathers(each) for each in arms)
        named = named or any(isinstance(each, cst.IfExp) and self.is_choice(each) for each in arms)
        return named and isinstance(self.types.nodes.get(node), ArrayType)

    def own(self, name: str, shape: tuple[Linear, ...], node: cst.BaseExpression) -> View:
        """A new array, of which those lengths are known that are constants."""
        lengths = [n if n.is_constant else Linear.of(f"{name}.shape[{axis}]") for axis, n in enumerate(shape)]
        return self.nests.target(name, tuple(lengths), node)

    def unpacked(
        self, small: cst.BaseSmallStatement, target: cst.Tuple, node: cst.BaseExpression
    ) -> list[cst.BaseStatement]:
        """`x, y, z = row`, of numbers or of parts, and `i, j = np.nonzero(a)`."""
        if isinstance(node, cst.Call) and self.gives_places(node):
            return self.together(small, target, entries_of(self.expressions, node))
        value, count = self.expressions.value(node), len(target.elements)
        self.shapes.test(UNPACKED, value.shape[:1], (Linear(count),), small)
        if len(value.shape) > 1:
            if not isinstance(value, View):
                value = self.nests.read_before(value, node)
            rows = [self.expressions.row(value, k, node) for k in range(count)]
            return self.one_by_one(small, [(t.value, v, node) for t, v in zip(target.elements, rows, strict=True)])
        elements = [cst.Element(value.element((Linear(k),))) for k in range(count)]
        made = cst.Assign([cst.AssignTarget(target)], cst.Tuple(elements))
        self.names.place(made, small)
        line = cst.SimpleStatementLine([cast(cst.Assign, plain(self.expressions, made))])
        self.names.place(line, small)
        return [line]

    def together(self, small: cst.BaseSmallStatement, target: cst.Tuple, node: cst.Tuple) -> list[cst.BaseStatement]:
        """`a[0], b, k = e, f, g`: values before targets, but for parts of arrays, which are read when stored."""
        nodes = [each.value for each in node.elements]
        for each in nodes:
            if isinstance(self.types.nodes.get(each), TupleType):
                message = "a tuple of arrays among other values"
                helps = "name its arrays on a line of their own: `i, j = np.nonzero(a)`"
                raise self.expressions.refuse("SOMD202", message, each, helps)
        values = [self.expressions.value(each) for each in nodes]
        pairs = list(zip((each.value for each in target.elements), values, nodes, strict=True))
        return self.one_by_one(small, pairs)

    def one_by_one(
        self, small: cst.BaseSmallStatement, pairs: Sequence[tuple[cst.BaseExpression, Value, cst.BaseExpression]]
    ) -> list[cst.BaseStatement]:
        """Each target takes its value, if need be one that was computed before."""
        ready: list[tuple[cst.BaseExpression, Value, cst.BaseExpression]] = []
        for number, (target, value, node) in enumerate(pairs):
            earlier = [each for each, _, _ in pairs[:number]]
            if isinstance(value, View):
                bound = {each.value for each in earlier if isinstance(each, cst.Name)}
                if not value.whole and value.array not in self.names.spelled and bound & names_read(node):
                    message = "a part of an array whose name, or limit, is bound anew in the same statement"
                    raise self.expressions.refuse("SOMD202", message, node, "write one a line")
            elif self.changed_by(earlier, node, small):
                value = self.kept(value, node)
            ready.append((target, value, node))
        names = [t.value for t, v, _ in ready if isinstance(t, cst.Name) and v.shape]
        whole = {v.array for _, v, _ in ready if isinstance(v, View) and v.shape and v.array in names}
        made: list[cst.BaseStatement] = []
        if whole:
            made.append(self.rotated(small, [e for e in ready if isinstance(e[0], cst.Name) and e[1].shape]))
            ready = [each for each in ready if not (isinstance(each[0], cst.Name) and each[1].shape)]
        for target, value, node in ready:
            before, self.shapes.before = self.shapes.before, []
            lines = self.one(small, target, value, node)
            made += [*self.shapes.before, *lines]
            self.shapes.before = before
        return made

    def kept(self, value: Value, node: cst.BaseExpression) -> Value:
        """A value that is computed now, whatever becomes of the names that it is made of."""
        if not value.shape:
            return self.expressions.kept_number(node)
        made = self.nests.read_before(value, node)
        return self.own(made.array, made.shape, node)

    def one(
        self, small: cst.BaseSmallStatement, target: cst.BaseExpression, value: Value, node: cst.BaseExpression
    ) -> list[cst.BaseStatement]:
        if isinstance(target, cst.Name) and value.shape:
            return self.bound(small, target.value, value, node)
        if isinstance(target, cst.Subscript) and self.is_scatter(target):
            return self.scatter(small, target, (node, value), "=")
        if isinstance(self.types.nodes.get(target), ArrayType):
            return self.stored(small, self.target_of(target), value, node)
        if value.shape:
            raise self.expressions.refuse("SOMD202", "an array where a number is set", node, "write one a line")
        line = cst.Assign([cst.AssignTarget(cast(cst.BaseAssignTargetExpression, target))], value.element(()))
        self.names.place(line, small)
        whole = cst.SimpleStatementLine([cast(cst.Assign, plain(self.expressions, line))])
        self.names.place(whole, small)
        return [whole]

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

    def rotated(
        self, small: cst.BaseSmallStatement, pairs: Sequence[tuple[cst.BaseExpression, Value, cst.BaseExpression]]
    ) -> cst.BaseStatement:
        """`a, b = b, a + b`: names, and those of values, go round."""
        names = [cst.ensure_type(target, cst.Name).value for target, _, _ in pairs]
        standing, given = self.expressions.parts.standing, []
        for _, value, node in pairs:
            if not isinstance(value, View):
                given.append(self.nests.computed(value, node))
                continue
            given.append(value.array)
            own = value.array in names or value.array in self.names.spelled
            if not own or not value.whole:
                message = "a part of an array whose name is bound anew in the same statement"
                raise self.expressions.refuse("SOMD202", message, node, "write one a line, or copy the part")
        gone = [name for name in names if name not in given]
        known = all(name in standing and self.expressions.parts.part(name) is None for name in names)
        if len(set(given)) < len(given) or not known:
            message = "one array would have two names, or a name has no array yet"
            raise self.expressions.refuse("SOMD202", message, small, "copy it: `.copy()` behind it")
        left = [name for name in given if name not in names]
        return self.exchange(small, [*names, *left], [*given, *gone])

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
        """`a[:, mask] = value`, `a[mask, 1] = value`, or `op=`, of a mask of one axis, and a value that is the same all
        along that axis: all elements are gone through. None for what is something else."""
        items = items_of(target, self.names.method)
        chosen = [i for i in items if isinstance(i, cst.CSTNode) and isinstance(self.types.nodes.get(i), ArrayType)]
        base = self.expressions.value(target.value)
        masks = [self.types.nodes.get(each) for each in chosen] == [ArrayType("bool", 1)]
        if not masks or NEW_AXIS in items or not isinstance(base, View) or not base.written:
            return None
        mask, place = cast(cst.BaseExpression, chosen[0]), items.index(chosen[0])
        value = self.expressions.value(node)
        view = self.expressions.part(target, base, [cst.Slice(None, None) if i is mask else i for i in items])
        assert isinstance(view, View)
        before, behind = (sum(isinstance(i, cst.Slice) for i in part) for part in (items[:place], items[place + 1 :]))
        axis = before if ELLIPSIS not in items[:place] else len(view.shape) - 1 - behind
        own = len(value.shape) - (len(view.shape) - axis)  # the axis of the value that goes along the mask's
        if own >= 0 and value.shape[own] != ONE:
            return None
        if isinstance(small, cst.AugAssign):
            test_operands(self.expressions, small, (target.value, node))
        else:
            self.test(view, node, False)
        asked = self.expressions.value(mask)
        self.shapes.test(MASK, (view.shape[axis],), asked.shape, target)
        self.shapes.into(INPUT, view.shape, value.shape, small)
        test_indexes(self.expressions, target, items, base)

        def along(test: Value) -> Value:
            return Value(view.shape, lambda at: test.element((at[axis],)))

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
