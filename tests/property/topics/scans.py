"""Loops that hand scalars on which blocks of iterations can be told to continue, and some that only look like it."""

from __future__ import annotations

from tests.property.writer import Place, Writer, step


def _terms(w: Writer, i: str) -> tuple[str, str]:
    """Two integers of an iteration."""
    place = Place(i)
    a = w.one(f"int({w.element(place, 'i').text})", f"int({w.element(place, 'i').text})", i, f"({i} % 3 - 1)")
    return a, w.one(i, "3", "-1", f"int({w.element(place, 'i').text})", "5")


def _updated(w: Writer, update: str, i: str) -> None:
    """What an iteration does to the scalar that it hands on: always, under a condition, or several times."""
    if w.chance(0.3):
        with w.block(f"if {w.condition(Place(i))}:"):
            w.line(update)
    elif w.chance(0.1):
        with w.block(f"for {w.fresh('k')} in range({i} % 3):"):
            w.line(update)
    else:
        w.line(update)


def _updates(w: Writer, s: str, i: str) -> list[str]:
    """Updates of one scalar, of one kind but for a few."""
    e, f = _terms(w, i)
    ring = (
        f"{s} += {e}", f"{s} = {f} - {s}", f"{s} -= {e} * {f}", f"{s} = {s} * {f} + {e}", f"{s} *= {f}",
        f"{s} = ({s} << 1) + {e}", f"{s} = {e} if {f} > 0 else {s} + 1", f"{s} = ~{s} * {e}",
    )  # fmt: skip
    bits = (f"{s} ^= {e}", f"{s} |= {e}", f"{s} = {s} & ~{e}", f"{s} = ~({s} ^ {f})", f"{s} &= {f}")
    bounds = (
        f"{s} = max({s}, {e})", f"{s} = min({f}, {s})", f"{s} = {e} if {e} > {s} else {s}", f"{s} = min({s}, {e}, 90)",
    )  # fmt: skip
    no_scan = (
        f"{s} = {s} // 2 + {e}",
        f"{s} = ({s} * {s}) % 1000 + {e}",
        f"{s} = abs({s}) - {e}",
        f"{s} = {s} % 77 + {e}",
    )
    kind = w.pick.choice((ring, ring, ring, bits, bounds, no_scan if w.chance(0.2) else ring))
    return [w.pick.choice(kind) for _ in range(w.pick.choice((1, 1, 2)))]


@step
def scan(w: Writer) -> None:
    """The running value of a scalar, stored, tested or added."""
    w.wide = True
    n, i, s, out = w.length(), w.fresh("i"), w.fresh("s"), w.target("i64")
    w.line(f"{s} = {w.one('0', '1', 'np.int64(-7)', 'np.int64(3)', '0x55')}")
    turns = w.one(f"range({n})", f"range({n})", f"range({n} - 1, -1, -1)", f"range(0, {n}, 2)", f"range(1, {n})")
    with w.block(f"for {i} in {turns}:"):
        if w.chance(0.3):
            with w.block(f"if {w.one(f'{s} > 3', f'{s} % 2 == 0', w.condition(Place(i)))}:"):
                w.line(f"{out}[{i}] = {w.one(s, i)}")
        if w.chance(0.3):
            with w.block(f"if {w.condition(Place(i))}:"):
                w.line(w.one(f"{s} = 0", f"{s} = {i}", "continue"))
        for update in _updates(w, s, i):
            _updated(w, update, i)
        if w.chance(0.8):
            w.line(w.one(f"{out}[{i}] = {s}", f"{out}[{i}] = {s} - {i}", f"{out}[{i}] += {s}"))
    w.results.append(s)


