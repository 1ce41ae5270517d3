"""`somdc build`, `somdc cache`, and wheels."""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

import somd
from somd.runtime.multicore.cpu_levels import usable
from tests.cli.conftest import ADD, REFUSED, Somdc, Write

PROGRAM = """
import sys
import numpy as np
from somd import dist, somd

K = 2.0


@somd(signatures=["float64[:], int64"])
def scale(a: dist[np.ndarray], n: int) -> None:
    for i in range(n):
        a[i] = K * a[i]


if __name__ == "__main__":
    a = np.ones(5)
    scale(a, 4)
    print(a.tolist(), [name for name in ("libcst", "islpy") if name in sys.modules])
"""
DONE = "[2.0, 2.0, 2.0, 2.0, 1.0] []\n"


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache of the test's own."""
    monkeypatch.setenv("SOMD_CACHE_DIR", str(tmp_path / "cache"))
    return tmp_path / "cache"


def python(*args: object, **environment: str) -> str:
    found = str(Path(somd.__file__).parents[1])
    command = [sys.executable, *map(str, args)]
    environment = {**os.environ, "PYTHONPATH": found, **environment}
    return subprocess.run(command, capture_output=True, text=True, check=True, env=environment).stdout


@pytest.mark.parametrize("target", ["multicore", "opencl"])
@pytest.mark.usual(2)
def test_build_then_run_without_the_compiler(target: str, somdc: Somdc, write: Write, cache: Path) -> None:
    if somd.targets()[target] is not None:
        pytest.skip(str(somd.targets()[target]))
    program = write("model.py", PROGRAM)
    done = somdc("build", "model.py", "--target", target)
    assert (done.status, done.out.partition(":")[0]) == (0, "scale(float64[")
    before = sorted(path.name for path in cache.glob("multicore/__pycache__/*"))
    assert python(program, SOMD_TARGET=target) == DONE
    assert sorted(path.name for path in cache.glob("multicore/__pycache__/*")) == before


def test_why(somdc: Somdc, write: Write, cache: Path) -> None:
    write("model.py", PROGRAM)
    assert "is not in the cache" in somdc("cache", "why", "model.py:scale").out
    assert somdc("cache", "list").out == "no generated modules\n"
    somdc("build", "model.py:scale")
    done = somdc("cache", "why", "model.py:scale")
    assert done.out.startswith("scale(float64[:], int) on multicore: in the cache, scale_")
    assert "scale (model.py)  multicore  (float64[:], int)" in somdc("cache", "list").out
    write("model.py", PROGRAM.replace("K = 2.0", "K = 3.0").replace("a[i]\n", "a[i] + 0.0\n"))
    lines = somdc("cache", "why", "model.py:scale").out.splitlines()
    assert lines[0].endswith("compiled anew at the next call, since this has changed:")
    assert lines[1:] == ["  source of `scale`: changed", "  value of `K`: 3.0, was 2.0"]


def test_sizes_and_clear(somdc: Somdc, write: Write, cache: Path) -> None:
    (cache / "multicore").mkdir(parents=True)
    (cache / "multicore" / "x_0123456789abcdef.py").write_text("#" * 2048)
    (cache / "mine.txt").write_text("not somd's")
    out = somdc("cache").out
    assert out == somdc("cache", "size").out
    assert out.startswith(f"{cache}\n  multicore  1 files  2.0 KiB")
    assert somdc("cache", "clear").out == f"2.0 KiB removed from {cache}\n"
    assert [path.name for path in cache.iterdir()] == ["mine.txt"]


def wheel(path: Path, files: dict[str, str]) -> Path:
    info = "pack-1.0.dist-info"
    files |= {f"{info}/METADATA": "Metadata-Version: 2.1\nName: pack\nVersion: 1.0\n", f"{info}/RECORD": ""}
    files[f"{info}/WHEEL"] = "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
    with zipfile.ZipFile(path, "w") as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    return path


def test_wheel(somdc: Somdc, write: Write, tmp_path: Path, cache: Path) -> None:
    files = {"pack/__init__.py": "from .inner import k\n", "pack/inner.py": "k = 1\n", "pack/model.py": PROGRAM}
    made = wheel(tmp_path / "pack-1.0-py3-none-any.whl", files)
    for _ in range(2):
        done = somdc("build", "--wheel", made, "--target", "multicore")
        assert done.status == 0
        assert done.out == f"scale(float64[:], int) for multicore\n{made}: 1 module added\n"
    with zipfile.ZipFile(made) as archive:
        names = archive.namelist()
        archive.extractall(tmp_path / "site")
        record = archive.read("pack-1.0.dist-info/RECORD").decode()
    assert len([name for name in names if "__somd__" in name]) == 1
    assert [line.partition(",")[0] for line in record.splitlines()] == names
    program = "import sys; import numpy as np; from pack.model import scale; a = np.ones(5); scale(a, 4);"
    program += "print(a.tolist(), [n for n in ('libcst', 'islpy') if n in sys.modules])"
    found = f"{tmp_path / 'site'}{os.pathsep}{Path(somd.__file__).parents[1]}"
    assert python("-c", program, PYTHONPATH=found) == DONE


