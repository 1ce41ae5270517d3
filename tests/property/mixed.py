"""Random SOMD methods of many topics as source text: a program is named by its number, and made of sections.

A section is a loop nest in one of several forms whose iterations compute values of some topic, or a step between the
loops; either may stand in a time loop, under a condition, or both. See `tests.property.topics`.
"""

from __future__ import annotations

import importlib
import random
import re
from dataclasses import dataclass
from pathlib import Path

from tests.property.topics.exchanges import exchange
from tests.property.topics.names import METHODS, renamed
from tests.property.writer import LOOPS, STEPS, Parameter, Place, Writer

for file in sorted((Path(__file__).parent / "topics").glob("*.py")):
    importlib.import_module(f"tests.property.topics.{file.stem}")

HEADER = """\
import math
from typing import Annotated

import numpy as np
from somd import dim, dist, reduce, shared, single, somd, sync


class Bad(Exception):
    pass
"""


#: steps that programs are made of, and nothing else; none: of whatever there is
ALONE: tuple[str, ...] = ()
#: what makes a function a method
MARKER = "@somd"


@dataclass(frozen=True)
class Mixed:
    """The method `name` of `text`, decorated; `owners` tells for each line of it which features wrote it.

    `rough`: floats are compared with a tolerance. `wide`: Python's ints may leave 64 bits. `aliases`: to give one array
    for several parameters is worth a call.
    """

    number: int
    text: str
    name: str
    parameters: tuple[Parameter, ...]
    owners: dict[int, frozenset[str]]
    features: frozenset[str]
    rough: bool
    wide: bool
    aliases: bool

    @property
    def tolerance(self) -> float:
        """How far floats may be apart, by their size: those of functions as far as NumPy's are, of float32 where there
        are such, whatever they become later."""
        return (1e-5 if self.narrow else 1e-12) if self.rough else 0.0

    @property
    def narrow(self) -> bool:
        """Whether there are floats of 32 bits."""
        return "float32" in self.text or any(
            p.array is not None and p.array.dtype == "float32" for p in self.parameters
        )


def mixed(number: int) -> Mixed:
    """The program of this number."""
    w = Writer(number)
    if w.chance(0.3):
        w.vector()
    if w.chance(0.3):
        w.scalars["n"] = "i"
    for _ in range(w.pick.choice((1, 1, 2, 2, 3))):
        section(w)
    if not w.parameters or all(p.array is None for p in w.parameters):
        w.parameter("f")
    return _assembled(w)


def _assembled(w: Writer) -> Mixed:
    if w.chance(0.35):
        w.parameter(w.one("f", "i"), w.pick.choice((1, 2, 3)))
        w.scalar("near")
    body = "\n".join([*w.tops, *w.lines, *w.results])
    w.parameters = [p for p in w.parameters if re.search(rf"\b{p.name}\b", body) or w.chance(0.1)]
    if all(p.array is None for p in w.parameters):
        w.parameter("f")
    w.pick.shuffle(w.parameters)
    distributed = [k for k, p in enumerate(w.parameters) if p.array is not None]
    if not any("dist" in p.annotation for p in w.parameters):
        k = distributed[0]
        w.parameters[k] = Parameter(
            w.parameters[k].name, "dist[np.ndarray]", w.parameters[k].array, layout=w.parameters[k].layout
        )
    tops = list(w.tops)
    if "n" in w.scalars:
        vector = (
            next(p.name for p in w.parameters if p.array is not None and p.array.rank == 1)
            if any(p.array is not None and p.array.rank == 1 for p in w.parameters)
            else w.parameter("f")
        )
        tops.insert(0, f"n = len({vector})")
    results = list(dict.fromkeys(w.results))
    w.pick.shuffle(results)
    results = results[: w.pick.choice((1, 2, 3, 4))]
    if w.chance(0.03):  # a tuple in a tuple, or of one entry
        results[-1:] = [f"({each},)" for each in results[-1:]]
    ending = [f"return {', '.join(results)}"] if results else []
    names = [name for name in w.names if not name.startswith("f")]
    with_names = w.chance(0.25)
    method = "method"
    helpers = "\n\n".join(w.helpers)
    signature = ", ".join(f"{p.name}: {p.annotation}" for p in w.parameters)
    before = f"{HEADER}\n\n{helpers}\n\n{MARKER}\ndef {method}({signature}):\n" + "".join(
        f"    {line}\n" for line in tops
    )
    first = before.count("\n") + 1
    lines = [*w.lines, *ending] or ["pass"]
    text = before + "".join(f"    {line}\n" for line in lines)
    owners = {first + k: each for k, each in enumerate(w.owners)}
    parameters = tuple(w.parameters)
    features = set(w.features)
    if with_names:
        text, given = renamed(text, names, random.Random(w.number))
        method = random.Random(w.number).choice(METHODS)
        method = method if f" {method} " not in text.replace("(", " ").replace(",", " ").replace(":", " ") else "method"
        text = text.replace("def method(", f"def {method}(")
        parameters = tuple(
            Parameter(given.get(p.name, p.name), p.annotation, p.array, p.kind, p.fill, p.layout) for p in parameters
        )
        features.add("names")
    return Mixed(w.number, text, method, parameters, owners, frozenset(features), w.rough, w.wide, w.aliases)


