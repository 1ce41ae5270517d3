"""Arrays that a method makes between its loops; lengths may be 0 or negative."""

from __future__ import annotations

from tests.property.writer import Array, Writer, step


@step
def allocated(w: Writer) -> None:
    """An array as long as the vectors, for the loops behind it."""
    name, n, x = w.fresh("o"), w.length(), w.array("f64")
    dtype = w.one("float64", "float64", "int64", "float32")
    plain = f", np.{dtype}" if dtype != "float64" else ""
    made = w.one(
        f"np.zeros({n}{plain})", f"np.ones({n}{plain})", f"np.full({n}, 2, np.{dtype})", f"np.zeros_like({x}{plain})"
    )
    w.line(f"{name} = {made}")
    if "_like" in made and not plain:
        dtype = w.arrays[x].dtype
    if w.pad == 0:
        w.arrays[name] = Array(dtype)
        if w.chance(0.4):
            w.results.append(name)


@step
def odd_lengths(w: Writer) -> None:
    """An array of a length that may be 0, negative, or shorter than what is written to it."""
    name, i, n = w.fresh("v"), w.fresh("i"), w.length()
    k, m = w.scalar("near"), w.scalar(w.one("natural", "far"))
    w.wide = True
    length = w.one(
        f"{n} - {k}",
        f"{k}",
        f"{n} + {k}",
        f"2 * {n} - 1",
        f"max(0, {k})",
        f"{m} % 5",
        f"min({n}, {m})",
        f"{n} // 2",
        f"{n} - 3",
    )
    w.line(f"{name} = np.zeros({length}{w.one('', ', np.int64')})")
    with w.block(f"for {i} in range({w.one(f'len({name})', f'len({name})', n, f'{name}.shape[0] - 1')}):"):
        w.line(f"{name}[{i}] = {w.one(i, f'{i} + {k}', f'2 * {i}', '1')}")
    w.results.append(w.one(name, f"{name}[0]", f"len({name})", f"{name}.size"))


@step
def allocated_matrix(w: Writer) -> None:
    name, i, j, n = w.fresh("v"), w.fresh("i"), w.fresh("j"), w.length()
    k = w.scalar("near")
    x = w.array("f")
    w.line(f"{name} = np.{w.one('zeros', 'ones')}(({n}, {w.one('2', k, f'{k} + 1')}))")
    with w.block(f"for {i} in range({name}.shape[0]):"), w.block(f"for {j} in range({name}.shape[1]):"):
        w.line(f"{name}[{i}, {j}] {w.one('=', '+=')} {x}[{i}] + {j}")
    w.results.append(name)
