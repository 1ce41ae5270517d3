"""isl sets and expressions over parameters -> Python text.

`v_n` becomes `n`, `s_a_0` becomes `a.shape[0]`. The text uses only `and or not min max // %` and integer arithmetic, so
it also is what a master of any target can run.
"""

from __future__ import annotations

import re
from typing import Any

import islpy as isl

from somd.transforms.analysis.sets import TooComplex

# islpy's stubs do not know the names of these enumerations
_OP: Any = isl.ast_expr_op_type
_KIND: Any = isl.ast_expr_type
_INFIX: dict[Any, str] = {
    _OP.and_: "and",
    _OP.and_then: "and",
    _OP.or_: "or",
    _OP.or_else: "or",
    _OP.add: "+",
    _OP.sub: "-",
    _OP.mul: "*",
    _OP.div: "//",
    _OP.fdiv_q: "//",
    _OP.pdiv_q: "//",
    _OP.pdiv_r: "%",
    _OP.zdiv_r: "%",
    _OP.eq: "==",
    _OP.le: "<=",
    _OP.lt: "<",
    _OP.ge: ">=",
    _OP.gt: ">",
}
#: operations whose constants must stay below a limit, so that 128 bits hold every result
_SCALED = ("*", "//", "%")
_FACTOR, _TERM = 1 << 30, 1 << 62
_CALL: dict[Any, str] = {_OP.min: "min", _OP.max: "max"}
_LOOSEST_FIRST = ("or", "and", "not", "==", "<=", "<", ">=", ">", "+", "-", "*", "//", "%")


def condition_text(parameters: isl.Set) -> str:
    """The condition that a parameter set states."""
    return _text(isl.AstBuild.from_context(isl.Set.universe(parameters.get_space())).expr_from_set(parameters))


def value_text(value: isl.PwAff, within: isl.Set) -> str:
    """The value of a piecewise affine expression over parameters, for parameters in `within`."""
    return _text(isl.AstBuild.from_context(within.params()).expr_from_pw_aff(value))


def name_text(name: str) -> str:
    """The Python text of an isl name."""
    name = re.sub(r"Zx([0-9a-f]+)Z", lambda match: chr(int(match.group(1), 16)), name)
    shape = re.fullmatch(r"s_(.+)_(\d+)", name)
    if shape is not None:
        return f"{shape.group(1)}.shape[{shape.group(2)}]"
    return name.removeprefix("v_")


def _text(node: isl.AstExpr, parent: str = "or") -> str:
    kind: Any = node.get_type()
    if kind == _KIND.id:
        return name_text(node.get_id().get_name())
    if kind == _KIND.int:
        if abs(int(node.get_val().to_python())) >= (_FACTOR if parent in _SCALED else _TERM):
            raise TooComplex("a constant that is too large")
        return str(node.get_val().to_python())
    operation: Any = node.get_op_type()
    args = [node.get_op_arg(k) for k in range(node.get_op_n_arg())]
    if operation in _CALL:
        return f"{_CALL[operation]}({', '.join(_text(a) for a in args)})"
    if operation == _OP.minus:
        return f"-{_operand(args[0], '%')}"
    if operation in (_OP.cond, _OP.select):
        test, yes, no = (_text(a) for a in args)
        return f"({yes} if {test} else {no})"
    if operation not in _INFIX:
        raise TooComplex(f"isl operation {operation}")
    symbol = _INFIX[operation]
    text = f"{_text(args[0], symbol)} {symbol} {_operand(args[1], symbol)}"
    return f"({text})" if _binds_looser(symbol, parent) else text


def _operand(node: isl.AstExpr, symbol: str) -> str:
    text = _text(node, symbol)
    kind: Any = node.get_type()
    compound = kind == _KIND.op and symbol in ("-", "*", "//", "%")
    operation: Any = node.get_op_type() if compound else None
    enclosed = operation in (*_CALL, _OP.cond, _OP.select)
    enclosed = enclosed or (operation in _INFIX and _binds_looser(_INFIX[operation], symbol))
    return f"({text})" if compound and not enclosed else text


def _binds_looser(symbol: str, parent: str) -> bool:
    return symbol != parent and _LOOSEST_FIRST.index(symbol) <= _LOOSEST_FIRST.index(parent)
