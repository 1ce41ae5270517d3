"""libcst statements, with the types that inference found -> statements of the loop program."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import libcst as cst

from somd.transforms.frontend.raises import raising_of
from somd.transforms.library import LibraryFunction, library_function
from somd.transforms.loops.at_once import AtOnce
from somd.transforms.loops.calls_to_loops import operator_call
from somd.transforms.loops.expressions_to_loops import Expressions
from somd.transforms.loops.making import INT64, cast, constant, variable
from somd.transforms.loops.program import (
    Allocate,
    AllocateLike,
    Assign,
    Break,
    Constant,
    Continue,
    Copy,
    Evaluate,
    Expression,
    If,
    Interval,
    LibraryCall,
    Loop,
    Order,
    Origin,
    Raise,
    Rebind,
    Return,
    Statement,
    Store,
    Unpack,
    Variable,
    While,
    Whole,
)
from somd.transforms.loops.ranges import met, of_trips, whole
from somd.transforms.loops.rewriting import with_origin
from somd.transforms.stages import LocalArray, RaiseSite
from somd.transforms.tree.loops import else_statements, range_of, small_statements, statements_of
from somd.transforms.tree.names import assigned_names, target_parts
from somd.transforms.types.scalars import AUGMENTED, ArrayType, ScalarType, TupleType, Type

Block = tuple[Statement, ...]


def comments_of(node: cst.CSTNode) -> tuple[str, ...]:
    """The user's comments on the lines before a statement."""
    return tuple(line.comment.value for line in getattr(node, "leading_lines", ()) if line.comment is not None)


def comment_behind(node: cst.CSTNode) -> str:
    """The user's comment behind a statement, on its line."""
    body = getattr(node, "body", None)
    behind = body.header if isinstance(body, cst.IndentedBlock) else getattr(node, "trailing_whitespace", None)
    return behind.comment.value if isinstance(behind, cst.TrailingWhitespace) and behind.comment is not None else ""


class Names:
    """Names for what the program needs besides the method's own; they have a quote, as no name of the method has."""

    def __init__(self) -> None:
        self.count = 0

    def fresh(self, wish: str) -> str:
        self.count += 1
        return f"{wish}'{self.count}"


