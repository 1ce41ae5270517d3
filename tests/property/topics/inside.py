"""What iterations have for themselves: small arrays, tuples, sums, loops that carry values from turn to turn."""

from __future__ import annotations

from tests.property.writer import Place, Value, Writer, value


@value
def local_array(w: Writer, place: Place) -> Value:
    """An array of an iteration, updated at indexes that repeat."""
    name, j = w.fresh("w"), w.fresh("j")
    length = w.one("2", "3", "5")
    dtype = w.one("", "", ", np.int64", ", dtype=np.float32")
    if w.chance(0.2):
        length = f"abs({w.scalar('near')}) + 1"
    w.line(f"{name} = {w.one('np.zeros', 'np.ones', 'np.zeros')}({length}{dtype})")
    size = f"len({name})" if not length.isdigit() else length
    x = w.element(Place(j), "i" if "int" in dtype else "f")
    at = w.one(f"{j} % {size}", f"({place.i} + {j}) % {size}", "0", "-1", f"-({j} % {size}) - 1")
    with w.block(f"for {j} in {w.inner(place)}:"):
        if w.chance(0.3):
            with w.block(f"if {w.condition(Place(j))}:"):
                w.line(f"{name}[{at}] {w.one('+=', '-=', '*=')} {x.text}")
        else:
            w.line(f"{name}[{at}] {w.one('+=', '-=')} {w.one('1', x.text, x.text)}")
    return Value(
        w.one(f"{name}[0] - {name}[-1]", f"{name}[{place.i} % {size}]", f"{name}[0]"), "i" if "int" in dtype else "f"
    )


@value
def looked_up(w: Writer, place: Place) -> Value:
    """A table of an iteration, read where data say, beside whatever else the loop reduces."""
    name, length = w.fresh("w"), w.pick.choice((2, 3, 5))
    dtype = w.one("np.int64", "np.float64", "np.float32", "np.uint8")
    w.line(f"{name} = {w.one('np.ones', 'np.zeros')}({length}, {dtype})")

    def at() -> str:
        i, data = f"({place.i})", f"{w.array('i')}[0]"
        ends = f"{i} + 1 if {i} < {length - 1} else 0"
        return w.one(f"{i} % {length}", f"-({i} % {length}) - 1", ends, f"{data} % {length}", f"{i} - {i} // 2 * 2")

    if w.chance(0.5):
        with w.block(f"if {w.condition(place)}:"):
            w.line(f"{name}[{at()}] = {dtype}(2)")
    if w.chance(0.4):
        j = w.fresh("j")
        with w.block(f"for {j} in {w.inner(place)}:"):
            w.line(f"{name}[({j} + {at()}) % {length}] += {dtype}({j} % 3)")
    if w.chance(0.3):
        one, other = at(), at()
        w.line(f"{name}[{one}], {name}[{other}] = {name}[{other}], {name}[{one}]")
    return Value(f"int({name}[{at()}])", "i")


@value
def sorted_window(w: Writer, place: Place) -> Value:
    """The median of three neighbours, sorted in an array of the iteration."""
    name, k, m = w.fresh("w"), w.fresh("k"), w.fresh("k")
    x = w.array("f", avoid=[*w.writing])
    w.reading.add(x)
    w.line(f"{name} = np.empty(3)")
    with w.block(f"for {k} in range(3):"):
        w.line(
            f"{name}[{k}] = {x}[({place.i}) - {k}]"
            if w.chance(0.5)
            else f"{name}[{k}] = {x}[({place.i} + {k}) % {w.length()}]"
        )
    larger = f"if {name}[{m}] > {name}[{m} + 1]:"
    with w.block(f"for {k} in range(2, 0, -1):"), w.block(f"for {m} in range({k}):"), w.block(larger):
        w.line(f"{name}[{m}], {name}[{m} + 1] = {name}[{m} + 1], {name}[{m}]")
    return Value(f"{name}[1]", "f")


