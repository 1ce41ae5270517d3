"""Names in generated C. What a user calls something can mean nothing to a C compiler, by the form that it gets here.

`i` stays `i`; `image` becomes `image_`, `_x` becomes `v_x_`, `größe` becomes `gru00f6u00dfe_`; a length of `image` is
`image__0`. No keyword, type, function or macro of C, of OpenCL or of a driver is a single letter or ends in `_` after
a letter, so no list of such words is needed. Names of our own, known not to be among them, do neither.
"""

from __future__ import annotations

from collections.abc import Iterable


class Names:
    """Names of one scope: `of` gives the C name of a user's name, always the same; `fresh` a new one."""

    def __init__(self, taken: Iterable[str] = ()) -> None:
        self._taken = set(taken)
        self._given: dict[tuple[str, int | None], str] = {}

    def of(self, name: str, part: int | None = None) -> str:
        """The name of a user's variable or function, or of one part of a tuple."""
        key = (name, part)
        if key not in self._given:
            self._given[key] = self.fresh(spelled(name) if part is None else f"{spelled(name)}_{part}")
        return self._given[key]

    def of_kernel(self, wish: str) -> str:
        """The name of a kernel: that of its method, with a number behind it. A lower-case letter and at the end a
        number, or a word of ours after one, are enough to be no name of C's."""
        text = _ascii(wish)
        return self.fresh(text if text[0].islower() else f"kernel_{text}")

    def fresh(self, wish: str) -> str:
        """A name of our own: `wish`, or with a number behind it."""
        name, count = wish, 2
        while name in self._taken:
            name, count = f"{wish}_{count}", count + 1
        self._taken.add(name)
        return name

    def fresh_root(self, wish: str, endings: Iterable[str]) -> str:
        """A beginning for which all of `root_ending` are new."""
        root, count = wish, 2
        wanted = tuple(endings)
        while any(f"{root}_{ending}" in self._taken for ending in wanted):
            root, count = f"{wish}_{count}", count + 1
        self._taken.update(f"{root}_{ending}" for ending in wanted)
        return root


def spelled(name: str) -> str:
    """A user's name in the form that C knows nothing of.

    >>> [spelled(name) for name in ("i", "image", "_", "__local", "INT_MAX", "µ")]
    ['i', 'image_', 'v__', 'v__local_', 'INT_MAX_', 'ub5_']
    """
    text = _ascii(name)
    if len(text) == 1 and text != "_":
        return text
    return f"{'v' if text.startswith('_') else ''}{text}_"


def _ascii(name: str) -> str:
    return "".join(ch if ch.isascii() else f"u{ord(ch):x}" for ch in name)
