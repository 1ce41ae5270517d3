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
USER_CODE = ["user_code.py", "user_classes.py", "user_methods.py", "user_package.py"]
MISTAKES = "user_mistakes.py"
#: what one run of a checker looks at
CHECKED = [*(HERE / name for name in (*USER_CODE, MISTAKES)), *sorted((ROOT / "examples").glob("*.py"))]
#: the revealed types and the lines with errors, of each file
Found = dict[Path, tuple[dict[int, str], set[int]]]
needs_pyright = pytest.mark.skipif(find_spec("pyright") is None, reason="pyright is not installed")


def marked(path: Path, comment: str) -> dict[int, str]:
    found = ((n, re.search(rf"# {comment}(.*)", line)) for n, line in enumerate(path.read_text().splitlines(), 1))
    return {n: match[1].strip() for n, match in found if match}


def run(*arguments: str) -> str:
    done = subprocess.run([sys.executable, "-m", *arguments], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode in (0, 1), done.stdout + done.stderr
    return done.stdout


def mypy(*paths: Path, cache: Path) -> Found:
    options = ["--strict", "--config-file=", "--no-error-summary", "--follow-imports=silent", f"--cache-dir={cache}"]
    options.append("--disable-error-code=type-arg")  # NumPy 2.0 has no defaults for those of ndarray
    output = run("mypy", *options, *map(str, paths))
    found: Found = {}
    for match in filter(None, (re.match(r"(.*?):(\d+): (\w+): (.*)", line) for line in output.splitlines())):
        path, line, kind, text = (ROOT / match[1]).resolve(), int(match[2]), match[3], match[4]
        if "Revealed type" in text:
            found.setdefault(path, ({}, set()))[0][line] = text.split('"')[1]
        elif kind == "error":
            found.setdefault(path, ({}, set()))[1].add(line)
    return found


def pyright(*paths: Path) -> Found:
    output = json.loads(run("pyright", "--outputjson", "--pythonpath", sys.executable, *map(str, paths)))
    assert output["summary"]["filesAnalyzed"] >= len(paths)
    found: Found = {}
    for entry in output["generalDiagnostics"]:
        path, line, text = Path(entry["file"]).resolve(), entry["range"]["start"]["line"] + 1, entry["message"]
        if entry["severity"] == "information":
            found.setdefault(path, ({}, set()))[0][line] = text.rsplit(" is ", 1)[1].strip('"')
        elif entry["severity"] == "error":
            found.setdefault(path, ({}, set()))[1].add(line)
    return found


def mistakes_in(found: Found, *checkers: str) -> list[str]:
    """What a checker should say of the files and does not, and what it says besides."""
    wrong: list[str] = []
    for name in USER_CODE:
        revealed, _ = found.get(HERE / name, ({}, set()))
        expected = marked(HERE / name, "is: ")
        for line in sorted(revealed.keys() | expected.keys()):
            told, plain = revealed.get(line), expected.get(line)
            if told is None or plain is None or not re.match(rf"(\w+\.)*{plain}(?!\w)", told):
                wrong.append(f"{name}, line {line}: {told}, not {plain}")
    wanted = {HERE / MISTAKES: set(marked(HERE / MISTAKES, f"(?:{'|'.join(checkers)})"))}
    for path in sorted(found.keys() | wanted.keys()):
        lines = found.get(path, ({}, set()))[1] ^ wanted.get(path, set())
        if lines:
            wrong.append(f"{path.name}: errors are found or missed in lines {sorted(lines)}")
    return wrong


def test_mypy_sees_plain_types_and_finds_mistakes(tmp_path: Path) -> None:
    assert mistakes_in(mypy(*CHECKED, cache=tmp_path), "both") == []


@needs_pyright
@pytest.mark.usual(0)
def test_pyright_sees_plain_types_and_finds_mistakes() -> None:
    assert mistakes_in(pyright(*CHECKED), "both", "pyright") == []


def test_user_code_runs() -> None:
    names = run_path(str(HERE / "user_code.py"))
    assert names["scalars"]([1.0, 2.0], 0.5) == 5.5


def test_user_classes_run() -> None:
    names = run_path(str(HERE / "user_classes.py"))
    assert names["result"] == 2.0


def test_user_methods_run() -> None:
    names = run_path(str(HERE / "user_methods.py"))
    assert names["ones"][1] == 0.25


def test_user_package_runs() -> None:
    names = run_path(str(HERE / "user_package.py"))
    assert names["result"] == 4.0
