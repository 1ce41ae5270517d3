"""What a call reaches besides its arguments: attributes of objects, captured arrays, and functions found through them.

In: a function and the arguments of a call. Out: a `Reach`: for each dotted name that is read, in the function and in
those it calls, what it stands for. Values that may differ from call to call (`self.alpha`, a global array) are *taken*:
the compiler makes a parameter of each, and every call passes what they are then. Numbers of modules and classes
(`units.G`, `Colour.RED`) are constants of the generated code. Nothing of the user's runs here; see `attributes`.
"""

from __future__ import annotations

import enum
import keyword
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from types import BuiltinFunctionType, FunctionType, ModuleType
from typing import Any

import numpy as np

from somd.annotations import annotation_of
from somd.attributes import MISSING, Bound, Computed, NotKnownYet, Unknown, attribute
from somd.diagnostics.model import Diagnostic, Label
from somd.errors import SomdCompileError
from somd.holders import CapturedIn, annotation_in, holder_of
from somd.lookups import Lookups
from somd.paths import Path, class_name_of, parameters_of, paths_of, returned_path
from somd.signatures import Unsupported, describe

#: where a value comes from: a parameter of the method or a captured name, and the attributes after it
Origin = tuple[str, ...]
#: attributes that the compiler knows of arrays
OF_ARRAYS = frozenset(("shape", "size", "ndim", "dtype", "copy", "T"))
_NUMBERS = (bool, int, float, complex)
_PLAIN = (*_NUMBERS, str, bytes, list, tuple, dict, set, frozenset, type(None), np.ndarray, np.generic)
MAX_DEPTH = 16


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


Meaning = Origin | Call | Constant


@dataclass
class Reach:
    """What the paths of a method, and of the functions it calls, stand for."""

    top: Frame
    meanings: dict[Frame, dict[tuple[str, ...], Meaning]] = field(default_factory=dict)
    values: dict[Origin, Any] = field(default_factory=dict)
    texts: dict[Origin, str] = field(default_factory=dict)
    #: the class, or module, in which an array is looked up: its annotations may carry markers
    holders: dict[Origin, object] = field(default_factory=dict)
    #: every look-up that was made for this
    lookups: Lookups = field(default_factory=Lookups)
    #: what the class of an object, or the module, says of the values taken; filled by `complete`
    annotations: dict[Origin, object] = field(default_factory=dict)
    #: whether a call need not look again as long as captured names, and names of captured modules, stand for the same
    fixed: bool = True

    def without_values(self) -> Reach:
        """The same for the compiler, which keeps it longer than the caller's arrays should live."""
        return replace(self, values=dict.fromkeys(self.values))

    @property
    def functions(self) -> tuple[FunctionType, ...]:
        """The functions reached, the method's own first."""
        return tuple(dict.fromkeys(frame.function for frame in self.meanings))

    def structure(self) -> tuple[object, ...]:
        """All but the values taken: calls with equal structures and signatures run the same code."""
        found: list[object] = [self.top.objects]
        for frame, meanings in self.meanings.items():
            for path, meaning in meanings.items():
                if isinstance(meaning, Constant):
                    value = meaning.value
                    same = value if callable(value) or isinstance(value, np.dtype) else repr(value)
                    found.append((frame, path, type(value), same))
                else:
                    found.append((frame, path, meaning, self.holders.get(meaning) if isinstance(meaning, tuple) else 0))
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
        self.lookups.forget_arrays()

    def needs(self, frame: Frame) -> tuple[Origin, ...]:
        """The values that a function and those it calls take, in one order for all."""
        reached = set(self._below(frame, set()))
        return tuple(origin for origin in self.values if origin in reached)

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
            name = self.texts[origin].replace(".", "_")
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
                yield from self._below(meaning.frame, seen)
            elif not isinstance(meaning, Constant):
                yield meaning


def reach(function: FunctionType, arguments: Mapping[str, object]) -> Reach:
    """What a call of `function` with these arguments reaches.

    Raises:
        SomdCompileError: SOMD406, an attribute has a value that a method cannot use, or is computed when it is read.
        AttributeError: an object lacks an attribute, as in plain Python.
        NotKnownYet: arguments are `Unknown`, and it depends on them.
    """
    paths = paths_of(function)
    first = next(iter(parameters_of(function)), None) if class_name_of(function) else None
    return _reach(function, arguments, paths, first)


def object_parameters(function: FunctionType, parameters: Sequence[str]) -> tuple[int, ...]:
    """The positions of the parameters that stand for an object wherever one is given."""
    first = next(iter(parameters_of(function)), None) if class_name_of(function) else None
    paths = paths_of(function)
    return tuple(k for k, name in enumerate(parameters) if _read_as_object(name, first, paths))


def reach_of_source(function: FunctionType, owner: type | None = None) -> Reach:
    """What the text of `function` shows; `owner` is the class that it is a method of, if it is.

    Raises:
        SomdCompileError: SOMD406.
        NotKnownYet: it depends on the objects of a call.
    """
    first = parameters_of(function)[0] if owner is not None and parameters_of(function) else None
    arguments: dict[str, object] = {}
    for name in parameters_of(function):
        kind = annotation_of(function, name)
        arguments[name] = Unknown(owner if name == first else kind if isinstance(kind, type) else None)
    return _reach(function, arguments, paths_of(function), first)


