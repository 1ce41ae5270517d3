"""The words of what is refused where partial results are reduced by the user's own means (SOMD305, SOMD313)."""

from __future__ import annotations

import libcst as cst

from somd.diagnostics.model import Diagnostic, Label
from somd.transforms.plan.messages import first_write
from somd.transforms.stages import Method

FORM = "the form is: what runs once, one distributed loop that accumulates, scalar code, `return`"
BY_FENCE = "to reduce in the middle of a method, use an operator, `with sync(name, reduce=...):`"


def partial_loop_inside(method: Method, node: cst.CSTNode) -> Diagnostic:
    labels = (Label(method.position(node), "the last distributed loop stands in here", True),)
    message = f"the partial results that {_by(method)} reduces must come from a loop that stands by itself"
    return Diagnostic("SOMD313", message, labels, (FORM, BY_FENCE))


def rest_writes(method: Method, node: cst.CSTNode, array: str) -> Diagnostic:
    labels = (Label(method.position(node), "each MI would do this, with its partial result", True),)
    message = f"array `{array}` is changed between the loop that makes partial results and the `return`"
    helps = (f"change `{array}` before that loop, or outside of the method",)
    return Diagnostic("SOMD313", message, labels, helps)


def rest_without_return(method: Method, loop: cst.For) -> Diagnostic:
    labels = (Label(method.position(loop.iter), "no `return` of a value on every way behind this loop", True),)
    message = f"`{method.name}` has no partial result for {_by(method)}"
    return Diagnostic("SOMD313", message, labels, (FORM,))


def partials_unused(method: Method, loop: cst.For) -> Diagnostic:
    labels = (Label(method.position(loop.iter), "the last distributed loop", True),)
    message = f"what is returned does not depend on the last distributed loop, so {_by(method)} has nothing to reduce"
    helps = (FORM, "leave the reduction out of the annotation if all MIs return the same")
    return Diagnostic("SOMD313", message, labels, helps)


def accumulated_twice(method: Method, loop: cst.For, name: str) -> Diagnostic:
    write = first_write(name, loop)
    labels = (Label(method.position(write), f"every MI would start with what `{name}` holds already", True),)
    message = f"`{name}` is accumulated by several loops, and {_by(method)} would count the first ones once for each MI"
    helps = (f"accumulate `{name}` in one loop, or start this one from a value of its own", BY_FENCE)
    return Diagnostic("SOMD313", message, labels, helps)


def undefined_copy(method: Method, loop: cst.For, name: str) -> Diagnostic:
    labels = (Label(method.position(first_write(name, loop)), f"the first value of `{name}` on some way", True),)
    message = f"`{name}` is handed on by the loop, and may have no value before it"
    helps = (f"give `{name}` a value before the loop: each MI starts from it",)
    return Diagnostic("SOMD305", message, labels, helps)


def _by(method: Method) -> str:
    """What reduces, in words."""
    declared = method.combine.declared if method.combine is not None else ()
    each = declared if isinstance(declared, tuple) else (declared,)
    return " and ".join(dict.fromkeys("`self`" if d.operation == "self" else d.text for d in each)) or "the function"
