"""`somdc translate`, and the modules that it writes."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from somd.capture.reaching import reach
from somd.sources.load import function_of, load
from somd.sources.translation import reach_of
from tests.cli.conftest import ADD, REFUSED, SHIFTED, Somdc, Write
from tests.trials import with_trials

PROGRAM = """
import math
from typing import Annotated

import numpy as np
from somd import dist, partition, reduce, somd

SHIFT = 0.0


def helper(x):
    return x + math.floor(SHIFT)  # a name that generated code has, too


def merge(parts):
    # the greatest one
    return max(helper(part) for part in parts)


def halves(array, parts):
    return [(0, len(array) // 2), (len(array) // 2, len(array))]


@somd(signatures=["float64[:]"])
def largest(a: dist[np.ndarray]) -> Annotated[float, reduce(merge)]:
    top = a[0]
    for x in a:
        if x > top:
            top = x
    return top


@somd(signatures=["float64[:], float64[:]"])
def axpy(a: Annotated[np.ndarray, dist, partition(halves)], b: dist[np.ndarray], k: float = 2.0) -> None:
    # add a multiple
    for i in range(len(a)):
        # of b
        a[i] += k * b[i]  # in place


@somd
def norm(a: dist[np.ndarray]) -> Annotated[float, reduce("self")]:
    squares = 0.0
    for i in range(len(a)):
        squares += a[i] * a[i]
    return math.sqrt(squares)
"""

USER = """
import importlib.abc
import sys


class Without(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in ("libcst", "islpy", "rich", "typer") or name.startswith("somd.transforms"):
            raise ImportError("a translated module loads " + name)


sys.meta_path.insert(0, Without())
sys.path.insert(0, sys.argv[1])
import numpy as np
from largest_TARGET import largest
from axpy_TARGET import axpy
from norm_TARGET import norm

a, b = np.arange(10.0), np.ones(10)
print(largest(a), norm(a))
axpy(a, b)
axpy(b=b, a=a, k=3)
print(a.tolist())
for call in (lambda: axpy(a, a), lambda: axpy(a, b.astype("float32")), lambda: axpy(a, b[:3])):
    try:
        call()
    except Exception as error:
        print(type(error).__name__)
"""


@pytest.mark.parametrize("target", ["multicore", "opencl"])
@pytest.mark.usual(2)
def test_modules_run_without_the_compiler(target: str, somdc: Somdc, write: Write, tmp_path: Path) -> None:
    import somd

    if somd.targets()[target] is not None:
        pytest.skip(str(somd.targets()[target]))
    write("part.py", PROGRAM)
    user = write("user.py", USER.replace("TARGET", target))
    done = somdc("translate", "part.py", "--target", target, "-o", "out")
    assert done.status == 0, done.err
    environment = {
        **os.environ,
        "SOMD_CACHE_DIR": str(with_trials(tmp_path / "cache")),
        "PYTHONPATH": str(Path(somd.__file__).parents[1]),
    }
    ran = subprocess.run([sys.executable, user, "out"], capture_output=True, text=True, env=environment, cwd=tmp_path)
    assert ran.returncode == 0, ran.stderr
    norm = float(np.sqrt(np.sum(np.arange(10.0) ** 2)))
    first, second, *errors = ran.stdout.splitlines()
    assert [float(x) for x in first.split()] == pytest.approx([9.0, norm])
    assert second == str([x + 5.0 for x in np.arange(10.0).tolist()])
    assert errors == ["SomdRuntimeError", "TypeError", "IndexError"]


def test_text(somdc: Somdc, write: Write, tmp_path: Path) -> None:
    write("some folder/part.py", PROGRAM)
    first = somdc("translate", "some folder/part.py", "--target", "all")
    assert first.status == 0
    assert first.out == somdc("translate", "some folder/part.py", "--target", "all").out
    assert str(tmp_path) not in first.out
    lines = PROGRAM.lstrip().splitlines()
    loop = lines.index("    # add a multiple") + 2
    for said in ("# add a multiple", "# of b", "# in place", "// of b", "// in place"):
        assert said in first.out
    for said in (f"\n# phase 1: the loop over i at line {loop}", f"\n// phase 1: the loop over i at line {loop}"):
        assert said in first.out
    assert f'#line {loop + 2} "part.py"' in first.out


def test_long_lines_are_broken(somdc: Somdc, write: Write) -> None:
    golden = Path(__file__).parents[1] / "golden"
    for case in ("stencil", "sparse_matvec"):
        done = somdc("translate", golden / case / "input.py")
        assert done.status == 0
        assert max(len(line) for line in done.out.splitlines()) <= 100
        ast.parse(done.out)


def test_refused_beside_good(somdc: Somdc, write: Write, tmp_path: Path) -> None:
    write("model.py", ADD + REFUSED.partition("dist, somd\n")[2])
    done = somdc("translate", "model.py", "-o", "out")
    assert done.status == 1
    assert "error[SOMD301]" in done.err
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["add_multicore.py"]


def test_a_name_defined_twice(somdc: Somdc, write: Write) -> None:
    write("model.py", ADD + ADD.partition("dist, somd\n")[2].replace("a[i] + b[i]", "a[i] - b[i]"))
    assert "a[i] - b[i]" in somdc("translate", "model.py").out
    assert somdc("explain", "model.py:add").out.startswith("add (model.py:14)\n")
    assert somdc("check", "model.py").out == "2 methods in 1 file checked: no errors\n"


def test_packages_with_relative_imports(somdc: Somdc, write: Write) -> None:
    write("pkg/__init__.py", "from .model import add\n")
    write("pkg/numbers.py", "FACTOR = 3\n")
    text = ADD.replace("import numpy as np", "import numpy as np\nfrom .numbers import FACTOR")
    write("pkg/model.py", text.replace("+ b[i]", "+ FACTOR * b[i]"))
    done = somdc("translate", "pkg")
    assert done.status == 0 and "FACTOR = 3" in done.out and "a[i] + FACTOR * b[i]" in done.out


def test_what_opencl_lacks(somdc: Somdc, write: Write, tmp_path: Path) -> None:
    write("model.py", SHIFTED)
    done = somdc("translate", "model.py", "-o", "out", "--target", "all")
    assert done.status == 0 and "warning[SOMD501]" in done.err
    done = somdc("translate", "model.py", "--target", "opencl")
    assert done.status == 1 and "error[SOMD501]" in done.err


def test_the_users_files_are_left_alone(somdc: Somdc, write: Write, tmp_path: Path) -> None:
    write("model.py", ADD)
    write("out/add_multicore.py", "mine = 1\n")
    done = somdc("translate", "model.py", "-o", "out")
    assert done.status == 2 and "was not generated by somd" in done.err
    assert (tmp_path / "out" / "add_multicore.py").read_text() == "mine = 1\n"
    write("file", "")
    done = somdc("translate", "model.py", "-o", "file/out")
    assert done.status == 1 and done.err.splitlines()[-1].startswith("error: cannot write to file/out: ")


def test_bad_input(somdc: Somdc, write: Write) -> None:
    write("none.py", "x = 1\n")
    write("raises.py", ADD + "\nraise ValueError('no')\n")
    write("syntax.py", "def f(:\n")
    write("model.py", ADD)
    for args, said in {
        ("missing.py",): "missing.py: no such file or folder",
        ("none.py",): "none.py: no SOMD method in this file",
        ("raises.py",): "raises.py:12: importing it raised ValueError: no",
        ("syntax.py",): "syntax.py:1: not valid Python",
        ("model.py:sub",): "model.py: no SOMD method `sub`; there is `add`",
        ("model.py", "--target", "cuda"): "Invalid value for '--target'",
        ("model.py", "--signature", "float[:"): "SOMD102",
    }.items():
        done = somdc("translate", *args)
        assert done.status in (1, 2) and said in done.err, (args, done)


RAISING = """
import numpy as np
from somd import dist, somd
from wrongs import Bad

LIMIT = 5.0


@somd(signatures=["float64[:], int64"])
def checked(a: dist[np.ndarray], n: int) -> None:
    if n < 0:
        raise ValueError(f"{n} < 0")
    for i in range(len(a)):
        if a[i] > LIMIT:
            raise Bad(f"{a[i]:.2f} > {LIMIT}", i)
        a[i] = 0.0
"""

RAISED = """
import sys
sys.path[:0] = [sys.argv[1], "."]
import numpy as np
from checked_TARGET import checked
from wrongs import Bad

for args in ((np.arange(9.0), 1), (np.zeros(3), -1)):
    try:
        checked(*args)
    except (Bad, ValueError) as error:
        print(type(error).__module__, repr(error))
"""


@pytest.mark.parametrize("target", ["multicore", "opencl"])
@pytest.mark.usual(2)
def test_exceptions_are_imported_by_their_names(target: str, somdc: Somdc, write: Write, tmp_path: Path) -> None:
    import somd

    if somd.targets()[target] is not None:
        pytest.skip(str(somd.targets()[target]))
    write("wrongs.py", "class Bad(Exception):\n    pass\n")
    write("part.py", RAISING)
    user = write("user.py", RAISED.replace("TARGET", target))
    done = somdc("translate", "part.py", "--target", target, "-o", "out")
    assert done.status == 0, done.err
    environment = {
        **os.environ,
        "SOMD_CACHE_DIR": str(with_trials(tmp_path / "cache")),
        "PYTHONPATH": str(Path(somd.__file__).parents[1]),
    }
    ran = subprocess.run([sys.executable, user, "out"], capture_output=True, text=True, env=environment, cwd=tmp_path)
    assert ran.stdout.splitlines() == ["wrongs Bad('6.00 > 5.0', 6)", "builtins ValueError('-1 < 0')"], ran.stderr


DECLARED = """
from somd import somd


@somd(signatures=["float64[:, :], float64"])
def spread(x, k):
    return x.std(axis=0) * k
"""


def test_what_signatures_declare_to_be_arrays_are_no_objects(somdc: Somdc, write: Write) -> None:
    path = write("declared.py", DECLARED)
    done = somdc("translate", "declared.py")
    assert done.status == 0 and '@multicore_method("float64[:, :]", "float"' in done.out, done.err
    (method,) = load(path).methods
    function = function_of(method)
    called = reach(function, {"x": np.ones((2, 2)), "k": 1.0})
    assert reach_of(method).structure() == called.structure()
    write("unknown.py", DECLARED.replace('(signatures=["float64[:, :], float64"])', ""))
    assert "depends on the object of a call" in somdc("translate", "unknown.py").err
