"""What depends on the process: drivers found, PATH without a linker, forks. Each case is a process of its own."""

from __future__ import annotations

import ctypes.util
import os
import subprocess
import sys
from pathlib import Path

import pytest

from somd.runtime.opencl import Device, NoDevice, drivers, select
from tests.trials import with_trials

ROOT = Path(__file__).parents[3]

ADD = """
import numpy as np
from somd.runtime.opencl import open_run, select
def add(device):
    source = "__kernel void add(__global double *a) { if (get_global_id(0) < 4) a[get_global_id(0)] += 1.0; }"
    a = np.zeros(4)
    with open_run(source, ["add"], device=device) as run:
        managed = run.array(a)
        run.launch("add", (4,), (managed,), reads=(managed,), writes=(managed,))
        run.finish((managed,))
    return a.sum()
"""


def python(code: str, **environment: str) -> str:
    """Output of `code`, or its errors, in a fresh interpreter. An empty value removes a variable."""
    found = os.pathsep.join([str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])])
    merged = {**os.environ, "PYTHONPATH": found, **environment}
    merged = {name: value for name, value in merged.items() if value or name not in environment}
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", code], capture_output=True, text=True, timeout=120, env=merged
    )
    return (done.stdout + done.stderr).strip()


def needs(spec: str) -> None:
    try:
        select(spec)
    except NoDevice as error:
        pytest.skip(str(error).splitlines()[0])


def test_import_loads_neither_pyopencl_nor_the_compiler() -> None:
    code = "import sys, somd.runtime.opencl; print([m for m in ('pyopencl', 'libcst', 'numba') if m in sys.modules])"
    assert python(code) == "[]"


@pytest.mark.parametrize("spec", ["intel", "pocl", "oclgrind"])
@pytest.mark.usual(3)
def test_drivers_are_found_with_nothing_set(spec: str, tmp_path: Path) -> None:
    needs(spec)
    out = python(
        f"{ADD}\nprint(add({spec!r}))",
        OCL_ICD_VENDORS="",
        OPENCL_VENDOR_PATH="",
        SOMD_CACHE_DIR=str(with_trials(tmp_path)),
    )
    assert out == "4.0"


@pytest.mark.usual(0)
def test_pyopencl_may_be_imported_before_a_device_is_tried(tmp_path: Path) -> None:
    needs("intel")
    code = f"import pyopencl\n{ADD}\nprint(add('intel'))"
    assert python(code, OCL_ICD_VENDORS="", SOMD_CACHE_DIR=str(tmp_path)) == "4.0"


def test_drivers_that_the_user_chose_are_the_only_ones(tmp_path: Path) -> None:
    chosen = drivers.bundled("libpocl")
    if chosen is None:
        pytest.skip("no PoCL from PyPI")
    (tmp_path / "only.icd").write_text(chosen + "\n")
    code = "from somd.runtime.opencl import devices; print({info.platform for info in devices()})"
    assert python(code, OCL_ICD_VENDORS=str(tmp_path / "only.icd")) == "{'Portable Computing Language'}"


def test_without_a_linker_another_cpu_device_is_taken(tmp_path: Path) -> None:
    needs("intel")
    code = f"{ADD}\nprint(select().info.platform, add(None))"
    bare = {"PATH": str(tmp_path), "SOMD_CACHE_DIR": str(with_trials(tmp_path))}
    assert python(code, **bare) == "Intel(R) OpenCL 4.0"
    needs("pocl")
    assert "PoCL needs the linker" in python("from somd.runtime.opencl import select; select('pocl')", **bare)


def test_a_linker_that_fails_is_noticed_before_pocl_aborts_the_process(tmp_path: Path) -> None:
    needs("pocl")
    linker = tmp_path / "ld"
    linker.write_text("#!/bin/sh\nexit 1\n")
    linker.chmod(0o755)
    out = python(f"{ADD}\nadd('pocl')", PATH=str(tmp_path), SOMD_CACHE_DIR=str(tmp_path / "cache"))
    assert "NoDevice" in out and "cannot build kernels here" in out and "link" in out


@pytest.mark.parametrize("spec", ["intel", "pocl", "oclgrind"])
@pytest.mark.parametrize("used", [False, True])
def test_fork(spec: str, used: bool) -> None:
    needs(spec)
    child = f"""
import os, sys, signal
from somd.errors import SomdRuntimeError
{"add(" + repr(spec) + ")" if used else ""}
child = os.fork()
if child == 0:
    signal.alarm(30)
    try:
        print(add({spec!r}), flush=True)
    except SomdRuntimeError as error:
        print(str(error)[:25], flush=True)
    sys.exit(0)
print(os.waitpid(child, 0)[1], add({spec!r}))
"""
    assert python(ADD + child) == ("OpenCL was already in use" if used else "4.0") + "\n0 4.0"