def _reach(
    function: FunctionType, arguments: Mapping[str, object], paths: tuple[Path, ...], first: str | None
) -> Reach:
    objects = tuple(
        (name, (name,)) for name, value in arguments.items() if is_object(value) and _read_as_object(name, first, paths)
    )
    walk = _Walk(Reach(Frame(function, objects)), {(name,): arguments[name] for name, _ in objects})
    for name, origin in objects:
        walk.reach.texts[origin] = name
    walk.visit(walk.reach.top, 0)
    _check_prefixes(walk.reach)
    return walk.reach


def _check_prefixes(found: Reach) -> None:
    """An object that is not at hand cannot be both an array and the holder of attributes."""
    for origin, value in found.values.items():
        if isinstance(value, Unknown) and any(o != origin and o[: len(origin)] == origin for o in found.values):
            raise NotKnownYet(found.texts[origin])


def is_object(value: object) -> bool:
    """Whether attributes of a value are read for it; numbers, arrays and Python's own containers are no objects."""
    return not isinstance(value, _PLAIN) or isinstance(value, enum.Enum)


def _read_as_object(name: str, first: str | None, paths: tuple[Path, ...]) -> bool:
    return name == first or any(p.root == name and p.attributes and p.attributes[0] not in OF_ARRAYS for p in paths)


