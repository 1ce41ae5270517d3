"""The ways out where a scalar or an element goes from one iteration to the next, those that fit its pattern first.

In: the loop and the name, or the accesses that meet. Out: helps for SOMD301, SOMD304 and SOMD308.
"""

from __future__ import annotations

from typing import cast

import libcst as cst

from somd.transforms.analysis.dependences import Conflict
from somd.transforms.analysis.reductions import normalised
from somd.transforms.plan.linear_factors import factor_of, linear_factor
from somd.transforms.stages import Method
from somd.transforms.tree.loops import integer_constant, range_of, small_statements, statements_of
from somd.transforms.tree.names import names_read, unused
from somd.transforms.tree.walking import children_of, nodes_in, nodes_of

#: what statements stand in
_AROUND = (cst.BaseCompoundStatement, cst.BaseSuite, cst.SimpleStatementLine, cst.Else)
PARTIAL = "to use a reduced value, put the accumulating loop in `with sync(name, reduce=op):` and read it afterwards"


def handed_on(loop: cst.For, name: str) -> tuple[str, ...]:
    """What may be done about `name`."""
    updates = [node for node in nodes_in(loop.body) if _is_update(node, name)]
    if any(isinstance(node, cst.Assign) and _is_tuple(node, name) for node in updates):
        return (f"a tuple is not reduced: give its entries names, as in `if x < {name}: {name}, where = x, i`",)
    scan = {("+",): "+", ("affine",): "affine", ("+", "anew"): "+"}.get(tuple(sorted(_scans(loop.body, name))), "")
    block = f'put the loop in `with sync({name}, scan="{scan}"):`'
    if scan == "affine":
        return (f"if floats may be multiplied and summed up in another order than the one written, {block}",)
    return (
        *_own_tests(loop, name),
        *((f"if floats may be summed up in another order than the one written, {block}",) if scan else ()),
        f"a reduction has one form: `{name} += e`, or `*=`, `min`, `max` likewise, and nothing else uses `{name}`",
        PARTIAL,
    )


def scanned(method: Method, loop: cst.For, found: Conflict) -> tuple[str, ...]:
    """How a recurrence such as `a[i] = 0.5 * a[i - 1] + b[i]` is written as a scan: where one statement of the loop
    itself has all accesses to the array, and makes its element of the one before by sums and products."""
    header = range_of(loop)
    write, read, array = found.first.node, found.second.node, found.first.array
    if header is None or found.second.write or array != found.second.array or found.distance is None:
        return ()
    statement = next((each for each in small_statements(statements_of(loop.body)) if write in nodes_in(each)), None)
    value = _value_of(statement, write)
    accesses = [node for node in nodes_of(loop, cst.Subscript) if array in names_read(node.value)]
    befores = [node for node in accesses if normalised(node) == normalised(read)]
    others = [node for node in accesses if node not in befores and normalised(node) != normalised(write)]
    if value is None or others or found.distance != integer_constant(header.step, method):
        return ()
    name = unused("s", method.local_names)
    while here := [node for node in nodes_of(value, cst.Subscript) if normalised(node) == normalised(read)]:
        value = cast(cst.BaseExpression, value.deep_replace(here[0], cst.Name(name)))
    code = cst.Module([]).code_for_node
    if statement is None or factor_of(value, name) is None or names_read(statement) & set(method.spelled):
        return ()
    update, scan = f"{name} = {code(value)}", "affine"
    if isinstance(value, cst.BinaryOperation) and isinstance(value.operator, cst.Add | cst.Subtract):
        left, adds = is_name(value.left, name), isinstance(value.operator, cst.Add)
        term = value.right if left else value.left
        if (left or (adds and is_name(value.right, name))) and name not in names_read(term):
            update, scan = f"{name} {'+' if adds else '-'}= {code(term)}", "+"
    before = _element_before(method, header.variable, header.start, read)
    return (
        f'if the order of sums does not matter: `with sync({name}, scan="{scan}"):` around a loop of '
        f"`{update}; {code(write)} = {name}`, from `{name} = {before}` on",
    )