class Statements:
    """Builds the statements of one function.

    `result` is what it returns; `raises` the sites of `raise` statements, by their names.
    """

    def __init__(
        self, expressions: Expressions, names: Names, result: Type | None, raises: Mapping[str, RaiseSite]
    ) -> None:
        self.expressions = expressions
        self.names = names
        self.result = result
        self.raises = raises
        #: by statement that updates an accumulator: what notes that it was taken
        self.flags: Mapping[cst.CSTNode, Statement] = {}
        #: the library calls of the method, by their numbers
        self.libraries: Mapping[LibraryFunction, int] = {}
        #: arrays that an iteration makes for itself
        self.own: Mapping[str, LocalArray] = {}
        #: loops that are proved independent
        self.independent: tuple[cst.For, ...] = ()
        #: the lowest values of loop variables
        self.lowest: Mapping[cst.For, int] = {}

    # --- blocks --------------------------------------------------------------------------------------------------

    def block(self, statements: Sequence[cst.CSTNode]) -> Block:
        made: list[Statement] = []
        for line in statements:
            of_line = [statement for node in small_statements((line,)) for statement in self.statement(node)]
            if of_line:
                of_line[0] = with_origin(of_line[0], comments=comments_of(line))
                of_line[-1] = with_origin(of_line[-1], behind=comment_behind(line))
            made += of_line
        return tuple(made)

    def statement(self, node: cst.CSTNode) -> list[Statement]:
        """The statements that one of the method means; none for those that do nothing."""
        if isinstance(node, cst.Pass) or (isinstance(node, cst.Expr) and isinstance(node.value, cst.BaseString)):
            return []
        origin = self.expressions.origin(node)
        if isinstance(node, cst.Assign):
            if len(node.targets) > 1:
                raise self.expressions.lacks("an assignment to several targets", node)
            made = self.assigned(node.targets[0].target, node.value, origin)
            return [*made, self.flags[node]] if node in self.flags else made
        if isinstance(node, cst.AnnAssign):
            return [] if node.value is None else self.assigned(node.target, node.value, origin)
        if isinstance(node, cst.AugAssign):
            return self.augmented(node, origin)
        if isinstance(node, cst.For):
            return [self.loop(node, "free" if node in self.independent else "in order")]
        if isinstance(node, cst.While):
            return [While(self.expressions.test(node.test), self.block(statements_of(node.body)), origin)]
        if isinstance(node, cst.If):
            body = self.block(statements_of(node.body))
            body = (*body, self.flags[node]) if node in self.flags else body
            return [If(self.expressions.test(node.test), body, self.block(else_statements(node)), origin)]
        if isinstance(node, cst.With):
            return list(self.block(statements_of(node.body)))
        return self.simple(node, origin)

    def simple(self, node: cst.CSTNode, origin: Origin) -> list[Statement]:
        if isinstance(node, cst.Break):
            return [Break(origin)]
        if isinstance(node, cst.Continue):
            return [Continue(origin)]
        if isinstance(node, cst.Return):
            return self.returned(node, origin)
        if isinstance(node, cst.Raise):
            return [self.raised(node, origin)]
        if isinstance(node, cst.Expr):
            return self.computed(node.value, origin)
        raise self.expressions.lacks(f"a statement of the form {type(node).__name__}", node)

    def computed(self, value: cst.BaseExpression, origin: Origin) -> list[Statement]:
        """A value that nothing gets."""
        if not isinstance(self.expressions.types.nodes.get(value), TupleType):
            return [Evaluate(self.expressions.expression(value), origin)]
        made = AtOnce(self, origin)
        made.compute(value)
        return made.statements()

    def raised(self, node: cst.Raise, origin: Origin) -> Raise:
        name, _ = raising_of(node, self.expressions.method)
        site = self.raises.get(name)
        if site is None:
            raise self.expressions.lacks("a `raise` outside of the method", node)
        kinds = self.expressions.types.raised[name]
        values: list[Expression] = []
        for argument, kind in zip(cst.ensure_type(node.exc, cst.Call).args, kinds, strict=True):
            tuple_ = isinstance(kind, TupleType)
            values += (
                self.expressions.parts(argument.value) if tuple_ else [self.expressions.expression(argument.value)]
            )
        return Raise(site, tuple(values), kinds, origin)

    # --- loops ---------------------------------------------------------------------------------------------------

    def loop(self, node: cst.For, order: Order, hull: tuple[Expression, Expression] | None = None) -> Loop:
        header = range_of(node)
        if header is None or node.orelse is not None:
            raise self.expressions.lacks("this loop", node)
        start, stop = self.expressions.limit(header.start), self.expressions.limit(header.stop)
        step = self.expressions.limit(header.step)
        values = self.values_of(node, start, stop, step)
        with_range = self.entered(node, header.variable, values)
        body = self.block(statements_of(node.body))
        self.left(header.variable, with_range)
        place, first = self.loop_variable(header.variable, values)
        return Loop(place, start, stop, step, (*first, *body), order, hull, self.expressions.origin(node))

    def loop_variable(self, name: str, values: Interval | None) -> tuple[Variable, list[Statement]]:
        """The variable of a loop, and what each trip begins with: a name that is something else than a whole number in
        other places gets the value of one."""
        place = self.place(name)
        if place.type == INT64:
            return variable(name, INT64, values), []
        counted = variable(self.names.fresh(name), INT64, values)
        return counted, [Assign(place, cast(counted, place.type))]

    def values_of(self, node: cst.For, start: Expression, stop: Expression, step: Expression) -> Interval | None:
        """The interval of a loop's variable."""
        lowest = self.lowest.get(node)
        found = whole(INT64)
        assert found is not None and start.range is not None and stop.range is not None
        if isinstance(step, Constant):
            found = of_trips(start.range, stop.range, isinstance(step.value, int) and step.value > 0)
        return found if lowest is None else met(Interval(lowest, max(lowest, found.high)), found)

    def entered(self, node: cst.For, name: str, values: Interval | None) -> Interval | None:
        """Note what a loop's variable is in its body; what was noted of the name before is given back."""
        before = self.expressions.ranges.pop(name, None)
        if values is not None and name not in assigned_names(node.body):
            self.expressions.ranges[name] = values
        return before

    def left(self, name: str, before: Interval | None) -> None:
        self.expressions.ranges.pop(name, None)
        if before is not None:
            self.expressions.ranges[name] = before

    # --- assignments ---------------------------------------------------------------------------------------------

    def assigned(self, target: cst.BaseExpression, value: cst.BaseExpression, origin: Origin) -> list[Statement]:
        types = self.expressions.types
        library = self.library(target, value, origin)
        if library is not None:
            return [library]
        if isinstance(target, cst.Tuple):
            if isinstance(value, cst.Tuple) and len(value.elements) == 1:
                return self.assigned(target.elements[0].value, value.elements[0].value, origin)
            return self.together(target, value, origin)
        kind = types.names.get(target.value) if isinstance(target, cst.Name) else None
        if isinstance(target, cst.Name) and isinstance(kind, ArrayType):
            return self.array(target.value, value, origin)
        if isinstance(target, cst.Name) and isinstance(kind, TupleType):
            return self.named_tuple(target, value, origin)
        return [self.store(target, self.expressions.expression(value), origin)]

    def library(self, target: cst.BaseExpression, value: cst.BaseExpression, origin: Origin) -> LibraryCall | None:
        """A call of a library, which stands in a statement of its own."""
        function = library_function(value, self.expressions.method)
        if function is None or not isinstance(value, cst.Call):
            return None
        types = self.expressions.types
        given = tuple(self.whole_or(argument.value, types.nodes[argument.value]) for argument in value.args)
        names = [cst.ensure_type(each, cst.Name).value for each in target_parts(target)]
        kinds = [(name, types.names[name]) for name in names]
        made = tuple(Whole(name, kind) if isinstance(kind, ArrayType) else self.place(name) for name, kind in kinds)
        return LibraryCall(self.libraries[function], function, made, given, origin)

    def whole_or(self, node: cst.BaseExpression, kind: Type) -> Expression | Whole:
        """An array itself, or a number."""
        if isinstance(kind, ArrayType):
            return Whole(cst.ensure_type(node, cst.Name).value, kind)
        return self.expressions.expression(node)

    def store(self, target: cst.BaseExpression, value: Expression, origin: Origin) -> Statement:
        if isinstance(target, cst.Name):
            place = self.place(target.value)
            return Assign(place, cast(value, place.type), origin)
        if isinstance(target, cst.Subscript):
            element = self.expressions.element(target)
            return Store(element, cast(value, element.type), origin)
        raise self.expressions.lacks("this target", target)

    def place(self, name: str) -> Variable:
        """A scalar as a target, of which no more is known than its type."""
        kind = self.expressions.types.names.get(name)
        assert isinstance(kind, ScalarType), name
        return variable(name, kind)

    def augmented(self, node: cst.AugAssign, origin: Origin) -> list[Statement]:
        sides = self.expressions.expression(node.target), self.expressions.expression(node.value)
        kind, joins = AUGMENTED[type(node.operator)], node in self.expressions.joining
        value = operator_call(kind, sides, self.expressions.type_of(node), joins)
        made = [self.store(node.target, value, origin)]
        return [*made, self.flags[node]] if node in self.flags else made

    def together(self, target: cst.BaseExpression, value: cst.BaseExpression, origin: Origin) -> list[Statement]:
        """All values are taken before the first part of a target changes."""
        made = AtOnce(self, origin)
        made.take(target, value)
        return made.statements()

    def kept(self, value: Expression, origin: Origin) -> tuple[Expression, list[Statement]]:
        """A value in a variable of its own, and what puts it there; a constant as it is."""
        if isinstance(value, Constant):
            return value, []
        held = variable(self.names.fresh("value"), value.type, value.range)
        return held, [Assign(held, value, origin)]

    def named_tuple(self, target: cst.Name, value: cst.BaseExpression, origin: Origin) -> list[Statement]:
        """A tuple that has a name: a variable for each part."""
        if not isinstance(value, cst.Call) or self.expressions.types.calls[value].helper is None:
            return self.together(target, value, origin)
        kind = self.expressions.types.names[target.value]
        assert isinstance(kind, TupleType)
        function, operands = self.expressions.helper(value)
        names = [self.expressions.part_name(target.value, k) for k in range(len(kind.elements))]
        parts = (variable(name, self.expressions.part_type(kind, k)) for k, name in enumerate(names))
        return [Unpack(tuple(parts), function, operands, origin)]

    # --- arrays --------------------------------------------------------------------------------------------------

    def array(self, name: str, value: cst.BaseExpression, origin: Origin) -> list[Statement]:
        """A name gets an array: a new one, or one that has a name already."""
        if isinstance(value, cst.Name):
            return [Rebind((name,), (value.value,), origin)]
        callee = self.expressions.types.calls.get(value) if isinstance(value, cst.Call) else None
        if not isinstance(value, cst.Call) or callee is None:
            raise self.expressions.lacks("this array", value)
        type_ = self.expressions.types.nodes[value]
        assert isinstance(type_, ArrayType)
        if callee.kind == "allocate":
            lengths = tuple(cast(each, INT64) for each in self.lengths(value.args[0].value))
            sites = self.own[name].sites if name in self.own else ()
            return [Allocate(name, type_, lengths, self.fill(value, callee.name, type_), sites, origin)]
        source = value.func.value if callee.kind == "copy" and isinstance(value.func, cst.Attribute) else (
            value.args[0].value
        )  # fmt: skip
        if callee.kind not in ("like", "copy"):
            raise self.expressions.lacks("this array", value)
        like = source.value if isinstance(source, cst.Name) else self.names.fresh(name)
        before = [] if isinstance(source, cst.Name) else self.array(like, source, origin)
        if callee.name == "copy":
            return [*before, Copy(name, type_, like, callee.kind == "copy", origin)]
        kind = callee.name.removesuffix("_like")
        return [*before, AllocateLike(name, type_, like, self.fill(value, kind, type_), origin)]

    def lengths(self, node: cst.BaseExpression) -> list[Expression]:
        """The lengths that a shape says: a number or a tuple."""
        if isinstance(self.expressions.types.nodes.get(node), TupleType):
            return self.expressions.parts(node)
        return [self.expressions.expression(node)]

    def fill(self, node: cst.Call, name: str, type_: ArrayType) -> Expression | None:
        """What every element of a new array is."""
        if name == "empty":
            return None
        if name == "full":
            return self.expressions.of_type(node.args[1].value, type_.element)
        return constant(name == "ones", type_.element)

    # --- results -------------------------------------------------------------------------------------------------

    def returned(self, node: cst.Return, origin: Origin) -> list[Statement]:
        """`return`: its values in the types of the result; arrays that are made there get names."""
        if node.value is None or self.result is None:
            return [Return((), origin)]
        before: list[Statement] = []
        if not isinstance(self.result, TupleType):
            value = self.value(node.value, self.result, before, origin)
            return [*before, Return((value,), origin)]
        if isinstance(node.value, cst.Tuple):
            pairs = zip(node.value.elements, self.result.elements, strict=True)
            values = tuple(self.value(element.value, kind, before, origin) for element, kind in pairs)
            return [*before, Return(values, origin)]
        if isinstance(node.value, cst.Name) and any(isinstance(kind, ArrayType) for kind in self.result.elements):
            named = [
                (self.expressions.part_name(node.value.value, k), kind) for k, kind in enumerate(self.result.elements)
            ]
            parts_ = (Whole(n, kind) if isinstance(kind, ArrayType) else variable(n, kind) for n, kind in named)
            return [Return(tuple(parts_), origin)]
        scalars = [kind for kind in self.result.elements if isinstance(kind, ScalarType)]
        parts = zip(self.expressions.parts(node.value), scalars, strict=True)
        return [Return(tuple(cast(part, kind) for part, kind in parts), origin)]

    def value(
        self, node: cst.BaseExpression, kind: ScalarType | ArrayType, before: list[Statement], origin: Origin
    ) -> Expression | Whole:
        if isinstance(kind, ScalarType):
            return self.expressions.of_type(node, kind)
        if isinstance(node, cst.Name):
            return Whole(node.value, kind)
        name = self.names.fresh("result")
        before += self.array(name, node, origin)
        return Whole(name, kind)
