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
from somd.transforms.analysis.affine import shape_reference
from somd.transforms.analysis.aliases import aliases_of
from somd.transforms.arrays.assignments import Assignments
from somd.transforms.arrays.broadcasting import Broadcasting
from somd.transforms.arrays.contraction import Contraction
from somd.transforms.arrays.double_buffers import DoubleBuffers
from somd.transforms.arrays.early_tests import lengths_before, with_early_tests
from somd.transforms.arrays.exchanges import pairs_of
from somd.transforms.arrays.expressions import Expressions, NotTaken
from somd.transforms.arrays.indexed import entries_of
from somd.transforms.arrays.inner_loops import InnerLoops
from somd.transforms.arrays.joining import Joining
from somd.transforms.arrays.known import below_in_loop, lengths_known, natural_loop
from somd.transforms.arrays.library import check_written
from somd.transforms.arrays.linear import Linear
from somd.transforms.arrays.names import Names
from somd.transforms.arrays.nests import Nests
from somd.transforms.arrays.plain import is_plain, measured, of_computed, plain
from somd.transforms.arrays.values import View
from somd.transforms.stages import Method
from somd.transforms.tree.loops import statements_of
from somd.transforms.tree.names import assigned_names, names_read
from somd.transforms.tree.rewriting import code_of, rewritten
from somd.transforms.tree.walking import children_of, nodes_in, nodes_of
from somd.transforms.types.scalars import ArrayType, ScalarType, TupleType
from somd.transforms.types.typing_table import Types

