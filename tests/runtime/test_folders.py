"""The cache's folder: what others may have written is not read, what somd makes is its user's alone, and a cache that
cannot be used costs a warning and nothing else."""

from __future__ import annotations

import os
import runpy
import shutil
import stat
import subprocess
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path

import pytest

import somd
from somd.runtime import folders
from tests.usual import ALL

pytestmark = pytest.mark.skipif(not hasattr(os, "geteuid"), reason="files have no owners here")
PROGRAM = """
import os, sys
if "--gone" in sys.argv:
    os.rmdir(os.getcwd())
import numpy as np
from somd import dist, somd

@somd
def double(a: dist[np.ndarray]) -> None:
    for i in range(len(a)):
        a[i] = 2.0 * a[i]

a = np.ones(10)
double(a)
print(a.sum(), "somd.transforms.pipeline" in sys.modules)
"""
COMPILED, FOUND = "20.0 True\n", "20.0 False\n"


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.setenv("SOMD_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setattr(folders, "_warned", set())
    yield tmp_path / "cache"


def run(
    folder: Path, cache: object, *arguments: str, target: str = "multicore", cwd: Path | None = None
) -> tuple[str, str]:
    """What the program prints, and what it says to standard error."""
    program = folder / "program.py"
    program.write_text(PROGRAM, encoding="utf-8")
    root = str(Path(somd.__file__).parents[1])
    environment = {**os.environ, "SOMD_CACHE_DIR": str(cache), "PYTHONPATH": root, "SOMD_TARGET": target}
    command = [sys.executable, str(program), *arguments]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, cwd=cwd or folder)
    assert done.returncode == 0, done.stderr
    return done.stdout, done.stderr


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A cache that holds what the program needs."""
    folder = tmp_path_factory.mktemp("filled")
    assert run(folder, folder / "cache") == (COMPILED, "")
    return folder / "cache"


def warned(said: str, *words: str) -> None:
    """One warning, and nothing else."""
    assert said.count("SomdCacheWarning") == 1 and "[SOMD608]" in said and "Traceback" not in said, said
    assert all(word in said for word in words), said


def test_what_is_made_is_the_users_alone(cache: Path) -> None:
    assert folders.write_whole(cache / "multicore" / "x", b"text")
    for path in (cache, cache / "multicore"):
        assert stat.S_IMODE(path.stat().st_mode) == 0o700
    assert stat.S_IMODE((cache / "multicore" / "x").stat().st_mode) == 0o600
    assert folders.read_own(cache / "multicore" / "x") == b"text"
    assert folders.cache_problem() is None


@pytest.mark.parametrize("where", [".", "multicore", "multicore/x"])
@pytest.mark.parametrize("mode", [0o020, 0o002])
def test_what_others_may_write_is_not_read(cache: Path, where: str, mode: int) -> None:
    path = cache / "multicore" / "x"
    folders.write_checked(path, b"text")
    loose = cache / where
    before = stat.S_IMODE(loose.stat().st_mode)
    loose.chmod(before | mode)
    with pytest.warns(somd.SomdCacheWarning, match="others may write") as caught:
        assert folders.read_checked(path) is None
    assert f"chmod go-w '{loose}'" in str(caught[0].message) and len(caught) == 1
    assert folders.read_own(path) is None  # without a further warning
    loose.chmod(before)
    assert folders.read_checked(path) == b"text"


@pytest.mark.skipif(os.name != "posix" or os.geteuid() != 0, reason="only root gives files to others")
@pytest.mark.parametrize("where", [".", "multicore", "multicore/x"])
def test_what_belongs_to_others_is_not_read(cache: Path, where: str) -> None:
    path = cache / "multicore" / "x"
    folders.write_whole(path, b"text")
    os.chown(cache / where, 65534, 65534)
    with pytest.warns(somd.SomdCacheWarning, match=r"belongs to another user \((nobody|65534)\)"):
        assert folders.read_own(path) is None
    assert not folders.write_whole(path, b"mine") or where == "multicore/x"


def test_a_sticky_folder_above(cache: Path) -> None:
    cache.mkdir()
    cache.chmod(0o1777)
    assert folders.write_whole(cache / "multicore" / "x", b"text")
    assert folders.read_own(cache / "multicore" / "x") == b"text"


def test_what_is_no_file_is_not_read(cache: Path) -> None:
    (cache / "multicore").mkdir(parents=True, mode=0o700)
    os.mkfifo(cache / "multicore" / "fifo", 0o600)
    assert folders.read_own(cache / "multicore" / "fifo") is None
    assert folders.read_own(cache / "multicore") is None
    assert folders.read_own(cache / "multicore" / ("x" * 300)) is None


def test_a_cache_of_another_user_is_neither_run_nor_filled(filled: Path, tmp_path: Path) -> None:
    """Modules, machine code and notes in a folder that others may write: the program compiles anew, and says so."""
    cache = Path(shutil.copytree(filled, tmp_path / "cache"))
    modules = list(cache.glob("multicore/*.py"))
    for path in modules:
        path.write_text("raise SystemExit('run')", encoding="utf-8")
    cache.chmod(0o777)
    before = sorted(cache.rglob("*"))
    out, said = run(tmp_path, cache)
    assert out == COMPILED
    warned(said, "others may write", f"chmod go-w '{cache}'")
    assert sorted(cache.rglob("*")) == before


def unusable(kind: str, folder: Path) -> Path:
    cache = folder / "cache"
    if kind == "file":
        cache.write_text("mine", encoding="utf-8")
    elif kind == "below a file":
        (folder / "file").write_text("mine", encoding="utf-8")
        cache = folder / "file" / "cache"
    elif kind == "long name":
        cache = folder / ("x" * 300)
    elif kind == "long path":
        cache = Path(str(folder) + "/" + "/".join(["y" * 100] * 50))
    elif kind == "device":
        cache = Path("/dev/full")
    else:
        cache = Path("/proc/somd")
    return cache


@pytest.mark.parametrize("kind", ["file", "below a file", "long name", "long path", "device", "read-only"])
@pytest.mark.parametrize("target", ["multicore", "opencl"])
@pytest.mark.usual(3)
def test_a_cache_that_cannot_be_used_in_this_process(
    tmp_path: Path, kind: str, target: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    if somd.targets()[target] is not None:
        pytest.skip(str(somd.targets()[target]))
    monkeypatch.setattr(folders, "_warned", set())
    (tmp_path / "program.py").write_text(PROGRAM, encoding="utf-8")
    monkeypatch.setenv("SOMD_CACHE_DIR", str(unusable(kind, tmp_path)))
    with somd.use(target=target), warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        runpy.run_path(str(tmp_path / "program.py"))
    assert capsys.readouterr().out == COMPILED
    assert [each.category for each in caught] == [somd.SomdCacheWarning], [str(each.message) for each in caught]
    assert "is not used" in str(caught[0].message) and "[SOMD608]" in str(caught[0].message)


@pytest.mark.parametrize(("kind", "target"), [("file", "multicore"), ("read-only", "opencl")][: 1 + ALL])
def test_a_cache_that_cannot_be_used(tmp_path: Path, kind: str, target: str) -> None:
    if somd.targets()[target] is not None:
        pytest.skip(str(somd.targets()[target]))
    out, said = run(tmp_path, unusable(kind, tmp_path), target=target)
    assert out == COMPILED
    warned(said, "is not used")


@pytest.mark.usual(0)
def test_a_working_folder_that_is_gone(filled: Path, tmp_path: Path) -> None:
    """The cache is found where its path is whole; one that is relative to nothing is none."""
    for cache, expected in ((filled, FOUND), ("relative", COMPILED)):
        gone = tmp_path / "gone"
        gone.mkdir()
        out, said = run(tmp_path, cache, "--gone", cwd=gone)
        assert out == expected
        if cache is filled:
            assert said == ""
        else:
            assert "has no cache" in said
            warned(said)


def test_a_full_disk(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*given: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", full)
    with pytest.warns(somd.SomdCacheWarning, match="No space left on device"):
        assert not folders.write_whole(cache / "multicore" / "x", b"text")
    assert not folders.write_whole(cache / "multicore" / "x", b"text")
    assert list((cache / "multicore").iterdir()) == []


@pytest.mark.usual(0)
def test_a_copy_of_the_package_compiles_nothing(filled: Path, tmp_path: Path) -> None:
    """Keys hold contents: neither places nor times of files."""
    cache, second = Path(shutil.copytree(filled, tmp_path / "cache")), tmp_path / "second"
    found = {path: path.stat().st_mtime_ns for path in cache.rglob("*.*") if path.is_file() and path.suffix != ".json"}
    assert any(path.suffix == ".nbc" for path in found)
    shutil.copytree(Path(somd.__file__).parent, second / "somd", copy_function=shutil.copyfile)
    for path in (second / "somd").rglob("*.py"):
        os.utime(path, (1, 1))
    (second / "program.py").write_text(PROGRAM, encoding="utf-8")
    environment = {**os.environ, "SOMD_CACHE_DIR": str(cache), "PYTHONPATH": str(second), "SOMD_TARGET": "multicore"}
    command = [sys.executable, str(second / "program.py")]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, cwd=second)
    assert (done.stdout, done.stderr) == (FOUND, "")
    after = {path: path.stat().st_mtime_ns for path in cache.rglob("*.*") if path.is_file() and path.suffix != ".json"}
    assert after == found
    changed = second / "somd" / "transforms" / "pipeline.py"
    changed.write_text(changed.read_text(encoding="utf-8") + "\n", encoding="utf-8")
    os.utime(changed, (1, 1))
    done = subprocess.run(command, env=environment, capture_output=True, text=True, cwd=second)
    assert (done.stdout, done.stderr) == (COMPILED, "")
