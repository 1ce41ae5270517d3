"""The programs on the pages: *Example* gets its code, *Instead* is accepted and runs."""

from __future__ import annotations

import re
import runpy
import warnings
from pathlib import Path

import pytest

import somd
from somd.diagnostics.registry import REGISTRY, page
from tests.differential import harness

#: codes whose examples need another device, driver, file or compiler than a test has
ENVIRONMENT = {
    "SOMD104": "the example has no source on purpose, and is read from a file here",
    "SOMD210": "the example stands for one of thousands of terms",
    "SOMD306": "every condition outside distributed loops is uniform in this version",
    "SOMD311": "what is too much for isl depends on its version",
    "SOMD502": "needs a machine without such a device",
    "SOMD503": "needs a device without doubles",
    "SOMD504": "needs a driver that refuses",
    "SOMD505": "needs a Numba that is switched off",
    "SOMD601": "the error is in a configuration file",
    "SOMD602": "the error is in a configuration file",
    "SOMD611": "needs several ranks",
    "SOMD612": "needs several ranks",
    "SOMD613": "needs several ranks",
    "SOMD901": "no program is meant to get it",
    "SOMD902": "no program is meant to get it",
}
#: examples on a target that may fall back here
WARNED = {"SOMD501"}


def program(code: str, section: str) -> str:
    parts = re.split(r"^## (.+)$", page(code), flags=re.MULTILINE)
    text = dict(zip(parts[1::2], parts[2::2], strict=True))[section]
    found = re.findall(r"^```python\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    return str(found[0])


def run(text: str, folder: Path) -> None:
    file = folder / "program.py"
    file.write_text(text, encoding="utf-8")
    runpy.run_path(str(file))


@pytest.mark.parametrize("code", sorted(REGISTRY))
def test_example_gets_its_code(code: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if code in ENVIRONMENT:
        pytest.skip(ENVIRONMENT[code])
    if code in WARNED:
        with warnings.catch_warnings():
            warnings.simplefilter("error", somd.SomdFallbackWarning)
            with pytest.raises(somd.SomdFallbackWarning, match=code):
                run(program(code, "Example"), tmp_path)
        return
    if code == "SOMD608":
        monkeypatch.setenv("SOMD_CACHE_DIR", str(tmp_path / "cache"))  # the example sets another
        with pytest.warns(somd.SomdCacheWarning, match=code):
            run(program(code, "Example"), tmp_path)
        return
    if code == "SOMD605":
        with pytest.raises(IndexError, match=r"program.py, line \d+"):
            run(program(code, "Example"), tmp_path)
        return
    with pytest.raises(somd.SomdError) as caught:
        run(program(code, "Example"), tmp_path)
    assert caught.value.code == code, str(caught.value)  # type: ignore[attr-defined]


@pytest.mark.parametrize("code", sorted(REGISTRY))
def test_instead_is_accepted(code: str, tmp_path: Path) -> None:
    target = "multicore" if harness.unavailable("opencl") else "opencl"  # the one that compiles faster
    with warnings.catch_warnings(), somd.use(target=target):
        warnings.simplefilter("ignore", somd.SomdFallbackWarning)
        run(program(code, "Instead"), tmp_path)
