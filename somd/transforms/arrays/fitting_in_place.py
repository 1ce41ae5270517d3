"""Numbers that integers of a type do not hold, where NumPy raises: tests where they are stored, or join with others.

    for i in range(len(a)):       ->   for i in range(len(a)):
        if m[i]:                           if m[i]:
            out[i] = int(a[i] * k)             value = int(a[i] * k)
                                               out[i] = value
                                               if value < 0 or value > 255:
                                                   raise OverflowError(f"Python integer {value} out of bounds ...")

In: a method whose types are known. Out: the method with a test at each place where plain Python may raise so, but for
those that are made before a loop (`fitting_scalars`), and where nothing can fail (`fitting_conditions`). A store is
tested behind it: its index comes first. Functions that have such places are written out.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import replace
from typing import TypeVar, cast

import libcst as cst

from somd.diagnostics.model import Collector, Diagnostic, Label
from somd.errors import SomdCompileError
from somd.transforms.arrays.emitting import COMPOUND
from somd.transforms.arrays.fitting_conditions import TRUE_QUOTIENT, Earlier, Misfit, Misfits
from somd.transforms.arrays.fitting_scalars import EarlyTests
from somd.transforms.arrays.names import SHAPES, Names
from somd.transforms.frontend.positional import called_function
from somd.transforms.frontend.reached import Function
from somd.transforms.stages import Method, Raising
from somd.transforms.tree.loops import UNFIT, integer_constant, range_of, statements_of
from somd.transforms.tree.rewriting import code_of, rewritten
from somd.transforms.tree.walking import nodes_of
from somd.transforms.types.int_ranges import SHORT
from somd.transforms.types.typing_table import Types

Node = TypeVar("Node", bound=cst.CSTNode)


def with_fitting_tests(method: Method, types: Types) -> Method:
    """`method` with such tests; the same if there are none."""
    tester = _Tester(method, types)
    body = tester.suite(method.function.body)
    if body is method.function.body:
        return method
    function = method.function.with_changes(body=body)
    tester.names.place(function, method.function)
    return replace(rewritten(tester.names.so_far(), function, tester.names.positions), fitted=True)


def helpers_to_test(method: Method, types: Types) -> frozenset[Function]:
    """The functions of numbers that would have tests, and those that call such: they are to be written out."""
    found: set[Function] = set()
    instances = [(cast(Function, key[0]), helper) for key, helper in types.helpers.items()]
    for function, helper in instances:
        own = replace(helper.method, functions=method.functions)
        if with_fitting_tests(own, helper.types) is not own:
            found.add(function)
    of_instances = {id(helper): function for function, helper in instances}
    while found:
        calling = {
            function
            for function, helper in instances
            for callee in helper.types.calls.values()
            if callee.helper is not None and of_instances.get(id(callee.helper)) in found
        }
        if calling <= found:
            break
        found |= calling
    return frozenset(found)


def not_tested(method: Method, fitted: Method) -> SomdCompileError:
    """The error where loops of `method` can be divided, and not those of `fitted`, which has tests."""
    made = {**fitted.namespace}
    places = [
        each.position for name, each in made.items() if isinstance(each, Raising) and name not in method.namespace
    ]
    what = "NumPy raises where this does not fit the integers that it meets, and the loop cannot be divided with a test"
    return _refused(what, Label(places[0], "this may not fit"))


def helper_not_tested(
    method: Method, functions: Collection[Function], reason: SomdCompileError | None
) -> SomdCompileError:
    """The error where `functions` would have tests, and cannot be written out, or `reason` is why not."""
    if reason is not None and any(each.code == "SOMD402" for each in reason.diagnostics):
        return reason
    calls = [call for call in nodes_of(method.function.body, cst.Call) if called_function(call, method) in functions]
    what = "NumPy raises where a number in this function does not fit the integers that it meets, and it cannot be"
    what += " written out here, with a test"
    at = calls[0] if calls else method.function
    return _refused(what, Label(method.position(at), "in what this calls"))


def _refused(what: str, label: Label) -> SomdCompileError:
    helps = (
        "let the array have 64 bits",
        "if it fits always, say so by a conversion of NumPy's own numbers: `np.int8(x)`",
    )
    collector = Collector()
    collector.add(Diagnostic("SOMD402", what, (label,), helps))
    try:
        collector.raise_if_errors()
    except SomdCompileError as error:
        return error
    raise AssertionError(what)


def in_brackets(node: cst.BaseExpression) -> cst.BaseExpression:
    """An expression that may stand in any other."""
    if node.lpar or not isinstance(node, (*COMPOUND, cst.Tuple)):
        return node
    return cast(cst.BaseExpression, node.with_changes(lpar=[cst.LeftParen()], rpar=[cst.RightParen()]))


class _Tester:
    """Puts tests before loops and around statements."""

    def __init__(self, method: Method, types: Types) -> None:
        self.method = method
        self.names = Names(method)
        self.early = EarlyTests(method, types)
        steady = [loop for loop in nodes_of(method.function.body, cst.For) if self.early.is_bounded(loop)]
        self.misfits = Misfits(method, types, self.early.found, steady)
        self.short: set[cst.For] = set()
        #: arrays that `sync` adds up: their elements are not read before
        self.combined: set[str] = set()

    # --- statements --------------------------------------------------------------------------------------------------

    def suite(self, body: cst.BaseSuite, outermost: bool = True) -> cst.BaseSuite:
        """A body with tests; the same if there are none in it."""
        statements = statements_of(body)
        made = [each for statement in statements for each in self.statement(statement, outermost)]
        if len(made) == len(statements) and all(a is b for a, b in zip(made, statements, strict=True)):
            return body
        block = body if isinstance(body, cst.IndentedBlock) else cst.IndentedBlock([])
        return self.changed(block, body=made)

    def statement(self, node: cst.CSTNode, outermost: bool) -> list[cst.CSTNode]:
        if isinstance(node, cst.SimpleStatementLine):
            return self.line(node)
        if isinstance(node, cst.For):
            before = self.before(node) if outermost else []
            limits = range_of(node)
            tests = [] if limits is None else self.tests(*limits.limits)
            made = self.with_body(node, self.suite(node.body, False))
            return [*before, *tests, *(self.short_loops(node) if outermost else []), made]
        if isinstance(node, cst.If):
            return [*self.tests(node.test), self.branches(node, outermost)]
        if isinstance(node, cst.While):
            whole = self.while_loop(node)
            return [*(self.short_loops(node) if outermost else []), whole]
        if isinstance(node, cst.With):
            for item in node.items:
                self.combined |= {each.value for each in nodes_of(item, cst.Name)}
            return [self.with_body(node, self.suite(node.body, outermost))]
        return [node]

    def while_loop(self, node: cst.While) -> cst.CSTNode:
        """A `while` loop; what its condition tests stands in it: `while True: ...; if not (condition): break; ...`."""
        tests, body = self.tests(node.test), self.suite(node.body, False)
        if not tests:
            return self.with_body(node, body)
        leave = cst.ensure_type(self.names.line("if not (0):\n    break", node.test), cst.If)
        test = cst.ensure_type(leave.test, cst.UnaryOperation)
        leave = self.changed(leave, test=self.changed(test, expression=in_brackets(node.test)))
        block = cst.IndentedBlock([*tests, leave, *statements_of(body)])  # type: ignore[list-item]
        true = self.names.expression("True", node.test)
        return self.changed(node, test=true, body=block)

    def with_body(self, node: Node, body: cst.BaseSuite) -> Node:
        return node if body is node.body else self.changed(node, body=body)  # type: ignore[attr-defined]

    def branches(self, node: cst.If, outermost: bool) -> cst.If:
        """An `if` with tests in its branches; what an `elif` tests stands in an `else` then."""
        made = self.with_body(node, self.suite(node.body, outermost))
        if isinstance(node.orelse, cst.Else):
            body = self.suite(node.orelse.body, outermost)
            orelse: cst.Else | cst.If = self.with_body(node.orelse, body)
        elif isinstance(node.orelse, cst.If):
            *tests, orelse = cast(list[cst.If], self.statement(node.orelse, outermost))
            orelse = cst.Else(cst.IndentedBlock([*tests, orelse])) if tests else orelse
        else:
            return made
        return made if orelse is node.orelse else self.changed(made, orelse=orelse)

    def changed(self, node: Node, **changes: object) -> Node:
        made = node.with_changes(**changes)
        if node in self.names.positions:
            self.names.positions[made] = self.names.positions[node]
        return made

    def line(self, node: cst.SimpleStatementLine) -> list[cst.CSTNode]:
        parts = [self.small(each) for each in node.body]
        if all(len(part) == 1 for part in parts):
            return [node]
        made: list[cst.CSTNode] = []
        for old, part in zip(node.body, parts, strict=True):
            alone = self.changed(old, semicolon=cst.MaybeSentinel.DEFAULT)
            made += [cst.SimpleStatementLine([alone]) if each is old else each for each in part]
        return made

    def small(self, node: cst.BaseSmallStatement) -> list[cst.CSTNode]:
        """A statement with what comes before and behind it."""
        if isinstance(node, cst.Assign):
            targets = [each.target for each in node.targets]
            before = self.tests(node.value, *targets)
            if len(targets) == 1:
                return [*before, *self.stores(node, targets[0])]
            return [*before, node]
        if isinstance(node, cst.AugAssign):
            return self.updates(node)
        if isinstance(node, cst.Return | cst.AnnAssign | cst.Expr):
            return [*(self.tests(node.value) if node.value is not None else []), node]
        return [node]

    def stores(self, node: cst.Assign, target: cst.BaseExpression) -> list[cst.CSTNode]:
        if isinstance(target, cst.Tuple) and isinstance(node.value, cst.Tuple):
            pairs = [(t.value, v.value) for t, v in zip(target.elements, node.value.elements, strict=False)]
        else:
            pairs = [(target, node.value)]
        found = [self.misfits.element(place) for place, _ in pairs]
        if not any(
            kind and [*self.misfits.stored(kind.dtype, v, "x")] for kind, (_, v) in zip(found, pairs, strict=True)
        ):
            return [node]
        alone = len(pairs) == 1
        held = [self.held(value, alone) for _, value in pairs]
        made: list[cst.CSTNode] = [line for _, lines in held for line in lines]
        for kind, (place, value), (name, lines) in zip(found, pairs, held, strict=True):
            given = self.names.expression(name, value) if lines else value
            store = self.changed(
                node, targets=[cst.AssignTarget(cast(cst.BaseAssignTargetExpression, place))], value=given,
                semicolon=cst.MaybeSentinel.DEFAULT,
            )  # fmt: skip
            made += [cst.SimpleStatementLine([store])]
            made += self.made(self.misfits.stored(kind.dtype, value, name)) if kind else ()
        return made

    def held(self, value: cst.BaseExpression, alone: bool = False) -> tuple[str, list[cst.CSTNode]]:
        """The name of a value, and what sets it; a name is its own, if nothing is set before it is used."""
        if isinstance(value, cst.Name | cst.Integer) and (alone or isinstance(value, cst.Integer)):
            return code_of(value), []
        name = self.names.new("value", code_of(value))
        kept = self.names.line(f"{name} = 0", value)
        [assign] = cst.ensure_type(kept, cst.SimpleStatementLine).body
        return name, [cst.SimpleStatementLine([self.changed(assign, value=value)])]

    def updates(self, node: cst.AugAssign) -> list[cst.CSTNode]:
        """`a[i] += v`: an int that joins with narrower ones, and what it gives, where that is of another type."""
        operator = node.operator
        sides = (cast(cst.BaseExpression, node.target), node.value)
        own = [] if isinstance(operator, TRUE_QUOTIENT) else self.misfits.joined(sides)
        array = node.target.value if isinstance(node.target, cst.Subscript) else None
        if isinstance(array, cst.Name) and array.value in self.combined:
            before = [*self.tests(node.value), *self.made(own)]
        else:
            before = self.made(self.misfits.behind(sides, own))
        kind, given = self.misfits.element(node.target), self.misfits.kind(node)
        if kind is None or given is None or given.dtype == kind.dtype:
            return [*before, node]
        binary = getattr(cst, type(operator).__name__.removesuffix("Assign"))()
        value = cst.BinaryOperation(self.names.copy(sides[0]), binary, in_brackets(node.value))
        self.misfits.types.nodes[value] = given
        target = cst.AssignTarget(cast(cst.BaseAssignTargetExpression, sides[0]))
        store = cst.Assign([target], value)
        self.names.place(store, node)
        made = self.stores(store, sides[0])
        return [*before, *(made if len(made) > 1 else [node])]

    # --- tests -------------------------------------------------------------------------------------------------------

    def before(self, loop: cst.For) -> list[cst.CSTNode]:
        """The tests before an outermost loop."""
        made: dict[tuple[str, str, str], Misfit] = {}
        for test in self.early.before(loop):
            values = (test.number,) if test.number.isidentifier() else ()
            made.setdefault(
                (test.condition, test.number, test.dtype),
                Misfit(test.condition, f"raise {test.message}", values, test.node),
            )
        return [self.raising(each) for each in made.values()]

    def short_loops(self, around: cst.For | cst.While) -> list[cst.CSTNode]:
        """Tests that loops are as short as is relied on."""
        made: list[cst.CSTNode] = []
        inside = set(nodes_of(around, cst.For))
        for loop in self.misfits.short:
            limits = range_of(loop)
            if loop in self.short or loop not in inside or limits is None:
                continue
            self.short.add(loop)
            up = (integer_constant(limits.step, self.method) or 0) > 0
            ends = limits.limits if up else limits.limits[::-1]
            first, last = (in_brackets(end) for end in ends)
            tests = [f"{code_of(first)} < {SHORT[0]}"] if self.misfits.ranges.of(first)[0] < SHORT[0] else []
            tests += [f"{code_of(last)} > {SHORT[1]}"]
            text = f"raise __import__({SHAPES!r}, fromlist=('',)).long_loop({limits.variable!r})"
            made.append(self.raising(Misfit(" or ".join(tests), text, (), loop)))
        return made

    def tests(self, *nodes: cst.CSTNode) -> list[cst.CSTNode]:
        """Those of the operations of expressions."""
        return self.made(self.misfits.within(*nodes))

    def made(self, found: Iterable[Misfit | Earlier]) -> list[cst.CSTNode]:
        once: dict[object, Misfit | Earlier] = {}
        for each in found:
            own = (
                (each.condition, each.statement) if isinstance(each, Misfit) else (code_of(each.node), each.conditions)
            )
            once.setdefault(own, each)
        return [self.raising(each) if isinstance(each, Misfit) else self.earlier(each) for each in once.values()]

    def earlier(self, each: Earlier) -> cst.CSTNode:
        """A line that makes a number for what may raise there."""
        _, [line] = self.held(self.names.copy(each.node))
        if not each.conditions:
            return line
        condition = " and ".join(f"({text})" for text in each.conditions)
        return self.changed(
            cst.ensure_type(self.names.line(f"if {condition}:\n    pass", each.node), cst.If),
            body=cst.IndentedBlock([cst.ensure_type(line, cst.SimpleStatementLine)]),
        )

    def raising(self, misfit: Misfit) -> cst.CSTNode:
        raised = self.names.raised(misfit.statement, misfit.values, misfit.node, UNFIT)
        return self.names.line(f"if {misfit.condition}:\n    {raised}", misfit.node)
