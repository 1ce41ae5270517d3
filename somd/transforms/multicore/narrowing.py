"""Integer arithmetic in 32 bits, where intervals prove that it gives the same.

    x1 = x1 * np.int64(key[k]) % PRIME & 0xFFFF
    ->  x1 = np.uint32(fermat_remainder(np.uint32(x1 * np.uint32(key[k])), 16) & np.uint32(0xFFFF))

In: the intervals of a slave's statements, and the names that are kept as unsigned words of 32 bits. Sums, differences,
products, left shifts and bit operations have the same low 32 bits however wide they are computed; remainders,
quotients, right shifts and comparisons are done on words if both operands are proved to fit. 64-bit products and
remainders are what processors do not vectorise, or only slowly.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import cast

import libcst as cst
import numpy as np

from somd.transforms.frontend.tree import transformed_expression
from somd.transforms.multicore.casts import call, parenthesised
from somd.transforms.multicore.casts import cast as converted
from somd.transforms.multicore.flow import pairs_of, read
from somd.transforms.multicore.intervals import WORD, Interval, Intervals
from somd.transforms.types.scalars import AUGMENTED

MODULAR = (cst.Add, cst.Subtract, cst.Multiply, cst.BitAnd, cst.BitOr, cst.BitXor)
DIVIDING = (cst.Modulo, cst.FloorDivide)
BITS = 32


class Narrowing:
    """Rewrites statements whose names in `words` are np.uint32 values."""

    def __init__(self, intervals: Intervals, words: Collection[str], arrays: Mapping[str, str]) -> None:
        self.intervals = intervals
        self.words = frozenset(words)
        self.arrays = arrays

    def assigned(self, node: cst.Assign | cst.AugAssign) -> cst.Assign | cst.AugAssign:
        """An assignment with all that it computes narrowed."""
        if isinstance(node, cst.AugAssign):
            if not (isinstance(node.target, cst.Name) and node.target.value in self.words):
                return node.with_changes(target=self._place(node.target), value=self.wide(node.value))
            operation = cst.BinaryOperation(node.target, AUGMENTED[type(node.operator)](), _operand(node.value))
            return cst.Assign([cst.AssignTarget(node.target)], self.word(operation))
        pairs = pairs_of(node)
        if any(value is None for _, value in pairs):
            return node.with_changes(value=self.wide(node.value))
        values = [self._value(target, value) for target, value in pairs if value is not None]
        if not isinstance(node.targets[0].target, cst.Tuple):
            return node.with_changes(targets=[cst.AssignTarget(self._place(pairs[0][0]))], value=values[0])
        places = cst.Tuple([cst.Element(self._place(target)) for target, _ in pairs], lpar=[], rpar=[])
        return cst.Assign([cst.AssignTarget(places)], cst.Tuple([cst.Element(v) for v in values], lpar=[], rpar=[]))

    def _value(self, target: cst.BaseExpression, value: cst.BaseExpression) -> cst.BaseExpression:
        if isinstance(target, cst.Name) and target.value in self.words:
            return self.word(value)
        if isinstance(target, cst.Subscript) and isinstance(target.value, cst.Name):
            return self.word(value) if self._kept_short(target.value.value, value) else self.wide(value)
        return self.wide(value)

    def _place(self, target: cst.BaseExpression) -> cst.BaseAssignTargetExpression:
        return cast(cst.BaseAssignTargetExpression, target if isinstance(target, cst.Name) else self.wide(target))

    def _kept_short(self, array: str, value: cst.BaseExpression) -> bool:
        """Whether an array keeps only the low bits of integers."""
        kind = np.dtype(self.arrays.get(array, "float64"))
        return kind.kind in "iu" and kind.itemsize < 8 and self.intervals.of(value) is not None

    def fits(self, node: cst.BaseExpression) -> bool:
        """Whether the values of an expression are words."""
        found = self.intervals.of(node)
        return found is not None and found.low <= found.high and found.within(WORD)

    # --- expressions ---------------------------------------------------------------------------------------------

    def wide(self, node: cst.BaseExpression) -> cst.BaseExpression:
        """The expression with its own value and type."""
        return transformed_expression(node, _Wide(self))

    def word(self, node: cst.BaseExpression) -> cst.BaseExpression:
        """The low 32 bits of an integer expression, as np.uint32."""
        made = self.low(node)
        return made if is_word(made) or (isinstance(made, cst.Name) and made.value in self.words) else _word(made)

    def low(self, node: cst.BaseExpression) -> cst.BaseExpression:
        """An unsigned expression of 32 or 64 bits with the same low 32 bits."""
        if isinstance(node, cst.Name):
            return node if node.value in self.words else _word(node)
        if isinstance(node, cst.Integer) and 0 <= node.evaluated_value <= WORD.high:
            return _word(node)
        if isinstance(node, cst.Call) and _is_widening(node) and self.intervals.of(node.args[0].value) is not None:
            return self.word(node.args[0].value)
        if isinstance(node, cst.Subscript) and isinstance(node.value, cst.Name):
            short = node.value.value in self.intervals.assumed
            return _word(converted(self.wide(node), "uint16") if short else self.wide(node))
        if isinstance(node, cst.IfExp):
            return node.with_changes(
                test=self.wide(node.test), body=self.word(node.body), orelse=self.word(node.orelse)
            )
        if isinstance(node, cst.BinaryOperation):
            made = self._operation(node)
            if made is not None:
                return made
        return _word(self.wide(node))

    def _operation(self, node: cst.BinaryOperation) -> cst.BaseExpression | None:
        if isinstance(node.operator, MODULAR):
            return node.with_changes(left=self.low(node.left), right=self.low(node.right))
        if isinstance(node.operator, cst.LeftShift | cst.RightShift):
            count = self.intervals.of(node.right)
            if count is None or not count.within(Interval(0, BITS - 1)):
                return None
            if isinstance(node.operator, cst.LeftShift):
                return node.with_changes(left=self.low(node.left), right=self.word(node.right))
            if not self.fits(node.left):
                return None
            return node.with_changes(left=self.word(node.left), right=self.word(node.right))
        if isinstance(node.operator, DIVIDING) and self.divides(node):
            special = self._by_power(node)
            return special or node.with_changes(left=self.word(node.left), right=self.word(node.right))
        return None

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


class _Wide(cst.CSTTransformer):
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
        word = self.narrowing.word
        return original_node.with_changes(
            left=word(original_node.left), comparisons=[only.with_changes(comparator=word(only.comparator))]
        )

    def _of_words(self, node: cst.Comparison) -> bool:
        fits = self.narrowing.fits
        words = not self.narrowing.words.isdisjoint(read(node))
        return words and len(node.comparisons) == 1 and fits(node.left) and fits(node.comparisons[0].comparator)


def is_word(node: cst.BaseExpression) -> bool:
    """Whether an expression is a call that gives np.uint32."""
    if not isinstance(node, cst.Call):
        return False
    if isinstance(node.func, cst.Name):
        return node.func.value == "fermat_remainder"
    return isinstance(node.func, cst.Attribute) and node.func.attr.value == "uint32"


def _word(node: cst.BaseExpression) -> cst.Call:
    return converted(node.with_changes(lpar=[], rpar=[]) if node.lpar else node, "uint32")


def _is_widening(node: cst.Call) -> bool:
    """Whether a call makes an int64 of an integer."""
    name = node.func.attr if isinstance(node.func, cst.Attribute) else node.func
    return isinstance(name, cst.Name) and name.value in ("int64", "int") and len(node.args) == 1


def _operand(node: cst.BaseExpression) -> cst.BaseExpression:
    compound = cst.BinaryOperation | cst.IfExp | cst.BooleanOperation | cst.Comparison
    return parenthesised(node) if isinstance(node, compound) else node