def _value_of(statement: cst.CSTNode | None, target: cst.Subscript) -> cst.BaseExpression | None:
    """What a statement that does nothing else stores into `target`."""
    if isinstance(statement, cst.Assign) and len(statement.targets) == 1 and statement.targets[0].target is target:
        return statement.value
    if isinstance(statement, cst.AugAssign) and statement.target is target:
        operator = {cst.AddAssign: cst.Add, cst.MultiplyAssign: cst.Multiply}.get(type(statement.operator))
        if operator is not None:
            value = statement.value
            if isinstance(value, cst.BinaryOperation) and not value.lpar:
                value = value.with_changes(lpar=[cst.LeftParen()], rpar=[cst.RightParen()])
            return cst.BinaryOperation(target, operator(), value)
    return None


def _element_before(method: Method, variable: str, start: cst.BaseExpression, read: cst.Subscript) -> str:
    """The element that the first iteration reads; that of a 0 written as a number where it can be."""
    first = integer_constant(start, method)
    index = read.slice[0].slice
    near = index.value if isinstance(index, cst.Index) else None
    if (
        first is not None
        and len(read.slice) == 1
        and isinstance(near, cst.BinaryOperation)
        and is_name(near.left, variable)
        and isinstance(near.operator, cst.Add | cst.Subtract)
        and isinstance(near.right, cst.Integer)
    ):
        far = near.right.evaluated_value
        number = first + far if isinstance(near.operator, cst.Add) else first - far
        return f"{cst.Module([]).code_for_node(read.value)}[{number}]"
    named = [node for node in nodes_in(read) if is_name(node, variable)]
    for node in named:
        read = cst.ensure_type(read.deep_replace(node, start), cst.Subscript)
    return cst.Module([]).code_for_node(read)


def _is_tuple(node: cst.Assign, name: str) -> bool:
    """Whether an assignment gives a name a tuple, as in `best = x, i`."""
    return isinstance(node.value, cst.Tuple) and any(is_name(each.target, name) for each in node.targets)


def _is_update(node: cst.CSTNode, name: str) -> bool:
    if isinstance(node, cst.AugAssign):
        return is_name(node.target, name)
    return isinstance(node, cst.Assign) and any(
        is_name(each, name) for target in node.targets for each in nodes_in(target.target)
    )


def _scans(node: cst.CSTNode, name: str) -> set[str]:
    """By which scans the updates of `name` in a node may run, "" for one that a loop or a test of `name` is around."""
    if isinstance(node, cst.Assign | cst.AugAssign):
        return {_scan_of(node, name)} if _is_update(node, name) else set()
    if not isinstance(node, _AROUND):
        return set()
    tested = isinstance(node, cst.If) and any(is_name(each, name) for each in nodes_in(node.test))
    found = set[str]().union(*(_scans(child, name) for child in children_of(node)))
    return {""} if found and (tested or isinstance(node, cst.For | cst.While | cst.With)) else found


def _scan_of(node: cst.CSTNode, name: str) -> str:
    if isinstance(node, cst.AugAssign) and is_name(node.target, name):
        if name in names_read(node.value):
            return "" if linear_factor(node, name) is None else "affine"
        return "+" if isinstance(node.operator, cst.AddAssign | cst.SubtractAssign) else ""
    if isinstance(node, cst.Assign) and len(node.targets) == 1 and is_name(node.targets[0].target, name):
        if name not in names_read(node.value):
            return "anew"
        return "" if linear_factor(node, name) is None else "affine"
    return ""


def _own_tests(loop: cst.For, name: str) -> tuple[str, ...]:
    """How two reductions are told apart of which one stands in the `elif` of the other."""
    for node in nodes_in(loop.body):
        if isinstance(node, cst.If) and isinstance(node.orelse, cst.If) and node.orelse.orelse is None:
            first, second = (
                [n.targets[0].target for n in nodes_of(part.body, cst.Assign)] for part in (node, node.orelse)
            )
            others = [target for target in second if not is_name(target, name)]
            if others and any(is_name(target, name) for target in first) and is_name(others[0], None):
                other = cst.ensure_type(others[0], cst.Name).value
                return (
                    f"if no value meets both tests, write `if` for `elif`: `{name}` and `{other}` are reductions then, "
                    "each by itself",
                )
    return ()


def is_name(node: cst.CSTNode, name: str | None) -> bool:
    """Whether a node is this name; any, for None."""
    return isinstance(node, cst.Name) and name in (None, node.value)
