"""Every block of the documents that is no program is looked at: commands take their options, settings are read, texts
are quoted from somewhere. What cannot be run here stands in `LEFT_OUT`, with the reason.

`test_readme_and_docs.py` runs the programs and compares what they print, `test_docs.py` the commands that show it.
"""

from __future__ import annotations

import argparse
import importlib.util
import re
import runpy
import shlex
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

from somd import SomdConfigError
from somd.settings.config_file import read_config_file
from tests.cli.conftest import Somdc

ROOT = Path(__file__).parents[2]
PAGES = sorted(p for p in (ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").glob("*.md")))
FENCED = re.compile(r"((?:<!-- [^>]* -->\n+)?)^ *```(\w+)\n(.*?)^ *```$", re.MULTILINE | re.DOTALL)
INDENTED = re.compile(r"(?<=\n\n)((?: {4}(?![-*]|```).*\n)+)")
COMMAND = re.compile(r"`(?:\w+=\S+ )*((?:\.venv/bin/)?python3? [^`]+|somdc [^`]+|make [^`]+)`")
#: blocks and commands that are not run, by their first words: why
LEFT_OUT = {
    "sudo apt-get": "a system's packages",
    "git clone": "the address is the reader's",
    "pip ": "installs",
    "pip wheel": "makes a wheel of the reader's",
    "echo libnvidia": "a file of the system's",
    ".venv/bin/pip ": "installs",
    "apptainer": "a program of clusters",
    "module load": "a program of clusters",
    "export ": "a shell's setting",
    "srun": "a program of clusters",
    "mpiexec": "MPI's own; `tests/runtime/mpi` runs it",
    "#!/bin/bash": "a job of a cluster",
    "Bootstrap: docker": "a container's definition",
    "%load_ext": "a notebook's; `test_notebook.py` runs it",
    "%%somd": "a notebook's; `test_notebook.py` runs it",
    "vim.lsp": "an editor's settings",
    "(add-to-list": "an editor's settings",
    "IndexError:": "what the call above it raises",
    "from numba": "another compiler's program",
    "@jax.jit": "another compiler's program",
    "x = ti.field": "another compiler's program",
}


def blocks() -> Iterator[tuple[str, str, str, str]]:
    for page in PAGES:
        for marker, language, text in FENCED.findall(page.read_text(encoding="utf-8")):
            yield page.name, marker, language, text


def left_out(text: str) -> bool:
    return any(text.lstrip().startswith(first) for first in LEFT_OUT)


def commands() -> Iterator[tuple[str, str]]:
    """Each command of a page that shows no output: in blocks, indented, in a line of text, in a workflow."""
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        found = [
            body
            for _, language, body in FENCED.findall(text)
            if language == "sh" or (language == "console" and "$ " not in body)
        ]
        found += re.findall(r"^ *(?:- run|entry): (.*)$", text, re.MULTILINE)
        found += INDENTED.findall(FENCED.sub("", text))
        lines = [line.strip() for body in found for line in body.replace("\\\n", " ").splitlines()]
        for line in [*lines, *COMMAND.findall(text)]:
            if line and not line.startswith(("$ somdc", "#")) and not left_out(line):
                yield page.name, re.sub(r"^\$ ", "", re.sub(r"\s+#.*$", "", line))


class Parsed(Exception):
    pass


def words(command: str) -> list[str]:
    """A command without what is set before it, and without a shell's redirections; NAME is a name that there is."""
    command = re.sub(r"\$\([^)]*\)", "x", command).replace(" NAME", " gemm")
    parts = shlex.split(command.split(" 2>&1")[0].split(" | ")[0].split(" && ")[-1])
    while parts and re.fullmatch(r"\w+=.*", parts[0]):
        parts.pop(0)
    return parts


@pytest.mark.parametrize("command", dict.fromkeys(c for _, c in commands()))
def test_a_command_takes_its_options(command: str, somdc: Somdc, monkeypatch: pytest.MonkeyPatch) -> None:
    program, *rest = words(command)
    if program == "make":
        targets = re.findall(r"^([\w-]+):.*##", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)
        assert [word for word in rest if "=" not in word and word not in targets] == []
    elif program == "somdc":
        takes(somdc, rest)
    else:
        assert Path(program).name.startswith("python"), f"no test knows what `{command}` is"
        python(rest, monkeypatch)


def takes(somdc: Somdc, rest: list[str]) -> None:
    """Whether a command of somdc has such options, up to those of a script."""
    names = [rest[0]] if rest[0] != "cache" or len(rest) < 2 else rest[:2]
    known = somdc(*names, "--help").out
    script = next((k for k, word in enumerate(rest) if word.endswith(".py")), len(rest))
    options = [word for word in (rest[:script] if rest[0] in ("run", "profile") else rest) if word.startswith("--")]
    assert [option for option in options if option.partition("=")[0] not in known] == []


def python(rest: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Whether a module or a script is there, and its parser takes the arguments."""
    while rest[0] == "-X":
        rest = rest[2:]
    if rest[0] == "-c":
        compile(rest[1], "<command>", "exec")
        return
    name, arguments = (rest[1], rest[2:]) if rest[0] == "-m" else (rest[0], rest[1:])
    if name == "pytest":
        assert [
            each for each in arguments if each.startswith("tests") and not (ROOT / each.split("::")[0]).exists()
        ] == []
        return
    monkeypatch.setattr(sys, "argv", [name, *arguments])
    monkeypatch.setattr(argparse.ArgumentParser, "parse_args", parsing(argparse.ArgumentParser.parse_args))
    if rest[0] == "-m" and name.startswith("benchmarks"):
        with pytest.raises(Parsed):
            runpy.run_module(name, run_name="__main__")
    elif rest[0] == "-m":
        assert importlib.util.find_spec(name) is not None
    elif name.startswith("tools/"):
        assert (ROOT / name).exists()


def parsing(parse: object) -> object:
    """A `parse_args` that ends the program behind it."""

    def parsed(self: argparse.ArgumentParser, *given: object) -> None:
        parse(self, *given)  # type: ignore[operator]
        raise Parsed

    return parsed


@pytest.mark.parametrize("text", [text for _, _, language, text in blocks() if language == "toml"])
def test_settings_are_read(text: str, tmp_path: Path) -> None:
    found = tomllib.loads(text)
    if not set(found) & {"project", "language-server", "build-system"}:
        (tmp_path / "somd.toml").write_text(text, encoding="utf-8")
        try:
            read_config_file(tmp_path / "somd.toml")
        except SomdConfigError as error:
            assert "defualt" in text and error.code == "SOMD602"


def test_every_block_is_looked_at() -> None:
    """A block is a program, a command, settings, or a text that something gives; or it is left out with a reason."""
    known = {"python", "console", "sh", "toml", "yaml"}
    quoted = ("<!-- output", "<!-- golden", "<!-- part of", "<!-- asked of isl")
    others = [
        (page, text.strip().splitlines()[0])
        for page, marker, language, text in blocks()
        if language not in known and not marker.startswith(quoted) and not left_out(text)
    ]
    assert others == []
    text = "".join(page.read_text(encoding="utf-8") for page in PAGES)
    assert [first for first in LEFT_OUT if first not in text] == []


def test_workflows_name_what_there_is() -> None:
    for _, _, language, text in blocks():
        if language == "yaml":
            assert "\t" not in text and re.match(r"# \.[\w/.-]+\n", text)
            keys = re.findall(r"^(\w+):", text, re.MULTILINE)
            assert keys[0] in ("repos", "name") and len(keys) == len(set(keys))
