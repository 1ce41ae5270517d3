"""Statements of the loop program -> lines of Python for Numba.

y[row[k]] += x[k]     ->     at_1 = wrapped(row[k], y.shape[0])
                             if at_1 < 0:
                                 note(faults, rank, 3, row[k], (k, 0, 0))
                                 return
                             y[at_1] += x[k]
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import groupby

import libcst as cst
import numpy as np

from somd.transforms.emit.accumulators import accumulators, added_vector, first_values, vector
from somd.transforms.emit.declared import OWN
from somd.transforms.emit.doublings import is_doubling
from somd.transforms.emit.library_calls import library_lines
from somd.transforms.emit.loops_at_once import at_once
from somd.transforms.emit.python_expressions import Expressions, Scope
from somd.transforms.emit.python_text import SUM, Py, indented, numpy_name
from somd.transforms.emit.repeated_lanes import repeats
from somd.transforms.emit.running_sums import in_rows, rows_of
from somd.transforms.emit.sums_in_order import LONG, TERMS, comes_from_data, long_sums, row_of, terms_of
from somd.transforms.loops.making import same_number
from somd.transforms.loops.program import (
    Allocate,
    AllocateLike,
    Assign,
    Break,
    Cast,
    Constant,
    Continue,
    Copy,
    Element,
    Evaluate,
    Expression,
    If,
    Lanes,
    Length,
    LibraryCall,
    Loop,
    Operation,
    Origin,
    Raise,
    Rebind,
    Return,
    Statement,
    Store,
    Tested,
    Unpack,
    Variable,
    While,
    Whole,
)
from somd.transforms.loops.ranges import NEAR, farthest_constant, whole
from somd.transforms.loops.rows import stored_row
from somd.transforms.loops.varying import of_lanes
from somd.transforms.loops.walking import expressions_in, origin_of, tests_accesses


class Statements:
    """Prints the statements of one function.

    `own` are arrays of an iteration, which are there: they are filled. `far` is the name of what no index reaches,
    where LLVM is to be told what is proved of loop variables, `ranks` that by which ranks are told of new arrays.
    """

    def __init__(self, scope: Scope, own: frozenset[str] = frozenset(), far: str = "", ranks: str = "") -> None:
        self.scope = scope
        self.expressions = Expressions(scope)
        self.own = own
        self.far = far
        self.ranks = ranks
        #: scalars that elements of arrays chose so far
        self.from_data: set[str] = set()

    def block(self, statements: Sequence[Statement]) -> list[str]:
        """The lines of statements, `pass` for none."""
        return self.lines(statements) or ["pass"]

    def lines(self, statements: Sequence[Statement]) -> list[str]:
        found: list[str] = []
        for at, node in enumerate(statements):
            if (
                isinstance(node, Assign)
                and node.target.type.kind == "i"
                and comes_from_data(node.value, self.from_data)
            ):
                self.from_data.add(node.target.name)
            side_by_side = accumulators(node) if isinstance(node, Loop) and not node.aligned else ()
            if isinstance(node, Loop) and side_by_side and self.scope.strip is None and self.scope.placed is None:
                values = first_values(statements[:at], side_by_side)
                before = self.lines(statements[: at - len(values)])
                return [*before, *self.in_vector(node, side_by_side, values), *self.lines(statements[at + 1 :])]
        for group in groups(statements):
            made = self.together(group) if len(group) > 1 else None
            found += made if made is not None else [line for each in group for line in self.commented(each)]
        return found

    def in_vector(self, node: Loop, targets: Sequence[Variable], values: Sequence[Expression]) -> list[str]:
        """A loop that adds to accumulators, which have `values`, if there are any, as a loop that adds to a vector."""
        name = self.scope.fresh(f"{self.scope.name(targets[0].name)}_vector")
        names = ", ".join(self.scope.name(each.name) for each in targets)
        begin = vector(self.expressions, values) if values else f"vector_of(({names}))"
        step = f"{name} = {added_vector(self.expressions, node, name)}"
        with self.expressions.tests() as before:
            header = _headed(node, f"for {self.scope.name(node.variable.name)} in {self.range(node)}:")
        body = indented([*self.assumed(node), step])
        return [*node.origin.comments, *before, f"{name} = {begin}", header, *body, f"{names} = elements_of({name})"]

    def commented(self, node: Statement) -> list[str]:
        """A statement with the user's comments."""
        origin = origin_of(node)
        made = self.statement(node)
        if origin.behind and made and not isinstance(node, Loop | While | If):
            made[-1] += f"  {origin.behind}"
        return [*origin.comments, *made] if made else []

    def statement(self, node: Statement) -> list[str]:
        if isinstance(node, If):
            return self.branch(node)
        if isinstance(node, Loop):
            sums = long_sums(node, self.from_data) if self.scope.strip is None and self.scope.placed is None else ()
            return self.terms_first(node, sums) if sums else self.loop(node)
        if isinstance(node, While):
            return self.repeated(node)
        if isinstance(node, Lanes):
            return self.lanes(node)
        with self.expressions.tests() as before:
            made = self.simple(node)
            return [*before, *made]

    def simple(self, node: Statement) -> list[str]:
        """A statement without blocks."""
        value = self.expressions.value
        if isinstance(node, Assign):
            return [assigned(self.scope.name(node.target.name), value(node.value), node.origin)]
        if isinstance(node, Store):
            return [self.stored(node)]
        if isinstance(node, Unpack):
            targets = ", ".join(self.scope.name(each.name) for each in node.targets)
            return [f"{targets} = {self.call(node)}"]
        if isinstance(node, Evaluate):
            return [value(node.value).text]
        if isinstance(node, Break | Continue):
            return ["break" if isinstance(node, Break) else "continue"]
        if isinstance(node, Return):
            return [f"return {', '.join(map(self.result, node.values))}".rstrip()]
        if isinstance(node, Raise):
            return self.raised(node)
        return self.array(node)

    def call(self, node: Unpack) -> str:
        return f"{node.function}({', '.join(self.expressions.value(each).text for each in node.operands)})"

    def result(self, node: Expression | Whole) -> str:
        return self.scope.name(node.array) if isinstance(node, Whole) else self.expressions.value(node).text

    def raised(self, node: Raise) -> list[str]:
        """The values are entered in the fault table, as a fault: the runtime makes the exception."""
        values = [self.expressions.value(each).text for each in node.values]
        given = f"({', '.join(values)}{',' if len(values) == 1 else ''})"
        faults = self.scope.faults
        table = "faults" if faults is None else faults.table
        rank, place = ("0", "(0, 0, 0)") if faults is None else (faults.rank, faults.place)
        table = self.scope.fresh(table) if faults is None else table
        noted = f"note_raise({table}, {rank}, {node.site.number}, {place}, {given})"
        return [noted, "raise IndexError(-1)" if faults is None else "return"]

    # --- assignments ---------------------------------------------------------------------------------------------

    def stored(self, node: Store) -> str:
        value = node.value
        if isinstance(value, Cast) and _keeps(value.operand.type.dtype, value.type.dtype):
            value = value.operand
        if not isinstance(node.element.access, Tested):
            target = self.expressions.place(node.element)
            return assigned(target, self.expressions.value(value), node.origin)
        made = self.expressions.value(value)  # its tests come first
        return assigned(self.expressions.place(node.element), made, node.origin)

    def together(self, group: Sequence[Statement]) -> list[str] | None:
        """Targets that get values at once, written as one assignment; None where it cannot be."""
        first, last = origin_of(group[0]), origin_of(group[-1])
        if isinstance(group[0], Unpack):
            pairs = self.unpacked(group[0], group[1:])
        else:
            pairs = _pairs(group, in_place=self.scope.faults is None)
        if pairs is None:
            return None
        with self.expressions.tests() as before:
            given = self.call(group[0]) if isinstance(group[0], Unpack) else self.sides([value for _, value in pairs])
            targets = ", ".join(map(self.side, (target for target, _ in pairs)))
            return [*first.comments, *before, f"{targets} = {given}{f'  {last.behind}' if last.behind else ''}"]

    def sides(self, values: Sequence[str | Expression]) -> str:
        """The values of an assignment of several targets; all lengths of an array are its shape."""
        return self.shape(values) or ", ".join(map(self.side, values))

    def shape(self, values: Sequence[object]) -> str:
        """`array.shape` for all lengths of an array that has several; nothing for other values."""
        lengths = [(each.array, each.axis) for each in values if isinstance(each, Length)]
        if len(lengths) != len(values) or len(lengths) < 2:
            return ""
        array, kind = lengths[0][0], self.scope.arrays.get(lengths[0][0])
        whole_ = kind is not None and lengths == [(array, axis) for axis in range(kind.ndim)]
        return f"{self.scope.name(array)}.shape" if whole_ else ""

    def side(self, node: str | Expression) -> str:
        """A name of an array or scalar, an element, or a value in an assignment of several targets."""
        return self.scope.name(node) if isinstance(node, str) else self.expressions.value(node).text

    def unpacked(
        self, node: Unpack, stores: Sequence[Statement]
    ) -> list[tuple[str | Element, str | Expression]] | None:
        pairs = _pairs(stores, {each.name for each in node.targets}, self.scope.faults is None)
        parts = None if pairs is None else [each.name for _, each in pairs if isinstance(each, Variable)]
        return pairs if parts == [each.name for each in node.targets] else None

    # --- blocks --------------------------------------------------------------------------------------------------

    def branch(self, node: If, word: str = "if") -> list[str]:
        with self.expressions.tests() as before:
            test = self.expressions.test(node.test).text
        made = [*before, _headed(node, f"{word} {test}:"), *indented(self.block(node.body))]
        if len(node.orelse) == 1 and isinstance(node.orelse[0], If) and not origin_of(node.orelse[0]).comments:
            other = self.branch(node.orelse[0], "elif")
            if other[0].startswith("elif "):
                return [*made, *other]
        return [*made, "else:", *indented(self.block(node.orelse))] if node.orelse else made

    def loop(self, node: Loop) -> list[str]:
        quick = at_once(node, self, node.order == "free")
        if quick is not None:
            return quick
        with self.expressions.tests() as before:
            limits = self.range(node)
        body = [*self.assumed(node), *self.block(node.body)]
        begin, ranges = self.cut(node) if node.aligned else ([], [limits])
        rows = rows_of(node) if self.scope.strip is None and self.scope.placed is None else None
        if rows is not None:
            begin, limits = in_rows(node, rows, self.expressions, self.assumed(node))
            ranges = [limits]
        variable = self.scope.name(node.variable.name)
        headers = [_headed(node, f"for {variable} in {each}:") for each in ranges]
        return [*before, *begin, *(line for header in headers for line in (header, *indented(body)))]

    def terms_first(self, node: Loop, sums: tuple[Variable, ...]) -> list[str]:
        """A loop that adds up floats: where it is long, its terms go before the additions, some thousands at a time;
        elements that lie side by side are the terms."""
        name, fresh = self.scope.name(node.variable.name), self.scope.fresh
        first, stop = (fresh(f"{name}_{each}") for each in ("first", "stop"))
        with self.expressions.tests() as before:
            start, end = (self.expressions.value(each).text for each in (node.start, node.stop))
        row = row_of(node)
        if row is not None:
            place = self.expressions.place(row).removesuffix("[]")
            total = self.scope.name(sums[0].name)
            long = [f"{name}, {total} = {stop} - 1, added_in_order({total}, {place}, {first}, {stop})"]
        else:
            long = self.strips_of_terms(node, sums, first, stop)
        return [
            *before,
            f"{first}, {stop} = {start}, {end}",
            f"if {stop} - {first} >= {LONG}:",
            *indented(long),
            "else:",
            _headed(node, f"    for {name} in range({first}, {stop}):"),
            *(f"        {line}" for line in (*self.assumed(node), *self.block(node.body))),
        ]

    def strips_of_terms(self, node: Loop, sums: tuple[Variable, ...], first: str, stop: str) -> list[str]:
        name, fresh = self.scope.name(node.variable.name), self.scope.fresh
        strip, count, term = (fresh(f"{name}_{each}") for each in ("strip", "count", "term"))
        rooms = {each.name: fresh(f"{self.scope.name(each.name)}_terms") for each in sums}
        elements = {each: f"{room}[{term}]" for each, room in rooms.items()}
        scope = replace(self.scope, renamed={**self.scope.renamed, **elements})
        terms = Statements(scope, self.own, self.far, self.ranks).block(terms_of(node, sums))
        totals = {self.scope.name(each.name): rooms[each.name] for each in sums}
        made = [f"{rooms[each.name]} = lane_array({TERMS}, np.{numpy_name(each.type.dtype)})" for each in sums]
        return [
            *made,
            f"for {strip} in range({first}, {stop}, {TERMS}):",
            f"    {count} = min({TERMS}, {stop} - {strip})",
            f"    for {term} in range({count}):",
            f"        {name} = {strip} + {term}",
            *(f"        {line}" for line in (*self.assumed(node), *terms)),
            *(f"    {total} = added_in_order({total}, {room}, 0, {count})" for total, room in totals.items()),
        ]

    def cut(self, node: Loop) -> tuple[list[str], list[str]]:
        """The statement that finds where vectors of a row begin, and the ranges before and from there."""
        element = stored_row(node)
        assert element is not None, node
        start, stop = (self.expressions.value(each).text for each in (node.start, node.stop))
        row, middle = self.expressions.place(replace(element, indices=element.indices[:-1])), self.scope.fresh("middle")
        found = f"{middle} = aligned_from({row.removesuffix('[]')}, {start}, {stop})"
        return [found], [f"range({start}, {middle})", f"range({middle}, {stop})"]

    def range(self, node: Loop) -> str:
        """The range of a loop."""
        start, stop, step = (self.expressions.value(each).text for each in (node.start, node.stop, node.step))
        limits = [stop] if (start, step) == ("0", "1") else [start, stop] if step == "1" else [start, stop, step]
        return f"range({', '.join(limits)})"

    def assumed(self, node: Loop) -> list[str]:
        """What tells LLVM what is proved of a loop's variable."""
        range_ = node.variable.range
        known = range_ is not None and range_ != whole(node.variable.type) and range_.low >= -(1 << 44)
        if range_ is None or not known or not self.far or is_doubling(node):
            return []
        if not any(isinstance(each, Element) for each in expressions_in(node.body)):
            return []
        if farthest_constant(node.start, node.stop) > NEAR:  # of scalars that is asked
            return []
        name = self.scope.name(node.variable.name)
        return [f"assume({range_.low} <= {name}, {name} < {self.far})"]

    def repeated(self, node: While) -> list[str]:
        """A loop in which an access is tested in its place ends with the fault: its test may never become false."""
        with self.expressions.tests(False):
            test = self.expressions.test(node.test).text
        tested = tests_accesses((node,))
        faults = self.scope.faults
        ended = [f"if {faults.table}[{faults.rank}, 0] != 0:", "    return"] if faults is not None and tested else []
        return [_headed(node, f"while {test}:"), *indented([*ended, *self.block(node.body)])]

    def lanes(self, node: Lanes) -> list[str]:
        """The loop over the lanes of a strip; a function of all lanes at once instead, where it is one."""
        strip, scope = self.scope.strip, self.scope
        assert strip is not None
        first, again = node.body[0], bool(strip.repeated) and repeats(node, strip.loop.variable)
        count = strip.whole if again else strip.count
        if isinstance(first, Assign) and isinstance(first.value, Operation) and of_lanes(first):
            function = first.value.operator.partition(".")[2]
            return [*first.origin.comments, f"lane_{function}({scope.kept(first.target.name)}, {count})"]
        lines, variable = [], strip.loop.variable.name
        if any(isinstance(each, Variable) and each.name == variable for each in expressions_in(node.body)):
            step = self.expressions.value(strip.loop.step).text
            by = strip.lane if step == "1" else f"{strip.lane} * {step}"
            lines = [f"{scope.name(variable)} = {strip.base} + {by}", *self.assumed(strip.loop)]
        lines += [f"{scope.name(each.name)} = {scope.kept(each.name)}[{strip.lane}]" for each in node.loaded]
        lines += self.block(node.body)
        lines += [f"{scope.kept(each.name)}[{strip.lane}] = {scope.name(each.name)}" for each in node.stored]
        left = [each.name for each in node.stored if not again and each.name in strip.repeated]
        behind = (f"repeat_last({scope.kept(name)}, {strip.count}, {strip.whole})" for name in left)
        return [f"for {strip.lane} in range({count}):", *indented(lines), *behind]

    # --- arrays --------------------------------------------------------------------------------------------------

    def array(self, node: Statement) -> list[str]:
        if isinstance(node, Rebind):
            targets, sources = (", ".join(map(self.scope.name, names)) for names in (node.targets, node.sources))
            return [f"{targets} = {sources}"]
        if isinstance(node, Copy):
            name, source = self.scope.name(node.array), self.scope.name(node.source)
            if self.ranks:
                return [f"{name} = new_{'ordered_' * node.ordered}copy({self.ranks}, {source})"]
            return [f"{name} = {source}.copy()" if node.ordered else f"{name} = np.copy({source})"]
        if isinstance(node, LibraryCall):
            fresh, value = self.scope.fresh, self.expressions.value
            words, functions = fresh("words"), fresh("functions")
            return library_lines(node, self.scope.name, words, functions, lambda each: value(each).text)
        assert isinstance(node, Allocate | AllocateLike), node
        if node.array in self.own:
            return self.refilled(node)
        name = self.scope.name(node.array)
        return [f"{name} = {self.of_ranks(node) if self.ranks else self.made(node)}"]

    def made(self, node: Allocate | AllocateLike) -> str:
        """The call that makes an array."""
        dtype, fill = f"np.{numpy_name(node.type.dtype)}", node.fill
        kind = _kind(fill)
        value = "" if kind != "full" or fill is None else f", {self.expressions.value(fill).text}"
        if isinstance(node, AllocateLike):
            same = self.scope.arrays.get(node.like)
            other = "" if same is not None and same.dtype == node.type.dtype else f", dtype={dtype}"
            return f"np.{kind}_like({self.scope.name(node.like)}{value}{other})"
        return f"np.{kind}({self.lengths(node)}{value}, {dtype})"

    def of_ranks(self, node: Allocate | AllocateLike) -> str:
        """The call that makes an array of which ranks hold rows; without values it has zeros, which cost nothing."""
        kind, dtype = _kind(node.fill), f"np.{numpy_name(node.type.dtype)}"
        like = isinstance(node, AllocateLike)
        first = self.scope.name(node.like) if isinstance(node, AllocateLike) else self.lengths(node)
        if kind in ("empty", "zeros") or node.fill is None:
            return f"new_zeros{'_like' * like}({self.ranks}, {first}, {dtype})"
        return f"new_full{'_like' * like}({self.ranks}, {first}, {self.expressions.value(node.fill).text}, {dtype})"

    def lengths(self, node: Allocate) -> str:
        """The shape of a new array."""
        lengths = [self.expressions.value(each).text for each in node.lengths]
        return lengths[0] if len(lengths) == 1 else self.shape(node.lengths) or f"({', '.join(lengths)})"

    def room(self, node: Allocate | AllocateLike) -> str:
        """The statement at the top of a slave that makes an array of an iteration, without content."""
        name, dtype = self.scope.name(node.array), f"np.{numpy_name(node.type.dtype)}"
        if isinstance(node, AllocateLike):
            return f"{name} = np.empty_like({self.scope.name(node.like)}, {dtype})"
        lengths = [self._natural(each, bool(node.sites)) for each in node.lengths]
        shape = lengths[0] if len(lengths) == 1 else f"({', '.join(lengths)})"
        return f"{name} = np.empty({shape}, {dtype})"

    def _natural(self, node: Expression, tested: bool) -> str:
        text = self.expressions.value(node).text
        return text if not tested or isinstance(node, Constant) else f"max(0, {text})"

    def refilled(self, node: Allocate | AllocateLike) -> list[str]:
        """In place of an allocation: lengths below 0 are faults, the array that is there gets its content."""
        found: list[str] = []
        faults = self.scope.faults
        sites = node.sites if isinstance(node, Allocate) else ()
        for site, length in zip(sites, node.lengths if isinstance(node, Allocate) else (), strict=False):
            if not isinstance(length, Constant) and faults is not None:
                text = self.expressions.value(length)
                noted = f"note({faults.table}, {faults.rank}, {site.number}, {text.text}, {faults.place})"
                found += [f"if {text.within(SUM)} < 0:", f"    {noted}", "    return"]
        if node.fill is not None:
            everything = ", ".join(":" for _ in range(node.type.ndim))
            found.append(f"{self.scope.name(node.array)}[{everything}] = {self.expressions.value(node.fill).text}")
        return found


