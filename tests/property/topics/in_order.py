"""Loops that carry something from iteration to iteration, beside those that can be distributed; sums into elements."""

from __future__ import annotations

from tests.property.writer import Place, Writer, step


@step
def recurrence(w: Writer) -> None:
    a, i, n = w.array("f"), w.fresh("i"), w.length()
    b = w.array("f", avoid=[a])
    w.arrays[a].exact = False
    texts = (
        f"{a}[{i}] += {a}[{i} - 1]",
        f"{a}[{i}] = 0.5 * {a}[{i} - 1] + {b}[{i}]",
        f"{a}[{i}] = {b}[{i}] - {a}[{i} - 1] / 2",
        f"{b}[{i}] = {b}[{i} - 1] * 0.5",
    )
    w.arrays[b].exact = False
    with w.block(
        f"for {i} in {w.one(f'range(1, {n})', f'range(1, {n})', f'range({n} - 1, 0, -1)', f'range(2, {n}, 2)')}:"
    ):
        w.line(w.one(*texts))
    w.vector()


@step
def carried_number(w: Writer) -> None:
    """Horner's rule, a running sum, a filter: a number handed on, and what becomes of it written."""
    a, s, i, n = w.array("f64"), w.fresh("s"), w.fresh("i"), w.length()
    b = w.array("f64", avoid=[a])
    w.arrays[b].exact = False
    w.line(f"{s} = 0.0")
    with w.block(f"for {i} in {w.one(f'range({n})', f'range({n} - 1, -1, -1)', f'reversed(range({n}))')}:"):
        w.line(w.one(f"{s} = 0.5 * {s} + {a}[{i}]", f"{s} = {a}[{i}] - {s} * 0.25", f"{s} += {a}[{i}]"))
        w.line(w.one(f"{b}[{i}] = {s}", f"{b}[{i}] += {s}", f"{b}[{i}] = {s} * 2.0"))
    w.results.append(s)


@step
def accumulated(w: Writer) -> None:
    """Products of matrices and vectors: elements accumulated in inner loops, also under conditions."""
    g, t, x = w.array("f", 2), w.target("f"), w.array("f")
    if t == x:
        return
    i, j = w.fresh("i"), w.fresh("j")
    w.arrays[t].exact = False
    outer = w.one(f"range({g}.shape[0])", f"range({g}.shape[0] - 1, -1, -1)", f"range(len({g}))")
    inner = w.one(f"range({g}.shape[1])", f"range(min({i}, {g}.shape[1]))", f"range({g}.shape[1] - 1, -1, -1)")
    with w.block(f"for {i} in {outer}:"):
        if w.chance(0.5):
            w.line(f"{t}[{i}] = 0")
        with w.block(f"for {j} in {inner}:"):
            update = f"{t}[{i}] {w.one('+=', '-=')} {g}[{i}, {j}] * {x}[{w.one(j, i, f'{j} % len({x})')}]"
            if w.chance(0.4):
                with w.block(f"if {w.condition(Place(i, j))}:"):
                    w.line(update)
            else:
                w.line(update)
        if w.chance(0.3):
            w.line(f"{t}[{i}] = {t}[{i}] * 0.5")


@step
def product_of_matrices(w: Writer) -> None:
    a, b, c = (w.parameter("f64", 2) for _ in range(3))
    i, j, k = w.fresh("i"), w.fresh("j"), w.fresh("k")
    w.arrays[c].exact = False
    loops = [f"for {i} in range({a}.shape[0]):", f"for {j} in range({a}.shape[1]):", f"for {k} in range({b}.shape[1]):"]
    if w.chance(0.4):
        w.pick.shuffle(loops)
    if w.chance(0.3):
        loops[-1] = loops[-1].replace("range(", "reversed(range(")[:-1] + "):"
    with w.block(loops[0]), w.block(loops[1]), w.block(loops[2]):
        update = f"{c}[{i}, {k}] {w.one('+=', '-=')} {a}[{i}, {j}] * {b}[{w.one(j, f'{j} % {b}.shape[0]')}, {k}]"
        if w.chance(0.3):
            with w.block(f"if {w.condition(Place(i, k))}:"):
                w.line(update)
        else:
            w.line(update)


@step
def triangular_solve(w: Writer) -> None:
    """x[i] -= low[i, j] * x[j] over j < i: in order over i."""
    g, x, y = w.array("f64", 2), w.array("f64"), w.array("f64")
    i, j = w.fresh("i"), w.fresh("j")
    w.arrays[x].exact = False
    up = w.chance(0.5)
    stop = f"min({g}.shape[0], len({x}))"
    with w.block(f"for {i} in range({stop}):" if up else f"for {i} in range({stop} - 1, -1, -1):"):
        with w.block(
            f"for {j} in range(min({i}, {g}.shape[1])):"
            if up
            else f"for {j} in range({i} + 1, min({stop}, {g}.shape[1])):"
        ):
            w.line(f"{x}[{i}] -= {g}[{i}, {j}] * {x}[{j}]")
        w.line(f"{x}[{i}] = {x}[{i}] * 0.25")
    with w.block(f"for {i} in range(len({y})):"):
        w.line(f"{y}[{i}] += 1.0")
