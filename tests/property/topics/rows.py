"""Rows of a sparse matrix, from a pointer to the next one: sums along them, under conditions, with limits that are loaded
behind tests; rows may be empty, or have all that there is."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from tests.property.writer import Writer, step


@dataclass
class Rows:
    """The arrays of a matrix, its pointers first, the vector, and what a loop over the rows makes; its variables."""

    ptr: str
    col: str
    v: str
    x: str
    out: str
    i: str
    k: str
    s: str

    @property
    def limits(self) -> tuple[str, str]:
        return f"{self.ptr}[{self.i}]", f"{self.ptr}[{self.i} + 1]"


@contextmanager
def rows_of(w: Writer) -> Iterator[Rows]:
    """A loop over the rows of a matrix, in some order."""
    ptr, col = w.parameter("p", fill="pointers"), w.parameter("p", fill="index")
    v, x = w.array("f64"), w.array(w.one("f64", "i64"))
    w.reading, w.writing = {v, x, ptr, col}, set()
    out, i, k, s = w.target("f64"), w.fresh("i"), w.fresh("k"), w.fresh("s")
    rows = f"min({ptr}.shape[0] - 1, {out}.shape[0])"
    head = w.one(f"range({rows})", f"range({rows})", f"range({rows} - 1, -1, -1)", f"range(0, {rows}, 2)")
    with w.block(f"for {i} in {head}:"):
        yield Rows(ptr, col, v, x, out, i, k, s)


@step
def compressed_rows(w: Writer) -> None:
    """Products of compressed rows and a vector, or sums, extremes and counts of their elements."""
    with rows_of(w) as r:
        _row(w, r, *r.limits)
        w.line(f"{r.out}[{r.i}] = {r.s}")


@step
def compressed_rows_under_conditions(w: Writer) -> None:
    """What the limits are of is loaded behind a test."""
    with rows_of(w) as r:
        test = w.condition_of(r.i)
        if w.chance(0.5):
            w.line(f"{r.out}[{r.i}] = 0.0")
            with w.block(f"if {test}:"):
                _row(w, r, *r.limits)
                w.line(f"{r.out}[{r.i}] = {r.s}")
        else:
            with w.block(f"if {test}:"):
                w.line("continue")
            _row(w, r, *r.limits)
            w.line(f"{r.out}[{r.i}] {w.one('=', '+=')} {r.s}")


@step
def means_of_compressed_rows(w: Writer) -> None:
    """Of rows that are not empty."""
    with rows_of(w) as r:
        a, b = w.fresh("a"), w.fresh("b")
        w.line(f"{a}, {b} = {', '.join(r.limits)}")
        with w.block(f"if {b} > {a}:"):
            _row(w, r, a, b)
            w.line(f"{r.out}[{r.i}] = {r.s} / ({b} - {a})")


@step
def compressed_rows_into_elements(w: Writer) -> None:
    """Products that are added to the element itself."""
    with rows_of(w) as r, w.block(f"for {r.k} in range({', '.join(r.limits)}):"):
        w.line(f"{r.out}[{r.i}] += {r.v}[{r.k}] * {r.x}[{r.col}[{r.k}]]")


def _row(w: Writer, r: Rows, first: str, last: str) -> None:
    """One row into a number."""
    k, s, v, x, col = r.k, r.s, r.v, r.x, r.col
    w.line(f"{s} = {w.one('0.0', '0.0', '1.0')}")
    stop = w.one(last, last, f"min({last}, {first} + 3)", f"{last} - 1")
    with w.block(f"for {k} in range({first}, {stop}):"):
        taken = f"{v}[{k}] * {x}[{col}[{k}]]"
        form = w.pick.randrange(5)
        if form == 0:
            with w.block(f"if {w.one(f'{v}[{k}] > 0.0', f'{col}[{k}] % 2 == 0', f'{col}[{k}] != {first}')}:"):
                w.line(f"{s} += {taken}")
        elif form == 1:
            with w.block(f"if {col}[{k}] == 1:"):
                w.line(w.one("continue", "break"))
            w.line(f"{s} += {taken}")
        elif form == 2:
            w.line(f"{s} = max({s}, {v}[{k}])")
        else:
            w.line(f"{s} += {w.one(taken, taken, f'{v}[{k}]')}")
