"""`somdc explain`."""

from __future__ import annotations

from pathlib import Path

import pytest

from somd.diagnostics.registry import page
from tests.cli.conftest import ADD, REFUSED, SHIFTED, Somdc, Write


def test_a_code(somdc: Somdc) -> None:
    assert somdc("explain", "SOMD301").out.strip() == page("SOMD301").strip()
    assert somdc("explain", "somd301").out == somdc("explain", "SOMD301").out
    done = somdc("explain", "SOMD999")
    assert done.status == 2 and "unknown diagnostic code 'SOMD999'" in done.err


def test_a_method(somdc: Somdc, write: Write) -> None:
    write("model.py", ADD)
    done = somdc("explain", "model.py:add")
    assert done.status == 0
    for said in ("partition: blocks of i", "reads a, b; writes c", "multicore: applies", "to the device: a, b"):
        assert said in done.out
    assert somdc("explain", "model.py").out == done.out


STAGES = {
    "frontend": "parameters a (distributed), b (distributed)",
    "analysis": "read   a[v_i] for v_i >= 0 and v_i < s_a_0",
    "plan": "phase 1, line 8: for i in range(len(a))",
    "program": "    c: float64 like a\n",
    "passes": "multicore: no pass changes a line\nopencl: no pass changes a line\n",
    "multicore": "def add_slave_1(lo, hi, a, b, c):",
    "opencl": "__kernel void add_1(",
}


@pytest.mark.parametrize("stage", STAGES)
def test_stages(stage: str, somdc: Somdc, write: Write) -> None:
    write("model.py", ADD)
    done = somdc("explain", "model.py:add", "--stage", stage)
    assert done.status == 0 and STAGES[stage] in done.out


def test_what_passes_change(somdc: Somdc, write: Write) -> None:
    """For each target the passes that change a line for such arguments, with these lines."""
    loop = "    for i in range(len(a)):\n        b[i] = int(a[i]) * int(a[i]) // 3\n"
    write("model.py", ADD.partition("@somd")[0] + f"@somd\ndef third(a: dist[np.ndarray], b: np.ndarray):\n{loop}")
    words = (
        "opencl, bit_widths\n"
        "-            b[i] = (int64(a[i]) * int64(a[i])) // 3\n"
        "+            b[i] = int64((uint32(a[i]) * uint32(a[i])) // uint32(3))\n"
    )
    assert words in somdc("explain", "model.py", "--stage", "passes", "--signature", "uint8[:], int64[:]").out
    assert (
        "bit_widths" not in somdc("explain", "model.py", "--stage", "passes", "--signature", "int64[:], int64[:]").out
    )


def test_signature(somdc: Somdc, write: Write) -> None:
    write("model.py", ADD)
    out = somdc("explain", "model.py:add", "--signature", "float32[:], float32[:]").out
    assert "targets, for a: float32[:], b: float32[:]\n" in out
    write("model.py", SHIFTED)
    out = somdc("explain", "model.py:shifted", "--signature", "float64[:], float64[:], int64").out
    assert "opencl: does not apply" in out and "[SOMD501]" in out


def test_refused(somdc: Somdc, write: Write) -> None:
    write("model.py", REFUSED)
    done = somdc("explain", "model.py:chain")
    assert done.status == 1 and done.err.startswith("error[SOMD301]")


def test_names(somdc: Somdc, write: Write) -> None:
    body = ADD.partition("somd\n\n\n")[2]
    methods = body.replace("\n", "\n    ").replace("def add(a", "def add(self, a")
    write("two.py", "import numpy as np\nfrom somd import dist, somd\nclass A:\n    " + methods + "\n" + body)
    for name in ("A.add", "add"):
        assert somdc("explain", f"two.py:{name}").out.startswith(f"{name} (two.py:")
    for given, said in {
        "two.py": "two.py: which method? name one: two.py:FUNCTION, of `A.add`, `add`",
        "two.py:sub": "two.py: no SOMD method `sub`; there are `A.add`, `add`",
        "no.py:add": "no.py: no such file",
        "text.txt": "text.txt: no such module, and no such file",
        ".:add": ".: a folder, not a file",
    }.items():
        done = somdc("explain", given)
        assert done.status == 2 and done.err == f"error: {said}\n"


def test_a_picture(somdc: Somdc, write: Write, tmp_path: Path) -> None:
    write("model.py", ADD)
    assert somdc("explain", "--html", "plan.html", "model.py:add").out == "plan.html\n"
    page = (tmp_path / "plan.html").read_text(encoding="utf-8")
    assert page.startswith("<!doctype html>") and "<code>b</code> needs as many elements as <code>a</code>" in page
    assert somdc("explain", "--html", "no/plan.html", "model.py:add").status == 2


def test_ranks(somdc: Somdc, write: Write) -> None:
    """What is said of ranks follows from shapes, and from the costs in the configuration."""
    write("model.py", ADD)
    write("somd.toml", "[cluster]\nmemory = 1e9\n")
    said = somdc("explain", "model.py:add", "--ranks", "4", "--given", "a=1000000, b=1000000").out.splitlines()
    assert said[0] == "reckoned for 4 ranks, a: float64[1000000], b: float64[1000000]; nothing is run"
    (phase,) = (line for line in said if "phase 1" in line)  # two arrays are read, and one touched and written
    assert phase.split()[4:] == ["1", "0", "0", "bytes", "8.00", "ms", "0.0", "us"]
    for given in ("a=2x3", "c=5", "a", "a=x"):
        done = somdc("explain", "model.py:add", "--ranks", "4", "--given", given)
        assert done.status == 2 and "error: --given: " in done.err
    path = write("scaling.html", "")
    assert somdc("explain", "model.py:add", "--ranks", "4", "--given", "a=9, b=9", "--html", str(path)).status == 0
    page = path.read_text(encoding="utf-8")
    assert "reckoned for 4 ranks" in page and "<title>4 ranks: 100.0 %</title>" in page
    write("somd.toml", "[cluster]\nlatency = 0\n")
    assert "`latency` must be a number greater than 0" in somdc("explain", "model.py:add", "--ranks", "4").err
