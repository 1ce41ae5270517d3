"""Every command and block of code in the documents is run, or stands in a list with the reason why it is not.

`test_readme_and_docs.py` runs the programs and compares what they print, `test_docs.py` the commands that show it. Here
are the commands that show nothing: they must end well, and a benchmark must print the rows of the table that stands
before its command. Benchmarks run with `SMALLER` sizes; what compiles much runs with `SOMD_ALL_CASES=1`.
"""

from __future__ import annotations

import ast
import os
import re
import shlex
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from somd import SomdConfigError
from somd.cli.app import app
from somd.settings.config_file import read_config_file
from tests.cli.conftest import Somdc, Write
from tests.cli.doc_inventory import ROOT, blocks, commands, tables_before

ALL = "SOMD_ALL_CASES" in os.environ
#: by their first words: what is not run, and why
LEFT_OUT = {
    "sudo apt-get": "a system's packages",
    "git clone": "the address is the reader's",
    "echo libnvidia": "a file of the system's",
    "apptainer": "a program of clusters",
    "module load": "a program of clusters",
    "export ": "a shell's setting",
    "srun": "a program of clusters",
    "pip wheel": "makes a wheel of the reader's package",
    "somdc --install-completion": "changes the settings of a shell",
    "somdc build --wheel FOLDER": "runs pip, which gets what builds the reader's project",
    ".venv/bin/python -m tests.runtime.mpi.campaign": "hours, and `tests/runtime/mpi` runs the same programs",
    "python -O": "an option of Python's, no command",
    "python /": "an operator of programs",
    "somdc build --wheel --cpu LEVEL": "a form of a command that is run",
}
#: and what tests elsewhere run
RUN_ELSEWHERE = {
    "mpiexec -n 4 python -m tests.runtime.mpi.memory": "tests/runtime/mpi/test_ranks.py",
    "mpiexec -n 4 python examples/heat.py": "tests/runtime/mpi/test_ranks.py",
    "somdc run --ranks": "tests/runtime/mpi/test_run.py",
    "somdc lsp": "tests/cli/test_lsp.py",
    "somdc check --watch": "tests/cli/test_editors_and_ci.py",
    "somdc build --wheel": "tests/cli/test_build_and_cache.py",
    "SOMD_CACHE_DIR=$(mktemp -d) python -X importtime": "tests/test_start_up.py",
    "python examples/heat.py": "tests/test_examples.py",
    ".venv/bin/python tools/charts.py": "tests/test_readme_and_docs.py",
    ".venv/bin/python tools/diagrams.py": "tests/test_readme_and_docs.py",
}
#: blocks that are no program, by their first words: why
NO_PROGRAM = {
    "#!/bin/bash": "a job of a cluster; its commands are looked at",
    "Bootstrap: docker": "a container's definition",
    "%load_ext": "a notebook's; `test_notebook.py` runs it",
    "%%somd": "a notebook's; `test_notebook.py` runs it",
    "vim.lsp": "an editor's settings",
    "(add-to-list": "an editor's settings",
    "@jax.jit": "a program for JAX",
    "x = ti.field": "a program for Taichi",
}
#: options with which a benchmark takes little time, in place of those in the documents; `--device` for GPUs only
SMALLER = {
    "benchmarks.array_forms": "--size tiny --repeat 1",
    "benchmarks.array_functions": "--sizes 20 --repeat 1",
    "benchmarks.bandwidth": "--elements 1000 --repeat 1",
    "benchmarks.call_overhead": "--repeat 1",
    "benchmarks.fence_cost": "--repeat 1",
    "benchmarks.first_call": "--repeat 1",
    "benchmarks.gpu_libraries": "--scale 64 --repeat 1 --calls 1 --device cpu",
    "benchmarks.gpu_arrays": "--numbers 20000 --repeat 1 --calls 1 --device cpu",
    "benchmarks.heat": "--points 16 --steps 2 --repeat 1",
    "benchmarks.javagrande": "--class A --repeat 1 --targets sequential,multicore,prange",
    "benchmarks.launch_cost": "--turns 10 --repeat 1 --device cpu",
    "benchmarks.loops": "--size tiny --repeat 1",
    "benchmarks.opencl_peers": "--repeat 1 --scale 1000 --device cpu",
    "benchmarks.papers": "--repeat 1",
    "benchmarks.passes": "--repeat 1 --scale 0.01",
    "benchmarks.peers": "--class A --repeat 1",
    "benchmarks.random_draws": "--count 1000 --repeat 1",
    "benchmarks.ranks": "--edge 64 --steps 2 --rounds 1",
    "benchmarks.scaling": "--class A --size S --workers 1,2 --repeat 1 --only spmv",
    "benchmarks.scans": "--count 1000 --repeat 1",
    "benchmarks.several_devices": "--edge 64 --steps 2 --repeat 1 --devices cpu",
    "benchmarks.small_work": "--repeat 1",
    "tests.property.campaign": "--count 2",
    "tools/measure_functions.py": "--count 3",
}
#: of tables before a command: rows that are of other runs, in other words, or a selection
OTHER_ROWS = {
    "benchmarks.array_functions": "other words",
    "benchmarks.fence_cost": "a run for each layer",
    "benchmarks.bandwidth": "a column for each kernel",
    "benchmarks.gpu_libraries": "other words",
    "benchmarks.gpu_arrays": "other words",
    "benchmarks.opencl_peers": "other words",
    "benchmarks.scaling": "some of them",
    "benchmarks.small_work": "other words",
}
QUICK = ("--adequacy", "-c ", "-m somd")
MODEL = """
import sys

import numpy as np
from somd import dist, somd


@somd(signatures=["float64[:], float64[:], float64"])
def axpy(a: dist[np.ndarray], b: dist[np.ndarray], k: float) -> None:
    for i in range(len(a)):
        a[i] += k * b[i]


def smooth(a, b):
    for i in range(1, len(a) - 1):
        b[i] = 0.5 * (a[i - 1] + a[i + 1])


if __name__ == "__main__":
    axpy(np.ones(3), np.ones(3), 2.0)
    print("arguments:", sys.argv[1:])
"""


