"""Array statements -> loops, for a method whose types are known.

    u[1:-1] = v[2:] + v[:-2]   ->   for at in range(1, u.shape[0] - 1): u[at] = v[at + 1] + v[at - 1]
    c = a * 2.0                ->   c = np.empty(a.shape[0]); for at in range(a.shape[0]): c[at] = a[at] * 2.0
    a[1:] += a[:-1]            ->   value = np.empty(...); for at in ...: value[at] = a[at]
                                    for at in range(1, a.shape[0]): a[at] += value[at - 1]

In: a `Method`, its `Types`, and which parameters are one array. Out: the `Method` without array statements. The right
side is read whole before the left is written: in place only where isl shows that it makes no difference.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import cast

import libcst as cst

from somd.diagnostics.model import Collector
from somd.language.shapes import INPUT, MASK, OUTPUT, UNPACKED
from somd.transforms.analysis.aliases import Aliases, aliases_of
from somd.transforms.arrays.broadcasting import Broadcasting
from somd.transforms.arrays.early_tests import with_early_tests
from somd.transforms.arrays.expressions import Expressions, NotTaken, code
from somd.transforms.arrays.indexed import mask_of
from somd.transforms.arrays.known import lengths_known, natural_loop
from somd.transforms.arrays.linear import Linear
from somd.transforms.arrays.names import Names
from somd.transforms.arrays.overlaps import Place, in_place
from somd.transforms.arrays.values import ONE, Axis, Value, View
from somd.transforms.stages import Method
from somd.transforms.tree.loops import statements_of
from somd.transforms.tree.names import assigned_names, names_read
from somd.transforms.tree.rewriting import rewritten
from somd.transforms.tree.walking import children_of, nodes_in
from somd.transforms.types.scalars import ArrayType, ScalarType
from somd.transforms.types.typing_table import Types

OPERATIONS = (cst.BinaryOperation, cst.UnaryOperation, cst.Comparison, cst.Subscript, cst.Attribute)


def arrays_to_loops(method: Method, types: Types, aliases: Mapping[str, str]) -> Method:
    """`method` with loops in place of array statements; without `dist` on anything, all its arrays are distributed.

    Raises:
        SomdCompileError: SOMD202, SOMD403: what is not taken among arrays.
    """
    lowering = _Lowering(method, types, aliases)
    body = lowering.block(statements_of(method.function.body), outermost=True)
    lowering.collector.raise_if_errors()
    function = method.function.with_changes(body=cst.IndentedBlock(body))
    lowering.names.place(function, method.function)
    made = rewritten(lowering.names.so_far(), function, lowering.names.positions)
    if any(p.distributed for p in method.marked):
        return made
    arrays = {name for name, kind in types.names.items() if isinstance(kind, ArrayType)} - set(method.kinds)
    return replace(made, params=tuple(replace(p, distributed=p.name in arrays) for p in made.params))


class _Lowering:
    def __init__(self, method: Method, types: Types, aliases: Mapping[str, str]) -> None:
        self.method, self.types = method, types
        self.collector = Collector()
        self.names = Names(method)
        self.shapes = Broadcasting(self.names, self.collector)
        self.expressions = Expressions(self.names, types, self.shapes, self.collector)
        self.arrays = {name: kind for name, kind in types.names.items() if isinstance(kind, ArrayType)}
        self.inexact = {n for n, t in types.names.items() if not (isinstance(t, ScalarType) and t.dtype == "int64")}
        self.aliases = aliases_of(statements_of(method.function.body), list(self.arrays), aliases)

    # --- blocks --------------------------------------------------------------------------------------------------

    def block(self, statements: Sequence[cst.CSTNode], outermost: bool = False) -> list[cst.BaseStatement]:
        made: list[cst.BaseStatement] = []
        for statement in statements:
            made += self.statement(cast(cst.BaseStatement, statement))
            self.shapes.forget(assigned_names(statement))
            if not isinstance(statement, cst.SimpleStatementLine):
                self.expressions.parts.forget(assigned_names(statement))
            if outermost:
                self.expressions.known = lengths_known(statement, self.expressions, self.method, self.arrays)
        return made

    def suite(self, body: cst.BaseSuite) -> cst.BaseSuite:
        """A block of its own: what is tested in it does not hold behind it."""
        if not any(self.is_array_statement(node) for node in nodes_in(body)):
            self.check_read(body)
            return body
        outside, parts = dict(self.shapes.equal), self.expressions.parts.inside()
        made = cst.IndentedBlock(self.block(statements_of(body)))
        self.shapes.equal = outside
        self.expressions.parts.behind(parts, assigned_names(body))
        return made

    def statement(self, node: cst.BaseStatement) -> list[cst.BaseStatement]:
        if isinstance(node, cst.SimpleStatementLine):
            if not any(map(self.is_array_statement, node.body)):
                self.rebound(node)
                return [node]
            lines = [cst.SimpleStatementLine([s.with_changes(semicolon=cst.MaybeSentinel.DEFAULT)]) for s in node.body]
            made: list[cst.BaseStatement] = []
            for small, line in zip(node.body, lines, strict=True):
                self.names.place(line, small)
                made += self.line(small, line)
            if made:
                tests = made[0] in self.shapes.tests
                made[0] = self.with_parts(made[0], leading_lines=node.leading_lines)
                self.shapes.tests |= {made[0]} if tests else set()
            return made
        if isinstance(node, cst.If):
            return self.tested(node)
        if isinstance(node, cst.While) and any(map(self.expressions.reduces, nodes_in(node.test))):
            return [self.repeated(node)]
        if isinstance(node, cst.For | cst.While):
            header = node.iter if isinstance(node, cst.For) else node.test
            self.check_read(header)
            if any(map(self.is_operation, nodes_in(header))):
                message = "a reduction of an array in the header of a loop is not supported"
                self.expressions.refuse("SOMD202", message, header, "give it a name in a statement before")
            self.shapes.forget(assigned_names(node))
            self.expressions.parts.forget(assigned_names(node))
            outside = set(self.expressions.naturals)
            if isinstance(node, cst.For) and natural_loop(node, self.expressions):
                self.expressions.naturals.add(cst.ensure_type(node.target, cst.Name).value)
            made_loop = self.with_parts(node, body=self.suite(node.body))
            self.expressions.naturals = outside
            return (
                with_early_tests(made_loop, self.shapes.tests, self.names)
                if isinstance(made_loop, cst.For)
                else [made_loop]
            )
        if isinstance(node, cst.With):
            return [self.with_parts(node, body=self.suite(node.body))]
        return [node]

    def tested(self, node: cst.If) -> list[cst.BaseStatement]:
        """An `if`, behind what is reduced for its test."""
        if not any(map(self.expressions.reduces, nodes_in(node.test))):
            return [self.branch(node)]
        self.expressions.begin(node)
        try:
            test = self.expressions.plain_number(node.test)
        except NotTaken:
            return [node]
        before = self.expressions.before
        made = self.branch(cast(cst.If, self.names.changed(node, test=test)))
        return [*before, made]

    def repeated(self, node: cst.While) -> cst.BaseStatement:
        """A test for which something is reduced is made in the loop: `while True: ...; if not test: break; ...`."""
        self.shapes.forget(assigned_names(node))
        self.expressions.parts.forget(assigned_names(node))
        self.expressions.begin(node.test)
        try:
            test = self.expressions.plain_number(node.test)
        except NotTaken:
            return node
        before = self.expressions.before
        leave = self.names.line(f"if not ({code(test)}):\n    break", node.test)
        inner = [*before, leave, *statements_of(self.suite(node.body))]
        body = cst.IndentedBlock(cast(list[cst.BaseStatement], inner))
        made = self.names.changed(node, test=cst.Name("True"), body=body)
        return cast(cst.BaseStatement, made)

    def branch(self, node: cst.If) -> cst.If:
        self.check_read(node.test)
        other = node.orelse
        if isinstance(other, cst.If) and any(map(self.is_operation, nodes_in(other.test))):
            message = "a reduction of an array in the test of an `elif` is not supported"
            self.expressions.refuse("SOMD202", message, other.test, "give it a name in a statement before the `if`")
        if isinstance(other, cst.If):
            other = self.branch(other)
        elif other is not None:
            other = cast(cst.Else, self.with_parts(other, body=self.suite(other.body)))
        return cast(cst.If, self.with_parts(node, body=self.suite(node.body), orelse=other))

    def with_parts(self, node: cst.CSTNode, **parts: object) -> cst.BaseStatement:
        if all(getattr(node, name) is value for name, value in parts.items()):
            return cast(cst.BaseStatement, node)
        return cast(cst.BaseStatement, self.names.changed(node, **parts))

    def check_read(self, *nodes: cst.CSTNode) -> None:
        """Report names of parts of arrays in what is no array statement."""
        parts = self.expressions.parts
        for name in sorted(parts.names & set[str]().union(*map(names_read, nodes))):
            if name not in parts.standing or parts.part(name) is not None:
                message = f"`{name}` is a part of an array, and stands in array statements alone"
                helps = "index the array itself, or copy the part: `.copy()` behind it"
                self.expressions.refuse("SOMD202", message, nodes[0], helps)

    # --- statements ----------------------------------------------------------------------------------------------

    def is_operation(self, node: cst.CSTNode) -> bool:
        """Whether an expression makes an array otherwise than by an allocation that stands alone, or reduces one."""
        if self.expressions.reduces(node):
            return True
        if not isinstance(self.types.nodes.get(node), ArrayType):
            return False
        if isinstance(node, cst.Call):
            callee = self.types.calls.get(node)
            owner = node.func.value if isinstance(node.func, cst.Attribute) else None
            of_part = isinstance(owner, cst.Name) and owner.value in self.expressions.parts.names
            return callee is None or callee.kind not in ("allocate", "like", "copy") or of_part
        return isinstance(node, OPERATIONS)

    def is_array_statement(self, node: cst.CSTNode) -> bool:
        if isinstance(node, cst.AugAssign) and isinstance(self.types.nodes.get(node.target), ArrayType):
            return True
        several = isinstance(node, cst.Assign) and any(isinstance(each.target, cst.Tuple) for each in node.targets)
        if several and isinstance(self.types.nodes.get(cst.ensure_type(node, cst.Assign).value), ArrayType):
            return True
        small = isinstance(node, cst.BaseSmallStatement)
        return small and any(map(self.is_operation, nodes_in(node)))

    def line(self, small: cst.BaseSmallStatement, line: cst.BaseStatement) -> list[cst.BaseStatement]:
        """A statement as loops, with what comes before them."""
        if not self.is_array_statement(small):
            self.rebound(line)
            return [line]
        self.expressions.begin(small)
        try:
            made = self.lowered(small)
        except NotTaken:
            return [line]
        return [*self.expressions.before, *made]

    def lowered(self, small: cst.BaseSmallStatement) -> list[cst.BaseStatement]:
        if isinstance(small, cst.AugAssign):
            return self.updated(small)
        if not self.of_arrays(small):
            return [self.with_numbers(small)]
        if isinstance(small, cst.Return) and small.value is not None:
            value = self.returned(small.value)
            return [cst.SimpleStatementLine([cast(cst.Return, self.names.changed(small, value=value))])]
        if isinstance(small, cst.Expr):
            self.computed(self.expressions.value(small.value), small.value)
            return []
        target = small.targets[0].target if isinstance(small, cst.Assign) and len(small.targets) == 1 else None
        if isinstance(small, cst.AnnAssign):
            target = small.target
        value_node = getattr(small, "value", None)
        if isinstance(target, cst.Tuple) and isinstance(value_node, cst.BaseExpression):
            return self.unpacked(small, target, value_node)
        if isinstance(target, cst.Name) and isinstance(value_node, cst.BaseExpression):
            return self.bound(small, target.value, value_node)
        if isinstance(target, cst.Subscript) and isinstance(value_node, cst.BaseExpression):
            return self.assigned(small, target, value_node)
        raise self.expressions.refuse("SOMD202", "this is not supported of arrays", small, "write the loop out")

    def of_arrays(self, small: cst.BaseSmallStatement) -> bool:
        """Whether a statement does something with arrays that is no reduction to a number."""
        if isinstance(small, cst.AugAssign) and isinstance(self.types.nodes.get(small.target), ArrayType):
            return True
        waiting: list[cst.CSTNode] = [small]
        while waiting:
            node = waiting.pop()
            if self.expressions.reduces(node) and isinstance(self.types.nodes.get(node), ScalarType):
                continue
            if self.is_operation(node):
                return True
            waiting += children_of(node)
        several = isinstance(small, cst.Assign) and any(isinstance(t.target, cst.Tuple) for t in small.targets)
        return several and isinstance(self.types.nodes.get(cst.ensure_type(small, cst.Assign).value), ArrayType)

    def with_numbers(self, small: cst.BaseSmallStatement) -> cst.BaseStatement:
        """A statement of numbers, with names for those that are reduced from arrays."""
        value = getattr(small, "value", None)
        if not isinstance(value, cst.BaseExpression) or any(map(self.expressions.reduces, targets_of(small))):
            message = "a reduction of an array is not supported here"
            raise self.expressions.refuse("SOMD202", message, small, "give it a name in a statement before")
        changed = self.names.changed(small, value=self.expressions.plain_number(value))
        made = cst.SimpleStatementLine([cast(cst.BaseSmallStatement, changed)])
        self.names.place(made, small)
        return made

    def returned(self, node: cst.BaseExpression) -> cst.BaseExpression:
        """What is returned, with names for arrays that are made."""
        if isinstance(node, cst.Tuple):
            parts = [self.names.changed(e, value=self.returned(e.value)) for e in node.elements]
            return self.names.changed(node, elements=parts)
        if not any(map(self.is_operation, nodes_in(node))):
            return node
        if isinstance(self.types.nodes.get(node), ScalarType):
            return self.expressions.plain_number(node)
        value = self.expressions.value(node)
        if isinstance(value, View) and value.array not in self.names.spelled:
            message = "a part of an array is not returned: it would be the caller's memory"
            raise self.expressions.refuse("SOMD202", message, node, "copy it: `.copy()` behind it")
        return self.names.expression(self.computed(value, node), node)

    def rebound(self, line: cst.CSTNode) -> None:
        """A statement that is no array statement binds names to arrays of their own."""
        self.check_read(line)
        for name in assigned_names(line):
            if name in self.arrays:
                self.expressions.parts.bind(name, None)

    def bound(self, small: cst.BaseSmallStatement, name: str, node: cst.BaseExpression) -> list[cst.BaseStatement]:
        """`name = value`, which is a new array."""
        value = self.expressions.value(node)
        if isinstance(value, View) and value.array not in self.names.spelled:
            self.expressions.parts.bind(name, self.expressions.lasting(value, node))
            return []
        self.expressions.parts.bind(name, self.own(name, value.shape, node))
        kind = cast(ArrayType, self.types.nodes[node])
        if name not in names_read(node) and name not in names_read(cst.parse_expression(shape_text(value.shape))):
            allocation = self.names.expression(self.allocation(value.shape, kind), small)
            line = cst.SimpleStatementLine([cast(cst.Assign, self.names.changed(small, value=allocation))])
            self.names.place(line, small)
            return [line, *self.nest(self.target(name, value.shape, node), value, small)]
        made = self.computed(value, node, small)
        return [self.names.line(f"{name}, {made} = {made}, {name}", small)]

    def own(self, name: str, shape: tuple[Linear, ...], node: cst.BaseExpression) -> View:
        """A new array, of which those lengths are known that are constants."""
        lengths = [n if n.is_constant else Linear.of(f"{name}.shape[{axis}]") for axis, n in enumerate(shape)]
        return self.target(name, tuple(lengths), node)

    def unpacked(
        self, small: cst.BaseSmallStatement, target: cst.Tuple, node: cst.BaseExpression
    ) -> list[cst.BaseStatement]:
        """`x, y, z = row`"""
        if isinstance(node, cst.Tuple):
            return self.together(small, target, node)
        value, count = self.expressions.value(node), Linear(len(target.elements))
        self.shapes.test(UNPACKED, value.shape, (count,), small)
        elements = [cst.Element(value.element((Linear(k),))) for k in range(count.constant)]
        made = cst.SimpleStatementLine([cast(cst.Assign, self.names.changed(small, value=cst.Tuple(elements)))])
        self.names.place(made, small)
        return [made]

    def together(self, small: cst.BaseSmallStatement, target: cst.Tuple, node: cst.Tuple) -> list[cst.BaseStatement]:
        """`a[0], b[0] = e, f`: all values before all targets, but for parts of arrays, which are read when stored."""
        pairs = [(t.value, v.value) for t, v in zip(target.elements, node.elements, strict=True)]
        if not all(isinstance(self.types.nodes.get(t), ArrayType) and isinstance(t, cst.Subscript) for t, _ in pairs):
            message = "new arrays, parts of arrays and numbers are not assigned together"
            raise self.expressions.refuse("SOMD202", message, small, "write one a line")
        values = [self.expressions.value(v) for _, v in pairs]
        values = [
            v if isinstance(v, View) or not v.shape else self.read_before(v, n)
            for v, (_, n) in zip(values, pairs, strict=True)
        ]
        made: list[cst.BaseStatement] = []
        for value, (each, value_node) in zip(values, pairs, strict=True):
            before, self.shapes.before = self.shapes.before, []
            stored = self.stored(small, self.target_of(each), value, value_node)
            made += [*self.shapes.before, *stored]
            self.shapes.before = before
        return made

    def assigned(
        self, small: cst.BaseSmallStatement, target: cst.Subscript, node: cst.BaseExpression
    ) -> list[cst.BaseStatement]:
        """`target = value`, where `target` is a part of an array."""
        mask = mask_of(self.expressions, target)
        if mask is not None:
            return self.under_mask(small, target, mask, node)
        return self.stored(small, self.target_of(target), self.expressions.value(node), node)

    def stored(
        self, small: cst.BaseSmallStatement, view: View, value: Value, node: cst.BaseExpression
    ) -> list[cst.BaseStatement]:
        self.shapes.into(INPUT, view.shape, value.shape, small)
        nest = self.nest(view, value, small)
        if not value.shape or self.goes_in_place(nest, small):
            return nest
        return self.nest(view, self.read_before(value, node), small)

    def updated(self, small: cst.AugAssign) -> list[cst.BaseStatement]:
        """`target op= value`, in place."""
        mask = mask_of(self.expressions, small.target)
        if mask is not None and isinstance(small.target, cst.Subscript):
            return self.under_mask(small, small.target, mask, small.value)
        value, view = self.expressions.value(small.value), self.target_of(small.target)
        self.shapes.into(OUTPUT, view.shape, value.shape, small)
        nest = self.nest(view, value, small)
        if not value.shape or self.goes_in_place(nest, small):
            return nest
        return self.nest(view, self.read_before(value, small.value), small)

    def under_mask(
        self, small: cst.BaseSmallStatement, target: cst.Subscript, mask: cst.BaseExpression, node: cst.BaseExpression
    ) -> list[cst.BaseStatement]:
        """`target[mask] = value`, or `op=`: all elements are gone through, and the mask is asked of each."""
        test = self.expressions.value(mask)
        self.expressions.mask = code(mask)
        value = self.expressions.value(node)
        self.expressions.mask = None
        view = self.target_of(target.value)
        self.shapes.test(MASK, view.shape, test.shape, small)
        nest = self.nest(view, value, small, test)
        if self.goes_in_place(nest, small):
            return nest
        if value.shape:
            value = self.read_before(value, node)
        return self.nest(view, value, small, self.read_before(test, mask))

    def target_of(self, node: cst.BaseExpression) -> View:
        view = self.expressions.value(node)
        if not isinstance(view, View):
            message, helps = "this cannot be written", "name the array that is written"
            if isinstance(node, cst.Subscript):
                message = "what an array of indexes names twice is written twice: the order counts"
                helps = "write the loop over the indexes, in `with single:`; to add up, in `with sync(a, reduce='+'):`"
            raise self.expressions.refuse("SOMD202", message, node, helps)
        return view

    # --- loops ---------------------------------------------------------------------------------------------------

    def goes_in_place(self, nest: Sequence[cst.BaseStatement], small: cst.CSTNode) -> bool:
        aliases = self.aliases.get(small, Aliases())
        place = Place(self.arrays, self.inexact, aliases, self.expressions.naturals)
        return all(in_place(node, self.names.so_far(), place) for node in nest if isinstance(node, cst.For))

    def read_before(self, value: Value, node: cst.BaseExpression) -> View:
        """A value that is computed whole before the statement."""
        name = self.computed(value, node)
        return self.target(name, value.shape, node)

    def computed(self, value: Value, node: cst.BaseExpression, at: cst.CSTNode | None = None) -> str:
        """The name of a new array with a value, made before the statement."""
        kind = cast(ArrayType, self.types.nodes[node])
        name = self.names.new("value__whole", code(node))
        self.expressions.before.append(self.names.line(f"{name} = {self.allocation(value.shape, kind)}", at or node))
        self.expressions.before.extend(self.nest(self.target(name, value.shape, node), value, at or node))
        return name

    def target(self, name: str, shape: tuple[Linear, ...], node: cst.BaseExpression) -> View:
        """The whole of a new array."""
        axes = tuple(Axis(Linear(), 1, axis) for axis in range(len(shape)))
        return self.expressions.view(name, axes, shape, node)

    def allocation(self, shape: tuple[Linear, ...], kind: ArrayType) -> str:
        lengths = [self.expressions.clamped(length).text for length in shape]
        inner = lengths[0] if len(lengths) == 1 else f"({', '.join(lengths)})"
        return f"{self.names.numpy('empty')}({inner}, dtype={self.names.dtype(kind.dtype)})"

    def nest(self, view: View, value: Value, small: cst.CSTNode, mask: Value | None = None) -> list[cst.BaseStatement]:
        """Loops over the elements of a view, which take those of a value, where a mask is true."""
        starts = view.starts()
        loops: list[tuple[str, Linear, Linear]] = []
        at: list[Linear] = []
        for axis, length in enumerate(view.shape):
            if length == ONE:
                at.append(Linear())
                continue
            start = starts.get(axis, Linear())
            name = self.names.new(f"at__{axis}")
            loops.append((name, start, start + length))
            at.append(Linear.of(name) - start)
        element = value.at(at, view.shape)
        target = cast(cst.BaseAssignTargetExpression, view.element(tuple(at)))
        if isinstance(small, cst.AugAssign):
            inner: cst.BaseSmallStatement = cst.AugAssign(target, small.operator, element)
        else:
            inner = cst.Assign([cst.AssignTarget(target)], element)
        made: cst.BaseStatement = cst.SimpleStatementLine([inner])
        if mask is not None:
            made = cst.If(mask.at(at, view.shape), cst.IndentedBlock([made]))
        self.names.place(made, small)
        for name, start, stop in reversed(loops):
            made = self.names.loop(name, start, stop, made, small)
        return [made]


def shape_text(shape: tuple[Linear, ...]) -> str:
    return f"({''.join(f'{length.text}, ' for length in shape)})"


def targets_of(small: cst.BaseSmallStatement) -> list[cst.CSTNode]:
    """All that stands in the targets of a statement."""
    targets = [each.target for each in small.targets] if isinstance(small, cst.Assign) else []
    targets += [small.target] if isinstance(small, cst.AugAssign | cst.AnnAssign) else []
    return [node for each in targets for node in nodes_in(each)]
