"""isl sets and expressions over parameters -> Python text.

`v_n` becomes `n`, `s_a_0` becomes `a.shape[0]`. The text uses only `and or not min max // %` and integer arithmetic, so it
also is what a master of any target can run.
"""

from __future__ import annotations

import re

import islpy as isl

from somd.transforms.analysis.sets import TooComplex

_INFIX = {
    isl.ast_expr_op_type.and_: "and",
    isl.ast_expr_op_type.and_then: "and",
    isl.ast_expr_op_type.or_: "or",
    isl.ast_expr_op_type.or_else: "or",
    isl.ast_expr_op_type.add: "+",
    isl.ast_expr_op_type.sub: "-",
    isl.ast_expr_op_type.mul: "*",
    isl.ast_expr_op_type.div: "//",
    isl.ast_expr_op_type.fdiv_q: "//",
    isl.ast_expr_op_type.pdiv_q: "//",
    isl.ast_expr_op_type.pdiv_r: "%",
    isl.ast_expr_op_type.zdiv_r: "%",
    isl.ast_expr_op_type.eq: "==",
    isl.ast_expr_op_type.le: "<=",
    isl.ast_expr_op_type.lt: "<",
    isl.ast_expr_op_type.ge: ">=",
    isl.ast_expr_op_type.gt: ">",
}
_CALL = {isl.ast_expr_op_type.min: "min", isl.ast_expr_op_type.max: "max"}
_LOOSEST_FIRST = ("or", "and", "not", "==", "<=", "<", ">=", ">", "+", "-", "*", "//", "%")


def condition_text(parameters: isl.Set) -> str:
    """The condition that a parameter set states."""
    return _text(isl.AstBuild.from_context(isl.Set.universe(parameters.get_space())).expr_from_set(parameters))


def value_text(value: isl.PwAff, within: isl.Set) -> str:
    """The value of a piecewise affine expression over parameters, for parameters in `within`."""
    return _text(isl.AstBuild.from_context(within.params()).expr_from_pw_aff(value))


def name_text(name: str) -> str:
    """The Python text of an isl name."""
    shape = re.fullmatch(r"s_(.+)_(\d+)", name)
    if shape is not None:
        return f"{shape.group(1)}.shape[{shape.group(2)}]"
    return name.removeprefix("v_")


def _text(node: isl.AstExpr, parent: str = "or") -> str:
    kind = node.get_type()
    if kind == isl.ast_expr_type.id:
        return name_text(node.get_id().get_name())
    if kind == isl.ast_expr_type.int:
        return str(node.get_val().to_python())
    operation = node.get_op_type()
    args = [node.get_op_arg(k) for k in range(node.get_op_n_arg())]
    if operation in _CALL:
        return f"{_CALL[operation]}({', '.join(_text(a) for a in args)})"
    if operation == isl.ast_expr_op_type.minus:
        return f"-{_text(args[0], '%')}"
    if operation in (isl.ast_expr_op_type.cond, isl.ast_expr_op_type.select):
        test, yes, no = (_text(a) for a in args)
        return f"({yes} if {test} else {no})"
    if operation not in _INFIX:
        raise TooComplex(f"isl operation {operation}")
    symbol = _INFIX[operation]
    text = f"{_text(args[0], symbol)} {symbol} {_operand(args[1], symbol)}"
    return f"({text})" if _binds_looser(symbol, parent) else text


def _operand(node: isl.AstExpr, symbol: str) -> str:
    text = _text(node, symbol)
    compound = node.get_type() == isl.ast_expr_type.op and symbol in ("-", "*", "//", "%")
    simple = compound and node.get_op_type() in _CALL
    return f"({text})" if compound and not simple and not text.startswith("(") else text


def _binds_looser(symbol: str, parent: str) -> bool:
    return symbol != parent and _LOOSEST_FIRST.index(symbol) <= _LOOSEST_FIRST.index(parent)