class _Walk:
    def __init__(self, found: Reach, objects: dict[Origin, object]) -> None:
        self.reach = found
        self.objects = objects

    def visit(self, frame: Frame, depth: int) -> None:
        if frame in self.reach.meanings or depth > MAX_DEPTH:
            return
        meanings = self.reach.meanings[frame] = {}
        bindings = dict(frame.objects)
        own = set(parameters_of(frame.function))
        for path in paths_of(frame.function):
            if path.root in bindings:
                origin = bindings[path.root]
                self.follow(frame, path, 0, origin, self.objects[origin], meanings, depth)
            elif path.root not in own:
                self.captured(frame, path, meanings, depth)

    def captured(self, frame: Frame, path: Path, meanings: dict[tuple[str, ...], Meaning], depth: int) -> None:
        value, token = self.reach.lookups.name(frame.function, path.root)
        if value is MISSING or _known(value):
            return
        origin = (token,)
        self.reach.texts.setdefault(origin, path.root)
        if isinstance(value, np.ndarray):
            self.take(origin, value, CapturedIn(frame.function.__globals__), (path.root,), meanings, path)
        elif path.called and not path.attributes:
            found = attribute_of_name(value)
            if isinstance(found, Bound):
                self.call(frame, path, 0, origin, None, found, meanings, depth)
        elif path.attributes and is_object(value):
            self.follow(frame, path, 0, origin, value, meanings, depth)

    def follow(
        self,
        frame: Frame,
        path: Path,
        start: int,
        origin: Origin,
        value: object,
        meanings: dict[tuple[str, ...], Meaning],
        depth: int,
    ) -> None:
        """Read attributes until a value, or a function, is met."""
        captured = origin[0] not in dict(self.reach.top.objects)
        kind: type | None = None  # the class that the last attribute, of an object not at hand, was read from
        for k in range(start, len(path.attributes)):
            holder, name = value, path.attributes[k]
            if not captured or k > 0 or not isinstance(holder, ModuleType):
                self.reach.fixed = False
            if isinstance(holder, Unknown) and k == len(path.attributes) - 1 and name in OF_ARRAYS and k > 0:
                return self.take(origin, holder, kind, (path.root, *path.attributes[:k]), meanings, path)
            kind = holder.owner if isinstance(holder, Unknown) else None
            value = self.reach.lookups.attribute(holder, name)
            if isinstance(value, Bound):
                self.call(frame, path, k + 1, origin, holder, value, meanings, depth)
                return None
            text = f"{self.reach.texts[origin]}.{name}"
            if value is MISSING:
                if captured and isinstance(holder, ModuleType):
                    return None
                raise AttributeError(
                    f"{type(holder).__name__!r} object has no attribute {name!r}", name=name, obj=holder
                )
            if isinstance(value, Computed):
                raise _refused(path, f"`{text}` is {value.why}")
            if captured and _known(value):
                return None
            origin = (*origin, name)
            self.reach.texts[origin] = text
            if isinstance(value, enum.IntEnum):
                value = int(value)
                holder = enum
            if self.settled(path, k + 1, origin, holder, value, captured, meanings):
                return None
        return self.end(path, origin, value, kind, captured, meanings)

    def settled(
        self,
        path: Path,
        end: int,
        origin: Origin,
        holder: object,
        value: object,
        captured: bool,
        meanings: dict[tuple[str, ...], Meaning],
    ) -> bool:
        """Whether a value that the compiler can use has been reached."""
        here = (path.root, *path.attributes[:end])
        if isinstance(value, np.ndarray):
            self.take(origin, value, holder_of(holder), here, meanings, path)
        elif type(value) in _NUMBERS or isinstance(value, np.generic):
            if holder is enum or (captured and isinstance(holder, ModuleType | type)):
                meanings[here] = Constant(value)
            else:
                self.take(origin, value, None, here, meanings, path)
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
        meanings: dict[tuple[str, ...], Meaning],
    ) -> None:
        """The path ends in something that is no number and no array."""
        if not path.attributes or captured:
            return
        if isinstance(value, Unknown):
            if path.called:
                raise NotKnownYet(str(path))
            self.take(origin, value, kind, (path.root, *path.attributes), meanings, path)
            return
        raise _refused(path, f"`{self.reach.texts[origin]}` is a value of type `{type(value).__name__}`")

    def take(
        self,
        origin: Origin,
        value: object,
        holder: object,
        path: tuple[str, ...],
        meanings: dict[tuple[str, ...], Meaning],
        place: Path,
    ) -> None:
        if not isinstance(value, Unknown):
            self.check(origin, value, place)
        meanings[path] = origin
        self.reach.fixed = False
        self.reach.values.setdefault(origin, value)
        self.reach.holders.setdefault(origin, holder)

    def check(self, origin: Origin, value: object, path: Path) -> None:
        """Refuse what is no argument of a method either."""
        try:
            describe(value)
        except Unsupported as what:
            raise _refused(path, f"`{self.reach.texts[origin]}` is {what}") from None

    def call(
        self,
        frame: Frame,
        path: Path,
        end: int,
        origin: Origin,
        holder: object,
        found: Bound,
        meanings: dict[tuple[str, ...], Meaning],
        depth: int,
    ) -> None:
        """A path that stands for a function: what that one reaches belongs to the call too."""
        function = found.function
        if _known_name(function.__module__) or (not found.getter and end < len(path.attributes)):
            return
        objects: tuple[tuple[str, Origin], ...] = ()
        if found.receiver is not None:
            parameters = parameters_of(function)
            if not parameters:
                return
            receiver: object = holder
            if found.receiver == "class" and not isinstance(holder, type):
                receiver = Unknown(holder.owner) if isinstance(holder, Unknown) else type(holder)
                origin = (*origin, "__class__")
                self.reach.texts[origin] = type(holder).__name__
            self.objects[origin] = receiver
            objects = ((parameters[0], origin),)
        target = returned_path(function) if found.getter else None
        same = target is not None and bool(objects) and target.root == objects[0][0]
        if same and target is not None and self.alias(path, end, origin, holder, target, meanings, frame, depth):
            return
        inner = Frame(function, objects, found.somd)
        if found.getter and end < len(path.attributes) and path.attributes[end] not in OF_ARRAYS:
            raise _refused(path, f"`{path}` is read from what a property returns")
        self.visit(inner, depth + 1)
        captured = origin[0] not in dict(self.reach.top.objects)
        if objects or self.reach.meanings.get(inner) or not captured:
            meanings[(path.root, *path.attributes[:end])] = Call(inner, found.getter)

    def alias(
        self,
        path: Path,
        end: int,
        origin: Origin,
        holder: object,
        target: Path,
        meanings: dict[tuple[str, ...], Meaning],
        frame: Frame,
        depth: int,
    ) -> bool:
        """A property that returns another attribute: what is read is that one."""
        if depth > MAX_DEPTH:
            return False
        whole = Path(path.root, (*target.attributes, *path.attributes[end:]), path.called, path.position)
        inner: dict[tuple[str, ...], Meaning] = {}
        self.follow(frame, whole, 0, origin, holder, inner, depth + 1)
        beyond = {key: len(key) - 1 - len(target.attributes) for key in inner}
        if any(count < 0 for count in beyond.values()):
            return False
        for key, meaning in inner.items():
            meanings[(path.root, *path.attributes[: end + beyond[key]])] = meaning
        return True


def attribute_of_name(value: object) -> object:
    """A captured function as `Bound`; anything else as it is."""
    holder = ModuleType("captured")
    holder.__dict__["value"] = value
    return attribute(holder, "value")


def _of_a_library(value: object) -> bool:
    """Whether a value is a function that the compiler may know: Python's own, `math`'s or NumPy's."""
    return isinstance(value, BuiltinFunctionType) or (
        callable(value) and type(value).__module__.partition(".")[0] == "numpy"
    )


def _known(value: object) -> bool:
    return isinstance(value, ModuleType) and _known_name(value.__name__)


def _known_name(name: str | None) -> bool:
    return (name or "").partition(".")[0] in ("numpy", "math", "somd")


def _refused(path: Path, message: str) -> SomdCompileError:
    labels = (Label(path.position, "read here", True),) if path.position is not None else ()
    helps = ("a method takes numbers, and NumPy arrays of numbers, from objects and from outside",)
    return SomdCompileError((Diagnostic("SOMD406", message, labels, helps),))
