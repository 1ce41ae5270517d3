"""Conversions: to narrow integers and back, of truth values, rounding; and arithmetic of narrow elements."""

from __future__ import annotations

from tests.property.writer import Place, Value, Writer, value


@value
def narrow_casts(w: Writer, place: Place) -> Value:
    x, y = (w.element(place, "i", w.one("edges", "small")).text for _ in range(2))
    t = w.one("np.int8", "np.int16", "np.int32", "np.uint8")
    return Value(w.one(f"{t}({x})", f"{t}({x}) + {t}({y})", f"{t}({x}) * 3", f"{t}({x}) // 7", f"int({t}({x})) * 1000",
                       f"{t}({x}) >> 1", f"int({x}) + int({t}({y}))", f"np.int64({t}({x})) - 1", f"-{t}({x})",
                       f"int({t}({x})) ** 2", f"{t}({x}) % 5", f"abs({t}({x}))", f"np.clip({t}({x}), {w.one('-1000', '0', '-3')}, {w.one('255', '300', '100', '70000')})",
                       f"np.clip({y}, {w.one('-200', place.i, '0')}, 1000 + {place.i})"), "i")  # fmt: skip


@value
def narrow_elements(w: Writer, place: Place) -> Value:
    """Arithmetic of 8 to 32 bits, beside literals and each other."""
    x, y = (w.element(place, "s", w.one("edges", "small")) for _ in range(2))
    kind = "f" if "f" in (x.kind, y.kind) else "i"
    texts = [
        f"{x.text} * 2",
        f"{x.text} + {y.text}",
        f"{x.text} - {y.text}",
        f"-{x.text}",
        f"{x.text} * {y.text} + 1",
        f"{x.text} / 2",
    ]
    text = w.one(*texts)
    return Value(text, "f" if text.endswith("/ 2") else kind, False)


@value
def of_truth(w: Writer, place: Place) -> Value:
    x, y = (w.element(place, "n").text for _ in range(2))
    test = w.one(f"{x} > {y}", f"{x} == {y}", f"{x} != 0", f"{place.i} % 2 == 1")
    form = w.one("float({})", "int({})", "np.float64({})", "np.int8({})", "float({}) * 0.5", "int({}) - 1", "({}) * 2")
    return Value(form.format(test), "f" if "float" in form else "i", True)


@value
def python_numbers(w: Writer, place: Place) -> Value:
    """`int`, `float`, `bool`, `round` of elements and indexes."""
    x, f = w.element(place, "i"), w.element(place, "f").text
    forms = {"i": (f"int({x.text})", f"int({f})", f"round({f})", f"int({x.text}) * {place.i}", f"int({f} * 2.0) // 3", f"round({x.text})",
                   f"np.int64({f})", f"int(bool({x.text}))", f"int({f}) % 3", f"divmod(int({x.text}), 3)[1]"),
             "f": (f"float({x.text})", f"float({place.i}) * 0.5", f"float({x.text}) / 4.0", f"float({f})", f"np.float32({f}) * 2.0",
                   f"round({f}, 1)", f"np.float64({x.text}) + {f}", f"float(int({f}))")}  # fmt: skip
    kind = w.one("i", "f")
    return Value(w.one(*forms[kind]), kind, False)


@value
def truth_values(w: Writer, place: Place) -> Value:
    """Elements of arrays of bools, also of views of bytes that are neither 0 nor 1."""
    b, c = (w.element(place, "b", "bytes").text for _ in range(2))
    x = w.element(place, "f", shifted=False).text
    forms = {"b": (f"({b} and {c})", f"({b} or {c})", f"(not {b})", f"({b} == {c})", f"({b} != {c})", f"({b} & {c})", f"({b} ^ {c})",
                   f"({b} | {c})", f"({b} < {c})", b, f"bool({b})", f"({b} == True)", f"(~{b})", f"(~abs({b}))", f"({x} > 0 and bool({b}))"),
             "f": (f"float({b})", f"({x} if {b} else 0.5)", f"{b} * {x}", f"({x} if {b} and not {c} else -{x})"),
             "i": (f"int({b})", f"int({b}) + int({c})", f"{b} * 3", f"{b} + 1", f"(2 if {b} else 3)", f"np.int8({b})")}  # fmt: skip
    kind = w.one("b", "f", "i")
    return Value(w.one(*forms[kind]), kind, False)
