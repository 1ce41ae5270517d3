"""Statements in statements, as a program for one iteration: numbers of both kinds that are set, exchanged and tested in
loops and branches of any depth, with local tuples and arrays, ends and `else` of loops, and expressions of all sorts."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from tests.property.writer import Place, Value, Writer, value


class Body:
    """The statements of an iteration; `ints` and `floats` are the names that have a value."""

    def __init__(self, w: Writer, place: Place) -> None:
        self.w, self.place = w, place
        self.x = w.element(place, "i64").text
        self.y = w.element(place, "f64").text
        self.ints: list[str] = []
        self.floats: list[str] = []
        #: tuples of an int and a float, arrays of three ints, inner loops around, loops that count
        self.tuples: list[str] = []
        self.local: list[str] = []
        self.counts: list[str] = []
        self.loops = 0
        self.left = w.pick.choice((4, 8, 14, 20))

    # --- expressions -------------------------------------------------------------------------------------------------

    def int(self, depth: int = 2) -> str:
        w = self.w
        if depth == 0 or w.chance(0.25):
            known = [*self.ints * 3, *self.counts * 2, self.x, self.place.i, *(f"{p}[0]" for p in self.tuples)]
            known += [f"{a}[{w.one('0', '1', '-1')}]" for a in self.local]
            return w.one(*known) if w.chance(0.8) else w.one("0", "1", "2", "3", "7", "-1", "-2", "100")
        one, two = self.int(depth - 1), self.int(depth - 1)
        positive = f"(abs({two}) % 7 + 1)"
        return w.one(
            f"({one} + {two})",
            f"({one} - {two})",
            f"{one} * {w.one('2', '3', '-1', two)}",
            f"{one} // {w.one('2', '3', '-4', positive)}",
            f"{one} % {w.one('2', '5', '-3', positive)}",
            f"({one} & {two})",
            f"({one} | {two})",
            f"({one} ^ {two})",
            f"({one} << ({two} & 3))",
            f"({one} >> ({two} & 7))",
            f"-({one})",
            f"~({one})",
            f"min({one}, {two})",
            f"max({one}, {two})",
            f"abs({one})",
            f"({one} if {self.test(depth - 1)} else {two})",
            f"int({self.test(depth - 1)})",
            f"int({self.float(depth - 1)} % 8.0)",
            f"int({one})",
            f"divmod({one}, {positive})[{w.one('0', '1')}]",
        )

    def float(self, depth: int = 2) -> str:
        w = self.w
        if depth == 0 or w.chance(0.25):
            known = [*self.floats * 3, self.y, *(f"{p}[1]" for p in self.tuples)]
            return w.one(*known) if w.chance(0.8) else w.one("0.0", "1.0", "0.5", "-2.5", "3.25")
        one, two = self.float(depth - 1), self.float(depth - 1)
        return w.one(
            f"({one} + {two})",
            f"({one} - {two})",
            f"{one} * {w.one('0.5', '-1.0', '2.0', two)}",
            f"{one} / {w.one('2.0', '-4.0', '3.0')}",
            f"{one} % {w.one('2.0', '-3.0')}",
            f"{one} // {w.one('2.0', '0.25')}",
            f"-({one})",
            f"abs({one})",
            f"min({one}, {two})",
            f"max({one}, {two})",
            f"({one} if {self.test(depth - 1)} else {two})",
            f"float({self.int(depth - 1)} % 16)",
            f"({one} + {self.int(0)} % 5)",
            f"float({self.test(depth - 1)})",
        )

    def test(self, depth: int = 1) -> str:
        w = self.w
        side = self.int if w.chance(0.6) else self.float
        one, two = side(max(depth, 0)), w.one(side(0), "0", "2")
        simple = w.one(f"{one} < {two}", f"{one} == {two}", f"{one} >= {two}", f"{one} != {two}", f"{self.int(0)} <= {self.int(0)} < {self.int(0)}",
                       f"{self.int(0)} % 2 == 0", f"{self.float(0)} > {self.int(0)}",
                       f"({one} < {two}) == ({self.int(0)} >= {self.int(0)})")  # fmt: skip
        if depth <= 0 or w.chance(0.6):
            return f"({simple})"
        return w.one(f"({simple} {w.one('and', 'or')} {self.test(depth - 1)})", f"(not {self.test(depth - 1)})")

    # --- statements --------------------------------------------------------------------------------------------------

    @contextmanager
    def scope(self, header: str) -> Iterator[None]:
        """A block; what it sets first is perhaps unset behind it, and so forgotten."""
        kept = [list(each) for each in (self.ints, self.floats, self.tuples, self.local, self.counts)]
        with self.w.block(header):
            yield
        self.ints, self.floats, self.tuples, self.local, self.counts = kept

    def statements(self, most: int) -> None:
        for _ in range(self.w.pick.randint(1, most)):
            if self.left > 0:
                self.left -= 1
                self.statement()

    def statement(self) -> None:
        w = self.w
        form = w.pick.choice(
            ("set",) * 4
            + ("change",) * 4
            + ("if",) * 4
            + ("for",) * 2
            + ("while", "exchange", "exchange", "tuple", "array", "leave")
        )
        if form == "change" and self.ints and self.floats:
            if w.chance(0.5):
                w.line(f"{w.pick.choice(self.ints)} {w.one('+=', '-=', '^=', '|=', '*=', '&=')} {self.int()}")
            else:
                w.line(f"{w.pick.choice(self.floats)} {w.one('+=', '-=', '*=')} {self.float()}")
        elif form == "if":
            with self.scope(f"if {self.test()}:"):
                self.statements(3)
            if w.chance(0.3):
                with self.scope(f"elif {self.test()}:"):
                    self.statements(2)
            if w.chance(0.4):
                with self.scope("else:"):
                    self.statements(2)
        elif form in ("for", "while") and self.loops < 2:
            self._loop(form)
        elif form == "exchange" and len(self.ints) > 1 and len(self.floats) > 1:
            a, b = w.pick.sample(self.ints if w.chance(0.5) else self.floats, 2)
            change = self.int(1) if a in self.ints else self.float(1)
            w.line(f"{a}, {b} = {w.one(f'{b}, {a}', f'{b}, {change}', f'{a} - {b}, {a}')}")
        elif form == "tuple":
            p = w.pick.choice(self.tuples) if self.tuples and w.chance(0.6) else w.fresh("p")
            w.line(f"{p} = ({self.int(1)} + 0 * {self.x}, {self.float(1)} + 0.0 * {self.y})")
            self.tuples += [p] * (p not in self.tuples)
            if w.chance(0.4):
                more = self.int(1)
                u, t, v = self._name("int"), self._name("float"), self._name("int")
                w.line(w.one(f"{u}, {t} = {p}", f"({u}, {t}), {v} = {p}, {more}", f"{v}, ({u}, {t}) = {more}, {p}"))
            elif len(self.tuples) > 1 and w.chance(0.4):
                one, two = w.pick.sample(self.tuples, 2)
                w.line(f"{one}, {two} = {two}, {one}")
        elif form == "array":
            if self.local and w.chance(0.7):
                w.line(f"{w.pick.choice(self.local)}[{self.int(1)} % 3] {w.one('=', '+=', '-=', '^=')} {self.int(1)}")
            elif not self.loops:
                a = w.fresh("w")
                w.line(f"{a} = np.{w.one('zeros', 'ones')}(3, np.int64)")
                self.local.append(a)
        elif form == "leave" and self.loops:
            with w.block(f"if {self.test()}:"):
                w.line(w.one("break", "continue"))
        else:
            self._set()

    def _name(self, kind: str) -> str:
        known = self.ints if kind == "int" else self.floats
        name = (
            self.w.pick.choice(known) if known and self.w.chance(0.6) else self.w.fresh("u" if kind == "int" else "t")
        )
        known += [name] * (name not in known)
        return name

    def _set(self) -> tuple[str, str]:
        """The kind and the name of what is set."""
        kind = self.w.one("int", "float")
        text = self.int() + f" + 0 * {self.x}" if kind == "int" else self.float() + f" + 0.0 * {self.y}"
        name = self._name(kind)
        self.w.line(f"{name} = {text}")
        return kind, name

    def _loop(self, form: str) -> None:
        w = self.w
        if form == "for":
            k = w.fresh("k")
            head = w.one(
                "range(3)",
                f"range({self.int(1)} % 5)",
                f"range({self.int(0)} % 4, 6)",
                f"range({self.int(0)} % 4, -2, -1)",
                "range(5, 0, -2)",
            )
            sure = head in ("range(3)", "range(5, 0, -2)") and w.chance(0.6)
            with self.scope(f"for {k} in {head}:"):
                if sure:
                    kind, name = self._set()
                self._inside(k)
            if sure:  # what each turn sets first, and its number, have values behind the loop
                known = self.ints if kind == "int" else self.floats
                known += [name] * (name not in known)
                self.counts.append(k)
        else:
            k = w.fresh("k")
            w.line(f"{k} = 0")
            with self.scope(f"while {k} < {w.one('3', '6')}{w.one('', f' and {self.test()}')}:"):
                w.line(f"{k} += {w.one('1', '2')}")
                self._inside(k)
            self.counts.append(k)
        if w.chance(0.2):
            with self.scope("else:"):
                self.statements(2)

    def _inside(self, count: str) -> None:
        self.loops += 1
        self.counts.append(count)
        self.statements(4)
        self.loops -= 1


@value
def statements(w: Writer, place: Place) -> Value:
    w.wide = True
    body = Body(w, place)
    for kind in ("int", "float", "int", "float"):
        name = w.fresh("u" if kind == "int" else "t")
        if kind == "int":
            w.line(f"{name} = {w.one(body.x, f'{body.x} % 10', f'{body.x} - {place.i}')}")
            body.ints.append(name)
        else:
            w.line(f"{name} = {w.one(body.y, f'0.5 * {body.y}')}")
            body.floats.append(name)
    while body.left > 0:
        body.statements(4)
    if w.chance(0.5):
        return Value(
            f"({' ^ '.join([*body.ints, *(f'{p}[0]' for p in body.tuples), *(f'{a}[1]' for a in body.local)])})", "i"
        )
    return Value(f"({' + '.join([*body.floats, *(f'{p}[1]' for p in body.tuples)])})", "f")