@value
def carried_tuple(w: Writer, place: Place) -> Value:
    p, j = w.fresh("p"), w.fresh("j")
    x = w.element(Place(j), "f").text
    strong = w.chance(0.4)
    start = "(np.float64(0.0), np.float64(1.0))" if strong else w.one("(0.0, 1.0)", f"({place.i} * 0.5, 1.0)")
    x = f"np.float64({x})" if strong else f"float({x})"
    w.line(f"{p} = {start}")
    with w.block(f"for {j} in {w.inner(place)}:"):
        w.line(
            f"{p} = "
            + w.one(f"({p}[0] + {x} * {p}[1], {p}[1] * 0.5)", f"({p}[1], {p}[0] + {x})", f"({p}[0] + 1.0, {x})")
        )
    return Value(w.one(f"{p}[0] + {p}[1]", f"{p}[0] - 2.0 * {p}[1]"), "f")


@value
def exchanged_numbers(w: Writer, place: Place) -> Value:
    """A greatest common divisor, or numbers of Fibonacci."""
    u, v = w.fresh("u"), w.fresh("v")
    if w.chance(0.5):
        x, y = (w.element(place, "i64").text for _ in range(2))
        w.line(f"{u}, {v} = abs({x}), abs({y})")
        with w.block(f"while {v} != 0:"):
            w.line(f"{u}, {v} = {v}, {u} % {v}")
        return Value(u, "i")
    w.line(f"{u}, {v} = {w.one('0, 1', '0.0, 1.0', f'0, {place.i}')}")
    with w.block(f"for {w.fresh('r')} in {w.inner(place)}:"):
        w.line(f"{u}, {v} = {v}, {w.one(f'{u} + {v}', f'{u} - {v}', f'{u}')}")
    return Value(w.one(u, f"{u} - {v}"), "f")


@value
def inner_sum(w: Writer, place: Place) -> Value:
    s, j = w.fresh("s"), w.fresh("j")
    x, kind = w.element(Place(j), w.one("f", "i")), w.one("0", "0.0", "np.float64(0.0)")
    w.line(f"{s} = {kind if x.kind == 'f' else w.one('0', 'np.int64(0)')}")
    with w.block(f"for {j} in {w.inner(place)}:"):
        update = w.one(
            f"{s} += {x.text}", f"{s} = {s} - {x.text}", f"{s} += {x.text} * {x.text}", f"{s} = max({s}, {x.text})"
        )
        if w.chance(0.5):
            test = w.condition(Place(j)) if w.chance(0.5) else f"{j} {w.one('<', '!=', '>=')} {place.i}"
            if w.chance(0.3):
                with w.block(f"if {test}:"):
                    w.line(w.one("break", "continue"))
                w.line(update)
            else:
                with w.block(f"if {test}:"):
                    w.line(update)
        else:
            w.line(update)
    return Value(s, x.kind)


@value
def counted_while(w: Writer, place: Place) -> Value:
    s, j = w.fresh("s"), w.fresh("j")
    x = w.element(Place(j), "f")
    w.line(f"{s} = 0.0")
    w.line(f"{j} = {place.i}")
    with w.block(f"while {j} > {w.one('0', '1', w.scalar('natural'))}:"):
        w.line(f"{s} += {x.text}")
        w.line(f"{j} {w.one('-= 1', '-= 2', '//= 2')}")
    return Value(s, "f")


@value
def branches(w: Writer, place: Place) -> Value:
    """A number that is set under conditions, perhaps after a first value."""
    t = w.fresh("t")
    x, y = w.element(place, "f64"), w.element(place, "f64")
    always = w.chance(0.6)
    if always:
        w.line(f"{t} = {x.text}")
    with w.block(f"if {w.condition(place)}:"):
        w.line(f"{t} = {y.text} + 1.0")
    if not always or w.chance(0.4):
        with w.block(w.one(f"elif {w.condition(place)}:", "else:") if always else "else:"):
            w.line(f"{t} = 0.5 * {x.text}")
    return Value(t, "f", x.exact and y.exact)
