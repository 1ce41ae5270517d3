"""What a method would send and take on many ranks, for `somdc explain --ranks`: reckoned, nothing is measured.

In: a compiled method, what is said of its arguments, a number of ranks and the costs of a cluster. Out: lines with
messages and bytes of each phase, and times for fewer ranks. How it is reckoned is a target's business.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator, Mapping, Sequence
from types import FunctionType
from typing import Any, NamedTuple

import numpy as np

from somd.calls.convention import calling_of
from somd.capture.reach import Reach
from somd.runtime.mpi.addresses import reserved
from somd.runtime.mpi.dry_run import DrySession, Reckoned
from somd.runtime.mpi.ledger import RESULT, SERIAL, Place
from somd.settings.config import cluster, settings_for
from somd.settings.targets import DEFAULT, target_of
from somd.transforms.pipeline import compile_for
from somd.transforms.types.scalars import ArrayType, ScalarType, Type

#: what arrays and integers are where nothing is said: elements of an array, and turns of a loop
ELEMENTS, TURNS = 1 << 24, 10
#: a number that loops until nothing changes do not reach at once
TOLERANCE = 1e-9


def arguments(types: Mapping[str, Type], given: str) -> dict[str, Any]:
    """A value for each parameter; `given` says some, such as "a=4096x4096, steps=20".

    Raises:
        ValueError: something else is said, or of other parameters.
    """
    said = dict(_said(each, types) for each in given.split(",") if each.strip())
    return {name: _value(kind, said.get(name)) for name, kind in types.items()}


def _said(text: str, types: Mapping[str, Type]) -> tuple[str, str]:
    name, is_said, value = (each.strip() for each in text.partition("="))
    if not is_said or name not in types:
        known = ", ".join(types)
        raise ValueError(f"`{text.strip()}` is no value of a parameter: write NAME=LENGTHxLENGTH for one of {known}")
    fits = re.fullmatch(r"\d+(x\d+)*", value) if isinstance(types[name], ArrayType) else _is_number(value)
    kind = types[name]
    if not fits or (isinstance(kind, ArrayType) and value.count("x") + 1 != kind.ndim):
        wanted = f"{kind.ndim} lengths with x between them" if isinstance(kind, ArrayType) else "a number"
        raise ValueError(f"`{name}` is {wanted}, not `{value}`")
    return name, value


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _value(kind: Type, said: str | None) -> Any:
    if isinstance(kind, ArrayType):
        length = round(ELEMENTS ** (1 / kind.ndim))
        shape = (length,) * kind.ndim if said is None else tuple(map(int, said.split("x")))
        return reserved(shape, kind.dtype)
    assert isinstance(kind, ScalarType)
    number: Any = float(said) if said is not None else TURNS if kind.kind in "iu" else TOLERANCE
    number = bool(number) if kind.kind == "b" else int(number) if kind.kind in "iu" else number
    return number if kind.weak and kind.kind != "c" else np.dtype(kind.dtype).type(number)


class Scaling:
    """Reckons calls of a method for argument types, by the costs of the configuration.

    Raises:
        SomdCompileError: the method is refused.
        TargetLacks: the target has no form for it that ranks share.
    """

    def __init__(self, function: FunctionType, found: Reach, types: Mapping[str, Type]) -> None:
        compiled = compile_for(function, types, {}, found)
        calling = calling_of(found, found.structure(), tuple(inspect.signature(function).parameters))
        self.plan = compiled.plan
        self.costs = cluster()
        self._settings = settings_for(function.__qualname__, function.__module__)
        target = target_of(DEFAULT)
        self._reckoning = target.reckoning(compiled, function, calling.partitioners, found.functions)

    def on(self, ranks: int, args: Sequence[Any]) -> DrySession:
        """What a call sends on so many ranks."""
        settings = self._settings
        return self._reckoning(tuple(args), ranks, self.costs, settings.workers, settings.small_work)


def sent(reckoning: Scaling, values: Mapping[str, Any], ranks: int) -> Iterator[str]:
    """The lines about what so many ranks send."""
    found = reckoning.on(ranks, tuple(values.values()))
    of_all = ", ".join(f"{name}: {_shown(value)}" for name, value in values.items())
    yield f"reckoned for {ranks} rank{'s' * (ranks > 1)}, {of_all}; nothing is run"
    phases = reckoning.plan.phases()
    lines: dict[Place, str] = {each.number: f"phase {each.number}, line {each.nest.position.line}" for each in phases}
    lines |= {SERIAL: "between phases", RESULT: "at the end, for arrays of NumPy's"}
    places = [place for place in lines if place in found.reckoned]
    rows: list[tuple[str, ...]] = [("", "times", "messages", "bytes", "computing", "sending")]
    rows += [_row(lines[place], found.reckoned[place]) for place in places]
    yield from _table(rows)
    if found.left:
        yield f"  left after {found.phases - 1} phases: a loop goes on for ever where nothing is computed"


class Scaled(NamedTuple):
    """So many ranks, with the seconds of a call for the same arrays, and for arrays that grow with the ranks."""

    ranks: int
    same: float
    growing: float

    def efficiencies(self, one: Scaled) -> tuple[float, float]:
        """What part of that time they would compute: `one` is a single rank."""
        if not (self.same and self.growing):
            return 0.0, 0.0
        return one.same / (self.same * self.ranks), one.same / self.growing


def scaled(reckoning: Scaling, args: Sequence[Any], ranks: int) -> Iterator[Scaled]:
    """The times for each power of two up to a number of ranks, and for the number itself."""
    for size in sorted({ranks, *(1 << k for k in range(ranks.bit_length()))}):
        same, growing = (seconds(reckoning.on(size, each)) for each in (args, [_grown(each, size) for each in args]))
        yield Scaled(size, same, growing)


def lines_of(times: Sequence[Scaled]) -> Iterator[str]:
    """The lines about times."""
    yield "scaling, without the end: the same arrays shared, or first axes that grow with the ranks"
    rows: list[tuple[str, ...]] = [("ranks", "same", "efficiency", "growing", "efficiency")]
    for each in times:
        same, growing = (f"{100 * part:.1f}%" if part else "" for part in each.efficiencies(times[0]))
        rows.append((str(each.ranks), _time(each.same), same, _time(each.growing), growing))
    yield from _table(rows)


def seconds(found: DrySession) -> float:
    """What a call takes whose arrays stay distributed."""
    end = found.reckoned.get(RESULT, Reckoned())
    return found.seconds - end.computing - end.sending


def _grown(value: Any, times: int) -> Any:
    if not isinstance(value, np.ndarray):
        return value
    return reserved((value.shape[0] * times, *value.shape[1:]), value.dtype)


def _row(name: str, entry: Reckoned) -> tuple[str, ...]:
    messages = f"{entry.messages}" + (f" + {entry.gathers} to all" if entry.gathers else "")
    size = _size(entry.bytes + entry.gathered_bytes)
    return name, str(entry.times or ""), messages, size, _time(entry.computing), _time(entry.sending)


def _table(rows: Sequence[Sequence[str]]) -> Iterator[str]:
    widths = [max(len(row[k]) for row in rows) for k in range(len(rows[0]))]
    for first, *rest in rows:
        cells = [first.ljust(widths[0]), *(each.rjust(width) for each, width in zip(rest, widths[1:], strict=True))]
        yield ("  " + "  ".join(cells)).rstrip()


def _shown(value: Any) -> str:
    return f"{value.dtype}{list(value.shape)}" if isinstance(value, np.ndarray) else repr(value)


def _size(count: int) -> str:
    for unit, size in (("GB", 10**9), ("MB", 10**6), ("kB", 10**3)):
        if count >= size:
            return f"{count / size:.1f} {unit}"
    return f"{count} bytes"


def _time(seconds: float) -> str:
    for unit, size in (("s", 1.0), ("ms", 1e-3)):
        if seconds >= size:
            return f"{seconds / size:.2f} {unit}"
    return f"{seconds * 1e6:.1f} us"
