"""What the keys of generated code depend on."""

import re
from collections.abc import Iterable
from pathlib import Path

import pytest

from somd.cache import keys
from somd.runtime import blocks, contents
from somd.runtime.multicore.numba_internals import machine_code
from somd.settings.targets import TARGETS, target_of


def test_keys_of_text_and_of_machine_code_depend_on_what_fixes_bits(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[set[str]] = []

    def content_of(root: str, files: Iterable[str]) -> str:
        asked.append(set(files))
        return ""

    monkeypatch.setattr(contents, "content_of", content_of)
    keys.versions.__wrapped__()
    machine_code._versions.__wrapped__()
    assert [blocks.__file__ in files and len(files) > 50 for files in asked] == [True, True]


def test_keys_of_text_depend_on_all_that_the_compiler_imports(monkeypatch: pytest.MonkeyPatch) -> None:
    package = Path(blocks.__file__).parents[1]
    monkeypatch.setattr(contents, "content_of", lambda root, files: " ".join(sorted(files)))
    rooms = [room for target in TARGETS for room in target_of(target).rooms]
    known = {*contents.content_of_rooms(*contents.COMPILER, *rooms).split()}
    places = [package, *map(Path, known)]
    imported = {
        module
        for path in known
        for module in re.findall(r"^ *from somd\.([\w.]+) import", Path(path).read_text(encoding="utf-8"), re.MULTILINE)
    }
    assert len(imported) > 300
    files = {module: package / module.replace(".", "/") for module in imported}
    missing = {
        module
        for module, place in files.items()
        if place.with_suffix(".py") not in places and place / "__init__.py" not in places
    }
    assert missing == set()
