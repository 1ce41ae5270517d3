"""A body with one loop, apart: what stands before it, the condition that it stands behind, the loop, what is behind.

first                                 before   first; if test: x = 0
if test:                              guard    test
    x = 0                      ->     loop     for ...: x += ...
    for ...: x += ...                 behind   if test: y = x; last
    y = x
last
"""

from __future__ import annotations

from dataclasses import replace

from somd.transforms.loops.program import Expression, If, Loop, Statement
from somd.transforms.loops.walking import statements_in

Block = tuple[Statement, ...]


def parts_of(body: Block) -> tuple[Block, Expression | None, Loop, Block] | None:
    """The parts of a body; None where it has no loop, more than one, or one behind two tests."""
    around = [k for k, node in enumerate(body) if any(isinstance(each, Loop) for each in statements_in((node,)))]
    if len(around) != 1:
        return None
    [at] = around
    before, node, behind = body[:at], body[at], body[at + 1 :]
    if isinstance(node, Loop):
        return before, None, node, behind
    if not isinstance(node, If) or node.orelse:
        return None
    parts = parts_of(node.body)
    if parts is None or parts[1] is not None:
        return None
    first, _, loop, last = parts
    before = (*before, replace(node, body=first)) if first else before
    behind = (replace(node, body=last), *behind) if last else behind
    return before, node.test, loop, behind
