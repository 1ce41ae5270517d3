"""`somdc check`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from somd.sources.excerpt import places
from tests.cli.conftest import ADD, REFUSED, Somdc, Write


def test_a_good_file(somdc: Somdc, write: Write) -> None:
    write("model.py", ADD)
    done = somdc("check", "model.py")
    assert (done.status, done.out, done.err) == (0, "1 method in 1 file checked: no errors\n", "")


def test_numpy_beside_no_site_packages(somdc: Somdc, write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    # as where PYTHONPATH names a folder that `pip install --target` has filled
    monkeypatch.setattr(places, "installed", lambda file: "numpy" not in file)
    write("model.py", ADD)
    assert somdc("check", "model.py").out == "1 method in 1 file checked: no errors\n"


def test_a_refused_method_beside_a_good_one(somdc: Somdc, write: Write) -> None:
    write("model.py", ADD + REFUSED.partition("dist, somd\n")[2])
    done = somdc("check", "model.py")
    assert done.status == 1
    assert "error[SOMD301]" in done.out and " --> model.py:16:16" in done.out and "^^^^" in done.out
    assert done.out.endswith("2 methods in 1 file checked: 1 error\n")


def test_files_and_folders_each_once(somdc: Somdc, write: Write) -> None:
    write("a/good.py", ADD)
    write("a/deep er/bad.py", REFUSED)
    write("a/other.py", "raise SystemExit('not ours')\n")
    write("a/.hidden/bad.py", REFUSED)
    done = somdc("check", "a", "a/good.py", "a/deep er")
    assert done.status == 1
    assert done.out.count("error[") == 1
    assert "2 methods in 2 files checked: 1 error" in done.out


def test_json(somdc: Somdc, write: Write) -> None:
    write("model.py", REFUSED)
    write("broken.py", "import somd\ndef f(:\n")
    found = json.loads(somdc("check", "model.py", "broken.py", "--format", "json").out)
    assert [each["code"] for each in found] == [None, "SOMD301"]
    assert (found[0]["file"], found[0]["line"]) == ("broken.py", 2)
    place = {key: found[1][key] for key in ("file", "line", "column", "end_line", "end_column")}
    assert place == {"file": "model.py", "line": 8, "column": 16, "end_line": 8, "end_column": 24}
    assert json.loads(somdc("check", write("good.py", ADD), "--format", "json").out) == []


def test_github(somdc: Somdc, write: Write) -> None:
    write("model.py", REFUSED)
    done = somdc("check", "--format", "github", "model.py")
    assert done.status == 1
    start = "::error file=model.py,line=8,endLine=8,col=16,endColumn=23,title=SOMD301::this loop cannot be distributed"
    assert done.out.startswith(start)
    assert done.out.count("\n") == 1


FORMS = {
    "alias": "import somd as s, numpy as np\n@s.somd\ndef f(a: s.dist[np.ndarray]):\n    for i in range(len(a)):\n"
    "        a[i] += 1\n",
    "options": "import somd as s, numpy as np\ngpu = s.somd(target='opencl')\n@gpu\ndef f(a: s.dist[np.ndarray]):\n"
    "    for i in range(len(a)):\n        a[i] += 1\n",
    "package": "import somd, numpy as np\n@somd(workers=2)\ndef f(a: somd.dist[np.ndarray]):\n"
    "    for i in range(len(a)):\n        a[i] += 1\n",
    "star": "from somd import *\nimport numpy as np\n@somd\ndef f(a: dist[np.ndarray]):\n    for i in range(len(a)):\n"
    "        a[i] += 1\n",
    "class": "import somd as s, numpy as np\nclass A:\n    @s.somd\n    def f(self, a: s.dist[np.ndarray]):\n"
    "# at the margin\n        for i in range(len(a)):\n            a[i] += 1\n",
    "main": "import somd as s, numpy as np\nif __name__ == '__main__':\n    @s.somd\n"
    "    def f(a: s.dist[np.ndarray]):\n        for i in range(len(a)):\n            a[i] += 1\n    f(np.ones('no'))\n",
    "strings": "from __future__ import annotations\nimport somd as s, numpy as np\n@s.somd\n"
    "def f(a: 's.dist[np.ndarray]'):\n    for i in range(len(a)):\n        a[i] += 1\n",
}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("written", ["plain", "crlf", "bom", "tabs"])
def test_forms_of_files(form: str, written: str, somdc: Somdc, write: Write) -> None:
    text = FORMS[form].encode()
    data = {
        "plain": text,
        "crlf": text.replace(b"\n", b"\r\n"),
        "bom": b"\xef\xbb\xbf" + text,
        "tabs": text.replace(b"    ", b"\t"),
    }[written]
    write("some folder/m.py", data)
    done = somdc("check", "some folder/m.py")
    assert (done.status, done.out) == (0, "1 method in 1 file checked: no errors\n")


def test_the_program_is_not_run(somdc: Somdc, write: Write) -> None:
    write("model.py", ADD + "\nwhile True:\n    print(add(np.ones(3), np.ones(3)))\n")
    assert somdc("check", "model.py").status == 0


def test_what_methods_need_is_run(somdc: Somdc, write: Write) -> None:
    text = ADD.replace("b[i]", "scale(b[i], WIDTH)")
    text += "\ndef compute():\n    return 2 * 2\n\nWIDTH = compute()\nUNUSED = undefined()\n"
    text += "\ndef scale(x, k):\n    return x * k\n"
    write("model.py", text)
    assert somdc("check", "model.py").status == 0


def test_helpers_that_numba_compiles(somdc: Somdc, write: Write) -> None:
    """They are refused as the first call refuses them, in helpers and behind imports too; their module is not run."""
    write("fast.py", "import numba\nopen('missing')\n@numba.njit(cache=True)\ndef square(x):\n    return x * x\n")
    call = "\n@somd\ndef g(a: dist[np.ndarray]) -> None:\n    for i in range(len(a)):\n        a[i] = {}(a[i])\n"
    helper = "\ndef twice(x):\n    return fast.square(x) * 2\n"
    write(
        "model.py",
        "import fast\nfrom fast import square\n" + ADD + helper + call.format("twice") + call.format("square"),
    )
    done = somdc("check", "model.py")
    assert done.status == 1 and done.out.count("error[SOMD203]") == 2, done.out
    assert "take Numba's decorator off `square`" in done.out


def test_what_a_decorated_function_may_have_and_no_call_takes(somdc: Somdc, write: Write) -> None:
    """`.sequential` may print; where a constant keeps a branch from being taken, a call takes the method."""
    element = "c[i] = a[i] + b[i]"
    write("prints.py", ADD.replace(element, element + "; print(c[i])"))
    write("if.py", ADD.replace(element, element + "\n        if c[i] < 0.0: print(c[i])"))
    write("draws.py", ADD.replace(element, "c[i] = a[i] + np.random.rand()"))
    write("may.py", "DEBUG = False\n" + ADD.replace(element, "if DEBUG: print(c[i])"))
    done = somdc("check", "prints.py", "if.py", "draws.py", "may.py")
    assert done.status == 1 and done.out.count("error[SOMD203]") == 3, done.out
    assert "`.sequential(...)` of the method" in done.out and "somd.random.Stream" in done.out


def test_packages_with_relative_imports(somdc: Somdc, write: Write) -> None:
    write("pkg/__init__.py", "")
    write("pkg/helpers.py", "def half(x):\n    return 0.5 * x\n")
    write("pkg/inner/__init__.py", "")
    text = ADD.replace("import numpy as np", "import numpy as np\nfrom ..helpers import half").replace(
        "b[i]", "half(b[i])"
    )
    write("pkg/inner/model.py", text)
    done = somdc("check", "pkg")
    assert (done.status, done.out) == (0, "1 method in 1 file checked: no errors\n")


def test_two_folders_with_modules_of_one_name(somdc: Somdc, write: Write) -> None:
    for folder, value in (("one", "1"), ("two", "0")):
        write(f"{folder}/own.py", f"STEP = {value}\n")
        text = REFUSED.replace("import numpy as np", "import numpy as np\nfrom own import STEP")
        write(f"{folder}/model.py", text.replace("i - 1", "i - STEP"))
    done = somdc("check", "one", "two")
    assert done.status == 1
    assert "one/model.py" in done.out and "two/model.py" not in done.out


def test_functions_that_only_a_call_defines(somdc: Somdc, write: Write) -> None:
    nested = ADD.partition("\n\n\n")[2].replace("\n", "\n    ")
    write("model.py", "import numpy as np\nfrom somd import dist, somd\n\ndef make():\n    " + nested)
    done = somdc("check", "model.py")
    assert done.status == 0
    assert "not checked: `make.<locals>.add` (model.py:6): defined when the function around it is called" in done.out


CALLS_TELL = """
import numpy as np
from somd import dist, somd


