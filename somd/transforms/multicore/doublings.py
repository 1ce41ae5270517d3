"""Loops that LLVM shall not try to vectorise: its vectoriser would not end.

    for j in range(i % 2, m, 2):
        s = y[i]
        s ^= s << 13            # each of these uses the number before twice
        ...
        h[i, j] *= s

It asks of each number whether all lanes share it, and asks that of its operands anew for each use: a chain of numbers
that do not change with the loop's variable takes a time that doubles with every link. Without what is proved of the
variable the loop is not vectorised, as Numba leaves it.
"""

from __future__ import annotations

import libcst as cst

from somd.transforms.tree.loops import range_of
from somd.transforms.tree.names import names_read
from somd.transforms.tree.walking import nodes_in

#: links of a chain that are followed in less than a second
FEW = 14


def is_doubling(loop: cst.For) -> bool:
    """Whether a loop holds a long chain of what its variable does not change, each link with two uses of the last."""
    header = range_of(loop)
    if header is None:
        return False
    settings: list[tuple[str, cst.CSTNode, int]] = []
    _collect(loop.body, 1, settings)
    if sum(times for _, _, times in settings) <= FEW:
        return False
    varying = {header.variable}
    before = 0
    while before < len(varying):
        before = len(varying)
        varying |= {name for name, value, _ in settings if names_read(value) & varying}
    names = {name for name, _, _ in settings} - varying
    return sum(times for name, value, times in settings if name in names and _is_twice(value, names)) > FEW


def _collect(body: cst.CSTNode, times: int, found: list[tuple[str, cst.CSTNode, int]]) -> None:
    """The names that are set in `body`, with what they are set to, and how often once the loops in it are unrolled."""
    for node in nodes_in(body):
        if isinstance(node, cst.Assign) and isinstance(node.targets[0].target, cst.Name):
            found.append((node.targets[0].target.value, node.value, times))
        elif isinstance(node, cst.AugAssign) and isinstance(node.target, cst.Name):
            found.append((node.target.value, node, times))
        elif isinstance(node, cst.For) and (header := range_of(node)) is not None:
            stop = header.stop
            turns = stop.evaluated_value if isinstance(stop, cst.Integer) else 1
            _collect(node.body, times * max(turns - 1, 0), found)


def _is_twice(value: cst.CSTNode, names: set[str]) -> bool:
    return sum(isinstance(node, cst.Name) and node.value in names for node in nodes_in(value)) > 1
