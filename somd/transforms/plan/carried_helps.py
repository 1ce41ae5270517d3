"""The ways out where a scalar goes from one iteration to the next, those that fit its pattern first.

In: the loop and the name. Out: helps for SOMD304 and SOMD308.
"""

from __future__ import annotations

import libcst as cst

from somd.transforms.tree.walking import nodes_in, nodes_of

PARTIAL = "to use a reduced value, put the accumulating loop in `with sync(name, reduce=op):` and read it afterwards"


def handed_on(loop: cst.For, name: str) -> tuple[str, ...]:
    """What may be done about `name`."""
    updates = [node for node in nodes_in(loop.body) if _is_update(node, name)]
    if any(isinstance(node, cst.Assign) and _is_tuple(node, name) for node in updates):
        return (f"a tuple is not reduced: give its entries names, as in `if x < {name}: {name}, where = x, i`",)
    scan = _scan(loop.body, name) if len(updates) == 1 else ""
    block = f'put the loop in `with sync({name}, scan="{scan}"):`'
    if scan == "affine":
        return (f"if floats may be multiplied and summed up in another order than the one written, {block}",)
    return (
        *_own_tests(loop, name),
        *((f"if floats may be summed up in another order than the one written, {block}",) if scan else ()),
        f"a reduction has one form: `{name} += e`, or `*=`, `min`, `max` likewise, and nothing else uses `{name}`",
        PARTIAL,
    )


def _is_tuple(node: cst.Assign, name: str) -> bool:
    """Whether an assignment gives a name a tuple, as in `best = x, i`."""
    return isinstance(node.value, cst.Tuple) and any(is_name(each.target, name) for each in node.targets)


def _is_update(node: cst.CSTNode, name: str) -> bool:
    if isinstance(node, cst.AugAssign):
        return is_name(node.target, name)
    return isinstance(node, cst.Assign) and any(
        is_name(each, name) for target in node.targets for each in nodes_in(target.target)
    )


def _scan(node: cst.CSTNode, name: str) -> str:
    """The scan by which the update of `name` in a node may run, where no loop and no test of `name` is around it."""
    if isinstance(node, cst.For | cst.While | cst.With):
        return ""
    if isinstance(node, cst.If) and any(is_name(each, name) for each in nodes_in(node.test)):
        return ""
    if isinstance(node, cst.Assign | cst.AugAssign):
        return _scan_of(node, name)
    return "".join(_scan(child, name) for child in node.children)


def _scan_of(node: cst.CSTNode, name: str) -> str:
    if isinstance(node, cst.AugAssign) and is_name(node.target, name):
        alone = not any(is_name(each, name) for each in nodes_in(node.value))
        return "+" if alone and isinstance(node.operator, cst.AddAssign | cst.SubtractAssign) else ""
    if isinstance(node, cst.Assign) and len(node.targets) == 1 and is_name(node.targets[0].target, name):
        once = sum(is_name(each, name) for each in nodes_in(node.value)) == 1
        return "affine" if once and _is_linear(node.value, name) else ""
    return ""


def _is_linear(node: cst.BaseExpression, name: str) -> bool:
    """Whether a value, in which `name` stands once, is made of it by sums and products."""
    if is_name(node, name):
        return True
    if not isinstance(node, cst.BinaryOperation):
        return False
    left = any(is_name(each, name) for each in nodes_in(node.left))
    if isinstance(node.operator, cst.Add | cst.Multiply) or (isinstance(node.operator, cst.Subtract) and left):
        return _is_linear(node.left if left else node.right, name)
    return False


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
