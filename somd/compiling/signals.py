"""Signals that wait while compilers work, Ctrl-C first of all.

Python runs the handler of a signal between any two steps of the main thread. What the handler raises is lost where that
is a callback of LLVM's or the end of an object, and ends a compiler in the middle of a step anywhere else. So while the
main thread compiles, the handlers of Python's are exchanged for one that notes what came. They are called where the
compilers can be left (`answer`), and at the end at the latest, each as if the signal had just come: one that raises
ends the call, and one that returns changes nothing. Other threads are not disturbed by signals, and need none of this.
"""

from __future__ import annotations

import contextlib
import os
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

Handler = Callable[[int, FrameType | None], Any]


class _Waiting:
    """The handlers that were exchanged, and what came since, in order; a signal that waits already comes once, as it
    does in the system."""

    def __init__(self) -> None:
        self.thread = threading.get_ident()
        self.handlers: dict[int, Handler] = {}
        self.came: dict[int, FrameType | None] = {}
        self.noting: Handler = self.note  # one object, to be known again

    def note(self, number: int, frame: FrameType | None) -> None:
        self.came.setdefault(number, frame)

    def exchange(self) -> None:
        for number in sorted(signal.valid_signals()):
            handler = signal.getsignal(number)
            if callable(handler):
                self.handlers[number] = handler
                signal.signal(number, self.noting)

    def restore(self) -> None:
        """Give back what was exchanged, and nobody has set since; SIGINT last, for what it raises ends this."""
        for number in sorted(self.handlers, key=lambda number: number == signal.SIGINT):
            if signal.getsignal(number) is self.noting:
                signal.signal(number, self.handlers[number])

    def answer(self) -> None:
        """Call the handlers of what came; all of them, whatever the first ones raise."""
        raised: BaseException | None = None
        while self.came:
            number = next(iter(self.came))
            frame = self.came.pop(number)
            try:
                self.handlers[number](number, frame)
            except BaseException as error:
                raised = error
        if raised is not None:
            raise raised


class _Left(BaseException):
    """A handler has raised: compilers are left. No `Exception`, for libraries handle those that pass through them."""

    def __init__(self, error: BaseException) -> None:
        super().__init__(error)
        self.error = error


_waiting: _Waiting | None = None


@contextmanager
def signals_wait() -> Iterator[None]:
    """A block in which no handler of a signal runs but where `answer` is called, and at its end.

    Raises:
        BaseException: what a handler raises, `KeyboardInterrupt` above all.
    """
    global _waiting
    if _waiting is not None or threading.current_thread() is not threading.main_thread():
        yield
        return
    made, left = _Waiting(), None
    try:
        try:
            with contextlib.suppress(ValueError):  # of an interpreter that is not the main one, and gets no signals
                made.exchange()
            _waiting = made
            yield
        except _Left as leaving:
            left = leaving.error
        finally:
            _waiting = None
            made.restore()
    finally:
        made.answer()
    if left is not None:
        raise left from left.__cause__


def answer() -> None:
    """Run the handlers of signals that wait: called where a compiler can be left."""
    waiting = _waiting
    if waiting is None or not waiting.came or waiting.thread != threading.get_ident():
        return
    try:
        waiting.answer()
    except BaseException as error:
        raise _Left(error) from None


def _in_child() -> None:
    """A process forked by another thread meanwhile compiles nothing."""
    global _waiting
    waiting, _waiting = _waiting, None
    if waiting is not None:
        waiting.restore()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_in_child)
