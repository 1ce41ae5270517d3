"""How the value of a scalar behind an iteration follows from that before it, by the form of the statements.

    s = s * a[i] + b[i]                    affine
    s = max(s, a[i])                       max
    if flag[i]: s = 0                      whatever else there is: a value that is set anew belongs to each kind
    s += a[i]

In: the slice of an iteration for one scalar, and the types that are known. Out: the kind of scan, a symbol of `SCANS`,
or None where the value is no such function of the one before. A scan of integers is one modulo the width of their
type, so everything between the old value and the new one must be computed in that type.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import libcst as cst
import numpy as np

from somd.transforms.analysis.reductions import Accumulator, Form, candidates_of, update_of
from somd.transforms.analysis.slices import Slice
from somd.transforms.stages import FIRST, Method, Taking
from somd.transforms.tree.loops import else_statements, opened_statements, small_statements, statements_of
from somd.transforms.tree.names import assigned_names, evaluate, names_read
from somd.transforms.tree.walking import holds
from somd.transforms.types.scalars import AUGMENTED

#: the dtypes of names and expressions; None where none are known yet
Dtypes = Mapping[str | cst.CSTNode, str] | None

#: the kinds of scans that are told by the operators between the old value and the new one, each for NumPy's kinds of
#: numbers; `latest` has none, and goes without any
_OPERATORS: dict[str, tuple[type[cst.CSTNode], ...]] = {
    "affine": (cst.Add, cst.Subtract, cst.Multiply, cst.LeftShift, cst.Minus, cst.Plus, cst.BitInvert),
    "bits": (cst.BitAnd, cst.BitOr, cst.BitXor, cst.BitInvert),
    "clamp": (),
    "latest": (),
}
_OF_KINDS = {"affine": "iu", "bits": "iu", "clamp": "iu", "latest": "fc"}
#: where one operator does all, by NumPy's kinds: floats keep their order
_ONE = {"+": "iu", "*": "iu", "min": "iufb", "max": "iufb", "&": "iub", "|": "iub", "^": "iub", "and": "b", "or": "b"}


def scan_of(name: str, slice_: Slice, method: Method, dtypes: Dtypes) -> str | None:
    """The kind of scan that a slice makes of the scalar `name`."""
    dtype = None if dtypes is None else dtypes.get(name)
    if dtypes is not None and dtype is None:
        return None
    kind = np.dtype(dtype).kind if dtype is not None else _shown_kind(name, method) or _made_kind(name, slice_)
    one = _One(name, method, dtypes).of(slice_.statements)
    symbol = None if one is None else _symbol(one, kind)
    if symbol is not None:
        return symbol
    for symbol, operators in _OPERATORS.items():
        if kind in _OF_KINDS[symbol] and _Closed(name, slice_, method, dtypes, symbol, operators).holds():
            return symbol
    return "state" if kind == "b" else None


def _symbol(form: Form, kind: str) -> str | None:
    """The scan by one operator, where it is exact for numbers of a kind."""
    if kind not in _ONE.get(form.op, ""):
        return None
    if kind != "f":
        return form.op
    if form.takings == (Taking(equal=True),):
        return f"{form.op}, equal"
    return form.op if form.takings == (FIRST,) else None


def _shown_kind(name: str, method: Method) -> str:
    """NumPy's kind of the numbers that `name` holds, where the text alone shows it: it is given such a number."""
    for node in opened_statements(statements_of(method.function.body)):
        value = node.value if isinstance(node, cst.Assign | cst.AnnAssign) else None
        if value is None or name not in assigned_names(node):
            continue
        if isinstance(value, cst.Name) and value.value in ("True", "False"):
            return "b"
        value = value.expression if isinstance(value, cst.UnaryOperation) else value
        made = evaluate(value.func, method.namespace, method.local_names) if isinstance(value, cst.Call) else None
        if isinstance(value, cst.Float) or made in (float, np.float32, np.float64):
            return "f"
    return ""


def _made_kind(name: str, slice_: Slice) -> str:
    """The kind of floats, where the text shows that `name` is made of them."""
    setting = [node for node in slice_.small() if not isinstance(node, cst.If | cst.For | cst.While)]
    made = [node for node in setting if name in assigned_names(node)]
    shown = any(holds(node, cst.Float, cst.Divide, cst.DivideAssign) for node in made)
    return "f" if shown else ""


class _One:
    """Looks whether all that happens to a scalar are updates by one operator, and nothing else reads it."""

    def __init__(self, name: str, method: Method, dtypes: Dtypes) -> None:
        self.name, self.method, self.dtypes = name, method, dtypes

    def of(self, statements: Sequence[cst.CSTNode]) -> Form | None:
        forms = self.forms(statements)
        if not forms or None in forms or len({form.op for form in forms if form is not None}) != 1:
            return None
        found = [form for form in forms if form is not None]
        return Form(found[0].op, tuple(sorted({taking for form in found for taking in form.takings})))

    def forms(self, statements: Sequence[cst.CSTNode]) -> list[Form | None]:
        """What each statement does that mentions the scalar; None for what is no update."""
        found: list[Form | None] = []
        for node in small_statements(statements):
            mentioned = self.name in names_read(node) | assigned_names(node)
            form = update_of(Accumulator(self.name), node, self.method) if mentioned else None
            if form is not None and self.alike(node, form):
                found.append(form)
            elif isinstance(node, cst.If | cst.For | cst.While):
                header = [node.test] if isinstance(node, cst.If | cst.While) else [node.iter, node.target]
                found += [None] if any(self.name in names_read(each) for each in header) else []
                found += self.forms(statements_of(node.body))
                found += self.forms(else_statements(node)) if isinstance(node, cst.If) else []
            elif mentioned:
                found.append(None)
        return found

    def alike(self, node: cst.CSTNode, form: Form) -> bool:
        """Whether an update is computed in the scalar's type."""
        if self.dtypes is None:
            return True
        if form.op in ("min", "max"):
            values: list[cst.CSTNode] = [*candidates_of(Accumulator(self.name), node)]
        else:
            values = [node.value if isinstance(node, cst.Assign) else node]
        return all(self.dtypes.get(each) == self.dtypes.get(self.name) for each in values)


