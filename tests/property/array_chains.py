"""Random chains of array statements: values under names that statements behind read, moved along an axis, change, or do
not; between them what they are made of is written, bound anew, or not.

`python -m tests.property.array_chains --count 100 --target plan`: most of these arrays need not be made (the room
`arrays`, `contraction`), and those that do must be.
"""

from __future__ import annotations

from somd.transforms.arrays import contraction
from tests.property.array_statements import HEADER, Writer, main

DTYPES = (*("float64", "float32", "int64", "int16") * 3, "uint8", "bool", "complex128")
FUNCTIONS = ("-", "abs", "np.square", "np.sqrt", "np.negative")


class ChainWriter(Writer):
    """Writes a method of the arrays a, b, w, g and the numbers i, j, k whose statements bind and read t0, t1, ..."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.dtypes = [self.random.choice(DTYPES) for _ in range(3)]
        #: how many elements fewer than `a` has a name along the first axis
        self.shorter = {"a": 0, "b": 0}

    def moved_part(self, name: str, shorter: int) -> str:
        """A part of an array that has so many elements fewer than `a`."""
        rest = shorter - self.shorter[name]
        low = self.random.randint(0, rest)
        part = name if rest == 0 else f"{name}[{low or ''}:{low - rest or ''}]"
        return f"{part}[::-1]" if self.random.random() < 0.08 else part

    def operand(self, shorter: int) -> str:
        if self.random.random() < 0.1:
            return self.random.choice(("2", "0.5", "k", "w" if self.rank > 1 else "3"))
        names = [name for name, less in self.shorter.items() if less <= shorter]
        temporary = [name for name in names if name.startswith("t")]
        return self.moved_part(self.random.choice([*names, *temporary, *temporary]), shorter)

    def made(self, shorter: int, depth: int = 0) -> str:
        """A value that has so many elements fewer."""
        kind = self.random.random()
        if depth > 1 or (kind < 0.4 and depth):
            return self.operand(shorter)
        if kind < 0.8:
            operator = self.random.choice(("+", "-", "*", "*", "/", "<", "//", "**"))
            right = "2" if operator == "**" else self.made(shorter, depth + 1)
            return f"({self.made(shorter, depth + 1)} {operator} {right})"
        if kind < 0.84:
            return self.of_others(shorter, depth)
        if kind < 0.9:
            return f"{self.random.choice(FUNCTIONS)}({self.made(shorter, depth + 1)})"
        test = f"{self.made(shorter, depth + 1)} > {self.operand(shorter)}"
        other = self.random.choice(("1", "0.5", self.operand(shorter)))
        return f"np.where({test}, {self.made(shorter, depth + 1)}, {other})"

    def of_others(self, shorter: int, depth: int) -> str:
        """A value whose elements are made of several, or of those in other places."""
        names = [each for each, less in self.shorter.items() if less <= shorter]
        given = self.moved_part(self.random.choice(names), shorter)
        given = f"({given} {self.random.choice('+*-')} {self.made(shorter, depth + 1)})" if depth < 2 else given
        if self.random.random() < 0.4:
            return f"np.roll({given}, {self.random.choice(('1', '-2', 'k'))}, 0)"
        name = self.random.choice(("sum", "sum", "max", "min", "mean", "prod", "argmax"))
        axes = self.random.choice(("", "axis=0, keepdims=True", "axis=-1, keepdims=True"))
        return f"{given}.{name}({axes if name != 'argmax' else ''})"

    def changed(self, name: str) -> str:
        """A statement that changes an array that has a name."""
        shorter = self.shorter[name]
        mask = f"{self.moved_part(name, shorter)} > {self.operand(shorter)}"
        forms = [f"{name} {self.random.choice(('+=', '-=', '*=', '/='))} {self.made(shorter, 1)}"] * 3
        forms += [f"{name}[{mask}] = {self.random.choice(('0', '1.5', 'k'))}"] * 3
        forms += [f"{name}[...] = {self.made(shorter)}", f"{name}[{mask}] *= 2", f"{name}[:] = 2"]
        forms += [f"{name}[1:] = {name}[:-1]"] * (self.random.random() < 0.3)
        return self.random.choice(forms)

    def between(self) -> list[str]:
        """Statements that may change what values are made of."""
        forms = [["a[1:] = a[:-1] * 2"], ["k = k + 1"], ["b[k:] += 1"], ["if k > 0:", "    a[...] = 1"]]
        forms += [["for m in range(len(b)):", "    b[m] = a[m]"], ["q = a[1:]", "q[...] = 3"]]
        forms += [["a, b = b, a"]] if self.dtypes[0] == self.dtypes[1] else []
        return self.random.choice(forms)

    def text(self) -> str:
        lines: list[str] = []
        for _ in range(self.random.choice((3, 4, 5, 6))):
            kind, temporary = self.random.random(), [name for name in self.shorter if name.startswith("t")]
            if kind < 0.4 or not temporary:
                name, shorter = f"t{self.random.randrange(4)}", self.random.choice((0, 0, 1, 1, 2))
                lines.append(f"{name} = {self.made(shorter)}")
                self.shorter[name] = shorter
            elif kind < 0.45:
                names, shorter = self.random.sample(("t0", "t1", "t2", "t3"), 2), self.random.choice((0, 1))
                lines.append(f"{', '.join(names)} = {self.made(shorter)}, {self.made(shorter)}")
                self.shorter |= dict.fromkeys(names, shorter)
            elif kind < 0.5:
                first, second = self.random.sample("ab", 2)
                lines.append(
                    f"{self.moved_part(first, 2)}, {self.moved_part(second, 2)} = {self.made(2)}, {self.made(2)}"
                )
            elif kind < 0.65:
                lines.append(self.changed(self.random.choice(temporary)))
            elif kind < 0.72:
                lines += self.between()
            else:
                name, shorter = self.random.choice("ab"), self.random.choice((1, 2))
                operator = self.random.choice(("=", "=", "+=", "*="))
                lines.append(f"{self.moved_part(name, shorter)} {operator} {self.made(shorter)}")
        body = "".join(f"    {line}\n" for line in lines)
        ending = f"    return {self.made(2)}\n" if self.random.random() < 0.7 else ""
        return f"{HEADER}@somd\ndef f(a, b, w, g, i: int, j: int, k: int):\n{body}{ending}"


if __name__ == "__main__":
    contraction.RECOMPUTED = 1000  # which is a matter of speed alone
    main(ChainWriter)