def named(text: str, *lists: dict[str, str]) -> bool:
    return any(text.lstrip().startswith(first) for each in lists for first in each)


def left_out(command: str) -> bool:
    return named(command, LEFT_OUT, RUN_ELSEWHERE)


def test_every_block_is_run() -> None:
    """A block is a program, a command, settings, or a text that something gives; or it is left out with a reason."""
    known = {"python", "console", "sh", "toml", "yaml"}
    quoted = ("<!-- output", "<!-- golden", "<!-- part of", "<!-- asked of isl", "<!-- raised by")
    others = [
        (block.page, block.text.strip().splitlines()[0])
        for block in blocks()
        if block.language not in known and not block.marker.startswith(quoted) and not named(block.text, NO_PROGRAM)
        if not (block.language == "py" and "from numba import" in block.text)
    ]
    assert others == []
    for block in blocks():
        if block.language == "console" and not block.shell:
            prompts = re.findall(r"^\$ (\S+)", block.text, re.MULTILINE)
            assert block.page.startswith("docs/") and set(prompts) == {"somdc"}, block
        if block.language == "python":
            assert block.page.startswith(("README.md", "docs/", "somd/diagnostics/pages/")), block


def test_the_lists_hold_what_there_is() -> None:
    """Nothing stands in them that the documents do not have any more, and the tests that they name are there."""
    found = [command for _, command in commands()]
    for first in (*LEFT_OUT, *RUN_ELSEWHERE):
        assert any(command.startswith(first) for command in found), first
    for first in NO_PROGRAM:
        assert any(block.text.lstrip().startswith(first) for block in blocks()), first
    for module in SMALLER:
        assert any(module in command for command in found), module
    for test in RUN_ELSEWHERE.values():
        assert (ROOT / test).exists(), test


