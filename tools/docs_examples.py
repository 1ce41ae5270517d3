"""A hook of mkdocs: the page of the examples, from `examples/`, with the picture that one of them makes;
and the programs of `examples/papers` behind the page on them.
"""

from __future__ import annotations

import ast
import contextlib
import inspect
import io
import runpy
import tempfile
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

EXAMPLES = Path(__file__).parents[1] / "examples"
#: from the first to read to the last
ORDER = (
    *("vector_add", "norm", "heat", "sor", "sobel", "gauss_blur", "mandelbrot", "matrix_product", "distances"),
    *(
        "nbody",
        "black_scholes",
        "histogram",
        "game_of_life",
        "floyd_warshall",
        "sparse_product",
        "k_means",
        "monte_carlo",
    ),
)
PICTURE = "images/mandelbrot.png"
INTRODUCTION = """# Examples

Each is a file of its own in `examples/`: a function in plain Python with annotations, and a `main` that calls it. Tests
run each of them on every target and compare it with the function as written.
"""


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the page and the picture."""
    files.append(File.generated(config, "examples.md", content=page()))
    files.append(File.generated(config, PICTURE, content=picture()))
    return files


def on_page_markdown(markdown: str, page: Page, **_: object) -> str:
    """The page on papers with their programs."""
    if page.file.src_uri != "papers.md":
        return markdown
    programs = sorted((EXAMPLES / "papers").glob("*.py"))
    return "\n\n".join([markdown, "## The programs", *map(paper, programs)])


def paper(file: Path) -> str:
    """The text and the program of a construct."""
    source = file.read_text(encoding="utf-8")
    tree = ast.parse(source)
    program = "\n".join(source.splitlines()[tree.body[0].end_lineno :]).strip()
    words = inspect.cleandoc(ast.get_docstring(tree) or "")
    return f'### {file.stem}\n\n{words}\n\n```python title="examples/papers/{file.name}"\n{program}\n```'


def page() -> str:
    """All examples in order, those that `ORDER` does not know last."""
    names = sorted(path.stem for path in EXAMPLES.glob("*.py"))
    ordered = sorted(names, key=lambda name: (ORDER.index(name) if name in ORDER else len(ORDER), name))
    return "\n".join([INTRODUCTION, *(section(name) for name in ordered)])


def section(name: str) -> str:
    """Title, text, program and output of an example."""
    source = (EXAMPLES / f"{name}.py").read_text(encoding="utf-8")
    tree = ast.parse(source)
    text, _, printed = inspect.cleandoc(ast.get_docstring(tree) or "").partition("\nPrints:\n\n")
    title, _, words = text.partition("\n")
    program = "\n".join(source.splitlines()[tree.body[0].end_lineno :]).strip()
    parts = [f"## {title.rstrip('.')}", words.strip(), f'```python title="examples/{name}.py"\n{program}\n```']
    parts += [f"It prints\n\n```text\n{inspect.cleandoc(printed)}\n```"]
    if name == "mandelbrot":
        parts.append(f"![The Mandelbrot set]({PICTURE})")
    return "\n\n".join(part for part in parts if part) + "\n"


def picture() -> bytes:
    """The picture that `mandelbrot.py` writes."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "mandelbrot.png")
        with contextlib.redirect_stdout(io.StringIO()):
            runpy.run_path(str(EXAMPLES / "mandelbrot.py"))["main"](str(file))
        return file.read_bytes()
