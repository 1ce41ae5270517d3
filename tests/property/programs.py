"""Random SOMD methods as source text: a seeded generator, so that a program is named by its number.

A program has one to three loop nests over several arrays, with affine accesses of many forms, guards, reductions,
private scalars and uniform loops around. It leans towards programs that may be distributed and that stay inside their
arrays, without insisting on either.
"""

from __future__ import annotations

import random
from dataclasses import dataclass

from tests.property.coloured import coloured
from tests.property.expressions import Names, access, condition, element, index, injective, value

#: the ways to write a minimum or maximum of the accumulator `s`
EXTREMA = {
    "min": ("{s} = min({s}, {e})", "{s} = min({e}, {s})", "{s} = min({e}, {e}, {s})"),
    "max": ("{s} = max({s}, {e})", "{s} = max({e}, {s})", "{s} = max({s}, {e}, {e})"),
    "if>": ("if {e} > {s}:\n    {s} = {e}", "if {s} <= {e}:\n    {s} = {e}", "{s} = {e} if {s} < {e} else {s}"),
    "if<": ("if {e} < {s}:\n    {s} = {e}", "{s} = {s} if {s} <= {e} else {e}", "{s} = {e} if {e} <= {s} else {s}"),
}
HEADER = """\
from typing import Annotated

import numpy as np
from somd import dim, dist, single, sync

STRIDE = 2
"""


@dataclass(frozen=True)
class Program:
    """A method `method` in `text`; `arrays` gives dtype and rank of the array parameters, `m` and `k` are ints."""

    number: int
    text: str
    arrays: dict[str, tuple[str, int]]
    inexact: bool
    carried: bool

    @property
    def parameters(self) -> tuple[str, ...]:
        return (*self.arrays, "m", "k")


def program(number: int) -> Program:
    """The program of this number."""
    return _Writer(number).program()


