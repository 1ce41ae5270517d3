"""What a slave needs to print free loops of the program that are none of the plan's, and strips of them."""

from __future__ import annotations

from collections.abc import Sequence

import libcst as cst

from somd.transforms.emit.python_expressions import Scope
from somd.transforms.emit.python_text import numpy_name
from somd.transforms.loops.program import Constant, Lanes, Loop, Strips, Tile
from somd.transforms.loops.walking import statements_in
from somd.transforms.stages import Dim
from somd.transforms.tree.verbatim import verbatim


def free_dim(loop: Loop, scope: Scope) -> Dim:
    """A free loop as the plan has those that it distributes; its limits are those of the program."""
    name = scope.name(loop.variable.name)
    node = cst.ensure_type(cst.parse_statement(f"for {name} in {name}:\n    pass\n"), cst.For)
    above = [cst.EmptyLine(comment=cst.Comment(each)) for each in loop.origin.comments]
    assert isinstance(loop.step, Constant)
    step = int(loop.step.value.real)
    return Dim(node.with_changes(leading_lines=above), name, node.iter, node.iter, step, False, "", "")


def lane_arrays(written: Sequence[Strips | Tile], length: str, scope: Scope) -> list[cst.BaseStatement]:
    """The arrays that keep scalars for each lane."""
    kept = {
        variable.name: variable.type.dtype
        for each in written
        for node in statements_in(each.body)
        if isinstance(node, Lanes)
        for variable in (*node.loaded, *node.stored)
    }
    texts = {scope.kept(name): f"lane_array({length}, np.{numpy_name(dtype)})" for name, dtype in kept.items()}
    return verbatim(*(f"{name} = {texts[name]}" for name in sorted(texts)))
