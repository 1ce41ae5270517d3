"""What expressions and statements mean: functions of the values of names, made once and run as often as need be.

In: nodes of a program. Out: functions of a dictionary, which has NumPy scalars and arrays by name. A statement's
function gives None, or how the block around ends.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from somd.language.combining import joined
from somd.language.library import library_call
from somd.language.raising import Raises
from somd.transforms.loops.operators import EXACT, OPERATORS, number
from somd.transforms.loops.program import (
    Allocate,
    AllocateLike,
    Assign,
    Break,
    Cast,
    Check,
    Choice,
    Constant,
    Continue,
    Copy,
    Element,
    Evaluate,
    Expression,
    Function,
    If,
    Interval,
    Join,
    Lanes,
    Length,
    LibraryCall,
    Loop,
    Operation,
    Partials,
    Raise,
    Rebind,
    Region,
    Return,
    Scan,
    Snapshot,
    Statement,
    Store,
    Unpack,
    Variable,
    While,
    Whole,
)
from somd.transforms.loops.ranges import inside, whole
from somd.transforms.loops.witness import ProgramViolation, claim, outside, place
from somd.transforms.raise_rows import kind_of
from somd.transforms.types.scalars import ArrayType, ScalarType, Type

Names = dict[str, Any]
Value = Callable[[Names], Any]


@dataclass(frozen=True)
class Returned:
    """A block ends with `return`."""

    values: tuple[Any, ...]


Signal = Returned | type[Break] | type[Continue] | None
Code = Callable[[Names], Signal]


class Carried(Exception):
    """What the method raises, told apart from what goes wrong in its program."""

    def __init__(self, error: BaseException) -> None:
        super().__init__(error)
        self.error = error


class Running(Protocol):
    """What decides in which order things happen, and watches."""

    def reads(self, element: Element, array: Any, where: tuple[int, ...]) -> None: ...
    def writes(self, element: Element, array: Any, where: tuple[int, ...]) -> None: ...
    def relaxed(self, element: Element, names: Names, where: tuple[int, ...]) -> bool: ...
    def trips(self, values: range) -> Sequence[int]: ...
    def region(self, region: Region, names: Names) -> None: ...
    def scan(self, scan: Scan, names: Names) -> None: ...
    def partials(self, number: int) -> list[Names]: ...
    def lanes(self, node: Lanes, body: Code, names: Names) -> None: ...
    def in_time_tiles(self, node: Loop, trips: range, body: Code, between: Code, names: Names) -> bool: ...
    def in_panels(self, node: Loop, trips: range, body: Code, names: Names) -> None: ...


class Meaning:
    """Makes the functions of a program called `name`."""

    def __init__(self, running: Running, name: str) -> None:
        self.running = running
        self.name = name
        self.functions: dict[str, Callable[[list[Any]], tuple[Any, ...]]] = {}
        #: the arrays whose elements several iterations may touch: those of a region
        self.watched: frozenset[str] = frozenset()
        #: what is tested of loop variables where their trips begin
        self.claimed: dict[str, Interval | None] = {}

    def function(self, function: Function) -> None:
        """Make a helper known."""
        body = self.block(function.body)
        names = [parameter.name for parameter in function.parameters]

        def run(values: list[Any]) -> tuple[Any, ...]:
            found = body(dict(zip(names, values, strict=True)))
            assert isinstance(found, Returned)
            return found.values

        self.functions[function.name] = run

    # --- expressions ---------------------------------------------------------------------------------------------

    def value(self, node: Expression) -> Value:
        if isinstance(node, Constant):
            held = number(node.value, node.type.dtype)
            return lambda names: held
        if isinstance(node, Variable):
            return _read(node, self.claimed.get(node.name))
        if isinstance(node, Length):
            array, axis = node.array, node.axis
            return lambda names: np.int64(names[array].shape[axis])
        if isinstance(node, Element):
            return self.element(node)
        if isinstance(node, Operation):
            return self.operation(node)
        if isinstance(node, Cast):
            operand, dtype = self.value(node.operand), np.dtype(node.type.dtype)
            return lambda names: operand(names).astype(dtype)
        if isinstance(node, Choice):
            test, yes, no = self.value(node.test), self.value(node.yes), self.value(node.no)
            return lambda names: yes(names) if test(names) else no(names)
        call, part = self.call(node.function, node.operands), node.part or 0
        return lambda names: call(names)[part]

    def operation(self, node: Operation) -> Value:
        function = OPERATORS[node.operator].meaning
        values = [self.value(each) for each in node.operands]
        if node.operator == "and":
            return lambda names: values[0](names) and values[1](names)
        if node.operator == "or":
            return lambda names: values[0](names) or values[1](names)
        if len(values) == 1:
            [only] = values
            return lambda names: function(only(names))
        if len(values) == 2:
            left, right = values
            return lambda names: function(left(names), right(names))
        return lambda names: function(*(value(names) for value in values))

    def exact(self, node: Expression) -> Value:
        """The value of an integer or a condition, a number of Python's, where integers have no width."""
        if isinstance(node, Cast):
            operand, truth = self.exact(node.operand), node.type.kind == "b"
            return lambda names: bool(operand(names)) if truth else operand(names)
        if isinstance(node, Operation):
            function, values = EXACT[node.operator], [self.exact(each) for each in node.operands]
            return lambda names: function(*(value(names) for value in values))
        if isinstance(node, Choice):
            test, yes, no = self.exact(node.test), self.exact(node.yes), self.exact(node.no)
            return lambda names: yes(names) if test(names) else no(names)
        value = self.value(node)
        return lambda names: value(names).item()

    def call(self, function: str, operands: tuple[Expression, ...]) -> Callable[[Names], tuple[Any, ...]]:
        values, functions = [self.value(each) for each in operands], self.functions
        return lambda names: functions[function]([value(names) for value in values])

    def element(self, node: Element) -> Value:
        where, running = self.place(node), self.running
        array = node.array
        if node.relaxed is not None:
            snapshot = node.relaxed.snapshot

            def relaxed(names: Names) -> Any:
                at = where(names)
                if running.relaxed(node, names, at):
                    return names[snapshot][at]
                running.reads(node, names[array], at)
                return names[array][at]

            return relaxed
        if array not in self.watched:
            return lambda names: names[array][where(names)]

        def watched(names: Names) -> Any:
            at = where(names)
            running.reads(node, names[array], at)
            return names[array][at]

        return watched

    def place(self, node: Element) -> Callable[[Names], tuple[int, ...]]:
        values = [self.value(each) for each in node.indices]
        return lambda names: place(node, names[node.array], [int(value(names)) for value in values])

    # --- statements ----------------------------------------------------------------------------------------------

    def block(self, statements: Sequence[Statement]) -> Code:
        codes = [self.statement(each) for each in statements]

        def run(names: Names) -> Signal:
            for code in codes:
                signal = code(names)
                if signal is not None:
                    return signal
            return None

        return run

    def statement(self, node: Statement) -> Code:
        if isinstance(node, Break | Continue):
            signal = type(node)
            return lambda names: signal
        if isinstance(node, Loop):
            return self.loop(node)
        if isinstance(node, While):
            return self.repeated(node)
        if isinstance(node, If):
            test, yes, no = self.value(node.test), self.block(node.body), self.block(node.orelse)
            return lambda names: yes(names) if test(names) else no(names)
        if isinstance(node, Return):
            return self.returned(node)
        if isinstance(node, Lanes):
            lanes, body = node, self.block(node.body)
            return _without_end(lambda names: self.running.lanes(lanes, body, names))
        return _without_end(self.effect(node))

    def effect(self, node: Statement) -> Callable[[Names], object]:
        """What a statement does behind which the block goes on."""
        if isinstance(node, Assign):
            name, value = node.target.name, self.value(node.value)
            return lambda names: names.__setitem__(name, value(names))
        if isinstance(node, Unpack):
            call, targets = self.call(node.function, node.operands), [target.name for target in node.targets]
            return lambda names: names.update(zip(targets, call(names), strict=True))
        if isinstance(node, Store):
            return self.store(node)
        if isinstance(node, Evaluate):
            return self.value(node.value)
        if isinstance(node, Region):
            return lambda names: self.running.region(node, names)
        if isinstance(node, Scan):
            return lambda names: self.running.scan(node, names)
        if isinstance(node, Check):
            condition, site = self.exact(node.condition), node.site

            def check(names: Names) -> None:
                if condition(names):
                    raise outside(site)

            return check
        if isinstance(node, Raise):
            return self.raised(node)
        if isinstance(node, Join):
            return lambda names: names.update(self.joined(node))
        return self.of_arrays(node)

    def of_arrays(self, node: Statement) -> Callable[[Names], object]:
        if isinstance(node, Allocate):
            return self.allocate(node)
        if isinstance(node, AllocateLike):
            like, fill = node, None if node.fill is None else self.value(node.fill)

            def allocate_like(names: Names) -> None:
                made = np.empty_like(names[like.like], like.type.dtype)
                names[like.array] = _filled(made, None if fill is None else fill(names))

            return allocate_like
        if isinstance(node, Copy):
            copy, order = node, "C" if node.ordered else "K"
            return lambda names: names.__setitem__(copy.array, names[copy.source].copy(order))
        if isinstance(node, LibraryCall):
            return self.library(node)
        if isinstance(node, Rebind):
            targets, sources = node.targets, node.sources
            return lambda names: names.update(zip(targets, [names[source] for source in sources], strict=True))
        assert isinstance(node, Snapshot), node
        copies = node.copies
        return lambda names: names.update({copy: names[array].copy() for array, copy in copies})

    def library(self, node: LibraryCall) -> Callable[[Names], object]:
        call = library_call(node.function.row, node.function.position.file)
        values = [_whole(each) if isinstance(each, Whole) else self.value(each) for each in node.values]
        targets = [each.array if isinstance(each, Whole) else each.name for each in node.targets]
        return lambda names: names.update(zip(targets, call(*(value(names) for value in values)), strict=True))

    def store(self, node: Store) -> Callable[[Names], object]:
        where, value, element = self.place(node.element), self.value(node.value), node.element
        watched, running = element.array in self.watched, self.running

        def store(names: Names) -> None:
            made = value(names)
            at = where(names)
            array = names[element.array]
            if watched:
                running.writes(element, array, at)
            array[at] = made

        return store

    def allocate(self, node: Allocate) -> Callable[[Names], object]:
        lengths = [self.value(each) for each in node.lengths]
        fill = None if node.fill is None else self.value(node.fill)

        def allocate(names: Names) -> None:
            shape = [int(length(names)) for length in lengths]
            for length, site in zip(shape, node.sites, strict=False):
                if length < 0:
                    raise ValueError(f"negative dimensions are not allowed, line {site.position.line}")
            made = np.empty(shape, node.type.dtype)  # raises ValueError itself where a length is below 0
            names[node.array] = _filled(made, None if fill is None else fill(names))

        return allocate

    def raised(self, node: Raise) -> Callable[[Names], object]:
        values, raising = [self.value(each) for each in node.values], node.site.raising
        where = raising.position
        kinds = tuple((text, kind_of(kind)) for text, kind in zip(raising.values, node.kinds, strict=True))
        row = (where.file, where.line, where.column, raising.function.__name__, raising.text, 0, kinds)
        table = Raises({0: row}, (raising.function,))

        def run(names: Names) -> None:
            raise Carried(table.exception(0, [value(names) for value in values]))

        return run

    def returned(self, node: Return) -> Code:
        values: list[Value] = []
        for each in node.values:
            values.append(_whole(each) if isinstance(each, Whole) else self.value(each))
        return lambda names: Returned(tuple([value(names) for value in values]))

    def joined(self, node: Join) -> Names:
        parts, found = self.running.partials(node.region), {}
        for variable, kind in zip(node.names, node.kinds, strict=True):
            values = [plain(part[variable.name], kind) for part in parts]
            made = joined(node.function, values, node.text, self.name)
            found[variable.name] = number(made, variable.type.dtype)
        return found

    def partial_results(self, node: Partials) -> Callable[[Names], list[Returned]]:
        """What the rest of the program makes of the values of each part."""
        body, targets = self.block(node.body), [each.name for each in node.names]

        def run(names: Names) -> list[Returned]:
            found = []
            for part in self.running.partials(node.region):
                signal = body({**names, **{target: part[target] for target in targets}})
                assert isinstance(signal, Returned)
                found.append(signal)
            return found

        return run

    # --- loops ---------------------------------------------------------------------------------------------------

    def loop(self, node: Loop) -> Code:
        limits = [self.value(each) for each in (node.start, node.stop, node.step)]
        variable, running = node.variable, self.running
        before, self.claimed = self.claimed, {**self.claimed, variable.name: variable.range}
        body, self.claimed = self.block(node.body), before
        values = variable.range
        between = None if node.time_tiles is None else self.block(node.time_tiles.between)

        def run(names: Names) -> Signal:
            start, stop, step = (int(limit(names)) for limit in limits)
            trips: Sequence[int] = range(start, stop, step)
            if between is not None and running.in_time_tiles(node, range(start, stop, step), body, between, names):
                return None
            if node.panels is not None:
                running.in_panels(node, range(start, stop, step), body, names)
                return None
            if node.order == "free":
                trips = running.trips(range(start, stop, step))
            for value in trips:
                if values is not None and not values.low <= value <= values.high:
                    raise ProgramViolation(f"`{variable.name}` lies in {values}, is {value}")
                names[variable.name] = np.int64(value)
                signal = body(names)
                if signal is Continue or signal is None:
                    continue
                claim(node.order == "in order", f"the loop over `{variable.name}`, in any order, is left early")
                if signal is Break:
                    break
                return signal
            return None

        return run

    def repeated(self, node: While) -> Code:
        test, body = self.value(node.test), self.block(node.body)

        def run(names: Names) -> Signal:
            while test(names):
                signal = body(names)
                if signal is Break:
                    break
                if isinstance(signal, Returned):
                    return signal
            return None

        return run


