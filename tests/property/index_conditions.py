"""Random loops with conditions on arithmetic of their indexes, on an OpenCL device against plain Python.

`python -m tests.property.index_conditions --programs 250 --first 0 --device intel`

They are the shapes that compilers of kernels have got wrong: loops that ascend and descend, with steps, triangles and
grids; conditions on `n - i` and its like; loops inside, with arrays and tuples of their own; sums and histograms under
conditions. Accesses are inside their arrays, sums that are compared are exact, so the bits must be those of Python.
"""

from __future__ import annotations

import argparse
import linecache
import random
import traceback
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

import somd
from somd.errors import SomdCompileError, SomdFallbackWarning

#: loops in a program, and values of (n, m): vectors of 4 to 16 work-items have full and partial groups of them
LOOPS = 4
SIZES = ((1, 0), (5, 3), (17, 4), (33, 40), (70, 9))
FLOATS, INTEGERS = ("float64", "float32"), ("int64", "int64", "int32", "int16")
HEADER = """\
import numpy as np
from somd import dist, sync


def halves(x, m: int):
    count = 0
    while x > m:
        x = x // 2
        count += 1
    return count


def method(a: dist[np.ndarray], k: dist[np.ndarray], g: dist[np.ndarray], n: int, m: int, {outs}):
"""
RANGES = (
    "range(n)",
    "range(1, n)",
    "range(0, n, 3)",
    "range(m, n)",
    "range(n - 1, -1, -1)",
    "range(n - 1, 0, -2)",
    "range(n - 1, m, -1)",
    "range(n - 2, -1, -3)",
    "reversed(range(n))",
    "reversed(range(1, n))",
)
INNER = (
    "range(i)",
    "range(i, n)",
    "range(i + 1, n)",
    "range(n - i)",
    "range(n - 1, i, -1)",
    "range(i, -1, -1)",
    "range(i % 4)",
    "range(min(5, n))",
    "range(min(m, n))",
    "range(i // 2, i)",
    "range(n - 1 - i, n)",
    "range(i - 1, -1, -2)",
)
GRIDS = ("range(n)", "range(i, n)", "range(i)", "range(n - 1, -1, -1)", "range(n - 1, i, -1)", "range(n - i)")


