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

from collections.abc import Iterator, Sequence

from somd.transforms.emit.declared import read_in
from somd.transforms.loops.program import Assign, Constant, Expression, Loop, Statement, Variable
from somd.transforms.loops.walking import bodies, operands

#: links of a chain that are followed in less than a second
FEW = 14

Setting = tuple[str, Expression, int]


def is_doubling(loop: Loop) -> bool:
    """Whether a loop holds a long chain of what its variable does not change, each link with two uses of the last."""
    settings = list(_settings(loop.body, 1))
    if sum(times for _, _, times in settings) <= FEW:
        return False
    varying = {loop.variable.name}
    before = 0
    while before < len(varying):
        before = len(varying)
        varying |= {name for name, value, _ in settings if read_in(value) & varying}
    names = {name for name, _, _ in settings} - varying
    links = [(name, times) for name, value, times in settings if name in names and _uses(value, names) > 1]
    return sum(times if _of_itself(name, settings) else min(times, 1) for name, times in links) > FEW


def _of_itself(name: str, settings: Sequence[Setting]) -> bool:
    """Whether what a name is set to depends on what it was before, so that each trip of a loop adds a link."""
    needed: set[str] = set()
    new = {name}
    while new:
        new = {read for each, value, _ in settings if each in new for read in read_in(value)} - needed
        needed |= new
    return name in needed


def _settings(body: Sequence[Statement], times: int) -> Iterator[Setting]:
    """The names that are set in `body`, with what they are set to, and how often once the loops in it are unrolled."""
    for node in body:
        if isinstance(node, Assign):
            yield node.target.name, node.value, times
        turns = node.stop.value if isinstance(node, Loop) and isinstance(node.stop, Constant) else 2
        for block in bodies(node):
            yield from _settings(block, times * max(int(turns.real) - 1, 0))


def _uses(node: Expression, names: set[str]) -> int:
    own = isinstance(node, Variable) and node.name in names
    return own + sum(_uses(each, names) for each in operands(node))