def plain(value: Any, kind: ScalarType) -> Any:
    """A number as plain Python has it."""
    return value.item() if kind.weak else value


def _read(node: Variable, claimed: Interval | None) -> Value:
    name, values = node.name, node.range

    def read(names: Names) -> Any:
        try:
            return names[name]
        except KeyError:
            raise ProgramViolation(f"`{name}` has no value where it is read") from None

    if values is None or values == whole(node.type) or inside(claimed, values):
        return read
    low, high = np.dtype(node.type.dtype).type(values.low), np.dtype(node.type.dtype).type(values.high)

    def within(names: Names) -> Any:
        value = read(names)
        if not low <= value <= high:
            raise ProgramViolation(f"`{name}` lies in {values}, is {value}")
        return value

    return within


def _whole(node: Whole) -> Value:
    name = node.array
    return lambda names: names[name]


def _without_end(effect: Callable[[Names], object]) -> Code:
    def run(names: Names) -> None:
        effect(names)

    return run


def _filled(array: Any, fill: Any) -> Any:
    """A new array: without a fill its elements are what no program can count on."""
    if fill is not None:
        array[...] = fill
    elif array.dtype.kind != "b":
        array.fill(77)
    return array


def as_kind(value: Any, kind: Type) -> Any:
    """A value as plain Python has it, where it is a number."""
    return value if isinstance(kind, ArrayType) or not isinstance(kind, ScalarType) else plain(value, kind)
