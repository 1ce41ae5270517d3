"""What statements add to a name, and how often a loop runs, as source text.

Text, because what is made of it is parsed into statements of the method.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

import libcst as cst

from somd.transforms.stages import Method
from somd.transforms.tree.loops import Range, integer_constant
from somd.transforms.tree.names import names_read


def step_of(name: str, node: cst.CSTNode, method: Method, assigned: set[str]) -> str | None:
    """The text of what `node` adds to `name`, the same in every iteration; None if it does something else."""
    if isinstance(node, cst.AugAssign) and isinstance(node.target, cst.Name):
        sign = {cst.AddAssign: "", cst.SubtractAssign: "-"}.get(type(node.operator))
        return None if sign is None else _amount(node.value, sign, method, assigned)
    if not (isinstance(node, cst.Assign) and len(node.targets) == 1 and isinstance(node.targets[0].target, cst.Name)):
        return None
    value = node.value
    if not isinstance(value, cst.BinaryOperation) or not isinstance(value.operator, cst.Add | cst.Subtract):
        return None
    sign = "-" if isinstance(value.operator, cst.Subtract) else ""
    if isinstance(value.left, cst.Name) and value.left.value == name:
        return _amount(value.right, sign, method, assigned)
    if not sign and isinstance(value.right, cst.Name) and value.right.value == name:
        return _amount(value.left, sign, method, assigned)
    return None


def _amount(node: cst.BaseExpression, sign: str, method: Method, assigned: set[str]) -> str | None:
    constant = integer_constant(node, method)
    if constant is not None:
        return str(-constant if sign else constant)
    if not is_steady(node) or names_read(node) & assigned:
        return None
    text = cst.Module([]).code_for_node(node)
    simple = isinstance(node, cst.Name | cst.Subscript | cst.Call)
    return f"{sign}{text}" if simple else f"{sign}({text})"


def sum_of(steps: Sequence[str]) -> str:
    if all(is_number(step) for step in steps):
        return str(sum(int(step) for step in steps))
    text = " + ".join(steps)
    return f"({text})" if len(steps) > 1 else text


def counts(header: Range, method: Method) -> tuple[str, str]:
    """The number of the iteration and the number of all, as text over the loop variable and the limits."""
    step = cast(int, integer_constant(header.step, method))
    start, stop = (_wrapped(limit) for limit in (header.start, header.stop))
    name, size = header.variable, abs(step)
    low, high = (integer_constant(limit, method) for limit in (header.start, header.stop))
    if step > 0:
        gone, whole = (name, stop) if start == "0" else (f"({name} - {start})", f"({stop} - {start})")
    else:
        gone, whole = f"({start} - {name})", f"({start} - {stop})"
    if low is not None and high is not None:
        trips = str(len(range(low, high, step)))
    else:
        trips = f"max(0, {whole})" if size == 1 else f"max(0, ({whole} + {size - 1}) // {size})"
    return gone if size == 1 else f"{gone} // {size}", trips


def _wrapped(node: cst.BaseExpression) -> str:
    text = cst.Module([]).code_for_node(node)
    return text if isinstance(node, cst.Name | cst.Integer | cst.Call | cst.Subscript) else f"({text})"


def times(step: str, count: str) -> str:
    if is_number(step) and is_number(count):
        return str(int(step) * int(count))
    if step == "1":
        return count
    factor = f"({step})" if step.startswith("-") else step
    return f"{factor} * ({count})" if "//" in count and not count.startswith("max") else f"{factor} * {count}"


def is_number(text: str) -> bool:
    return text.lstrip("-").isdecimal()


def is_steady(node: cst.BaseExpression) -> bool:
    """Names, integers, lengths and arithmetic: what has the same value each time."""
    if isinstance(node, cst.Name | cst.Integer):
        return True
    if isinstance(node, cst.BinaryOperation):
        return is_steady(node.left) and is_steady(node.right)
    if isinstance(node, cst.UnaryOperation):
        return is_steady(node.expression)
    if isinstance(node, cst.Call) and isinstance(node.func, cst.Name) and node.func.value in ("len", "min", "max"):
        return all(is_steady(arg.value) for arg in node.args)
    return isinstance(node, cst.Subscript) and isinstance(node.value, cst.Attribute)
