"""The commands in the documents print what stands there.

A block of `console` holds commands after `$ ` and what they print, standard output first; `...` stands for any text. A
block after `<!-- file: model.py -->` is written to that file first. `pytest --bless` brings the blocks up to date that
hold no `...`.
"""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from tests.cli.conftest import Somdc, Write

DOCS = Path(__file__).parents[2] / "docs"
BLOCK = re.compile(r"(?:<!-- file: (\S+) -->\n)?^(```(\w+)\n)(.*?)(^```$)", re.MULTILINE | re.DOTALL)
PAGES = [page.name for page in sorted(DOCS.glob("*.md")) if "$ somdc " in page.read_text(encoding="utf-8")]


@pytest.mark.parametrize("page", PAGES)
def test_commands(
    page: str,
    somdc: Somdc,
    write: Write,
    request: pytest.FixtureRequest,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("SOMD_CACHE_DIR", str(tmp_path / "cache"))

    def now(match: re.Match[str]) -> str:
        file, opening, language, text, closing = match.groups()
        if file:
            write(file, text.encode())
        if language != "console":
            return match[0]
        made = "".join(printed(somdc, command) for command in re.findall(r"^\$ somdc (.*)$", text, re.MULTILINE))
        return match[0] if agrees(made, text) else opening + made + closing

    text = (DOCS / page).read_text(encoding="utf-8")
    for example in set(re.findall(r"examples/\w+\.py", text)):
        write(example, (DOCS.parent / example).read_bytes())
    made = BLOCK.sub(now, text)
    if request.config.getoption("--bless"):
        (DOCS / page).write_text(made, encoding="utf-8")
    else:
        assert made == text, f"{page}: run pytest with --bless and read the difference"


def printed(somdc: Somdc, command: str) -> str:
    done = somdc(*shlex.split(command))
    return f"$ somdc {command}\n{done.out}{done.err}"


def agrees(found: str, text: str) -> bool:
    """Whether what was printed is `text`, blanks at the ends of lines aside."""
    plain = re.sub(r"[ \t]+$", "", found, flags=re.MULTILINE)
    pattern = ".*".join(re.escape(part) for part in re.sub(r"[ \t]+$", "", text, flags=re.MULTILINE).split("..."))
    return re.fullmatch(pattern, plain, re.DOTALL) is not None
