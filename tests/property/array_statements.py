"""Random array statements against NumPy itself: slices, steps, signs, ranks, overlaps, new axes, one array twice,
reductions, numbers made of them, conditions, rows in loops, arrays exchanged.

`python -m tests.property.array_statements --count 100 --target plan` runs so many programs, each of some statements
over several shapes and limits: on a target, or as a plan in the interpreter, which is quick. It prints those that
differ.
"""

from __future__ import annotations

import argparse
import linecache
import random
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

import somd
from somd.sources.comparing import Tolerance
from somd.sources.expected import expected_of
from somd.sources.verifying import NOT_RUN, verify
from tests.differential.harness import check
from tests.language.program import spaced

HEADER = "import numpy as np\n\nfrom somd import somd\n\n\n"
DTYPES = ("float64", "float64", "float32", "int64", "int16", "uint8", "int32")
#: sums of what these hold are exact in any order
REDUCTIONS = ("sum", "sum", "max", "min", "any", "all", "argmax", "argmin", "count", "ptp")
STEPS = ("", "", ":1", ":2", ":-1", ":-2", ":3")
WORKERS = (1, 2, 3, 7)
LIMITS = ("", "", "1", "2", "-1", "-2", "-3", "0", "i", "j", "k", "i + 1", "-i", "k - 2", "5", "len(a)", "len(b[k:])")
LENGTHS, WEIGHTS = (0, 1, 2, 3, 4, 7), (0.05, 0.05, 0.1, 0.2, 0.3, 0.3)
#: of an axis of length 1 that only a call shows: refused, whatever plain Python does
STRETCHED = "would be stretched"
Case = tuple[Any, ...]


