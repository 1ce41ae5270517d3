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
    labels = (Label(method.position(node), "each thread would do this, with its partial result", True),)
    message = f"array `{array}` is changed between the loop that makes partial results and the `return`"
    helps = (f"change `{array}` before that loop, or outside of the method",)
    return Diagnostic("SOMD313", message, labels, helps)


def rest_raises(method: Method, node: cst.CSTNode) -> Diagnostic:
    labels = (Label(method.position(node), "each thread would come here, with its partial result", True),)
    message = "an exception is raised between the loop that makes partial results and the `return`"
    helps = ("raise it before that loop, in the function that reduces, or outside of the method",)
    return Diagnostic("SOMD313", message, labels, helps)


def rest_without_return(method: Method, loop: cst.For) -> Diagnostic:
    labels = (Label(method.position(loop.iter), "no `return` of a value on every way behind this loop", True),)
    message = f"`{method.name}` has no partial result for {_by(method)}"
    return Diagnostic("SOMD313", message, labels, (FORM,))


def partials_unused(method: Method, loop: cst.For) -> Diagnostic:
    labels = (Label(method.position(loop.iter), "the last distributed loop", True),)
    message = f"what is returned does not depend on the last distributed loop, so {_by(method)} has nothing to reduce"
    helps = (FORM, "leave the reduction out of the annotation if all threads return the same")
    return Diagnostic("SOMD313", message, labels, helps)


def accumulated_twice(method: Method, loop: cst.For, name: str) -> Diagnostic:
    write = first_write(name, loop)
    labels = (Label(method.position(write), f"every thread would start with what `{name}` holds already", True),)
    message = f"`{name}` is accumulated by several loops, and {_by(method)} would count the first ones for each thread"
    helps = (f"accumulate `{name}` in one loop, or start this one from a value of its own", BY_FENCE)
    return Diagnostic("SOMD313", message, labels, helps)


def undefined_copy(method: Method, loop: cst.For, name: str) -> Diagnostic:
    labels = (Label(method.position(first_write(name, loop)), f"the first value of `{name}` on some way", True),)
    message = f"`{name}` is handed on by the loop, and may have no value before it"
    helps = (f"give `{name}` a value before the loop: each thread starts from it",)
    return Diagnostic("SOMD305", message, labels, helps)


def _by(method: Method) -> str:
    """What reduces, in words."""
    declared = method.combine.declared if method.combine is not None else ()
    each = declared if isinstance(declared, tuple) else (declared,)
    return " and ".join(dict.fromkeys("`self`" if d.operation == "self" else d.text for d in each)) or "the function"


# --- fences that a function ends ----------------------------------------------------------------------------------


def unknown_function(method: Method, node: cst.CSTNode, text: str) -> Diagnostic:
    labels = (Label(method.position(node), f"`{text}`", True),)
    message = f"the function that `sync` reduces with is not known before the call: `{text}`"
    helps = ("define it with `def` outside of the method, and give its name",)
    return Diagnostic("SOMD204", message, labels, helps)


def array_joined(method: Method, node: cst.CSTNode, name: str, text: str) -> Diagnostic:
    labels = (Label(method.position(node), f"`{name}` is an array", True),)
    message = f"`{text}` reduces scalars: an array is combined by an operator"
    helps = (f'write `sync({name}, reduce="+")`, or another operator',)
    return Diagnostic("SOMD313", message, labels, helps)


def joined_form(method: Method, node: cst.CSTNode, text: str) -> Diagnostic:
    labels = (Label(method.position(node), "this fence", True),)
    message = f"what `{text}` reduces must come from one distributed loop, the last statement of the block"
    helps = ("put each such loop in a `with sync(...)` of its own, and what follows it behind the block",)
    return Diagnostic("SOMD313", message, labels, helps)


def not_a_copy(method: Method, node: cst.CSTNode, name: str, text: str) -> Diagnostic:
    labels = (Label(method.position(node), "this fence", True),)
    message = f"`sync({name}, reduce={text})` does not fit: the loop in the block does not change `{name}`"
    helps = (f"leave `{name}` out of the fence",)
    return Diagnostic("SOMD307", message, labels, helps)


def copy_not_joined(method: Method, loop: cst.For, name: str, text: str) -> Diagnostic:
    labels = (Label(method.position(first_write(name, loop)), f"each thread has its own `{name}`", True),)
    message = f"`{name}` is read behind a fence that does not make it one"
    helps = (
        f"name it in the fence, `sync({name}, ..., reduce={text})`: the function gets its copies by themselves",
        "or accumulate it in a loop of its own",
    )
    return Diagnostic("SOMD313", message, labels, helps)


def joined_twice(method: Method, loop: cst.For, name: str, text: str) -> Diagnostic:
    labels = (Label(method.position(first_write(name, loop)), f"every thread starts with what `{name}` holds", True),)
    message = f"`{name}` may hold a result already, and `{text}` would count it for each thread"
    helps = (
        f"let `{name}` start from a value of its own before the fence, and add its result to another scalar behind it",
        'operators count it once: `reduce="+"`; and so do `min` and `max`',
    )
    return Diagnostic("SOMD313", message, labels, helps)


def hidden_function(method: Method, node: cst.CSTNode, function: object) -> Diagnostic:
    name = getattr(function, "__name__", repr(function))
    labels = (Label(method.position(node), "in a method that is called here", True),)
    message = f"a fence of a called method reduces with `{name}`, which `{method.name}` does not know by that name"
    helps = (f"import `{name}` where `{method.name}` is defined",)
    return Diagnostic("SOMD203", message, labels, helps)