@step
def state(w: Writer) -> None:
    """A truth value that each iteration may change in any way, and the latest of some values."""
    n, i, s, last, out = w.length(), w.fresh("i"), w.fresh("s"), w.fresh("t"), w.target("i64")
    w.line(f"{s} = {w.one('True', 'False')}")
    w.line(f"{last} = -1")
    with w.block(f"for {i} in range({n}):"):
        test = w.condition(Place(i))
        with w.block(f"if {w.one(test, s)}:"):
            w.line(w.one(f"{s} = not {s}", f"{s} = {s} and {test}", f"{s} = {i} % 3 == 0", f"{s} = {test}"))
        if w.chance(0.5):
            with w.block(f"if {w.condition(Place(i))}:"):
                w.line(f"{last} = {i}")
        w.line(f"{out}[{i}] = {w.one(f'{i} if {s} else {last}', f'int({s})', f'{last}')}")
    w.results.append(last)


@step
def waiting(w: Writer) -> None:
    """A float that each iteration hands on, beside work that does not wait for it."""
    n, i, s, x, out = w.length(), w.fresh("i"), w.fresh("s"), w.array("f64"), w.target("f64")
    w.line(f"{s} = {w.one('0.5', '0.0', '-1.0')}")
    with w.block(f"for {i} in range({w.one(n, n, f'1, {n}')}):"):
        e = w.one(
            f"math.sqrt(abs({x}[{i}])) / ({i} + 1) / 7.0", f"{x}[{i}] / (1.0 + {x}[{i}] * {x}[{i}]) / 3.0 / 7.0 / 1.5"
        )
        if w.chance(0.4):
            t = w.fresh("t")
            w.line(f"{t} = {e}")
            e = t
        if w.chance(0.2):
            w.line(f"{out}[{i}] = {s}")
        w.line(
            w.one(
                f"{s} += {e}",
                f"{s} = {s} * 0.5 + {e}",
                f"{s} = {s} * {x}[{i}] * 0.0625 - {e}",
                f"{s} = max({s}, {e}) * 0.5",
            )
        )
        w.line(w.one(f"{out}[{i}] = {s}", f"{out}[{i}] = {s} / ({i} + 2)", f"{out}[{i}] += {s} * 0.25"))
    w.arrays[out].exact = False
    w.results.append(s)


@step
def search(w: Writer) -> None:
    """The first iteration that something holds of, and what is done there."""
    n, i, s = w.length(), w.fresh("i"), w.fresh("s")
    first = w.one("0", "0", "1", w.scalar("near"))
    w.line(f"{s} = {w.one('-1', '0', n)}")
    out = w.target("i64")
    turns = w.one(n, f"{first}, {n}", f"{n} - 1, -1, -1", f"{n} - 1, 2, -1")
    with w.block(f"for {i} in range({turns}):"):
        if w.chance(0.3):
            with w.block(f"if {w.condition(Place(i))}:"):
                w.line("continue")
        with w.block(f"if {w.condition(Place(i))}:"):
            w.line(w.one(f"{s} = {i}", f"{s} += {i}", f"{out}[{i}] += 3"))
            w.line("break")
        if w.chance(0.1):
            w.line(f"{out}[{i}] += 1")
    w.results.append(s)


@step
def filters(w: Writer) -> None:
    """What fulfils a condition, in its order, and perhaps what does not; the places mostly lie inside."""
    n, i, k, out = w.length(), w.fresh("i"), w.fresh("k"), w.fresh("p")
    a = w.array("n")
    w.reading, w.writing = set(), set()
    step_ = w.pick.choice((1, 1, 1, 2))
    size = w.one(f"{step_} * {n} + 1", f"{step_} * {n} + 1", f"{step_} * {n} + 1", f"{n} // 2")
    w.line(f"{out} = np.zeros({size})")
    w.line(f"{k} = {w.one('0', '0', '1')}")
    head = f"for {i} in {w.one(f'range({n})', f'range({n} - 1, -1, -1)')}:"
    with w.block(head), w.block(f"if {w.condition(Place(i))}:"):
        first = w.one(f"{out}[{k}] = {a}[{i}]", f"{out}[{k}] = {i}", f"{out}[{k}] += {a}[{i}] + 1")
        grown = w.one(f"{k} += {step_}", f"{k} = {k} + {step_}")
        more = [f"{out}[{k} + 1] = {i}"] if step_ == 2 else []
        for text in [grown, first] if w.chance(0.1) else [first, *more, grown]:
            w.line(text)
    w.results += [k, out]


