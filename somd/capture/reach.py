"""What a call reaches besides its arguments: attributes of objects, captured arrays, and functions found through them.

In: a function and the arguments of a call. Out: a `Reach`: for each dotted name that is read, in the function and in
those it calls, what it stands for. Values that may differ from call to call (`self.alpha`, a global array) are *taken*:
the compiler makes a parameter of each, and every call passes what they are then. Numbers of modules and classes
(`units.G`, `Colour.RED`) and of their tuples are constants of the generated code; `reaching` finds all this.
"""

from __future__ import annotations

import keyword
import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from types import FunctionType
from typing import Any, get_args

import numpy as np

from somd.capture.holders import annotation_in
from somd.capture.lookups import Lookups
from somd.capture.paths import Step

#: where a value comes from: a parameter of the method or a captured name, and the attributes after it
Origin = tuple[str, ...]
#: the steps of a path; of a call where objects are passed, behind them its arguments: position or keyword, and the text
#: of those that are objects, or ""
Key = tuple[Step | tuple[tuple[Step, str], ...], ...]


@dataclass(frozen=True)
class Frame:
    """A function as it is called here: which of its parameters stand for objects, and where those come from."""

    function: FunctionType
    objects: tuple[tuple[str, Origin], ...] = ()
    somd: bool = False


@dataclass(frozen=True)
class Call:
    """A path that stands for a function; `getter` where reading the path is the call (a property)."""

    frame: Frame
    getter: bool


@dataclass(frozen=True)
class Constant:
    """A path that stands for a value which the generated code holds."""

    value: object


@dataclass(frozen=True)
class Refused:
    """A path whose value a method cannot use in that place, what to say, and the ways out."""

    why: str
    instead: tuple[str, ...]


Meaning = Origin | Call | Constant | Refused


@dataclass
class Reach:
    """What the paths of a method, and of the functions it calls, stand for."""

    top: Frame
    meanings: dict[Frame, dict[Key, Meaning]] = field(default_factory=dict)
    values: dict[Origin, Any] = field(default_factory=dict)
    texts: dict[Origin, str] = field(default_factory=dict)
    #: the class, or module, in which an array is looked up: its annotations may carry markers
    holders: dict[Origin, object] = field(default_factory=dict)
    #: for arrays of the numbers of a tuple or list: the Python type of each number, or None for NumPy's own
    kinds: dict[Origin, type | None] = field(default_factory=dict)
    #: every look-up that was made for this
    lookups: Lookups = field(default_factory=Lookups)
    #: what the class of an object, or the module, says of the values taken; filled by `complete`
    annotations: dict[Origin, object] = field(default_factory=dict)
    #: objects that a function makes, by its frame: names, and the first steps of the origins of what is read of them
    made: dict[Frame, dict[str, str]] = field(default_factory=dict)
    #: the attributes that objects which are made have, by the first step of their origins
    owners: dict[str, tuple[str, ...]] = field(default_factory=dict)
    #: whether a call need not look again as long as captured names, and names of captured modules, stand for the same
    fixed: bool = True
    #: whether sums of floats may be rounded and added up in other ways than the text says
    fastmath: bool = False

    def without_values(self) -> Reach:
        """The same for the compiler, which keeps it longer than the caller's arrays should live."""
        return replace(self, values=dict.fromkeys(self.values))

    @property
    def functions(self) -> tuple[FunctionType, ...]:
        """The functions reached, the method's own first."""
        return tuple(dict.fromkeys(frame.function for frame in self.meanings))

    def structure(self) -> tuple[object, ...]:
        """All but the values taken: calls with equal structures and signatures run the same code."""
        found: list[object] = [self.top.objects, self.fastmath]
        for frame, meanings in self.meanings.items():
            for path, meaning in meanings.items():
                if isinstance(meaning, Constant):
                    value = meaning.value
                    same = value if callable(value) or isinstance(value, np.dtype) else repr(value)
                    found.append((frame, path, type(value), same))
                elif isinstance(meaning, tuple):
                    found.append((frame, path, meaning, self.holders.get(meaning), self.kinds.get(meaning, 0)))
                else:
                    found.append((frame, path, meaning))
        return tuple(found)

    def annotation(self, origin: Origin) -> object:
        """What the class of an object, or the module, says of an attribute; None if nothing."""
        return self.annotations.get(origin)

    def complete(self) -> None:
        """Look up all that the compiler may ask for besides: what the texts mention, and annotations."""
        if self.lookups.functions:
            return
        for origin in self.values:
            name = origin[-1].rpartition(" ")[2]
            self.annotations[origin] = annotation_in(self.holders.get(origin), name, self.lookups)
        self.lookups.complete(self.functions)
        for origin in self.values:  # `state: tuple[dist[np.ndarray], float]` says something of the entries
            number = re.fullmatch(r"\[(\d+)\]", origin[-1])
            if number is not None and origin[:-1] in dict(self.top.objects).values():
                stated = get_args(self.lookups.annotation(self.top.function, origin[0]))
                entry = int(number.group(1))
                self.annotations[origin] = stated[entry] if entry < len(stated) else None
        self.lookups.forget_arrays()

    def needs(self, frame: Frame) -> tuple[Origin, ...]:
        """The values that a function and those it calls take, in one order for all."""
        reached = {origin for origin in self._below(frame, set()) if not self.is_made(origin, frame)}
        return tuple(origin for origin in self.values if origin in reached)

    def is_made(self, origin: Origin, frame: Frame) -> bool:
        """Whether a value is read of an object that a function makes."""
        return origin[0] in self.made.get(frame, {}).values()

    def parts(self, frame: Frame, name: str) -> tuple[str, ...]:
        """The variables for the attributes of an object that a function makes."""
        first = self.made[frame][name]
        return tuple(self.names.get((first, part), f"{name}_{part}") for part in self.owners[first])

    @cached_property
    def names(self) -> dict[Origin, str]:
        """The parameter of the generated code for each value taken: `self_grid_dx` for `self.grid.dx`."""
        taken = {*keyword.kwlist}
        for function in self.functions:
            code = function.__code__
            taken.update((*code.co_varnames, *code.co_names, *code.co_freevars))
        own = self._locals
        names: dict[Origin, str] = {}
        for origin in self.values:
            name = re.sub(r"\W+", "_", self.texts[origin].rstrip("])"))
            while (name in taken and (len(origin) > 1 or name in own)) or name in names.values():
                name += "_"
            names[origin] = name
        return names

    @property
    def identifiers(self) -> frozenset[str]:
        """The local names of all functions, with those of the values taken."""
        return self._locals | frozenset(self.names.values())

    @property
    def _locals(self) -> frozenset[str]:
        return frozenset(name for function in self.functions for name in function.__code__.co_varnames)

    def _below(self, frame: Frame, seen: set[Frame]) -> Iterator[Origin]:
        if frame in seen:
            return
        seen.add(frame)
        for meaning in self.meanings.get(frame, {}).values():
            if isinstance(meaning, Call):
                inner = meaning.frame
                yield from (each for each in self._below(inner, seen) if not self.is_made(each, inner))
            elif isinstance(meaning, tuple):
                yield meaning