class Writer:
    """Writes a program: a method of the arrays a, b (of one rank), w (of one dimension), g (of indexes), and the limits
    i, j, k."""

    def __init__(self, number: int) -> None:
        self.random = random.Random(number)
        self.rank = self.random.choice((1, 1, 2, 2, 3))
        self.dtypes = [self.random.choice(DTYPES) if self.random.random() > 0.04 else "bool" for _ in range(3)]
        self.locals: list[str] = []
        self.parts: list[str] = []
        self.rotates = False
        self.numbers: list[str] = []

    def limit(self) -> str:
        return self.random.choice(LIMITS)

    def index(self, rank: int) -> str:
        """A basic index that keeps all axes but, at times, those that stand still."""
        parts: list[str] = []
        for _ in range(rank):
            parts.append(f"{self.limit()}:{self.limit()}{self.random.choice(STEPS)}")
        if self.random.random() < 0.15:
            parts[self.random.randrange(rank) :] = ["..."]
        return ", ".join(parts)

    def part(self, name: str, same: str | None) -> str:
        """A part of an array; often with the limits `same`, so that shapes fit."""
        rank = 1 if name == "w" else self.rank
        if self.random.random() < 0.25:
            return name
        if same is not None and rank == self.rank and self.random.random() < 0.7:
            return f"{name}[{same}]"
        return f"{name}[{self.index(rank)}]"

    def reduction(self, same: str | None, axis: bool) -> str:
        """A reduction of some value; along one axis, which stays, or to a number."""
        name, value = self.random.choice(REDUCTIONS), self.part(self.random.choice(["a", "a", "b", *self.locals]), same)
        if self.random.random() < 0.4:
            value = f"({value} {self.random.choice('+-*')} {self.value(same, 2)})"
        along = f"axis={self.random.randrange(-self.rank, self.rank)}, keepdims=True" if axis else ""
        if name in ("max", "min") and self.random.random() < 0.2:
            along += f"{', ' if along else ''}initial={self.random.choice('02')}"
        if name == "count":
            return f"np.count_nonzero({', '.join(filter(None, (value, along)))})"
        if name == "ptp":
            return f"np.ptp({', '.join(filter(None, (value, along)))})"
        method = self.random.random() < 0.5 and value.isidentifier()
        return f"{value}.{name}({along})" if method else f"np.{name}({', '.join(filter(None, (value, along)))})"

    def chosen(self) -> str:
        """A number, or one of two, of which one alone is computed."""
        one = self.reduction(None, False)
        if self.random.random() < 0.4:
            return one
        other = self.random.choice((one, self.reduction(None, False), "a.max()", *self.numbers))
        if self.random.random() < 0.2:
            return f"(({one} > 1) {self.random.choice(('or', 'and'))} ({other} > 1))"
        return f"({one} if {self.random.choice(('k > j', 'len(a) > 0', 'i == 1', 'k or i'))} else {other})"

    def value(self, same: str | None, depth: int = 0) -> str:
        kind = self.random.random()
        if depth < 2 and self.random.random() < 0.07:
            return self.reduction(same, True)
        if self.numbers and self.random.random() < 0.1:
            return self.random.choice(self.numbers)
        if depth > 2 or kind < 0.4:
            name = self.random.choice(["a", "a", "b", "w", *self.locals])
            return self.part(name, same)
        if kind < 0.5:
            first = ", ".join(["0"] * self.rank)
            asked = ("min(a.shape)", "a[a > 0].size", "(a + b)[1:].shape[0]") if self.random.random() < 0.3 else ()
            return self.random.choice(asked or ("2", "3", "k", "k * 60", f"a[{first}]", "b.shape[0]"))
        if kind < 0.85:
            operator = self.random.choice(("+", "-", "*", "+", "-"))
            return f"({self.value(same, depth + 1)} {operator} {self.value(same, depth + 1)})"
        if kind < 0.92:
            return f"np.where({self.value(same, depth + 1)} > 1, {self.value(same, depth + 1)}, 1)"
        if kind > 0.96:
            return self.moved(same, depth + 1)
        return f"{self.random.choice(('-', 'abs', 'np.square'))}({self.value(same, depth + 1)})"

    def moved(self, same: str | None, depth: int) -> str:
        """A function of an array that keeps its shape, or gives a number."""
        inner = self.part(self.random.choice("ab"), same) if depth > 1 else f"{self.value(same, depth)} + a"
        forms = ["np.flip({}, 0)", "np.roll({}, k, 0)", "np.cumsum({}, axis=0)", "np.concatenate(({0}, {0}))[: len(a)]"]
        forms += ["({})[a > 0].sum()"] if self.rank == 1 else ["np.tril({}, k)", "np.triu({}, -i)"]
        joined = "np.concatenate(({0}, {0}))", "np.roll(np.concatenate(({0}, a, {0})), k, 0)"
        forms += [f"{self.random.choice(joined)}.{name}()" for name in ("sum", "argmax", "argmin", "max")]
        forms += ["np.concatenate(({0}, {0}), axis=1)[:, 1:].sum(axis=1)[:, None]"] if self.rank == 2 else []
        forms += ["np.diff({}, axis=0).sum()", "np.flatnonzero({}).sum()", "np.flatnonzero(({}) > 0).sum()"]
        windows = "np.lib.stride_tricks.sliding_window_view({}, min(2, len(a)), axis=0)"
        forms += [f"({windows}[..., -1:] > 1).sum()"]
        forms += ["np.clip({}, None, 3)", "({}).clip(1)", "({}).clip(max=2)"]
        forms += ["np.multiply(a, b, out=np.zeros_like(a), where=b > 1)"] if self.dtypes[0] == self.dtypes[1] else []
        forms += ["a[b[:, 0] > 0, 0].sum()", "a[0, a[0] < 1].max()"] if self.rank == 2 else []
        forms += ["np.full(a.shape[:1] + b.shape[1:], k)", "np.ones((2,) + ({}).shape)[1]"]
        forms += (
            ["np.concatenate(([0], {}, (3, k)))[1 : len(a) + 1]", "np.hstack(([2.5], {}))[1:]"]
            if self.rank == 1
            else []
        )
        return self.random.choice(forms).format(inner)

    def bound(self, index: str) -> list[str]:
        """Names for parts and for whole arrays, which stand in loops as well; arrays that go from name to name."""
        kind = self.random.random()
        name = self.random.choice("ab")
        first = ", ".join(["0"] * (self.rank - 1))
        if kind < 0.3 and "q" not in self.locals:
            self.locals += ["q"]
            whole = self.random.random() < 0.3
            lines = [f"q = {name}" if whole else f"q = {name}[{index}]"]
            at = f"m{', ' if first else ''}{first}"
            shift = self.random.choice((0, 0, 1, -1))
            loop = self.random.choice(("range(len(q))", "range(1, len(q) - 1)", "range(q.shape[0])", "range(2)"))
            lengths = " and ".join(f"q.shape[{axis}] > 0" for axis in range(1, self.rank)) or "True"
            other = f"q[m + {shift}{', ' if first else ''}{first}] + {name}.shape[0]"
            update = f"q[{at}] {self.random.choice(('=', '+=', '-='))} {other}"
            return [*lines, f"if {lengths}:", f"    for m in {loop}:", f"        {update}"]
        if kind < 0.45 and "d" not in self.locals:
            self.locals += ["d", "e"]
            self.rotates = True
            return [f"d, e = {self.value(None)} + a, {self.value(None)} + b"]
        if kind < 0.6 and "d" in self.locals and self.dtypes[0] == self.dtypes[1]:
            forms = "d, e = e, d", "d, e = e, d + e", "e = d", "d, e = e + 1, d * 2", "d = e; e = a * 2"
            return [self.random.choice(forms)]
        if kind < 0.75:
            other = self.index(self.rank)
            return [f"a[{index}], b[{other}] = {self.value(index)}, {self.value(other)}"]
        if kind < 0.85:
            # a mean under a condition is not there for what follows
            mean = "a.mean() - " if self.dtypes[0].startswith("float") and self.random.random() < 0.5 else ""
            both = f"({mean}{self.value(index)} if k > 0 else {self.value(index)})"
            return [f"a[{index}] = {both}{' + a.mean()' if mean else ''}"]
        if kind < 0.93:
            return ["b[...], k = a, k + 1"]
        self.locals += ["c"]
        return [f"c = ({self.value(index)} if k > j else {self.value(index)}) + a"]

    def row(self) -> list[str]:
        """A loop over rows, each of which is an array in its statements."""
        name, other = self.random.choice(("ab", "ba", "aa"))
        shift = self.random.choice(("r", "r - 1", "-r - 1", "0", "r // 2"))
        operator = self.random.choice(("=", "+=", "-="))
        value = self.random.choice(
            (f"{other}[{shift}]", f"{other}[{shift}] * 2 - {name}[r]", f"{name}[r] + {other}[{shift}].sum()")
        )
        return [f"for r in range(len({self.random.choice('ab')})):", f"    {name}[r] {operator} {value}"]

    def statements(self) -> list[str]:
        """The lines of one statement, or of some that belong together."""
        if self.random.random() < 0.35:
            return self.bound(self.index(self.rank))
        kind = self.random.random()
        if kind < 0.06:
            self.numbers += ["s"]
            return [f"s = {self.chosen()}"]
        if kind < 0.12:
            test = f"{self.chosen()} {self.random.choice(('>', '<=', '!='))} {self.random.choice('012k')}"
            if self.random.random() < 0.3:
                first = self.random.choice(("k", "not k", "a.any()"))
                test = f"{first} {self.random.choice(('or', 'and'))} {self.chosen()}"
            known = [*self.locals], [*self.parts], [*self.numbers]
            inner = [self.statement()]
            self.locals, self.parts, self.numbers = known
            if inner[0].startswith(("c =", "p =")):
                inner = ["a[...] = b"]
            return [f"if {test}:", f"    {inner[0]}"]
        if kind < 0.2 and self.rank > 1:
            return self.row()
        if kind < 0.24 and self.dtypes[0] == self.dtypes[1] and not self.parts:
            return ["a, b = b, a"]
        return [self.statement()]

    def statement(self) -> str:
        name = self.random.choice(("a", "a", "b"))
        index = self.index(self.rank)
        value = self.value(index)
        kind = self.random.random()
        if kind > 0.93:
            other = "b" if name == "a" else "a"
            mask = self.random.choice((f"{name} > 0", f"{other} < {name}", f"{name} != {name}[::-1]"))
            under = self.random.choice(("k", f"{other}[{mask}]", f"{name}[{mask}] * 2 - {other}[{mask}]", "3"))
            if self.rank == 1 and self.random.random() < 0.3:
                index = self.random.choice((mask, mask, "g % max(len(b), 1)"))
                return f"{name}[{mask}], {other}[{index}] = {under}, {self.random.choice((f'{name}[{index}]', '2'))}"
            return f"{name}[{mask}] {self.random.choice(('=', '+='))} {under}"
        if kind > 0.91:
            rows = "(g % max(len(a), 1), 0)" if self.rank == 2 and self.random.random() < 0.5 else "g % max(len(a), 1)"
            added = "3" if rows.startswith("(") else self.random.choice(("2", f"{name}", f"{name}[:1]"))
            return f"np.{self.random.choice(('add', 'multiply', 'maximum'))}.at({name}, {rows}, {added})"
        if kind > 0.9:
            self.locals += ["c"]
            other = self.random.choice(("a[::-1] + 0", "a[g % max(len(a), 1)] * 1", "a[a == a] + a * 0"))
            return f"c = a[g % max(len(a), 1)] if k > j else {other}" if self.rank == 1 else "c = a + 0"
        if kind > 0.88:
            return f"{name}[...] = {self.random.choice('ab')}[g % max(len(a), 1)]"
        if kind > 0.8 and not self.parts:
            self.parts.append(name)
            self.locals += ["p"] * 2
            form = self.random.choice(("{}", "{}", "{}", "{}.real", "np.real({})", "{}.conj()"))
            return f"p = {form.format(f'{name}[{index}]')}"
        if kind > 0.76 and self.parts:
            return f"p {self.random.choice(('+=', '*='))} {self.value(None)}"
        if kind < 0.2:
            self.locals += ["c"]
            return f"c = {value} + a"
        if kind < 0.3:
            return self.into(name, index, value)
        if kind > 0.74:
            forms = ["{}[..., :2] = 3, 1", "{}[:1] = ({}[:1] * 2).clip(0)"]
            if self.rank == 2:
                forms += ["{}[b[:, 0] > 0, 1] += 2", "{0}[{0}[:, 0] > 0, 0] = k", "{}[a[:, 0] > j, k] = 3"]
            return self.random.choice(forms).format(name, name)
        operator = self.random.choice(("=", "=", "+=", "-=", "*="))
        return f"{name}[{index}] {operator} {value}"

    def into(self, name: str, index: str, value: str) -> str:
        """A function of two arrays, or of one, that stores into a part of an array, perhaps not everywhere."""
        function = self.random.choice(("add", "subtract", "multiply", "maximum", "negative", "square"))
        other = self.part(self.random.choice("ab"), index)
        operands = other if function in ("negative", "square") else f"{value}, {other}"
        where = f", where={self.part(self.random.choice('ab'), index)} > 0" if self.random.random() < 0.4 else ""
        return f"np.{function}({operands}, out={name}[{index}]{where})"

    def text(self) -> str:
        lines = [line for _ in range(self.random.choice((1, 2, 3))) for line in self.statements()]
        if "s" in self.numbers:
            lines.insert(0, "s = a.sum()")
        if "c" in self.locals:
            lines.insert(0, "c = a + 0")
        if self.rotates:
            lines.insert(0, "d, e = a + 0, b + 0")
        looped = self.random.random() < 0.2
        body = "".join(f"    {'    ' * looped}{line}\n" for line in lines)
        loop = "    for t in range(2):\n" * looped
        results = [self.reduction(None, self.random.random() < 0.4) for _ in range(self.random.choice((0, 0, 1, 2)))]
        results += ["s"] * ("s" in self.numbers)
        ending = f"    return {', '.join(results)}\n" if results else ""
        if not results and self.dtypes[0] != "bool" and self.random.random() < 0.1:
            ending = "    return a if k > 0 else a + 1\n"
        return f"{HEADER}@somd\ndef f(a, b, w, g, i: int, j: int, k: int):\n{loop}{body}{ending}"

    def cases(self, count: int) -> Iterator[Case]:
        """Arguments: shapes of which most fit, limits of either sign, at times one array for both."""
        numbers = np.random.default_rng(self.random.getrandbits(32))
        for _ in range(count):
            shape = tuple(int(n) for n in numbers.choice(LENGTHS, self.rank, p=WEIGHTS))
            arrays = [numbers.integers(-4, 5, shape).astype(dtype) for dtype in self.dtypes[:2]]
            if numbers.random() < 0.2 and self.dtypes[0] == self.dtypes[1]:
                arrays[1] = arrays[0]
            if numbers.random() < 0.2 and arrays[0] is not arrays[1]:
                arrays[0] = spaced(arrays[0]) if numbers.random() < 0.5 else np.asfortranarray(arrays[0])
            w = numbers.integers(-4, 5, shape[-1:]).astype(self.dtypes[2])
            g = numbers.integers(-9, 9, shape[:1])
            yield (*arrays, w, g, *(int(n) for n in numbers.integers(-3, 5, 3)))