class Writer:
    """One program: `text` is its source."""

    def __init__(self, number: int) -> None:
        self.pick = random.Random(number)
        self.lines: list[str] = []
        kinds = (self.line, self.line, self.line, self.grid, self.total, self.histogram)
        loops = [self.pick.choice(kinds) for _ in range(LOOPS)]
        for place, loop in enumerate(loops):
            loop(place)
        outs = ", ".join(f"c{k}: dist[np.ndarray]" for k in range(LOOPS))
        totals = [f"t{place}" for place, loop in enumerate(loops) if loop == self.total]
        body = [f"{total} = np.int64(0)" for total in totals]
        ends = [f"return {', '.join(totals)}"] if totals else []
        self.text = HEADER.format(outs=outs) + "".join(f"    {line}\n" for line in (*body, *self.lines, *ends))

    # --- loops over the whole ------------------------------------------------------------------------------------

    def line(self, place: int) -> None:
        self.lines.append(f"for i in {self.pick.choice(RANGES)}:")
        self.body(place, ["i"])

    def grid(self, place: int) -> None:
        self.lines += [f"for i in {self.pick.choice(RANGES)}:", f"    for j in {self.pick.choice(GRIDS)}:"]
        pad = "    " * 2
        if self.pick.random() < 0.8:
            self.lines.append(f"{pad}if {self.condition(['i', 'j'])}:")
            pad += "    "
        self.lines.append(f"{pad}g[i, {place} * n + j] = a[i] + {self.index(['i', 'j'])}")

    def total(self, place: int) -> None:
        self.lines.append(f"for i in {self.pick.choice(RANGES)}:")
        pad = "    "
        if self.pick.random() < 0.8:
            self.lines.append(f"{pad}if {self.condition(['i'])}:")
            pad += "    "
        if self.pick.random() < 0.4:
            self.lines.append(f"{pad}for j in {self.pick.choice(INNER)}:")
            pad += "    "
            if self.pick.random() < 0.5:
                self.lines.append(f"{pad}if {self.condition(['i', 'j'])}:")
                pad += "    "
            self.lines.append(f"{pad}t{place} += k[j] * k[i]")
        else:
            self.lines.append(f"{pad}t{place} += k[i]")

    def histogram(self, place: int) -> None:
        self.lines += [f"h{place} = np.zeros(7, np.int64)", f'with sync(h{place}, reduce="+"):']
        self.lines.append(f"    for i in {self.pick.choice(RANGES)}:")
        pad = "    " * 2
        if self.pick.random() < 0.8:
            self.lines.append(f"{pad}if {self.condition(['i'])}:")
            pad += "    "
        self.lines.append(f"{pad}h{place}[(k[i] + i) % 7] += {self.pick.choice(('1', 'i', 'k[i]'))}")
        self.lines += ["for i in range(min(n, 7)):", f"    c{place}[i] = h{place}[i]"]

    # --- an iteration --------------------------------------------------------------------------------------------

    def body(self, place: int, names: list[str]) -> None:
        pad = "    "
        kind = self.pick.choice(
            ("plain", "plain", "sum", "array", "rows", "tuple", "while", "integers", "choice", "helper")
        )
        if self.pick.random() < 0.3:
            self.lines += [f"{pad}if {self.condition(names)}:", f"{pad}    continue"]
        for _ in range(self.pick.choice((0, 1, 1, 2))):
            self.lines.append(f"{pad}if {self.condition(names)}:")
            pad += "    "
        result = self.value(names)
        if kind in ("sum", "integers"):
            result, zero = ("s", "np.float64(0.0)") if kind == "sum" else ("q", "np.int64(0)")
            self.lines.append(f"{pad}{result} = {zero}")
            self.inner(pad, "s += a[j] * 0.1" if kind == "sum" else "q += k[j]")
        elif kind == "array":
            length = self.pick.choice((1, 2, 3))
            self.lines.append(f"{pad}w = np.zeros({length})")
            at = self.pick.choice((f"j % {length}", f"(i + j) % {length}", "0", f"k[j] % {length}"))
            self.inner(pad, f"w[{at}] {self.pick.choice(('+= a[j] * 0.1', '+= 1.0', '-= a[j]', '*= 1.01'))}")
            result = " - 2.0 * ".join(f"w[{e}]" for e in range(length))
        elif kind == "rows":
            self.lines += [f"{pad}r = np.zeros(m + 1)"]
            self.inner(
                pad, self.pick.choice(("r[j % (m + 1)] += a[j] * 0.1", "r[(i + j) % (m + 1)] += 1.0", "r[m] -= a[j]"))
            )
            result = "r[0] - 2.0 * r[m]"
        elif kind == "choice":
            result = f"{self.value(names)} if {self.condition(names)} else c{place}[i]"
        elif kind == "helper":
            result = f"float(halves({self.index(names)}, m + 1))"
        elif kind == "tuple":
            self.lines.append(f"{pad}p = (np.float64(0.0), np.float64(1.0))")
            self.inner(pad, "p = (p[0] + a[j] * p[1], p[1] * 0.99)")
            result = "p[0] + p[1]"
        elif kind == "while":
            self.lines += [f"{pad}s = np.float64(0.0)", f"{pad}j = i", f"{pad}while j > {self.pick.choice('0m3')}:"]
            self.lines += [f"{pad}    s += a[j] * 0.3", f"{pad}    j -= {self.pick.choice('123')}"]
            result = "s"
        self.lines.append(f"{pad}c{place}[i] = {result}")
        if self.pick.random() < 0.15:
            self.lines += ["    else:" if pad == "        " else f"{pad}if {self.condition(names)}:"]
            deeper = "        " if pad == "        " else pad + "    "
            self.lines.append(f"{deeper}c{place}[i] = {self.value(names)}")

    def inner(self, pad: str, update: str) -> None:
        self.lines.append(f"{pad}for j in {self.pick.choice(INNER)}:")
        if self.pick.random() < 0.5:
            self.lines.append(f"{pad}    if {self.condition(['i', 'j'])}:")
            if self.pick.random() < 0.3:
                self.lines += [f"{pad}        {self.pick.choice(('break', 'continue'))}", f"{pad}    {update}"]
                return
            pad += "    "
        self.lines.append(f"{pad}    {update}")

    def value(self, names: list[str]) -> str:
        return self.pick.choice(("a[i]", "a[i] * 2.0", f"a[i] + {self.index(names)}", f"float({self.index(names)})"))

    # --- expressions ---------------------------------------------------------------------------------------------

    def condition(self, names: list[str]) -> str:
        if self.pick.random() < 0.25:
            word = self.pick.choice(("and", "or", "and not"))
            return f"({self.comparison(names)}) {word} ({self.comparison(names)})"
        return self.comparison(names)

    def comparison(self, names: list[str]) -> str:
        roll = self.pick.random()
        sign = self.pick.choice(("<", "<=", ">", ">=", "<", ">", "==", "!="))
        if roll < 0.1:
            return f"a[{self.pick.choice(['i'])}] {sign} 0.5"
        if roll < 0.2:
            return f"{self.index(names)} % 3 {sign} 1"
        if roll < 0.3:
            return f"{self.limit()} < {self.index(names)} <= {self.limit()}"
        sides = [self.index(names), self.limit()]
        self.pick.shuffle(sides)
        return f"{sides[0]} {sign} {sides[1]}"

    def index(self, names: list[str]) -> str:
        name = self.pick.choice(names)
        forms = (
            "{0}",
            "n - {0}",
            "n - 1 - {0}",
            "{0} + m",
            "{0} - m",
            "m - {0}",
            "-{0}",
            "2 * {0}",
            "{0} // 2",
            "3 - {0}",
        )
        other = self.pick.choice(names)
        more = ("{0} + {1}", "{0} - {1}", "n - {0} - {1}", "min({0}, m)", "max({0}, 3)", "abs({0} - m)", "{0} * {1}")
        return "(" + self.pick.choice((*forms, *forms, *more)).format(name, other) + ")"

    def limit(self) -> str:
        return self.pick.choice(("m", "5", "n - m", "0", "n // 2", "-2", "n", "2 * m", "n - 3", "1"))


