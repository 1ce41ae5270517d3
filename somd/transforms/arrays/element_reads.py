"""What an expression reads of arrays, element by element, what an element costs, and whether it can fail.

In: expressions and statements of a method, and their types. Nothing is emitted here; `contraction` asks.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeGuard

import libcst as cst

from somd.transforms.analysis.parts import ELLIPSIS, NEW_AXIS, items_of
from somd.transforms.stages import Method
from somd.transforms.tree.names import names_read, target_parts
from somd.transforms.tree.walking import children_of, nodes_of
from somd.transforms.types.scalars import ArrayType, ScalarType
from somd.transforms.types.typing_table import Types

#: what operations and functions cost that are not as quick as a multiplication
SLOW = {"Divide": 4, "sqrt": 4, "Power": 16}
FUNCTION = 64
QUICK = frozenset(("where", "abs", "absolute", "fabs", "negative", "positive", "maximum", "minimum", "fmax", "fmin"))
QUICK |= {"square", "sign", "add", "subtract", "multiply", "isnan", "isinf", "isfinite"}
QUICK |= {"logical_and", "logical_or", "logical_not", "logical_xor"}
#: operators of integers that have a value for all operands
TOTAL = (cst.Add, cst.Subtract, cst.Multiply, cst.BitAnd, cst.BitOr, cst.BitXor)
TOTAL_UPDATES = (cst.AddAssign, cst.SubtractAssign, cst.MultiplyAssign)
FLOAT_UPDATES = (*TOTAL_UPDATES, cst.DivideAssign)
KINDS = "biufc"


class ElementReads:
    """Answers for the expressions of a method."""

    def __init__(self, method: Method, types: Types) -> None:
        self.method, self.types = method, types
        #: a name by which arrays may be indexed that are tested to be long enough; which arrays, and along which axis
        self.index: str | None = None
        self.indexed: set[tuple[str, int]] = set()

    # --- statements ------------------------------------------------------------------------------------------------

    def _reads(self, node: cst.CSTNode, name: str) -> bool:
        """Whether a statement reads an array element by element, into one of as many axes."""
        value = getattr(node, "value", None)
        if isinstance(node, cst.Return) and isinstance(value, cst.BaseExpression):
            given = [each.value for each in value.elements] if isinstance(value, cst.Tuple) else [value]
            return all(name not in names_read(each) or self._is_read_by(each, name, True) for each in given)
        target = node.targets[0].target if isinstance(node, cst.Assign) and len(node.targets) == 1 else None
        target = node.target if isinstance(node, cst.AugAssign) else target
        if target is None or not isinstance(value, cst.BaseExpression):
            return False
        if isinstance(target, cst.Tuple):
            if not isinstance(value, cst.Tuple) or len(target.elements) != len(value.elements):
                return False
            pairs = [(t.value, v.value) for t, v in zip(target.elements, value.elements, strict=True)]
            return all(self._reads_into(t, v, name, False) for t, v in pairs)
        return self._reads_into(target, value, name, isinstance(node, cst.AugAssign))

    def _is_read_by(self, value: cst.BaseExpression, name: str, new: bool) -> bool:
        """Whether a value of as many axes is made of elements of an array; a `new` one is no part of it. Reductions in
        it, which come before, read such values."""
        kind = self.types.names[name]
        assert isinstance(kind, ArrayType)
        if not self._is_reduced_by(value, name):
            return False
        if name not in self.outside(value):
            return True
        fits = self._rank(value) == kind.ndim and (not new or self._makes_array(value))
        return fits and self._element_by_element(value, name)

    def _reads_into(self, target: cst.BaseExpression, value: cst.BaseExpression, name: str, update: bool) -> bool:
        if isinstance(target, cst.Name):
            own, read = self.types.names.get(target.value), name in names_read(value)
            kind = self.types.names[name]
            alike = isinstance(own, ArrayType) and isinstance(kind, ArrayType) and own.ndim == kind.ndim
            alike = alike or name not in self.outside(value)
            return target.value != name and (not read or (alike and self._is_read_by(value, name, not update)))
        if not isinstance(target, cst.Subscript) or name in names_read(target.value):
            return False
        mask = self._mask(target)
        whole = target if mask is None else target.value
        if mask is not None and name in names_read(mask) and not self._is_read_by(mask, name, False):
            return False
        if mask is None and name in names_read(target):
            return False
        if name not in names_read(value):
            return True
        kind = self.types.names[name]
        alike = isinstance(kind, ArrayType) and self._rank(whole) == kind.ndim
        return (alike or name not in self.outside(value)) and self._is_read_by(value, name, False)

    def _update_of(self, node: cst.CSTNode, name: str) -> list[cst.BaseExpression] | None:
        """What a statement that changes an array whole, or under a mask, is made of."""
        kind = self.types.names[name]
        assert isinstance(kind, ArrayType)
        target = node.targets[0].target if isinstance(node, cst.Assign) and len(node.targets) == 1 else None
        target = node.target if isinstance(node, cst.AugAssign) else target
        value = getattr(node, "value", None)
        if target is None or not isinstance(value, cst.BaseExpression) or not self.fits(value, kind):
            return None
        if isinstance(node, cst.AugAssign):
            allowed = FLOAT_UPDATES if kind.element.kind in "fc" else TOTAL_UPDATES
            if kind.element.kind == "b" or not isinstance(node.operator, allowed):
                return None
        elif not isinstance(target, cst.Subscript):
            return None
        if isinstance(target, cst.Name):
            return [value] if target.value == name else None
        if (
            not isinstance(target, cst.Subscript)
            or not isinstance(target.value, cst.Name)
            or target.value.value != name
        ):
            return None
        mask = self._mask(target)
        if mask is None:
            whole = all(each is ELLIPSIS or _is_whole(each) for each in items_of(target, self.method))
            return [value] if whole else None
        alone = self._rank(value) == 0 and self._rank(mask) == kind.ndim
        return [mask, value] if alone and self.is_pure(mask, False) and self._element_by_element(mask, name) else None

    def fits(self, value: cst.BaseExpression, kind: ArrayType) -> bool:
        """Whether a value goes into elements of a type as it does in an operation, and cannot fail."""
        found = self.types.nodes.get(value)
        own = kind.element.kind
        if isinstance(found, ScalarType):
            exact = own in "fc" or own == found.kind == "b"
            return exact and KINDS.index(found.kind) <= KINDS.index(own)
        if not isinstance(found, ArrayType) or found.ndim != kind.ndim or not self.is_pure(value, False):
            return False
        return own in "fc" and KINDS.index(found.element.kind) <= KINDS.index(own)

    def _mask(self, node: cst.Subscript) -> cst.BaseExpression | None:
        items = items_of(node, self.method)
        only = items[0] if len(items) == 1 else None
        kind = self.types.nodes.get(only) if isinstance(only, cst.BaseExpression) else None
        name = node.value.value if isinstance(node.value, cst.Name) else ""
        base = self.types.names.get(name, self.types.nodes.get(node.value))
        whole = isinstance(kind, ArrayType) and isinstance(base, ArrayType) and kind.ndim == base.ndim
        masks = whole and isinstance(kind, ArrayType) and kind.dtype == "bool"
        return only if masks and isinstance(only, cst.BaseExpression) else None

    # --- expressions -----------------------------------------------------------------------------------------------

    def _rank(self, node: cst.BaseExpression) -> int:
        kind = self.types.nodes.get(node)
        return kind.ndim if isinstance(kind, ArrayType) else 0

    def _makes_array(self, node: cst.BaseExpression) -> bool:
        return isinstance(node, cst.BinaryOperation | cst.UnaryOperation | cst.Comparison | cst.Call)

    def _operands(self, node: cst.BaseExpression) -> list[cst.BaseExpression] | None:
        """What an operation is made of whose elements are made of elements; None where it is none."""
        if isinstance(node, cst.BinaryOperation):
            return None if isinstance(node.operator, cst.MatrixMultiply) else [node.left, node.right]
        if isinstance(node, cst.UnaryOperation):
            return [node.expression]
        if isinstance(node, cst.Comparison) and len(node.comparisons) == 1:
            return [node.left, node.comparisons[0].comparator]
        if isinstance(node, cst.Call):
            callee = self.types.calls.get(node)
            if self._is_rolled(node) and callee is not None and callee.given is not None:
                return [*callee.given.nodes["a"]]
            if callee is None or any(each.keyword is not None or each.star for each in node.args):
                return None
            if callee.kind in ("numpy", "cast") or (callee.kind == "builtin" and callee.name == "abs"):
                return [each.value for each in node.args]
            if callee.kind == "astype" and isinstance(node.func, cst.Attribute):
                return [node.func.value]
        return None

    def cannot_fail(self, node: cst.CSTNode) -> bool:
        """Whether the loops of a statement, or of a value, raise nothing once lengths are tested."""
        if isinstance(node, cst.BaseExpression):
            return self.is_pure(node, False)
        value = getattr(node, "value", None)
        if not isinstance(value, cst.BaseExpression):
            return False
        values = [each.value for each in value.elements] if isinstance(value, cst.Tuple) else [value]
        targets = [each.target for each in node.targets] if isinstance(node, cst.Assign) else []
        if isinstance(node, cst.AugAssign):
            kind = self.types.nodes.get(node.target)
            exact = isinstance(kind, ArrayType) and kind.element.kind in "fc"
            if not isinstance(node.operator, FLOAT_UPDATES if exact else TOTAL_UPDATES):
                return False
            targets = [node.target]
        parts = [part for each in targets for part in target_parts(each) if not isinstance(part, cst.Name)]
        return all(self.is_pure(each, False) for each in (*values, *(p for p in parts if _is_expression(p))))

    def _element_by_element(self, node: cst.BaseExpression, name: str) -> bool:
        """Whether an expression reads each element of an array for an element of its own, at most moved along axes."""
        if name not in self.outside(node):
            return True
        if self._is_rolled(node):  # one of two elements, of which the other one may lie outside
            return False
        if isinstance(node, cst.Name):
            return True
        if isinstance(node, cst.Subscript):
            items = items_of(node, self.method)
            slices = all(isinstance(each, cst.Slice) or each is ELLIPSIS for each in items)
            inside = not any(isinstance(each, cst.CSTNode) and name in names_read(each) for each in items)
            return slices and inside and self._element_by_element(node.value, name)
        operands = self._operands(node)
        if operands is None or not isinstance(self.types.nodes.get(node), ArrayType):
            return False
        ranks = {self._rank(each) for each in operands if name in self.outside(each)}
        return ranks == {self._rank(node)} and all(self._element_by_element(each, name) for each in operands)

    def is_pure(self, node: cst.BaseExpression, outermost: bool) -> bool:
        """Whether an expression has elements that are computed from elements, and none can fail."""
        kind = self.types.nodes.get(node)
        if not isinstance(kind, ArrayType):
            return isinstance(kind, ScalarType) and not outermost
        if isinstance(node, cst.Name):
            return not outermost
        if isinstance(node, cst.Subscript):
            items = items_of(node, self.method)
            numbers = [at for at, each in enumerate(items) if isinstance(each, cst.BaseExpression)]
            inside = all(self._is_index(node, items[at], items[:at]) for at in numbers)
            return not outermost and inside and self.is_pure(node.value, False)
        if self.reduced(node) is not None:  # which is computed before
            return not outermost
        operands = self._operands(node)
        if operands is None or not all(self.is_pure(each, False) for each in operands):
            return False
        if isinstance(node, cst.BinaryOperation):
            return kind.element.kind in "fc" or isinstance(node.operator, TOTAL)
        if isinstance(node, cst.Call) and kind.element.kind in "iu":
            callee = self.types.calls[node]
            return callee.kind in ("cast", "astype", "builtin", "array") or callee.name in QUICK
        return True

    # --- reductions --------------------------------------------------------------------------------------------------

    def reduced(self, node: cst.CSTNode) -> cst.BaseExpression | None:
        """What a reduction reduces; None for all that is none."""
        callee = self.types.calls.get(node) if isinstance(node, cst.Call) else None
        if callee is None or callee.reducing is None or not isinstance(node, cst.Call):
            return None
        owner = node.func.value if isinstance(node.func, cst.Attribute) else None
        of_array = owner is not None and isinstance(self.types.nodes.get(owner), ArrayType)
        return owner if of_array else node.args[0].value

    def reductions(self, node: cst.CSTNode) -> list[cst.Call]:
        """All reductions in a statement or an expression."""
        return [each for each in nodes_of(node, cst.Call) if self.reduced(each) is not None]

    def outside(self, node: cst.CSTNode) -> set[str]:
        """The names that are read outside of reductions."""
        if not self.reductions(node):
            return names_read(node)
        inner = () if self.reduced(node) is not None else children_of(node)
        return set[str]().union(*map(self.outside, inner))

    def _is_reduced_by(self, node: cst.CSTNode, name: str) -> bool:
        """Whether the reductions in an expression read each element of an array for one of what they reduce."""
        operand = self.reduced(node)
        if operand is None:
            return all(self._is_reduced_by(each, name) for each in children_of(node)) if self.reductions(node) else True
        others = [each.value for each in cst.ensure_type(node, cst.Call).args if each.value is not operand]
        if any(name in names_read(each) for each in others):
            return False
        return name not in names_read(operand) or self._is_read_by(operand, name, False)

    def _is_rolled(self, node: cst.CSTNode) -> bool:
        callee = self.types.calls.get(node) if isinstance(node, cst.Call) else None
        return callee is not None and callee.given is not None and callee.given.function.name == "roll"

    def _is_index(self, node: cst.Subscript, item: object, before: Sequence[object]) -> bool:
        """Whether an item is the name by which arrays may be indexed; notes which array, and which axis of it."""
        named = isinstance(item, cst.Name) and item.value == self.index and isinstance(node.value, cst.Name)
        if not named or ELLIPSIS in before or not isinstance(node.value, cst.Name):
            return False
        self.indexed.add((node.value.value, sum(each is not NEW_AXIS for each in before)))
        return True

    def _cost(self, node: cst.BaseExpression, known: Mapping[str, int]) -> int:
        """What an element costs: operations and loads count as one, of arrays that are not made what is `known`."""
        if not isinstance(self.types.nodes.get(node), ArrayType):
            return 0
        if isinstance(node, cst.Name | cst.Subscript):
            base: cst.BaseExpression = node
            while isinstance(base, cst.Subscript):
                base = base.value
            return known.get(base.value, 1) if isinstance(base, cst.Name) else 1
        operands = self._operands(node)
        if operands is None:
            return 1
        own = 1
        if isinstance(node, cst.BinaryOperation):
            own = SLOW.get(type(node.operator).__name__, 1)
        elif isinstance(node, cst.Call):
            callee = self.types.calls[node]
            own = SLOW.get(callee.name, 1 if callee.name in QUICK or callee.kind != "numpy" else FUNCTION)
        return own + sum(self._cost(each, known) for each in operands)


def _is_expression(node: cst.CSTNode) -> TypeGuard[cst.BaseExpression]:
    return isinstance(node, cst.BaseExpression)


def _is_whole(item: object) -> bool:
    return isinstance(item, cst.Slice) and item.lower is item.upper is item.step is None