def method_of(text: str, name: str, folder: Path) -> Any:
    """The method of a program."""
    file = folder / f"{name}.py"
    file.write_text(text, encoding="utf-8")
    linecache.checkcache(str(file))
    namespace: dict[str, Any] = {"__name__": name}
    exec(compile(text, str(file), "exec"), namespace)
    return namespace["f"]


def fits(method: Any, case: Case) -> bool:
    """Whether plain Python takes a case, or raises what a call has to raise as well."""
    try:
        with np.errstate(all="ignore"):
            method.sequential(*(np.copy(each) if isinstance(each, np.ndarray) else each for each in case))
    except (ValueError, IndexError, OverflowError, TypeError):
        return True
    except ZeroDivisionError:
        return False
    return True


def told(method: Any, cases: Sequence[Case], target: str) -> str:
    """What is wrong with a program on some cases; "" if nothing is, "refused: ..." where it is refused."""
    for together in [cases] if target == "plan" else [[case] for case in cases]:  # a plan serves for all of a type
        try:
            if target == "plan":
                expected = [expected_of(method, method.arguments(case, {})) for case in together]
                for found in verify(method, expected, ["plan"], (2, 7), 1, Tolerance(0.0)):
                    wrong = found.differs or (found.agrees if found.agrees.startswith(NOT_RUN) else "")
                    if wrong and not found.doubtful and STRETCHED not in wrong:
                        return f"{found.where}: {wrong}"
            else:
                check(method, together[0], target, workers=WORKERS)
        except somd.SomdInternalError as error:
            return str(error)
        except somd.SomdCompileError as error:
            return f"refused: {error.diagnostics[0].code} {error.diagnostics[0].message}"
        except (somd.SomdRuntimeError, AssertionError) as error:
            if "SomdCompileError" in str(error):  # it comes before what plain Python raises
                return f"refused: {str(error).partition('SomdCompileError')[2][:300]}"
            if STRETCHED not in f"{error} {error.__context__} {error.__cause__}":
                return f"{type(error).__name__}: {error}"
    return ""


