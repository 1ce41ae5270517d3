"""Expressions of the loop program -> Python for Numba.

    a[i] * 0.5      ->  a[i] * np.float32(0.5)               for a float32 array
    b[i] + c[i]     ->  np.int32(b[i] + c[i])                for int32 arrays
    x[n - k]        ->  x[np.uint64(n - k)]                  so that LLVM need not find out that it is not negative
    x[col[k]]       ->  x[at_3]                              behind a test of `col[k]`
    x[col[k]]       ->  load(x, (col[k],), 3, faults, ...)   where it may not be reached

Every value has the type of the program: a cast of it is written out where Numba would not compute it in that type
itself. Accesses that are tested get their test before the statement, or where they stand in what it may not reach.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

import numpy as np

from somd.transforms.emit.python_operations import (
    COMPARISONS,
    Sides,
    arithmetic,
    beyond,
    comparison,
    folded,
    function,
    of_one,
)
from somd.transforms.emit.python_text import (
    AND,
    ATOM,
    BIT_OR,
    CHOICE,
    COMPARED,
    NOT,
    OR,
    Py,
    as_type,
    call,
    literal,
    shifted,
)
from somd.transforms.emit.rows_in_order import Counted, counted
from somd.transforms.loops.calls_to_loops import SYMBOLS
from somd.transforms.loops.program import (
    Cast,
    Choice,
    Constant,
    Element,
    Expression,
    FromEnd,
    HelperCall,
    Length,
    Loop,
    Operation,
    Proved,
    RelaxedRead,
    Tested,
    Variable,
)
from somd.transforms.loops.walking import inside
from somd.transforms.types.scalars import ArrayType, Number

_ARITHMETIC = frozenset(SYMBOLS.values())
#: operators of integers of which the low bits follow from those of the operands
MODULAR = ("+", "-", "*", "&", "|", "^")
#: types to which Numba converts one operand itself where the other one has them
_WIDEST = ("int64", "float64", "complex128")


@dataclass(frozen=True)
class Faults:
    """Where a slave notes faults: table, rank, and the place of the iteration, as texts."""

    table: str
    rank: str
    place: str


@dataclass(frozen=True)
class Strip:
    """A strip of the trips of a loop: its first value, the number of its lanes, the lane at hand, as texts; the number
    of lanes with those that repeat the last (`repeated_lanes`), and the scalars that these take, if there are any."""

    loop: Loop
    base: str
    count: str
    lane: str
    whole: str = ""
    repeated: frozenset[str] = frozenset()


@dataclass
class Scope:
    """What names stand for in a function.

    `fresh` gives names that are none of the user's, also for names of the program that are none; `arrays` are the types
    of arrays, `captured` gives the names of captured numbers; `renamed` are names that have another text. `faults` are
    for tested accesses of a slave; a master's raise.
    `elsewhere` is the text that tells whether a place belongs to another part, with the place left open as `{}`.
    """

    fresh: Callable[[str], str]
    arrays: Mapping[str, ArrayType] = field(default_factory=dict)
    captured: Callable[[str, Number, str], str] | None = None
    renamed: Mapping[str, str] = field(default_factory=dict)
    faults: Faults | None = None
    elsewhere: str = ""
    #: another text for an access, of whose indexes the function is given the texts
    placed: Callable[[Element, list[str]], str | None] | None = None
    #: whether indexes are texts of sums, differences and products alone
    plain: bool = False
    #: where the statements are those of a strip
    strip: Strip | None = None

    def kept(self, name: str) -> str:
        """Where a name of the program is kept for each lane of a strip."""
        return self.fresh(f"{self.name(name)}_lanes")

    def name(self, name: str) -> str:
        """A name of the program."""
        if name in self.renamed:
            return self.renamed[name]
        return self.fresh(name) if "'" in name or "." in name else name


class Expressions:
    """Prints the expressions of one function."""

    def __init__(self, scope: Scope) -> None:
        self.scope = scope
        #: the tests that go before the statement at hand; None where there is no place for them
        self.before: list[str] | None = None
        #: the places of accesses that are tested before the statement, by their sites
        self.places: dict[tuple[int, ...], list[str]] = {}
        self.conditional = 0

    # --- values --------------------------------------------------------------------------------------------------

    def value(self, node: Expression) -> Py:
        """The value of an expression, which has its type."""
        if isinstance(node, Constant):
            return self._constant(node)
        if isinstance(node, Variable):
            return Py(self.scope.name(node.name), node.type.dtype)
        if isinstance(node, Element):
            return self.element(node)
        if isinstance(node, Length):
            return Py(self.length(node.array, node.axis), "int64")
        if isinstance(node, Cast):
            return as_type(self.value(node.operand), node.type.dtype)
        if isinstance(node, HelperCall):
            made = call(node.function, node.type.dtype, *map(self.value, node.operands))
            return made if node.part is None else Py(f"{made.text}[{node.part}]", made.dtype)
        if isinstance(node, Choice):
            return self._choice(node)
        return as_type(self.loose(node), node.type.dtype)

    def test(self, node: Expression) -> Py:
        """A condition: numbers are true where they are not 0."""
        inner = node.operand if isinstance(node, Cast) and node.type.kind == "b" else node
        if inner is not node or not isinstance(node, Operation) or node.operator not in ("and", "or"):
            return self.value(inner)
        return self._joined(node, self.test)

    def _constant(self, node: Constant) -> Py:
        if node.name and not node.name.isidentifier():
            return Py(node.name, node.type.dtype)
        if node.name and self.scope.captured is not None:
            return Py(self.scope.captured(node.name, node.value, node.type.dtype), node.type.dtype)
        return literal(node.value, node.type.dtype)

    def _choice(self, node: Choice) -> Py:
        test = self.test(node.test)
        with self._not_always():
            yes, no = self.value(node.yes), self.value(node.no)
        text = f"{yes.within(OR)} if {test.within(OR)} else {no.within(CHOICE)}"
        return Py(text, node.type.dtype, CHOICE)

    def length(self, array: str, axis: int) -> str:
        """The length of an array along an axis."""
        name = self.scope.name(array)
        kind = self.scope.arrays.get(array)
        return f"len({name})" if kind is not None and kind.ndim == 1 else f"{name}.shape[{axis}]"

    # --- operations ----------------------------------------------------------------------------------------------

    def loose(self, node: Operation) -> Py:
        """An operation as Numba computes it, which may be in a wider type."""
        operator, dtype = node.operator, node.type.dtype
        symbol = operator.removeprefix("python ")
        wrapped = beyond(node)
        if wrapped is not None:
            return literal(wrapped, "int64")
        if operator in ("and", "or"):
            return self._joined(node, self.value)
        if operator == "not":
            return Py(f"not {self.test(node.operands[0]).within(BIT_OR)}", "bool", NOT)
        if symbol in _ARITHMETIC:
            return arithmetic(symbol, self._sides(node), dtype, symbol != operator)
        if operator in COMPARISONS:
            return comparison(operator, self._sides(node))
        if operator in ("neg", "pos", "~"):
            return of_one(operator, node.operands[0], self.value(node.operands[0]))
        if operator == "in_strips":
            return Py("True", "bool", ATOM)
        if operator == "blocks_at_once":
            return Py("blocks_at_once()", "int64", ATOM)
        if operator == "alone":
            return Py(f"{self.scope.fresh('n_slaves')} == 1", "bool", COMPARED)
        nodes = folded(operator, node.operands) if operator in ("min", "max") else list(node.operands)
        of_math = operator.startswith("math.") and operator != "math.fmod"  # which makes floats of integers itself
        return function(operator, nodes, [self.value(_whole(each) if of_math else each) for each in nodes], dtype)

    def _joined(self, node: Operation, side: Callable[[Expression], Py]) -> Py:
        binds = AND if node.operator == "and" else OR
        left = side(node.operands[0])
        with self._not_always():
            right = side(node.operands[1])
        first, second = (each.within(binds if each.binds == binds else NOT) for each in (left, right))
        second = f"({right.text})" if right.binds == binds else second
        return Py(f"{first} {node.operator} {second}", "bool", binds)

    def _sides(self, node: Operation) -> Sides:
        """Two operands; of those beside each other a cast is left out that Numba does itself."""
        nodes = node.operands
        inner = [self.value(each.operand if isinstance(each, Cast) else each) for each in nodes]
        made = [as_type(each, side.type.dtype) for each, side in zip(inner, nodes, strict=True)]
        beside = [self._low(node, each, side) for each, side in zip(nodes, made, strict=True)]
        for here, there in ((0, 1), (1, 0)):
            each, wanted = nodes[here], nodes[here].type.dtype
            if wanted not in _WIDEST or nodes[there].type.dtype != wanted or node.operator in ("<<", ">>"):
                continue
            if isinstance(each, Cast) and _converts(each.operand.type.dtype, wanted):
                beside[here] = inner[here]
                break
            if isinstance(each, Constant) and isinstance(each.value, complex) and repr(each.value.imag) == "0.0":
                beside[here] = literal(each.value.real, "float64")
                break
        return Sides(nodes, made, beside)

    def _low(self, node: Operation, operand: Expression, made: Py) -> Py:
        """An operand of what keeps its low bits alone, whatever it has above them: it needs no cast."""
        if not isinstance(operand, Operation) or node.operator not in MODULAR or operand.type != node.type:
            return made
        short = node.type.kind in "iu" and np.dtype(node.type.dtype).itemsize < 8
        return self.loose(operand) if short and operand.operator in (*MODULAR, "<<", ">>") else made

    # --- accesses ------------------------------------------------------------------------------------------------

    def element(self, node: Element) -> Py:
        """An element that is read."""
        if isinstance(node.access, Tested) and not self._tests_before():
            return Py(self._tested_here(node), node.type.dtype)
        in_order = counted(node) if self.scope.placed is None and not self.scope.plain else None
        if in_order is not None:
            return Py(f"counted_at({self.counted(node.array, in_order)})", node.type.dtype)
        if node.relaxed is None or not self.scope.elsewhere:
            return Py(self.place(node), node.type.dtype)
        at = self._along(node, node.relaxed, self.indexes(node))
        before = self.place(replace(node, array=node.relaxed.snapshot))
        return Py(self._relaxed(node.relaxed, self.place(node), before, at), node.type.dtype)

    def counted(self, array: str, element: Counted) -> str:
        """What functions of the runtime take of an element that is counted along rows."""
        given = [self._index(each) for each in (*element.leading, element.place, *element.lengths)]
        return ", ".join([str(len(element.lengths) + 1), self.scope.name(array), *given])

    def place(self, node: Element) -> str:
        """An element as what is assigned to."""
        indexes = self.indexes(node)
        special = None if self.scope.placed is None else self.scope.placed(node, indexes)
        return special or f"{self.scope.name(node.array)}[{', '.join(indexes)}]"

    def indexes(self, node: Element) -> list[str]:
        """The indexes of an access; of one that is tested, behind its tests."""
        if isinstance(node.access, Proved) and node.relaxed is None and not self.scope.plain:
            return [self._unsigned(each) for each in node.indices]
        if not isinstance(node.access, Tested):
            return [self._index(each) for each in node.indices]
        key = tuple(site.number for site in node.access.sites)
        if self.scope.faults is None:
            pairs = zip(node.indices, node.access.sites, strict=True)
            return [
                f"index_of({self._index(each)}, {self.scope.name(node.array)}.shape[{axis}], {site.number})"
                for axis, (each, site) in enumerate(pairs)
            ]
        if key not in self.places:
            self.places[key] = self._tested_before(node, node.access)
        return self.places[key]

    def _index(self, node: Expression) -> str:
        """An index: of whatever type of integers."""
        inner = node.operand if isinstance(node, Cast) and node.operand.type.kind in "iu" else node
        return self.value(inner).text

    def _unsigned(self, node: Expression) -> str:
        """An index that is known not to be negative, as such where LLVM would not see it: with something taken away."""
        text = self._index(node)
        return f"np.uint64({text})" if any(map(_takes_away, inside(node))) else text

    def _tests_before(self) -> bool:
        return self.scope.faults is None or (self.before is not None and not self.conditional)

    def _tested_before(self, node: Element, access: Tested) -> list[str]:
        assert self.before is not None
        found = []
        for axis, site in enumerate(access.sites):
            found.append(self.scope.fresh(f"at_{site.number}"))
            self.before += self.test_of(node, axis, found[-1])
        return found

    def test_of(self, node: Element, axis: int, place: str) -> list[str]:
        """The lines that test an index of a slave's access, and give `place` what it is, not below 0."""
        assert isinstance(node.access, Tested) and self.scope.faults is not None
        faults, site, text = self.scope.faults, node.access.sites[axis], self._index(node.indices[axis])
        return [
            f"{place} = wrapped({text}, {self.scope.name(node.array)}.shape[{axis}])",
            f"if {place} < 0:",
            f"    note({faults.table}, {faults.rank}, {site.number}, {text}, {faults.place})",
            "    return",
        ]

    def _tested_here(self, node: Element) -> str:
        """An access with its test in what a statement may not reach."""
        assert isinstance(node.access, Tested) and self.scope.faults is not None
        faults, name = self.scope.faults, self.scope.name(node.array)
        indexes = [as_type(self.value(each), "int64").text for each in node.indices]
        tuple_ = f"({', '.join(indexes)}{',' if len(indexes) == 1 else ''})"
        ending = f"{tuple_}, {node.access.sites[0].number}, {faults.table}, {faults.rank}, {faults.place})"
        text = f"load({name}, {ending}"
        if node.relaxed is None or not self.scope.elsewhere:
            return text
        at = self._along(node, node.relaxed, [self._index(each) for each in node.indices])
        return self._relaxed(node.relaxed, text, f"load({self.scope.name(node.relaxed.snapshot)}, {ending}", at)

    def _along(self, node: Element, read: RelaxedRead, indexes: Sequence[str]) -> str:
        """The index along the axis of a relaxed read, not below 0."""
        at = indexes[read.axis]
        ends = isinstance(node.access, FromEnd) or (isinstance(node.access, Tested) and not self._tests_before())
        return f"wrapped({at}, {self.scope.name(node.array)}.shape[{read.axis}])" if ends else at

    def _relaxed(self, read: RelaxedRead, text: str, before: str, at: str) -> str:
        """The element of the snapshot, where another part may write it."""
        tests = " or ".join(self.scope.elsewhere.format(shifted(at, c)) for c in read.writes)
        return f"({before} if {tests} else {text})"

    @contextmanager
    def _not_always(self) -> Iterator[None]:
        """A block for what is not always evaluated."""
        self.conditional += 1
        yield
        self.conditional -= 1

    @contextmanager
    def tests(self, allowed: bool = True) -> Iterator[list[str]]:
        """A block for the expressions of a statement, with the tests that go before it; none may, unless `allowed`."""
        outer, self.before, self.places = (self.before, self.places), [] if allowed else None, {}
        yield [] if self.before is None else self.before
        self.before, self.places = outer


def _whole(node: Expression) -> Expression:
    """The integer that is to become a float64, or the number itself."""
    floats = isinstance(node, Cast) and node.type.dtype == "float64"
    return node.operand if isinstance(node, Cast) and floats and node.operand.type.kind in "iu" else node


def _converts(dtype: str, wanted: str) -> bool:
    """Whether Numba makes a number of the wanted type of one of `dtype`, where the other operand has it."""
    kind = np.dtype(dtype).kind
    if wanted == "int64":
        return kind in "iu" and dtype != "uint64"
    return kind in "iuf" or (wanted == "complex128" and kind == "c")


def _takes_away(node: Expression) -> bool:
    """Whether something that is no constant is subtracted."""
    return isinstance(node, Operation) and node.operator == "-" and not isinstance(node.operands[-1], Constant)
