"""Integer arithmetic in words of fewer bits, where intervals prove that it gives the same.

    >>> from functools import partial
    >>> from somd.transforms.passes.value_ranges import value_ranges
    >>> before_and_after(lambda program: bit_widths(value_ranges(program), 32), '''
    ... def scramble(a: A, key: np.ndarray, b: A):
    ...     for i in range(len(a)):
    ...         x = np.int64(a[i])
    ...         x = x * key[0] % 65537 & 0xFFFF
    ...         b[i] = x >> 8
    ... ''', a="uint16[:]", key="uint16[:]", b="int64[:]")
    x: int64 = int64(a[i])
    x: int64 = ((x * int64(key[0])) % 65537) & 65535
    b[i] = x >> 8
    ->
    x: uint32 = uint32(a[i])
    x: uint32 = ((x * uint32(key[0])) % uint32(65537)) & uint32(65535)
    b[i] = int64(x >> uint32(8))

In: the intervals of nodes. Sums, differences, products, left shifts and bit operations have the same low bits however
wide they are computed; quotients, remainders, right shifts, comparisons and conversions to floats are done on words
where the operands are natural numbers that fit. The remainder of a product that is too long is that of the remainders
of its factors. Devices and vector units multiply and divide 64 bits at a time slowly, or not at all.

An expression becomes narrower only where that costs less, and a body only where it saves a long product or quotient: a
few additions are not worth the casts that people then read. A scalar of an iteration is kept as a word where that costs
no more. `in_words` is for bodies that run in vectors, where each word that is shorter is worth it, those of 16 bits
too: with them come the products of which the upper half, or a remainder, is computed in 16.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Final

import numpy as np

from somd.transforms.loops.making import INT64, cast, choice, constant, operation, whole_number
from somd.transforms.loops.operators import OPERATORS
from somd.transforms.loops.program import (
    Assign,
    Cast,
    Choice,
    Constant,
    Expression,
    Function,
    Interval,
    Loop,
    Operation,
    Program,
    Region,
    Statement,
    Store,
    Unpack,
    Variable,
    While,
)
from somd.transforms.loops.ranges import inside, met
from somd.transforms.loops.rewriting import each_region, each_statement, with_bodies, with_expressions, with_operands
from somd.transforms.loops.scopes import given_to, own_scalars
from somd.transforms.loops.walking import bodies, expressions, operands, statements_in
from somd.transforms.loops.walking import inside as within
from somd.transforms.types.scalars import ScalarType

Block = tuple[Statement, ...]
#: operators whose results have the same low bits however wide they are computed
MODULAR: Final = ("+", "-", "*", "&", "|", "^", "neg", "~")
DIVIDING: Final = ("//", "%")
COMPARING: Final = ("<", "<=", ">", ">=", "==", "!=")
#: how often the body of a loop counts
TRIPS = 8
#: the bits of the shortest words
SHORT = 16


def bit_widths(program: Program, word: int) -> Program:
    """The program with words of so many bits where they serve."""
    functions = tuple(_of_function(each, word) for each in program.functions)
    changed = any(new is not old for new, old in zip(functions, program.functions, strict=True))
    regions = _names_by_region(program)

    def of_region(region: Region) -> Region:
        others = set().union(*(names for number, names in regions.items() if number != region.number))
        made = with_bodies(region, lambda body: _narrowed(body, {*given_to(region), *others}, word))
        assert isinstance(made, Region)
        return made

    return each_region(replace(program, functions=functions) if changed else program, of_region)


def _of_function(function: Function, word: int) -> Function:
    body = _narrowed(function.body, (parameter.name for parameter in function.parameters), word)
    return function if body is function.body else replace(function, body=body)


def _names_by_region(program: Program) -> dict[int, set[str]]:
    """The scalars that each region sets, and those that the master does (0): a name has one type in a program."""
    found: dict[int, set[str]] = {0: {parameter.name for parameter in program.parameters}}

    def look(body: Block, number: int) -> None:
        for node in body:
            inner = node.number if isinstance(node, Region) else number
            targets = (node.target,) if isinstance(node, Assign) else node.targets if isinstance(node, Unpack) else ()
            targets = (node.variable,) if isinstance(node, Loop) else targets
            found.setdefault(number, set()).update(target.name for target in targets)
            for each in bodies(node):
                look(each, inner)

    look(program.body, 0)
    return found


def _narrowed(body: Block, given: Iterable[str], word: int) -> Block:
    """The body in words, where that saves enough; the scalars in words are those that make it cheapest."""
    before = _long_operations(body)
    if not before:
        return body
    kept = dict.fromkeys(_fitting(body, own_scalars(body, given) - _unpacked(body), word), word)
    made = _Narrowing((word,), kept).block(body)
    best = _cost_of(made)
    for name in sorted(kept):
        fewer = {each: bits for each, bits in kept.items() if each != name}
        other = _Narrowing((word,), fewer).block(body)
        if _cost_of(other) < best:
            kept, made, best = fewer, other, _cost_of(other)
    return made if _long_operations(made) < before else body


def in_words(body: Block, names: Collection[str], words: tuple[int, ...]) -> Callable[[Block], Block]:
    """What computes parts of a body in words of these numbers of bits, the shortest first, its scalars among `names`
    that fit being such words."""
    kept: dict[str, int] = {}
    for bits in words:
        fitting = _fitting(body, frozenset(names) - _unpacked(body), bits)
        kept = {**dict.fromkeys(fitting, bits), **kept}
    return _Narrowing(words, kept).block


def _unpacked(body: Block) -> set[str]:
    """The scalars that get parts of what a function returns, in its types."""
    return {target.name for node in statements_in(body) if isinstance(node, Unpack) for target in node.targets}


def _long_operations(body: Block) -> int:
    """How many products and quotients of 64 bits are in a body."""
    return sum(_is_long(each) for node in statements_in(body) for value in expressions(node) for each in within(value))


def _is_long(node: Expression) -> bool:
    """Whether an expression is a product or quotient of 64 bits that is computed where the program runs."""
    return isinstance(node, Operation) and _factor(node) > 1 and node.type == INT64 and not _is_constant(node)


def _fitting(body: Block, names: frozenset[str], word: int) -> frozenset[str]:
    """Those of `names` whose values are words, all that is read of them says."""
    values = Interval(0, (1 << word) - 1)
    fitting = {node.target.name for node in statements_in(body) if isinstance(node, Assign)} & names
    for node in statements_in(body):
        targets = [(node.target.name, node.target.type, node.value.range)] if isinstance(node, Assign) else []
        read = [each for value in expressions(node) for each in within(value) if isinstance(each, Variable)]
        element = [each for part in operands(node.element) for each in within(part)] if isinstance(node, Store) else []
        read += [each for each in element if isinstance(each, Variable)]
        for name, type_, range_ in [*targets, *((each.name, each.type, each.range) for each in read)]:
            if type_ != INT64 or not inside(range_, values):
                fitting.discard(name)
    return frozenset(fitting)


class _Narrowing:
    """Rewrites a body in words, by preference the shortest; `names` are the scalars that are kept as words, with the
    bits of each."""

    def __init__(self, words: tuple[int, ...], names: Mapping[str, int]) -> None:
        self.words = words
        self.longest = max(words)
        self.names = names
        #: by the number of a node, which is kept as long: what was made of it, with its own type and as words
        self.made: dict[int, tuple[Expression, Expression]] = {}
        self.low: dict[tuple[int, int], tuple[Expression, Expression]] = {}

    def block(self, body: Block) -> Block:
        return each_statement(body, self.statement)

    def statement(self, node: Statement) -> Statement:
        if isinstance(node, Assign) and node.target.name in self.names:
            bits = self.names[node.target.name]
            target = replace(node.target, type=unsigned(bits), range=met(node.target.range, words_of(bits)))
            return replace(node, target=target, value=self.number(node.value, bits))
        return with_expressions(node, self.wide)

    # --- values --------------------------------------------------------------------------------------------------

    def wide(self, node: Expression) -> Expression:
        """The value with its own type, computed in words where that is cheaper."""
        return min([self.plain(node), *self.others(node)], key=cost)

    def plain(self, node: Expression) -> Expression:
        """The value computed as it was, of parts in words where that is cheaper."""
        if id(node) not in self.made:
            if isinstance(node, Variable) and node.name in self.names:
                made: Expression = cast(self.variable(node), INT64)
            else:
                made = with_operands(node, self.wide)
            self.made[id(node)] = node, made
        return self.made[id(node)][1]

    def others(self, node: Expression) -> Iterator[Expression]:
        """Other ways to compute the value, in words."""
        for bits in self.words:
            if node.type == INT64 and isinstance(node, Operation | Choice) and fits(node, bits):
                yield cast(self.number(node, bits), INT64)
            elif isinstance(node, Cast) and node.operand.type == INT64:
                if node.type.kind in "iu" and _bits(node.type) <= bits:
                    low = cast(self.word(node.operand, bits), node.type)
                    if inside(low.range, node.range):
                        yield low
                elif fits(node.operand, bits) and isinstance(node.operand, Operation | Choice):
                    yield cast(self.number(node.operand, bits), node.type)
            elif isinstance(node, Operation) and node.operator in COMPARING:
                left, right = node.operands
                if left.type == right.type == INT64 and fits(left, bits) and fits(right, bits):
                    yield operation(node.operator, self.number(left, bits), self.number(right, bits))

    def variable(self, node: Variable) -> Variable:
        bits = self.names[node.name]
        return replace(node, type=unsigned(bits), range=met(node.range, words_of(bits)))

    # --- words ---------------------------------------------------------------------------------------------------

    def number(self, node: Expression, bits: int) -> Expression:
        """The value of an expression that fits, as a word whose interval says so."""
        made = self.word(node, bits)
        return made if inside(made.range, node.range) else cast(self.plain(node), unsigned(bits))

    def word(self, node: Expression, bits: int) -> Expression:
        """The low bits of an integer, as a word."""
        if (id(node), bits) not in self.low:
            self.low[id(node), bits] = node, self._word(node, bits)
        return self.low[id(node), bits][1]

    def _word(self, node: Expression, bits: int) -> Expression:
        if isinstance(node, Constant):
            return constant(int(node.value.real) & words_of(bits).high, unsigned(bits))
        if isinstance(node, Variable) and node.name in self.names:
            return cast(self.variable(node), unsigned(bits))
        found = [other for other in (self.narrow(node, bits),) if other is not None]
        found += [cast(self.word(node, longer), unsigned(bits)) for longer in self.words if longer > bits]
        return min([*found, cast(self.plain(node), unsigned(bits))], key=cost)

    def narrow(self, node: Expression, bits: int) -> Expression | None:
        """As `word`, computed in words; None where that gives something else."""
        if isinstance(node, Cast) and node.operand.type.kind in "iu" and node.type == INT64:
            same = _bits(node.operand.type) == 64
            return self.word(node.operand, bits) if same else cast(self.wide(node.operand), unsigned(bits))
        if isinstance(node, Choice) and node.type == INT64:
            return choice(self.wide(node.test), self.word(node.yes, bits), self.word(node.no, bits))
        if not isinstance(node, Operation) or node.type != INT64:
            return None
        halves = self.of_product(node) if bits == SHORT else None
        if halves is not None:
            return halves
        if node.operator == "+" and isinstance(last := node.operands[1], Constant) and last.value.real < 0:
            less = constant(-int(last.value.real) & words_of(bits).high, unsigned(bits))
            return operation("-", self.word(node.operands[0], bits), less)
        if node.operator == "&" and _is(node.operands[1], words_of(bits).high):
            return self.word(node.operands[0], bits)
        if node.operator in MODULAR:
            return operation(node.operator, *(self.word(each, bits) for each in node.operands))
        if node.operator in ("<<", ">>"):
            counted, shifts = node.operands[1], Interval(0, bits - 1)
            if not inside(counted.range, shifts) or (node.operator == ">>" and not fits(node.operands[0], bits)):
                return None
            of = self.word if node.operator == "<<" else self.number
            return operation(node.operator, of(node.operands[0], bits), self.number(counted, bits))
        if node.operator in ("min", "max") and all(fits(each, bits) for each in node.operands):
            return operation(node.operator, *(self.number(each, bits) for each in node.operands))
        return self.divided(node) if node.operator in DIVIDING and bits == self.longest else None

    def of_product(self, node: Operation) -> Expression | None:
        """What is computed in short words of the product of two: its upper half, and its remainder by 65537."""
        product, other = node.operands[0], node.operands[-1]
        function = {">>": ("high product", SHORT), "%": ("fermat product", (1 << SHORT) + 1)}.get(node.operator)
        if function is None or not isinstance(product, Operation) or product.operator != "*":
            return None
        if not _is(other, function[1]) or not all(fits(each, SHORT) for each in product.operands):
            return None
        return operation(function[0], *(self.number(each, SHORT) for each in product.operands))

    def divided(self, node: Operation) -> Expression | None:
        """A quotient or remainder of words."""
        number, divisor = node.operands
        if not inside(divisor.range, Interval(1, words_of(self.longest).high)):
            return None
        if fits(number, self.longest):
            power = self.power_below(number, divisor) if node.operator == "%" else None
            if power is not None:
                return operation("fermat remainder", self.number(number, self.longest), power)
            return operation(node.operator, self.number(number, self.longest), self.number(divisor, self.longest))
        return self.remainder_of_product(number, divisor) if node.operator == "%" else None

    def power_below(self, number: Expression, divisor: Expression) -> Constant | None:
        """The k for a divisor 2**k + 1 of what is less than 2**2k, where there are short words."""
        if not isinstance(divisor, Constant) or SHORT not in self.words:
            return None
        least = int(divisor.value.real) - 1
        bits = least.bit_length() - 1
        known = least == 1 << bits and bits > 0 and inside(number.range, Interval(0, (1 << 2 * bits) - 1))
        return whole_number(bits) if known else None

    def remainder_of_product(self, number: Expression, divisor: Expression) -> Expression | None:
        """The remainder of a product by a constant, from those of the factors, if their product is a word."""
        if not isinstance(number, Operation) or number.operator != "*" or not isinstance(divisor, Constant):
            return None
        left, right = number.operands
        assert left.range is not None and right.range is not None
        corners = [a * b for a in (left.range.low, left.range.high) for b in (right.range.low, right.range.high)]
        if not inside(Interval(min(corners), max(corners)), Interval(-(1 << 63), (1 << 63) - 1)):
            return None  # which may wrap
        factors = [self.factor(each, divisor) for each in (left, right)]
        if factors[0] is None or factors[1] is None:
            return None
        product = operation("*", factors[0], factors[1])
        highest = [each.range.high for each in factors if each is not None and each.range is not None]
        if highest[0] * highest[1] > words_of(self.longest).high:
            return None
        return operation("%", product, self.word(divisor, self.longest))

    def factor(self, node: Expression, divisor: Constant) -> Expression | None:
        """A factor, or its remainder, as a word."""
        least, bits = int(divisor.value.real), self.longest
        if inside(node.range, Interval(0, least - 1)):
            return self.number(node, bits)
        if fits(node, bits):
            return operation("%", self.number(node, bits), self.word(divisor, bits))
        limits, signed = Interval(-(1 << bits - 1), (1 << bits - 1) - 1), ScalarType(f"int{bits}")
        if not inside(node.range, limits) or least > limits.high:
            return None
        small = node.operand if isinstance(node, Cast) and node.operand.type == signed else node
        made = operation("%", cast(self.wide(small), signed), constant(least, signed))
        return cast(made, unsigned(bits))


def unsigned(bits: int) -> ScalarType:
    return ScalarType(f"uint{bits}")


def words_of(bits: int) -> Interval:
    """The values of words."""
    return Interval(0, (1 << bits) - 1)


def fits(node: Expression, bits: int) -> bool:
    """Whether the values of an expression are words."""
    return inside(node.range, words_of(bits))


def _is(node: Expression, value: int) -> bool:
    return node.range == Interval(value, value)


# --- what it costs ---------------------------------------------------------------------------------------------------


def cost(node: Expression) -> float:
    """What integers cost in an expression, in additions of one word; conversions cost something, too."""
    return 0 if _is_constant(node) else sum(map(cost, operands(node))) + _own_cost(node)


def _is_constant(node: Expression) -> bool:
    """Whether a compiler computes an expression beforehand."""
    return isinstance(node, Constant) or (isinstance(node, Operation | Cast) and all(map(_is_constant, operands(node))))


def _own_cost(node: Expression) -> float:
    if isinstance(node, Cast):
        words = max(_words(node.type), _words(node.operand.type))
        return words * words if "f" in (node.type.kind, node.operand.type.kind) else 1
    if not isinstance(node, Operation) or node.operands[0].type.kind not in "iu":
        return 0
    each, words = _factor(node), max(_words(operand.type) for operand in node.operands)
    return each * words * words if each > 1 else words


def _factor(node: Operation) -> int:
    """What an operator costs of integers of one word: by a power of 2 it is but a shift."""
    last = node.operands[-1]
    either = node.operands if node.operator == "*" else (last,)
    numbers = [int(each.value.real) for each in either if isinstance(each, Constant) and each.type.kind in "iu"]
    return 1 if any(each.bit_count() == 1 for each in numbers) else OPERATORS[node.operator].cost


def _words(type_: ScalarType) -> float:
    """How many words of 32 bits an integer takes; of Python's text shorter ones are made of such."""
    return {64: 2, 16: 0.5}.get(_bits(type_), 1) if type_.kind in "iu" else 1


def _bits(type_: ScalarType) -> int:
    return np.dtype(type_.dtype).itemsize * 8


def _cost_of(body: Block) -> float:
    """What a body costs, that of a loop counted several times."""
    total = 0.0
    for node in body:
        own = sum(map(cost, expressions(node)))
        inner = sum(map(_cost_of, bodies(node)))
        total += own + (TRIPS * inner if isinstance(node, Loop | While) else inner)
    return total