def program(number: int, count: int, folder: Path, target: str, written_by: type[Writer] = Writer) -> tuple[str, str]:
    """The text of a program and what is told of it."""
    writer = written_by(number)
    text = writer.text()
    try:
        method = method_of(text, f"statements_{number}", folder)
    except somd.SomdInternalError as error:
        return text, str(error)
    except somd.SomdCompileError as error:
        return text, f"refused: {error.diagnostics[0].code} {error.diagnostics[0].message}"
    cases = [case for case in writer.cases(count) if fits(method, case)]
    return text, told(method, cases, target)


def main(written_by: type[Writer] = Writer) -> None:
    parser = argparse.ArgumentParser(description=written_by.__doc__)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--cases", type=int, default=12)
    parser.add_argument("--target", default="plan", choices=("plan", "multicore", "opencl"))
    given = parser.parse_args()
    wrong, refused = 0, 0
    with TemporaryDirectory() as folder:
        for number in range(given.first, given.first + given.count):
            text, found = program(number, given.cases, Path(folder), given.target, written_by)
            refused += found.startswith("refused")
            if found.startswith("refused"):
                print(number, found, text.splitlines()[-3:])
            elif found:
                wrong += 1
                print(f"--- {number}\n{text}{found}\n")
    print(f"{given.count} programs, {wrong} wrong, {refused} refused")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