PLAIN = list(dict.fromkeys(command for _, command in commands() if not left_out(command)))


@pytest.mark.parametrize("command", [each for each in PLAIN if re.match(r"(\.venv/bin/)?pip ", each)])
def test_what_is_installed_has_such_extras(command: str) -> None:
    if command == "pip check":  # of this environment, as a reader asks it of theirs
        done = subprocess.run([sys.executable, "-m", "pip", "check"], capture_output=True, text=True, check=False)
        assert done.stdout.strip(), done.stderr
        return
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"]
    named = [name for group in re.findall(r"\[([\w,]+)\]", command) for name in group.split(",")]
    assert named and set(named) <= set(extras)


@pytest.mark.parametrize("command", [each for each in PLAIN if each.startswith("make ")])
def test_make_knows_it(command: str) -> None:
    """What it would run; `make help` runs."""
    if shutil.which("make") is None:
        pytest.skip("no make")
    dry = [] if command == "make help" else ["--dry-run"]
    environment = {key: value for key, value in os.environ.items() if key not in ("MAKEFLAGS", "MAKELEVEL")}
    done = subprocess.run(
        ["make", *dry, *shlex.split(command)[1:]],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    if not dry:
        targets = re.findall(r"^([a-z]+):.*## ", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)
        assert [line.split("\t")[0] for line in done.stdout.splitlines()] == targets


@pytest.mark.parametrize("command", [each for each in PLAIN if each.startswith("somdc ")])
def test_a_command_of_somdc(command: str, somdc: Somdc, write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    """In a folder with `model.py`. A line of text that names a command and no file: it is there, with these options."""
    path = write("model.py", MODEL)
    if command.startswith(("somdc cache", "somdc build")):
        monkeypatch.setenv("SOMD_CACHE_DIR", str(path.parent / "cache"))
    words = shlex.split(command.partition(" | ")[0])[1:]
    words = [re.sub(r"FILE:(FUNCTION|METHOD)|model.py:method", "model.py:axpy", word) for word in words]
    words = [word.replace("model.axpy", "model.py:axpy") for word in words]
    if words[0] in ("run", "profile", "verify") and len(words) > 1 and not ALL:
        pytest.skip("compiles: SOMD_ALL_CASES=1")
    files = [word for word in words[1:] if not word.startswith("--")]
    if words[-1] == "--stage" or (not files and words[0] not in ("devices", "cache")):
        shown = somdc(words[0], "--help")
        assert shown.status == 0 and all(word in shown.out for word in words if word.startswith("--"))
        return
    done = somdc(*words)
    assert done.status == 0, done.out + done.err
    if words[0] in ("run", "profile"):
        assert "arguments: " + str(words[words.index("model.py") + 1 :]) in done.out
    elif words[0] not in ("check", "cache", "explain", "build") or words == ["cache"]:
        assert done.out


def arguments(command: str) -> tuple[dict[str, str], list[str]]:
    """The settings before a command of Python's, and its words behind `python`: smaller, where it is a benchmark."""
    words = shlex.split(command.replace(" NAME", " gemm"))
    settings = {}
    while re.fullmatch(r"\w+=.*", words[0]):
        name, _, settings[name] = words.pop(0).partition("=")
    words = words[1:]
    smaller = SMALLER.get(words[1] if words[0] == "-m" else words[0], "").split()
    for name, value in zip(smaller[::2], smaller[1::2], strict=True):
        if name in words:
            words[words.index(name) + 1] = words[words.index(name) + 1] if name == "--targets" else value
        elif name != "--device" and "--adequacy" not in words:
            words += [name, value]
    if "--kernels" not in words and "benchmarks.loops" in words:
        words += ["--kernels", "gemm,jacobi_1d"]
    if "tools/oclgrind_corpus.py" in words:
        words += ["strips.halves"]
    if "benchmarks.javagrande" in words and not {"--adequacy", "--no-start-up"} & {*words}:
        words += ["--no-start-up"]
    return settings, words


PYTHON = [each for each in PLAIN if re.match(r"(\w+=\S+ )*(\.venv/bin/)?python3? ", each)]
TESTS = [each for each in PYTHON if " -m pytest " in each]
#: by what is run: commands that differ only in sizes are run once
RUN = {tuple(arguments(each)[1]): each for each in reversed(PYTHON) if each not in TESTS}


@pytest.mark.parametrize("command", TESTS)
def test_tests_that_are_named_are_there(command: str) -> None:
    """They run as part of this suite; with SOMD_ALL_CASES=1 they are collected as named."""
    _, words = arguments(command)
    assert all((ROOT / word.split("::")[0]).exists() for word in words if word.startswith("tests"))
    if ALL:
        words = [word for word in words if word != "--bless"]
        done = subprocess.run(
            [sys.executable, *words, "--collect-only", "-q", "-p", "no:cacheprovider"],
            cwd=ROOT,
            env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0 and "::" in done.stdout, done.stdout[-2000:]


@pytest.mark.parametrize("command", RUN.values())
def test_a_command_of_python(command: str, tmp_path: Path) -> None:
    settings, words = arguments(command)
    if not (ALL or any(each in " ".join(words) for each in QUICK)):
        pytest.skip("compiles: SOMD_ALL_CASES=1")
    (tmp_path / "model.py").write_text(MODEL, encoding="utf-8")
    if "--out" in words:
        words[words.index("--out") + 1] = str(tmp_path / "found")
    if "benchmarks.javagrande" in words or "benchmarks.loops" in words:
        words += ["--json", str(tmp_path / "record.json"), "--plot", str(tmp_path / "plot.png")]
    reader, module = words == ["model.py"], words[1] if words[0] == "-m" else words[0]
    done = subprocess.run(
        [sys.executable, *words, *(["--help"] if words == ["-m", "somd"] else [])],
        cwd=tmp_path if reader else ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT), "COLUMNS": "160", "MPLBACKEND": "Agg", **settings},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.strip()
    for page, each in commands():
        if each in PYTHON and tuple(arguments(each)[1]) == tuple(arguments(command)[1]):
            for rows in tables_before(page, each) if not named(module, OTHER_ROWS) else []:
                for row in rows:
                    assert row in done.stdout.replace("`", "") or "loops" in module, (page, row, done.stdout)


@pytest.mark.parametrize("text", [block.text for block in blocks() if block.language == "py"])
def test_programs_of_other_compilers(text: str) -> None:
    """They are Python; those of Numba run."""
    ast.parse(text)
    if ALL and "from numba import" in text:
        exec(text, {"__name__": "page"})


@pytest.mark.parametrize(
    "text", [block.text for block in blocks() if block.language == "toml" and block.page.startswith(("README", "docs"))]
)
def test_settings_are_read(text: str, tmp_path: Path) -> None:
    found = tomllib.loads(text)
    if not set(found) & {"project", "language-server", "build-system"}:
        (tmp_path / "somd.toml").write_text(text, encoding="utf-8")
        try:
            read_config_file(tmp_path / "somd.toml")
        except SomdConfigError as error:
            assert error.code in ("SOMD601", "SOMD602", "SOMD603", "SOMD604", "SOMD605", "SOMD606")


def test_workflows_name_what_there_is() -> None:
    for block in blocks():
        if block.language == "yaml":
            assert "\t" not in block.text and re.match(r"# \.[\w/.-]+\n", block.text)
            keys = re.findall(r"^(\w+):", block.text, re.MULTILINE)
            assert keys[0] in ("repos", "name") and len(keys) == len(set(keys))


def test_the_page_of_the_tool_names_every_command() -> None:
    text = (ROOT / "docs" / "somdc.md").read_text(encoding="utf-8")
    names = {each.name or each.callback.__name__ for each in app.registered_commands if each.callback is not None}
    names |= {each.name for each in app.registered_groups if each.name}
    assert {name for name in names if f"| [`{name}`](" not in text and f"| `{name}` |" not in text} == set()