def _kind(fill: Expression | None) -> str:
    """The function of NumPy's that fills an array so."""
    if fill is None:
        return "empty"
    value = fill.value if isinstance(fill, Constant) else None
    if value is None:
        return "full"
    return "zeros" if same_number(value, 0) else "ones" if same_number(value, 1) else "full"


def assigned(target: str, made: Py, origin: Origin) -> str:
    """An assignment; one that adds to its target, or the like, as the user wrote it."""
    if isinstance(origin.node, cst.AugAssign) and made.sides is not None and made.sides[0].text == target:
        _, symbol, right = made.sides
        return f"{target} {symbol}= {right.text}"
    return f"{target} = {made.text}"


def _headed(node: Loop | While | If, text: str) -> str:
    """The first line of a statement with a body, with the user's comment behind it."""
    return f"{text}  {node.origin.behind}" if node.origin.behind else text


def _keeps(dtype: str, wanted: str) -> bool:
    """Whether storing a number of `dtype` in an array converts it as a cast does."""
    kind, other = np.dtype(dtype).kind, np.dtype(wanted).kind
    return (kind in "iu" and other in "iufc") or (kind == "f" and other in "fc") or (kind == other == "c")


def groups(statements: Sequence[Statement]) -> list[list[Statement]]:
    """Statements, those that one assignment of several targets became together."""

    def key(pair: tuple[int, Statement]) -> object:
        node = origin_of(pair[1]).node
        return id(node) if isinstance(node, cst.Assign) else -pair[0] - 1

    return [[statement for _, statement in group] for _, group in groupby(enumerate(statements), key)]


def _pairs(
    group: Sequence[Statement], given: frozenset[str] | set[str] = frozenset(), in_place: bool = False
) -> list[tuple[str | Element, str | Expression]] | None:
    """Each target of an assignment at once, with its value; None for statements of another form. `given` are names that
    have their values; accesses are tested where they stand if `in_place`, or else before the statement."""
    held: dict[str, Expression] = {}
    found: list[tuple[str | Element, str | Expression]] = []
    for node in group:
        if isinstance(node, Assign) and OWN in node.target.name and not found:
            held[node.target.name] = node.value
        elif isinstance(node, Rebind):
            found += [(target, source) for target, source in zip(node.targets, node.sources, strict=True)]
        elif isinstance(node, Assign | Store):
            value = node.value
            if isinstance(value, Variable) and value.name in held:
                value = held.pop(value.name)
            elif not isinstance(value, Constant) and not (isinstance(value, Variable) and value.name in given):
                return None
            if isinstance(node, Assign):
                found.append((node.target.name, value))
            else:
                if found and not in_place and isinstance(node.element.access, Tested):
                    return None
                found.append((node.element, value))
        else:
            return None
    return None if held else found
