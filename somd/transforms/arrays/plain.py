"""What is no array statement: reductions in it get names, and named parts of arrays give way to the arrays.

    s += inner[i] + w.sum()      ->   value__once = ...; s += u[i + 1] + value__once
    for i in range(len(inner)):  ->   for i in range(u.shape[0] - 2):

In: a statement or an expression with numbers as values. Out: the same with other parts; what is computed, and which
indexes are tested, before it is in `Expressions.before`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

import libcst as cst

from somd.transforms.analysis.affine import shape_reference
from somd.transforms.analysis.parts import items_of
from somd.transforms.arrays.values import Value, View
from somd.transforms.tree.loops import integer_constant
from somd.transforms.tree.names import names_read, target_parts
from somd.transforms.tree.renaming import Replaced
from somd.transforms.tree.rewriting import code_of
from somd.transforms.tree.walking import children_of, nodes_in, nodes_of
from somd.transforms.types.scalars import ArrayType, ScalarType, TupleType
from somd.transforms.types.shape_tuples import chosen_entries, is_shape

if TYPE_CHECKING:
    from somd.transforms.arrays.expressions import Expressions


def is_plain(expressions: Expressions, node: cst.CSTNode) -> bool:
    """Whether nothing in `node` needs another form."""
    parts = expressions.parts
    if names_read(node) & set(expressions.triangles):
        return False
    named = names_read(node) & parts.names
    return not any(parts.part(name) is not None or parts.is_unclear(name) for name in named) and not any(
        expressions.reduces(each)
        or of_computed(expressions, each)
        or measured(expressions, each) is not None
        or least_of(expressions, each) is not None
        or _like_what(expressions, each) is not None
        or made_of_shapes(expressions, each)
        for each in nodes_in(node)
    )


def measured(expressions: Expressions, node: cst.CSTNode) -> cst.BaseExpression | None:
    """The array without a name whose length a call of `len` asks for, or whose `shape`, `size` or `ndim`."""
    if isinstance(node, cst.Attribute) and node.attr.value in ("shape", "size", "ndim"):
        array = isinstance(expressions.types.nodes.get(node.value), ArrayType)
        return node.value if array and not isinstance(node.value, cst.Name) else None
    callee = expressions.types.calls.get(node) if isinstance(node, cst.Call) else None
    if callee is None or (callee.kind, callee.name) != ("builtin", "len") or not isinstance(node, cst.Call):
        return None
    inner, kinds = node.args[0].value, expressions.types.nodes
    entry = isinstance(inner, cst.Subscript) and isinstance(kinds.get(inner.value), TupleType)
    named = isinstance(inner, cst.Name) or entry or not isinstance(kinds.get(inner), ArrayType)
    return None if named else inner


def made_of_shapes(expressions: Expressions, node: cst.CSTNode) -> bool:
    """Whether a tuple is a part of another one, or two of them together: `a.shape[1:] + (3,)`."""
    return isinstance(node, cst.BinaryOperation | cst.Subscript) and is_shape(expressions.types.nodes.get(node))


def _entries(expressions: Expressions, node: cst.BaseExpression) -> list[cst.BaseExpression]:
    """The numbers of a shape, each as an expression."""
    if isinstance(node, cst.BinaryOperation):
        return [*_entries(expressions, node.left), *_entries(expressions, node.right)]
    kind = expressions.types.nodes.get(node)
    assert isinstance(kind, TupleType)
    count = len(kind.elements)
    if isinstance(node, cst.Subscript) and isinstance(within := expressions.types.nodes.get(node.value), TupleType):
        chosen = chosen_entries(node, len(within.elements), expressions.names.method)
        if chosen is not None:
            entries = _entries(expressions, node.value)
            return [entries[k] for k in chosen]
    if isinstance(node, cst.Tuple):
        return [expressions.plain_number(each.value) for each in node.elements]
    asked = measured(expressions, node)
    named = node.value if isinstance(node, cst.Attribute) else node
    whole: Value | None = _part(expressions, named, node) if asked is None else expressions.value(asked)
    if isinstance(node, cst.Attribute) and whole is not None:
        return [expressions.names.expression(f"({expressions.clamped(n).text})", node) for n in whole.shape]
    return [expressions.names.expression(f"{code_of(node)}[{k}]", node) for k in range(count)]


def least_of(expressions: Expressions, node: cst.CSTNode) -> cst.Attribute | None:
    """The shape of which `min` or `max` is asked."""
    callee = expressions.types.calls.get(node) if isinstance(node, cst.Call) else None
    if callee is None or callee.kind != "builtin" or callee.name not in ("min", "max"):
        return None
    arguments = cst.ensure_type(node, cst.Call).args
    only = arguments[0].value if len(arguments) == 1 else None
    return only if isinstance(only, cst.Attribute) else None


def of_computed(expressions: Expressions, node: cst.CSTNode) -> bool:
    """Whether a number is an element of an array that has no name."""
    if not isinstance(node, cst.Subscript) or isinstance(node.value, cst.Name):
        return False
    number = isinstance(expressions.types.nodes.get(node), ScalarType)
    return number and isinstance(expressions.types.nodes.get(node.value), ArrayType)


def plain(expressions: Expressions, node: cst.CSTNode) -> cst.CSTNode:
    """`node` without reductions and names of parts.

    Raises:
        NotTaken: it has some that are not taken, which has been reported.
    """
    if is_plain(expressions, node):
        return node
    replaced: dict[cst.CSTNode, cst.BaseExpression] = {}
    waiting: list[cst.CSTNode] = [node]
    while waiting:
        each = waiting.pop()
        found = _branched(expressions, each) or _instead(expressions, each)
        if found is not None:
            replaced[each] = found
        elif not isinstance(each, cst.Attribute):
            waiting += reversed(_in_order(each))
        else:
            waiting.append(each.value)
    if not replaced or node in replaced:
        return replaced.get(node, node)
    made = node.visit(Replaced(replaced, expressions.names.positions))
    assert isinstance(made, cst.CSTNode)
    return made


def _branched(expressions: Expressions, node: cst.CSTNode) -> cst.BaseExpression | None:
    """What stands for a node with parts that a condition leads to, where something is computed for these: a name that
    an `if` sets before. None for others."""
    arms = _conditional(node)
    if not isinstance(node, cst.BaseExpression) or all(is_plain(expressions, arm) for arm in arms):
        return None
    first = node.test if isinstance(node, cst.IfExp) else node.left if isinstance(node, cst.BooleanOperation) else None
    made: dict[cst.CSTNode, cst.BaseExpression] = {}
    if first is not None:
        made[first] = _truth(expressions, node, first, expressions.plain_number(first))
    branches: list[list[cst.BaseStatement]] = []
    for arm in arms:
        with expressions.branch() as lines:
            made[arm] = _truth(expressions, node, arm, cast(cst.BaseExpression, plain(expressions, arm)))
        branches.append(lines)
    together = [line for branch in branches for line in branch]
    if all(map(_may_come_before, together)):
        expressions.before.extend(together)
        return cast(cst.BaseExpression, node.visit(Replaced(made, expressions.names.positions)))
    if first is None:
        message = "a reduction, or an element of a part of an array, behind a comparison that may not hold"
        raise expressions.refuse("SOMD202", message, node, "give it a name in a statement before")
    name = expressions.names.new("value__once", code_of(node))
    expressions.before.extend(_if_lines(expressions, node, name, made, branches))
    return expressions.names.expression(name, node)


def _truth(
    expressions: Expressions, node: cst.BaseExpression, part: cst.BaseExpression, made: cst.BaseExpression
) -> cst.BaseExpression:
    """What stands for a part of a node: its truth value, where that of `and` or `or` is all that counts."""
    kind = expressions.types.nodes.get(part)
    number = isinstance(kind, ScalarType) and kind.kind != "b" and isinstance(node, cst.BooleanOperation)
    if not number:
        return made
    return expressions.names.expression(f"{expressions.names.function('bool')}({code_of(made)})", part)


def _if_lines(
    expressions: Expressions,
    node: cst.BaseExpression,
    name: str,
    made: dict[cst.CSTNode, cst.BaseExpression],
    branches: list[list[cst.BaseStatement]],
) -> list[cst.BaseStatement]:
    """The lines that set a name to what a choice, `and` or `or` gives, in Python's order."""
    names = expressions.names
    values = [code_of(each) for each in made.values()]
    set_ = [names.line(f"{name} = {value}", node) for value in values]
    before, other, test = [], None, values[0]
    if isinstance(node, cst.IfExp):
        other = cst.Else(cst.IndentedBlock([*branches[1], set_[2]]))
    else:
        is_or = isinstance(cst.ensure_type(node, cst.BooleanOperation).operator, cst.Or)
        before, test = [set_[0]], f"not {name}" if is_or else name
    line = cst.ensure_type(names.line(f"if {test}:\n    pass", node), cst.If)
    line = line.with_changes(body=cst.IndentedBlock([*branches[0], set_[1]]), orelse=other)
    names.place(line, node)
    return [*before, line]


