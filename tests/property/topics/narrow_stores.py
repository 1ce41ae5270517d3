"""Stores into arrays of narrow integers, and sums with their elements: of ints that fit, and of some that do not, computed
in the iteration, under conditions, behind indexes that may leave the array."""

from __future__ import annotations

from tests.property.writer import Place, Value, Writer, step, value


def number(w: Writer, i: str) -> str:
    """A number of an iteration: one of Python's, or of NumPy's own."""
    x, y, s = w.array("i64"), w.array("f64"), w.array("s")
    k, near = w.scalar("narrow", 0.2), w.scalar("near", 0.2)
    return w.one(
        f"{k}",
        f"{k} * {i}",
        f"int({x}[{i}]) * {near}",
        f"int({x}[{i}]) * 40 + {i}",
        f"({i} * 7 + int({x}[{i}])) % {w.one('100', '256', '300')}",
        f"int({y}[{i}] * {w.one('2.0', '10.0', '40.0')})",
        f"{i} if {x}[{i}] > 2 else {k}",
        f"min(int({x}[{i}]) * 50, {w.one('100', '127', '200')})",
        f"{x}[{i}] * {w.one('1', '20', '100')}",
        f"{y}[{i}]",
        f"{y}[{i}] * {w.one('8.0', '100.0')}",
        f"{s}[{i}]",
        f"{s}[{i}] * 2",
        f"np.uint8({x}[{i}])",
        f"{i} & 63",
        f"-{i} // 2",
    )


@step
def narrow_stores(w: Writer) -> None:
    """A loop that stores such numbers, with or without a test around it, or in a time loop."""
    w.reading, w.writing = set(), set()
    i, values = w.fresh("i"), [number(w, "{i}") for _ in range(w.pick.choice((1, 1, 2)))]
    out = w.fresh("z")
    n = w.length()
    if w.chance(0.5):
        dtype = w.one("int8", "uint8", "int16", "int32", "uint16", "uint32")
        w.line(f"{out} = np.zeros({n}, np.{dtype})")
        w.results.append(out)
    else:
        out = w.parameter("m")
    head = w.one(f"range({n})", f"range({n})", f"range({n} - 1, -1, -1)", f"range(0, {n}, 2)")
    turns = w.chance(0.2)
    if turns:
        w.line(f"for {w.fresh('r')} in range({w.scalar('turns')}):")
        w.pad += 1
    with w.block(f"for {i} in {head}:"):
        for text in values:
            text = text.replace("{i}", i)
            form = w.pick.randrange(6)
            if form == 0:
                with w.block(f"if {w.condition_of(i)}:"):
                    w.line(f"{out}[{i}] = {text}")
            elif form == 1:
                with w.block(f"if {w.condition_of(i)}:"):
                    w.line("continue")
                w.line(f"{out}[{i}] = {text}")
            elif form == 2:
                t = w.fresh("t")
                w.line(f"{t} = {text}")
                with w.block(f"if {t} {w.one('<', '>')} {w.one('100', '-100', '250')}:"):
                    w.line(f"{out}[{i}] = {t}")
            elif form == 3:
                w.line(
                    f"{out}[{i}] {w.one('+=', '-=', '*=', '|=') if ' if ' not in text and '.0' not in text else '='} {text}"
                )
            else:
                w.line(f"{out}[{i}] = {text}")
    if turns:
        w.pad -= 1


@value
def ints_beside_narrow(w: Writer, place: Place) -> Value:
    """A narrow element and one of Python's ints, which may not fit."""
    x = w.element(place, "m", w.one("edges", "small")).text
    k = w.scalar("narrow", 0.2)
    other = w.one(
        k, f"({place.i}) * {w.one('3', '40')}", f"({k} + {place.i})", f"int({w.element(place, 'i64').text}) * 30"
    )
    test = f"{w.element(place, 'n').text} > 1"
    text = w.one(f"{x} + {other}", f"{other} - {x}", f"{x} * {other}", f"{x} & {other}", f"{x} // {other}",
                 f"({x} + {other} if {test} else {x})", f"({x} > {other})", f"np.maximum({x}, {other})", f"{x} / {other}")  # fmt: skip
    return Value(text, "f" if text.endswith(f" / {other}") else "i")  # quotients are not exact
