"""Nests of three loops over square parts of matrices, as products, updates and solvers have them: rows are independent,
what each iteration does inside is not. Loops are triangular, stepped, descending or empty, and stand under conditions;
their variables are read behind them, and numbers are set several times."""

from __future__ import annotations

from contextlib import ExitStack

from tests.property.writer import Place, Writer, step


def _range(w: Writer, around: list[str], q: str) -> str:
    """The turns of a loop in loops over these variables, inside of 0 to `q`."""
    o = w.pick.choice(around)
    full = (f"range({q})",) * 4
    return w.one(
        *full, f"range({o})", f"range({o}, {q})", f"range({o} + 1, {q})", f"range(1, {q})", f"range({q} - 1, -1, -1)",
        f"range(0, {q}, 2)", f"range({o} % 2, {q}, 2)", f"range({q} - 1, {o}, -1)", f"range(min({o}, 5))",
        f"range({q} // 2, {q})", f"range({q} - {o})", "range(0)", f"range(max({o} - 1, 0), min({o} + 2, {q}))",
        f"range(min(5, {q}))",
    )  # fmt: skip


def _factor(w: Writer, i: str, j: str, k: str, written: str) -> str:
    """A number of an iteration of the innermost loop, perhaps another one of the row that is written."""
    if w.chance(0.15):
        at = w.one(k, j, f"{k} - 1", f"{j} - 1", f"-{k} - 1", f"-{j}", f"{k} - {j}", "0", "-1", f"({k} + 1) // 2")
        return w.one(f"0.5 * {written}[{i}, {at}]", f"{written}[{i}, {at}] - {k}")
    if w.chance(0.12):  # inside or not
        v, s, p = w.array("f"), w.scalar("near"), w.array("i64", fill="index")
        at = w.one(f"{i} * {s} + {k}", f"{s} + {k}", f"{k} * {s}", f"2 * {j} * {s} + {k}", f"{p}[{i}] + {k}", f"{p}[{k}]",
                   f"{s} - {k}", f"{p}[{i}] - {j}", f"{p}[{j}] + {k} - {s}")  # fmt: skip
        return w.one(f"{v}[{at}]", f"{v}[{at}] * 0.5", f"{v}[{at}] * {v}[{k}]")
    x = w.array("f", 2, avoid=[written])
    y = w.array("n", 2, avoid=[written])
    v = w.array("f")
    first = w.one(f"{x}[{i}, {k}]", f"{x}[{i}, {k}]", f"{x}[{k}, {i}]", f"{x}[{j}, {k}]", f"{v}[{k}]", f"{x}[{i}, {j}]")
    second = w.one(f"{y}[{k}, {j}]", f"{y}[{j}, {k}]", f"{v}[{k}]", f"{v}[{i}]", f"{y}[{i}, {k}]", "0.5", k)
    return w.one(
        f"{first} * {second}", f"{first} * {second}", f"{first} + {second}", f"({first} - {second}) * 0.5", first
    )


def _under(w: Writer, place: Place) -> str:
    return w.one("if True:", f"if {place.i} % 2 == 0:", f"if {place.i} > {place.j}:", f"if {w.condition(place)}:")


@step
def matrix_nest(w: Writer) -> None:
    """Rows of a matrix, each of which an iteration makes of sums over others."""
    c = w.target("f", 2)
    w.arrays[c].exact = False
    q, i, j, k = w.fresh("q"), w.fresh("i"), w.fresh("j"), w.fresh("k")
    sizes = (f"min({c}.shape[0], {c}.shape[1])", f"min({c}.shape[1], {c}.shape[0])")
    w.line(f"{q} = {w.one(*sizes)}")
    v = w.length()
    w.line(f"{q} = min({q}, {v})")
    rows = w.one(f"range({q})", f"range({q})", f"range({q} - 1, -1, -1)", f"range(1, {q})", f"range(0, {q}, 2)")
    with w.block(f"for {i} in {rows}:"):
        form = w.pick.choice((_sums, _sums, _elements, _elements, _row, _parts))
        if w.chance(0.15):
            with w.block(f"if {w.condition(Place(i))}:"):
                form(w, c, q, i, j, k)
        else:
            form(w, c, q, i, j, k)