def section(w: Writer) -> None:
    """A nest or a step, in something around it."""
    if ALONE:
        return step(w)
    chance = w.pick.random()
    if chance < 0.22:
        time_loop(w)
    elif chance < 0.32:
        with w.feature("under_condition_of_master"), w.block(f"if {w.scalar('flag')} {w.one('> 0', '== 1', '!= 0')}:"):
            nest(w)
        if w.chance(0.3):
            with w.feature("under_condition_of_master"), w.block("else:"):
                nest(w)
    elif chance < 0.67:
        nest(w)
    else:
        step(w)
        if w.chance(0.5):
            nest(w)


def step(w: Writer) -> None:
    name = w.pick.choice(ALONE or sorted(STEPS))
    with w.feature(name):
        STEPS[name](w)


def time_loop(w: Writer) -> None:
    """Turns of the same nests: numbers handed from turn to turn, arrays exchanged at the end of each."""
    with w.feature("time_loop"):
        form = w.pick.randrange(4)
        carried = ""
        if w.chance(0.5):
            carried = w.fresh("c")
            w.line(f"{carried} = {w.one('1.0', '0.5', '0.0')}")
            w.scalars[carried] = "f"
        turn = w.fresh("r")
        turns = w.scalar("turns")
        if form == 0:
            w.line(f"{turn} = 0")
            head = f"while {turn} < {turns}:"
        else:
            forms = (f"range({turns})", f"range({turns})", f"range({turns} - 1, -1, -1)", f"range(1, {turns})")
            head = f"for {turn} in {w.one(*forms)}:"
        with w.block(head):
            if w.chance(0.2):
                with w.block("with sync:"):
                    nest(w)
            elif w.chance(0.15):  # ranges far from each other
                nest(w, "far_start")
                nest(w)
            else:
                nest(w)
            if w.chance(0.3):
                (nest if w.chance(0.6) else step)(w)
            if carried:
                x = w.array("f64")
                handed = (
                    f"0.5 * {carried} + 1.0",
                    f"{x}[0]",
                    f"{carried} - {turn}",
                    f"{x}[-1] * 0.5",
                    f"0.25 * {turn}",
                    f"1.0 * ({turns} {w.one('%', '//')} len({x}) if len({x}) > 0 else 0)",  # the same in each turn
                )
                w.line(f"{carried} = {w.one(*handed)}")
            if w.chance(0.35):
                with w.feature("exchanged"):
                    if w.chance(0.3):
                        with w.block(f"if {turn} {w.one('> 0', '% 2 == 0', '!= 1')}:"):
                            exchange(w)
                    else:
                        exchange(w)
            if w.chance(0.1):
                with w.block(f"if {turn} > 1:"):
                    w.line("break")
            if form == 0:
                w.line(f"{turn} += 1")
        if carried and w.chance(0.6):
            w.results.append(carried)
        elif w.chance(0.2):
            w.results.append(turn)