class _Writer:
    def __init__(self, number: int) -> None:
        self.number = number
        self.pick = random.Random(number)
        self.lines: list[str] = []
        self.names = Names(self.pick, {})
        self.inexact = self.carried = False
        self.reductions: list[tuple[str, str]] = []
        #: how each minimum or maximum is written: in one way, since ways differ in nan and in equal values
        self.written: dict[str, str] = {}
        self.fresh = 0

    def program(self) -> Program:
        pick = self.pick
        dtypes = pick.choice((["float64"], ["float64"], ["int64"], ["int64"], ["float64", "int64", "float32", "int32"]))
        ranks = {"a": 1, "b": 1, "g": 2, "h": 2}
        used = sorted(pick.sample(sorted(ranks), pick.randint(2, 3)))
        arrays = {name: (pick.choice(dtypes), ranks[name]) for name in used}
        if pick.random() < 0.25:
            arrays["at"] = ("int64", 1)
        self.names.arrays.update({n: r for n, (_, r) in arrays.items() if n != "at"})
        self.names.gather = "at" in arrays
        self.names.floats = dtypes == ["float64"]
        self.names.mixed = len(dtypes) > 1
        self.prologue()
        for _ in range(pick.choice((1, 1, 1, 2, 2, 3))):
            self.section()
        self.epilogue()
        parameters = ", ".join(f"{n}: {self.marker(n, r)}" for n, (_, r) in arrays.items())
        body = "".join(f"    {line}\n" for line in self.lines)
        text = f"{HEADER}\n\ndef method({parameters}, m: int, k: int):\n{body}"
        return Program(self.number, text, arrays, self.inexact, self.carried)

    def marker(self, name: str, rank: int) -> str:
        if name == "at":
            return "np.ndarray"
        chance = self.pick.random()
        if chance < 0.08 and len(self.names.arrays) > 2:
            return "np.ndarray"
        if chance < 0.2 and rank == 2:
            return f"Annotated[np.ndarray, dist, dim({self.pick.choice(('0', '1', '0, 1'))})]"
        return "dist[np.ndarray]"

    # --- around the loops ----------------------------------------------------------------------------------------

    def prologue(self) -> None:
        pick = self.pick
        first = next(iter(self.names.arrays))
        if pick.random() < 0.3:
            self.lines.append(f"n = {pick.choice((f'len({first})', f'{first}.shape[0]', 'm', 'm + 1', 'm // 2'))}")
            self.names.sizes.append("n")
        if pick.random() < 0.25:
            name, rank = pick.choice(sorted(self.names.arrays.items()))
            self.lines.append(f"c = {pick.choice(('np.zeros_like', 'np.copy'))}({name})")
            self.names.arrays["c"] = rank
        elif pick.random() < 0.1 and not self.names.floats:
            size = pick.choice(("m", "len(" + first + ")", "m + 2"))
            self.lines.append(f"c = np.zeros({size}, np.int64)")
            self.names.arrays["c"] = 1
        for _ in range(pick.choice((0, 0, 0, 1, 1, 2))):
            self.accumulator()

    def accumulator(self) -> None:
        name = f"s{len(self.reductions)}"
        simple = ("count", "and", "or", "|")
        op = self.pick.choice(simple if self.names.mixed else (*simple, *("+", "max", "min", "if>", "if<", "-") * 2))
        starts = {"max": "-1000", "min": "1000", "if>": "-1000", "if<": "1000", "and": "True", "or": "False"}
        start = starts.get(op, "0")
        self.lines.append(f"{name} = {start + '.0' if self.names.floats and op not in simple else start}")
        self.reductions.append((name, op))
        if op in EXTREMA:
            self.written[name] = self.pick.choice(EXTREMA[op])

    def epilogue(self) -> None:
        result = [name for name, _ in self.reductions]
        if "c" in self.names.arrays and not result:
            self.lines.append("return c")
        elif len(result) == 1:
            self.lines.append(f"return {result[0]}")
        elif result:
            self.lines.append(f"return {', '.join(result)}")

    def section(self) -> None:
        """A nest, perhaps inside a uniform loop or condition."""
        chance = self.pick.random()
        if chance < 0.14:
            fence = self.pick.random() < 0.5
            self.lines.append(f"for p in range({self.pick.choice(('2', '3', 'k'))}):")
            if fence:
                self.lines.append("    with sync:")
            self.names.uniform.append("p")
            self.nest("        " if fence else "    ", [])
            if self.pick.random() < 0.3:
                self.nest("        " if fence else "    ", [])
            if not fence and self.pick.random() < 0.3 and {"a", "b"} <= set(self.names.arrays):
                self.lines.append("    a, b = b, a")
            self.names.uniform.remove("p")
        elif chance < 0.2:
            self.lines += ["w = 0", "while w < 2:"]
            self.nest("    ", [])
            self.lines.append("    w += 1")
        elif chance < 0.25:
            self.lines.append(f"if {self.pick.choice(('m > 2', 'k == 1', 'm % 2 == 0'))}:")
            self.nest("    ", [])
        elif chance < 0.28:
            self.lines.append("m = m - 1" if self.pick.random() < 0.5 else "k = 1")
            self.nest("", [])
        else:
            self.nest("", [])

    # --- loops ---------------------------------------------------------------------------------------------------

    def nest(self, pad: str, variables: list[str]) -> None:
        variable = "ijl"[len(variables)]
        if not variables:
            self.roles()
            if self.pick.random() < 0.08 and self.coloured(pad):
                return
        self.lines.append(f"{pad}for {variable} in {self.bounds(variables)}:")
        inner = [*variables, variable]
        self.body(pad + "    ", inner, self.pick.choice((1, 1, 1, 2, 2, 3)))

    def roles(self) -> None:
        """Mostly a nest is tame: iterations of its outermost loop own a part of every written array."""
        pick, self.names.roles = self.pick, {}
        if pick.random() < 0.75:
            arrays = sorted(self.names.arrays)
            for name in pick.sample(arrays, pick.randint(1, max(1, len(arrays) - 1))):
                axis = pick.randrange(self.names.arrays[name])
                self.names.roles[name] = (axis, injective(self.names, name, axis))

    def coloured(self, pad: str) -> bool:
        arrays = [name for name, rank in sorted(self.names.arrays.items()) if rank == 1]
        if arrays:
            self.lines += [pad + line for line in coloured(self.pick, self.pick.choice(arrays))]
        return bool(arrays)

    def bounds(self, variables: list[str]) -> str:
        """A range: forward or backward, with steps, perhaps triangular."""
        pick = self.pick
        low, high = pick.choice((0, 0, 0, 1, 1, 2)), pick.choice((0, 0, 0, 1, 1, 2))
        name, rank = pick.choice(sorted(self.names.arrays.items()))
        axis = pick.randrange(rank) if not variables else rank - 1
        end = pick.choice((f"{name}.shape[{axis}]", f"{name}.shape[{axis}]", *self.names.sizes))
        if variables and pick.random() < 0.25:
            outer = variables[-1]
            texts = (
                f"range({outer})",
                f"range({outer}, {end})",
                f"range({outer} + 1, {end})",
                f"range({outer} % 2, {end}, 2)",
            )
            return pick.choice(texts)
        stop = f"{end} - {high}" if high else end
        chance = pick.random()
        if chance < 0.1:
            return f"range({stop} - 1, {low - 1}, -1)"
        if chance < 0.15:
            return f"range({stop} - 1, {low - 1}, -2)"
        if chance < 0.25:
            return f"range({low}, {stop}, {pick.choice(('2', '3', 'STRIDE'))})"
        if chance < 0.32:
            return f"range({low}, ({stop}) // 2)"
        if chance < 0.35:
            return f"range(max({low}, k), min({stop}, m))"
        if chance < 0.38:
            return "range(k, m)"
        return f"range({low}, {stop})" if low else f"range({stop})"

    def body(self, pad: str, variables: list[str], count: int) -> None:
        start = len(self.lines)
        scalars = len(self.names.scalars)
        for _ in range(count):
            self.statement(pad, variables)
        if len(self.lines) == start:
            self.write(pad, variables)
        del self.names.scalars[scalars:]

    def statement(self, pad: str, variables: list[str]) -> None:
        pick, chance = self.pick, self.pick.random()
        deep = len(variables) < (3 if pick.random() < 0.3 else 2)
        guards = (len(pad) - len(variables) * 4) // 4
        if chance < 0.3 and deep and guards < 3:
            self.nest(pad, variables)
        elif chance < 0.42 and guards < 2:
            self.lines.append(f"{pad}if {condition(self.names, variables)}:")
            self.body(pad + "    ", variables, 1)
            if pick.random() < 0.3:
                self.lines.append(f"{pad}else:")
                self.body(pad + "    ", variables, 1)
        elif chance < 0.5:
            name = self.new("t")
            self.lines.append(f"{pad}{name} = {value(self.names, variables)}")
            self.names.scalars.append(name)
            self.write(pad, variables)
        elif chance < 0.54:
            name = self.new("q")
            self.lines.append(f"{pad}{name} = {index(self.names, variables)}")
            self.write(pad, [*variables, name])
        elif chance < 0.57:
            name = self.new("u")
            self.lines += [f"{pad}{name} = 0", f"{pad}while {name} < 2:"]
            self.write(pad + "    ", variables)
            self.lines.append(f"{pad}    {name} += 1")
        elif chance < 0.59:
            self.lines.append(f"{pad}if {condition(self.names, variables)}:")
            self.lines.append(f"{pad}    continue")
        elif chance < 0.72 and self.reductions:
            self.reduce(pad, variables)
        else:
            self.write(pad, variables)

    def new(self, letter: str) -> str:
        self.fresh += 1
        return f"{letter}{self.fresh}"

    def write(self, pad: str, variables: list[str]) -> None:
        pick = self.pick
        name = pick.choice(sorted(self.names.arrays))
        if self.names.roles:
            name = pick.choice(sorted(self.names.roles))
        target = element(self.names, variables, name, True)
        chance = pick.random()
        if chance < 0.25:
            self.lines.append(f"{pad}{target} {pick.choice(('+=', '-='))} {value(self.names, variables)}")
        elif chance < 0.3:
            other = element(self.names, variables, name, True)
            self.lines.append(f"{pad}{target}, {other} = {other}, {target}")
        else:
            self.lines.append(f"{pad}{target} = {value(self.names, variables)}")

    def reduce(self, pad: str, variables: list[str]) -> None:
        name, op = self.pick.choice(self.reductions)
        term = access(self.names, variables)
        if self.names.floats and self.pick.random() < 0.3:
            term = f"{self.pick.choice(('0.5', '2.0'))} * {term}"
        if self.pick.random() < 0.02:
            self.carried = True
            self.lines.append(f"{pad}{name} = {name} + {name}")
        if op in ("+", "-"):
            self.inexact = True
            self.lines.append(f"{pad}{name} {op}= {term}")
        elif op == "count":
            self.lines.append(f"{pad}{name} += 1")
        elif op in EXTREMA:
            self.lines += [f"{pad}{line}" for line in self.written[name].format(s=name, e=term).splitlines()]
        elif op in ("and", "or"):
            if self.pick.random() < 0.97:
                local = self.new("t")
                self.lines.append(f"{pad}{local} = {term}")
                term = local
            self.lines.append(f"{pad}{name} = {name} {op} {term} > {self.pick.choice(('0', '-5', '4'))}")
        elif op == "|":
            self.lines.append(f"{pad}{name} |= {self.pick.choice(variables)}")
