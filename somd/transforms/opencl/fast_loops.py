"""Loops of a work-item: with many loads under way, and with tests of indexes out of their way.

    for (...) x += load_later(a, index[k], a_0, &noted, ...)
->
    int outside = a_0 <= 0;
    const double x_before = x;
    if (!outside) {
        for (...) x += a[place_near(index[k], a_0, &outside)];
    }
    if (outside) {
        x = x_before;
        for (...) x += load_later(a, index[k], a_0, &noted, ...)
    }

A load that waits for a test, and a fault that may be noted between two loads, keep a compiler from making loads ahead.
So the loop is run first with each index that data gives brought inside, without a branch; if one was outside, or counts
from the end, the loop is run again as it stands, which finds the fault, or the element. Indexes that stay in the loop
are tested once, before it. That is done where a loop stores nothing, and ends whatever it has loaded; a loop of very
many trips, the first of which may fail, is run as it stands.

Quotients and roots of singles are rounded right in steps without a branch, on a device that can (`NEAR_RECIPROCALS`):
if one is out of the reach of these, the loop is run again, too.

Loops that only compute are unrolled on a device that can have many loads under way (AHEAD, which the runtime defines).
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass

from somd.transforms.emit.c import Statements
from somd.transforms.emit.c_expressions import Speculation, in_steps
from somd.transforms.emit.c_tree import infix
from somd.transforms.emit.c_types import CTYPES
from somd.transforms.emit.declared import loop_scoped
from somd.transforms.loops.program import (
    Assign,
    Break,
    Continue,
    Element,
    Evaluate,
    Expression,
    HelperCall,
    If,
    Loop,
    Statement,
    Whole,
)
from somd.transforms.loops.scopes import assigned, exposed_in, read, read_beside
from somd.transforms.loops.trips import few_trips
from somd.transforms.loops.varying import limits
from somd.transforms.loops.walking import asks, called, expressions_in, inside, statements_in, tested_in, tests_accesses
from somd.transforms.loops.work import operations
from somd.transforms.opencl.unrolling import unroll_lines

Block = tuple[Statement, ...]
#: copies of a loop's body at most
COPIES = 16
#: the binary logarithm of how many trips of loops whose limits data gives may be taken for inside
MOST_TRIPS = 30


@dataclass(frozen=True)
class Guess:
    """A loop that may be run with all indexes taken for inside: the indexes that stay in it, with their arrays and
    axes, those that are brought inside, the scalars that it must find as they were if it is run again, and those of it
    and the loops in it whose number of trips data gives."""

    steady: tuple[tuple[Expression, str, int], ...]
    arrays: tuple[tuple[str, int], ...]
    before: tuple[str, ...]
    long: tuple[Loop, ...] = ()


class FastLoops(Statements):
    """Writes the statements of the iterations `of` a kernel with a work-item for each."""

    of: Block = ()

    def loop(self, node: Loop) -> None:
        guess = None if self.loops else guess_of(node, self.of, self.scope.counted)
        lasting = any(map(self.unit.lasts, called(node.body)))
        if guess is not None and not lasting and self.may_be_run_again(guess):
            self.twice(node, guess)
            return
        self.alone(node)

    def alone(self, node: Loop) -> None:
        """The loop once, its body copied where it tests nothing."""
        tests = self.expressions.speculation is None and tests_accesses(node.body)
        if not tests and _may_be_unrolled(node):
            lines = unroll_lines(COPIES, operations(node.body, self.unit.by_name))
            self.lines += ["#ifdef AHEAD", *lines, "#endif"] if lines else []
        super().loop(node)

    def may_be_run_again(self, guess: Guess) -> bool:
        """Whether all that a loop must find as it was can be kept, and nothing else is noted of its trips."""
        noted = bool(self.scope.noted) or not (guess.steady or guess.arrays)
        kept = self.declared.private.keys() >= set(guess.before)
        return noted and kept and not self.takes and not self.tracked

    def twice(self, node: Loop, guess: Guess) -> None:
        """The loop with its indexes taken for inside, and as it stands behind that."""
        outside, kept = self.guessed(guess)
        with self.braces(f"if (!{outside})"):
            self.expressions.speculation = Speculation(outside, frozenset(index for index, _, _ in guess.steady))
            self.alone(node)
            self.expressions.speculation = None
        self.again(node, outside, kept)

    def guessed(self, guess: Guess) -> tuple[str, dict[str, str]]:
        """Before the first run: the flag that tells whether there must be another, and what the scalars were."""
        outside = self.scope.names.fresh("outside")
        tests = []
        for index, array, axis in guess.steady:
            place, length = self.value(index), self.scope.length(array, axis)
            tests += [] if isinstance(place.value, int) and place.value >= 0 else [f"{place.text} < 0"]
            tests.append(infix("<=", length, place, "bool").text)
        tests += [f"{self.scope.length(array, axis).text} <= 0" for array, axis in guess.arrays]
        tests += [self.too_long(loop, MOST_TRIPS // len(guess.long)) for loop in guess.long]
        self.line(f"int {outside} = {' || '.join(dict.fromkeys(tests)) or '0'};")
        kept = {name: self.scope.names.fresh(f"{self.scope.text_of(name)}_before") for name in guess.before}
        for name, before in kept.items():
            self.line(f"const {CTYPES[self.declared.private[name]]} {before} = {self.scope.text_of(name)};")
        return outside, kept

    def too_long(self, loop: Loop, most: int) -> str:
        """Whether a loop may have more than 2**most trips: the first one may be outside."""
        start, stop = self.value(loop.start), self.value(loop.stop)
        return f"{self.unit.far_apart()}({start.loose}, {stop.loose}, {most})"

    def again(self, node: Loop, test: str, kept: Mapping[str, str]) -> None:
        """Behind it: the loop as it stands, where the test holds, from what the scalars were."""
        with self.braces(f"if ({test})"):
            for name, before in kept.items():
                self.line(f"{self.scope.text_of(name)} = {before};")
            super().loop(node)


def _may_be_unrolled(node: Loop) -> bool:
    """Whether a loop has elements to load, and nothing but assignments in it."""
    plain = all(isinstance(each, Assign | If | Evaluate) for each in statements_in(node.body))
    return plain and any(isinstance(each, Element) for each in expressions_in(node.body))


def guess_of(node: Loop, whole: Block, counted: Collection[str] | None = None, doubles: bool = False) -> Guess | None:
    """What there is to know of a loop of the body `whole`, and, if it is asked with the names that only loops
    set (`counted`), of its trips; None where nothing in it is to be guessed, `doubles` divided in steps among it, or
    it may not be run twice."""
    statements = list(statements_in((node,)))
    if not all(isinstance(each, Assign | If | Loop | Evaluate | Break | Continue) for each in statements):
        return None
    nodes = list(expressions_in(node.body))
    tested = list(dict.fromkeys(tested_in(nodes)))
    changed = assigned((node,))
    if not (tested or any(in_steps(each, doubles) for each in nodes)) or not all(
        _ends(each, changed) for each in statements if isinstance(each, Loop)
    ):
        return None
    if any(each.relaxed is not None for each in tested) or any(map(_has_arrays, nodes)):
        return None
    steady: dict[tuple[Expression, str, int], None] = {}
    arrays: dict[tuple[str, int], None] = {}
    for element, axis, index in _places(tested):
        if _stays(index, changed):
            steady[index, element.array, axis] = None
        else:
            arrays[element.array, axis] = None
    before = assigned((node,)) & (exposed_in(node.body) | read_beside(whole, node))
    scoped = loop_scoped(whole) | {node.variable.name}
    long = tuple(
        each for each in statements if isinstance(each, Loop) and counted is not None and not few_trips(each, counted)
    )
    return Guess(tuple(steady), tuple(arrays), tuple(sorted(before - scoped)), long)


def _places(elements: list[Element]) -> Iterator[tuple[Element, int, Expression]]:
    for element in elements:
        for axis, index in enumerate(element.indices):
            yield element, axis, index


def _ends(loop: Loop, changed: set[str]) -> bool:
    """Whether a loop has as many trips whatever is loaded in loops around it."""
    parts = [each for limit in limits(loop) for each in inside(limit)]
    tested = any(tested_in(parts))
    return not tested and read(*limits(loop)).isdisjoint(changed)


def _stays(index: Expression, changed: set[str]) -> bool:
    """Whether an index has one value in all trips of a loop, and may be computed before it."""
    return read(index).isdisjoint(changed) and not asks(index)


def _has_arrays(node: Expression) -> bool:
    """Whether an expression hands arrays to a function."""
    return isinstance(node, HelperCall) and any(isinstance(each, Whole) for each in node.operands)
