"""Integers that leave their width: hashes, generators of random numbers, and what must not be made a constant of."""

from __future__ import annotations

from tests.property.writer import Place, Value, Writer, value


@value
def hash_loop(w: Writer, place: Place) -> Value:
    x = w.element(place, w.one("i64", "w", "i"), "edges").text
    h, k = w.fresh("h"), w.fresh("r")
    w.line(f"{h} = {x}")
    with w.block(f"for {k} in {w.one('range(3)', 'range(20)', w.inner(place))}:"):
        w.line(w.one(f"{h} = {h} * 31 + 7", f"{h} = {h} * 31 + {k}", f"{h} = {h} * 33 ^ {x}", f"{h} += {h} * 5 - 3"))
    return Value(w.one(h, f"{h} % 100", f"{h} & 63", f"{h} // 3", f"abs({h} % 7 - 3)"), "i")


@value
def generator(w: Writer, place: Place) -> Value:
    """A linear congruence, or shifts and exclusive ors, on 64 bits."""
    x = w.element(place, "w", "edges").text
    s = w.fresh("s")
    w.line(f"{s} = {x}")
    rounds = w.one("2", "5", "17")
    shifts = f"{s} ^= {s} << 13; {s} ^= {s} >> 7; {s} ^= {s} << 17"
    turn = w.one(f"{s} = {s} * 6364136223846793005 + 1442695040888963407", shifts,
                 f"{s} = ({s} * 1103515245 + 12345) % 2147483648")  # fmt: skip
    if turn == shifts:  # LLVM may take a time that doubles with each (docs/limits.md)
        rounds = w.one("2", "5", "7")
    with w.block(f"for {w.fresh('r')} in range({rounds}):"):
        w.line(turn)
    return Value(w.one(f"({s} >> 33)", s, f"{s} % 10", f"({s} >> 60) & 3"), "i")


@value
def table_by_hash(w: Writer, place: Place) -> Value:
    """An element of a table at an index made of a hash."""
    x = w.element(place, "i64", "edges").text
    h = w.fresh("h")
    w.line(f"{h} = {x} * 2654435761 + 17")
    table = w.array("n", avoid=[*w.writing])
    w.reading.add(table)
    array = w.arrays[table]
    n = w.length()
    index = w.one(f"{h} % {n}", f"({h} >> 7) % {n}", f"(({h} % {n}) + {n}) % {n}", f"-({h} % {n}) - 1", f"{h} % 5")
    return Value(f"{table}[{index}]", "f" if array.dtype.startswith("f") else "i", array.exact)


@value
def undone_products(w: Writer, place: Place) -> Value:
    x, y = (w.element(place, w.one("i64", "i", "w"), "edges").text for _ in range(2))
    c = w.one("3", "5", "7", "2", "100")
    return Value(w.one(f"({x} * {c}) // {c}", f"({x} + {x}) // 2", f"({x} * {c}) % {c}", f"({x} << 1) >> 1",
                       f"({x} - {y}) + {y}", f"({x} * {c}) // {c} - {x}", f"-(-{x})", f"~{x} + {x}"), "i")  # fmt: skip


@value
def distances(w: Writer, place: Place) -> Value:
    kinds = w.one("i64", "i", "w")
    x, y = (w.element(place, kinds, "edges").text for _ in range(2))
    return Value(w.one(f"abs({x} - {y})", f"max({x} - 1, {x})", f"min({x} + {y}, {x})", f"abs({x})", f"-{x}",
                       f"abs({x} - 1) - abs({x})", f"{x} * {y}", f"({x} * {y}) ^ {y}"), "i")  # fmt: skip


@value
def comparisons_of_sums(w: Writer, place: Place) -> Value:
    kinds = w.one("i64", "i64", "i", "w")
    x, y = (w.element(place, kinds, "edges").text for _ in range(2))
    test = w.one(f"{x} + 1 > {x}", f"{x} - 1 < {x}", f"{x} - {y} < 0", f"{x} * {x} >= 0", f"{x} + {y} >= {x}",
                 f"abs({x}) >= 0", f"-{x} < {x}", f"{x} * 2 > {x} > 0", f"{x} < {y} + 1")  # fmt: skip
    return Value(w.one(f"({test})", f"(1 if {test} else 0)", f"(not {test})"), "i" if False else "b")


@value
def python_s_own_ints(w: Writer, place: Place) -> Value:
    """Arithmetic on a parameter that is one of Python's ints; 64 bits wide, as the documentation says."""
    k, i = w.python_scalar("far"), place.i
    text = w.one(f"({k} * 3) // 3", f"(1 if {k} + 1 > {k} else 0)", f"({k} + {i}) - {k}", f"abs({k}) % 7", f"-{k}",
                 f"({k} * 31 + {i}) % 1000", f"({k} - 5) // 2", f"({k} * {k} + {i}) & 255", f"(3 if {k} - 1 < {k} else 4)")  # fmt: skip
    if w.chance(0.4):
        h = w.fresh("h")
        w.line(f"{h} = {k}")
        with w.block(f"for {w.fresh('r')} in range({w.one('3', '25')}):"):
            w.line(
                w.one(f"{h} = {h} * 31 + 7", f"{h} = {h} * 6364136223846793005 + {i}", f"{h} = ({h} ^ {i}) * 16777619")
            )
        text = w.one(h, f"{h} % 100", f"({h} >> 3) & 15")
    return Value(text, "i")
