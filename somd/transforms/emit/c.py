"""Statements of the loop program -> lines of C, with Python's meaning of loops and assignments.

`#line` directives name the user's lines, and the user's comments stay. Variables are declared by whoever writes the
function around (`declared`).
"""

from __future__ import annotations

import functools
import math
from collections.abc import Mapping, Sequence

import libcst as cst

from somd.settings.targets import TargetLacks
from somd.transforms.emit import c_complex
from somd.transforms.emit.c_expressions import Expressions
from somd.transforms.emit.c_guards import COPY, GUARDS_END, LOOPS_END
from somd.transforms.emit.c_leaving import Leaving
from somd.transforms.emit.c_lines import INDENT, Lines
from somd.transforms.emit.c_names import spelled
from somd.transforms.emit.c_scope import Scope
from somd.transforms.emit.c_taking import Taker
from somd.transforms.emit.c_tree import C, call, infix
from somd.transforms.emit.c_types import CTYPES, converted
from somd.transforms.emit.c_unit import Unit
from somd.transforms.emit.declared import Declared, assigned, is_steady, read_in
from somd.transforms.loops.program import (
    Allocate,
    AllocateLike,
    Assign,
    Break,
    Cast,
    Choice,
    Constant,
    Continue,
    Element,
    Evaluate,
    Expression,
    HelperCall,
    If,
    Loop,
    Operation,
    Origin,
    Raise,
    Return,
    Statement,
    Store,
    Tested,
    Unpack,
    Variable,
    While,
    Whole,
)
from somd.transforms.loops.walking import origin_of

#: before a loop that hands something on: Intel's compiler for CPUs makes vectors of it all the same, and then sums in
#: another association, or loses updates of elements that two trips share
IN_ORDER = "#pragma clang loop vectorize(disable) interleave(disable)"
EXTREMA = ("min", "max", "np.minimum", "np.maximum", "np.fmin", "np.fmax")


