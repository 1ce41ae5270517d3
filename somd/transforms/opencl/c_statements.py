"""libcst statements -> lines of C, with Python's meaning of loops and assignments.

`#line` directives name the user's lines. Variables are declared by whoever writes the function around (`locals`).
"""

from __future__ import annotations

import functools
import itertools
import math
import os
from collections.abc import Mapping, Sequence

import libcst as cst

from somd.diagnostics.model import Position
from somd.language.raising import slots
from somd.settings.targets import TargetLacks
from somd.transforms.frontend.raises import raises_in, raising_of
from somd.transforms.opencl import c_complex
from somd.transforms.opencl.c_expressions import Expressions
from somd.transforms.opencl.c_tree import C, call, infix
from somd.transforms.opencl.c_types import CTYPES, converted, literal
from somd.transforms.opencl.guards import COPY
from somd.transforms.opencl.scope import ITERATION
from somd.transforms.opencl.taking import Taker
from somd.transforms.raise_rows import kind_of
from somd.transforms.tree.loops import else_statements, integer_constant, range_of, small_statements, statements_of
from somd.transforms.tree.names import assigned_names, names_read
from somd.transforms.tree.walking import nodes_in
from somd.transforms.types.scalars import AUGMENTED, ScalarType, TupleType, Type

INDENT = "    "
#: before a loop that hands something on: Intel's compiler for CPUs makes vectors of it all the same, and then sums in
#: another association, or loses updates of elements that two trips share
IN_ORDER = "#pragma clang loop vectorize(disable) interleave(disable)"


#: brackets in each other in one line of C, at most: compilers refuse 256, or fail on some hundreds
MOST_NESTED = 200


def nested(text: str) -> int:
    """How many round brackets stand in each other.

    >>> nested("f((a + b) * c)")
    2
    """
    steps = ({"(": 1, ")": -1}.get(letter, 0) for letter in text)
    return max(itertools.accumulate(steps), default=0)


def comments_of(node: cst.CSTNode) -> tuple[list[str], str]:
    """The user's comments on the lines before a statement, and behind it where it is a line of its own.

    A backslash at the end would make the next line of C a comment, too.
    """
    texts = [line.comment.value for line in getattr(node, "leading_lines", ()) if line.comment is not None]
    behind = node.trailing_whitespace.comment if isinstance(node, cst.SimpleStatementLine) else None
    texts.append(behind.value if behind is not None else "")
    plain = [text.lstrip("#").strip().encode("ascii", "replace").decode().rstrip("\\ ?") for text in texts]
    return [text for text in plain[:-1] if text], plain[-1]


