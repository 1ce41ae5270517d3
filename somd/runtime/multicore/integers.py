"""Functions of integers that compiled code calls, made LLVM code without Numba's type inference.

Every master computes ranges, and each of the small functions for that takes Numba some 30 ms to compile. Of numbers
that are all int64 nothing is to be inferred: the function's text is walked once, in about a millisecond. In Python it
stays the function that it is.

The text may hold assignments, `if`, `while` and `return`; integers, names, `+ - * // % << >> & | ^`, comparisons,
`and`, `or`, `not`, `x if c else y`, `min`, `max`, `abs`, and calls of other functions of integers. Both sides of `and`,
`or` and `if ... else` are computed. A quotient or remainder by 0 is 0.
"""

from __future__ import annotations

import ast
import inspect
import operator
import textwrap
from collections.abc import Callable
from typing import Any, TypeVar

from llvmlite import ir as _ir
from numba import types as _types
from numba.extending import lower_builtin as _lower_builtin

from somd.runtime.multicore.control_flow import ControlFlow
from somd.runtime.multicore.numba_internals.lowering import cgutils, templates
from somd.syntax import module_of

ir: Any = _ir
types: Any = _types
lower_builtin: Any = _lower_builtin
Function = TypeVar("Function", bound=Callable[..., Any])

_WORD, _BIT = ir.IntType(64), ir.IntType(1)
#: what factors and divisors of exact tests stay below, and by how many bits such a number is raised above all others
LEAST_TOO_LARGE, _RAISED = 1 << 30, 96
_COMPARED = {ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Eq: "==", ast.NotEq: "!="}
_PLAIN = {ast.Add: "add", ast.Sub: "sub", ast.Mult: "mul", ast.BitAnd: "and_", ast.BitOr: "or_", ast.BitXor: "xor"}
_SHIFTS = {ast.LShift: "shl", ast.RShift: "ashr"}
#: the functions of integers by themselves, with their texts when they have been read
_known: dict[Any, _Text] = {}
#: those that read and write memory, or wait: what only compiled code may do
_native: dict[Any, _Text | _Operation] = {}


def of_integers(function: Function) -> Function:
    """Let compiled code call a function of int64, which returns an int64, a bool or a tuple of int64."""
    text = _known[function] = _Text(function)
    return _of_integers(function, text)


def _of_integers(function: Function, text: _Text) -> Function:
    class Template(templates.AbstractTemplate):  # type: ignore[misc]
        key = function

        def generic(self, args: Any, kws: Any) -> Any:
            if kws or len(args) != text.count:
                return None
            return templates.signature(text.result, *[types.int64] * text.count)

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return text.called(builder, arguments)

    templates.infer_global(function, types.Function(Template))
    lower_builtin(function, *[types.Any] * text.count)(generate)
    return function


def exactly(function: Function) -> Function:
    """Let compiled code call a test of int64, which is decided as Python decides it: nothing wraps in it.

    Factors and divisors in its text are constants below 2**30, divisors positive.
    """
    text = _Text(function, ir.IntType(128))
    text.result = types.boolean
    return _of_integers(function, text)


def of_words(function: Function) -> Function:
    """Let other functions of integers call one that works on words in memory; it returns an int64."""
    _native[function] = _Text(function)
    return function


def operation(generate: Callable[..., Any]) -> Callable[[Function], Function]:
    """Let functions of integers call what `generate(builder, *arguments)` makes code for."""

    def known(function: Function) -> Function:
        _native[function] = _Operation(generate)
        return function

    return known


def code_of(function: Any) -> Any:
    """What calls a function of words: `code_of(function)(builder, arguments)`."""
    return _native[function].called


def declared(function: Any, module: Any) -> Any:
    """A function of words in a module that does not have its code."""
    return _text_of(function).declared(module)


def defined(function: Any, module: Any) -> None:
    """Have the code of a function of words in a module, which others call."""
    _text_of(function).defined(module)


def _text_of(function: Any) -> _Text:
    text = _native[function]
    assert isinstance(text, _Text)
    return text


class _Operation:
    """A few instructions."""

    def __init__(self, generate: Callable[..., Any]) -> None:
        self.generate = generate

    def called(self, builder: Any, arguments: list[Any]) -> Any:
        """The instructions."""
        return self.generate(builder, *arguments)


