"""The functions of `somd.elementary` as OpenCL C: their texts are translated, so bits are those of other targets.

    turned = fma(x, PER_LN2, ROUNDING)      ->      double turned = fma(x, 1.4426950408889634, 6755399441055744.0);

Of several float64 the first is returned, the others are stored where pointers tell (drivers vectorise that, but not
vectors inside). Programs that are built for speed take the built-in functions.
"""

from __future__ import annotations

import ast
import functools
from typing import Any

from somd.elementary import functions
from somd.elementary.primitives import summed
from somd.elementary.texts import Text, text_of, with_called
from somd.transforms.emit.c_names import spelled
from somd.transforms.emit.c_tree import LEVELS, UNARY, C, call, conditional, infix, prefix
from somd.transforms.emit.c_types import CTYPES, literal

#: what a text's floats and integers are, by whether it is of float32
_KINDS = {
    False: {"float": "float64", "int": "int64", "bool": "bool"},
    True: {"float": "float32", "int": "int32", "bool": "bool"},
}
_SYMBOLS: dict[type[ast.AST], str] = {
    ast.Add: "+",
    ast.Sub: "-",
    ast.Mult: "*",
    ast.Div: "/",
    ast.BitAnd: "&",
    ast.BitOr: "|",
    ast.BitXor: "^",
    ast.LShift: "<<",
    ast.RShift: ">>",
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
    ast.Eq: "==",
    ast.NotEq: "!=",
    ast.And: "&",
    ast.Or: "|",
}
#: OpenCL's own functions, for programs built for speed
_BUILT_IN = {"gamma": "tgamma"}


def elementary_name(name: str, dtype: str) -> str:
    """The C function for `name`, of operands of a float type."""
    if dtype == "float64":
        return f"somd_{name}"
    return f"somd_{functions.SINGLES[name].__name__}" if name in functions.SINGLES else f"somd_{name}_float"


@functools.cache
def elementary_texts(name: str, dtype: str) -> dict[str, str]:
    """What a program needs for a function of `functions.ALL`: tables and C functions by their names, in order."""
    found: dict[str, str] = {}
    own = functions.SINGLES.get(name) if dtype == "float32" else None
    for function in with_called(own or functions.ALL[name]):
        text = text_of(function)
        for table in text.tables():
            found.setdefault(f"somd_{table}", _table(table, text.value(table)))
        found.setdefault(f"somd_{text.name}", _Writer(text).written())
    if dtype == "float32" and own is None:
        found[elementary_name(name, dtype)] = _of_singles(name, len(text_of(functions.ALL[name]).parameters))
    return found


def _of_singles(name: str, count: int) -> str:
    """The function of float32: computed in double precision and rounded."""
    arguments = ["x", "y"][:count]
    given = ", ".join(f"float {each}" for each in arguments)
    wide = ", ".join(f"(double){each}" for each in arguments)
    fast = f"{_BUILT_IN.get(name, name)}({', '.join(arguments)})"
    body = _or_built_in(fast, [f"    return (float)somd_{name}({wide});"])
    return "\n".join([f"static float somd_{name}_float({given})", "{", *body, "}"])


def _or_built_in(fast: str, lines: list[str]) -> list[str]:
    return ["#ifdef __FAST_RELAXED_MATH__", f"    return {fast};", "#else", *lines, "#endif"]


def _table(name: str, values: tuple[Any, ...]) -> str:
    dtype = "int64" if isinstance(values[0], int) else "float64"
    lines, line = [], "   "
    for value in values:
        text = literal(value, dtype).text
        if len(line) + len(text) > 110:
            lines.append(line)
            line = "   "
        line += f" {text},"
    return "\n".join([f"__constant {CTYPES[dtype]} somd_{name}[{len(values)}] = {{", *lines, line, "};"])


