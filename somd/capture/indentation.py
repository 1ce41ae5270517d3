"""The text of a function at the left margin, wherever it was defined."""

from __future__ import annotations

from collections.abc import Sequence


def at_the_margin(lines: Sequence[str]) -> str:
    """`lines` without the indentation of the first. Lines that lack it, which only comments and the inside of a string
    or bracket may, stay as they are.

    >>> at_the_margin(["    def f():\\n", "# why\\n", "        return 1\\n"])
    'def f():\\n# why\\n    return 1\\n'
    """
    indent = lines[0][: len(lines[0]) - len(lines[0].lstrip())] if lines else ""
    return "".join(line.removeprefix(indent) for line in lines)
