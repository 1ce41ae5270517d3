"""Loops that hand scalars from trip to trip, in floats and in words of integers, beside what is the same for all
iterations: what multicore runs in strips, with tables."""

from __future__ import annotations

from tests.property.writer import Place, Value, Writer, step, value

#: names of helpers' variables, those that passes give to what they add among them
NAMES = ("sin", "cos", "sin", "entry", "table", "trip", "lane")
#: functions that are computed for many lanes at once, and others
WAVES = ("math.sin", "math.cos", "np.sin", "np.cos")
OTHERS = ("np.tanh", "math.exp", "np.log1p")


def _helper(w: Writer) -> str:
    """A function of what is the same for all iterations, and of what is not."""
    t = w.one(*NAMES)
    first = f"    {t} = math.exp(-abs(u)) {w.one('* 0.5', '+ 1.0', '- abs(u)')}\n"
    second = w.one("", f"    if u > 1.0:\n        {t} = {t} * 0.5\n", f"    {t} = {t} + v * 0.125\n")
    return w.helper(f"def {{name}}(u, v):\n{first}{second}    return {w.one(f'{t} + v', f'v - {t}', f'{t} * v')}\n")


def _loop(w: Writer, k: str) -> str:
    n = w.scalar("natural")
    return f"for {k} in range({w.one(f'{n}', f'{n}', f'1, {n} + 2', f'{n}, -1, -1', f'0, 2 * {n}, 2', '5')}):"


@value
def chain_of_floats(w: Writer, place: Place) -> Value:
    """Sines, cosines and exponentials, of a chain, of a recurrence that all iterations share, and of both."""
    w.rough = True
    f, x, u = _helper(w), w.fresh("t"), w.fresh("u")
    y = w.element(place, "f64").text
    w.line(f"{x} = {w.one(f'({place.i}) * 0.125', f'{y} * 0.25')}")
    w.line(f"{u} = {w.one('0.5', '0.0', '-0.25')}")
    of_chain = WAVES if w.chance(0.8) else (*WAVES, *OTHERS)

    def shared(k: str) -> str:
        return w.one(u, u, f"{k} * 0.25", f"({u} + {k})")

    def term(k: str) -> str:
        wave = f"{w.one(*of_chain)}({w.one(x, f'{x} + {shared(k)}', f'{x} * {k}')})"
        return w.one(wave, wave, f"{f}({shared(k)}, {x})", f"{w.one(*WAVES, *OTHERS)}({shared(k)} * 0.5)", shared(k))

    def step(k: str) -> None:
        form = w.pick.randrange(6)
        if form == 0:
            w.line(f"{u} = {u} * {w.one('0.75', '-0.5')} + {w.one(f'{k} * 0.25', '1.0', f'math.sin({u})')}")
        elif form == 1:
            test = w.one(f"{x} > {shared(k)}", f"{k} % 2 == 0", f"{x} > 0.5", f"{u} > 1.0")
            with w.block(f"if {test}:"):
                w.line(f"{x} = ({x} + {term(k)}) * 0.25")
        else:
            w.line(f"{x} = ({x} {w.one('+', '-')} {term(k)} {w.one('*', '+', '-')} {term(k)}) * 0.25")

    k = w.fresh("k")
    with w.block(_loop(w, k)):
        for _ in range(w.pick.choice((1, 2, 3))):
            step(k)
        if w.chance(0.3):
            j = w.fresh("k")
            with w.block(_loop(w, j)):
                step(w.one(j, k))
    return Value(x, "f")


@value
def chain_of_words(w: Writer, place: Place) -> Value:
    """Products, remainders and bits that words of 16 and 32 bits may hold, with a key that mostly is short."""
    key = w.array("i", fill=w.one("small", "small", "edges"), avoid=[*w.writing])
    w.reading.add(key)
    x, y, k = w.fresh("t"), w.fresh("t"), w.fresh("k")
    mask = w.one("0xFFFF", "0xFF", "0xFFFFF")
    w.line(f"{x} = int({w.element(place, 'i').text}) & {mask}")
    w.line(f"{y} = {w.one('1', x)}")
    part = f"(int({key}[{w.one('0', '-1')}]) & 0xFFFF)" if w.chance(0.3) else f"int({key}[{w.one('0', '-1')}])"
    with w.block(_loop(w, k)):
        for _ in range(w.pick.choice((1, 2, 3))):
            factor = w.one(part, y, "77", f"({k} & 255)")
            product = f"{x} * {factor}"
            new = w.one(
                f"({product} % 65537) & 0xFFFF",
                f"({product} >> 16) & 0xFFFF",
                f"({product} + 12345) % {w.one('65521', '257', '1000')}",
                f"({x} ^ ({x} >> {w.one('3', '8')})) & {mask}",
                f"({x} << {w.one('1', '5', '16')}) & {mask}",
                f"abs({x} - {factor}) % 65537",
                f"min({x} + {factor}, {mask})",
                f"(({product}) // {w.one('3', '256')}) & {mask}",
            )
            target = w.one(x, x, y)
            if w.chance(0.25):
                with w.block(f"if {x} {w.one('>', '<', '!=')} {w.one(y, '100', k)}:"):
                    w.line(f"{target} = {new}")
            else:
                w.line(f"{target} = {new}")
    return Value(w.one(x, f"{x} - {y}", f"{x} ^ {y}"), "i")


#: one whose loop ends for 1 and not for 13
ENDLESS = """\
def {name}(t):
    x = t * 0.25
    while t != 1:
        t = t * 5 + 1 if t % 2 == 1 else t // 2
    return math.exp(-x)
"""


@step
def loop_of_chains(w: Writer) -> None:
    """A loop whose iterations are chains and nothing else."""
    w.reading, w.writing = set(), set()
    floats = w.chance(0.7)
    out, i = w.target("f64" if floats else "i64"), w.fresh("i")
    n = f"len({out})"
    with w.block(f"for {i} in range({w.one(n, n, f'0, {n}, 3', f'{n} - 1, -1, -1')}):"):
        place, factor = Place(i), ""
        if floats and w.chance(0.15):
            t, factor = w.fresh("t"), w.fresh("t")
            w.line(f"{t} = {w.helper(ENDLESS)}(1 if {n} > 0 else 13)")
            w.line(f"{factor} = 0.0")
            k = w.fresh("k")
            with w.block(_loop(w, k)):
                w.line(f"{factor} += math.exp(-{t} * {k}) * {out}[{i}]")
            factor = f" * {factor}"
        found = (chain_of_floats if floats else chain_of_words)(w, place)
        w.line(f"{out}[{i}] = {found.text}{factor}")
    w.arrays[out].exact = False
    w.reading, w.writing = set(), set()
