"""Iterations that go along stretches of their own, by one loop or several, which may end before the stretch does."""

from __future__ import annotations

from tests.property.writer import Writer, step


@step
def stretches(w: Writer) -> None:
    """Parts of one length, one iteration each: running values of its elements, stored, and changed again."""
    n, part, i, s, x, out = w.length(), w.fresh("w"), w.fresh("i"), w.fresh("s"), w.array("f64"), w.target("f64")
    x = out if w.chance(0.2) else x
    size, down = w.pick.choice((2, 3, 4, 7)), w.chance(0.3)
    first = f"{n} // {size} * {size} - 1 - {size} * {part}" if down else f"{size} * {part}"
    end = f"{first} {'-' if down else '+'} {size}"
    near = w.scalar("near")
    shorter = f"max({end}, {near})" if down else f"min({end}, {near} + {w.one('1', '3', '6')})"
    with w.block(f"for {part} in range({n} // {size}):"):
        w.line(f"{s} = {w.one('0.0', '1.0', '-0.5')}")
        for k in range(w.pick.choice((1, 2, 2, 3))):
            stop = w.one(end, shorter)
            with w.block(f"for {i} in range({first}, {stop}{', -1' if down else ''}):"):
                w.line(f"{s} {w.one('+=', '-=')} {x}[{i}]")
                w.line(f"{out}[{i}] {w.one('=', '=', '+=') if k else '='} {w.one(s, s, f'{s} * 0.5')}")
        if w.chance(0.3):
            w.line(f"{out}[{first}] = {s}")


@step
def rows_behind_a_test(w: Writer) -> None:
    """Sums along rows, as far as a number says, if the rows are so long."""
    g, out = w.array("f64", 2), w.target("f64")
    i, j, s, far = w.fresh("i"), w.fresh("j"), w.fresh("s"), w.scalar("up")
    test = w.one(f"{far} <= {g}.shape[1]", f"{far} < {g}.shape[1] and {far} >= 0")
    with w.block(f"for {i} in range(min({out}.shape[0], {g}.shape[0])):"), w.block(f"if {test}:"):
        w.line(f"{s} = 0.0")
        with w.block(f"for {j} in range({far}):"):
            w.line(f"{s} += {g}[{i}, {j}]")
        w.line(f"{out}[{i}] = {s}")