class Statements(Leaving):
    """Writes statements into `lines`.

    `scoped` are the loop variables that their loops declare. `next_iteration` is what `continue` outside any loop of
    the body becomes.
    """

    def __init__(
        self, scope: Scope, unit: Unit, declared: Declared, depth: int = 1, next_iteration: str = "return;"
    ) -> None:
        super().__init__(scope, depth)
        self.unit = unit
        self.expressions = Expressions(scope, unit)
        self.declared = declared
        self.next_iteration = next_iteration
        #: accumulators whose changes are noted, with the variable that takes the number of the iteration
        self.tracked: Mapping[str, str] = {}
        #: by the user's node: the updates of minima and maxima that take equal values, or nan
        self.takes: Mapping[cst.CSTNode, Taker] = {}
        #: flags of accumulators, which `takes` writes
        self.flags: frozenset[str] = frozenset()
        #: whether all work-items of a group must come to the end of the function
        self.barrier_follows = False
        self.loops = 0
        self.leaving: tuple[str, ...] = ()

    def value(self, node: Expression) -> C:
        return self.unit.printed(self.expressions.expression(node))

    def guards_end(self) -> None:
        """What stands between guards and conditions of the user's, see `c_guards`."""
        self.unit.needs.add(GUARDS_END)
        self.line(f"{GUARDS_END};")

    # --- blocks --------------------------------------------------------------------------------------------------

    def block(self, statements: Sequence[Statement]) -> None:
        """Statements, those of one of the user's together."""
        at = 0
        while at < len(statements):
            origin = origin_of(statements[at])
            end = at + 1
            while end < len(statements) and origin.node is not None and origin_of(statements[end]).node is origin.node:
                end += 1
            self.together(statements[at:end], origin)
            at = end

    def together(self, statements: Sequence[Statement], origin: Origin) -> None:
        """What one statement of the user's has become."""
        behind = origin_of(statements[-1]).behind
        within = [behind] if isinstance(statements[-1], Loop | While | If) else []
        for text in (*origin.comments, *within):
            self.comment(text)
        start = len(self.lines)
        self.where(origin.position)
        self.expressions.at = self.at
        for each in statements:
            self.statement(each)
        if behind and not within and len(self.lines) > start and _plain(behind):
            self.lines[-1] += f"  // {_plain(behind)}"

    def comment(self, text: str) -> None:
        if _plain(text):
            self.line(f"// {_plain(text)}")

    def statement(self, node: Statement) -> None:
        if isinstance(node, Assign):
            self.assign(node)
        elif isinstance(node, Store):
            self.store(node.element, self.taken_over(node.value))
        elif isinstance(node, Unpack):
            self.unpack(node)
        elif isinstance(node, Loop):
            self.loop(node)
        elif isinstance(node, While):
            self.repeated(node)
        elif isinstance(node, If):
            self.branches(node)
        elif isinstance(node, Allocate | AllocateLike):
            self.filled(node)
        else:
            self.simple(node)

    def simple(self, node: Statement) -> None:
        if isinstance(node, Break):
            self.line("break;")
        elif isinstance(node, Continue):
            self.line("continue;" if self.loops else self.next_iteration)
        elif isinstance(node, Return):
            self.returned(node)
        elif isinstance(node, Raise):
            self.raised(node)
        elif isinstance(node, Evaluate):
            self.line(f"(void)({self.value(node.value).text});")
        else:
            raise TargetLacks("this statement has no form in OpenCL C yet", self.at)

    # --- results and exceptions ----------------------------------------------------------------------------------

    def returned(self, node: Return) -> None:
        """`return` of a function: of a scalar, of a tuple's parts in their struct, or of the array that it fills."""
        values = [value for value in node.values if not isinstance(value, Whole)]
        if not values:
            self.line("return;")
            return
        if len(values) == 1:
            self.line(f"return {self.value(values[0]).loose};")
            return
        struct = self.unit.struct(tuple(value.type.dtype for value in values))
        name = self.scope.names.fresh("result")
        with self.braces():
            texts = ", ".join(part.loose for part in self.values(values))
            self.line(f"const {struct} {name} = {{{texts}}};")
            self.line(f"return {name};")

    def values(self, nodes: Sequence[Expression]) -> list[C]:
        """The values of expressions; a function that gives several of them is called once."""
        calls: dict[tuple[str, tuple[Expression, ...]], str] = {}
        found = []
        for node in nodes:
            inner = node.operand if isinstance(node, Cast) else node
            if not isinstance(inner, HelperCall) or inner.part is None:
                found.append(self.value(node))
                continue
            key = inner.function, inner.operands
            if key not in calls:
                calls[key] = self.parts(*key)
            found.append(converted(C(f"{calls[key]}.part_{inner.part}", inner.type.dtype), node.type.dtype))
        return found

    def parts(self, function: str, operands: tuple[Expression, ...]) -> str:
        """The variable that keeps the tuple which a function returns."""
        name = self.scope.names.fresh("parts")
        made = self.expressions.helper(function, operands, "int64")
        self.line(f"const {self.unit.struct(self.unit.result_of(function))} {name} = {made.text};")
        return name

    def unpack(self, node: Unpack) -> None:
        name = self.parts(node.function, node.operands)
        for k, target in enumerate(node.targets):
            part = f"{name}.part_{k}"
            if "'" in target.name:
                self.scope.held[target.name] = part
            else:
                self.line(f"{self.scope.value(target).text} = {part};")

    def raised(self, node: Raise) -> None:
        """Note a `raise` as the fault of the iteration, with its values, and end the iteration.

        In a loop it is only kept until the loop is left: compilers that make vectors of work-items get a lock inside
        such loops wrong.
        """
        values = [str(node.site.number), *(word for value in self.values(node.values) for word in _words(value))]
        self.scope.tests_accesses = True
        if not self.loops:
            self.noted_raise(values)
            return
        for name, value in zip(self.leaving, values, strict=False):
            self.line(f"{name} = {value};")
        self.line("break;")

    # --- control -------------------------------------------------------------------------------------------------

    def branches(self, node: If) -> None:
        self.open(f"if ({self.value(node.test).text})")
        self.body(node)
        while len(node.orelse) == 1 and isinstance(other := node.orelse[0], If) and not other.origin.comments:
            node = other
            self.where(node.origin.position)
            self.expressions.at = self.at
            self.close(f"}} else if ({self.value(node.test).text}) {{")
            self.depth += 1
            self.body(node)
        if node.orelse:
            self.close("} else {")
            self.depth += 1
            self.block(node.orelse)
        self.close()

    def body(self, node: If) -> None:
        """What happens if the test is true; behind it what is noted where that is such an update."""
        self.block(node.body)
        taker = None if node.origin.node is None else self.takes.get(node.origin.node)
        if taker is not None:
            for line in taker.taken(self._iteration_if(taker), taker.text):
                self.line(line)

    def repeated(self, node: While) -> None:
        self.left_by_raise(node)
        self.loops += 1
        self.lines.append(IN_ORDER)
        with (
            self.scope.around(node),
            self.braces(f"while ({self.while_well(node, self.value(node.test).text)})"),
        ):
            self.block(node.body)
        self.loops -= 1
        self.leave_on(node)

    def loop(self, node: Loop) -> None:
        """`for` over a range: bounds are taken once, and the body may change the variable without effect on it."""
        name = self.scope.value(node.variable).text
        own = node.variable.name in self.declared.scoped
        counter = name if own else self.scope.names.fresh(f"{name}_at")
        changed = {*assigned(node.body), node.variable.name}
        first = [f"{counter} = {self.value(node.start).loose}"]
        stop = self.limit(node.stop, f"{name}_stop", changed, first)
        step = node.step.value if isinstance(node.step, Constant) else 0
        if not step:
            by = self.limit(node.step, f"{name}_step", {*changed, *read_in(node.step)}, first)
            test = f"({by} > 0 && {counter} < {stop}) || ({by} < 0 && {counter} > {stop})"
            advance = f"{counter} += {by}"
        else:
            test = f"{counter} {'<' if step.real > 0 else '>'} {stop}"
            advance = {1: f"{counter}++", -1: f"{counter}--"}.get(int(step.real), f"{counter} += {step}")
        self.left_by_raise(node)
        if node.order == "in order":
            self.lines.append(IN_ORDER)
        with (
            self.scope.around(node),
            self.braces(f"for (long {', '.join(first)}; {self.while_well(node, test)}; {advance})"),
        ):
            if not own:
                self.line(f"{name} = {counter};")
            self.loops += 1
            self.block(node.body)
            self.loops -= 1
        self.leave_on(node)

    def limit(self, node: Expression, wish: str, changed: set[str], first: list[str]) -> str:
        """A limit of a range: as it is where it cannot change, else kept in a variable that `first` declares."""
        value = self.value(node)
        if is_steady(node) and not read_in(node) & changed:
            return value.loose if value.level > 10 else f"({value.text})"
        kept = self.scope.names.fresh(wish)
        first.append(f"{kept} = {value.loose}")
        return kept

    # --- assignments ---------------------------------------------------------------------------------------------

    def assign(self, node: Assign) -> None:
        name = node.target.name
        taker = None if node.origin.node is None else self.takes.get(node.origin.node)
        if name in self.flags:
            return
        if taker is not None and name == taker.reduction.name and not isinstance(node.origin.node, cst.If):
            self.taking(node, taker)
            return
        value = self.taken_over(node.value)
        if "'" in name and name not in self.declared.private:
            self.kept(name, node.value, value)
        elif name in self.tracked:
            self.tracked_store(self.scope.value(node.target), value, self.tracked[name])
        else:
            self.line(f"{self.scope.value(node.target).text} = {value.loose};")

    def kept(self, name: str, node: Expression, value: C) -> None:
        """A value that has no name of the user's, in a constant."""
        wish, _, rest = name.partition("'")
        text = self.scope.names.fresh(spelled(wish) if "'" in rest else wish)
        self.scope.held[name] = text
        self.line(f"const {CTYPES[node.type.dtype]} {text} = {value.loose};")

    def taken_over(self, node: Expression) -> C:
        """A value that is assigned; a number that a loop takes over as it is is copied, see `c_guards`."""
        inner = without_casts(node)
        if not self.loops or not isinstance(inner, Variable) or "'" in inner.name:
            return self.value(node)
        copied = self.value(inner)
        self.unit.needs.add(COPY)
        return self.unit.printed(self._cast_as(node, call(COPY, copied.dtype, copied)))

    def _cast_as(self, node: Expression, value: C) -> C:
        """`value` with the casts that stand around the variable in `node`."""
        return converted(self._cast_as(node.operand, value), node.type.dtype) if isinstance(node, Cast) else value

    def tracked_store(self, variable: C, value: C, position: str) -> None:
        name = self.scope.names.fresh("value")
        self.line(f"const {CTYPES[value.dtype]} {name} = {value.loose};")
        self.line(f"{position} = {name} != {variable.text} ? {self.scope.iteration()} : {position};")
        self.line(f"{variable.text} = {name};")

    def taking(self, node: Assign, taker: Taker) -> None:
        """An update that takes its value in a way of its own."""
        candidate = self.scope.names.fresh("candidate")
        function = self.unit.function(taker.reduction.op, taker.dtype)
        values = [converted(self.value(each), taker.dtype) for each in offered(node)]
        value = functools.reduce(lambda one, other: call(function, taker.dtype, one, other), values)
        with self.braces():
            self.line(f"const {CTYPES[taker.dtype]} {candidate} = {value.loose};")
            with self.braces(f"if ({taker.condition(candidate)})"):
                self.line(f"{taker.text} = {candidate};")
                for line in taker.taken(self._iteration_if(taker), candidate):
                    self.line(line)

    def _iteration_if(self, taker: Taker) -> str:
        return self.scope.iteration() if taker.position else ""

    def store(self, element: Element, value: C) -> None:
        if isinstance(element.access, Tested):
            function = self.expressions.tested(element, store=True)
            arguments = ", ".join(a.loose for a in (*self.expressions.test_arguments(element), value))
            self.line(f"{function}({arguments});")
        elif element in self.scope.staged:
            self.line(f"{self.scope.staged[element]} = {value.loose};")
        else:
            place = self.expressions.flat_index(element)
            self.line(f"{self.scope.array(element.array)}[{place}] = {value.loose};")

    # --- arrays of an iteration ----------------------------------------------------------------------------------

    def filled(self, node: Allocate | AllocateLike) -> None:
        """An allocation: the array is there, its elements get their first values."""
        name = node.array
        self.negative_lengths(name)
        if node.fill is None:
            return
        value = self.value(node.fill)
        if not isinstance(node.fill, Constant):
            kept = self.scope.names.fresh("value")
            self.line(f"const {CTYPES[value.dtype]} {kept} = {self.taken_over(node.fill).loose};")
            value = C(kept, value.dtype)
        at, step = self.scope.names.fresh(f"{self.scope.array(name)}_at"), self.scope.apart.get(name)
        lengths = [self.scope.length(name, k) for k in range(node.type.ndim)]
        count = functools.reduce(lambda one, other: infix("*", one, other, "int64"), lengths)
        number = math.prod(self.scope.own[name]) if name in self.scope.own else count.loose
        place = at if step is None else f"{at} * {step}"
        self.line(f"for (long {at} = 0; {at} < {number}; {at}++)")
        self.line(f"{INDENT}{self.scope.array(name)}[{place}] = {value.loose};")

    def negative_lengths(self, name: str) -> None:
        """Note a length below 0 as a fault of the iteration; nothing is in reach of an array without elements."""
        for axis, site in enumerate(self.scope.lengths_tested.get(name, ())):
            length = self.scope.length(name, axis)
            if isinstance(length.value, int) and length.value >= 0:
                continue
            self.scope.tests_accesses = True
            self.unit.fault_place()
            with self.braces(f"if ({length.text} < 0)"):
                self.line(f"fault_note(faults, {self.scope.iteration()}, turn, {site.number}, {length.text});")
                if not self.loops:
                    self.line(self.next_iteration)
                elif not self.barrier_follows:
                    self.line("return;")


