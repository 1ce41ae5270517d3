"""Random array statements about names of arrays and of their parts, updated in loops and under conditions.

    p = a; q = b[1:]; r = q.copy()
    for _ in range(k):
        q += p[0]
        if k > 2: p = r

`python -m tests.property.updated_names --count 100 --target plan` runs so many programs, as `array_statements` does.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from tests.property.array_statements import HEADER, Case, Writer, main

FORMS = ("{}", "{}", "{}", "{}[1:]", "{}[:-1]", "{}[::-1]", "{}.copy()", "{} + 1", "{}.real")
HEADS = ("for _ in range(k):", "for n in range(2):", "if k > 2:", "while k > 0:")


class NamesWriter(Writer):
    """Writes a program of vectors a and b, and names of them and of their parts."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.rank, self.dtypes = 1, ["float64", "float64", "float64"]

    def text(self) -> str:
        choice = self.random.choice
        lines = []
        for name in "pqr"[: self.random.randint(1, 3)]:
            lines.append(f"{name} = {choice(FORMS).format(choice(['a', 'b', *self.parts]))}")
            self.parts.append(name)
        if len(self.parts) > 1 and self.random.random() < 0.3:
            lines = [f"p, q = {choice('ab')}, {choice(FORMS).format('b')}", *lines[2:]]
        for _ in range(self.random.randint(2, 4)):
            lines += self.updates(0)
        body = "".join(f"    {line}\n" for line in lines)
        results = ", ".join(f"{name}.sum()" for name in self.parts)
        return f"{HEADER}@somd\ndef f(a, b, w, g, i: int, j: int, k: int):\n{body}    return {results}\n"

    def updates(self, depth: int) -> list[str]:
        """The lines of a statement, which may be a loop."""
        choice, kind = self.random.choice, self.random.random()
        names = [*self.parts, "a", "b"]
        name, other = choice(names), choice(names)
        if kind < 0.5:
            value = choice(
                (f"{other}.sum()", f"{other}[:1].sum()", "1", f"{name} * 2", f"{other}[:1].max(initial=0.0)")
            )
            return [f"{name} {choice(('+=', '-=', '*='))} {value}"]
        if kind < 0.6:
            return [f"{name}[{choice(('...', '1:', '::2', '-1:'))}] = {choice(('3', f'{other}.sum()'))}"]
        if kind < 0.7:
            return [f"{choice(self.parts)} = {choice(('{}', '{}.copy()', '{} * 2')).format(other)}"]
        if depth == 2 or kind > 0.95:
            return [f"{name} += {name}"]
        head = choice(HEADS)
        inner = [line for _ in range(self.random.randint(1, 3)) for line in self.updates(depth + 1)]
        inner += ["k -= 1"] * head.startswith("while")
        return [head, *(f"    {line}" for line in inner)]

    def cases(self, count: int) -> Iterator[Case]:
        for *arrays, i, j, k in super().cases(count):
            yield *(np.sign(each) if each.dtype.kind == "f" else each for each in arrays), i, j, k


if __name__ == "__main__":
    main(NamesWriter)
