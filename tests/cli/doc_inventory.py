"""What the documents hold that can be run: blocks of code, and commands in blocks and in lines of text.

In go the Markdown files, out come blocks and commands with their pages. Nothing is run here.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGES = sorted(
    page
    for page in (
        ROOT / "README.md",
        ROOT / "CONTRIBUTING.md",
        *(ROOT / "docs").rglob("*.md"),
        *(ROOT / "examples").rglob("*.md"),
        *(ROOT / "somd" / "diagnostics" / "pages").glob("*.md"),
    )
)
FENCED = re.compile(r"((?:<!-- [^>]* -->\n+)?)^ *```(\w*)\n(.*?)^ *```$", re.MULTILINE | re.DOTALL)
INDENTED = re.compile(r"(?<=\n\n)((?: {4}(?![-*]|```).*\n)+)")
PROGRAMS = r"(?:\.venv/bin/)?(?:python3?|pip)|somdc|make|mpiexec|srun"
INLINE = re.compile(rf"`((?:\w+=\S+ )*(?:{PROGRAMS})\s[^`]+)`")
STEP = re.compile(r"^ *(?:- run|entry): (.*)$", re.MULTILINE)


@dataclass(frozen=True)
class Block:
    """A fenced block: its page, the comment before it, its language and text."""

    page: str
    marker: str
    language: str
    text: str

    @property
    def shell(self) -> bool:
        """Whether its lines are commands that show no output."""
        return self.language == "sh" or (self.language == "console" and "$ " not in self.text)


@functools.cache
def blocks() -> tuple[Block, ...]:
    """All fenced blocks."""
    return tuple(
        Block(str(page.relative_to(ROOT)), *found)
        for page in PAGES
        for found in FENCED.findall(page.read_text(encoding="utf-8"))
    )


@functools.cache
def commands() -> tuple[tuple[str, str], ...]:
    """Pages and their commands that show no output: in blocks, indented, in a line of text, in a workflow."""
    return tuple((str(page.relative_to(ROOT)), command) for page in PAGES for command in _commands(page))


def _commands(page: Path) -> Iterator[str]:
    text = page.read_text(encoding="utf-8")
    prose = FENCED.sub("", text)
    bodies = [block.text for block in blocks() if ROOT / block.page == page and block.shell]
    bodies += [*STEP.findall(text), *(body for body in INDENTED.findall(prose) if "::=" not in body)]
    lines = [line.strip() for body in bodies for line in body.replace("\\\n", " ").splitlines()]
    lines += [" ".join(found.split()) for found in INLINE.findall(prose)]
    for line in lines:
        command = re.sub(r"\s+#.*$", "", line)
        if command and not command.startswith("#"):
            yield command


def tables_before(page: str, command: str) -> list[list[str]]:
    """The tables that a block of commands is said to make: those behind the last heading or block before it.

    For each its rows' first cells, without marks of code.
    """
    text = (ROOT / page).read_text(encoding="utf-8")
    for found in FENCED.finditer(text):
        if command in found[3]:
            before = re.split(r"^(?:#.*|```)$", text[: found.start()], flags=re.MULTILINE)[-1]
            return [
                [row.split("|")[1].replace("`", "").strip() for row in table.splitlines()[2:]]
                for table in re.findall(r"(?:^\|.*\n)+", before, re.MULTILINE)
            ]
    return []
