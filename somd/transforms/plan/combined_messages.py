"""The words of what the planner refuses about arrays that a fence combines (SOMD307 to SOMD309)."""

from __future__ import annotations

import libcst as cst

from somd.diagnostics.model import Diagnostic, Label
from somd.language.operators import OPERATORS, SAME
from somd.transforms.access import Access
from somd.transforms.analysis.array_updates import Mention, Update
from somd.transforms.stages import Combined, Method, Reduction
from somd.transforms.tree.rewriting import code_of

WAYS = "`min(s, x)` keeps the first of equal values and `s` where `x` is nan, `min(x, s)` the last one and takes nan"
#: what keeps `s = s and ...` from skipping accesses
SKIPS = (
    "compute the value in a statement before the update, where no iteration skips it: `value = ...`",
    "let the loop's bounds, or an `if` that compares its variable with lengths, keep every index inside its array",
)


def _fence(name: str, op: str) -> str:
    return f'sync({name}, reduce="{op}")'


def _form(name: str, op: str) -> str:
    element, known = f"{name}[e]", OPERATORS[SAME.get(op, op)]
    if known.better:
        form = f"`{element} = {op}({element}, v)` or `if v {known.better} {element}: {element} = v`"
    elif op.isidentifier():
        form = f"`{element} = {known.of(element, 'v')}`"
    else:
        form = f"`{element} {op}= v`"
    return f"in the block, update `{name}` by {form} and leave it alone otherwise"


def other_use(method: Method, name: str, mention: Mention, op: str, update: cst.CSTNode | None) -> Diagnostic:
    """A read of the array in the block, or a write of another form."""
    text = code_of(mention.node)
    labels = [Label(method.position(mention.node), f"{'write' if mention.write else 'read'} of {text}", True)]
    if update is not None and method.position(update) != method.position(mention.node):
        labels.append(Label(method.position(update), "updated here", False))
    if mention.write:
        message = f"`{_fence(name, op)}` does not fit: `{text}` is set, not accumulated"
        return Diagnostic("SOMD307", message, tuple(labels), (_form(name, op), f"set `{name}` before the block"))
    message = f"the partial values of `{name}` are used before the fence combines them"
    return Diagnostic("SOMD308", message, tuple(labels), (_form(name, op), f"read `{name}` after the block"))


def other_operator(method: Method, name: str, update: Update, op: str) -> Diagnostic:
    message = f"`{_fence(name, op)}` does not fit: this update combines with `{update.op}`"
    labels = (Label(method.position(update.node), f"an update by `{update.op}`", True),)
    return Diagnostic("SOMD307", message, labels, (_form(name, op), "give each operator a block of its own"))


def not_updated(method: Method, node: cst.CSTNode, name: str, op: str) -> Diagnostic:
    message = f"`{_fence(name, op)}` does not fit: nothing in the block updates elements of `{name}`"
    return Diagnostic("SOMD307", message, (Label(method.position(node), "this fence", True),), (_form(name, op),))


def second_name(method: Method, name: str, access: Access, other: Access) -> Diagnostic:
    message = f"`{name}` and `{other.array}` are the same array, and each thread has its own copy of `{name}`"
    labels = (
        Label(other.position, f"`{other.array}` is used here", True),
        Label(access.position, f"`{name}` is updated here", False),
    )
    return Diagnostic("SOMD309", message, labels, ("pass a copy for one of them",))


def guarded_short_circuit(method: Method, node: cst.CSTNode, name: str, op: str) -> Diagnostic:
    message = f"`{name}[...] {op} ...` would skip accesses that may lie outside their arrays"
    labels = (Label(method.position(node), "evaluated for every update when distributed", True),)
    return Diagnostic("SOMD304", message, labels, SKIPS)


def several_takings(method: Method, reduction: Reduction) -> Diagnostic:
    """Updates of a float of which one takes equal values, or nan, and another does not."""
    name, op = reduction.name, reduction.op
    message = f"`{name}` takes nan, or one of equal values, in different ways, and these do not go together"
    labels = tuple(Label(method.position(node), "an update", k == 0) for k, node in enumerate(reduction.updates))
    helps = (f"let `{name}` be the first argument of each `{op}`: `{name} = {op}({name}, x, y)`",)
    return Diagnostic("SOMD304", message, labels, helps, (WAYS,))


def taking_of_copies(method: Method, combined: Combined) -> Diagnostic:
    """An update of an array's floats other than by a strict comparison."""
    name, op = combined.array, combined.op
    sign = OPERATORS[op].better
    message = f"this update of `{name}` depends on the order of its values where one of them is nan, or two are equal"
    labels = (Label(method.position(combined.updates[0]), "an update", True),)
    instead = f"write `{name}[e] = {op}({name}[e], v)` or `if v {sign} {name}[e]: {name}[e] = v`"
    return Diagnostic("SOMD304", message, labels, (instead,), (WAYS,))


def inexact_sum(method: Method, node: cst.CSTNode, name: str, element: str, value: str) -> Diagnostic:
    message = f"the elements of `{name}` are `{element}`, and this update rounds a `{value}` to that each time"
    labels = (Label(method.position(node), "the order of the updates would matter", True),)
    helps = (f"convert the value to the type of the elements: `np.{element}(...)`",)
    return Diagnostic("SOMD402", message, labels, helps)
