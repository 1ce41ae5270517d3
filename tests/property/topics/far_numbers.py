"""Scalars far from 0, up to the ends of 64 bits, where iterations index, compare and divide."""

from __future__ import annotations

from collections.abc import Iterator

from tests.property.writer import Place, Value, Writer, loop, value


def _read(w: Writer, index: str, guard: str = "") -> Value:
    name = w.array("n", avoid=[*w.writing])
    w.reading.add(name)
    array = w.arrays[name]
    kind = "f" if array.dtype.startswith("f") else "i"
    text = f"{name}[{index}]"
    return Value(f"({text} if {guard} else {w.one('0', '1')})" if guard else text, kind, array.exact)


@value
def far_index(w: Writer, place: Place) -> Value:
    """An index that is a sum with a far number: outside, unless the number is not far this time."""
    k, i, n = w.scalar("far"), place.i, w.length()
    at = w.one(f"{i} + {k}", f"{i} - {k}", f"{k} - {i}", f"2 * {k} + {i}", k, f"{k} + 1", f"4 * {k}")
    return _read(w, at, f"0 <= {at} < {n}" if w.chance(0.7) else "")


@value
def far_remainder(w: Writer, place: Place) -> Value:
    k, i, n = w.scalar("far"), place.i, w.length()
    w.wide = True
    if w.chance(0.3):
        return Value(w.one(f"{k} % 5", f"({i} + {k}) % 3", f"{k} // 7", f"({i} - {k}) % 1000"), "i")
    at = w.one(
        f"({i} + {k}) % {n}",
        f"({i} * 31 + {k}) % {n}",
        f"{k} % {n}",
        f"({k} - {i}) % {n}",
        f"{k} % 3",
        f"({k} // 2) % {n}",
    )
    return _read(w, at)


@value
def far_condition(w: Writer, place: Place) -> Value:
    k, i, n = w.scalar("far"), place.i, w.length()
    w.wide = True
    test = w.one(
        f"{i} < {k}",
        f"{i} + {k} > 0",
        f"{k} - {i} > 0",
        f"{n} - {k} > {i}",
        f"{i} * {k} >= 0",
        f"{k} > 0",
        f"-{k} > {i}",
    )
    x = w.element(place, w.one("i", "f"), shifted=False)
    return Value(f"({x.text} if {test} else {w.one('1', '0')})", x.kind, x.exact)


@loop
def far_limits(w: Writer) -> Iterator[Place]:
    """A range with a far end, or two."""
    k, n, i = w.scalar("far"), w.length(), w.fresh("i")
    w.wide = True
    low, high = f"max(0, {k})", f"min({n}, {k})"
    head = w.one(f"range({low}, {n})", f"range({high})", f"range({high} - 1, -1, -1)", f"range(max(1, -{k}), {n})")
    with w.block(f"for {i} in {head}:"):
        yield Place(i)


@loop
def far_start(w: Writer) -> Iterator[Place]:
    """A range that begins at a far number, and has as many turns as the vectors elements."""
    k = w.one("4611686018427387900", "9223372036854775000", "-(2**62)") if w.chance(0.2) else w.scalar("far")
    n, i = w.length(), w.fresh("i")
    w.wide = True
    with w.block(f"for {i} in {w.one(f'range({k}, {k} + {n})', f'range({k}, {n} + {k}, 2)')}:"):
        yield Place(f"{i} - {k}")


@loop
def far_end(w: Writer) -> Iterator[Place]:
    """A range up from a number that may be far above the length, or down from there to one far below."""
    k, n, i = w.scalar("up"), w.length(), w.fresh("i")
    w.wide = True
    head = w.one(f"range({k}, {n})", f"range({k} + 1, {n})", f"range({n} - 1, {k}, -1)", f"range({k} // 2, {n})")
    with w.block(f"for {i} in {head}:"):
        yield Place(i)
