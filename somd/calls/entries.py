"""The entries of a method: which generated code a call runs, for what it is called with and what it captures.

What is known of a method's calls holds as long as the names that it captures stand for the same objects, and is
forgotten as a whole: another thread may still be at what was known before.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from types import FunctionType
from typing import Any

from somd.arguments.overlaps import check_writeable, same_arrays
from somd.arguments.signatures import describe_all, with_floats
from somd.calls.convention import Calling, calling_of
from somd.calls.fast_path import NativeCall, WarmCall, kinds_of, native_call, warm_call
from somd.calls.specialisations import ConstructMissing, Entry, compile_entry, is_ready
from somd.capture.annotations import annotation_of
from somd.capture.objects import all_passed
from somd.capture.reach import Reach
from somd.capture.reaching import object_parameters, reach
from somd.capture.watching import Watch
from somd.compiling.one_at_a_time import one_at_a_time, room_for_nesting
from somd.runtime.mpi.distributed import buffers
from somd.runtime.recording import making
from somd.settings.config import Grounds, Settings
from somd.settings.targets import target_of

Values = tuple[Any, ...]
#: how often a call looks again where names change while it looks
_TRIES = 10


@dataclass(slots=True)
class _Known:
    """What is known as long as captured values are the same.

    `missing` tells, with a code, what targets lack for calls of which there can be no entry. `fixed` is there where all
    calls reach the same, as long as no argument at the positions `objects` is an object.
    """

    watch: Watch
    objects: tuple[int, ...]
    entries: dict[tuple[Any, ...], Entry] = field(default_factory=dict)
    missing: dict[tuple[Any, ...], tuple[str, str]] = field(default_factory=dict)
    callings: dict[tuple[object, ...], Calling] = field(default_factory=dict)
    warm: dict[tuple[Any, ...], WarmCall] = field(default_factory=dict)
    #: the positions of parameters that are declared to be floats
    floats: dict[tuple[object, ...], tuple[int, ...]] = field(default_factory=dict)
    #: entries made for floats, in calls with ints in their places
    for_ints: dict[tuple[Any, ...], Entry] = field(default_factory=dict)
    fixed: Calling | None = None


@dataclass(frozen=True)
class _Call:
    """A call by way of another one, which is compiled already."""

    run: Callable[..., Any]

    def __call__(self, args: Values, workers: int, small_work: int | None = None, /) -> Any:
        return self.run(args, workers, small_work)

    def compile(self, args: Sequence[Any], /) -> None:
        pass


class Entries:
    """Finds the entry for a call of `function`, or has it compiled; `fastmath` tells how sums may be added up."""

    def __init__(self, function: FunctionType, fastmath: bool) -> None:
        self._function = function
        self._fastmath = fastmath
        self.names = tuple(inspect.signature(function).parameters)
        self._last: _Known | None = None
        #: what the text of the method was found to reach when it was checked, until the first call
        self._checked: tuple[Reach, Watch] | None = None

    def looked_at(self, found: Reach) -> None:
        """Note what the method was checked with before any call."""
        self._checked = found.without_values(), Watch((found.lookups,))

    def warm(self, target: str, values: Values, device: Any, profiled: bool = False) -> WarmCall | None:
        """The short way for a call that is like one before, or None if that takes a closer look."""
        known = self._last
        if known is None or known.fixed is None or not known.watch.unchanged():
            return None
        kinds = kinds_of(values)
        warm = None if kinds is None else known.warm.get((target, device, kinds, profiled))
        return warm if warm is not None and warm.fits(values) else None

    def native(self, warm: WarmCall, values: Values, grounds: Grounds, settings: Settings) -> NativeCall | None:
        """A call in machine code for calls like one that has gone the short way, or None."""
        known = self._last
        if known is None or all(each is not warm for each in known.warm.values()):
            return None  # names have changed
        return native_call(warm, values, known.watch, grounds, settings)

    def find(self, target: str, values: Values, device: Any, profiled: bool = False) -> tuple[Entry, Values]:
        """The entry for a call, and the values to call it with: the arguments, and what it takes besides; `profiled`
        asks for one that keeps time of its phases.

        Raises:
            SomdCompileError: the method, or its arguments, cannot be compiled under the promise.
            SomdRuntimeError: arguments overlap in memory.
        """
        known, kinds = self._last, None
        if known is None or not known.watch.unchanged():
            known = self._last = _Known(Watch(), object_parameters(self._function, self.names))
        elif known.fixed is not None:
            kinds = kinds_of(values)
        with room_for_nesting(self._function):
            calling, values = self._calling(known, values)
        values = buffers(values, target_of(target).knows_ranks)
        signature = describe_all(values, calling.texts)
        entry = self._for_floats(known, target, signature, values, device, calling, profiled) or self._entry(
            known, target, signature, (), device, calling, profiled
        )
        check_writeable(entry.written, values, calling.texts)  # by this name, not by another of the array
        aliases: tuple[tuple[str, str], ...] = ()
        if entry.written and len(entry.arrays) > 1:
            aliases = same_arrays(entry.written, entry.arrays, values, calling.names, calling.texts)
            if aliases:
                entry = self._entry(known, target, signature, aliases, device, calling, profiled)
        if kinds is not None and not aliases and (warm := warm_call(entry, values)) is not None:
            known.warm[target, device, kinds, profiled] = warm
        return entry, values

    def text(self, target: str) -> str | None:
        """The generated text of the last entry for a target, if any."""
        entries = {} if self._last is None else self._last.entries
        return next(
            (entry.text for names, entry in reversed(entries.items()) if names[0] == target and not names[-1]), None
        )

    def reached(self) -> Reach | None:
        """What the last call that was compiled for reached, if any."""
        if self._last is None or not self._last.entries:
            return None
        structure = list(self._last.entries)[-1][3]
        return self._last.callings[structure].found

    def _calling(self, known: _Known, values: Values) -> tuple[Calling, Values]:
        if known.fixed is not None and all_passed(values, known.objects):
            return known.fixed, values
        with making("looking up names"):
            return self._read(known, values)

    def _read(self, known: _Known, values: Values) -> tuple[Calling, Values]:
        """What a call reaches, looked at from the text of the method on."""
        tries = _TRIES
        while True:
            found = reach(self._function, dict(zip(self.names, values, strict=True)))
            found.fastmath = self._fastmath
            structure = found.structure()
            calling = known.callings.get(structure)
            if calling is not None:
                return calling, calling.values(values, found)
            self._take_over(found, structure)
            calling = calling_of(found, structure, self.names)
            watch = known.watch.with_lookups(found.lookups)
            tries -= 1
            if tries == 0 or watch.unchanged():  # another thread may have changed a name meanwhile
                break
        known.callings[structure] = calling
        known.watch = watch
        if found.fixed and not found.top.objects:
            known.fixed = calling
        return calling, calling.values(values, found)

    def _take_over(self, found: Reach, structure: tuple[object, ...]) -> None:
        """What the compiler has read of the method before holds for the first call, if that finds the same."""
        if self._checked is not None:
            (checked, watch), self._checked = self._checked, None
            if watch.unchanged() and checked.structure() == structure:
                found.lookups.kept = checked.lookups.kept

    def _for_floats(
        self,
        known: _Known,
        target: str,
        signature: tuple[str, ...],
        values: Values,
        device: Any,
        calling: Calling,
        profiled: bool,
    ) -> Entry | None:
        """For a call with ints in the place of floats: the entry for the floats, if there is one and none for the ints,
        and nothing tells them apart."""
        if calling.structure not in known.floats:
            known.floats[calling.structure] = tuple(self._floats(calling))
        ints = tuple(k for k in known.floats[calling.structure] if signature[k] == "int")
        names: tuple[Any, ...] = (target, device, signature, calling.structure, (), profiled)
        if not ints or names in known.entries or with_floats(values, ints) is None:
            return None
        if names in known.for_ints:
            return known.for_ints[names]
        floats = tuple("float" if k in ints else text for k, text in enumerate(signature))
        there = (target, device, floats, calling.structure, (), profiled) in known.entries
        if not there and not is_ready(self._function, calling.found, calling.key, target, floats, profiled):
            return None
        entry = self._entry(known, target, floats, (), device, calling, profiled)
        if entry.combine is not None or not set(ints) <= set(entry.takes_ints):
            return None

        def call(given: Values, workers: int, small_work: int | None = None, /) -> Any:
            changed = with_floats(given, ints)
            if changed is None:
                own = self._entry(known, target, signature, (), device, calling, profiled)
                return own.call(given, workers, small_work)
            return entry.call(changed, workers, small_work)

        made = known.for_ints[names] = replace(entry, call=_Call(call))
        return made

    def _floats(self, calling: Calling) -> Iterator[int]:
        """The positions of parameters that are declared to be floats."""
        for k, name in enumerate(calling.names):
            if name in self.names and annotation_of(self._function, name) is float:
                yield k

    def _entry(
        self,
        known: _Known,
        target: str,
        signature: tuple[str, ...],
        aliases: tuple[tuple[str, str], ...],
        device: Any,
        calling: Calling,
        profiled: bool,
    ) -> Entry:
        names: tuple[Any, ...] = (target, device, signature, calling.structure, aliases, profiled)
        entry = known.entries.get(names)
        if entry is not None:
            return entry
        if names in known.missing:
            raise ConstructMissing(*known.missing[names])
        turn = target_of(target).in_turn(self._function.__qualname__)
        with making("loading"), turn, one_at_a_time(), room_for_nesting(self._function):
            if names not in known.entries:
                try:
                    known.entries[names] = compile_entry(
                        self._function,
                        calling.found,
                        calling.names,
                        calling.key,
                        target,
                        signature,
                        aliases,
                        device,
                        calling.partitioners,
                        profiled,
                        calling.texts,
                    )
                except ConstructMissing as lack:
                    known.missing[names] = (str(lack), lack.code)
                    raise
            return known.entries[names]