def _may_come_before(line: cst.CSTNode) -> bool:
    """Whether nothing is raised where a line is run that a condition may not lead to: it reads no elements."""
    shapes = [n.value for n in nodes_of(line, cst.Subscript)]
    lengths = all(isinstance(each, cst.Attribute) and each.attr.value == "shape" for each in shapes)
    return isinstance(line, cst.SimpleStatementLine) and lengths


def _instead(expressions: Expressions, node: cst.CSTNode) -> cst.BaseExpression | None:
    """What stands for a node; None where its parts are to be looked at."""
    if isinstance(node, cst.BaseExpression) and expressions.reduces(node):
        return expressions.reduced(node).element(())
    reference = shape_reference(node) if isinstance(node, cst.BaseExpression) else None
    if reference is not None and (part := _part(expressions, cst.Name(reference[0]), node)) is not None:
        return expressions.names.expression(f"({expressions.clamped(part.shape[reference[1]]).text})", node)
    if isinstance(node, cst.Subscript):
        if isinstance(node.value, cst.Attribute) and node.value.attr.value == "shape" and len(node.slice) == 1:
            unnamed, index = measured(expressions, node.value), node.slice[0].slice
            whole: Value | None = _part(expressions, node.value.value, node)
            whole = whole if unnamed is None else expressions.value(unnamed)
            axis = integer_constant(index.value, expressions.names.method) if isinstance(index, cst.Index) else None
            if whole is not None and axis is not None:
                return expressions.names.expression(f"({expressions.clamped(whole.shape[axis]).text})", node)
        base: Value | None = _part(expressions, node.value, node)
        if of_computed(expressions, node):
            base = expressions.value(node.value)
        if base is not None:
            return expressions.part(node, base, items_of(node, expressions.names.method)).element(())
    inner = measured(expressions, node)
    if isinstance(node, cst.Attribute) and inner is not None:
        return _asked(expressions, node, expressions.value(inner))
    if inner is not None:
        return expressions.names.expression(f"({expressions.clamped(expressions.value(inner).shape[0]).text})", node)
    if isinstance(node, cst.Attribute) and (part := _part(expressions, node.value, node)) is not None:
        return _asked(expressions, node, part)
    if isinstance(node, cst.BaseExpression) and made_of_shapes(expressions, node):
        entries = [code_of(each) for each in _entries(expressions, node)]
        return expressions.names.expression(f"({''.join(f'{entry}, ' for entry in entries)})", node)
    shape = least_of(expressions, node)
    if shape is not None and isinstance(node, cst.Call):
        array, kind = cst.ensure_type(shape.value, cst.Name).value, expressions.types.names.get(code_of(shape.value))
        count = kind.ndim if isinstance(kind, ArrayType) else 0
        part = _part(expressions, shape.value, node)
        lengths = [expressions.clamped(each).text for each in part.shape] if part is not None else []
        lengths = lengths or [f"{array}.shape[{axis}]" for axis in range(count)]
        text = f"{code_of(node.func)}({', '.join(lengths)})" if count > 1 else f"({lengths[0]})"
        return expressions.names.expression(text, node)
    if isinstance(node, cst.Call):
        return _like(expressions, node)
    if isinstance(node, cst.Name) and node.value in expressions.triangles:
        message = f"`{node.value}`, the indexes of a triangle, stands in array statements alone"
        raise expressions.refuse("SOMD202", message, node, "index a matrix with it: `a[lower]`")
    if isinstance(node, cst.Name) and (part := _part(expressions, node, node)) is not None:
        if not part.whole:
            message = f"`{node.value}` is a part of an array, which does not stand here"
            raise expressions.refuse("SOMD202", message, node, "copy the part: `.copy()` behind it")
        return expressions.names.expression(part.array, node)
    return None