class Statements:
    """Writes statements into `lines`.

    `next_iteration` is what `continue` outside any loop of the body becomes. `tracked` maps accumulators whose changes
    are noted (name -> variable that takes the number of the iteration).
    """

    def __init__(
        self,
        expressions: Expressions,
        scoped: frozenset[str],
        depth: int = 1,
        next_iteration: str = "return;",
        tracked: Mapping[str, str] | None = None,
        result: Type | None = None,
    ) -> None:
        self.expressions = expressions
        self.scope = expressions.scope
        self.scoped = scoped
        self.depth = depth
        self.next_iteration = next_iteration
        self.tracked = tracked or {}
        #: the updates of minima and maxima that take equal values, or nan
        self.takes: Mapping[cst.CSTNode, Taker] = {}
        self.result = result
        #: whether all work-items of a group must come to the end of the function
        self.barrier_follows = False
        self.loops = 0
        self.leaving: tuple[str, ...] = ()
        #: where the statement stands that is being written
        self.at: Position | None = None
        self.lines: list[str] = []

    def line(self, text: str) -> None:
        if text.count("(") > MOST_NESTED and nested(text) > MOST_NESTED:
            what = f"an expression with more than {MOST_NESTED} brackets in each other"
            raise TargetLacks(f"{what}, which compilers of OpenCL C refuse or fail on", self.at)
        self.lines.append(INDENT * self.depth + text)

    def number(self, place: str) -> None:
        """Say here that the iteration has the number `place`; the line goes where nothing in the kernel asks for it."""
        self.line(f"const long {ITERATION} = {place};")

    def finished(self) -> list[str]:
        """All lines of the body."""
        if self.scope.numbered:
            return self.lines
        return [line for line in self.lines if not line.lstrip().startswith(f"const long {ITERATION} = ")]

    def open(self, text: str) -> None:
        self.line(f"{text} {{")
        self.depth += 1

    def close(self, text: str = "}") -> None:
        self.depth -= 1
        self.line(text)

    def block(self, statements: Sequence[cst.CSTNode]) -> None:
        for line in statements:
            before, behind = comments_of(line)
            for text in before:
                self.line(f"// {text}")
            start = len(self.lines)
            for node in small_statements((line,)):
                self.statement(node)
            if behind and len(self.lines) > start:
                self.lines[-1] += f"  // {behind}"

    def statement(self, node: cst.CSTNode) -> None:
        if isinstance(node, cst.Pass) or (isinstance(node, cst.Expr) and isinstance(node.value, cst.BaseString)):
            return
        if isinstance(node, cst.AnnAssign) and node.value is None:
            return
        self._where(node)
        if isinstance(node, cst.Assign) and node in self.takes:
            self.taking(node, self.takes[node])
        elif isinstance(node, cst.Assign):
            self.assign(node.targets[0].target, node.value)
        elif isinstance(node, cst.AnnAssign) and node.value is not None:
            self.assign(node.target, node.value)
        elif isinstance(node, cst.AugAssign):
            self.augmented(node)
        elif isinstance(node, cst.For):
            self.loop(node)
        elif isinstance(node, cst.While):
            self.left_by_raise(node)
            self.loops += 1
            self.in_order(node)
            well, test = self.while_well(node), self.expressions.test(node.test).text
            self.open(f"while ({well} && ({test}))" if well else f"while ({test})")
            self.block(statements_of(node.body))
            self.close()
            self.loops -= 1
            self.leave_on(node)
        elif isinstance(node, cst.If):
            self.branches(node)
        else:
            self.simple(node)

    def simple(self, node: cst.CSTNode) -> None:
        if isinstance(node, cst.Break):
            self.line("break;")
        elif isinstance(node, cst.Continue):
            self.line("continue;" if self.loops else self.next_iteration)
        elif isinstance(node, cst.Return) and node.value is not None:
            self.returned(node.value)
        elif isinstance(node, cst.Raise):
            self.raised(node)
        elif isinstance(node, cst.Expr):
            self.line(f"(void)({self.expressions.expression(node.value).text});")
        else:
            raise self.expressions.lacks("this statement", node)

    def raised(self, node: cst.Raise) -> None:
        """Note a `raise` as the fault of the iteration, with its values, and end the iteration.

        In a loop it is only kept until the loop is left: compilers that make vectors of work-items get a lock inside
        such loops wrong.
        """
        words = [word for argument in _arguments(node) for word in self.words(argument.value)]
        site = self.expressions.unit.raises[self.name_of(node)].number
        self.scope.tests_accesses = True
        if not self.loops:
            self.noted_raise([str(site), *words])
            return
        for name, value in zip(self.leaving, (str(site), *words), strict=False):
            self.line(f"{name} = {value};")
        self.line("break;")

    def noted_raise(self, values: Sequence[str]) -> None:
        function = self.expressions.unit.fault_raise(len(values) - 1)
        self.line(f"{function}(faults, {self.scope.iteration()}, turn, {', '.join(values)});")
        self.line(self.next_iteration)

    def words(self, node: cst.BaseExpression) -> list[str]:
        """A value in words of 64 bits: integers as they are, floats by their bits, tuples part by part."""
        parts = self.parts(node) if isinstance(self.scope.types.nodes[node], TupleType) else []
        found: list[str] = []
        for value in parts or [self.expressions.expression(node)]:
            numbers = [c_complex.part(value, p) for p in ("real", "imag")] if c_complex.is_complex(value) else [value]
            for number in numbers:
                bits = {"float64": "as_long", "float32": "as_int"}.get(number.dtype)
                found.append(f"(long)({number.text})" if bits is None else f"(long){bits}({number.text})")
        return found

    def returned(self, node: cst.BaseExpression) -> None:
        """`return` of a helper: of a scalar, or of the parts of a tuple in their struct."""
        if isinstance(self.result, ScalarType):
            self.line(f"return {self.expressions.of_type(node, self.result.dtype).loose};")
            return
        assert isinstance(self.result, TupleType)
        struct, name = self.expressions.unit.struct(self.result), self.scope.names.fresh("result")
        parts = zip(self.parts(node), self.result.elements, strict=True)
        values = ", ".join(converted(part, wanted.dtype).loose for part, wanted in parts)
        self.open("")
        self.lines[-1] = self.lines[-1].replace(" {", "{")
        self.line(f"const {struct} {name} = {{{values}}};")
        self.line(f"return {name};")
        self.close()

    def parts(self, node: cst.BaseExpression) -> list[C]:
        """The parts of a tuple; what a helper returns is kept in a variable."""
        found = self.expressions.tuple_of_call(node)
        if found is None or not isinstance(node, cst.Call):
            return self.expressions.elements(node)
        name = self.scope.names.fresh("parts")
        made = self.expressions.helper_call(node, "int64")
        self.line(f"const {self.expressions.unit.struct(found)} {name} = {made.text};")
        return [C(f"{name}.part_{k}", part.dtype) for k, part in enumerate(found.elements)]

    def _where(self, node: cst.CSTNode) -> None:
        position = self.scope.method.positions.get(node)
        if position is not None:
            self.at = position
            name = os.path.basename(position.file).replace("\\", "\\\\").replace('"', '\\"')
            self.lines.append(f'#line {position.line} "{name}"')

    # --- control -------------------------------------------------------------------------------------------------

    def branches(self, node: cst.If) -> None:
        self.open(f"if ({self.expressions.test(node.test).text})")
        self.block(statements_of(node.body))
        self.taken(node)
        while isinstance(node.orelse, cst.If):
            node = node.orelse
            self._where(node)
            self.close(f"}} else if ({self.expressions.test(node.test).text}) {{")
            self.depth += 1
            self.block(statements_of(node.body))
            self.taken(node)
        other = else_statements(node)
        if other:
            self.close("} else {")
            self.depth += 1
            self.block(other)
        self.close()

    def loop(self, node: cst.For) -> None:
        """`for` over a range: bounds are taken once, and the body may change the variable without effect on it."""
        header = range_of(node)
        if header is None:
            raise self.expressions.lacks("this loop", node)
        name = self.scope.names.of(header.variable)
        own = header.variable in self.scoped
        counter = name if own else self.scope.names.fresh(f"{name}_at")
        changed = assigned_names(node.body) | {header.variable}
        first = [f"{counter} = {self.expressions.of_type(header.start, 'int64').loose}"]
        stop = self._limit(header.stop, f"{name}_stop", changed, first)
        step = integer_constant(header.step, self.scope.method)
        if step is None or step == 0:
            by = self._limit(header.step, f"{name}_step", {*changed, *names_read(header.step)}, first)
            test = f"({by} > 0 && {counter} < {stop}) || ({by} < 0 && {counter} > {stop})"
            advance = f"{counter} += {by}"
        else:
            test = f"{counter} {'<' if step > 0 else '>'} {stop}"
            advance = {1: f"{counter}++", -1: f"{counter}--"}.get(step, f"{counter} += {step}")
        self.left_by_raise(node)
        self.in_order(node)
        self.open(f"for (long {', '.join(first)}; {test}; {advance})")
        if not own:
            self.line(f"{name} = {counter};")
        self.loops += 1
        self.block(statements_of(node.body))
        self.loops -= 1
        self.close()
        self.leave_on(node)

    def left_by_raise(self, loop: cst.For | cst.While) -> None:
        """Declare, before an outermost loop, what tells which `raise` in it has ended the iteration, and its values."""
        found = [] if self.loops else raises_in([loop])
        if found:
            counts = [slots(kind_of(k) for k in self.scope.types.raised[self.name_of(node)]) for node in found]
            fresh = self.scope.names.fresh
            self.leaving = (fresh("raised"), *(fresh(f"raised_{k}") for k in range(max(counts))))
            self.line(f"long {', '.join(f'{name} = 0' for name in self.leaving)};")

    def while_well(self, loop: cst.While) -> str:
        """The condition that no access of the iteration has failed; empty where none in `loop` is tested."""
        if not any(isinstance(node, cst.Subscript) and node in self.scope.guarded for node in nodes_in(loop)):
            return ""
        number, noted = self.scope.iteration(), self.scope.noted
        self.scope.tests_accesses = True
        if noted:
            return f"({noted}.site == 0 || {noted}.iteration > {number})"
        return f"{self.expressions.unit.fault_none()}(faults, {number})"

    def name_of(self, node: cst.Raise) -> str:
        return raising_of(node, self.scope.method)[0]

    def leave_on(self, loop: cst.For | cst.While) -> None:
        """Behind a loop: go on only if nothing was raised in it."""
        if not raises_in([loop]):
            return
        self.open(f"if ({self.leaving[0]})")
        if self.loops:
            self.line("break;")
        else:
            self.noted_raise(self.leaving)
        self.close()

    def in_order(self, loop: cst.For | cst.While) -> None:
        """Keep the trips of a loop in their order, unless they are proved independent."""
        if loop not in self.scope.independent:
            self.lines.append(IN_ORDER)

    def _limit(self, node: cst.BaseExpression, wish: str, changed: set[str], first: list[str]) -> str:
        """A limit of a range: as it is where it cannot change, else kept in a variable that `first` declares."""
        value = self.expressions.of_type(node, "int64")
        if _steady(node) and not names_read(node) & changed:
            return value.loose if value.level > 10 else f"({value.text})"
        kept = self.scope.names.fresh(wish)
        first.append(f"{kept} = {value.loose}")
        return kept

    # --- assignments ---------------------------------------------------------------------------------------------

    def assign(self, target: cst.BaseExpression, value: cst.BaseExpression) -> None:
        own = {*self.scope.own, *self.scope.apart}
        if isinstance(target, cst.Name) and target.value in own and isinstance(value, cst.Call):
            self.filled(target.value, value)
        elif isinstance(target, cst.Tuple):
            self._together([element.value for element in target.elements], value)
        elif isinstance(target, cst.Name) and not isinstance(self.scope.types.names.get(target.value), ScalarType):
            kept = [self._kept(part) for part in self.parts(value)]
            wanted = self.scope.types.names.get(target.value)
            kinds = wanted.elements if isinstance(wanted, TupleType) else ()
            for k, (part, kind) in enumerate(zip(kept, kinds, strict=True)):
                name = self.scope.names.of(target.value, k)
                self.line(f"{name} = {converted(part, kind.dtype).loose};")
        else:
            self._store(target, self._taken_over(self.expressions.expression(value)))

    def _taken_over(self, value: C) -> C:
        """A number that a loop takes over as it is; see `guards`."""
        if not self.loops or value.value is not None or not value.text.replace(".", "_").isidentifier():
            return value
        return call(COPY, value.dtype, value)

    def filled(self, name: str, node: cst.Call) -> None:
        """An allocation: the array is there, its elements get their first values."""
        array, callee = self.scope.array_type(name), self.scope.types.calls[node]
        assert array is not None
        self.negative_lengths(name)
        function = callee.name.removesuffix("_like")
        if function == "empty":
            return
        value = literal(function == "ones", "bool")
        if function == "full":
            value = self._kept(self.expressions.expression(node.args[1].value))
        at, step = self.scope.names.fresh(f"{self.scope.array(name)}_at"), self.scope.apart.get(name)
        count = functools.reduce(
            lambda one, other: infix("*", one, other, "int64"), [self.scope.length(name, k) for k in range(array.ndim)]
        )
        number = math.prod(self.scope.own[name]) if name in self.scope.own else count.loose
        place = at if step is None else f"{at} * {step}"
        self.line(f"for (long {at} = 0; {at} < {number}; {at}++)")
        self.line(f"{INDENT}{self.scope.array(name)}[{place}] = {converted(value, array.dtype).loose};")

    def negative_lengths(self, name: str) -> None:
        """Note a length below 0 as a fault of the iteration; nothing is in reach of an array without elements."""
        for axis, site in enumerate(self.scope.lengths_tested.get(name, ())):
            length = self.scope.length(name, axis)
            if isinstance(length.value, int) and length.value >= 0:
                continue
            self.scope.tests_accesses = True
            self.expressions.unit.fault_place()
            self.open(f"if ({length.text} < 0)")
            self.line(f"fault_note(faults, {self.scope.iteration()}, turn, {site.number}, {length.text});")
            if not self.loops:
                self.line(self.next_iteration)
            elif not self.barrier_follows:
                self.line("return;")
            self.close()

    def _together(self, targets: list[cst.BaseExpression], value: cst.BaseExpression) -> None:
        """All values are taken before the first target changes."""
        self.open("")
        self.lines[-1] = self.lines[-1].replace(" {", "{")
        parts = self.parts(value)
        kept = parts if self.expressions.tuple_of_call(value) else [self._kept(part) for part in parts]
        for target, part in zip(targets, kept, strict=True):
            self._store(target, part)
        self.close()

    def _kept(self, value: C) -> C:
        if value.value is not None:
            return value
        name = self.scope.names.fresh("value")
        self.line(f"const {CTYPES[value.dtype]} {name} = {self._taken_over(value).loose};")
        return C(name, value.dtype)

    def _store(self, target: cst.BaseExpression, value: C) -> None:
        if isinstance(target, cst.Name):
            variable = self.scope.variable(target)
            value = converted(value, variable.dtype)
            if target.value in self.tracked:
                self._tracked_store(variable, value, self.tracked[target.value])
            else:
                self.line(f"{variable.text} = {value.loose};")
        elif isinstance(target, cst.Subscript):
            self._element(target, value)
        else:
            raise self.expressions.lacks("this target", target)

    def _tracked_store(self, variable: C, value: C, position: str) -> None:
        name = self.scope.names.fresh("value")
        self.line(f"const {CTYPES[value.dtype]} {name} = {value.loose};")
        self.line(f"{position} = {name} != {variable.text} ? {self.scope.iteration()} : {position};")
        self.line(f"{variable.text} = {name};")

    def taking(self, node: cst.Assign, taker: Taker) -> None:
        """An update that takes its value in a way of its own."""
        candidate = self.scope.names.fresh("candidate")
        value, condition = taker.update(node, self.expressions)
        self.open("")
        self.lines[-1] = self.lines[-1].replace(" {", "{")
        self.line(f"const {CTYPES[taker.dtype]} {candidate} = {value};")
        self.open(f"if ({condition.format(candidate)})")
        self.line(f"{taker.text} = {candidate};")
        for line in taker.taken(self._iteration_if(taker), candidate):
            self.line(line)
        self.close()
        self.close()

    def taken(self, node: cst.If) -> None:
        """The end of the body of a conditional: what is noted where it is such an update."""
        taker = self.takes.get(node)
        if taker is not None:
            for line in taker.taken(self._iteration_if(taker), taker.text):
                self.line(line)

    def _iteration_if(self, taker: Taker) -> str:
        return self.scope.iteration() if taker.position else ""

    def _element(self, target: cst.Subscript, value: C) -> None:
        array, name = self.expressions.accessed(target)
        value = converted(value, array.dtype)
        if target in self.scope.guarded:
            function, _ = self.expressions.tested(target, store=True)
            arguments = ", ".join(a.loose for a in (*self.expressions.test_arguments(target), value))
            self.line(f"{function}({arguments});")
        else:
            self.line(f"{name}[{self.expressions.flat_index(target)}] = {value.loose};")

    def augmented(self, node: cst.AugAssign) -> None:
        left = self.expressions.expression(node.target)
        right = self.expressions.expression(node.value)
        operator = AUGMENTED[type(node.operator)]
        self._store(node.target, self.expressions.operation(node, operator, left, right))