def nest(w: Writer, name: str = "") -> None:
    """A loop in one of the forms, or in that of a name, whose iterations compute something and keep it."""
    name = name or w.pick.choice(sorted(LOOPS))
    w.reading, w.writing = set(), set()
    reductions = [begun(w) for _ in range(w.pick.choice((0, 0, 1, 1, 2)))]
    with w.feature(name), LOOPS[name](w) as place:
        count = w.pick.choice((1, 1, 2))
        if not reductions or w.chance(0.5):
            for _ in range(count):
                keep(w, place)
        for s, form, kind in reductions:
            reduce(w, place, s, form, kind)
    w.reading, w.writing = set(), set()


def keep(w: Writer, place: Place) -> None:
    """A value of the iteration in an array's element."""
    found = w.value(place)
    rank = 2 if place.j else 1
    x = w.target(
        "f64" if found.kind == "f" else w.one("i64", "f64") if found.kind == "i" else w.one("i64", "f64", "b"), rank
    )
    at = f"{x}[{place.i}, {place.j}]" if place.j else f"{x}[{place.i}]"
    array = w.arrays[x]
    array.exact = array.exact and found.exact
    text = found.text
    known = [name for name, kind in w.scalars.items() if kind == "f"]
    if known and found.kind == "f" and w.chance(0.5):
        text = f"{text} {w.one('+', '*')} {w.pick.choice(known)}"
        array.exact = False
    if array.dtype == "bool":
        w.line(f"{at} = {text}")
    elif w.chance(0.3):
        w.line(f"{at} {w.one('+=', '-=', '+=', '*=')} {text}")
    else:
        w.line(f"{at} = {text}")


#: how numbers begin that loops reduce
STARTS = {
    "+": "0",
    "max": "-3",
    "count": "0",
    "min": "3",
    "^": "0",
    "if": "0",
    "and": "True",
    "or": "False",
    "place": "-1",
}


def begun(w: Writer) -> tuple[str, str, str]:
    """The name of a number that a nest reduces, how, and the kind of what it is reduced from."""
    s, form = w.fresh("s"), w.pick.choice(sorted(STARTS))
    kind = {"^": "i", "and": "b", "or": "b", "count": "", "+": ""}.get(form, w.one("i", "f"))
    line = f"{s} = {STARTS[form]}{'.0' if kind == 'f' else ''}"
    if w.chance(0.7):
        w.top(line)
    else:
        w.line(line)
    w.results.append(s)
    return s, form, kind


def reduce(w: Writer, place: Place, s: str, form: str, kind: str) -> None:
    """A value of the iteration in a number that all iterations share."""
    found = w.value(place, kind)
    text = found.text
    with w.feature(f"reduced_by_{form}"):
        if form in ("max", "min", "if", "place") and w.chance(0.8):
            text = f"int({text})" if kind == "i" else f"float({text})"
        if form == "+" and (found.kind == "b" or (found.kind == "f" and not found.exact)):
            text = f"(1 if {text} > 1 else 0)" if found.kind == "f" else f"int({text})"
        if form in ("and", "or", "if", "place"):
            t = w.fresh("t")
            w.line(f"{t} = {f'bool({text})' if kind == 'b' else text}")
            text = t
        if form in ("and", "or"):
            w.line(f"{s} = {s} {form} {text}")
        elif form == "count":
            with w.block(f"if {text} {w.one('> 0', '== 1', '<= 2')}:"):
                w.line(f"{s} += 1")
        elif form in ("max", "min"):
            w.line(f"{s} = {form}({s}, {text})")
        elif form in ("if", "place"):
            with w.block(f"if {text} {w.one('>', '<')} {s}:"):
                w.line(f"{s} = {text}")
                if form == "place":
                    other = w.fresh("s")
                    w.top(f"{other} = -1")
                    w.line(f"{other} = {place.i if place.i.isidentifier() else '1'}")
                    w.results.append(other)
        else:
            w.line(f"{s} {form}= {text}")
