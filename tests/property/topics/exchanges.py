"""Names that arrays are exchanged for: swaps and rotations, under conditions, in time loops, with arrays of the method."""

from __future__ import annotations

from tests.property.writer import Array, Writer, step


def exchange(w: Writer) -> None:
    """One line that exchanges two or three names for arrays of one kind."""
    w.aliases = True
    dtype = w.one("f64", "f64", "i64")
    plain = {p.name for p in w.parameters if not p.layout} | {n for n in w.arrays if n.startswith("o")}
    known = [
        n
        for n, a in w.arrays.items()
        if a.rank == 1 and a.fill == "small" and a.dtype == {"f64": "float64", "i64": "int64"}[dtype] and n in plain
    ]
    while len(known) < 2 or (len(known) < 3 and w.chance(0.4)):
        name = w.parameter(dtype)
        place = next(k for k, p in enumerate(w.parameters) if p.name == name)
        w.parameters[place] = type(w.parameters[place])(name, "dist[np.ndarray]", w.arrays[name])
        known.append(name)
    names = w.pick.sample(known, min(len(known), w.pick.choice((2, 2, 3))))
    exact = all(w.arrays[name].exact for name in names)
    for name in names:
        w.arrays[name].exact = exact
    turned = names[1:] + names[:1]
    if w.chance(0.05) and len(names) == 2:
        old = w.fresh("u")
        w.line(f"{old} = {names[0]}")
        w.line(f"{names[0]} = {names[1]}")
        w.line(f"{names[1]} = {old}")
        return
    if w.chance(0.2):  # an element of an array that still has its old name
        with w.block(f"if len({names[-1]}) > 0:"):
            w.line(f"{names[-1]}[{w.one('0', '-1')}], {', '.join(names)} = 7, {', '.join(turned)}")
        return
    w.line(f"{', '.join(names)} = {', '.join(turned)}")


@step
def exchanged(w: Writer) -> None:
    chance = w.pick.random()
    if chance < 0.4:
        with w.block(f"if {w.scalar('flag')} {w.one('> 0', '== 1', '!= 2')}:"):
            exchange(w)
    elif chance < 0.6:
        with w.block(f"for {w.fresh('r')} in range({w.scalar('turns')}):"):
            exchange(w)
    else:
        exchange(w)
    if w.chance(0.3):
        names = [n for n, a in w.arrays.items() if a.rank == 1 and a.dtype == "float64"]
        if names:
            w.results.append(w.pick.choice(names))


@step
def other_name(w: Writer) -> None:
    """A second name for an array, or a local array beside the parameters."""
    x = w.array("f64")
    name = w.fresh("o")
    w.line(f"{name} = {w.one(x, f'np.zeros_like({x})', f'np.copy({x})', f'{x}.copy()', f'np.zeros(len({x}))')}")
    if w.pad == 0:
        w.arrays[name] = Array("float64", exact=w.arrays[x].exact)
