"""Lengths, shapes and dimensions of arrays of any rank, wherever among the parameters they stand; and long expressions."""

from __future__ import annotations

from tests.property.writer import Place, Value, Writer, value


@value
def measures(w: Writer, place: Place) -> Value:
    a = w.array("n", w.pick.choice((1, 2, 2, 3)), new=0.6)
    rank = w.arrays[a].rank
    axis = w.pick.randrange(rank)
    return Value(w.one(f"len({a})", f"{a}.ndim", f"{a}.size", f"{a}.shape[{axis}]", f"{a}.shape[-1]", f"len({a}) - {a}.ndim",
                       f"{a}.size // ({a}.shape[{axis}] + 1)"), "i")  # fmt: skip


@value
def beside_scalars(w: Writer, place: Place) -> Value:
    """Numbers among the parameters, of every kind."""
    k, f = w.scalar(w.one("near", "modulus", "far")), w.scalar("float")
    x = w.element(place, "f64").text
    return Value(w.one(f"{x} * {f}", f"{x} + {f}", f"{f} - {x}", f"{f}", f"{x} * {k}", f"float({k}) * {f}"), "f")


@value
def element_of_matrix(w: Writer, place: Place) -> Value:
    """Elements of a row or column that belongs to the iteration."""
    g = w.array("n", 2, avoid=[*w.writing])
    w.reading.add(g)
    array = w.arrays[g]
    at = w.one(
        f"{place.i}, 0",
        f"{place.i}, -1",
        f"{place.i}, {g}.shape[1] - 1",
        f"({place.i}) // 2, 0",
        f"-1, {place.i} % {g}.shape[1]",
    )
    return Value(f"{g}[{at}]", "f" if array.dtype.startswith("f") else "i", array.exact)


@value
def many_terms(w: Writer, place: Place) -> Value:
    """Hundreds of terms; now and then brackets in brackets."""
    kind = w.one("i", "f")
    x, y = (w.element(place, "i64" if kind == "i" else "f64", w.one("small", "edges")).text for _ in range(2))
    terms = (
        (x, y, f"{place.i}", f"2 * {x}", f"{x} * {y}", "3", f"({y} - {x})")
        if kind == "i"
        else (x, f"0.5 * {y}", f"{x} * {y}", "0.25")
    )
    if w.chance(0.8):
        count = w.pick.choice((10, 20, 40, 60, 300))
        text = w.pick.choice(terms)
        for _ in range(count):
            text += f" {w.one('+', '-', '+')} {w.pick.choice(terms)}"
        return Value(f"({text})", kind)
    text = x
    for _ in range(w.pick.choice((10, 40, 90))):
        text = w.one(f"({text} + {w.pick.choice(terms)})", f"({w.pick.choice(terms)} - {text})")
    return Value(text, kind)
