"""Numbers between the loops: set in time loops, read in the next turn, returned, perhaps without a value."""

from __future__ import annotations

from tests.property.writer import Writer, step


@step
def perhaps_unset(w: Writer) -> None:
    k, t = w.scalar("flag"), w.fresh("t")
    x = w.array("f64")
    source = w.one("0.5", f"{x}[0]", f"2.0 * {k}", f"len({x}) * 0.5")
    form = w.pick.randrange(5)
    if form == 0:
        with w.block(f"for {w.fresh('r')} in range({w.scalar('turns')}):"):
            w.line(f"{t} = {source}")
    elif form == 1:
        with w.block(f"if {k} > 0:"):
            w.line(f"{t} = {source}")
    elif form == 2:
        with w.block(f"if {k} == 0:"):
            w.line(f"{t} = {source}")
        with w.block(f"elif {k} == 1:"):
            w.line(f"{t} = 1.5")
    elif form == 3:
        w.line(f"{t} = 0.0")
        with w.block(f"for {t} in range({w.scalar('turns')}):"):
            w.line("pass")
        return
    else:
        r = w.fresh("r")
        w.line(f"{r} = 0")
        with w.block(f"while {r} < {k}:"):
            w.line(f"{t} = {source}")
            w.line(f"{r} += 1")
    if w.chance(0.5):
        w.line(w.one(f"{x}[0] = {t}", f"{t} = {t} + 1.0", f"{x}[-1] = {t} * 0.5"))
    w.results.append(t)


@step
def set_once(w: Writer) -> None:
    """A number of an element, a length or a parameter, which later loops read."""
    c, x = w.fresh("c"), w.array("f64")
    text = w.one(
        f"{x}[0]",
        f"{x}[-1] * 0.5",
        f"0.5 * len({x})",
        f"1.0 / (1 + len({x}))",
        "0.25",
        f"max(abs({x}[0]), 1.0)",
        f"float({w.scalar('near')})",
    )
    w.line(f"{c} = {text}")
    if w.pad == 0:
        w.scalars[c] = "f"
    if w.chance(0.5):
        w.results.append(c)


@step
def hash_of_the_master(w: Writer) -> None:
    """A hash that one thread computes: its value, or an index made of it."""
    h, k = w.fresh("h"), w.scalar("far")
    w.wide = True
    w.line(f"{h} = {w.one(k, '7', f'np.int64({k})', f'{k} + 1')}")
    with w.block(f"for {w.fresh('r')} in range({w.one('3', '30', w.scalar('turns'))}):"):
        w.line(
            w.one(f"{h} = {h} * 31 + 7", f"{h} = {h} * 6364136223846793005 + 1442695040888963407", f"{h} ^= {h} << 13")
        )
    a = w.array("i64")
    w.line(
        w.one(
            "pass",
            f"{a}[{h} % len({a})] = {h}",
            f"{h} = abs({h}) % 1000",
            f"{h} = {h} // 3 - {k}",
            f"{a}[0] = {h} >> 5",
        )
    )
    w.results.append(h)


@step
def lone_elements(w: Writer) -> None:
    """Elements that one thread reads and writes, at indexes near and far, also outside."""
    a, k = w.array("n"), w.scalar(w.one("near", "far", "near"))
    w.wide = True
    at = w.one("0", "-1", k, f"{k} - 1", f"{k} % len({a})", f"len({a}) // 2", f"-{k}", f"{k} * 2")
    w.line(
        w.one(
            f"{a}[{at}] = {w.one('1', '2')}",
            f"{a}[{at}] += 1",
            f"{a}[0], {a}[-1] = {a}[-1], {a}[0]",
            f"{a}[{at}] = {a}[0]",
        )
    )
    if w.chance(0.4):
        t = w.fresh("t")
        w.line(f"{t} = {a}[{at}]")
        w.results.append(t)


@step
def searched(w: Writer) -> None:
    """A loop of one thread that ends early, with or without `else`."""
    a, i, t = w.array("f"), w.fresh("i"), w.fresh("t")
    otherwise = w.chance(0.6)
    with w.block(f"for {i} in range(len({a})):"), w.block(f"if {a}[{i}] > {w.one('8', '3', '100')}:"):
        w.line(f"{t} = {i}")
        w.line("break")
    if otherwise:
        with w.block("else:"):
            w.line(f"{t} = -1")
    w.results.append(t)