def test_no_device_says_what_was_found(any_device: Device) -> None:
    with pytest.raises(NoDevice, match="SOMD502") as caught:
        select("no such device")
    assert str(any_device) in str(caught.value)


def test_an_icd_folder_is_whole_and_named_by_content(tmp_path: Path) -> None:
    first = drivers.write_folder({"a.icd": "/lib/a.so"}, tmp_path)
    (first / "a.icd").write_text("damaged")
    assert drivers.write_folder({"a.icd": "/lib/a.so"}, tmp_path) == first
    assert (first / "a.icd").read_text() == "/lib/a.so\n"
    assert drivers.write_folder({"a.icd": "/lib/b.so"}, tmp_path) != first


def test_a_library_that_cannot_be_loaded_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    broken = tmp_path / "libintelocl.so"
    broken.write_text("not a library")
    monkeypatch.setattr(drivers, "find_drivers", lambda: {"intel-cpu.icd": str(broken)})
    assert "libintelocl.so cannot be loaded" in drivers.problems()[0]
    assert "intel-cmplr-lib-rt" in drivers.problems()[0]


@pytest.mark.parametrize(("kernel", "found"), [("race", "Read-write data race"), ("beyond", "Invalid write of size 8")])
def test_oclgrind_reports_races_and_accesses_beyond(kernel: str, found: str, tmp_path: Path) -> None:
    needs("oclgrind")
    code = f"""
import numpy as np
from somd.runtime.opencl import open_run
source = '''#line 71 "model.py"
__kernel void race(__global double *a) {{ long i = get_global_id(0); if (i < 39) a[i] = a[i + 1]; }}
__kernel void beyond(__global double *a) {{ long i = get_global_id(0); if (i < 41) a[i] = 0.0; }}
'''
with open_run(source, ["race", "beyond"], device="oclgrind") as run:
    managed = run.array(np.ones(40))
    run.launch({kernel!r}, (41,), (managed,), reads=(managed,), writes=(managed,))
    run.finish((managed,))
"""
    log = tmp_path / "log"
    assert python(code, OCLGRIND_DATA_RACES="1", OCLGRIND_LOG=str(log)) == ""
    assert found in log.read_text()
    assert f"line {71 if kernel == 'race' else 72} " in log.read_text()


def test_the_systems_pocl_stands_beside_the_one_of_pypi(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOMD_CACHE_DIR", str(tmp_path))
    system = ctypes.util.find_library("m")
    if system is None:
        pytest.skip("no library to stand for PoCL's")
    entries = [("pocl.icd", "/usr/lib/libpocl.so.2"), ("pocl-old.icd", "/usr/lib/libpocl.so.1")]
    monkeypatch.setattr(drivers, "_installed", lambda: iter([("intel-cpu.icd", "/lib/libintelocl.so")]))
    monkeypatch.setattr(drivers, "_system", lambda: iter([*entries, ("intel.icd", "/opt/libintelocl.so")]))
    monkeypatch.setattr(drivers, "bundled", lambda stem: system)
    assert drivers.find_drivers() == {"intel-cpu.icd": "/lib/libintelocl.so", "pocl.icd": "/usr/lib/libpocl.so.2"}
    monkeypatch.setattr(drivers, "stands_beside", lambda library, other: False)
    assert drivers.find_drivers() == {"intel-cpu.icd": "/lib/libintelocl.so"}


def test_two_drivers_that_abort_a_process_do_not_stand_beside_each_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOMD_CACHE_DIR", str(tmp_path))
    statuses = [-6, 1]
    monkeypatch.setattr(
        drivers.subprocess, "run", lambda *given, **more: subprocess.CompletedProcess(given, statuses.pop(0))
    )
    assert not drivers.stands_beside("/one.so", "/other.so")
    assert drivers.stands_beside("/one.so", "/other.so")
    assert drivers.stands_beside("/one.so", "/other.so") and not statuses
    assert drivers.stands_beside("/one.so", None)


@pytest.mark.usual(0)
def test_options_of_intels_compiler_that_the_user_set_are_kept() -> None:
    code = "import os; from somd.runtime.opencl import drivers; drivers.prepare(); print(os.environ[{!r}])"
    name, step = drivers._INTELS_OPTIONS, drivers._NO_INTEGERS_IN_VECTORS
    assert python(code.format(name), **{name: ""}) == step
    assert python(code.format(name), **{name: "-one=2"}) == f"-one=2 {step}"
    assert python(code.format(name), **{name: f"{step} -one=2"}) == f"{step} -one=2"
