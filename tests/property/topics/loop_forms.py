"""The forms of loops: upward, downward, reversed, with steps, over arrays, grids, without any turn."""

from __future__ import annotations

from collections.abc import Iterator

from tests.property.writer import Place, Writer, loop


@loop
def upward(w: Writer) -> Iterator[Place]:
    i, n = w.fresh("i"), w.length()
    with w.block(f"for {i} in range({w.one('', '', '1, ', '2, ')}{n}{w.one('', '', ' - 1')}):"):
        yield Place(i)


@loop
def downward(w: Writer) -> Iterator[Place]:
    i, n = w.fresh("i"), w.length()
    head = w.one(f"range({n} - 1, -1, -1)", f"range({n} - 1, 0, -2)", f"range({n} - 2, -1, -3)", f"reversed(range({n}))",
                 f"reversed(range(1, {n}))", f"reversed(range(0, {n}, 2))", f"range({n} - 1, 1, -1)")  # fmt: skip
    with w.block(f"for {i} in {head}:"):
        yield Place(i)


@loop
def stepped(w: Writer) -> Iterator[Place]:
    i, n = w.fresh("i"), w.length()
    head = w.one(f"range(0, {n}, 2)", f"range(1, {n}, 3)", f"range(0, {n}, {2**40})", f"range(0, {n}, 7)")
    if w.chance(0.3):
        with w.block(f"for {i} in range({n} // 2):"):
            yield Place(f"2 * {i} + 1" if w.chance(0.5) else f"2 * {i}")
        return
    with w.block(f"for {i} in {head}:"):
        yield Place(i)


@loop
def under_condition(w: Writer) -> Iterator[Place]:
    i, n = w.fresh("i"), w.length()
    with w.block(f"for {i} in {w.one(f'range({n})', f'range({n} - 1, -1, -1)', f'range(0, {n}, 2)')}:"):
        if w.chance(0.3):
            with w.block(f"if {w.condition(Place(i))}:"):
                w.line("continue")
            yield Place(i)
            return
        with w.block(f"if {w.condition(Place(i))}:"):
            yield Place(i)


@loop
def over_elements(w: Writer) -> Iterator[Place]:
    a, b = (w.array("f") for _ in range(2))
    i, x = w.fresh("i"), w.fresh("x")
    head = w.one(
        f"for {i}, {x} in enumerate({a}):",
        f"for {i}, {x} in enumerate({b}):",
        f"for {i}, {x} in enumerate(reversed({a})):",
        f"for {i}, ({w.fresh('j')}, {x}) in enumerate(enumerate({b}, 3)):",
        f"for {i}, ({x}, {w.fresh('x')}) in enumerate(zip({a}, {b})):",
        f"for {i}, ({x}, {w.fresh('x')}) in enumerate(zip(reversed({a}), {b})):",
        f"for {i}, ({x}, {w.fresh('k')}) in enumerate(zip({a}, (1, 4, 2))):",
    )
    w.scalars[x] = "f"
    with w.block(head):
        yield Place(i)
    del w.scalars[x]


@loop
def rows_written_out(w: Writer) -> Iterator[Place]:
    """A range in a loop over numbers, whose places may meet, or around one."""
    i, n, d, k = w.fresh("i"), w.length(), w.fresh("d"), w.fresh("k")
    numbers = w.one("(1, 4, 2)", "[0, 1, 5]", "(127, 200, 3)", "(3, 1)")
    rows = w.one("((1, 0.5), (4, 0.25), (2, -0.0))", "[(0, 1.0)]", "((1, 2.5), (0, 2.5), (-1, 2.5))")
    if w.chance(0.5):
        with w.block(f"for {d} in {numbers}:"), w.block(f"for {i} in range({n}):"):
            w.line(f"{w.target('n')}[{i}] += {d}")
            yield Place(i)
        return
    with w.block(f"for {i} in range(1, {n} - 4):"):
        s, f = w.fresh("s"), w.array("f")
        w.line(f"{s} = 0.0")
        with w.block(f"for {d}, {k} in {rows}:"):
            w.line(f"{s} += {f}[{i} + {d}] * {k}")
        w.line(f"{w.target('f')}[{i}] = {s}")
        yield Place(i)


@loop
def grid(w: Writer) -> Iterator[Place]:
    g = w.array("n", 2)
    i, j = w.fresh("i"), w.fresh("j")
    rows = w.one(
        f"range({g}.shape[0])",
        f"range(len({g}))",
        f"range({g}.shape[0] - 1, -1, -1)",
        f"range(1, {g}.shape[0])",
        f"range(0, {g}.shape[0], 2)",
    )
    columns = w.one(f"range({g}.shape[1])", f"range({g}.shape[1] - 1, -1, -1)", f"range(min({i}, {g}.shape[1]))", f"range({i}, {g}.shape[1])",
                    f"range(1, {g}.shape[1], 2)", f"range({i} % 2, {g}.shape[1], 2)", f"reversed(range({g}.shape[1]))")  # fmt: skip
    with w.block(f"for {i} in {rows}:"), w.block(f"for {j} in {columns}:"):
        if w.chance(0.2):
            with w.block(f"if {w.condition(Place(i, j))}:"):
                yield Place(i, j)
            return
        yield Place(i, j)


@loop
def near_limits(w: Writer) -> Iterator[Place]:
    """A range whose ends are parameters: turns for all, some or no elements."""
    i, n, k, m = w.fresh("i"), w.length(), w.scalar("near"), w.scalar("natural")
    head = w.one(f"range({m}, {n})", f"range(max({k}, 0), min({n}, {m}))", f"range({n} - {m})", f"range({n} - 1, {m}, -1)", f"range({n}, {m} - {m})",
                 f"range({m} + 1, {n} - {m})", f"range({n} // 2, {n})", f"range({n} - 1 - {m}, -1, -1)")  # fmt: skip
    with w.block(f"for {i} in {head}:"):
        yield Place(i)


@loop
def halves(w: Writer) -> Iterator[Place]:
    """Two exchanges inward, or one half from the other."""
    i, n = w.fresh("i"), w.length()
    with w.block(f"for {i} in range({n} // 2):"):
        a = w.target("n")
        w.line(w.one(f"{a}[{i}], {a}[-{i} - 1] = {a}[-{i} - 1], {a}[{i}]", f"{a}[{i}], {a}[{n} - 1 - {i}] = {a}[{n} - 1 - {i}], {a}[{i}]",
                     f"{a}[{i} + {n} // 2] = {a}[{i}]"))  # fmt: skip
        yield Place(f"{n} - 1 - {i}" if w.chance(0.1) else i)
