"""What assignments do with array values: names for new arrays and for parts, several of them at once.

In: small statements of a method. Out: statements with loops; what comes before them is in `Expressions.before`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

import libcst as cst

from somd.language.array_functions import TRIANGLES
from somd.language.shapes import UNPACKED
from somd.transforms.arrays.arguments import Arguments
from somd.transforms.arrays.contraction import Contraction
from somd.transforms.arrays.diagonals import where
from somd.transforms.arrays.exchanges import pairs_of
from somd.transforms.arrays.expressions import Expressions
from somd.transforms.arrays.indexed import brings_its_own, entries_of, mask_of
from somd.transforms.arrays.library import library_call
from somd.transforms.arrays.linear import Linear
from somd.transforms.arrays.made_under import made_under
from somd.transforms.arrays.nests import Nests
from somd.transforms.arrays.plain import plain
from somd.transforms.arrays.stores import Stores
from somd.transforms.arrays.values import Value, View
from somd.transforms.tree.names import names_read
from somd.transforms.tree.rewriting import code_of
from somd.transforms.types.scalars import ArrayType, ScalarType, TupleType


class Assignments(Stores):
    """Lowers the assignments of a method."""

    def __init__(self, expressions: Expressions, nests: Nests, contraction: Contraction) -> None:
        super().__init__(expressions, nests, contraction)
        #: the lengths of arrays that a statement has made
        self.lengths: dict[str, tuple[Linear, ...]] = {}

    def assigned(self, small: cst.BaseSmallStatement) -> list[cst.BaseStatement]:
        """`name = value`, `part = value`, or several of them at once."""
        handed = self.expressions.parts.exchanges.handed.get(small)
        if handed is not None:
            return self.handed(small, *handed)
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

    def handed(
        self, small: cst.BaseSmallStatement, names: Sequence[str], given: Sequence[str]
    ) -> list[cst.BaseStatement]:
        """Arrays go from name to name, and numbers that stand in the same statement get theirs."""
        pairs = pairs_of(cst.ensure_type(small, cst.Assign)) if isinstance(small, cst.Assign) else []
        numbers = [(name, node) for name, node in pairs if name not in names]
        for _, node in numbers:
            if not isinstance(self.expressions.type_of(node), ScalarType):
                message = "a tuple of arrays among other values"
                raise self.expressions.refuse("SOMD202", message, node, "name its arrays on a line of their own")
        values = [(name, self.expressions.kept_number(node), node) for name, node in numbers]
        lines = [self.names.line(f"{name} = {code_of(value.element(()))}", node) for name, value, node in values]
        return [self.exchange(small, names, given), *lines]

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