def function_of(number: int) -> tuple[Callable[..., Any], str]:
    """The function of program `number`, its source known to `inspect`; and the source."""
    text, name = Writer(number).text, f"<index condition {number}>"
    linecache.cache[name] = (len(text), None, text.splitlines(keepends=True), name)
    names: dict[str, Any] = {"__name__": "generated"}
    exec(compile(text, name, "exec"), names)
    return names["method"], text


def arguments(n: int, m: int, kinds: tuple[str, str]) -> tuple[Any, ...]:
    """Arguments of lengths n, the arrays `a` and `k` of two dtypes."""
    pick = np.random.default_rng((n, m))
    arrays = pick.random(n).astype(kinds[0]), pick.integers(0, 9, n).astype(kinds[1]), np.zeros((n, LOOPS * n))
    return (*arrays, n, m, *(np.zeros(max(n, 7)) for _ in range(LOOPS)))


def difference(number: int, device: str | None) -> str | None:
    """How program `number` differs on `device` from plain Python; None where it agrees.

    Raises:
        SomdCompileError, SomdFallbackWarning: it is refused, or does not run there.
    """
    function, _ = function_of(number)
    method = somd.somd(function)
    kinds = FLOATS[number % len(FLOATS)], INTEGERS[number // 2 % len(INTEGERS)]
    for n, m in SIZES:
        given, wanted = arguments(n, m, kinds), arguments(n, m, kinds)
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore", RuntimeWarning)
            expected = function(*wanted)
        with warnings.catch_warnings(), somd.use(target="opencl", device=device):
            warnings.simplefilter("error", SomdFallbackWarning)
            found = method(*given)
        if found != expected:
            return f"n = {n}, m = {m}: {found} instead of {expected}"
        for place, (mine, theirs) in enumerate(zip(given, wanted, strict=True)):
            if not np.array_equal(mine, theirs):
                return f"n = {n}, m = {m}: argument {place} differs"
    return None


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--programs", type=int, default=100)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--device", default="intel")
    options = parser.parse_args()
    counts = {"agree": 0, "differ": 0, "refused": 0, "failed": 0}
    for number in range(options.first, options.first + options.programs):
        try:
            found = difference(number, options.device)
        except (SomdCompileError, SomdFallbackWarning) as error:
            counts["refused"] += 1
            print(f"# {number} refused: {str(error).splitlines()[0][:150]}", flush=True)
            continue
        except Exception:
            counts["failed"] += 1
            print(f"# {number} failed\n{function_of(number)[1]}\n{traceback.format_exc()}", flush=True)
            continue
        counts["agree" if found is None else "differ"] += 1
        if found is not None:
            print(f"# {number} differs: {found}\n{function_of(number)[1]}", flush=True)
    print(counts)


if __name__ == "__main__":
    main()