OPERATIONS = (cst.BinaryOperation, cst.UnaryOperation, cst.Comparison, cst.Subscript, cst.Attribute, cst.IfExp)


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
        self.parts = self.expressions.parts
        self.parts.exchanges.are_one(aliases)
        loops = nodes_of(method.function.body, cst.For, cst.While)
        self.shapes.lasts = self.parts.steady - set().union(*map(assigned_names, loops))
        self.arrays = {name: kind for name, kind in types.names.items() if isinstance(kind, ArrayType)}
        places = aliases_of(statements_of(method.function.body), list(self.arrays), aliases)
        self.nests = Nests(self.expressions, places)
        #: the lengths that are equal where the last block ended
        self.inside: dict[frozenset[str], frozenset[str]] = {}
        #: the shapes of what the last statement allocated
        self.allocated: dict[str, tuple[Linear, ...]] = {}
        self.depth = 0
        self.contraction = Contraction(method, types, self.parts.exchanges, aliases)
        self.assignments = Assignments(self.expressions, self.nests, self.contraction)
        self.joining = Joining(self.nests, self.contraction)
        self.double_buffers = DoubleBuffers(self.expressions, self.nests, self.joining)
        self.inner_loops = InnerLoops(self.expressions, self.nests, self.contraction, bool(aliases))

    # --- blocks --------------------------------------------------------------------------------------------------

    def block(self, statements: Sequence[cst.CSTNode], outermost: bool = False) -> list[cst.BaseStatement]:
        made: list[cst.BaseStatement] = []
        for number, statement in enumerate(statements):
            new = self.statement(cast(cst.BaseStatement, statement), statements[:number])
            made = [line for line in made if not assigned_names(line) & self.inner_loops.unmade]
            self.inner_loops.unmade.clear()
            self.joining.extend(made, new)
            self.forget(statement, parts=not isinstance(statement, cst.SimpleStatementLine))
            self.made_lengths()
            if outermost:
                self.expressions.known = lengths_known(statement, self.expressions, self.method, self.arrays)
        return made

    def forget(self, node: cst.CSTNode, parts: bool = True) -> None:
        """What a statement binds is something else on some way to here."""
        names = self.parts.exchanges.names(node)
        self.shapes.forget(names - self.updated(node))
        if parts:
            self.parts.forget(self.parts.exchanges.moved(node))

    def updated(self, node: cst.CSTNode) -> set[str]:
        """The arrays that a line updates, whose lengths stay."""
        body = node.body if isinstance(node, cst.SimpleStatementLine) else ()
        names = {name for each in body if isinstance(each, cst.AugAssign) for name in assigned_names(each)}
        return (names & self.arrays.keys()) if len(body) == 1 else set()

    def made_lengths(self) -> None:
        """Arrays have the lengths that they were just made with."""
        for name, lengths in self.allocated.items():
            for axis, length in enumerate(lengths):
                self.shapes.know(self.expressions.length(name, axis), length)
        self.allocated.clear()
        for name, lengths in self.assignments.lengths.items():
            for axis, length in enumerate(lengths):
                known = length.is_constant or not self.expressions.natural(length)
                if not known and name not in names_read(cst.parse_expression(length.text)):
                    self.shapes.know(self.expressions.length(name, axis), length)
        self.assignments.lengths.clear()

    def suite(self, body: cst.BaseSuite) -> cst.BaseSuite:
        """A block of its own: what is tested in it does not hold behind it."""
        if not any(self.is_array_statement(node) for node in nodes_in(body)) and is_plain(self.expressions, body):
            return body
        outside, parts, triangles = dict(self.shapes.equal), self.parts.inside(), dict(self.expressions.triangles)
        self.depth += 1
        made = cst.IndentedBlock(self.block(statements_of(body)))
        self.inside, self.depth = self.shapes.equal, self.depth - 1
        self.shapes.equal, self.expressions.triangles = outside, triangles
        self.parts.behind(parts, self.parts.exchanges.moved(body))
        return made

    def statement(self, node: cst.BaseStatement, earlier: Sequence[cst.CSTNode] = ()) -> list[cst.BaseStatement]:
        """What becomes of a statement that stands behind `earlier` ones in its block."""
        if isinstance(node, cst.SimpleStatementLine):
            return self.small_statements(node)
        if isinstance(node, cst.If):
            return self.tested(node)
        if isinstance(node, cst.While) and not is_plain(self.expressions, node.test):
            return [self.repeated(node)]
        if isinstance(node, cst.For | cst.While):
            return self.loop(node, earlier)
        if isinstance(node, cst.With):
            return [self.with_parts(node, body=self.suite(node.body))]
        return [node]

    def small_statements(self, node: cst.SimpleStatementLine) -> list[cst.BaseStatement]:
        lines = [cst.SimpleStatementLine([s.with_changes(semicolon=cst.MaybeSentinel.DEFAULT)]) for s in node.body]
        if not any(map(self.is_array_statement, node.body)) and is_plain(self.expressions, node):
            self.rebound(node)
            return [node]
        made: list[cst.BaseStatement] = []
        for small, line in zip(node.body, lines, strict=True):
            self.names.place(line, small)
            if small not in self.contraction.apart:
                made += self.line(small, line)
            for each in self.contraction.apart.get(small, ()):
                alone = cst.SimpleStatementLine([each])
                self.names.place(alone, small)
                made += self.line(each, alone)
        if made:
            tests = made[0] in self.shapes.tests
            nest = self.nests.made.get(made[0])
            made[0] = self.with_parts(made[0], leading_lines=node.leading_lines)
            self.shapes.tests |= {made[0]} if tests else set()
            self.nests.made |= {} if nest is None else {made[0]: nest}
        return made

    def loop(self, node: cst.For | cst.While, earlier: Sequence[cst.CSTNode]) -> list[cst.BaseStatement]:
        self.expressions.begin(node)
        if isinstance(node, cst.For):
            try:
                header = self.expressions.plain_number(node.iter)
            except NotTaken:
                return [node]
        before = self.expressions.before
        within = self.inner_loops.interchanged(node, header, earlier) if isinstance(node, cst.For) else None
        if within is not None:
            return [*before, *within]
        self.forget(node)
        naturals, below = set(self.expressions.naturals), dict(self.expressions.below)
        if isinstance(node, cst.For) and natural_loop(node, self.expressions):
            self.expressions.naturals.add(cst.ensure_type(node.target, cst.Name).value)
            self.expressions.below.update(below_in_loop(node, self.expressions))
        lengths, body = lengths_before(self.suite(node.body), assigned_names(node), self.names)
        before = [*before, *lengths]
        made = self.with_parts(node, body=body)
        self.expressions.naturals, self.expressions.below = naturals, below
        if not isinstance(made, cst.For) or not isinstance(node, cst.For):
            return [*before, made]
        made = cst.ensure_type(self.with_parts(made, iter=header), cst.For)
        *early, loop = with_early_tests(made, self.shapes.tests, self.names, self.joining.may_come_before)
        assert isinstance(loop, cst.For)
        return [*before, *early, *(self.buffered(node, loop) or [loop])]

    def buffered(self, node: cst.For, loop: cst.For) -> list[cst.BaseStatement] | None:
        """A loop with two buffers for what it makes anew in each turn, where lengths are what they are in its body."""
        if self.depth:
            return None
        outside, self.shapes.equal = self.shapes.equal, self.inside
        try:
            return self.double_buffers.exchanged(node, loop)
        finally:
            self.shapes.equal = outside

    def tested(self, node: cst.If) -> list[cst.BaseStatement]:
        """An `if`, behind what is computed for its test."""
        self.expressions.begin(node)
        try:
            test = self.expressions.plain_number(node.test)
        except NotTaken:
            return [node]
        before, other = self.expressions.before, node.orelse
        body = self.suite(node.body)
        if isinstance(other, cst.If):
            made = self.tested(other)
            nested = cast(cst.If, made[0]) if len(made) == 1 else cst.Else(cst.IndentedBlock(made))
            self.names.place(nested, other)
            other = nested
        elif other is not None:
            other = cast(cst.Else, self.with_parts(other, body=self.suite(other.body)))
        return [*before, self.with_parts(node, test=test, body=body, orelse=other)]

    def repeated(self, node: cst.While) -> cst.BaseStatement:
        """A test for which something is computed is made in the loop: `while True: ...; if not test: break; ...`."""
        self.forget(node)
        self.expressions.begin(node.test)
        try:
            test = self.expressions.plain_number(node.test)
        except NotTaken:
            return node
        before = self.expressions.before
        leave = self.names.line(f"if not ({code_of(test)}):\n    break", node.test)
        inner = [*before, leave, *statements_of(self.suite(node.body))]
        body = cst.IndentedBlock(cast(list[cst.BaseStatement], inner))
        made = self.names.changed(node, test=cst.Name("True"), body=body)
        return cast(cst.BaseStatement, made)

    def with_parts(self, node: cst.CSTNode, **parts: object) -> cst.BaseStatement:
        if all(getattr(node, name) is value for name, value in parts.items()):
            return cast(cst.BaseStatement, node)
        return cast(cst.BaseStatement, self.names.changed(node, **parts))

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
        if not isinstance(node, cst.BaseSmallStatement):
            return False
        if isinstance(node, cst.AugAssign) and isinstance(self.types.nodes.get(node.target), ArrayType):
            return True
        return self.binds(node) or any(map(self.is_operation, nodes_in(node)))

    def binds(self, node: cst.BaseSmallStatement) -> bool:
        """Whether a statement gives names to elements of an array, or a second one to an array."""
        if not isinstance(node, cst.Assign | cst.AnnAssign) or node.value is None:
            return False
        targets = [each.target for each in node.targets] if isinstance(node, cst.Assign) else [node.target]
        several = any(isinstance(each, cst.Tuple) for each in targets)
        if several and isinstance(node.value, cst.Tuple):
            kinds = [self.types.nodes.get(each.value) for each in node.value.elements]
            names = {value.value for _, value in pairs_of(node) if isinstance(value, cst.Name)}
            exchange = names == assigned_names(node) and not names & self.parts.names
            return any(isinstance(each, ArrayType) for each in kinds) and not exchange
        named = isinstance(targets[0], cst.Name) and isinstance(node.value, cst.Name)
        return (several or named) and isinstance(self.types.nodes.get(node.value), ArrayType)

    def line(self, small: cst.BaseSmallStatement, line: cst.BaseStatement) -> list[cst.BaseStatement]:
        """A statement as loops, with what comes before them."""
        if not self.is_array_statement(small) and is_plain(self.expressions, small):
            self.rebound(line)
            return [line]
        choice = small.value if isinstance(small, cst.Return) else None
        if isinstance(choice, cst.IfExp) and self.assignments.is_choice(choice):
            return self.tested(self.two_ends(small, choice))
        self.expressions.begin(small)
        try:
            made = self.lowered(small)
        except NotTaken:
            return [line]
        return [*self.expressions.before, *made]

    def two_ends(self, small: cst.CSTNode, choice: cst.IfExp) -> cst.If:
        """`return a if p else b`, where an array may be returned that has a name, as two statements under an `if`."""
        bodies = []
        for value in (choice.body, choice.orelse):
            end = cst.SimpleStatementLine([cst.Return(value)])
            self.names.place(end, value)
            bodies.append(cst.IndentedBlock([end]))
        made = cst.If(choice.test, bodies[0], cst.Else(bodies[1]))
        self.names.place(made, small)
        return made

    def lowered(self, small: cst.BaseSmallStatement) -> list[cst.BaseStatement]:
        if isinstance(small, cst.Assign | cst.AugAssign):
            targets = [small.target] if isinstance(small, cst.AugAssign) else [each.target for each in small.targets]
            check_written(self.expressions, targets)
        if isinstance(small, cst.AugAssign) and isinstance(self.types.nodes.get(small.target), ArrayType):
            return self.assignments.updated(small)
        if not self.of_arrays(small):
            made = cst.SimpleStatementLine([cast(cst.BaseSmallStatement, plain(self.expressions, small))])
            self.names.place(made, small)
            self.rebound(small)
            return [made]
        if isinstance(small, cst.Return) and small.value is not None:
            value = self.returned(small.value)
            return [cst.SimpleStatementLine([cast(cst.Return, self.names.changed(small, value=value))])]
        if isinstance(small, cst.Expr):
            callee = self.types.calls.get(small.value) if isinstance(small.value, cst.Call) else None
            if callee is not None and callee.given is not None and callee.given.function.writes:
                nodes = callee.given.nodes
                check_written(self.expressions, nodes.get("out") or next(iter(nodes.values())))
                return self.assignments.put(small, cst.ensure_type(small.value, cst.Call))
            self.nests.computed(self.expressions.value(small.value), small.value)
            return []
        return self.assignments.assigned(small)

    def of_arrays(self, small: cst.BaseSmallStatement) -> bool:
        """Whether a statement does something with arrays that is no reduction to a number."""
        if isinstance(small, cst.AugAssign) and isinstance(self.types.nodes.get(small.target), ArrayType):
            return True
        waiting: list[cst.CSTNode] = [small]
        while waiting:
            node = waiting.pop()
            if self.expressions.reduces(node) and isinstance(self.types.nodes.get(node), ScalarType):
                continue
            if measured(self.expressions, node) is not None:
                continue
            if of_computed(self.expressions, node):
                waiting += [
                    each for each in children_of(node) if each is not cst.ensure_type(node, cst.Subscript).value
                ]
                continue
            if self.is_operation(node):
                return True
            waiting += children_of(node)
        return self.binds(small)

    def returned(self, node: cst.BaseExpression) -> cst.BaseExpression:
        """What is returned, with names for arrays that are made."""
        if isinstance(node, cst.Call) and isinstance(self.types.nodes.get(node), TupleType):
            node = entries_of(self.expressions, node)
        if isinstance(node, cst.Tuple):
            parts = [self.names.changed(e, value=self.returned(e.value)) for e in node.elements]
            return self.names.changed(node, elements=parts)
        if not isinstance(self.types.nodes.get(node), ArrayType):
            return self.expressions.plain_number(node)
        if isinstance(node, cst.Name) and node.value not in self.parts.names:
            return node
        if isinstance(node, cst.Call) and not any(map(self.is_operation, nodes_in(node))):
            return self.expressions.plain_number(node)
        self.assignments.check_choice(node)
        value = self.expressions.value(node)
        shared = self.parts.exchanges.is_given_again(node)
        if isinstance(value, View) and value.whole and not shared:
            return self.names.expression(value.array, node)
        if isinstance(value, View) and value.array not in self.names.spelled:
            shared = shared or not self.parts.exchanges.given_once(value.array)
        if shared:
            message = "a part of an array is not returned: the caller would have that memory under two names"
            raise self.expressions.refuse("SOMD202", message, node, "copy it: `.copy()` behind it")
        if isinstance(value, View) and value.whole:
            return self.names.expression(value.array, node)
        return self.names.expression(self.nests.computed(value, node), node)

    def rebound(self, node: cst.CSTNode) -> None:
        """A statement that is no array statement binds names to arrays of their own."""
        for name in assigned_names(node) & set(self.arrays):
            self.parts.bind(name, None)
        for each in nodes_of(node, cst.Assign):
            named = all(isinstance(target.target, cst.Name) for target in each.targets)
            shape = self.shape_of(each.value) if named and isinstance(each.value, cst.Call) else ()
            self.allocated.update({name: shape for name in assigned_names(each) if shape})

    def shape_of(self, node: cst.Call) -> tuple[Linear, ...]:
        """The lengths that an allocation gives, where each is a name or a length."""
        callee = self.types.calls.get(node)
        if callee is None or callee.kind != "allocate" or not node.args or node.args[0].keyword is not None:
            return ()
        shape = node.args[0].value
        lengths = [each.value for each in shape.elements] if isinstance(shape, cst.Tuple) else [shape]
        if not all(isinstance(each, cst.Name) or shape_reference(each) is not None for each in lengths):
            return ()
        return tuple(self.expressions.linear(each) for each in lengths)
