"""A loop of the loop program -> a C loop whose trips the work-items of a group share out among them."""

from __future__ import annotations

from somd.transforms.emit.c import Statements
from somd.transforms.loops.program import Constant, Loop


def spread(loop: Loop, lane: str, lanes: str, write: Statements) -> None:
    """A loop whose trips the work-items of a group share out among them, one after the other."""
    with write.braces(head(loop, lane, lanes, write)):
        write.loops += 1
        write.block(loop.body)
        write.loops -= 1


def head(loop: Loop, lane: str, lanes: str, write: Statements) -> str:
    """The head of such a loop."""
    assert isinstance(loop.step, Constant)
    step, variable = int(loop.step.value.real), write.scope.text_of(loop.variable.name)
    start, stop = write.value(loop.start), write.value(loop.stop)
    own, by = (lane, lanes) if step == 1 else (f"{lane} * {step}", f"{lanes} * {step}")
    first = own if start.value == 0 else f"{start.loose} + {own}" if start.level > 11 else f"({start.text}) + {own}"
    limit = stop.loose if stop.level > 10 else f"({stop.text})"
    return f"for (long {variable} = {first}; {variable} {'<' if step > 0 else '>'} {limit}; {variable} += {by})"