@step
def claimed(w: Writer) -> None:
    """Floats that iterations hand on, in an association of their own; what they sum up is exact in any order, for where
    large numbers cancel each other another order may have no place right."""
    n, i, s = w.length(), w.fresh("i"), w.fresh("s")
    x, out = w.array("f64", avoid=[name for name, array in w.arrays.items() if not array.exact]), w.target("f64")
    affine = w.chance(0.3)
    if affine:
        w.rough, w.arrays[out].exact = True, False
    w.line(f"{s} = {w.one('0.5', '0.0', '-1.0')}")
    e, f = w.one(f"{x}[{i}]", f"{x}[{i}] * 0.5", f"({i} - 3.0)"), w.one("0.5", f"({i} % 3 - 1.0)", "-1.0")
    products = f"{s} = {s} * {f} + {e}", f"{s} *= {f}", f"{s} = {e} - {f} * {s}"
    more = (*products, f"{s} += 0.5 * ({e} - {s})", f"{s} = ({s} - {e}) / -2.0") if affine else ()
    turns = w.one(
        f"range({n})", f"range({n})", f"range({n} - 1, -1, -1)", f"range(1, {n}, 2)", f"range({n} - 1, 0, -3)"
    )
    with w.block(f'with sync({s}, scan="{"affine" if affine else "+"}"):'), w.block(f"for {i} in {turns}:"):
        if w.chance(0.2):
            with w.block(f"if {w.condition(Place(i))}:"):
                w.line(w.one(f"{out}[{i}] = {s} - 1.0", "continue"))
        if w.chance(0.3):
            t = w.fresh("t")
            w.line(f"{t} = {e}")
            e = t
        if not affine and w.chance(0.3):
            with w.block(f"if {w.condition(Place(i))}:"):
                w.line(f"{s} = {w.one('0.0', e, '-1.5')}")
        for update in w.pick.sample(
            (f"{s} += {e}", f"{s} = {s} - {e}", f"{s} = {e} + {s}", *more), w.pick.choice((1, 1, 2))
        ):
            _updated(w, update, i)
        w.line(w.one(f"{out}[{i}] = {s}", f"{out}[{i}] = {s} if {s} > 0.0 else 1.0", f"{out}[{i}] += {s}"))
    w.results.append(s)


@step
def handed(w: Writer) -> None:
    """An element that is made of the one that the last iteration stored, or of one that only looks like it."""
    n, i, out = w.length(), w.fresh("i"), w.target("i64")
    turns, back = w.pick.choice(
        ((f"range({n})", 1), (f"range(1, {n})", 1), (f"range({n} - 1, 0, -1)", -1), (f"range(2, {n}, 2)", 2))
    )
    back = back if w.chance(0.85) else w.pick.choice((1, -1, 2, 0))
    last = f"{out}[{i} {'-' if back >= 0 else '+'} {abs(back)}]"
    e, f = _terms(w, i)
    made = w.one(
        f"{last} + {e}", f"{e} - {last}", f"{last} * {f} + {e}", f"max({last}, {e})", f"{last} ^ {e}", f"{last} // 2"
    )
    with w.block(f"for {i} in {turns}:"):
        if w.chance(0.2):
            with w.block(f"if {w.condition(Place(i))}:"):
                w.line(w.one(f"{out}[{i}] = {e}", "continue", f"{out}[{i} - 1] = 3"))
        if w.chance(0.3):
            t = w.fresh("t")
            w.line(f"{t} = {made}")
            made = t
        stored = (f"{out}[{i}] = {made}", f"{out}[{i}] = {made}", f"{out}[{i}] += {made}")
        if w.chance(0.2):
            with w.block(f"if {w.condition(Place(i))}:"):
                w.line(w.pick.choice(stored))
        elif w.chance(0.2):
            w.line(f"{out}[{i}] = {made} if {w.condition(Place(i))} else {e}")
        else:
            w.line(w.pick.choice(stored))
        if w.chance(0.1):
            w.line(f"{out}[{i}] -= 1")
    w.wide = True