def _part(expressions: Expressions, node: cst.CSTNode, at: cst.CSTNode) -> View | None:
    """The part that a name stands for."""
    if not isinstance(node, cst.Name):
        return None
    if expressions.parts.is_unclear(node.value):
        raise expressions.unclear(node if node in expressions.names.positions else at)
    return expressions.parts.part(node.value)


def _asked(expressions: Expressions, node: cst.Attribute, part: Value) -> cst.BaseExpression | None:
    """`part.shape`, `part.size`, `part.ndim`, `part.dtype`"""
    lengths = [expressions.clamped(length).text for length in part.shape]
    texts = {
        "shape": f"({''.join(f'{length}, ' for length in lengths)})",
        "size": " * ".join(f"({length})" for length in lengths),
        "ndim": str(len(lengths)),
    }
    if node.attr.value in ("dtype", "itemsize") and isinstance(part, View):
        return expressions.names.changed(node, value=expressions.names.expression(part.array, node))
    text = texts.get(node.attr.value)
    if text is None:
        message = f"`{node.attr.value}` of a part of an array is not taken here"
        raise expressions.refuse("SOMD202", message, node, "ask the array itself, or copy the part before")
    return expressions.names.expression(f"({text})", node)


def _like(expressions: Expressions, node: cst.Call) -> cst.BaseExpression | None:
    """`np.zeros_like(part)` as `np.zeros(shape, dtype=...)`"""
    callee = expressions.types.calls.get(node)
    if callee is None or callee.kind != "like" or callee.name == "copy" or not node.args:
        return None
    first, kind, names = node.args[0].value, expressions.types.nodes.get(node), expressions.names
    part = _part(expressions, first, node)
    if _like_what(expressions, node) is not None:
        value = expressions.value(first)
        if not isinstance(value, View):
            message = f"`np.{callee.name}` of what is computed"
            raise expressions.refuse("SOMD202", message, node, "give the value a name in a statement before")
        part = value
    if part is None or part.whole:
        return None
    lengths = [expressions.clamped(length).text for length in part.shape]
    shape = lengths[0] if len(lengths) == 1 else f"({', '.join(lengths)})"
    filler = [arg for arg in node.args[1:] if arg.keyword is None][:1] if callee.name == "full_like" else []
    made = cst.Call(
        cst.Name(names.numpy(callee.name.removesuffix("_like"))),
        [
            cst.Arg(names.expression(shape, node)),
            *filler,
            cst.Arg(names.expression(names.dtype(getattr(kind, "dtype", "float64")), node), cst.Name("dtype")),
        ],
    )
    names.place(made, node)
    return made


