"""Random array statements with slices of one element at most, which are stretched, and with short arrays of indexes.

    a[:, :1] * b + a[-1:]
    a[np.arange(1), y], np.broadcast_to(a[k : k + 1], b.shape)

`python -m tests.property.short_slices --count 100 --target plan` runs so many programs, as `array_statements` does.
"""

from __future__ import annotations

from collections.abc import Iterator

from tests.property.array_statements import Case, Writer, main

SHORT = (":1", "0:1", "1:2", "-1:", "-2:-1", "k:k + 1", ":2:2", "1:3:2")


class ShortSlicesWriter(Writer):
    """Writes a program in which many axes are cut to one element at most."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.rank = 2

    def part(self, name: str, same: str | None) -> str:
        choice = self.random.choice
        rank = 1 if name == "w" else self.rank
        if self.random.random() < 0.5:
            return super().part(name, same)
        axes = [":"] * rank
        axes[self.random.randrange(rank)] = choice(SHORT)
        cut = f"{name}[{', '.join(axes)}]"
        kind = self.random.random()
        if name in ("a", "b") and rank == 2 and kind < 0.6:
            return f"{name}[{self.indexes(name)}, {self.indexes(name)}]"
        return f"np.broadcast_to({cut}, {choice('ab')}.shape)" if kind > 0.9 else cut

    def value(self, same: str | None, depth: int = 0) -> str:
        if self.rank == 2 and depth and self.random.random() < 0.3:
            name = self.random.choice("ab")
            pair = f"{name}[{self.indexes(name)}, {self.indexes(name)}]"
            return f"{pair}{self.random.choice(('[:, None]', '[:, None]', '.sum()'))}"
        return super().value(same, depth)

    def statement(self) -> str:
        if self.rank == 2 and self.random.random() < 0.15:
            name = self.random.choice("ab")
            return f"{name}[{self.indexes(name)}, {self.indexes(name)}] {self.random.choice(('=', '+=', '-='))} 3"
        return super().statement()

    def cases(self, count: int) -> Iterator[Case]:
        """Arrays with elements: of others an index is outside, beside shapes that do not fit (docs/limits.md)."""
        return (case for case in super().cases(3 * count) if case[0].size)

    def indexes(self, name: str) -> str:
        """Numbers of rows or columns, which an array has if it has elements."""
        inside = f"(g % max(min({name}.shape), 1))"
        forms = ("np.arange(1)", "np.arange(1)", "np.arange(len(g))[:1]", inside, inside, f"{inside}[{{}}]")
        return self.random.choice(forms).format(self.random.choice(SHORT))


if __name__ == "__main__":
    main(ShortSlicesWriter)