class _Text:
    """A function of integers: its signature, and its code in a module."""

    def __init__(self, function: Callable[..., Any], word: Any = _WORD) -> None:
        self.function = function
        self.word = word
        self.count = len(inspect.signature(function).parameters)
        returned = str(inspect.signature(function).return_annotation)
        self.results = returned.count("int") if returned.startswith("tuple") else 0
        self.result = types.boolean if returned == "bool" else types.int64
        if self.results:
            self.result = types.UniTuple(types.int64, self.results)
        self._tree: ast.FunctionDef | None = None

    @property
    def tree(self) -> ast.FunctionDef:
        if self._tree is None:
            (tree,) = module_of(textwrap.dedent(inspect.getsource(self.function))).body
            assert isinstance(tree, ast.FunctionDef)
            self._tree = tree
        return self._tree

    def called(self, builder: Any, arguments: list[Any]) -> Any:
        """A call of the function, which becomes part of the module."""
        function = self.declared(builder.module)
        if not function.blocks:
            function.linkage = "linkonce_odr"
            _Writer(self, function).write()
        return builder.call(function, arguments)

    def defined(self, module: Any) -> None:
        """Make the function part of a module, for others."""
        _Writer(self, self.declared(module)).write()

    def declared(self, module: Any) -> Any:
        """The function in a module, with or without its code."""
        name = f"somd.{self.function.__module__}.{self.function.__qualname__}"
        function = module.globals.get(name)
        if function is None:
            kind = (
                ir.ArrayType(_WORD, self.results) if self.results else _BIT if self.result is types.boolean else _WORD
            )
            function = ir.Function(module, ir.FunctionType(kind, [_WORD] * self.count), name)
        return function


