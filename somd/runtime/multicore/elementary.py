"""Elementary functions for compiled code: those of `somd.elementary`, made LLVM code without Numba's type inference.

`exp(x)` of a float32 is a float32: by its own text where `functions.SINGLES` has one, else computed in float64 and
rounded. Of anything else it is a float64. In Python a function is what
its text in `somd.elementary` says.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from functools import partial
from typing import Any

from llvmlite import ir as _ir
from numba import types as _types
from numba.extending import lower_builtin as _lower_builtin

from somd.elementary import functions
from somd.elementary.primitives import summed
from somd.elementary.texts import Text, text_of
from somd.runtime.multicore.control_flow import ControlFlow
from somd.runtime.multicore.fused import fused
from somd.runtime.multicore.numba_internals.lowering import cgutils, templates

ir: Any = _ir
types: Any = _types
lower_builtin: Any = _lower_builtin

_WORD, _BIT, _DOUBLE, _SINGLE = ir.IntType(64), ir.IntType(1), ir.DoubleType(), ir.FloatType()
#: what a text's floats and integers are, by whether it is of float32
_KINDS = {
    False: {"float": _DOUBLE, "int": _WORD, "bool": _BIT},
    True: {"float": _SINGLE, "int": ir.IntType(32), "bool": _BIT},
}
_COMPARED = {ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Eq: "==", ast.NotEq: "!="}
_OF_WORDS = {
    ast.Add: "add",
    ast.Sub: "sub",
    ast.Mult: "mul",
    ast.BitAnd: "and_",
    ast.BitOr: "or_",
    ast.BitXor: "xor",
    ast.LShift: "shl",
    ast.RShift: "ashr",
}
_OF_REALS = {ast.Add: "fadd", ast.Sub: "fsub", ast.Mult: "fmul", ast.Div: "fdiv"}


def function_in(module: Any, text: Text) -> Any:
    """The LLVM function of a text, which becomes part of the module."""
    name = f"somd.elementary.{text.name}"
    found = module.globals.get(name)
    if found is not None:
        return found
    kinds = _KINDS[text.is_single]
    result = ir.ArrayType(kinds["float"], text.parts) if text.parts else kinds[text.result]
    function = ir.Function(module, ir.FunctionType(result, [kinds[kind] for _, kind in text.parameters]), name)
    function.linkage = "linkonce_odr"
    function.attributes.add("nounwind")
    if text.is_inlined:
        function.attributes.add("alwaysinline")
    elif text.is_apart:
        function.attributes.add("noinline")
        function.attributes.add("cold")
    _Writer(text, function).write()
    return function


class _Writer(ControlFlow):
    """Writes the code of one function. Both sides of `and`, `or` and `if ... else` are computed."""

    def __init__(self, text: Text, function: Any) -> None:
        super().__init__(function)
        self.text = text
        kinds = _KINDS[text.is_single]
        self.real, self.word = kinds["float"], kinds["int"]
        self.locals: dict[str, Any] = {}

    def write(self) -> None:
        for (name, _), value in zip(self.text.parameters, self.llvm.args, strict=True):
            self.store(name, value)
        self.block(self.text.tree.body)
        if not self.builder.block.is_terminated:
            self.builder.unreachable()

    def store(self, name: str, value: Any) -> None:
        if name not in self.locals:
            self.locals[name] = cgutils.alloca_once(self.builder, value.type)
        self.builder.store(value, self.locals[name])

    # --- statements ----------------------------------------------------------------------------------------------

    def statement(self, node: ast.stmt) -> None:
        if isinstance(node, ast.Return) and node.value is not None:
            parts = self.parts(node.value)
            self.builder.ret(cgutils.pack_array(self.builder, parts) if self.text.parts else parts[0])
        elif isinstance(node, ast.If):
            self.branch(node)
        elif isinstance(node, ast.While):
            self.loop(node)
        elif isinstance(node, ast.Assign):
            (target,) = node.targets
            names = target.elts if isinstance(target, ast.Tuple) else [target]
            for name, value in zip(names, self.parts(node.value), strict=True):
                assert isinstance(name, ast.Name)
                self.store(name.id, value)
        elif not (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)):
            raise NotImplementedError(ast.unparse(node))

    def parts(self, node: ast.expr) -> list[Any]:
        """The values of a tuple, of a call that returns one, or of an expression."""
        if isinstance(node, ast.Tuple):
            return [self.value(element) for element in node.elts]
        made = self.value(node)
        if isinstance(made.type, ir.ArrayType):
            return [self.builder.extract_value(made, k) for k in range(made.type.count)]
        return [made]

    # --- expressions ---------------------------------------------------------------------------------------------

    def test(self, node: ast.expr) -> Any:
        return self.value(node)

    def value(self, node: ast.expr) -> Any:
        builder = self.builder
        if isinstance(node, ast.Constant):
            return self.constant(node.value)
        if isinstance(node, ast.Name):
            known = node.id in self.locals
            return builder.load(self.locals[node.id]) if known else self.constant(self.text.value(node.id))
        if isinstance(node, ast.BinOp):
            return self.operation(node)
        if isinstance(node, ast.UnaryOp):
            made = self.value(node.operand)
            if isinstance(node.op, ast.Not):
                return builder.not_(made)
            assert isinstance(node.op, ast.USub)
            return builder.fneg(made) if made.type == self.real else builder.neg(made)
        if isinstance(node, ast.BoolOp):
            join = builder.and_ if isinstance(node.op, ast.And) else builder.or_
            first, *others = [self.value(each) for each in node.values]
            for each in others:
                first = join(first, each)
            return first
        if isinstance(node, ast.Compare):
            return self.comparison(node)
        if isinstance(node, ast.IfExp):
            return builder.select(self.value(node.test), self.value(node.body), self.value(node.orelse))
        if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name):
            return self.element(node.value.id, self.value(node.slice))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            return self.call(node.func.id, node.args)
        raise NotImplementedError(ast.unparse(node))

    def operation(self, node: ast.BinOp) -> Any:
        if isinstance(node.op, ast.Pow):  # of literals
            return self.constant(eval(compile(ast.Expression(node), "", "eval"), {}))
        left, right = self.value(node.left), self.value(node.right)
        table: Any = _OF_REALS if left.type == self.real else _OF_WORDS
        return getattr(self.builder, table[type(node.op)])(left, right)

    def comparison(self, node: ast.Compare) -> Any:
        (op,), (other,) = node.ops, node.comparators
        left, right = self.value(node.left), self.value(other)
        sign = _COMPARED[type(op)]
        if left.type == _BIT:
            return self.builder.xor(left, right) if sign == "!=" else self.builder.not_(self.builder.xor(left, right))
        if left.type == self.word:
            return self.builder.icmp_signed(sign, left, right)
        compare = self.builder.fcmp_unordered if sign == "!=" else self.builder.fcmp_ordered
        return compare(sign, left, right)

    def element(self, name: str, place: Any) -> Any:
        """An element of a table, which becomes part of the module."""
        values = self.text.value(name)
        if isinstance(place, ir.Constant):
            return self.constant(values[place.constant])
        module = self.builder.module
        found = module.globals.get(f"somd.elementary.{name}")
        if found is None:
            kind = ir.ArrayType(self.word if isinstance(values[0], int) else self.real, len(values))
            found = ir.GlobalVariable(module, kind, f"somd.elementary.{name}")
            found.initializer = ir.Constant(kind, [self.constant(value) for value in values])
            found.global_constant, found.linkage, found.align = True, "linkonce_odr", 64
        return self.builder.load(self.builder.gep(found, [self.word(0), place], inbounds=True))

    def call(self, name: str, nodes: list[ast.expr]) -> Any:
        builder = self.builder
        if name == "polynomial":
            assert isinstance(nodes[1], ast.Name)
            coefficients = [self.constant(each) for each in self.text.value(nodes[1].id)]
            return self.polynomial(self.value(nodes[0]), coefficients)
        if name == "row_polynomial":
            table, count = nodes[1], nodes[3]
            assert isinstance(table, ast.Name) and isinstance(count, ast.Constant) and isinstance(count.value, int)
            first = self.value(nodes[2])
            row = [self.element(table.id, builder.add(first, self.word(k))) for k in range(count.value)]
            return self.polynomial(self.value(nodes[0]), row)
        values = [self.value(each) for each in nodes]
        if name in ("fma", "root", "nearest", "copysign", "abs"):
            intrinsic = {"root": "sqrt", "nearest": "rint", "abs": "fabs"}.get(name, name)
            kind = ir.FunctionType(self.real, [self.real] * len(values))
            full = f"llvm.{intrinsic}.{self.real.intrinsic_name}"
            return builder.call(builder.module.declare_intrinsic(full, fnty=kind), values)
        if name in ("bits_of", "float_of"):
            return builder.bitcast(values[0], self.word if name == "bits_of" else self.real)
        if name == "float":
            return builder.sitofp(values[0], self.real)
        if name == "int":
            return builder.fptosi(values[0], self.word)
        return builder.call(function_in(builder.module, text_of(self.text.value(name))), values)

    def polynomial(self, x: Any, coefficients: list[Any]) -> Any:
        """A polynomial, by the fused multiply-add."""
        return summed(x, coefficients, self.builder.fmul, partial(fused, self.builder))

    def constant(self, value: Any) -> Any:
        return self.real(value) if isinstance(value, float) else self.word(value)


def offer(function: Callable[..., Any]) -> None:
    """Let compiled code call a function, on float32 and on what is made a float64."""
    text = text_of(function)
    own = functions.SINGLES.get(text.name)
    count = len(text.parameters)

    class Template(templates.AbstractTemplate):  # type: ignore[misc]
        key = function

        def generic(self, args: Any, kws: Any) -> Any:
            if kws or len(args) != count or not all(isinstance(each, types.Number | types.Boolean) for each in args):
                return None
            kind = types.float32 if all(each == types.float32 for each in args) else types.float64
            return templates.signature(kind, *[kind] * count)

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        single = signature.return_type == types.float32
        if single and own is not None:
            return builder.call(function_in(builder.module, text_of(own)), arguments)
        wide = [builder.fpext(each, _DOUBLE) for each in arguments] if single else arguments
        made = builder.call(function_in(builder.module, text), wide)
        return builder.fptrunc(made, _SINGLE) if single else made

    templates.infer_global(function, types.Function(Template))
    lower_builtin(function, *[types.Any] * count)(generate)


for _function in functions.ALL.values():
    offer(_function)

globals().update(functions.ALL)
