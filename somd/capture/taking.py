"""Values that a method takes from what its paths stand for: numbers, arrays, and the entries of tuples and lists.

In: a path that has been followed, and the value there. Out: its meaning in a `Reach`. Following is for `reaching`.
"""

from __future__ import annotations

import enum
from types import BuiltinFunctionType, ModuleType
from typing import Any

import numpy as np

from somd.arguments.instead import instead_of
from somd.arguments.signatures import Unsupported, describe
from somd.capture.attributes import NotKnownYet, Unknown, there
from somd.capture.holders import holder_of
from somd.capture.objects import NUMBERS, is_chosen
from somd.capture.paths import FOLDS, Path, Step, text_of
from somd.capture.reach import Constant, Key, Meaning, Origin, Reach, Refused
from somd.capture.sequences import Numbers, Uneven, counts, entry, folded, is_sequence, is_static, numbers_of

#: the steps that ask for something of a whole sequence, and the function of each
FOLDED: dict[Step, str] = {f"{name}()": name for name in FOLDS}
_COUNT = ("give as many names as it has entries",)


class Taking:
    """What has been found of a call, and how values enter it."""

    def __init__(self, found: Reach, objects: dict[Origin, object]) -> None:
        self.reach = found
        self.objects = objects
        #: what no call finds changed as long as captured names stand for the same: tuples, and what is in them
        self.steady: set[Origin] = set()

    def entry(
        self, path: Path, k: int, origin: Origin, holder: Any, meanings: dict[Key, Meaning]
    ) -> tuple[Origin, object] | None:
        """The entry of a sequence that a step reads, or what it comes to as a whole; None where the array of its
        numbers, or nothing, stands for it."""
        step, text = path.attributes[k], self.reach.texts[origin]
        here = (path.root, *path.attributes[: k + 1])
        self.reach.lookups.followed(holder)
        try:
            if isinstance(step, int):
                value = there(entry(holder, step))
                number = step + len(holder) if step < 0 else step
                origin, text = (*origin, f"[{number}]"), f"{text}[{number}]"
            elif step == "len()":
                if not is_static(holder) and self.array(holder) is not None:
                    self.whole(path, k, origin, holder, meanings)
                    return None
                value = len(holder)
                meanings[here] = Constant(value)
                return None
            elif "=" in step:
                counted = counts(step, holder)
                meanings[here] = Constant(True) if counted is None else Refused(f"`{text}` {counted}", _COUNT)
                return None
            else:
                value = folded(FOLDED[step], holder)
                origin, text = (*origin, str(step)), text_of((text, step))
        except IndexError:
            if isinstance(step, int) and self.array(holder) is not None:
                self.whole(path, k, origin, holder, meanings)  # Python's IndexError comes when it is read
            else:
                count = f"has {len(holder)} {'entry' if len(holder) == 1 else 'entries'}, and no `[{step}]`"
                meanings[here] = Refused(f"`{text}` {count}", ("index it with a number that it has",))
            return None
        except Uneven as what:
            meanings[here] = Refused(f"`{text}` {what}", (what.instead,))
            return None
        self.reach.texts[origin] = text
        return origin, value

    def array(self, value: Any) -> Numbers | None:
        """The array of the numbers of a sequence, if there is one."""
        try:
            return numbers_of(value)
        except Uneven:
            return None

    def whole(self, path: Path, k: int, origin: Origin, value: Any, meanings: dict[Key, Meaning]) -> None:
        """A sequence that is read by other numbers than constants: an array of its numbers is passed."""
        here = (path.root, *path.attributes[:k])
        self.reach.lookups.followed(value)
        try:
            numbers = numbers_of(value)
        except Uneven as what:
            meanings[here] = Refused(f"`{self.reach.texts[origin]}` {what}", (what.instead,))
            return
        self.take(origin, numbers.array, None, here, meanings)
        self.reach.kinds[origin] = numbers.kind

    def settled(
        self,
        path: Path,
        end: int,
        origin: Origin,
        holder: object,
        value: object,
        captured: bool,
        meanings: dict[Key, Meaning],
    ) -> bool:
        """Whether a value that the compiler can use has been reached."""
        here = (path.root, *path.attributes[:end])
        if isinstance(value, np.ndarray):
            self.take(origin, value, holder_of(holder), here, meanings)
        elif type(value) in NUMBERS or isinstance(value, np.generic):
            if holder is enum or origin in self.steady or (captured and isinstance(holder, ModuleType | type)):
                meanings[here] = Constant(value)
            else:
                self.take(origin, value, None, here, meanings)
        elif (
            isinstance(value, np.dtype)
            or (isinstance(value, type) and issubclass(value, np.generic | bool | int | float | complex))
            or (_of_a_library(value) and not (captured and isinstance(holder, ModuleType)))
        ):
            meanings[here] = Constant(value)
        else:
            return False
        return True

    def end(
        self,
        path: Path,
        origin: Origin,
        value: object,
        kind: type | None,
        captured: bool,
        meanings: dict[Key, Meaning],
    ) -> None:
        """The path ends in something that is no number and no array."""
        if value is None or is_chosen(value):
            meanings[(path.root, *path.attributes)] = Constant(value)
            return
        if path.tested:
            return
        if is_sequence(value) and not path.called:
            self.whole(path, len(path.attributes), origin, value, meanings)
            return
        if any(not isinstance(step, str) for step in path.attributes):
            why = f"`{self.reach.texts[origin]}` is a value of type `{type(value).__name__}`"
            meanings[(path.root, *path.attributes)] = Refused(why, ("a method takes numbers, and arrays of numbers",))
            return
        if not path.attributes or captured:
            return
        if isinstance(value, Unknown):
            if path.called:
                raise NotKnownYet(str(path))
            self.take(origin, value, kind, (path.root, *path.attributes), meanings)
            return
        message = f"`{self.reach.texts[origin]}` is a value of type `{type(value).__name__}`"
        meanings[(path.root, *path.attributes)] = refused(message, instead_of(value))

    def take(
        self,
        origin: Origin,
        value: object,
        holder: object,
        path: Key,
        meanings: dict[Key, Meaning],
    ) -> None:
        """A parameter for a value; refused is what is no argument of a method either."""
        self.reach.fixed = False
        try:
            if not isinstance(value, Unknown):
                describe(value)
        except Unsupported as what:
            meanings[path] = refused(f"`{self.reach.texts[origin]}` is {what}")
            return
        meanings[path] = origin
        self.reach.values.setdefault(origin, value)
        self.reach.holders.setdefault(origin, holder)


def _of_a_library(value: object) -> bool:
    """Whether a value is a function that the compiler may know: Python's own, `math`'s or NumPy's."""
    return isinstance(value, BuiltinFunctionType) or (
        callable(value) and type(value).__module__.partition(".")[0] == "numpy"
    )


def refused(message: str, *instead: str) -> Refused:
    """What SOMD406 says of a path; `instead` are the ways out, if there are some that fit better than the rule."""
    rule = "a method takes numbers, and NumPy arrays of numbers, from objects and from outside"
    return Refused(message, tuple(filter(None, instead)) or (rule,))