def _like_what(expressions: Expressions, node: cst.CSTNode) -> cst.BaseExpression | None:
    """The part of an array, or what is computed, whose shape `np.zeros_like(...)` takes; None for names of arrays."""
    callee = expressions.types.calls.get(node) if isinstance(node, cst.Call) else None
    if callee is None or callee.kind != "like" or callee.name == "copy" or not isinstance(node, cst.Call):
        return None
    first = node.args[0].value if node.args else None
    given = expressions.types.nodes.get(first) if first is not None else None
    return first if isinstance(given, ArrayType) and not isinstance(first, cst.Name) else None


def _in_order(node: cst.CSTNode) -> list[cst.CSTNode]:
    """The parts of a node as Python comes to them: the value of an assignment before its targets."""
    if isinstance(node, cst.Assign | cst.AnnAssign):
        targets = [each.target for each in node.targets] if isinstance(node, cst.Assign) else [node.target]
        elements = [part for each in targets for part in target_parts(each) if not isinstance(part, cst.Name)]
        return [each for each in (node.value, *elements) if each is not None]
    return [node.value] if isinstance(node, cst.Arg) else list(children_of(node))


def _conditional(node: cst.CSTNode) -> list[cst.BaseExpression]:
    """The parts of a node that Python comes to under a condition."""
    if isinstance(node, cst.BooleanOperation):
        return [node.right]
    if isinstance(node, cst.IfExp):
        return [node.body, node.orelse]
    return [each.comparator for each in node.comparisons[1:]] if isinstance(node, cst.Comparison) else []
