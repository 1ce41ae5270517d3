"""The cache keeps to its limits, and nothing that is not somd's own is ever removed."""

from __future__ import annotations

import os
import time
from pathlib import Path

import numpy as np
import pytest

import somd
from somd.cache import files as cached_files
from somd.settings.config import cache_limits, reload_config
from somd.settings.config_file import read_config_file

OURS = [
    "multicore/f_0123456789abcdef.py",
    "multicore/f_0123456789abcdef.json",
    "multicore/__pycache__/f_0123456789abcdef.f.0123456789abcdef0123456789abcdef.nbc",
    "multicore/f_0123456789abcdef.pyabcd_123.tmp",
    "opencl/größe_0123456789abcdef.py",
    "opencl/programs/0123456789abcdef0123456789abcdef.bin",
    "opencl/vendors-0123456789abcdef/pocl.icd",
    "opencl/trials/0123456789abcdef",
    "checked/0123456789abcdef0123456789abcdef",
    "contents/0123456789abcdef0123456789abcdef",
    "verify/multicore/f_0123456789abcdef.py",
]
THEIRS = [
    "notes.txt",
    "f_0123456789abcdef.py",
    "multicore/model.py",
    "multicore/f_0123456789abcdef.py.orig",
    "multicore/deep/f_0123456789abcdef.py",
    "opencl/kernels.cl",
    "checked/readme",
    "verify/report.txt",
]


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("SOMD_CACHE_DIR", str(tmp_path / "cache"))
    for number, name in enumerate((*OURS, *THEIRS)):
        path = tmp_path / "cache" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"x" * 1000)
        os.utime(path, (time.time() - 3600 * number,) * 2)
    return tmp_path / "cache"


def left(cache: Path) -> set[str]:
    return {path.relative_to(cache).as_posix() for path in cache.rglob("*") if not path.is_dir()}


def test_only_what_is_ours_is_removed(cache: Path) -> None:
    outside = cache.parent / "outside_0123456789abcdef.py"
    outside.write_text("mine", encoding="utf-8")
    (cache / "multicore" / "link_0123456789abcdef.py").symlink_to(outside)
    assert {each.path.relative_to(cache).as_posix() for each in cached_files.cached_files()} == set(OURS)
    assert cached_files.remove(list(cached_files.cached_files())) == 1000 * len(OURS)
    assert left(cache) == {*THEIRS, "multicore/link_0123456789abcdef.py"}
    assert outside.exists()
    assert not (cache / "opencl" / "programs").exists() and not (cache / "multicore" / "__pycache__").exists()


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root gives files to others")
def test_what_belongs_to_others_stays(cache: Path) -> None:
    os.chown(cache / OURS[0], 65534, 65534)
    os.chown(cache / "checked", 65534, 65534)
    found = {each.path.relative_to(cache).as_posix() for each in cached_files.cached_files()}
    assert found == {*OURS[1:]} - {"checked/0123456789abcdef0123456789abcdef"}


def configured(cache: Path, monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    (cache.parent / "somd.toml").write_text(text, encoding="utf-8")
    monkeypatch.setenv("SOMD_CONFIG", str(cache.parent / "somd.toml"))
    reload_config()


def test_the_size_is_bounded(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What was used last stays; a record goes with its module."""
    configured(cache, monkeypatch, '[cache]\nsize = "4.5 kB"\n')
    assert cached_files.trim() == 1000 * (len(OURS) - 4)
    assert left(cache) == {*OURS[:4], *THEIRS}
    configured(cache, monkeypatch, "[cache]\nsize = 0\n")
    cached_files.trim()
    assert left(cache) == {*THEIRS}
    reload_config()


def test_the_age_is_bounded(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    configured(cache, monkeypatch, "[cache]\ndays = 0.1\n")
    cached_files.trim()
    assert left(cache) == {*OURS[:3], *THEIRS}
    reload_config()


def test_a_full_cache_does_not_hinder_calls(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    configured(cache, monkeypatch, "[cache]\nsize = 0\ndays = 0\n")
    monkeypatch.setattr(cached_files, "_written", 0)

    @somd.somd
    def doubled(a: somd.dist[np.ndarray]) -> None:
        for i in range(len(a)):
            a[i] = a[i] * 2.0

    for dtype in (np.float64, np.float32):
        a = np.ones(9, dtype)
        doubled(a)
        assert a.tolist() == [2.0] * 9
    reload_config()


@pytest.mark.parametrize(
    ("text", "found"),
    [("size = 12", 12), ('size = "1 kB"', 1000), ('size = "1.5 MiB"', 3 << 19), ('size = "2GB"', 2 * 10**9)],
)
def test_sizes(tmp_path: Path, text: str, found: int) -> None:
    (tmp_path / "somd.toml").write_text(f"[cache]\n{text}\n", encoding="utf-8")
    assert read_config_file(tmp_path / "somd.toml").cache_size == found


@pytest.mark.parametrize("text", ["size = -1", 'size = "much"', "size = true", 'size = "9"', "days = -1", 'days = "x"'])
def test_wrong_limits(tmp_path: Path, text: str) -> None:
    (tmp_path / "somd.toml").write_text(f"[cache]\n{text}\n", encoding="utf-8")
    with pytest.raises(somd.SomdConfigError) as caught:
        read_config_file(tmp_path / "somd.toml")
    assert (caught.value.code, caught.value.line) == ("SOMD604", 2)


def test_the_limits_unless_something_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SOMD_CONFIG", raising=False)
    reload_config()
    assert cache_limits() == (1 << 30, 90.0)
