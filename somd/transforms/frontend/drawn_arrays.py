"""Arrays of random numbers as functions that fill them, which are written out where they are called.

    rng.normal(step=t, size=(n, m))   ->   normal_array(n, m, rng_key0, rng_key1, t)

    def normal_array(rows_0, rows_1, rng_key0, rng_key1, step):
        drawn = empty((rows_0, rows_1), dtype=float64)
        for at__0 in range(rows_0):
            for at__1 in range(rows_1):
                drawn[at__0, at__1] = normal(rng_key0, rng_key1, at__0 * rows_1 + at__1, step=step)
        return drawn

In: a call with `size`, and what its function takes besides. Out: a `Nested`, and the arguments of a call of it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import libcst as cst
import numpy as np

from somd.diagnostics.model import Position
from somd.language.drawing import INDEX, SIZE, drawn_dtype
from somd.transforms.frontend.nested import Nested
from somd.transforms.frontend.reached import Reached
from somd.transforms.tree.walking import nodes_in


def size_of(node: cst.Call) -> cst.BaseExpression | None:
    """The `size` that a call gives, but for None."""
    for argument in node.args:
        if argument.keyword is not None and argument.keyword.value == SIZE:
            none = isinstance(argument.value, cst.Name) and argument.value.value == "None"
            return None if none else argument.value
    return None


def lengths_of(size: cst.BaseExpression) -> Sequence[cst.BaseExpression] | None:
    """The lengths of a shape that is written out; None for one that is a value of its own, such as `x.shape`."""
    if isinstance(size, cst.Tuple):
        plain = size.elements and all(isinstance(each, cst.Element) for each in size.elements)
        return [each.value for each in size.elements] if plain else None
    shape = isinstance(size, cst.List) or (isinstance(size, cst.Attribute) and size.attr.value == "shape")
    return None if shape else [size]


def others_of(arguments: Sequence[cst.Arg]) -> Sequence[cst.Arg] | None:
    """The arguments of a call but for its size; None where one is not given by its name, or is an index."""
    rest = [each for each in arguments if each.keyword is None or each.keyword.value != SIZE]
    named = all(each.keyword is not None and each.keyword.value != INDEX and not each.star for each in rest)
    return rest if named else None


class Calling(Protocol):
    """What knows of a function how its names and calls are written."""

    def named(self, name: str, value: object) -> str: ...
    def refuse(self, message: str, node: cst.CSTNode, code: str, *helps: str) -> None: ...
    def placed(self, made: cst.BaseExpression, node: cst.BaseExpression) -> cst.BaseExpression: ...
    def position(self, node: cst.CSTNode) -> Position: ...


class DrawnArrays:
    """The calls of a function that ask for arrays; those of one form share what fills them."""

    def __init__(self, calling: Calling) -> None:
        self.calling = calling
        self.names: dict[tuple[object, ...], str] = {}

    def call(
        self, original: cst.Call, node: cst.Call, reached: Reached, size: cst.BaseExpression
    ) -> cst.BaseExpression:
        """A call that fills an array with what a function draws."""
        lengths, others, shape = lengths_of(size), others_of(node.args), None
        if lengths is None and isinstance(size, cst.Attribute):  # of as many axes as the call tells: one, and a shape
            lengths, shape = [size.with_changes(attr=cst.Name("size"))], size
        if lengths is None or others is None:
            what = "the shape of an array that is drawn is written out" if lengths is None else "`size` takes no index"
            helps = "write its lengths: `size=(n, m)`, `size=len(x)`" if lengths is None else "name the step: `step=t`"
            self.calling.refuse(what, original, "SOMD203", helps)
            return node
        hidden = reached.taken
        keywords = [each.keyword.value for each in others if each.keyword is not None]
        key = (reached, len(lengths), *keywords)
        if key not in self.names:
            filled = filling(reached, hidden, keywords, len(lengths), self.calling.position(original))
            self.names[key] = self.calling.named(filled.__name__, filled)
        arguments = [*lengths, *map(cst.Name, hidden), *(each.value for each in others)]
        made = cst.Call(cst.Name(self.names[key]), [cst.Arg(each) for each in arguments])
        if shape is not None:
            made = cst.Call(cst.Attribute(made, cst.Name("reshape")), [cst.Arg(shape)])
            made = cst.Call(cst.Attribute(made, cst.Name("copy")))  # which is nobody's part
        return self.calling.placed(made, original)


def filling(reached: Reached, hidden: Sequence[str], keywords: Sequence[str], rank: int, place: Position) -> Nested:
    """A function that makes an array of `rank` axes: it takes the lengths, what the function that draws takes besides,
    and the arguments with these keywords."""
    name = reached.frame.function.__name__
    lengths = [f"rows_{axis}" for axis in range(rank)]
    indexes = [f"at__{axis}" for axis in range(rank)]
    index = indexes[0]
    for axis in range(1, rank):
        index = f"({index}) * {lengths[axis]} + {indexes[axis]}"
    given = ", ".join([*hidden, index, *(f"{each}={each}" for each in keywords)])
    dtype = drawn_dtype(reached.frame.function)
    assert dtype is not None
    lines = [f"drawn = empty(({', '.join(lengths)},), dtype={dtype.__name__})"]
    if rank == 1:
        lines = [f"drawn = empty({lengths[0]}, dtype={dtype.__name__})"]
    for axis in range(rank):
        lines.append(f"{'    ' * axis}for {indexes[axis]} in range({lengths[axis]}):")
    lines.append(f"{'    ' * rank}drawn[{', '.join(indexes)}] = {name}({given})")
    body = "\n    ".join([*lines, "return drawn"])
    text = f"def {name}_array({', '.join([*lengths, *hidden, *keywords])}):\n    {body}\n"
    tree = cst.ensure_type(cst.parse_statement(text), cst.FunctionDef)
    positions = dict.fromkeys(nodes_in(tree), place)
    names = {"empty": np.empty, "range": range, dtype.__name__: dtype, name: reached}
    return Nested(tree, reached.frame.function, positions, names, frozenset())
