"""Codes and pages belong together, and the form of the pages. What their programs do is tested elsewhere."""

import ast
import re
from importlib.resources import files
from pathlib import Path

import pytest

from somd.diagnostics.registry import REGISTRY, entry, page
from somd.errors import SomdConfigError
from somd.settings.config_file import read_config_file

SECTIONS = ["What it means", "Why", "Example", "Instead"]
CODES = sorted(REGISTRY)


def blocks(code: str, language: str) -> dict[str, list[str]]:
    """Section -> its fenced blocks of `language`."""
    parts = re.split(r"^## (.+)$", page(code), flags=re.MULTILINE)
    fence = re.compile(rf"^```{language}\n(.*?)^```$", re.MULTILINE | re.DOTALL)
    return {title: fence.findall(body) for title, body in zip(parts[1::2], parts[2::2], strict=True)}


def test_every_code_has_a_page_and_every_page_a_code() -> None:
    found = {item.name for item in files("somd.diagnostics").joinpath("pages").iterdir()}
    assert found == {REGISTRY[code].page for code in CODES}


def test_codes_have_the_form_that_users_are_promised() -> None:
    assert all(re.fullmatch(r"SOMD[1-69]\d\d", code) for code in CODES)
    assert list(REGISTRY) == CODES


@pytest.mark.parametrize("code", CODES)
def test_form_of_a_page(code: str) -> None:
    text = page(code)
    assert text.startswith(f"# {code}: {entry(code).title}\n")
    assert re.findall(r"^## (.+)$", text, re.MULTILINE) == SECTIONS
    assert 25 <= len(text.splitlines()) <= 65
    assert all(len(line) <= 120 for line in text.splitlines())


@pytest.mark.parametrize("section", ["Example", "Instead"])
@pytest.mark.parametrize("code", CODES)
def test_a_program_in_each_section(code: str, section: str) -> None:
    found = blocks(code, "python")
    assert [len(found[title]) for title in SECTIONS] == [0, 0, 1, 1]
    program = found[section][0]
    tree = ast.parse(program)
    assert "@somd" in program
    assert "def f(" in program
    if (code, section) != ("SOMD104", "Example"):
        methods = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef) and node.decorator_list]
        assert [method.name for method in methods] == ["f"]


@pytest.mark.parametrize("code", [code for code in CODES if "```toml" in page(code)])
def test_the_configuration_files_on_the_pages(code: str, tmp_path: Path) -> None:
    found = blocks(code, "toml")
    file = tmp_path / "somd.toml"
    file.write_text(found["Example"][0])
    with pytest.raises(SomdConfigError) as caught:
        read_config_file(file)
    assert caught.value.code == code
    file.write_text(found["Instead"][0])
    read_config_file(file)


def test_an_unknown_code_names_the_nearest() -> None:
    with pytest.raises(KeyError, match=r"SOMD319.*SOMD31"):
        page("SOMD319")
    with pytest.raises(KeyError, match="SOMD301"):
        entry("somd301")
