"""The text of a random method in the making: parameters, names in scope, lines so far, and who wrote which line.

Topics (`tests/property/topics`) write pieces of it: *values* are what an iteration computes, *loops* the forms in which
iterations come, *steps* what stands between the loops. All vectors of a call have one length, all matrices one shape,
so that most accesses stay inside; calls that break this on purpose are made in `tests.property.calls`.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field

FLOATS = ("float64", "float64", "float64", "float32")
INTEGERS = ("int64", "int64", "int64", "int32", "int16", "int8", "uint8")
#: the dtypes that are asked for by a word
DTYPES = {"f": FLOATS, "i": INTEGERS, "n": (*FLOATS, *INTEGERS), "i64": ("int64",), "f64": ("float64",), "b": ("bool",)}
DTYPES |= {"m": ("int8", "uint8", "int16", "int32", "uint16", "uint32", "uint64"), "p": ("int64", "int32", "int64")}
DTYPES |= {"w": ("int64", "int64", "uint64"), "s": ("int8", "int16", "int32", "uint8", "uint16", "uint32", "float32")}


@dataclass
class Array:
    """An array in scope; `exact` where sums of its elements are, in any order; `fill` says what a call puts in."""

    dtype: str
    rank: int = 1
    fill: str = "small"
    exact: bool = True


@dataclass(frozen=True)
class Parameter:
    """A parameter: an array, or a number of a kind (`int`, `np.int64`, `float`) with the values that `fill` names."""

    name: str
    annotation: str
    array: Array | None = None
    kind: str = ""
    fill: str = ""
    layout: str = ""


@dataclass(frozen=True)
class Value:
    """An expression: `kind` is `i` (an integer), `f` (a float) or `b` (a truth value); `exact` as for arrays."""

    text: str
    kind: str
    exact: bool = False


@dataclass(frozen=True)
class Place:
    """Where an iteration is: the index of its own element in vectors, and in matrices if there are two."""

    i: str
    j: str = ""


Write = Callable[["Writer", Place], Value]
VALUES: dict[str, Write] = {}
LOOPS: dict[str, Callable[[Writer], AbstractContextManager[Place]]] = {}
STEPS: dict[str, Callable[[Writer], None]] = {}


def value(write: Write) -> Write:
    """Enter a writer of values; its name is that of the feature."""
    VALUES[write.__name__] = write
    return write


def loop(write: Callable[[Writer], Iterator[Place]]) -> Callable[[Writer], AbstractContextManager[Place]]:
    """Enter a writer of a loop's head: a generator that yields where its iterations are."""
    LOOPS[write.__name__] = contextmanager(write)
    return LOOPS[write.__name__]


def step(write: Callable[[Writer], None]) -> Callable[[Writer], None]:
    """Enter a writer of what stands between loops."""
    STEPS[write.__name__] = write
    return write