@somd
def binned(a: dist[np.ndarray], h, limits):
    low, high = limits
    for i in range(len(a)):
        h[int((a[i] - low) / (high - low) * 10)] += 1


@somd
def scaled(a: dist[np.ndarray], limits):
    low, high = limits
    for i in range(len(a)):
        a[i] = (a[i] - low) / (high - low)


@somd
def grey(image, out, weight):
    for y in range(image.shape[0]):
        for x in range(image.shape[1]):
            out[y, x] = weight * image[y, x, 0]
"""


def test_what_holds_whatever_a_call_gives(somdc: Somdc, write: Write) -> None:
    write("model.py", CALLS_TELL)
    for _ in range(2):
        done = somdc("check", "model.py")
        assert done.status == 1 and done.out.count("error[") == 1
        assert "error[SOMD303]" in done.out and "1 method in 1 file checked: 1 error" in done.out
        assert "not checked: `scaled` (model.py:12): what `limits` is depends on the object of a call" in done.out
        assert (
            "not checked: `grey` (model.py:19): only a call tells whether it has statements of whole arrays" in done.out
        )
        assert "if not, mark the array that its loops index: `image: dist[np.ndarray]`" in done.out


def test_types_of_declared_signatures(somdc: Somdc, write: Write) -> None:
    text = ADD.replace("@somd", '@somd(signatures=["float64[:], float64[:]", "float64[:], float64[:, :]"])')
    write("model.py", text)
    done = somdc("check", "model.py")
    assert done.status == 1 and "error[SOMD402]" in done.out
    write("other.py", ADD.replace("@somd", '@somd(signatures=["float64[:]"])'))
    done = somdc("check", "other.py")
    assert done.status == 1 and "error[SOMD102]" in done.out and "1 type for 2 parameters" in done.out
    write("other.py", ADD.replace("@somd", '@somd(signatures="float64[:]")').replace("a[i] + b[i]", "print(a[i])"))
    done = somdc("check", "other.py")
    assert "error[SOMD102]" in done.out and "error[SOMD203]" in done.out


BAD = {
    "missing.py": (None, "missing.py: no such file or folder"),
    "syntax.py": ("import somd\n\ndef f(:\n", "syntax.py:3: not valid Python: "),
    "zeros.py": (b"somd\0", "zeros.py: "),
    "latin.py": (b"# somd \xe9\n", "latin.py"),
    "none.py": ("x = 1  # somd\n", "none.py: no SOMD method in this file"),
    "empty.py": ("", "empty.py: no SOMD method in this file"),
    "raises.py": (ADD + "\nraise ValueError('on\\nimport')\n", "importing it raised ValueError: on import"),
    "divides.py": (ADD + "\n1 / 0\n", "importing it raised ZeroDivisionError: division by zero"),
    "imports.py": (ADD + "\nimport not_there_at_all\n", "ModuleNotFoundError: No module named 'not_there_at_all'"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_input(name: str, somdc: Somdc, write: Write) -> None:
    text, said = BAD[name]
    if text is not None:
        write(name, text)
    done = somdc("check", name)
    assert done.status in (1, 2)
    lines = [line for line in (done.out + done.err).splitlines() if line.startswith("error")]
    assert len(lines) == 1 and said in lines[0]


def test_the_examples(somdc: Somdc) -> None:
    """All pass; what a check of them takes is measured elsewhere."""
    examples = Path(__file__).parents[2] / "examples"
    done = somdc("check", examples)
    count = len(list(examples.rglob("*.py")))
    assert done.status == 0 and f"{count} files checked: no errors" in done.out, done


def test_other_ways_to_mark(somdc: Somdc, write: Write) -> None:
    plain = ADD.replace("@somd\n", "")
    for name, line in {"a": "f = somd(add)", "b": "f = somd(target='opencl')(add)"}.items():
        write(f"{name}.py", f"{plain}\n{line}\n")
        assert somdc("check", f"{name}.py").out == "1 method in 1 file checked: no errors\n"
    write("c.py", "from somd import somd\n@somd\nclass A: ...\n")
    told = somdc("check", "c.py")
    assert (
        told.status == 1
        and told.out.startswith("error[SOMD101]: `@somd` marks functions and methods")
        and ("--> c.py:3:1\n" in told.out)
    )


def test_wrong_options(somdc: Somdc, write: Write) -> None:
    write("model.py", ADD)
    for args in (("check",), ("check", "--fromat", "json", "model.py"), ("check", "model.py", "--format", "xml")):
        done = somdc(*args)
        assert done.status == 2
        assert done.err.startswith("error: ") and done.err.count("\n") == 1
    assert somdc("chekc", "model.py").status == 2


def test_version_and_help(somdc: Somdc) -> None:
    assert somdc("--version").out.startswith("somdc ")
    assert somdc("--help").status == 0
    assert somdc().status == 2
