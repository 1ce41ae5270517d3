"""The programs and texts in the documents: programs run, quoted texts are those of the golden files.

A block of Python in README.md or `docs/` is run after the ones before it on its page. `# refused: SOMD301` as its first
line says that the compiler refuses it. A block after `<!-- golden: vector_add/plan.txt -->` quotes that file, whole;
`pytest --bless` brings it up to date. After `<!-- part of: ... -->` it quotes consecutive lines of the file.
"""

from __future__ import annotations

import re
import warnings
from pathlib import Path
from typing import Any

import pytest

from somd import SomdCompileError

ROOT = Path(__file__).parents[1]
GOLDEN = ROOT / "tests" / "golden"
PAGES = sorted(str(p.relative_to(ROOT)) for p in (ROOT / "README.md", *(ROOT / "docs").rglob("*.md")))
QUOTED = re.compile(r"(<!-- golden: (\S+) -->\n+```\w*\n)(.*?)(^```$)", re.MULTILINE | re.DOTALL)
PART = re.compile(r"<!-- part of: (\S+) -->\n+```\w*\n(.*?)^```$", re.MULTILINE | re.DOTALL)
PROGRAM = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)
REFUSED = re.compile(r"# refused: (SOMD\d\d\d)\n")


def programs(page: str) -> list[str]:
    return PROGRAM.findall(PART.sub("", QUOTED.sub("", (ROOT / page).read_text(encoding="utf-8"))))


@pytest.mark.parametrize("page", [page for page in PAGES if programs(page)])
def test_programs_run(page: str, tmp_path: Path) -> None:
    namespace: dict[str, Any] = {"__name__": "page"}
    for number, program in enumerate(programs(page)):
        file = tmp_path / f"block_{number}.py"
        file.write_text(program, encoding="utf-8")
        code = compile(program, str(file), "exec")
        refused = REFUSED.match(program)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RuntimeWarning)
            if refused is None:
                exec(code, namespace)
                continue
            with pytest.raises(SomdCompileError, match=rf"error\[{refused[1]}\]"):
                exec(code, namespace)


@pytest.mark.parametrize("page", PAGES)
def test_quoted_texts(page: str, request: pytest.FixtureRequest) -> None:
    text = (ROOT / page).read_text(encoding="utf-8")

    def quoted(match: re.Match[str]) -> str:
        file = GOLDEN / match[2]
        return match[1] + (file.read_text(encoding="utf-8") if file.exists() else match[3]) + match[4]

    now = QUOTED.sub(quoted, text)
    if request.config.getoption("--bless"):
        (ROOT / page).write_text(now, encoding="utf-8")
    else:
        assert now == text, f"{page} quotes an older text: run pytest with --bless and read the difference"


@pytest.mark.parametrize("page", PAGES)
def test_quoted_parts(page: str) -> None:
    for file, part in PART.findall((ROOT / page).read_text(encoding="utf-8")):
        assert part in (GOLDEN / file).read_text(encoding="utf-8"), f"{page}: these lines are not in {file}:\n{part}"


@pytest.mark.parametrize("page", PAGES)
def test_links_lead_somewhere(page: str) -> None:
    for target in re.findall(r"\]\(([^)#]+)[^)]*\)", (ROOT / page).read_text(encoding="utf-8")):
        if not target.startswith(("http", "diagnostics/")):  # the pages of the codes are made with the site
            assert ((ROOT / page).parent / target).exists(), f"{page}: no {target}"
