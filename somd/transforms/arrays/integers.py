"""Integers of array statements, as sums of what is known, or of names that are computed once: limits, indexes, lengths.

In: expressions of a method and their types. Out: `Linear`; what has to be computed before the statement is in `before`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

import libcst as cst

from somd.diagnostics.model import Collector, Diagnostic, Label
from somd.transforms.analysis.affine import shape_reference
from somd.transforms.arrays.broadcasting import Broadcasting
from somd.transforms.arrays.linear import Linear
from somd.transforms.arrays.named_parts import NamedParts
from somd.transforms.arrays.names import Names
from somd.transforms.arrays.slices import Slices
from somd.transforms.arrays.values import Value
from somd.transforms.tree.loops import integer_constant
from somd.transforms.tree.names import names_read
from somd.transforms.tree.rewriting import code_of
from somd.transforms.types.scalars import ArrayType, ScalarType
from somd.transforms.types.typing_table import Types


class NotTaken(Exception):
    """An expression that is not lowered; what is wrong has been reported."""


class Integers:
    """Makes integers of the expressions of a statement. `before` has what comes before it."""

    def __init__(self, names: Names, types: Types, shapes: Broadcasting, collector: Collector) -> None:
        self.names, self.types, self.shapes, self.collector = names, types, shapes, collector
        #: integers that are never negative, and what is known of names: `n` may be `a.shape[0]`
        self.naturals: set[str] = set()
        #: for variables of loops, what they are less than
        self.below: dict[str, Linear] = {}
        self.known: Mapping[str, Linear] = {}
        self.kept: dict[str, str] = {}
        self.parts = NamedParts(names.method, types)
        #: where the triangles lie that names stand for
        self.triangles: dict[str, Value] = {}
        #: what library calls of the statement give, by the names of new arrays: the text of each call
        self.called: dict[str, str] = {}
        #: the sums of arrays that the statement has, by array, axes and dtype
        self.sums: dict[tuple[str, tuple[int, ...], str], Value] = {}
        #: the text of the mask under which the statement writes
        self.mask: str | None = None
        #: in loops that are made, names for the elements of arrays that are not, and the statements that set them
        self.elements: tuple[dict[tuple[Value, tuple[Linear, ...]], str], list[cst.BaseStatement]] | None = None
        shapes.natural = self.natural
        self.slices = Slices(self.linear, self.natural, self.named, self.clamped, names.function)

    @property
    def before(self) -> list[cst.BaseStatement]:
        return self.shapes.before

    def begin(self, node: cst.CSTNode) -> None:
        """Begin a statement: what has been kept for the last one may have changed."""
        self.statement = node
        self.kept, self.called, self.sums = {}, {}, {}
        self.mask = None
        self.shapes.before = []

    @contextmanager
    def branch(self) -> Iterator[list[cst.BaseStatement]]:
        """A block for what is computed under a condition, which nothing else may take: its lines."""
        before, equal = self.shapes.before, self.shapes.equal
        outside = self.kept, self.called, self.sums
        lines: list[cst.BaseStatement] = []
        self.shapes.before, self.shapes.equal = lines, dict(equal)
        self.kept, self.called, self.sums = dict(self.kept), dict(self.called), dict(self.sums)
        try:
            yield lines
        finally:
            self.shapes.before, self.shapes.equal = before, equal
            self.kept, self.called, self.sums = outside

    def refuse(self, code: str, message: str, node: cst.CSTNode, help_text: str) -> NotTaken:
        label = Label(self.names.position(node), "here", True)
        self.collector.add(Diagnostic(code, message, (label,), (help_text,)))
        return NotTaken(message)

    def type_of(self, node: cst.BaseExpression) -> object:
        return self.types.nodes.get(node)

    # --- integers ------------------------------------------------------------------------------------------------

    def natural(self, value: Linear) -> bool:
        """Whether an integer is never negative."""
        return value.constant >= 0 and all(
            count > 0 and (text in self.naturals or (".shape[" in text and "(" not in text))
            for text, count in value.terms
        )

    def is_below(self, value: Linear, length: Linear) -> bool:
        """Whether an integer is known to be less than a length: a variable of a loop, and a constant."""
        for text, _ in value.terms:
            stop = self.below.get(text)
            rest = None if stop is None else length - stop - (value - Linear.of(text))
            if rest is not None and rest.is_constant and rest.constant >= 0:
                return True
        return False

    def named(self, text: str, natural: bool, spelling: str | None = None) -> Linear:
        """A name for Python text that is computed before the statement."""
        if text not in self.kept:
            written = text if spelling is None else spelling
            name = self.names.new("value__once", written)
            self.before.append(self.names.line(f"{name} = {text}", self.statement))
            self.kept[text] = name
        if natural:
            self.naturals.add(self.kept[text])
        return Linear.of(self.kept[text])

    def linear(self, node: cst.BaseExpression) -> Linear:
        """An integer as a sum, as far as it is one."""
        constant = integer_constant(node, self.names.method)
        if constant is not None:
            return Linear(constant)
        reference = shape_reference(node)
        if reference is not None and isinstance(self.types.names.get(reference[0]), ArrayType):
            return self.length(*reference)
        if isinstance(node, cst.Attribute) and node.attr.value == "size" and isinstance(node.value, cst.Name):
            kind = self.types.names.get(node.value.value)
            if isinstance(kind, ArrayType):
                return self.size(node.value.value, kind.ndim)
        if isinstance(node, cst.Name):
            return self.known.get(node.value) or self.name(node)
        if isinstance(node, cst.UnaryOperation) and isinstance(node.operator, cst.Minus):
            return self.linear(node.expression) * -1
        if isinstance(node, cst.BinaryOperation) and isinstance(node.operator, cst.Add | cst.Subtract):
            left, right = self.linear(node.left), self.linear(node.right)
            return left + right if isinstance(node.operator, cst.Add) else left - right
        if isinstance(node, cst.BinaryOperation) and isinstance(node.operator, cst.Multiply):
            left, right = self.linear(node.left), self.linear(node.right)
            if left.is_constant or right.is_constant:
                return right * left.constant if left.is_constant else left * right.constant
        return self.once(node)

    def name(self, node: cst.Name) -> Linear:
        """The integer of a name; NumPy's narrow ones become Python's, which wrap at 64 bits alone."""
        kind = self.types.names.get(node.value)
        if isinstance(kind, ScalarType) and kind.dtype == "int64" and node.value in self.names.method.local_names:
            return Linear.of(node.value)
        return self.once(node)

    def once(self, node: cst.BaseExpression) -> Linear:
        """An integer that is computed before the statement."""
        text = code_of(self.plain_number(node))
        return self.named(f"{self.names.function('int')}({text})", False, code_of(node))

    def plain_number(self, node: cst.BaseExpression) -> cst.BaseExpression:
        """A number without what only array statements know."""
        raise NotImplementedError

    def length(self, array: str, axis: int) -> Linear:
        part = self.parts.standing.get(array)
        if part is not None:
            return self.clamped(part.shape[axis])
        return self.known.get(f"{array}.shape[{axis}]") or Linear.of(f"{array}.shape[{axis}]")

    def size(self, array: str, ndim: int) -> Linear:
        lengths = [self.length(array, axis) for axis in range(ndim)]
        if len(lengths) < 2:
            return lengths[0] if lengths else Linear(1)
        return self.named(" * ".join(f"({length.text})" for length in lengths), True)

    def clamped(self, length: Linear) -> Linear:
        """A length that counts as 0 where it is negative."""
        return length if self.natural(length) else self.named(f"{self.names.function('max')}({length.text}, 0)", True)

    def frozen(self, value: Linear) -> Linear:
        made = Linear(value.constant)
        for text, count in value.terms:
            read = names_read(cst.parse_expression(text)) - {self.slices.least, self.slices.most}
            steady = all(name in self.parts.steady or name in self.names.spelled for name in read)
            natural = self.natural(Linear.of(text))
            made = made + (Linear.of(text) if steady else self.named(text, natural)) * count
        return made