class _Writer(ControlFlow):
    """Writes the code of one function."""

    def __init__(self, text: _Text, function: Any) -> None:
        super().__init__(function)
        self.text = text
        self.names = text.function.__globals__
        self.locals: dict[str, Any] = {}
        self.word = text.word

    def write(self) -> None:
        tree = self.text.tree
        for argument, value in zip(tree.args.args, self.llvm.args, strict=True):
            self.store(argument.arg, value if self.word == _WORD else self.builder.sext(value, self.word))
        self.block(tree.body)
        if not self.builder.block.is_terminated:
            self.builder.unreachable()

    def store(self, name: str, value: Any) -> None:
        if name not in self.locals:
            self.locals[name] = cgutils.alloca_once(self.builder, self.word)
        self.builder.store(value, self.locals[name])

    def statement(self, node: ast.stmt) -> None:
        if isinstance(node, ast.Return):
            self.builder.ret(self.returned(node.value))
        elif isinstance(node, ast.If):
            self.branch(node)
        elif isinstance(node, ast.While):
            self.loop(node)
        elif isinstance(node, ast.Assign):
            (target,) = node.targets
            self.assign(target, node.value)
        elif isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
            value = ast.BinOp(ast.Name(node.target.id), node.op, node.value)
            self.store(node.target.id, self.number(value))
        elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
            self.value(node.value)
        elif not (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)):
            raise NotImplementedError(ast.unparse(node))

    def returned(self, node: ast.expr | None) -> Any:
        assert node is not None
        if self.text.results:
            return cgutils.pack_array(self.builder, self.numbers(node))
        return self.test(node) if self.text.result is types.boolean else self.number(node)

    def numbers(self, node: ast.expr) -> list[Any]:
        """The values of a tuple, or of a call that returns one."""
        if isinstance(node, ast.Tuple):
            return [self.number(element) for element in node.elts]
        made = self.number(node)
        return [self.builder.extract_value(made, k) for k in range(made.type.count)]

    def assign(self, target: ast.expr, value: ast.expr) -> None:
        targets = target.elts if isinstance(target, ast.Tuple) else [target]
        values = self.numbers(value) if isinstance(target, ast.Tuple) else [self.number(value)]
        for each, made in zip(targets, values, strict=True):
            assert isinstance(each, ast.Name)
            self.store(each.id, made)

    def test(self, node: ast.expr) -> Any:
        """The truth of an expression, one bit."""
        value = self.value(node)
        return value if value.type == _BIT else self.builder.icmp_signed("!=", value, self.word(0))

    def number(self, node: ast.expr) -> Any:
        """The value of an expression, a bool as 0 or 1."""
        value = self.value(node)
        return self.builder.zext(value, self.word) if value.type == _BIT else value

    def value(self, node: ast.expr) -> Any:
        builder = self.builder
        if isinstance(node, ast.Constant) and isinstance(node.value, int):
            return self.word(int(node.value))
        if isinstance(node, ast.Name):
            known = node.id in self.locals
            return builder.load(self.locals[node.id]) if known else self.word(operator.index(self.names[node.id]))
        if isinstance(node, ast.BinOp):
            return self.operation(node.op, self.number(node.left), self.number(node.right))
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            return builder.not_(self.test(node.operand))
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
            return builder.neg(self.number(node.operand))
        if isinstance(node, ast.BoolOp):
            join = builder.and_ if isinstance(node.op, ast.And) else builder.or_
            return self.joined([self.test(each) for each in node.values], join)
        if isinstance(node, ast.Compare):
            values = [self.number(each) for each in (node.left, *node.comparators)]
            signs = [_COMPARED[type(op)] for op in node.ops]
            tests = [builder.icmp_signed(sign, *values[k : k + 2]) for k, sign in enumerate(signs)]
            return self.joined(tests, builder.and_)
        if isinstance(node, ast.IfExp):
            return builder.select(self.test(node.test), self.number(node.body), self.number(node.orelse))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            return self.call(node.func.id, [self.number(each) for each in node.args])
        raise NotImplementedError(ast.unparse(node))

    def joined(self, values: list[Any], join: Callable[[Any, Any], Any]) -> Any:
        made = values[0]
        for value in values[1:]:
            made = join(made, value)
        return made

    def call(self, name: str, arguments: list[Any]) -> Any:
        builder = self.builder
        if name in ("min", "max") and name not in self.names:
            sign = "<" if name == "min" else ">"
            return self.joined(arguments, lambda a, b: builder.select(builder.icmp_signed(sign, b, a), b, a))
        if name == "abs" and name not in self.names:
            return builder.select(
                builder.icmp_signed("<", arguments[0], self.word(0)), builder.neg(arguments[0]), arguments[0]
            )
        function = self.names[name]
        return (_known.get(function) or _native[function]).called(builder, arguments)

    def operation(self, op: ast.operator, left: Any, right: Any) -> Any:
        builder = self.builder
        if type(op) in _PLAIN:
            return getattr(builder, _PLAIN[type(op)])(left, right)
        if type(op) in _SHIFTS:
            return getattr(builder, _SHIFTS[type(op)])(left, right)
        if not isinstance(op, ast.FloorDiv | ast.Mod):
            raise NotImplementedError(ast.dump(op))
        if self.word != _WORD:
            return self.by_limbs(left, right, isinstance(op, ast.FloorDiv))
        zero = builder.icmp_signed("==", right, self.word(0))
        by = builder.select(zero, self.word(1), right)
        quotient = builder.sdiv(left, by)
        rest = builder.sub(left, builder.mul(quotient, by))
        # towards minus infinity: one less where the rest is not 0 and has another sign than the divisor
        apart = builder.icmp_signed("<", builder.xor(rest, by), self.word(0))
        lower = builder.and_(builder.icmp_signed("!=", rest, self.word(0)), apart)
        if isinstance(op, ast.FloorDiv):
            made = builder.sub(quotient, builder.zext(lower, self.word))
        else:
            made = builder.add(rest, builder.select(lower, by, self.word(0)))
        return builder.select(zero, self.word(0), made)

    def by_limbs(self, left: Any, right: Any, quotient: bool) -> Any:
        """Quotient or remainder of a wide number by a constant below 2**30: no machine has such an instruction."""
        builder, by = self.builder, right.constant
        assert 0 < by < LEAST_TOO_LARGE
        natural = builder.add(left, self.word(by << _RAISED))
        rest, digits = _WORD(0), self.word(0)
        for shift in (96, 64, 32, 0):
            limb = builder.and_(builder.trunc(builder.lshr(natural, self.word(shift)), _WORD), _WORD((1 << 32) - 1))
            current = builder.or_(builder.shl(rest, _WORD(32)), limb)
            digit, rest = builder.udiv(current, _WORD(by)), builder.urem(current, _WORD(by))
            digits = builder.or_(digits, builder.shl(builder.zext(digit, self.word), self.word(shift)))
        if quotient:
            return builder.sub(digits, self.word(1 << _RAISED))
        return builder.zext(rest, self.word)
