"""Powers behind signs and casts, in place, with literal and variable exponents; and elementary functions."""

from __future__ import annotations

from tests.property.writer import Place, Value, Writer, value


@value
def exact_powers(w: Writer, place: Place) -> Value:
    """Squares, inverses and roots, which are rounded once, and powers of integers."""
    x, k = w.element(place, "f").text, w.element(place, "i").text
    floats = (f"-{x} ** 2", f"(-{x}) ** 2", f"-(-{x} ** 2)", f"{x} ** -1", f"-{x} ** -1", f"abs({x}) ** 0.5", f"+{x} ** 2", f"float({x}) ** 2",
              f"np.float32({x}) ** 2", f"({x} + 1) ** 2", f"2 * {x} ** 2", f"{x} ** 2 ** 1", f"{x} ** 1", f"{x} ** 0", f"pow({x}, 2)",
              f"float({k}) ** 2", f"float(-{k} ** 2)", f"({x} ** 2) ** 0.5",
              f"{k} ** 2.0", f"(int({k}) * 2**40) ** 2.0", f"(np.int64({k}) * 2**40) ** 2.0", f"({k} + 2**33) ** np.float64(2)")  # fmt: skip
    integers = (f"-{k} ** 2", f"(-{k}) ** 3", f"{k} ** 3 - {k} ** 2", f"int({k}) ** 2", f"-{k} ** 0", f"~{k} ** 2", f"{k} ** 2 ** 2", f"pow({k}, 3)",
                f"({place.i}) ** 2", f"-({place.i}) ** 3", f"int({x}) ** 2", f"np.int8({k}) ** 2", f"(1 << {place.i} % 5)", f"-2 ** 2 + {k}")  # fmt: skip
    if w.chance(0.2):
        t = w.fresh("t")
        w.line(f"{t} = {x}")
        w.line(f"{t} **= {w.one('2', '-1', '1')}")
        return Value(t, "f")
    kind = w.one("f", "i")
    return Value(w.one(*(floats if kind == "f" else integers)), kind)


@value
def rounded_powers(w: Writer, place: Place) -> Value:
    """Powers within the bound that the documentation states."""
    w.rough = True
    x, y = (w.element(place, "f").text for _ in range(2))
    e = w.scalar("near")
    t = w.fresh("t")
    w.line(f"{t} = {w.one(f'abs({x}) + 0.5', x, f'-{x}', f'float({e})')}")
    if w.chance(0.3):
        w.line(f"{t} **= {w.one('3', '-2', e, '0.5', '1.5')}")
        return Value(t, "f")
    return Value(w.one(f"{t} ** 3", f"-{t} ** 3", f"{t} ** -2", f"{t} ** {e}", f"-{t} ** -{e}", f"abs({t}) ** {y}", f"{t} ** 2 ** 0.5",
                       f"abs({t}) ** 1.5", f"float({e}) ** 2", f"2.0 ** {t}", f"{t} ** (0.5 - 1)", f"2.0 ** ({place.i} - 3)"), "f")  # fmt: skip


@value
def elementary(w: Writer, place: Place) -> Value:
    w.rough = True
    x, y = (w.element(place, "f").text for _ in range(2))
    return Value(w.one(f"np.sin({x})", f"math.cos({x})", f"np.exp(-abs({x}))", f"math.log(abs({x}) + 1.0)", f"np.arctan2({x}, {y})",
                       f"math.tanh({x})", f"np.sqrt(abs({x}))", f"math.hypot({x}, {y})", f"np.log1p(abs({x}))", f"np.cbrt({x})"), "f")  # fmt: skip


@value
def plain_arithmetic(w: Writer, place: Place) -> Value:
    """What is done most, with the odd floats: infinities, nan, zeros with signs."""
    fill = w.one("small", "small", "edges")
    x, y = w.element(place, "f", fill), w.element(place, "f", fill)
    kinds = (f"{x.text} + {y.text}", f"{x.text} - {y.text}", f"0.5 * {x.text}", f"{x.text} * {y.text}")
    if w.chance(0.5):
        return Value(w.one(*kinds), "f", x.exact and y.exact)
    test = w.condition(place)
    return Value(w.one(f"{x.text} / {y.text}", f"abs({x.text})", f"-{x.text}", f"min({x.text}, {y.text})", f"max({x.text}, {y.text}, 0.5)",
                       f"({x.text} if {test} else {y.text})", f"np.minimum({x.text}, {y.text})", f"{x.text} * 0.1 - {y.text}", f"np.floor({x.text})",
                       f"(1.0 if {x.text} < {y.text} <= 2.0 else {x.text})"), "f")  # fmt: skip
