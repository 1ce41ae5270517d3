"""What a message offers as help is applied: the program is accepted then, for nothing is offered that is refused again.

A file `NAME.helps` beside a refused program has a section for each of its helps that is applied: `help: ` and the first
words of the help, then lines of the program with `-` that go and lines with `+` that come in their place, or at the end
where none go: calls, for the most part. Wherever the help is to put the loop in a block, that is done without a file.
Each call must be accepted for Numba, and its plan must do what plain Python does, in the interpreter.
"""

from __future__ import annotations

import ast
import re
import runpy
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import somd
from somd.calls import specialisations
from somd.calls.specialisations import Entry
from somd.language.combining import combine_of
from somd.sources.expected import expected_of
from somd.sources.verifying import verify
from tests.differential import compiled_once

HERE = Path(__file__).parent / "refused"
BLOCK = re.compile(r"(?:put the loop in|use) `(with [^`]*:)`")
HELP = re.compile(r"^ *= help: (.*)$", re.MULTILINE)


def helps_of(name: str) -> list[str]:
    return HELP.findall((HERE / f"{name}.txt").read_text(encoding="utf-8"))


def kind_of(text: str) -> str:
    """A help with what stands in backticks left out."""
    return re.sub(r"`[^`]*`", "`_`", text)


def in_block(name: str, header: str) -> str:
    """The program with the loop of its message in a block."""
    text = (HERE / f"{name}.py").read_text(encoding="utf-8")
    message = next(part for part in (HERE / f"{name}.txt").read_text().split("\n\n") if header in part)
    place = re.search(rf"{name}\.py:(\d+):", message)
    assert place is not None
    line = int(place[1])
    functions = [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.FunctionDef)]
    loop = next(found for f in functions if f.decorator_list and (found := outermost(f, line)) is not None)
    lines = text.splitlines()
    indent = " " * loop.col_offset
    lines[loop.lineno - 1 : loop.end_lineno] = [
        f"{indent}{header}",
        *(f"    {each}" for each in lines[loop.lineno - 1 : loop.end_lineno]),
    ]
    return "\n".join(lines).replace("import numpy as np\n", "import numpy as np\nfrom somd import single, sync\n", 1)


def outermost(node: ast.AST, line: int) -> ast.For | None:
    """The outermost loop around a line, in the innermost block that is there already."""
    around = [
        n for n in ast.walk(node) if isinstance(n, ast.With | ast.For) and n.lineno <= line <= (n.end_lineno or 0)
    ]
    blocks = [k for k, each in enumerate(around) if isinstance(each, ast.With)]
    return next((each for each in around[max(blocks, default=-1) + 1 :] if isinstance(each, ast.For)), None)


def applied(name: str) -> Iterator[tuple[str, str]]:
    """The helps of a program that are applied, by their first words, with the program that comes of each."""
    file = HERE / f"{name}.helps"
    if not file.exists():
        return
    for section in re.split(r"^help: ", file.read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]:
        title, _, edits = section.partition("\n")
        text = (HERE / f"{name}.py").read_text(encoding="utf-8")
        for old, new in re.findall(r"((?:^-.*\n)*)((?:^\+.*\n?)*)", edits, re.MULTILINE):
            before, after = ("".join(f"{line[1:]}\n" for line in part.splitlines()) for part in (old, new))
            assert before in text, f"{file.name}: {title}: not in the program\n{before}"
            text = text.replace(before, after, 1) if before else text + after
        yield title.strip(), text


def programs() -> Iterator[Any]:
    for path in sorted(HERE.glob("*.txt")):
        for text in helps_of(path.stem):
            block = BLOCK.search(text)
            if block is not None:
                yield pytest.param(path.stem, text, in_block(path.stem, block[1]), id=f"{path.stem}-{block[1]}")
        for title, text in applied(path.stem):
            yield pytest.param(path.stem, title, text, id=f"{path.stem}-{'-'.join(title.split()[:4])}")


@pytest.mark.parametrize(("name", "title", "text"), [*programs()])
def test_what_is_offered_is_accepted(
    name: str, title: str, text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert any(help_text.startswith(title) for help_text in helps_of(name)), "no such help"

    def run(self: Any, target: str, values: tuple[Any, ...], settings: Any) -> Any:
        entry, _ = self._entries.find(target, values, None)
        if entry.combine is not None or "relaxed=True" in text:  # which the number of MIs may change
            return self.sequential(*values)
        finding = next(verify(self, [expected_of(self, values)], ["plan"], (3,), 1))
        assert not finding.differs, f"{finding.where}: {finding.differs}"
        return self.sequential(*values)

    def load(target: str, path: Any, text: str, function: Any, arrays: tuple[int, ...], *rest: Any) -> Entry:
        return Entry(None, text, arrays, (), combine_of(function))  # type: ignore[arg-type]

    compiled_once.patch(monkeypatch)
    monkeypatch.setattr(somd.SomdMethod, "_run", run)
    monkeypatch.setattr(specialisations, "load_entry", load)
    path = tmp_path / f"{name}.py"
    path.write_text(text, encoding="utf-8")
    with warnings.catch_warnings(), somd.use(target="multicore"):
        warnings.simplefilter("ignore")
        runpy.run_path(str(path))


def test_a_help_of_each_kind_is_applied() -> None:
    kinds = {kind_of(text) for path in HERE.glob("*.txt") for text in helps_of(path.stem)}
    done = {kind for kind in kinds if BLOCK.search(kind.replace("`_`", "`with x:`"))}
    for path in HERE.glob("*.helps"):
        titles = [title for title, _ in applied(path.stem)]
        done |= {kind_of(text) for text in helps_of(path.stem) if any(text.startswith(title) for title in titles)}
    assert not kinds - done, "\n".join(sorted(kinds - done))