class _Closed:
    """Looks whether the new value is made of the old one, and of what does not depend on it, by some operators."""

    def __init__(
        self,
        name: str,
        slice_: Slice,
        method: Method,
        dtypes: Dtypes,
        symbol: str,
        operators: tuple[type[cst.CSTNode], ...],
    ) -> None:
        self.name, self.slice, self.method, self.dtypes = name, slice_, method, dtypes
        self.symbol, self.operators = symbol, operators
        #: the names whose values may depend on the old one
        self.kin = {name}

    def holds(self) -> bool:
        small = list(self.slice.small())
        while True:
            before = set(self.kin)
            for node in small:
                if isinstance(node, cst.Assign | cst.AnnAssign | cst.AugAssign) and names_read(node) & self.kin:
                    self.kin |= assigned_names(node)
            if self.kin == before:
                break
        types = self.dtypes
        if types is not None and any(types.get(each) != types.get(self.name) for each in self.kin):
            return False
        return self.block(self.slice.statements)

    def block(self, statements: Sequence[cst.CSTNode]) -> bool:
        return all(self.statement(node) for node in small_statements(statements))

    def statement(self, node: cst.CSTNode) -> bool:
        if isinstance(node, cst.If):
            if self.free(node.test):
                return self.block(statements_of(node.body)) and self.block(else_statements(node))
            return self.extreme(node)
        if isinstance(node, cst.For):
            header = self.free(node.iter) and self.free(node.target)
            return header and self.block(statements_of(node.body))
        if isinstance(node, cst.While):
            return self.free(node.test) and self.block(statements_of(node.body))
        if isinstance(node, cst.AugAssign):
            operator = AUGMENTED[type(node.operator)]
            return self.free(node) or self.binary(node, operator, node.target, node.value)
        if isinstance(node, cst.Assign) and len(node.targets) == 1:
            return self.extreme(node) or self.assigned(node.targets[0].target, node.value)
        return self.free(node)

    def assigned(self, target: cst.BaseExpression, value: cst.BaseExpression) -> bool:
        if isinstance(target, cst.Tuple) and isinstance(value, cst.Tuple) and not self.free(value):
            pairs = zip(target.elements, value.elements, strict=False)
            alike = len(target.elements) == len(value.elements)
            return alike and all(self.assigned(t.value, v.value) for t, v in pairs)
        return isinstance(target, cst.Name) and self.value(value)

    def free(self, node: cst.CSTNode) -> bool:
        return not names_read(node) & self.kin

    def value(self, node: cst.BaseExpression) -> bool:
        """Whether an expression is of the kind, or does not depend on the old value."""
        if self.free(node) or isinstance(node, cst.Name):
            return True
        if isinstance(node, cst.BinaryOperation):
            return self.binary(node, type(node.operator), node.left, node.right)
        if isinstance(node, cst.UnaryOperation):
            return type(node.operator) in self.operators and self.typed(node) and self.value(node.expression)
        if isinstance(node, cst.IfExp):
            return self.typed(node) and self.free(node.test) and self.value(node.body) and self.value(node.orelse)
        if isinstance(node, cst.Call) and self.symbol == "clamp":
            extreme = evaluate(node.func, self.method.namespace, self.method.local_names) in (min, max)
            plain = extreme and len(node.args) > 1 and not any(each.keyword or each.star for each in node.args)
            return plain and self.typed(node) and all(self.of_type(each.value) for each in node.args)
        return False

    def of_type(self, node: cst.BaseExpression) -> bool:
        return self.typed(node) and self.value(node)

    def binary(
        self, node: cst.CSTNode, operator: type[cst.CSTNode], left: cst.BaseExpression, right: cst.BaseExpression
    ) -> bool:
        if operator not in self.operators or not self.typed(node) or not (self.value(left) and self.value(right)):
            return False
        if operator is cst.LeftShift:
            return self.free(right)
        return operator is not cst.Multiply or self.free(left) or self.free(right)

    def extreme(self, node: cst.CSTNode) -> bool:
        """Whether a statement sets the scalar to a value that is less, or greater, and has its type."""
        accumulator = Accumulator(self.name)
        form = update_of(accumulator, node, self.method) if self.symbol == "clamp" else None
        if form is None or form.op not in ("min", "max"):
            return False
        return all(self.free(each) and self.typed(each) for each in candidates_of(accumulator, node))

    def typed(self, node: cst.CSTNode) -> bool:
        return self.dtypes is None or self.dtypes.get(node) == self.dtypes.get(self.name)
