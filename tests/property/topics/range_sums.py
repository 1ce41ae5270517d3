"""Reductions over a range alone, Monte Carlo among them, and into arrays at indexes that data says."""

from __future__ import annotations

from contextlib import nullcontext

from tests.property.writer import Place, Writer, step


@step
def monte_carlo(w: Writer) -> None:
    """Points of a generator that each iteration starts anew, counted."""
    i, s, hits, n = w.fresh("i"), w.fresh("s"), w.fresh("t"), w.length()
    k = w.scalar("natural")
    w.line(f"{hits} = 0")
    turns = w.one(f"range({k})", f"range(50 * {k})", f"range(7, {k} + {n})", "range(100)", "range(99, -1, -1)")
    with w.block(f"for {i} in {turns}:"):
        w.line(
            f"{s} = {w.one(f'{i} * 7919 + 12345', f'({i} + 1) * 69621 % 2147483647', f'np.int64({i}) * 6364136223846793005 + 1')}"
        )
        with w.block(f"for {w.fresh('r')} in range({w.one('2', '5')}):"):
            w.line(w.one(f"{s} = ({s} * 16807) % 2147483647", f"{s} = ({s} * 1103515245 + 12345) % 2147483648"))
        test = w.one(f"{s} % 3 == 1", f"{s} / 2147483648.0 < 0.5", f"{s} & 4 == 4")
        with w.block(f"if {test}:"):
            w.line(w.one(f"{hits} += 1", f"{hits} += {s} % 7", f"{hits} = {hits} + {i}"))
    w.results.append(hits)


@step
def series(w: Writer) -> None:
    """An integer reduction of indexes alone."""
    i, s, k = w.fresh("i"), w.fresh("s"), w.scalar("natural")
    w.line(f"{s} = {w.one('0', '1')}")
    with w.block(f"for {i} in {w.one(f'range({k})', 'range(1, 40, 3)', f'range({k}, -1, -1)', f'range({k}, 30)')}:"):
        update = w.one(
            f"{s} += {i} * {i}",
            f"{s} ^= {i} * 2654435761",
            f"{s} = max({s}, {i} % 5)",
            f"{s} -= {i}",
            f"{s} |= {i}",
            f"{s} = min({s}, 3 - {i})",
        )
        if w.chance(0.4):
            with w.block(f"if {w.condition(Place(i))}:"):
                w.line(update)
        else:
            w.line(update)
    w.results.append(s)


@step
def histogram_of_matrix(w: Writer) -> None:
    """Sums, maxima or bits by keys, of the elements of a matrix."""
    h, i, j, g = w.fresh("h"), w.fresh("i"), w.fresh("j"), w.array("i64", 2)
    x, place = f"{g}[{i}, {j}]", Place(i, j)
    form, dtype = w.one("+", "max", "|"), w.one("int64", "float64")
    dtype = dtype if form == "+" else "int64"
    w.line(f"{h} = np.zeros({w.one('5', '(5, 2)')}, np.{dtype})")
    key = f"{x} % 5" if w.lines[-1].count("(") == 1 else f"{x} % 5, {w.one('0', '1', f'{j} % 2')}"
    with (
        w.block(f'with sync({h}, reduce="{form}"):'),
        w.block(f"for {i} in range({w.one('', '1, ')}{g}.shape[0]):"),
        w.block(
            f"for {j} in {w.one(f'range({g}.shape[1])', f'range({g}.shape[1] - 1, -1, -1)', f'range({i} % 2, {g}.shape[1])')}:"
        ),
    ):
        new = w.one("1", x, f"{x} - {i}", f"{i} * {j}")
        at = f"{h}[{key}]"
        update = f"{at} = max({at}, {new})" if form == "max" else f"{at} {form}= {new}"
        with w.block(f"if {w.condition(place)}:") if w.chance(0.4) else nullcontext():
            w.line(update)
    w.results.append(h)


@step
def histogram(w: Writer) -> None:
    h, i, n = w.fresh("h"), w.fresh("i"), w.length()
    x = w.element(Place(i), "i64", w.one("small", "edges")).text
    size = w.one("7", "3", "16")
    w.line(f"{h} = np.zeros({size}, np.int64)")
    with (
        w.block(f'with sync({h}, reduce="+"):'),
        w.block(f"for {i} in {w.one(f'range({n})', f'range({n} - 1, -1, -1)', f'range(0, {n}, 2)')}:"),
    ):
        at = w.one(f"{x} % {size}", f"({x} * 31 + {i}) % {size}", f"{i} % {size}", f"-({x} % {size}) - 1")
        update = f"{h}[{at}] += {w.one('1', i, x, f'{i} * {x}')}"
        if w.chance(0.4):
            with w.block(f"if {w.condition(Place(i))}:"):
                w.line(update)
        else:
            w.line(update)
    w.results.append(w.one(h, h, f"{h}[0]"))