@dataclass
class Writer:
    """A method in the making."""

    number: int
    pick: random.Random = field(init=False)
    lines: list[str] = field(default_factory=list)
    #: for each line the features that wrote it
    owners: list[frozenset[str]] = field(default_factory=list)
    helpers: list[str] = field(default_factory=list)
    parameters: list[Parameter] = field(default_factory=list)
    arrays: dict[str, Array] = field(default_factory=dict)
    #: numbers in scope with their kind, `i` or `f`; and the parameters among them by fill
    scalars: dict[str, str] = field(default_factory=dict)
    results: list[str] = field(default_factory=list)
    names: list[str] = field(default_factory=list)
    features: set[str] = field(default_factory=set)
    #: what stands at the top of the body
    tops: list[str] = field(default_factory=list)
    pad: int = 0
    #: floats are compared with a tolerance: elementary functions; Python's ints may leave 64 bits
    rough: bool = False
    wide: bool = False
    #: in a nest: arrays that its iterations read at other places than their own, and arrays that they write
    reading: set[str] = field(default_factory=set)
    writing: set[str] = field(default_factory=set)
    current: tuple[str, ...] = ()
    #: whether an alias of parameters is worth a call; whether iterations may raise
    aliases: bool = False
    in_iteration: bool = False

    def __post_init__(self) -> None:
        self.pick = random.Random(self.number)

    # --- lines -----------------------------------------------------------------------------------------------------

    def line(self, text: str) -> None:
        self.lines.append("    " * self.pad + text)
        self.owners.append(frozenset(self.current))

    @contextmanager
    def block(self, header: str) -> Iterator[None]:
        self.line(header)
        before = len(self.lines)
        self.pad += 1
        yield
        if len(self.lines) == before:
            self.line("pass")
        self.pad -= 1

    @contextmanager
    def feature(self, name: str) -> Iterator[None]:
        """What is written inside belongs to this feature."""
        self.features.add(name)
        before, self.current = self.current, (*self.current, name)
        yield
        self.current = before

    def top(self, text: str) -> None:
        """A line before all others."""
        self.tops.append(text)

    def fresh(self, letter: str) -> str:
        name = f"{letter}{sum(each.startswith(letter) for each in self.names)}_"
        self.names.append(name)
        return name

    def helper(self, text: str) -> str:
        """A function beside the method; `{name}` in its text is its own name."""
        name = self.fresh("f")
        self.helpers.append(text.replace("{name}", name))
        return name

    def chance(self, probability: float) -> bool:
        return self.pick.random() < probability

    def one(self, *texts: str) -> str:
        return self.pick.choice(texts)

    # --- arrays ----------------------------------------------------------------------------------------------------

    def parameter(self, kinds: str, rank: int = 1, fill: str = "small") -> str:
        """A new array parameter."""
        name = self.fresh("abcxyz"[self.pick.randrange(6)] if rank == 1 else "gh"[self.pick.randrange(2)])
        dtype = self.pick.choice(DTYPES[kinds])
        self.wide = self.wide or dtype == "uint64"  # int() of which wraps
        array = Array(dtype, rank, fill, fill != "edges")
        marker = "np.ndarray" if self.parameters and self.chance(0.15) else "dist[np.ndarray]"
        if rank == 2 and marker.startswith("dist") and self.chance(0.25):
            marker = "Annotated[np.ndarray, dist, dim(0, 1)]"
        layout = self.pick.choice(("", "", "", "", "spaced", "reversed", "fortran"))
        self.parameters.append(Parameter(name, marker, array, layout=layout if dtype != "bool" else ""))
        self.arrays[name] = array
        return name

    def array(
        self, kinds: str, rank: int = 1, fill: str = "small", avoid: Sequence[str] = (), new: float = 0.15
    ) -> str:
        """An array in scope of such a dtype, or a new parameter."""
        known = [
            name
            for name, each in self.arrays.items()
            if each.dtype in DTYPES[kinds] and each.rank == rank and name not in avoid and each.fill == fill
        ]
        return self.pick.choice(known) if known and not self.chance(new) else self.parameter(kinds, rank, fill)

    def vector(self) -> str:
        """Some vector, for its length."""
        known = [name for name, each in self.arrays.items() if each.rank == 1]
        return self.pick.choice(known) if known else self.parameter("f")

    def length(self) -> str:
        """The length of the vectors."""
        a = self.vector()
        known = [name for name in ("n",) if name in self.scalars]
        return self.one(f"len({a})", f"{a}.shape[0]", f"len({a})", f"{a}.size", *known * 3)

    def element(self, place: Place, kinds: str, fill: str = "small", shifted: bool = True) -> Value:
        """An element that this iteration may read: of arrays that the nest writes its own, of others any."""
        if place.j and kinds in ("f", "i", "n") and self.chance(0.5):
            name = self.array(kinds, 2, fill)
            kind = "f" if self.arrays[name].dtype in FLOATS else "i"
            return Value(f"{name}[{place.i}, {place.j}]", kind, self.arrays[name].exact)
        name = self.array(kinds, 1, fill)
        index = place.i
        if shifted and name not in self.writing and self.chance(0.3):
            index = self.index(place)
            self.reading.add(name)
        dtype = self.arrays[name].dtype
        kind = "f" if dtype.startswith("f") else "b" if dtype == "bool" else "i"
        return Value(f"{name}[{index}]", kind, self.arrays[name].exact)

    def index(self, place: Place) -> str:
        """An index inside of every vector."""
        i, n = place.i, self.length()
        return self.one(
            f"{i} - 1",
            f"-{i} - 1" if i.isidentifier() else f"-({i}) - 1",
            f"{n} - 1 - ({i})",
            f"({i} + 1) % {n}",
            f"({i}) // 2",
            "0",
            "-1",
            f"(2 * ({i})) % {n}",
            f"({i}) % 3 - 1 - ({i}) // {n}",
        )

    def target(self, kinds: str, rank: int = 1) -> str:
        """An array that this nest may write: its iterations read no elements of it but their own."""
        name = self.array(kinds, rank, avoid=[*self.reading], new=0.25)
        self.writing.add(name)
        return name

    # --- numbers ---------------------------------------------------------------------------------------------------

    def scalar(self, fill: str, new: float = 0.3) -> str:
        """A parameter that is a number with the values of this fill."""
        known = [p.name for p in self.parameters if p.fill == fill]
        if known and not self.chance(new):
            return self.pick.choice(known)
        kind = "float" if fill == "float" else self.one("int", "int", "np.int64")
        name = self.fresh("kmpq"[self.pick.randrange(4)])
        self.wide = self.wide or (kind == "int" and fill in ("far", "up"))
        self.parameters.append(Parameter(name, "float" if kind == "float" else "int", None, kind, fill))
        return name

    def python_scalar(self, fill: str) -> str:
        """A parameter that is one of Python's own ints, which may leave 64 bits."""
        name = self.fresh("k")
        self.parameters.append(Parameter(name, "int", None, "int", fill))
        self.wide = True
        return name

    def condition_of(self, i: str) -> str:
        """A test of an iteration by its index, a number, or an element of its own."""
        x = self.array(self.one("i64", "f64"))
        return self.one(f"{i} % 2 == 0", f"{i} > {self.scalar('near', 0.2)}", f"{x}[{i}] > 1", f"{x}[{i}] < 4")

    def condition(self, place: Place) -> str:
        """A test of an iteration: of its index, of a parameter, of data."""
        i, n = place.i, self.length()
        k = self.scalar("near", 0.2)
        simple = [
            f"{i} % 2 == {self.one('0', '1')}",
            f"{n} - ({i}) > {self.one('1', '2', k)}",
            f"{i} != {k}",
            f"{i} >= {k}",
            f"{k} > {self.one('0', '1')}",
            f"0 < {i} < {n} - 1",
            f"({i} + {k}) % 3 == 1",
            f"{i} < {n} - {k}",
        ]
        if place.j:
            j = place.j
            simple += [f"{i} > {j}", f"({i} + {j}) % 2 == 0", f"{i} == {j}"]
        if self.chance(0.25):
            simple = [f"{self.element(place, 'n', shifted=False).text} {self.one('<', '>', '==')} {self.one('0', '2')}"]
        test = self.pick.choice(simple)
        return f"{test} {self.one('and', 'or', 'and not')} {self.pick.choice(simple)}" if self.chance(0.2) else test

    def inner(self, place: Place) -> str:
        """A range inside an iteration, of indexes inside of every vector."""
        i, n = f"({place.i})", self.length()
        k = self.scalar("near", 0.2) if self.chance(0.3) else "2"
        return self.one(
            f"range({n})",
            f"range({i})",
            f"range({i}, {n})",
            f"range({n} - {i})",
            f"range({n} - 1, {i}, -1)",
            f"range({i} % 4)",
            f"range(min(5, {n}))",
            f"range({i} // 2, {i})",
            f"range({i}, -1, -1)",
            f"reversed(range({i}))",
            f"range(0, {n}, 2)",
            f"range(max({k}, 0), {n})",
            "range(0)",
        )

    def value(self, place: Place, only: str = "") -> Value:
        """A value by one of the topics, of a kind in `only` if that is given."""
        for _ in range(20):
            lines, owners, features = len(self.lines), len(self.owners), set(self.features)
            name = self.pick.choice(sorted(VALUES))
            with self.feature(name):
                found = VALUES[name](self, place)
            if not only or found.kind in only:
                return found
            del self.lines[lines:], self.owners[owners:]
            self.features = features
        return self.element(place, "i" if only == "i" else "f")