def _arguments(node: cst.Raise) -> Sequence[cst.Arg]:
    return cst.ensure_type(node.exc, cst.Call).args


def noting(noted: str, place: int, write: Statements, unless: str = "") -> None:
    """Keep the first fault in `noted`, which is declared before line `place`, and enter it in the record now; not when
    `unless` is true."""
    write.lines[place:place] = [f"{INDENT}fault_first {noted};", f"{INDENT}{noted}.site = 0;"]
    values = ", ".join(f"{noted}.{part}" for part in ("site", "index"))
    write.line(f"if ({noted}.site != 0{f' && !{unless}' if unless else ''})")
    write.line(f"{INDENT}fault_note(faults, {noted}.iteration, turn, {values});")


def _steady(node: cst.BaseExpression) -> bool:
    """Whether an expression is cheap enough to be taken again in each turn, and reads no array element."""
    if isinstance(node, cst.BinaryOperation):
        return isinstance(node.operator, cst.Add | cst.Subtract) and _steady(node.left) and _steady(node.right)
    if isinstance(node, cst.Subscript):
        return isinstance(node.value, cst.Attribute)
    if isinstance(node, cst.Call):
        return isinstance(node.func, cst.Name) and node.func.value == "len"
    return isinstance(node, cst.Name | cst.Integer | cst.Attribute)
