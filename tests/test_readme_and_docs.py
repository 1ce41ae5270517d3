"""The programs and texts in the documents: programs run, quoted texts are those of the golden files.

A block of Python in README.md or `docs/` is run after the ones before it on its page. `# refused: SOMD301` as its first
line says that the compiler refuses it. A block after `<!-- golden: vector_add/plan.txt -->` quotes that file, whole;
`pytest --bless` brings it up to date. After `<!-- part of: ... -->` it quotes consecutive lines of the file. A text
after `<!-- output -->` is what the program before it prints, or its error; after `<!-- output, but for numbers -->`
numbers are not compared. A program that prints shows it, or stands in `NOT_SHOWN`. A set after `<!-- asked of isl:
vector_add -->` is one that isl is asked about when that golden method is checked, perhaps without some of its
conditions; a text after `<!-- raised by: vector_add(...) -->` is the error of that call of one.
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import runpy
import warnings
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import pytest

import somd
from somd import SomdCompileError
from somd.transforms import pipeline
from somd.transforms.access import Affine
from somd.transforms.analysis.sets import Sets

ROOT = Path(__file__).parents[1]
GOLDEN = ROOT / "tests" / "golden"
#: a page of many programs, which run on the target that compiles faster
LONG = "docs/language.md"
PAGES = sorted(str(p.relative_to(ROOT)) for p in (ROOT / "README.md", *(ROOT / "docs").rglob("*.md")))
QUOTED = re.compile(r"(<!-- golden: (\S+) -->\n+```\w*\n)(.*?)(^```$)", re.MULTILINE | re.DOTALL)
PART = re.compile(r"<!-- part of: (\S+) -->\n+```\w*\n(.*?)^```$", re.MULTILINE | re.DOTALL)
PROGRAM = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)
OUTPUT = re.compile(
    r"(\n(?:[^`]*\n)?<!-- output(?:, but for numbers)? -->\n```text\n)(.*?)(^```$)", re.MULTILINE | re.DOTALL
)
ASKED = re.compile(r"<!-- asked of isl: (\S+) -->\n+```text\n\{ \[(.*?)\] : (.*?) \}\n```$", re.MULTILINE)
RAISED = re.compile(r"<!-- raised by: ((\w+)\(.*?) -->\n```text\n(.*?)\n```$", re.MULTILINE | re.DOTALL)
#: programs whose output is not shown, by a part of them: why
NOT_SHOWN = {'print(potential.source("opencl"))': "a whole module, as those among the golden files"}
REFUSED = re.compile(r"# refused: (SOMD\d\d\d)\n")


def programs(page: str) -> list[tuple[str, re.Match[str] | None]]:
    """The programs of a page in order, each with its `OUTPUT` if the page shows that."""
    text = PART.sub("", QUOTED.sub("", (ROOT / page).read_text(encoding="utf-8")))
    return [(found[1], OUTPUT.match(text, found.end())) for found in PROGRAM.finditer(text)]


def said(program: str, file: Path, namespace: dict[str, Any]) -> str:
    """What a program prints, or the message of its error; of `file`, which holds it, only the name."""
    file.parent.mkdir()
    file.write_text(program, encoding="utf-8")
    code = compile(program, str(file), "exec")
    refused = REFUSED.match(program)
    printed = io.StringIO()
    with warnings.catch_warnings(), contextlib.redirect_stdout(printed):
        warnings.simplefilter("ignore", RuntimeWarning)
        if refused is None:
            exec(code, namespace)
            return printed.getvalue()
        with pytest.raises(SomdCompileError, match=rf"error\[{refused[1]}\]") as caught:
            exec(code, namespace)
    return str(caught.value).replace(str(file), file.name) + "\n"


@pytest.mark.parametrize("page", [page for page in PAGES if programs(page)])
def test_programs_run(
    page: str, tmp_path: Path, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    if page == LONG and somd.targets()["opencl"] is None and not os.environ.get("SOMD_ALL_CASES"):
        monkeypatch.setenv("SOMD_TARGET", "opencl")
    namespace: dict[str, Any] = {"__name__": "page"}
    for number, (program, output) in enumerate(programs(page)):
        text = said(program, tmp_path / f"block_{number}" / "program.py", namespace)
        if output is None:
            shown = text == "" or REFUSED.match(program) or any(part in program for part in NOT_SHOWN)
            assert shown, f"{page} does not show what a program prints:\n{text}"
            continue
        numbers = r"[\d.]+" if "but for numbers" in output[1] else r"(?!)"
        if re.sub(numbers, "#", output[2]) == re.sub(numbers, "#", text):
            continue
        assert request.config.getoption("--bless"), f"{page} shows another output than this one:\n{text}"
        whole = (ROOT / page).read_text(encoding="utf-8")
        shown = f"{program}```{output[0]}"
        assert whole.count(shown) == 1
        (ROOT / page).write_text(whole.replace(shown, f"{program}```{output[1]}{text}{output[3]}"), encoding="utf-8")


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


def conditions(text: str) -> set[str]:
    return set(re.sub(r"[()\s]", "", text.replace(" and ", "&")).split("&"))


@pytest.mark.parametrize("page", PAGES)
def test_quoted_sets(page: str, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[str, set[str]]] = []

    def noted(question: Callable[..., Any]) -> Callable[..., Any]:
        def ask(self: Sets, variables: Sequence[str], formulas: Iterable[Affine]) -> Any:
            formulas = tuple(formulas)
            texts = (each.text for each in (*formulas, *self.context))
            asked.append((", ".join(variables), conditions(" and ".join(texts))))
            return question(self, variables, formulas)

        return ask

    for name in ("make", "empty"):
        monkeypatch.setattr(Sets, name, noted(getattr(Sets, name)))
    for case, variables, text in ASKED.findall((ROOT / page).read_text(encoding="utf-8")):
        asked.clear()
        pipeline.check(runpy.run_path(str(GOLDEN / case / "input.py"))[case].sequential)
        found = [all_of_them for names, all_of_them in asked if names == variables]
        assert any(conditions(text) <= all_of_them for all_of_them in found), f"{page}: not asked: {text}"


@pytest.mark.parametrize("page", PAGES)
def test_quoted_errors(page: str) -> None:
    for call, case, text in RAISED.findall((ROOT / page).read_text(encoding="utf-8")):
        names = runpy.run_path(str(GOLDEN / case / "input.py"))
        with pytest.raises(Exception) as caught:
            eval(call, names)
        assert f"{caught.typename}: {caught.value}" == text


@pytest.mark.parametrize("page", PAGES)
def test_links_lead_somewhere(page: str) -> None:
    for target in re.findall(r"\]\(([^)#]+)[^)]*\)", (ROOT / page).read_text(encoding="utf-8")):
        if not target.startswith(("http", "diagnostics/", "examples.md")):  # these pages are made with the site
            assert ((ROOT / page).parent / target).exists(), f"{page}: no {target}"


@pytest.mark.parametrize("page", [*PAGES, *map(str, (ROOT / "somd" / "diagnostics" / "pages").glob("*.md"))])
def test_stars_and_bars_show_as_they_are(page: str) -> None:
    """Outside of code `2**44` begins bold text; in code in a table, a bar with a backslash shows that on some sites."""
    text = re.sub(r"^ *```.*?^ *```$", "", (ROOT / page).read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
    assert re.findall(r"\w\*\*\w.*", re.sub(r"`[^`]*`", "", text)) == []
    assert re.findall(r"^\|.*`[^`|]*\\\|.*", text, re.MULTILINE) == []


def test_the_api_page_names_everything() -> None:
    text = (ROOT / "docs" / "api.md").read_text(encoding="utf-8")
    assert [name for name in somd.__all__ if f"`{name}" not in text and f"@{name}" not in text] == []


def test_the_charts_show_the_results() -> None:
    charts = runpy.run_path(str(ROOT / "tools" / "charts.py"))
    text = (ROOT / "docs" / "results.md").read_text(encoding="utf-8")
    for name, draw in charts["CHARTS"].items():
        kept = (ROOT / "docs" / "pictures" / name).read_text(encoding="utf-8")
        assert kept == draw(text), f"{name} shows older results: run tools/charts.py"


def test_the_drawings_are_those_of_the_tool() -> None:
    for name, draw in runpy.run_path(str(ROOT / "tools" / "diagrams.py"))["DRAWINGS"].items():
        kept = (ROOT / "docs" / "pictures" / name).read_text(encoding="utf-8")
        assert kept == draw(), f"{name} is an older drawing: run tools/diagrams.py"


def test_the_readme_has_the_figures_of_the_results() -> None:
    """Class A of one machine and one run: the first columns, and the ratios to Numba rounded."""
    results = (ROOT / "docs" / "results.md").read_text(encoding="utf-8")
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    measured, by_hand = (
        [[cell.strip() for cell in row.split("|")] for row in re.search(pattern, results, re.DOTALL)[1].splitlines()]  # type: ignore[index]
        for pattern in (r"### Class A\n.*?\n\n(\| \| sequential.*?\n)\n", r"Class A:\n\n(\| \| somd.*?\n)\n")
    )
    for row in measured:
        assert "|".join([f" {cell} ".replace("  ", " ") for cell in row[:6]]).strip() in readme or row[1] == "---", row
    port = {row[1]: [float(re.search(r"\(([\d.]+)\)", cell)[1]) for cell in row[3:5]] for row in by_hand[2:]}  # type: ignore[index]
    quoted = re.findall(r"(\w+)\s+([\d.]+) and ([\d.]+)[,.]", readme[readme.index("Times of the straight") :])
    assert {name: [float(a), float(b)] for name, a, b in quoted} == {
        name: [round(each, 1) for each in both] for name, both in port.items()
    }


def test_the_gpu_is_as_many_times_as_fast_as_its_times_say() -> None:
    """Times of the two cores' sequential version over the GPU's, with a digit behind the point below 10."""
    text = (ROOT / "docs" / "results.md").read_text(encoding="utf-8")
    charts = runpy.run_path(str(ROOT / "tools" / "charts.py"))
    table, number = charts["table"], charts["number"]
    gpu = table(text, "An NVIDIA H200")
    for name, cells in table(text, "The paper's claims beside ours").items():
        benchmark, _, where = name.partition(", ")
        if where != "GPU":
            continue
        ratios = {
            c: number(table(text, f"Class {c}")[benchmark]["sequential"]) / number(gpu[benchmark][c]) for c in "ABC"
        }
        expected = [f"{each:.0f}" if each >= 10 else f"{each:.1f}" for each in ratios.values() if each >= 1]
        assert re.findall(r"\d+(?:\.\d)?", cells["here"])[: len(expected)] == expected, name