def test_what_cannot_be_built(somdc: Somdc, write: Write, cache: Path) -> None:
    write("model.py", ADD + REFUSED.partition("dist, somd\n")[2])
    done = somdc("build", "model.py")
    assert done.status == 1
    assert "add(float64[:], float64[:]) for multicore" in done.out and "error[SOMD301]" in done.err
    write("none.py", "x = 1\n")
    write("not.whl", "no zip")
    for args, said in {
        ("none.py",): "none.py: no SOMD method in this file",
        ("missing.py",): "missing.py: no such file or folder",
        ("--wheel", "none.py"): "none.py: neither a wheel nor a project folder",
        ("--wheel", "missing.whl"): "missing.whl: no such file",
        ("--wheel", "not.whl"): "not.whl: not a wheel",
    }.items():
        done = somdc("build", *args)
        assert done.status == 2 and done.err.startswith(f"error: {said}") and done.err.count("\n") == 1


GROW = """

@somd(signatures=["float64[:], float64"])
def grow(a: dist[np.ndarray], k: float) -> None:
    for i in range(len(a)):
        a[i] += a[i] * k
"""

BLOCKED = """
import numba.core.compiler as compiler, sys
def blocked(*given, **named):
    raise RuntimeError("Numba compiles")
compiler.CompilerBase._compile_core = blocked
import numpy as np
from pack.model import grow, scale
a = np.ones(5)
scale(a, 4)
for k in (1, 0.0, 0):
    grow(a[:4], k)
a[:4] /= 2.0
print(a.tolist(), [n for n in ("libcst", "islpy") if n in sys.modules])
"""


@pytest.mark.skipif(not usable(), reason="this processor has no level with a name")
@pytest.mark.usual(0)
def test_machine_code_in_a_wheel(somdc: Somdc, tmp_path: Path, cache: Path, write: Write) -> None:
    made = wheel(tmp_path / "pack-1.0-py3-none-any.whl", {"pack/__init__.py": "", "pack/model.py": PROGRAM + GROW})
    level = usable()[-1]
    done = somdc("build", "--wheel", made, "--target", "multicore", "--cpu", level)
    assert done.status == 0, done.err
    assert done.out.endswith(f"{made}: 2 modules added, with machine code for {level}\n")
    with zipfile.ZipFile(made) as archive:
        archive.extractall(tmp_path / "site")
        assert sum(name.endswith(".nbc") for name in archive.namelist()) == 2
    found = f"{tmp_path / 'site'}{os.pathsep}{Path(somd.__file__).parents[1]}"
    write("blocked.py", BLOCKED)
    why = somdc("cache", "why", f"{tmp_path / 'site' / 'pack' / 'model.py'}:scale").out
    assert (
        "`scale` came with its package: __somd__/scale_" in why
        and ".py with machine code, for multicore: a: float64[:], n: int\n" in why
    )
    elsewhere = str(tmp_path / "another cache")
    assert python("blocked.py", PYTHONPATH=found, SOMD_CACHE_DIR=elsewhere) == DONE
    for code in (tmp_path / "site").rglob("*.nbc"):
        code.unlink()
    with pytest.raises(subprocess.CalledProcessError):
        python("blocked.py", PYTHONPATH=found, SOMD_CACHE_DIR=str(tmp_path / "a third"))
    done = somdc("build", "--wheel", made, "--cpu", "pentium")
    assert done.status == 2 and "--cpu pentium: there are x86-64-v4" in done.err


def test_why_takes_the_name_of_a_module(somdc: Somdc, write: Write, cache: Path) -> None:
    write("mypackage/__init__.py", "from mypackage.kernels import add\n")
    write("mypackage/kernels.py", ADD)
    done = [somdc("cache", "why", name) for name in ("mypackage.kernels.add", "mypackage.add", "mypackage.kernels")]
    assert [(each.status, each.out) for each in done] == [
        (0, "`add` is not in the cache: no call and no `somdc build` has compiled it here\n")
    ] * 3
    done = [somdc("cache", "why", name) for name in ("mypackage.sub", "nopackage.add")]
    assert [each.status for each in done] == [2, 2]
    assert "mypackage/__init__.py: no SOMD method in this file" in done[0].err
    assert "nopackage.add: no such module, and no such file" in done[1].err