def without_casts(node: Expression) -> Expression:
    """What an expression converts."""
    while isinstance(node, Cast):
        node = node.operand
    return node


def offered(node: Assign) -> list[Expression]:
    """What an update by `min`, `max` or a conditional expression offers to the accumulator."""
    waiting, found = [node.value], []
    while waiting:
        each = waiting.pop(0)
        inner = without_casts(each)
        if isinstance(inner, Variable) and inner.name == node.target.name:
            continue
        parts = extremum_of(inner)
        if parts:
            waiting[:0] = parts
        else:
            found.append(each)
    return found


def extremum_of(node: Expression) -> tuple[Expression, ...]:
    """What a minimum or maximum, or a conditional expression, chooses from; nothing of other expressions."""
    if isinstance(node, Choice):
        return node.yes, node.no
    return node.operands if isinstance(node, Operation) and node.operator in EXTREMA else ()


def _plain(comment: str) -> str:
    """A comment of the user's without its mark. A backslash at the end would make the next line of C one, too."""
    return comment.lstrip("#").strip().encode("ascii", "replace").decode().rstrip("\\ ?")


def _words(value: C) -> list[str]:
    """A value in words of 64 bits: integers as they are, floats by their bits, complex numbers part by part."""
    numbers = [c_complex.part(value, p) for p in ("real", "imag")] if c_complex.is_complex(value) else [value]
    found = []
    for number in numbers:
        bits = {"float64": "as_long", "float32": "as_int"}.get(number.dtype)
        found.append(f"(long)({number.text})" if bits is None else f"(long){bits}({number.text})")
    return found


def noting(noted: str, place: list[str], write: Lines, unit: Unit, unless: str = "") -> None:
    """Keep the first fault in `noted`, which is declared at `place`, and enter it in the record now; not when `unless`
    is true."""
    unit.needs.add(LOOPS_END)
    write.line(f"{LOOPS_END};")
    place += [f"{INDENT}fault_first {noted};", f"{INDENT}{noted}.site = 0;"]
    values = ", ".join(f"{noted}.{part}" for part in ("site", "index"))
    write.line(f"if ({noted}.site != 0{f' && !{unless}' if unless else ''})")
    write.line(f"{INDENT}fault_note(faults, {noted}.iteration, turn, {values});")