def _sums(w: Writer, c: str, q: str, i: str, j: str, k: str) -> None:
    """Sums in numbers, which may begin with elements, and may be used twice."""
    s, t = w.fresh("s"), w.fresh("t")
    with w.block(f"for {j} in {_range(w, [i], q)}:"):
        w.line(f"{s} = {w.one('0.0', '0.0', f'{c}[{i}, {j}]', '1.5')}")
        both = w.chance(0.3)
        if both:
            w.line(f"{t} = {w.one('0.0', f'{s} * 2.0', '1.0')}")
        read = w.chance(0.2)
        if read:
            w.line(f"{k} = -1")
        turns = _range(w, [i, j], q)
        guard = [w.block(_under(w, Place(i, j)))] if w.chance(0.15) else []
        with ExitStack() as stack:
            for each in (*guard, w.block(f"for {k} in {turns}:")):
                stack.enter_context(each)
            update = f"{s} {w.one('+=', '+=', '-=')} {_factor(w, i, j, k, c)}"
            if w.chance(0.2):
                with w.block(_under(w, Place(k, j))):
                    w.line(update)
            else:
                w.line(update)
            if both:
                w.line(
                    w.one(
                        f"{t} += {_factor(w, i, j, k, c)}", f"{t} = max({t}, {_factor(w, i, j, k, c)})", f"{t} += {s}"
                    )
                )
        if w.chance(0.2):
            w.line(f"{s} = {s} * 0.5")
            with w.block(f"for {k} in {_range(w, [i, j], q)}:"):
                w.line(f"{s} += {_factor(w, i, j, k, c)}")
        end = s + (f" + {t}" if both else "") + (f" + {k}" if read else "")
        w.line(f"{c}[{i}, {j}] {w.one('=', '+=')} {end}")


def _elements(w: Writer, c: str, q: str, i: str, j: str, k: str) -> None:
    """Sums in elements, by loops in either order."""
    first, second = (j, k) if w.chance(0.5) else (k, j)
    zero = w.chance(0.4)
    if zero and first == k:
        with w.block(f"for {j} in range({q}):"):
            w.line(f"{c}[{i}, {j}] = 0")
    if w.chance(0.15):
        w.line(f"{c}[{i}, 0] = 2.0")
    with w.block(f"for {first} in {_range(w, [i], q)}:"):
        if zero and first == j:
            w.line(f"{c}[{i}, {j}] = 0")
        update = f"{c}[{i}, {j}] {w.one('+=', '+=', '-=')} {_factor(w, i, j, k, c)}"
        with w.block(f"for {second} in {_range(w, [i, first], q)}:"):
            if w.chance(0.2):
                with w.block(_under(w, Place(i, j))):
                    w.line(update)
            else:
                w.line(update)
        if first == j and w.chance(0.3):
            w.line(f"{c}[{i}, {j}] *= 0.5")


def _row(w: Writer, c: str, q: str, i: str, j: str, k: str) -> None:
    """Sums in a row of the iteration, which is stored at the end."""
    row = w.fresh("w")
    w.line(f"{row} = np.zeros({q}{w.one('', ', np.float32', '')})")
    first, second = (j, k) if w.chance(0.5) else (k, j)
    with w.block(f"for {first} in {_range(w, [i], q)}:"), w.block(f"for {second} in {_range(w, [i, first], q)}:"):
        w.line(f"{row}[{j}] += {_factor(w, i, j, k, c)}")
    with w.block(f"for {j} in range({q}):"):
        w.line(f"{c}[{i}, {j}] {w.one('=', '+=')} {row}[{w.one(j, f'{q} - 1 - {j}')}]")


def _parts(w: Writer, c: str, q: str, i: str, j: str, k: str) -> None:
    """A loop with work before and behind the loop in it, which may be parted or change places."""
    x = w.target("f64")
    w.arrays[x].exact = False
    with w.block(f"for {j} in {_range(w, [i], q)}:"):
        if w.chance(0.6):
            w.line(w.one(f"{c}[{i}, {j}] = {_factor(w, i, j, j, c)}", f"{x}[{i}] += 0.25", f"{c}[{i}, {j}] *= 0.5"))
        with w.block(f"for {k} in {_range(w, [i, j], q)}:"):
            w.line(f"{c}[{i}, {w.one(j, j, k)}] {w.one('+=', '-=')} {_factor(w, i, j, k, c)}")
        if w.chance(0.6):
            w.line(
                w.one(f"{x}[{i}] += {c}[{i}, {j}]", f"{x}[{i}] = {c}[{i}, {q} - 1 - {j}]", f"{c}[{i}, {j}] += {x}[{i}]")
            )
