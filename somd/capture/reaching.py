"""Finding what a call reaches besides its arguments: see `reach`.

In: a function and the arguments of a call. Out: a `Reach`. Objects, tuples, lists and None are no arguments of
generated code: what is read of them is followed step by step, through the functions that they are passed to as well.
Nothing of the user's runs here; see `attributes`.
"""

from __future__ import annotations

import ast
import builtins
import enum
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from types import FunctionType, ModuleType

import numpy as np

from somd.arguments.instead import drawn, is_random
from somd.capture.annotations import annotation_of
from somd.capture.attributes import MISSING, Bound, Computed, NotKnownYet, Unknown, attribute, is_tuple_field, there
from somd.capture.holders import CapturedIn
from somd.capture.objects import (
    PARTS,
    attribute_of_objects,
    declared_array,
    declared_sequence,
    defaults_of,
    distributed,
    is_chosen,
    is_known,
    is_object,
    named,
    read_as_object,
    read_of_array,
    value_given,
)
from somd.capture.paths import (
    NUMBER,
    Path,
    Step,
    assigned_names,
    class_name_of,
    made_objects,
    parameters_of,
    paths_of,
    returned_path,
    text_of,
)
from somd.capture.reach import Call, Constant, Frame, Key, Meaning, Origin, Reach
from somd.capture.sequences import entry, is_sequence, names_given
from somd.capture.taking import FOLDED, Taking, refused
from somd.language.drawing import INDEX, SIZE, drawn_dtype, parts_given

MAX_DEPTH = 16
NOT_GIVEN = Path("", ("not given",))
#: arguments of a call that stand for objects: position or keyword, and text
Bindings = tuple[tuple[Step, str], ...]


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
    return tuple(k for k, name in enumerate(parameters) if read_as_object(name, first, paths))


def reach_of_source(
    function: FunctionType, owner: type | None = None, arrays: Collection[str] = (), pairs: bool = False
) -> Reach:
    """What the text of `function` shows; `owner` is the class that it is a method of, if it is, and `arrays` are
    parameters that are known to be arrays. With `pairs` a parameter that is unpacked is taken for a tuple of floats.

    Raises:
        SomdCompileError: SOMD406.
        NotKnownYet: it depends on the objects of a call.
    """
    first = parameters_of(function)[0] if owner is not None and parameters_of(function) else None
    arguments: dict[str, object] = {}
    paths = paths_of(function)
    for name in parameters_of(function):
        kind = value_given(annotation_of(function, name))
        whole = any(p.root == name and not p.tested and not named(p) for p in paths)
        apart = {str(p.attributes[0]) for p in paths if p.root == name and p.attributes and "=" in str(p.attributes[0])}
        has_parts = any(p.root == name and p.attributes and p.attributes[0] in PARTS for p in paths)
        given = any(path == Path(name, ()) for p in paths for _, path in p.arguments)
        whole = whole or (has_parts and (given or name in assigned_names(function)))
        if name in arrays:
            arguments[name] = np.empty(0)
            continue
        default = defaults_of(function).get(name)
        if is_chosen(default):
            arguments[name] = default
            continue
        if any(p.root == name and p.text for p in paths):
            raise NotKnownYet(name)
        used = {type(step) for p in paths if p.root == name for step in (p.attributes or (None,))[:1]}
        if pairs and len(apart) == 1 and min(apart).startswith("entries") and used <= {int, str}:
            arguments[name] = (0.0,) * names_given(min(apart))
            continue
        if apart or (whole and (has_parts or declared_sequence(kind))):
            raise NotKnownYet(name)
        if name != first and (distributed(function, name) or declared_array(kind)):
            arguments[name] = np.empty(0)  # `a.sum()` is no attribute of an object
        else:
            arguments[name] = Unknown(owner if name == first else kind if isinstance(kind, type) else None)
    return _reach(function, arguments, paths, first)


def _reach(
    function: FunctionType, arguments: Mapping[str, object], paths: tuple[Path, ...], first: str | None
) -> Reach:
    objects = tuple(
        (name, (name,))
        for name, value in arguments.items()
        if (is_object(value) and read_as_object(name, first, paths))
        or value is None
        or ((is_sequence(value) or is_chosen(value)) and not distributed(function, name))
    )
    walk = _Walk(Reach(Frame(function, objects)), {(name,): arguments[name] for name, _ in objects})
    for name, origin in objects:
        walk.reach.texts[origin] = name
    walk.unknown = any(isinstance(value, Unknown) for value in arguments.values())
    walk.visit(walk.reach.top, 0)
    for path in paths:
        number = isinstance(arguments.get(path.root), np.generic | bool | int | float | complex)
        if path.text and number and not path.attributes:
            walk.reach.meanings[walk.reach.top][path.root, NUMBER] = Constant(True)
            walk.reach.fixed = False
    _check_prefixes(walk.reach)
    return walk.reach


