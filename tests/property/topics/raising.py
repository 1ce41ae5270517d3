"""What methods raise, in iterations, helpers and between loops, beside indexes out of bounds."""

from __future__ import annotations

from tests.property.writer import Place, Value, Writer, step, value


def _fails(w: Writer, place: Place) -> tuple[str, str]:
    """A test that some iterations pass, and the element that it is about."""
    x = w.element(place, w.one("f", "i"), shifted=False).text
    limit = w.one("8", "7", w.scalar("large"), "6")
    return w.one(f"{x} > {limit}", f"{x} >= {limit} and {place.i} > 0", f"{x} * 2 > {limit} + 7"), x


@value
def raised(w: Writer, place: Place) -> Value:
    test, x = _fails(w, place)
    error = w.one("Bad({i}, {x})", 'ValueError(f"bad {{{x}!r}} at {{{i}}}")', "Bad", 'Bad("at", {i}) from KeyError({i})',
                  'IndexError("mine", {x})', 'ArithmeticError(f"{{{x}:.3f}}")').format(i=place.i, x=x)  # fmt: skip
    with w.block(f"if {test}:"):
        w.line(f"raise {error}")
    return w.element(place, "f", shifted=False)


@value
def asserted(w: Writer, place: Place) -> Value:
    test, x = _fails(w, place)
    w.line(f"assert not ({test})" + w.one("", f", ({place.i}, {x})", f', f"{{{x}}} of {{{place.i}}}"', ', "text"'))
    return w.element(place, "i", shifted=False)


@value
def raised_in_helper(w: Writer, place: Place) -> Value:
    f = w.helper(w.one(
        'def {name}(x, m):\n    if x > m:\n        raise Bad(x, m)\n    return x + 1\n',
        'def {name}(x, m):\n    for k in range(3):\n        assert x - k <= m, (k, x)\n    return x * 2\n',
        'def {name}(x, m):\n    if x < 0:\n        return -x\n    if x > m:\n        raise ValueError(f"{x} > {m}")\n    return x\n',
    ))  # fmt: skip
    x = w.element(place, "f64", shifted=False).text
    call = f"{f}({x}, {w.one('8.0', '7.0', '6.5')})"
    return Value(w.one(call, f"{call} + {f}({x}, 7.5)", f"({call} if {w.condition(place)} else {x})"), "f")


@value
def gathered(w: Writer, place: Place) -> Value:
    """An element at an index that data says, now and then outside."""
    k = w.array("i64", fill=w.one("index", "index", "wild"))
    x = w.array("f", avoid=[*w.writing])
    w.reading.add(x)
    at = w.one(f"{k}[{place.i}]", f"{k}[{place.i}]", f"{k}[{place.i}] - 1", f"-{k}[{place.i}]")
    return Value(f"{x}[{at}]", "f", w.arrays[x].exact)


@value
def raised_in_inner_loop(w: Writer, place: Place) -> Value:
    j, s = w.fresh("j"), w.fresh("s")
    w.line(f"{s} = 0.0")
    with w.block(f"for {j} in {w.inner(place)}:"):
        test, x = _fails(w, Place(j))
        with w.block(f"if {test}:"):
            w.line(f"raise Bad({place.i}, {j}, {x})")
        w.line(f"{s} += {x}")
    return Value(s, "f")


@step
def checked(w: Writer) -> None:
    """A check between loops, which tells the compiler something."""
    a, b = w.vector(), w.vector()
    k = w.scalar("near")
    w.line(w.one(f"assert len({a}) == len({b})", f"assert {k} < 4, {k}", f"assert len({a}) > 0, {a}.shape"))
    if w.chance(0.4):
        with w.block(w.one(f"if len({a}) != len({b}):", f"if {k} < 0:", f"if {a}.size < {k}:")):
            w.line(
                w.one(f'raise ValueError(f"{{len({a})}} and {{len({b})}}")', f"raise Bad({k}, {a}.shape)", "raise Bad")
            )
