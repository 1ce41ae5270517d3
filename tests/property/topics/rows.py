"""Rows of a sparse matrix, from a pointer to the next one: sums along them, under conditions, with limits that are loaded
behind tests; rows may be empty, or have all that there is."""

from __future__ import annotations

from tests.property.writer import Writer, step


@step
def compressed_rows(w: Writer) -> None:
    """Products of compressed rows and a vector, or sums, extremes and counts of their elements."""
    ptr, col = w.parameter("p", fill="pointers"), w.parameter("p", fill="index")
    v, x = w.array("f64"), w.array(w.one("f64", "i64"))
    w.reading, w.writing = {v, x, ptr, col}, set()
    out, i, k, s = w.target("f64"), w.fresh("i"), w.fresh("k"), w.fresh("s")
    row, rows = i, f"min({ptr}.shape[0] - 1, {out}.shape[0])"
    head = w.one(f"range({rows})", f"range({rows})", f"range({rows} - 1, -1, -1)", f"range(0, {rows}, 2)")
    first, last = f"{ptr}[{row}]", f"{ptr}[{row} + 1]"
    with w.block(f"for {i} in {head}:"):
        form = w.pick.randrange(5)
        if form == 0:  # what the limits are of is loaded behind a test
            w.line(f"{out}[{row}] = 0.0")
            with w.block(f"if {w.condition_of(row)}:"):
                _row(w, k, s, first, last, v, x, col)
                w.line(f"{out}[{row}] = {s}")
        elif form == 1:
            with w.block(f"if {w.condition_of(row)}:"):
                w.line("continue")
            _row(w, k, s, first, last, v, x, col)
            w.line(f"{out}[{row}] {w.one('=', '+=')} {s}")
        elif form == 2:
            a, b = w.fresh("a"), w.fresh("b")
            w.line(f"{a}, {b} = {first}, {last}")
            with w.block(f"if {b} > {a}:"):
                _row(w, k, s, a, b, v, x, col)
                w.line(f"{out}[{row}] = {s} / ({b} - {a})")
        elif form == 3:
            with w.block(f"for {k} in range({first}, {last}):"):
                w.line(f"{out}[{row}] += {v}[{k}] * {x}[{col}[{k}]]")
        else:
            _row(w, k, s, first, last, v, x, col)
            w.line(f"{out}[{row}] = {s}")


def _row(w: Writer, k: str, s: str, first: str, last: str, v: str, x: str, col: str) -> None:
    """One row into a number."""
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