class _Writer:
    """Writes one function."""

    def __init__(self, text: Text) -> None:
        self.text = text
        self.kinds = _KINDS[text.is_single]
        self.real, self.word = self.kinds["float"], self.kinds["int"]
        self.lines: list[str] = []
        self.types = {name: self.kinds[kind] for name, kind in text.parameters}
        self.depth = 1
        self.terms = 0

    def written(self) -> str:
        text = self.text
        result = CTYPES[self.real] if text.parts else CTYPES[self.kinds[text.result]]
        given = [f"{CTYPES[self.kinds[kind]]} {spelled(name)}" for name, kind in text.parameters]
        parameters = ", ".join([*given, *(f"{CTYPES[self.real]} *part_{k}" for k in range(2, text.parts + 1))])
        self.block(text.tree.body)
        lines = self.lines
        public = text.name.removesuffix("_single") if text.is_single else text.name
        if text.function in (functions.SINGLES if text.is_single else functions.ALL).values():
            fast = f"{_BUILT_IN.get(public, public)}({', '.join(name for name, _ in text.parameters)})"
            lines = _or_built_in(fast, lines)
        kind = "static __attribute__((noinline))" if text.is_apart else "static"
        return "\n".join([f"{kind} {result} somd_{text.name}({parameters})", "{", *lines, "}"])

    def line(self, text: str) -> None:
        self.lines.append("    " * self.depth + text)

    # --- statements ----------------------------------------------------------------------------------------------

    def block(self, statements: list[ast.stmt]) -> None:
        for statement in statements:
            self.statement(statement)

    def statement(self, node: ast.stmt) -> None:
        if isinstance(node, ast.Return) and node.value is not None:
            self.line(f"return {self.returned(node.value)};")
        elif isinstance(node, ast.If):
            self.under(f"if ({self.value(node.test).text}) {{", node.body)
            if node.orelse:
                self.lines.pop()
                self.under("} else {", node.orelse)
        elif isinstance(node, ast.While):
            self.under(f"while ({self.value(node.test).text}) {{", node.body)
        elif isinstance(node, ast.Assign):
            self.assign(node.targets[0], node.value)
        elif not (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)):
            raise NotImplementedError(ast.unparse(node))

    def under(self, head: str, statements: list[ast.stmt]) -> None:
        """A block; what it is the first to assign is seen in it alone, or assigned in others too."""
        self.line(head)
        known = dict(self.types)
        self.depth += 1
        self.block(statements)
        self.depth -= 1
        self.types = known
        self.line("}")

    def returned(self, node: ast.expr) -> str:
        """What a `return` gives, after the other parts have been stored."""
        if not self.text.parts:
            return self.value(node).loose
        if isinstance(node, ast.Tuple):
            first, *others = [self.value(each).loose for each in node.elts]
            for number, each in enumerate(others, 2):
                self.line(f"*part_{number} = {each};")
            return first
        return self.call_of_parts(node, [f"part_{number}" for number in range(2, self.text.parts + 1)]).text

    def call_of_parts(self, node: ast.expr, pointers: list[str]) -> C:
        """The call of a function of several results."""
        assert isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
        function = text_of(self.text.value(node.func.id))
        values = [self.value(each).loose for each in node.args]
        return C(f"somd_{function.name}({', '.join([*values, *pointers])})", self.real)

    def assign(self, target: ast.expr, value: ast.expr) -> None:
        if isinstance(target, ast.Name):
            self.store(target.id, self.value(value))
            return
        assert isinstance(target, ast.Tuple)
        names = [each.id for each in target.elts if isinstance(each, ast.Name)]
        if isinstance(value, ast.Tuple):
            parts = [self.value(each) for each in value.elts]
            for number, each in enumerate(value.elts):
                read = {node.id for node in ast.walk(each) if isinstance(node, ast.Name)}
                assert read.isdisjoint(names[:number]), ast.unparse(value)
            for name, part in zip(names, parts, strict=True):
                self.store(name, part)
            return
        for name in names[1:]:
            if name not in self.types:
                self.line(f"{CTYPES[self.real]} {spelled(name)};")
        call = self.call_of_parts(value, [f"&{spelled(name)}" for name in names[1:]])
        self.types |= dict.fromkeys(names[1:], self.real)
        self.store(names[0], call)

    def store(self, name: str, value: C) -> None:
        kind = "int" if value.dtype == "bool" else CTYPES[value.dtype]
        declared = "" if name in self.types else f"{kind} "
        self.types[name] = value.dtype
        self.line(f"{declared}{spelled(name)} = {value.loose};")

    # --- expressions ---------------------------------------------------------------------------------------------

    def value(self, node: ast.expr) -> C:
        if isinstance(node, ast.Constant):
            return self.literal(node.value)
        if isinstance(node, ast.Name):
            known = self.types.get(node.id)
            return C(spelled(node.id), known) if known else self.literal(self.text.value(node.id))
        if isinstance(node, ast.BinOp):
            if isinstance(node.op, ast.Pow):  # of literals
                return self.literal(eval(compile(ast.Expression(node), "", "eval"), {}))
            left, right = self.value(node.left), self.value(node.right)
            assert left.dtype == right.dtype, ast.unparse(node)
            return _joined(_SYMBOLS[type(node.op)], left, right, left.dtype)
        if isinstance(node, ast.UnaryOp):
            made = self.value(node.operand)
            if isinstance(node.op, ast.Not):
                return prefix("!", made, "bool")
            return self.literal(-made.value) if isinstance(made.value, float) else prefix("-", made, made.dtype)
        if isinstance(node, ast.BoolOp):
            first, *others = [self.value(each) for each in node.values]
            for each in others:
                first = _joined(_SYMBOLS[type(node.op)], first, each, "bool")
            return first
        if isinstance(node, ast.Compare):
            (op,), (other,) = node.ops, node.comparators
            left, right = self.value(node.left), self.value(other)
            return _joined(_SYMBOLS[type(op)], left, right, "bool")
        if isinstance(node, ast.IfExp):
            yes, no = self.value(node.body), self.value(node.orelse)
            return conditional(self.value(node.test), yes, no, yes.dtype)
        if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name):
            return self.element(node.value.id, self.value(node.slice))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            return self.call(node.func.id, node.args)
        raise NotImplementedError(ast.unparse(node))

    def element(self, name: str, place: C) -> C:
        values = self.text.value(name)
        if isinstance(place.value, int):
            return self.literal(values[place.value])
        return C(f"somd_{name}[{place.loose}]", self.word if isinstance(values[0], int) else self.real)

    def call(self, name: str, nodes: list[ast.expr]) -> C:
        if name in ("polynomial", "row_polynomial"):
            assert isinstance(nodes[0], ast.Name) and isinstance(nodes[1], ast.Name)
            table = nodes[1].id
            if name == "polynomial":
                coefficients = [self.literal(each) for each in self.text.value(table)]
            else:
                first, count = self.value(nodes[2]), ast.literal_eval(nodes[3])
                coefficients = [
                    self.element(table, infix("+", first, self.literal(k), self.word)) for k in range(count)
                ]
            return self.polynomial(self.value(nodes[0]), coefficients)
        values = [self.value(each) for each in nodes]
        if name in ("float", "int"):
            return prefix(f"({CTYPES[self.kinds[name]]})", values[0], self.kinds[name])
        if name in ("bits_of", "float_of"):
            kind = self.word if name == "bits_of" else self.real
            return call(f"as_{CTYPES[kind]}", kind, C(values[0].text, ""))
        if name == "copysign":  # Intel's compiler for CPUs loses values of lanes around calls of its own function
            value, sign = (call("as_long", "int64", C(each.text, "")) for each in values)
            parts = (C(f"({value.text} & LONG_MAX)", "int64"), C(f"({sign.text} & LONG_MIN)", "int64"))
            return call("as_double", "float64", infix("|", *parts, "int64"))
        if name in ("fma", "root", "nearest", "abs"):
            return call({"root": "sqrt", "nearest": "rint", "abs": "fabs"}.get(name, name), self.real, *values)
        text = text_of(self.text.value(name))
        return call(f"somd_{text.name}", self.kinds.get(text.result, self.real), *values)

    def polynomial(self, x: C, coefficients: list[C]) -> C:
        """A polynomial, in statements of its own."""

        def stored(value: C) -> C:
            self.terms += 1
            made = C(f"term_{self.terms}", self.real)
            self.line(f"{CTYPES[self.real]} {made.text} = {value.text};")
            return made

        def product(left: C, right: C) -> C:
            return stored(infix("*", left, right, self.real))

        return summed(x, coefficients, product, lambda *values: stored(call("fma", self.real, *values)))

    def literal(self, value: Any) -> C:
        return literal(value, self.real if isinstance(value, float) else self.word)


def _joined(symbol: str, left: C, right: C, dtype: str) -> C:
    """An operation; with parentheses inside where few know by heart which operator binds tighter."""
    if LEVELS[symbol] <= LEVELS["<<"]:
        arithmetic = LEVELS["-"] if symbol in ("<", "<=", ">", ">=", "==", "!=") else UNARY
        left, right = (each if each.level >= arithmetic else C(f"({each.text})", each.dtype) for each in (left, right))
    return infix(symbol, left, right, dtype)