def _check_prefixes(found: Reach) -> None:
    """An object that is not at hand cannot be both an array and the holder of attributes."""
    for origin, value in found.values.items():
        if isinstance(value, Unknown) and any(o != origin and o[: len(origin)] == origin for o in found.values):
            raise NotKnownYet(found.texts[origin])


class _Walk(Taking):
    #: whether arguments are known by the text alone
    unknown = False

    def visit(self, frame: Frame, depth: int) -> None:
        if frame in self.reach.meanings or depth > MAX_DEPTH:
            return
        self.reach.meanings[frame] = {}
        for path in paths_of(frame.function):
            if path.attributes and path.attributes[-1] in FOLDED and not self.python_s_own(frame, path):
                path = replace(path, attributes=path.attributes[:-1])
            self.one(frame, path, depth)

    def one(self, frame: Frame, path: Path, depth: int) -> None:
        """A path of a function, and those among the arguments of a call that are passed on as they are."""
        bindings, meanings = dict(frame.objects), self.reach.meanings[frame]
        bound: Bindings = ()
        if path.root in bindings:
            origin = bindings[path.root]
            bound = self.follow(frame, path, 0, origin, self.objects[origin], meanings, depth)
        elif path.root in made_objects(frame.function):
            made = self.made(frame, path.root)
            if made is not None and path.attributes:
                bound = self.follow(frame, path, 0, made, self.objects[made], meanings, depth)
        elif path.root not in parameters_of(frame.function):
            bound = self.captured(frame, path, meanings, depth)
        for key, argument in path.arguments:
            if argument is not None and key not in dict(bound):
                self.one(frame, argument, depth)

    def made(self, frame: Frame, name: str) -> Origin | None:
        """The origin of a local that is an object which a method gives; None if it is none."""
        known = self.reach.made.setdefault(frame, {})
        if name not in known:
            called = made_objects(frame.function)[name]
            found = self.object_at(frame, replace(called, attributes=called.attributes[:-1]))
            owner = None if found is None else found[1].owner if isinstance(found[1], Unknown) else type(found[1])
            method = attribute(Unknown(owner), str(called.attributes[-1])) if isinstance(owner, type) else None
            parts = parts_given(method.function) if isinstance(method, Bound) else None
            if parts is None:
                return None
            known[name] = f"{name} of {len(self.reach.made)}"
            self.reach.owners[known[name]] = parts.names
            self.objects[known[name],] = Unknown(owner)
            self.reach.texts[known[name],] = name
        return (known[name],)

    def is_captured(self, origin: Origin) -> bool:
        """Whether a value comes from outside of the method and its arguments."""
        made = any(origin[0] in names.values() for names in self.reach.made.values())
        return origin[0] not in dict(self.reach.top.objects) and not made

    def python_s_own(self, frame: Frame, path: Path) -> bool:
        """Whether the function of a whole sequence that a path ends in is Python's."""
        name = FOLDED[path.attributes[-1]]
        return self.reach.lookups.any_name(frame.function, name) is vars(builtins)[name]

    def captured(self, frame: Frame, path: Path, meanings: dict[Key, Meaning], depth: int) -> Bindings:
        value, token = self.reach.lookups.name(frame.function, path.root)
        if value is MISSING or _known(value):
            return ()
        origin = (token,)
        self.steady.add(origin)
        self.reach.texts.setdefault(origin, path.root)
        if isinstance(value, np.ndarray):
            self.take(origin, value, CapturedIn(frame.function.__globals__), (path.root,), meanings)
        elif path.called and not path.attributes:
            found = attribute_of_name(value)
            if isinstance(found, Bound):
                return self.call(frame, path, 0, origin, None, found, meanings, depth)
        elif is_sequence(value) or (path.attributes and is_object(value)):
            return self.follow(frame, path, 0, origin, value, meanings, depth)
        return ()

    def follow(
        self,
        frame: Frame,
        path: Path,
        start: int,
        origin: Origin,
        value: object,
        meanings: dict[Key, Meaning],
        depth: int,
    ) -> Bindings:
        """Read attributes and entries until a value, or a function, is met."""
        captured = self.is_captured(origin)
        kind: type | None = None  # the class that the last attribute, of an object not at hand, was read from
        for k in range(start, len(path.attributes)):
            holder, step = value, path.attributes[k]
            here = (path.root, *path.attributes[:k])
            inside = is_sequence(holder) and (not isinstance(step, str) or step.endswith("()"))
            steady = origin in self.steady and isinstance(holder, ModuleType | type | tuple)
            kept = isinstance(holder, tuple) or (isinstance(holder, ModuleType) and k == 0)
            if not (captured and steady and kept):
                self.reach.fixed = False
            if holder is None or is_chosen(holder):
                meanings[here] = Constant(holder)
                return ()
            if isinstance(holder, Unknown) and read_of_array(path.attributes[k:]):
                if k > 0:
                    self.take(origin, holder, kind, here, meanings)
                    return ()
                if isinstance(step, int) or step.endswith("()"):
                    raise NotKnownYet(text_of(here))
            kind = holder.owner if isinstance(holder, Unknown) else None
            if inside:
                found = self.entry(path, k, origin, holder, meanings)
                if found is None:
                    return ()
                origin, value = found
            elif isinstance(step, str) and not step.endswith("()"):
                value = self.reach.lookups.attribute(holder, step)
                if isinstance(value, Bound):
                    return self.call(frame, path, k + 1, origin, holder, value, meanings, depth)
                text = f"{self.reach.texts[origin]}.{step}"
                if value is MISSING:
                    if captured and isinstance(holder, ModuleType):
                        return ()
                    raise AttributeError(
                        f"{type(holder).__name__!r} object has no attribute {step!r}", name=step, obj=holder
                    )
                if isinstance(value, Computed):
                    meanings[(*here, step)] = refused(f"`{text}` is {value.why}")
                    if is_random(holder):
                        message = f"`{text}` draws random numbers, which a method cannot"
                        meanings[(*here, step)] = refused(message, *drawn(step))
                    return ()
                if captured and _known(value):
                    return ()
                steady = steady and (not isinstance(holder, tuple) or is_tuple_field(holder, step))
                origin = (*origin, step)
                self.reach.texts[origin] = text
            else:
                break
            if steady:
                self.steady.add(origin)
            if isinstance(value, enum.IntEnum):
                value = int(value)
                holder = enum
            if self.settled(path, k + 1, origin, holder, value, captured, meanings):
                return ()
        self.end(path, origin, value, kind, captured, meanings)
        return ()

    def call(
        self,
        frame: Frame,
        path: Path,
        end: int,
        origin: Origin,
        holder: object,
        found: Bound,
        meanings: dict[Key, Meaning],
        depth: int,
    ) -> Bindings:
        """A path that stands for a function: what that one reaches belongs to the call too.

        Its arguments that stand for objects are given back.
        """
        parts = parts_given(found.function)
        function = found.function if parts is None else parts.values
        if is_known(function.__module__) or (not found.getter and end < len(path.attributes)):
            return ()
        objects: tuple[tuple[str, Origin], ...] = ()
        if found.receiver is not None:
            parameters = parameters_of(function)
            if not parameters:
                return ()
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
            return ()
        if found.getter and end < len(path.attributes) and attribute_of_objects(path.attributes[end]):
            meanings[(path.root, *path.attributes)] = refused(f"`{path}` is read from what a property returns")
            return ()
        bound: Bindings = ()
        passed: tuple[tuple[str, Origin], ...] = ()
        if path.called and not found.getter:
            bound, passed = self.bound(frame, path, function, len(objects))
            objects += passed
        inner = Frame(function, objects, found.somd)
        self.visit(inner, depth + 1)
        captured = self.is_captured(origin)
        if objects or self.reach.meanings.get(inner) or not captured:
            site = (tuple((key, dict(bound).get(key, "")) for key, _ in path.arguments),) if passed else ()
            meanings[(path.root, *path.attributes[:end], *site)] = Call(inner, found.getter)
        return bound

    def bound(
        self, frame: Frame, path: Path, function: FunctionType, first: int
    ) -> tuple[Bindings, tuple[tuple[str, Origin], ...]]:
        """The arguments of a call that stand for objects, tuples, lists or None, and the parameters that they are given
        to, with the origin of each; `first` is the number of its first parameter."""
        parameters, paths = parameters_of(function), paths_of(function)
        bound: list[tuple[Step, str]] = []
        objects: list[tuple[str, Origin]] = []
        sized = drawn_dtype(function) is not None and is_sized(path)
        given = {INDEX} if sized else set[str]()
        for key, argument in path.arguments:
            if sized and key == SIZE:  # the front end draws each element
                continue
            name = key if isinstance(key, str) else next(iter(parameters[first + key : first + key + 1]), "")
            given.add(name)
            found = None if argument is None or name not in parameters else self.object_at(frame, argument)
            if found is None and self.unknown and any(p.text and p.root == name for p in paths):
                raise NotKnownYet(name)
            if found is None or argument is None:
                continue
            origin, value = found
            plain = value is None or is_chosen(value) or is_sequence(value)
            if plain or (not callable(value) and is_object(value) and read_as_object(name, None, paths)):
                self.objects[origin] = value
                bound.append((key, str(argument)))
                objects.append((name, origin))
        for name, value in defaults_of(function).items():
            plain = value is None or is_chosen(value) or is_sequence(value)
            if name not in given and name in parameters[first:] and plain:
                origin = (f"default {id(function)} {name}",)
                self.objects[origin] = value
                self.reach.texts[origin] = name
                self.steady.add(origin)
                objects.append((name, origin))
        return tuple(bound), tuple(objects)

    def object_at(self, frame: Frame, path: Path) -> tuple[Origin, object] | None:
        """The origin and value of an argument, where it is read from an object or captured, step by step."""
        bindings = dict(frame.objects)
        value: object = None
        if path.root == "None" or path.root[:1] in ("'", '"'):
            origin: Origin = (path.root,)
            value = ast.literal_eval(path.root)
            self.reach.texts[origin] = path.root
            self.steady.add(origin)
        elif path.root in bindings:
            origin = bindings[path.root]
            value = self.objects[origin]
        elif path.root in parameters_of(frame.function):
            return None
        elif path.root in made_objects(frame.function):
            made = self.made(frame, path.root)
            if made is None:
                return None
            origin, value = made, self.objects[made]
        else:
            value, token = self.reach.lookups.name(frame.function, path.root)
            origin = (token,)
            if value is MISSING:
                return None
            self.reach.texts.setdefault(origin, path.root)
            self.steady.add(origin)
        for k, step in enumerate(path.attributes):
            steady = origin in self.steady and isinstance(value, ModuleType | type | tuple)
            if not (steady and (isinstance(value, tuple) or (k == 0 and isinstance(value, ModuleType)))):
                self.reach.fixed = False
            text = self.reach.texts[origin]
            if is_sequence(value) and isinstance(step, int):
                if not -len(value) <= step < len(value):
                    return None
                number = step % len(value)
                origin, text, value = (*origin, f"[{number}]"), f"{text}[{number}]", there(entry(value, step))
            elif isinstance(step, str) and value is not None and not step.endswith("()"):
                steady = steady and (not isinstance(value, tuple) or is_tuple_field(value, step))
                origin, text, value = (*origin, step), f"{text}.{step}", self.reach.lookups.attribute(value, step)
            else:
                return None
            if value is MISSING or isinstance(value, Bound | Computed):
                return None
            self.reach.texts.setdefault(origin, text)
            if steady:
                self.steady.add(origin)
        return origin, value

    def alias(
        self,
        path: Path,
        end: int,
        origin: Origin,
        holder: object,
        target: Path,
        meanings: dict[Key, Meaning],
        frame: Frame,
        depth: int,
    ) -> bool:
        """A property that returns another attribute: what is read is that one."""
        if depth > MAX_DEPTH:
            return False
        steps = (*target.attributes, *path.attributes[end:])
        whole = Path(path.root, steps, path.called, path.position, tested=path.tested)
        inner: dict[Key, Meaning] = {}
        self.follow(frame, whole, 0, origin, holder, inner, depth + 1)
        beyond = {key: len(key) - 1 - len(target.attributes) for key in inner}
        if any(count < 0 for count in beyond.values()):
            return False
        for key, meaning in inner.items():
            meanings[(path.root, *path.attributes[: end + beyond[key]])] = meaning
        return True


def is_sized(path: Path) -> bool:
    """Whether a call of a function that draws asks for an array."""
    size = dict(path.arguments).get(SIZE, NOT_GIVEN)
    return size is not NOT_GIVEN and (size is None or size.root != "None")


def attribute_of_name(value: object) -> object:
    """A captured function as `Bound`; anything else as it is."""
    holder = ModuleType("captured")
    holder.__dict__["value"] = value
    return attribute(holder, "value")


def _known(value: object) -> bool:
    return isinstance(value, ModuleType) and is_known(value.__name__)
