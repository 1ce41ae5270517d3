"""Integer arithmetic in 16 or 32 bits, where intervals prove that it gives the same.

    x1 = x1 * np.int64(key[k]) % PRIME & 0xFFFF
    ->  x1 = fermat_product(x1, np.uint16(key[k]))

In: the intervals of a slave's statements, and the names that are kept as unsigned words, with the bits of each. Sums,
differences, products, left shifts and bit operations have the same low bits however wide they are computed; remainders,
quotients, right shifts and comparisons are done on words if both operands are proved to fit. 64-bit products and
remainders are what processors do not vectorise, or only slowly; of 16 bits they take twice as many at once as of 32.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast

import libcst as cst
import numpy as np

from somd.transforms.multicore.flow import pairs_of, read
from somd.transforms.multicore.intervals import WORD, Interval, Intervals
from somd.transforms.multicore.nodes import call, converted, parenthesised
from somd.transforms.tree.rewriting import transformed_expression
from somd.transforms.tree.walking import Transformer
from somd.transforms.types.scalars import AUGMENTED

#: the bits of words
SHORT, LONG = 16, 32
TYPES = {"uint16": SHORT, "uint32": LONG}
#: what the runtime's functions of words give
FUNCTIONS = {"fermat_product": SHORT, "high_product": SHORT, "fermat_remainder": LONG}
MODULAR = (cst.Add, cst.Subtract, cst.Multiply, cst.BitAnd, cst.BitOr, cst.BitXor)
DIVIDING = (cst.Modulo, cst.FloorDivide)


def word_bits(values: Interval) -> int:
    """The bits of the words that hold all these values, which are natural numbers below 2**32."""
    return SHORT if values.within(Interval(0, (1 << SHORT) - 1)) else LONG


class Narrowing:
    """Rewrites statements whose names in `words` are np.uint16 or np.uint32 values, as the bits there tell."""

    def __init__(self, intervals: Intervals, words: Mapping[str, int], arrays: Mapping[str, str]) -> None:
        self.intervals = intervals
        self.words = words
        self.arrays = arrays

    def assigned(self, node: cst.Assign | cst.AugAssign) -> cst.Assign | cst.AugAssign:
        """An assignment with all that it computes narrowed."""
        if isinstance(node, cst.AugAssign):
            if not (isinstance(node.target, cst.Name) and node.target.value in self.words):
                return node.with_changes(target=self._place(node.target), value=self.wide(node.value))
            operation = cst.BinaryOperation(node.target, AUGMENTED[type(node.operator)](), _operand(node.value))
            bits = self.words[node.target.value]
            return cst.Assign([cst.AssignTarget(node.target)], self.word(operation, bits))
        pairs = pairs_of(node)
        if any(value is None for _, value in pairs):
            return node.with_changes(value=self.wide(node.value))
        values = [self._value(target, value) for target, value in pairs if value is not None]
        if not isinstance(node.targets[0].target, cst.Tuple):
            return node.with_changes(targets=[cst.AssignTarget(self._place(pairs[0][0]))], value=values[0])
        places = cst.Tuple([cst.Element(self._place(target)) for target, _ in pairs], lpar=[], rpar=[])
        return cst.Assign([cst.AssignTarget(places)], cst.Tuple([cst.Element(v) for v in values], lpar=[], rpar=[]))

    def _value(self, target: cst.BaseExpression, value: cst.BaseExpression) -> cst.BaseExpression:
        if isinstance(target, cst.Name):
            bits = self.words.get(target.value)
        else:
            bits = self._kept(target, value)
        return self.wide(value) if bits is None else self.word(value, bits)

    def _place(self, target: cst.BaseExpression) -> cst.BaseAssignTargetExpression:
        return cast(cst.BaseAssignTargetExpression, target if isinstance(target, cst.Name) else self.wide(target))

    def _kept(self, target: cst.BaseExpression, value: cst.BaseExpression) -> int | None:
        """The bits of integers that an array keeps of what it is given; None where it keeps all, or other numbers."""
        if not isinstance(target, cst.Subscript) or not isinstance(target.value, cst.Name):
            return None
        kind = np.dtype(self.arrays.get(target.value.value, "float64"))
        if kind.kind not in "iu" or kind.itemsize == 8 or self.intervals.of(value) is None:
            return None
        return LONG if kind.itemsize == 4 else SHORT

    def fits(self, node: cst.BaseExpression, bits: int = LONG) -> bool:
        """Whether the values of an expression are words."""
        found = self.intervals.of(node)
        return found is not None and found.low <= found.high and found.within(Interval(0, (1 << bits) - 1))

    # --- expressions ---------------------------------------------------------------------------------------------

    def wide(self, node: cst.BaseExpression) -> cst.BaseExpression:
        """The expression with its own value and type."""
        return transformed_expression(node, _Wide(self))

    def word(self, node: cst.BaseExpression, bits: int = LONG) -> cst.BaseExpression:
        """The low bits of an integer expression, as np.uint16 or np.uint32."""
        made = self.low(node, bits)
        return made if self.bits_of(made) == bits else _word(made, bits)

    def bits_of(self, node: cst.BaseExpression) -> int | None:
        """The bits of an expression that is a word as it stands."""
        if isinstance(node, cst.Name):
            return self.words.get(node.value)
        if not isinstance(node, cst.Call):
            return None
        if isinstance(node.func, cst.Name):
            return FUNCTIONS.get(node.func.value)
        return TYPES.get(node.func.attr.value) if isinstance(node.func, cst.Attribute) else None

    def low(self, node: cst.BaseExpression, bits: int) -> cst.BaseExpression:
        """An unsigned expression of at least so many bits with the same low bits."""
        if isinstance(node, cst.Name):
            return node if self.words.get(node.value) == bits else _word(node, bits)
        if isinstance(node, cst.Integer) and 0 <= node.evaluated_value < 1 << bits:
            return _word(node, bits)
        if isinstance(node, cst.Call) and _is_widening(node) and self.intervals.of(node.args[0].value) is not None:
            return self.word(node.args[0].value, bits)
        if isinstance(node, cst.Subscript) and isinstance(node.value, cst.Name):
            if node.value.value not in self.intervals.assumed:
                return _word(self.wide(node), bits)
            short = _word(self.wide(node), SHORT)
            return short if bits == SHORT else _word(short, bits)
        if isinstance(node, cst.IfExp):
            return node.with_changes(
                test=self.wide(node.test), body=self.word(node.body, bits), orelse=self.word(node.orelse, bits)
            )
        if isinstance(node, cst.BinaryOperation):
            made = self._operation(node, bits)
            if made is not None:
                return made
        return _word(self.wide(node), bits)

    def _operation(self, node: cst.BinaryOperation, bits: int) -> cst.BaseExpression | None:
        left, right = node.left, node.right
        if isinstance(node.operator, cst.BitAnd) and self._is(right, (1 << bits) - 1):
            kept = self.low(left, bits)
            return parenthesised(kept) if node.lpar and isinstance(kept, cst.BinaryOperation | cst.IfExp) else kept
        if isinstance(node.operator, MODULAR):
            return node.with_changes(left=self.low(left, bits), right=self.low(right, bits))
        if isinstance(node.operator, cst.LeftShift):
            if self._counts_bits(right, bits):
                return node.with_changes(left=self.low(left, bits), right=self.word(right, bits))
        elif isinstance(node.operator, cst.RightShift):
            if bits == SHORT and self._is(right, SHORT) and self._is_product(left):
                return self._of_factors("high_product", left)
            if self._counts_bits(right, bits) and self.fits(left, bits):
                return node.with_changes(left=self.word(left, bits), right=self.word(right, bits))
        elif bits == SHORT and isinstance(node.operator, cst.Modulo) and self._is(right, (1 << SHORT) + 1):
            if self._is_product(left):
                return self._of_factors("fermat_product", left)
        elif bits == LONG and isinstance(node.operator, DIVIDING) and self.divides(node):
            return self._by_power(node) or node.with_changes(left=self.word(left), right=self.word(right))
        return self._operation(node, LONG) if bits == SHORT else None

    def _counts_bits(self, node: cst.BaseExpression, bits: int) -> bool:
        count = self.intervals.of(node)
        return count is not None and count.within(Interval(0, bits - 1))

    def _is(self, node: cst.BaseExpression, value: int) -> bool:
        return self.intervals.of(node) == Interval(value, value)

    def _is_product(self, node: cst.BaseExpression) -> bool:
        """Whether an expression is a product of short words."""
        if not isinstance(node, cst.BinaryOperation) or not isinstance(node.operator, cst.Multiply):
            return False
        return self.fits(node.left, SHORT) and self.fits(node.right, SHORT)

    def _of_factors(self, function: str, node: cst.BaseExpression) -> cst.BaseExpression:
        product = cst.ensure_type(node, cst.BinaryOperation)
        return call(function, *(_bare(self.word(factor, SHORT)) for factor in (product.left, product.right)))

    def divides(self, node: cst.BinaryOperation) -> bool:
        """Whether a remainder or quotient can be taken of words."""
        divisor = self.intervals.of(node.right)
        return self.fits(node.left) and divisor is not None and divisor.within(Interval(1, WORD.high))

    def _by_power(self, node: cst.BinaryOperation) -> cst.BaseExpression | None:
        """The remainder by 2**k + 1 of what is less than 2**2k."""
        divisor, number = self.intervals.of(node.right), self.intervals.of(node.left)
        if (
            divisor is None
            or number is None
            or divisor.low != divisor.high
            or not isinstance(node.operator, cst.Modulo)
        ):
            return None
        bits = (divisor.low - 1).bit_length() - 1
        if bits < 1 or divisor.low != (1 << bits) + 1 or number.high >= 1 << 2 * bits:
            return None
        return call("fermat_remainder", self.word(node.left), cst.Integer(str(bits)))


class _Wide(Transformer):
    """Reads words as int64, and takes remainders, quotients and comparisons of words where they are proved to fit."""

    def __init__(self, narrowing: Narrowing) -> None:
        super().__init__()
        self.narrowing = narrowing

    def visit_Attribute(self, node: cst.Attribute) -> bool:
        return False

    def leave_Name(self, original_node: cst.Name, updated_node: cst.Name) -> cst.BaseExpression:
        return converted(updated_node, "int64") if original_node.value in self.narrowing.words else updated_node

    def visit_BinaryOperation(self, node: cst.BinaryOperation) -> bool:
        return not self._narrowed(node)

    def leave_BinaryOperation(
        self, original_node: cst.BinaryOperation, updated_node: cst.BinaryOperation
    ) -> cst.BaseExpression:
        if self._narrowed(original_node):
            return converted(self.narrowing.word(original_node.with_changes(lpar=[], rpar=[])), "int64")
        return updated_node

    def _narrowed(self, node: cst.BinaryOperation) -> bool:
        return isinstance(node.operator, DIVIDING) and self.narrowing.divides(node)

    def visit_Comparison(self, node: cst.Comparison) -> bool:
        return not self._of_words(node)

    def leave_Comparison(self, original_node: cst.Comparison, updated_node: cst.Comparison) -> cst.BaseExpression:
        if not self._of_words(original_node):
            return updated_node
        only = original_node.comparisons[0]
        word, sides = self.narrowing.word, (original_node.left, only.comparator)
        bits = SHORT if all(self.narrowing.fits(side, SHORT) for side in sides) else LONG
        left, right = (word(side, bits) for side in sides)
        return original_node.with_changes(left=left, comparisons=[only.with_changes(comparator=right)])

    def _of_words(self, node: cst.Comparison) -> bool:
        fits = self.narrowing.fits
        words = not self.narrowing.words.keys().isdisjoint(read(node))
        return words and len(node.comparisons) == 1 and fits(node.left) and fits(node.comparisons[0].comparator)


def _word(node: cst.BaseExpression, bits: int) -> cst.Call:
    return converted(_bare(node), f"uint{bits}")


def _bare(node: cst.BaseExpression) -> cst.BaseExpression:
    return node.with_changes(lpar=[], rpar=[]) if node.lpar else node


def _is_widening(node: cst.Call) -> bool:
    """Whether a call makes an int64 of an integer."""
    name = node.func.attr if isinstance(node.func, cst.Attribute) else node.func
    return isinstance(name, cst.Name) and name.value in ("int64", "int") and len(node.args) == 1


def _operand(node: cst.BaseExpression) -> cst.BaseExpression:
    compound = cst.BinaryOperation | cst.IfExp | cst.BooleanOperation | cst.Comparison
    return parenthesised(node) if isinstance(node, compound) else node
