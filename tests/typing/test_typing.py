import json
import re
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from runpy import run_path

import pytest

HERE = Path(__file__).parent
ROOT = HERE.parent.parent
USER_CODE = ["user_code.py", "user_classes.py", "user_methods.py"]
needs_pyright = pytest.mark.skipif(find_spec("pyright") is None, reason="pyright is not installed")


def marked(path: Path, comment: str) -> dict[int, str]:
    found = ((n, re.search(rf"# {comment}(.*)", line)) for n, line in enumerate(path.read_text().splitlines(), 1))
    return {n: match[1].strip() for n, match in found if match}


def run(*arguments: str) -> str:
    done = subprocess.run([sys.executable, "-m", *arguments], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode in (0, 1), done.stdout + done.stderr
    return done.stdout


def mypy(path: Path, cache: Path) -> tuple[dict[int, str], set[int]]:
    """The revealed types and the lines with errors."""
    options = ["--strict", "--config-file=", "--no-error-summary", "--follow-imports=silent", f"--cache-dir={cache}"]
    options.append("--disable-error-code=type-arg")  # NumPy 2.0 has no defaults for those of ndarray
    output = run("mypy", *options, str(path))
    lines = [match for match in (re.match(r".*?:(\d+): (\w+): (.*)", line) for line in output.splitlines()) if match]
    revealed = {int(m[1]): m[3].split('"')[1] for m in lines if "Revealed type" in m[3]}
    return revealed, {int(m[1]) for m in lines if m[2] == "error"}


def pyright(path: Path) -> tuple[dict[int, str], set[int]]:
    found = json.loads(run("pyright", "--outputjson", "--pythonpath", sys.executable, str(path)))["generalDiagnostics"]
    by_line = [(entry["range"]["start"]["line"] + 1, entry["severity"], entry["message"]) for entry in found]
    revealed = {n: text.rsplit(" is ", 1)[1].strip('"') for n, kind, text in by_line if kind == "information"}
    return revealed, {n for n, kind, _ in by_line if kind == "error"}


def check_user_code(name: str, revealed: dict[int, str], errors: set[int]) -> None:
    expected = marked(HERE / name, "is: ")
    assert not errors
    assert revealed.keys() == expected.keys()
    for line, plain in expected.items():
        assert re.match(rf"(\w+\.)*{plain}(?!\w)", revealed[line]), f"line {line}: {revealed[line]}"


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What mypy keeps of NumPy and somd from one text to the next."""
    return tmp_path_factory.mktemp("mypy")


@pytest.mark.parametrize("name", USER_CODE)
def test_mypy_sees_plain_types(name: str, cache: Path) -> None:
    check_user_code(name, *mypy(HERE / name, cache))


def test_mypy_finds_mistakes(cache: Path) -> None:
    assert mypy(HERE / "user_mistakes.py", cache)[1] == marked(HERE / "user_mistakes.py", "both").keys()


def test_mypy_passes_the_examples(cache: Path) -> None:
    assert not mypy(ROOT / "examples", cache)[1]


@needs_pyright
def test_pyright_passes_the_examples() -> None:
    assert not pyright(ROOT / "examples")[1]


@needs_pyright
@pytest.mark.parametrize("name", USER_CODE)
def test_pyright_sees_plain_types(name: str) -> None:
    check_user_code(name, *pyright(HERE / name))


@needs_pyright
def test_pyright_finds_mistakes() -> None:
    assert pyright(HERE / "user_mistakes.py")[1] == marked(HERE / "user_mistakes.py", "(?:both|pyright)").keys()


def test_user_code_runs() -> None:
    names = run_path(str(HERE / "user_code.py"))
    assert names["scalars"]([1.0, 2.0], 0.5) == 5.5


def test_user_classes_run() -> None:
    names = run_path(str(HERE / "user_classes.py"))
    assert names["result"] == 2.0


def test_user_methods_run() -> None:
    names = run_path(str(HERE / "user_methods.py"))
    assert names["ones"][1] == 0.25
